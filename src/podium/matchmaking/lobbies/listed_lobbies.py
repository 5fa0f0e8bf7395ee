"""Lobbies around tickets out of lists: for each the nearest tickets that it may meet.

Where most meetings are forbidden, those who stand near in a line may not meet, and who may meet stand
anywhere. The lists come from a search in a tree of tickets (`ticket_search`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Longs
from podium.matchmaking.graphs.search_tree import forbid_meetings
from podium.matchmaking.graphs.ticket_tree import TicketTable
from podium.matchmaking.lobbies.open_places import Fills, Shape, find_fills
from podium.matchmaking.lobbies.windows import Written
from podium.numerics.jit import kernel


class Listed(NamedTuple):
    """Tickets around whom lobbies are made, in this order, each with those whom it may meet."""

    ticket: Longs
    far: Bools
    """Whether to search among all tickets if none in the list fits."""
    offsets: Longs
    """The list of the i-th ticket is other[offsets[i]:offsets[i + 1]], the nearest first."""
    other: Longs
    most: int
    """Length of the longest list; one that is shorter has everybody."""


@kernel
def serve_listed(
    listed: Listed,
    at: int,
    table: TicketTable,
    by_group: Bools,
    size: Longs,
    free: Bools,
    shape: Shape,
    looks: int,
    out: Written,
    stuck: Bools,
) -> tuple[int, int, int]:
    """Lobbies out of lists, in order, from `at` on, up to a ticket that finds nobody and may look far.

    `by_group` has a row for each group. Who finds nobody is `stuck`, unless there may be others: the list is
    not of everybody, and some in it have been taken since. Returns the number of that ticket, and how many
    lobbies and members were written.
    """
    wanted, far, offsets, other, most = listed
    members, sizes, _ = out
    who, local_size = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    local = np.empty((most + 1, most + 1))
    found, lengths = np.empty((1, shape.players), np.int64), np.empty(1, np.int64)
    made, used = 0, 0
    while at < len(wanted):
        seed = wanted[at]
        served = not free[seed]
        begin, end = offsets[at], offsets[at + 1]
        gone = 0
        for k in range(begin, end):
            gone += not free[other[k]]
        for group in range(len(by_group)):
            if served:
                break
            if not by_group[group, seed]:
                continue
            who[0], local_size[0], n, players = seed, size[seed], 1, size[seed]
            for k in range(begin, end):
                j = other[k]
                if free[j] and by_group[group, j]:
                    who[n], local_size[n] = j, size[j]
                    players += size[j]
                    n += 1
            if players < shape.players:
                continue
            forbid_meetings(who[:n], table, local)
            own, fills = size[seed], Fills(found, lengths)
            if find_fills(local, local_size[:n], who[:n], who[:1], 1 | (1 << own), own, shape, looks, fills):
                members[used] = seed
                for i in range(lengths[0]):
                    members[used + 1 + i] = who[found[0, i]]
                count = lengths[0] + 1
                for i in range(count):
                    free[members[used + i]] = False
                sizes[made] = count
                made, used, served = made + 1, used + count, True
        if not served:
            if far[at]:
                return at, made, used
            stuck[seed] = gone == 0 or end - begin < most
        at += 1
    return at, made, used
