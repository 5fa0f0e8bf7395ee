"""Tickets served one after another: each takes its cheapest candidate, or the cheapest it searched for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.numerics.jit import kernel

MOST_ASKING = 1_024
"""Tickets that search at a time where few suit each."""


class OpponentLists(NamedTuple):
    """What tickets found that searched for themselves: those of row i are `other[begin[i]:end[i]]`."""

    begin: Longs
    end: Longs
    whole: Bools
    """Whether these are all that were free; otherwise they are the nearest."""
    other: Longs
    cost: Floats

    @classmethod
    def empty(cls, tickets: int) -> OpponentLists:
        """No lists yet."""
        none = np.zeros(tickets, np.int64)
        return cls(none, none.copy(), np.zeros(tickets, np.bool_), none[:0], np.zeros(0))


@kernel
def _cheapest(
    begin: int, end: int, other: Longs, cost: Floats, rank: Longs, partner: Longs
) -> tuple[int, float]:
    """The cheapest free one of some opponents, and the cost; −1 where none is free."""
    best, price = -1, np.inf
    for k in range(begin, end):
        candidate = other[k]
        if partner[candidate] < 0 and (
            cost[k] < price or (cost[k] == price and rank[candidate] < rank[best])
        ):
            best, price = candidate, cost[k]
    return best, price


@kernel
def serve_in_order(
    start: int,
    order: Longs,
    complete: Bools,
    rank: Longs,
    partner: Longs,
    paid: Floats,
    offsets: Longs,
    other: Longs,
    cost: Floats,
    lists: OpponentLists,
) -> tuple[int, int]:
    """Pair tickets in order, each with its cheapest free candidate, or else with the cheapest on its list.

    Stops at one who finds nobody and might elsewhere, as neither its candidates nor its list are complete.
    Also returns how many were paired by their lists.
    """
    begin, end, whole, listed, price = lists
    by_list = 0
    for at in range(start, len(order)):
        row = order[at]
        if partner[row] >= 0:
            continue
        best, least = _cheapest(offsets[row], offsets[row + 1], other, cost, rank, partner)
        if best < 0 and end[row] > begin[row]:
            best, least = _cheapest(begin[row], end[row], listed, price, rank, partner)
            by_list += best >= 0
        if best >= 0:
            partner[row], partner[best] = best, row
            paid[row], paid[best] = least, least
        elif not (complete[row] or whole[row]):
            return at, by_list
    return len(order), by_list


@kernel
def without_candidate(
    start: int, order: Longs, complete: Bools, partner: Longs, offsets: Longs, other: Longs
) -> Longs:
    """The next tickets, from a place of the order on, that have no free candidate and might find somebody."""
    found, n = np.empty(min(len(order) - start, MOST_ASKING), np.int64), 0
    for at in range(start, len(order)):
        if n == len(found):
            break
        row = order[at]
        alone = partner[row] < 0 and not complete[row]
        for k in range(offsets[row], offsets[row + 1]):
            alone = alone and partner[other[k]] >= 0
        if alone:
            found[n] = row
            n += 1
    return found[:n]
