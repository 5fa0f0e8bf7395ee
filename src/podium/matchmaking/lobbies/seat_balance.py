"""Sides out of a lobby in modes with more than two teams, uneven teams or roles, as even as they can be.

Every way to seat the lobby is tried, up to two thousand of them, or fewer in matches of more than twenty
players. Of more, five hundred are drawn and many of these improved by swaps. Two sides are judged by the
system's own expected score. More than two are judged by their chances to come first. Those take an integral
for most systems, so they are estimated for all ways, as if performances were Gumbel, and computed for the
best by that estimate.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Floats, Longs
from podium.ladder.predictions import performances, with_coin
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import Seating, ways_to_seat
from podium.matchmaking.lobbies.team_splits import MOST_SPLITS
from podium.numerics.free_for_all.first_place import winning_chances
from podium.systems import RatingSystem, Sides, State
from podium.systems.contract.sides import Opponent

SEATS_OF_A_LOBBY = 40_000
"""Players times ways that are looked at of one lobby."""
SEATS_AT_ONCE = 400_000
"""The same of lobbies that are looked at together, so that memory stays bounded."""
SHORTLIST = 20
"""Ways of a lobby whose chances are computed, where the others are estimated."""


class SeatedLobbies(NamedTuple):
    """How lobbies are divided into sides, and how even that is."""

    side: Longs
    """The side of each ticket of each lobby, in the lobby's order."""
    chance: Floats
    """Lobbies × sides: the expected score of each of two, or the chance of each of more to come first."""
    gap: Floats
    """The mean over all players of the distance between their side's chance and the wanted one."""


def seat_lobbies(
    system: RatingSystem,
    state: State,
    parties: Ragged,
    lobbies: Ragged,
    mode: Mode,
    seating: Seating,
    *,
    wanted: Floats,
    at: int = NO_TIME,
) -> SeatedLobbies:
    """Divide each lobby into the sides of a mode so that chances are closest to the wanted.

    `parties` are the players of each ticket, and `wanted` is the chance that each ticket wants against one
    opponent; among k sides it is 2/k of that. Of equally good ways the first is taken.
    """
    if len(lobbies) == 0:
        return SeatedLobbies(np.zeros(0, np.int64), np.zeros((0, mode.sides)), np.zeros(0))
    chooser = _Chooser(system, state, parties, mode, seating, wanted, at)
    side = np.empty(len(lobbies.items), np.int64)
    chance, gap = np.empty((len(lobbies), mode.sides)), np.empty(len(lobbies))
    step = max(1, SEATS_AT_ONCE // SEATS_OF_A_LOBBY)
    for start in range(0, len(lobbies), step):
        some = range(start, min(start + step, len(lobbies)))
        for i, found in zip(some, chooser.choose([lobbies[i] for i in some]), strict=True):
            side[lobbies.offsets[i] : lobbies.offsets[i + 1]], chance[i], gap[i] = found
    return SeatedLobbies(side, chance, gap)


class _Chooser:
    """Chooses among the ways to seat lobbies."""

    def __init__(
        self,
        system: RatingSystem,
        state: State,
        parties: Ragged,
        mode: Mode,
        seating: Seating,
        wanted: Floats,
        at: int,
    ) -> None:
        self.system, self.state, self.at = system, state, at
        self.parties, self.mode, self.seating, self.wanted = parties, mode, seating, wanted
        mu, _ = system.side_belief(state, Sides.of(parties.items), at)
        self.strength = np.add.reduceat(mu - mu.mean(), parties.offsets[:-1])
        """The sum over the members of each ticket."""
        self.most = min(MOST_SPLITS, SEATS_OF_A_LOBBY // mode.players)
        self.side_of = np.repeat(np.arange(mode.sides), mode.sizes)
        """The side of each place."""

    def choose(self, lobbies: list[Longs]) -> list[tuple[Longs, Floats, float]]:
        """The sides of each lobby's tickets, the chance of each side, and the gap."""
        ways, players, wishes = [], [], []
        for lobby in lobbies:
            order = np.argsort(-self.seating.rank[lobby], kind="stable")
            tickets = lobby[order]
            found = ways_to_seat(self.seating, tickets, self.strength[tickets], self.most)
            sides = np.empty_like(found)
            sides[:, order] = found
            ways.append(sides)
            members = self.parties.take(lobby)
            place = np.argsort(sides[:, members.owner], axis=1, kind="stable")
            players.append(members.items[place])
            wishes.append(self.wanted[lobby][members.owner[place]])
        ends = np.cumsum([0, *map(len, ways)])
        rows, wish = np.concatenate(players), np.concatenate(wishes) * (2.0 / self.mode.sides)
        chance, exact = self.estimate(rows)
        gap = self.gap(chance, wish)
        if not exact:
            listed = [a + np.sort(np.argsort(gap[a:b], kind="stable")[:SHORTLIST]) for a, b in _spans(ends)]
            short = np.concatenate(listed)
            chance[short] = self.compute(rows[short])
            gap[:] = math.inf
            gap[short] = self.gap(chance[short], wish[short])
        best = [a + int(gap[a:b].argmin()) for a, b in _spans(ends)]
        return [(ways[i][row - ends[i]], chance[row], float(gap[row])) for i, row in enumerate(best)]

    def sides(self, rows: Longs) -> Sides:
        """The sides of all rows, one after another."""
        offsets = np.concatenate([[0], np.cumsum(np.tile(self.mode.sizes, len(rows)))])
        return Sides(rows.ravel(), offsets.astype(np.int64))

    def estimate(self, rows: Longs) -> tuple[Floats, bool]:
        """The chance of each side, a row for each way, and whether these are exact."""
        sides, k = self.sides(rows), self.mode.sides
        mu, sigma = self.system.side_belief(self.state, sides, self.at)
        if k == 2:
            first, second = (
                Opponent(
                    mu[i::2], None if sigma is None else sigma[i::2], sides.sizes[i::2], sides.noise[i::2]
                )
                for i in (0, 1)
            )
            won = self.system.expected_between(first, second, 0.0)
            return np.stack([won, 1.0 - won], axis=1), True
        family, location, scale = performances(self.system, mu, sigma, sides.noise)
        location, scale = location.reshape(-1, k), scale.reshape(-1, k)
        alike = family == "gumbel" and np.all(scale == scale[0, 0]) and scale[0, 0] > 0.0
        if alike:
            return self.compute(rows), True
        wide = np.maximum(scale.mean(axis=1, keepdims=True), 1e-9)
        width = wide if family == "gumbel" else wide * (math.sqrt(6.0) / math.pi)  # of the same variance
        power = np.exp((location - location.max(axis=1, keepdims=True)) / width)
        return power / power.sum(axis=1, keepdims=True), False

    def compute(self, rows: Longs) -> Floats:
        """The chance of each side to come first, a row for each way."""
        sides, k = self.sides(rows), self.mode.sides
        mu, sigma = self.system.side_belief(self.state, sides, self.at)
        fields = np.arange(0, len(mu) + 1, k)
        won = winning_chances(*performances(self.system, mu, sigma, sides.noise), fields)
        return with_coin(self.system, won, 1.0 / k).reshape(-1, k)

    def gap(self, chance: Floats, wish: Floats) -> Floats:
        """How far the chance of their side is from what players want, on average over each row."""
        gap: Floats = np.abs(chance[:, self.side_of] - wish).mean(axis=1)
        return gap


def _spans(ends: Longs) -> list[tuple[int, int]]:
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
