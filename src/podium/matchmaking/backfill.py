"""Who could take the open places of a match that runs already.

All open places are filled at once, by singles and parties who may meet everyone in the match and each other.
Of those near in strength many sets are listed, so that the one can be chosen with which the chances are best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.matchmaking.lobbies.formation import (
    FAR_LOOKS,
    SEATED_LOOKS,
    Lobbies,
    Meet,
    keep_foremost,
    meetings_among,
    nearest,
)
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Fills, Shape, fillable_rooms, find_fills, mean_costs
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating

NEAREST_LISTED_FIRST = 40
"""Tickets among whom all sets are listed first."""
FILLS_COMPARED = 200
"""Sets that are compared."""


class Running(NamedTuple):
    """A running match with open places: the tickets of its players, by side."""

    rows: Longs
    side: Longs
    size: Longs

    def sums(self, mode: Mode) -> int:
        """The number of players on side 0, as a set of bits; see `admit`."""
        return 1 << int(self.size[self.side == 0].sum()) if mode.has_teams else 1


def list_fills(
    running: Running,
    others: Longs,
    strength: Floats,
    size: Longs,
    meet: Meet,
    mode: Mode,
    seating: Seating = NO_SEATING,
) -> Iterator[Lobbies]:
    """Ways to fill a match from `others`: from the nearest, and, if none of these will do, from all of them.

    A lobby begins with the tickets that are in the match. Its cost is the mean over the meetings that come
    about, with those in the match and among those who join it.
    """
    level = float(np.average(strength[running.rows], weights=running.size))
    far = np.abs(strength[others] - level)
    near = (
        others
        if len(others) <= NEAREST_LISTED_FIRST
        else others[np.argpartition(far, NEAREST_LISTED_FIRST)[:NEAREST_LISTED_FIRST]]
    )
    yield from _among(running, nearest(level, strength, near), size, meet, mode, seating, FILLS_COMPARED)
    if len(others) > NEAREST_LISTED_FIRST:
        line = nearest(level, strength, others[_costs(running, others, meet) < math.inf])
        kind = seating.kinds(line, size[line])
        kept = keep_foremost(kind, mode.players)
        line, kind = line[kept], kind[kept]
        yield from _among(running, line, size, meet, mode, seating, 1)
        yield from _among(running, line[kind == 1], size, meet, mode, seating, 1)


def _among(
    running: Running, tickets: Longs, size: Longs, meet: Meet, mode: Mode, seating: Seating, most: int
) -> Iterator[Lobbies]:
    """Ways to fill a match from these tickets, the foremost first."""
    total, sizes = int(running.size.sum()), np.concatenate([running.size[:1], size[tickets]])
    if total + sizes[1:].sum() < mode.players:
        return
    cost = np.zeros((len(sizes), len(sizes)))
    cost[0, 1:] = cost[1:, 0] = _costs(running, tickets, meet)
    cost[1:, 1:] = meetings_among(meet, tickets)
    fills = Fills.room(most, mode.players)
    rooms, team = fillable_rooms(np.unique(sizes[1:]).tolist(), mode.size), 1 if mode.is_seated else mode.size
    looks = int(FAR_LOOKS * SEATED_LOOKS) if mode.is_seated else FAR_LOOKS
    who, shape = (
        np.concatenate([running.rows[:1], tickets]),
        Shape(mode.players, team, rooms, seating._replace(fillable=rooms)),
    )
    count = find_fills(cost, sizes, who, running.rows, running.sums(mode), total, shape, looks, fills)
    if count == 0:
        return
    found, lengths, here = fills.members[:count], fills.lengths[:count], len(running.rows)
    rows = np.concatenate([np.tile(running.rows, (count, 1)), tickets[np.maximum(found - 1, 0)]], axis=1)
    inside = np.arange(rows.shape[1]) < here + lengths[:, None]
    offsets = np.concatenate([[0], np.cumsum(here + lengths)]).astype(np.int64)
    means = np.empty(count)
    mean_costs(cost, found, lengths, here, means)
    yield Lobbies(Ragged(offsets, rows[inside]), means)


def _costs(running: Running, tickets: Longs, meet: Meet) -> Floats:
    """What it costs each ticket to meet those in the match, on average; infinite where one is forbidden."""
    first, second = np.repeat(running.rows, len(tickets)), np.tile(tickets, len(running.rows))
    cost = meet(first, second).reshape(len(running.rows), len(tickets))
    mean: Floats = cost.mean(axis=0)
    return np.where(np.isinf(cost).any(axis=0), math.inf, mean)
