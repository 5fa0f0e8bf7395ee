"""Who could take the open places of a match that runs already.

All open places are filled at once, by singles and parties who may meet everyone in the match and each other.
Of those near in strength many sets are listed, so that the one can be chosen with which the chances are best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from podium.history.core import Floats, Longs
from podium.matchmaking.filling import fillable_rooms, find_fills
from podium.matchmaking.lobbies import LOOKS, Lobbies, Meet, keep_foremost, meetings_among, nearest
from podium.matchmaking.modes import Mode
from podium.matchmaking.ragged import Ragged

NEAR = 48
"""Tickets among whom all sets are listed first."""
MOST_FILLS = 500
"""Sets that are compared."""


class Running(NamedTuple):
    """A match that runs with places open: the tickets of those in it, by the side they are on."""

    rows: Longs
    side: Longs
    size: Longs

    def sums(self, mode: Mode) -> int:
        """The number of players on side 0, as a set of bits; see `admit`."""
        return 1 << int(self.size[self.side == 0].sum()) if mode.has_teams else 1


def list_fills(
    running: Running, others: Longs, strength: Floats, size: Longs, meet: Meet, mode: Mode
) -> Iterator[Lobbies]:
    """Ways to fill a match from `others`: among the nearest, and then, if none of these will do, one of all.

    A lobby begins with the tickets that are in the match. Its cost is the mean over the meetings that come
    about, with those in the match and among those who join it.
    """
    level = np.average(strength[running.rows], weights=running.size)
    line = nearest(level, strength, others)
    yield from _among(running, line[:NEAR], size, meet, mode, MOST_FILLS)
    if len(line) > NEAR:
        allowed = np.isfinite(_costs(running, line, meet))
        line = line[allowed]
        yield from _among(running, keep_foremost(line, size[line], mode.players), size, meet, mode, 1)


def _among(
    running: Running, tickets: Longs, size: Longs, meet: Meet, mode: Mode, most: int
) -> Iterator[Lobbies]:
    """Ways to fill a match from these tickets, the foremost first."""
    total, sizes = int(running.size.sum()), np.concatenate([running.size[:1], size[tickets]])
    if total + sizes[1:].sum() < mode.players:
        return
    cost = np.zeros((len(sizes), len(sizes)))
    cost[0, 1:] = cost[1:, 0] = _costs(running, tickets, meet)
    cost[1:, 1:] = meetings_among(meet, tickets)
    found, lengths = np.empty((most, mode.players), np.int64), np.empty(most, np.int64)
    rooms = fillable_rooms(np.unique(sizes[1:]).tolist(), mode.size)
    count = find_fills(
        cost, sizes, running.sums(mode), total, mode.players, mode.size, rooms, LOOKS, found, lengths
    )
    if count == 0:
        return
    here, lists, means = len(running.rows), [], []
    for fill, length in zip(found[:count], lengths[:count], strict=True):
        chosen = fill[:length]
        among = cost[np.ix_(chosen, chosen)].sum() / 2
        means.append((here * cost[0, chosen].sum() + among) / (here * length + length * (length - 1) / 2))
        lists.append(np.concatenate([running.rows, tickets[chosen - 1]]))
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    yield Lobbies(Ragged(offsets, np.concatenate(lists)), np.array(means))


def _costs(running: Running, tickets: Longs, meet: Meet) -> Floats:
    """What it costs each ticket to meet those in the match, on average; infinite where one is forbidden."""
    first, second = np.repeat(running.rows, len(tickets)), np.tile(tickets, len(running.rows))
    cost = meet(first, second).reshape(len(running.rows), len(tickets))
    mean: Floats = cost.mean(axis=0)
    return np.where(np.isinf(cost).any(axis=0), math.inf, mean)
