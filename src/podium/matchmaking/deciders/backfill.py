"""Who could take the open places of a match that runs already.

All open places are filled at once, by singles and parties who may meet everyone in the match and each other.
Of those near in strength many sets are listed, so that the one can be chosen with which the chances are best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.lobbies.lobby_making import SEATED_LOOKS
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Fills, Shape, fillable_rooms, find_fills, mean_costs
from podium.matchmaking.lobbies.queues import Lobbies, Meet, meetings_among
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating
from podium.matchmaking.lobbies.seed_searches import FAR_LOOKS, MOST_SINGLES, keep_foremost, nearest
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.pool.tickets import NOBODY

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

    def level(self, strength: Floats) -> float:
        """The mean strength of the players in the match."""
        return float(np.average(strength[self.rows], weights=self.size))

    def largest(self, mode: Mode) -> int:
        """The size of the largest party for whom one side has room."""
        if not mode.has_teams:
            return 1
        return max(size - int(self.size[self.side == side].sum()) for side, size in enumerate(mode.sizes))


def running_matches(waiting: Waiting) -> list[Running]:
    """The running matches that ask for players, the oldest request first."""
    rows = np.flatnonzero(waiting.request != NOBODY)
    rows = rows[np.argsort(waiting.request[rows], kind="stable")]  # counted in the order of asking
    heads = np.flatnonzero(np.diff(waiting.request[rows]))
    each = np.split(rows, heads + 1) if len(rows) else []
    return [Running(some, waiting.side[some], waiting.size[some]) for some in each]


def nearest_each(levels: Floats, others: Longs, strength: Floats) -> Longs:
    """For each level a row of the tickets nearest to it in strength, nearest first, as many for all."""
    line = others[np.argsort(strength[others], kind="stable")]
    count = min(NEAREST_LISTED_FIRST, len(line))
    width = min(2 * count, len(line))
    begin = np.clip(np.searchsorted(strength[line], levels) - count, 0, len(line) - width)
    near: Longs = line[begin[:, None] + np.arange(width)]
    far = np.abs(strength[near] - levels[:, None])
    return np.take_along_axis(near, np.argsort(far, axis=1, kind="stable")[:, :count], axis=1)


def may_be_acceptable(
    running: list[Running], near: Longs, limits: Floats, meet: Meet, mode: Mode, least: float
) -> Bools:
    """Whether a set of the nearest tickets, a row a match, might cost no more than somebody in it accepts.

    A meeting costs `least` or more. Where k of them join a match of `here` tickets, k at most for k places,
    here × k of the meetings are with the match and the k (k − 1)/2 among each other may cost the least.
    """
    heads = np.cumsum([0, *(len(one.rows) for one in running)])[:-1]
    rows = np.concatenate([one.rows for one in running])
    here = np.array([len(one.rows) for one in running])
    places = np.array([mode.players - one.size.sum() for one in running])
    cost = meet(np.repeat(rows, near.shape[1]), np.repeat(near, here, axis=0).ravel())
    mean = np.add.reduceat(cost.reshape(len(rows), near.shape[1]), heads, axis=0) / here[:, None]
    own = np.maximum.reduceat(limits[rows], heads)
    accepted = np.maximum(own, np.where(mean < math.inf, limits[near], -math.inf).max(axis=1))
    joining = here / (here + (places - 1) / 2)
    cheapest = mean.min(axis=1)
    bound = np.where(places > 1, joining * cheapest + (1.0 - joining) * least, cheapest)
    # Sums in another order may differ in their last digits.
    fine: Bools = bound <= accepted + 1e-9 * (1.0 + np.abs(accepted))
    return fine


def near_fills(
    running: Running, near: Longs, size: Longs, meet: Meet, mode: Mode, seating: Seating = NO_SEATING
) -> Iterator[Lobbies]:
    """Ways to fill a match from the nearest tickets.

    A lobby begins with the tickets that are in the match. Its cost is the mean over the meetings that come
    about, with those in the match and among those who join it.
    """
    return _among(running, near, size, meet, mode, seating, FILLS_COMPARED)


def far_line(
    running: Running, others: Longs, strength: Floats, size: Longs, mode: Mode, seating: Seating = NO_SEATING
) -> Longs:
    """Tickets whom everybody in a match may meet, the nearest first and only as many as can be searched."""
    line = nearest(running.level(strength), strength, others)
    return line[keep_foremost(seating.kinds(line, size[line]), mode.players)]


def far_fills(
    running: Running, line: Longs, size: Longs, meet: Meet, mode: Mode, seating: Seating = NO_SEATING
) -> Iterator[Lobbies]:
    """Ways to fill a match from such a line: one, and one of singles."""
    yield from _among(running, line, size, meet, mode, seating, 1)
    kind = seating.kinds(line, size[line])
    if np.any(kind != 1):
        yield from _among(running, line[kind == 1], size, meet, mode, seating, 1)


def far_meetings(tickets: int, rows: int) -> int:
    """Number of meetings that `far_fills` looks at for a match of so many tickets, about."""
    return min(tickets, MOST_SINGLES) * (min(tickets, MOST_SINGLES) // 2 + rows)


def _among(
    running: Running, tickets: Longs, size: Longs, meet: Meet, mode: Mode, seating: Seating, most: int
) -> Iterator[Lobbies]:
    """Ways to fill a match from these tickets, the foremost first."""
    tickets = tickets[size[tickets] <= running.largest(mode)]
    if running.size.sum() + size[tickets].sum() < mode.players:
        return
    costs = _costs(running, tickets, meet)
    tickets, costs = tickets[costs < math.inf], costs[costs < math.inf]
    total, sizes = int(running.size.sum()), np.concatenate([running.size[:1], size[tickets]])
    if total + sizes[1:].sum() < mode.players:
        return
    cost = np.zeros((len(sizes), len(sizes)))
    cost[0, 1:] = cost[1:, 0] = costs
    if total + 1 < mode.players:  # several join, who meet each other
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
