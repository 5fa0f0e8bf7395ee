"""Two teams out of a lobby: parties stay together, and the win probability is as near as it can be.

A lobby is a set of tickets, each a party of one or more, whose members fill two teams. Every way to divide it
is tried, by the system's own prediction of teams: ten singles can be divided in 126 ways. From two thousand
ways on (8v8), that many are drawn from all of them with equal chances; the best of n drawn ones is better
than all but a part 1/(n + 1) of all ways, on average.

>>> from podium import Elo
>>> system = Elo()
>>> state = beliefs(system, [1900, 1500, 1600, 1200])
>>> teams = balance_teams(system, state, Ragged.singles(4), Ragged.of([[0, 1, 2, 3]]), size=2)
>>> teams.side.tolist(), teams.probability.round(3).tolist()
([0, 1, 1, 0], [0.5])

The ways to divide parties into two teams of one size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, Floats, Longs
from podium.errors import InputError
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.systems import RatingSystem, Sides, State
from podium.systems.contract.calibration import calibrated_pairs
from podium.systems.contract.sides import Opponent

MOST_SPLITS = 2_000
"""Up to this number of ways to divide a lobby all are tried; of more, this number is drawn."""


@lru_cache(maxsize=1024)
def ways_to_split(sizes: tuple[int, ...], team: int, apart: bool = False) -> Bools:
    """Each way to make two teams of `team` from parties of these sizes, a row each: who is on side 1.

    The first party is on side 0, as sides have no names; with `apart` the second is on side 1. Where there
    are more than `MOST_SPLITS` ways, that many are drawn, all with the same chance and always the same ones.

    >>> ways_to_split((2, 1, 1, 1, 1), 3).astype(int).tolist()
    [[0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [0, 1, 1, 0, 1], [0, 1, 1, 1, 0]]
    """
    if sum(sizes) != 2 * team:
        return np.zeros((0, len(sizes)), np.bool_)
    fixed = 2 if apart else 1
    room = team - sizes[0]
    ways = _counts(sizes[fixed:], room)
    if ways[0][room] <= MOST_SPLITS:
        rest = _all(sizes[fixed:], room)
    else:
        rest = _drawn(sizes[fixed:], room, ways)
    table = np.ones((len(rest), len(sizes)), np.bool_)
    table[:, 0] = False
    table[:, fixed:] = rest
    return table


def _counts(sizes: Sequence[int], room: int) -> list[list[int]]:
    """How many sets of the parties from number i on have r members together, as ``[i][r]``."""
    table = [[0] * max(room + 1, 1) for _ in range(len(sizes) + 1)]
    table[-1][0] = 1
    for i in range(len(sizes) - 1, -1, -1):
        for r in range(room + 1):
            table[i][r] = table[i + 1][r] + (table[i + 1][r - sizes[i]] if r >= sizes[i] else 0)
    return table


def _all(sizes: Sequence[int], room: int) -> Bools:
    """Every set of parties that fills the room of side 0, as what is left for side 1."""
    found: list[list[bool]] = []
    ways = _counts(sizes, room)

    def choose(i: int, left: int, chosen: list[bool]) -> None:
        if left < 0 or ways[i][left] == 0:
            return
        if i == len(sizes):
            found.append(chosen)
            return
        choose(i + 1, left - sizes[i], [*chosen, False])
        choose(i + 1, left, [*chosen, True])

    choose(0, room, [])
    return np.array(found, np.bool_).reshape(len(found), len(sizes))


def _drawn(sizes: Sequence[int], room: int, ways: list[list[int]]) -> Bools:
    """Sets of parties that fill the room, each of all such sets with the same chance."""
    chance = np.random.default_rng(0).random((MOST_SPLITS, len(sizes)))
    left = np.full(MOST_SPLITS, room)
    rest = np.ones((MOST_SPLITS, len(sizes)), np.bool_)
    for i, size in enumerate(sizes):
        taking = [
            ways[i + 1][r - size] / ways[i][r] if r >= size and ways[i][r] else 0.0 for r in range(room + 1)
        ]
        takes = chance[:, i] < np.array(taking)[left]
        rest[takes, i] = False
        left[takes] -= size
    return rest


PLACES_AT_ONCE = 200_000
"""Places in teams that are looked at together, so that memory stays bounded."""


class LobbyTeams(NamedTuple):
    """How lobbies are divided into two teams, and how even that is."""

    side: NDArray[np.int8]
    """0 or 1 for each ticket of each lobby, in the lobby's order."""
    probability: Floats
    """The win probability of side 0 of each lobby."""
    gap: Floats
    """The mean over all players of the distance between win probability and the wanted one, and what uneven
    parties cost."""


def beliefs(system: RatingSystem, mu: ArrayLike, sigma: ArrayLike | None = None) -> State:
    """A state of players with these ratings; deviations that are not given are a newcomer's."""
    rating = np.atleast_1d(np.asarray(mu, np.float64))
    state = system.new_state(len(rating))
    system.set_belief(state, np.arange(len(rating)), rating, sigma)
    return state


def balance_teams(
    system: RatingSystem,
    state: State,
    parties: Ragged,
    lobbies: Ragged,
    size: int,
    *,
    wanted: ArrayLike = 0.5,
    apart: bool = False,
    at: int = NO_TIME,
    premade_weight: float = 0.0,
) -> LobbyTeams:
    """Divide each lobby into two teams of `size` so that win probabilities are closest to the wanted.

    `parties` are the players of each ticket, `wanted` the chance to win that its players should have; what
    counts is the mean over all players of how far the chance of their team is from it. With `apart` the first
    two tickets of each lobby are on opposite sides: teams that play already. Of equally good ways the first
    is taken, in a fixed order. Each player costs `premade_weight` by which the largest parties differ.
    """
    wish = np.broadcast_to(np.asarray(wanted, np.float64), (len(parties),))
    side = np.zeros(len(lobbies.items), np.int8)
    probability, gap = np.empty(len(lobbies)), np.empty(len(lobbies))
    for sizes, alike, order in _alike(parties, lobbies, 2 if apart else 0):
        splits = ways_to_split(sizes, size, apart)
        if len(splits) == 0:
            raise InputError(
                f"parties of {', '.join(map(str, sizes))} cannot form two teams of {size}",
                hint="a lobby must be divisible with its parties kept together",
            )
        seat = np.repeat(np.arange(len(sizes)), sizes)  # the ticket of each member
        columns = np.argsort(splits[:, seat], axis=1, kind="stable")  # members of side 0, then of side 1
        largest = [np.where(splits == side, sizes, 0).max(axis=1) for side in (0, 1)]
        uneven = premade_weight * np.abs(largest[0] - largest[1])
        step = max(1, PLACES_AT_ONCE // columns.size)
        for start in range(0, len(alike), step):
            some = alike[start : start + step]
            place = lobbies.offsets[some, None] + order[start : start + step]
            tickets = lobbies.items[place]
            players = parties.take(tickets.ravel()).items.reshape(len(some), 2 * size)
            won = _predicted(system, state, players[:, columns], at)
            missed = _gap(won, wish[tickets[:, seat]], columns) + uneven
            best = missed.argmin(axis=1)
            each = np.arange(len(some))
            probability[some], gap[some] = won[each, best], missed[each, best]
            side[place] = splits[best]
    return LobbyTeams(side, probability, gap)


def _alike(parties: Ragged, lobbies: Ragged, fixed: int) -> Iterator[tuple[tuple[int, ...], Longs, Longs]]:
    """Lobbies by the sizes of their parties: the sizes, which lobbies, and their tickets in that order.

    The largest party comes first, except that the first `fixed` tickets stay where they are.
    """
    if len(lobbies) == 0:
        return
    width = int(lobbies.sizes.max())
    size = np.zeros((len(lobbies), width), np.int64)
    inside = np.arange(width) < lobbies.sizes[:, None]
    size[inside] = parties.sizes[lobbies.items]
    key = size.copy()
    key[:, :fixed] = size.max() + np.arange(fixed, 0, -1)
    order = np.argsort(-key, axis=1, kind="stable")
    ordered = np.take_along_axis(size, order, axis=1)
    if np.all(ordered == ordered[0]):  # as of singles: no need to sort them
        patterns, which = ordered[:1], np.zeros(len(lobbies), np.int64)
    else:
        patterns, which = np.unique(ordered, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        alike = np.flatnonzero(which.ravel() == number)
        present = int((pattern > 0).sum())
        yield tuple(pattern[:present].tolist()), alike, order[alike, :present]


def _predicted(system: RatingSystem, state: State, members: Longs, at: int) -> Floats:
    """The chance of the first half of the members of each split against the second; lobbies × splits."""
    lobbies, splits, both = members.shape
    size = both // 2
    sides = Sides(members.ravel(), np.arange(0, members.size + 1, size))
    mu, sigma = system.side_belief(state, sides, at)
    first, second = (
        Opponent(mu[i::2], None if sigma is None else sigma[i::2], sides.sizes[i::2], sides.noise[i::2])
        for i in (0, 1)
    )
    won = system.expected_between(first, second, 0.0)
    return calibrated_pairs(system, state, sides, won).reshape(lobbies, splits)


def _gap(won: Floats, wish: Floats, columns: Longs) -> Floats:
    """How far the chance of their side is from what players want, on average over all of a lobby."""
    if np.all(wish == 0.5):
        return np.abs(won - 0.5)
    size = columns.shape[1] // 2
    wanted = wish[:, columns]
    ours = np.abs(wanted[:, :, :size] - won[:, :, None]).sum(axis=2)
    theirs = np.abs(wanted[:, :, size:] - (1.0 - won[:, :, None])).sum(axis=2)
    gap: Floats = (ours + theirs) / (2 * size)
    return gap
