"""Sides out of a lobby in modes with more than two teams, uneven teams or roles, as even as they can be.

Every way to seat the lobby is tried, up to two thousand of them, or fewer in matches of more than twenty
players. Of more, two hundred are drawn and many of these improved by swaps. Two sides are judged by the
system's own expected score. More than two are judged by their chances to come first. Those take an integral
for most systems, so they are estimated for all ways, as if performances were Gumbel, and computed for the
best by that estimate.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Floats, Longs
from podium.ladder.field_chances import has_exact_places, public_winning_chances
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import Seating, all_ways, drawn_ways
from podium.matchmaking.lobbies.team_balance import MOST_SPLITS
from podium.systems import RatingSystem, Sides, State
from podium.systems.contract.calibration import calibrated_pairs, public_performances
from podium.systems.contract.sides import Opponent

SEATS_OF_A_LOBBY = 40_000
"""Players times ways that are tried of one lobby; of more ways some are drawn."""
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
    """The mean over all players of the distance between their side's chance and the wanted one.

    NaN, which is no acceptable cost, where no way to seat a lobby was found."""


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
    chooser = _Chooser(system, state, parties, mode, seating, wanted, at)
    seated = SeatedLobbies(
        np.empty(len(lobbies.items), np.int64), np.empty((len(lobbies), mode.sides)), np.empty(len(lobbies))
    )
    order = np.lexsort((seating.kind[lobbies.items], -seating.rank[lobbies.items], lobbies.owner))
    alike: dict[bytes, list[int]] = {}
    for i, kinds in enumerate(Ragged(lobbies.offsets, seating.kind[lobbies.items[order]])):
        alike.setdefault(kinds.tobytes(), []).append(i)
    for numbers in alike.values():
        some = np.array(numbers)
        place = order[lobbies.offsets[some, None] + np.arange(lobbies.sizes[some[0]])]
        seated.side[place], seated.chance[some], seated.gap[some] = chooser.choose(lobbies.items[place])
    return seated


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
        self.most = min(MOST_SPLITS, SEATS_OF_A_LOBBY // mode.players)
        self.side_of = np.repeat(np.arange(mode.sides), mode.sizes)
        """The side of each place."""

    @cached_property
    def strength(self) -> Floats:
        """The sum of ratings over the members of each ticket."""
        mu, _ = self.system.side_belief(self.state, Sides.of(self.parties.items), self.at)
        strength: Floats = np.add.reduceat(mu - mu.mean(), self.parties.offsets[:-1])
        return strength

    def choose(self, lobbies: NDArray[np.int64]) -> SeatedLobbies:
        """Divide lobbies of the same kinds of tickets, a row each, by rank."""
        ways = all_ways(self.seating, lobbies[0], self.most + 1)
        if len(ways) == 0:  # the search gave up
            count, k = len(lobbies), self.mode.sides
            return SeatedLobbies(
                np.zeros_like(lobbies), np.full((count, k), 1.0 / k), np.full(count, math.nan)
            )
        if len(ways) > self.most:
            parts = [
                self.choose_of(drawn_ways(self.seating, lobby, self.strength[lobby], ways[0]), lobby[None])
                for lobby in lobbies
            ]
        else:
            step = max(1, SEATS_AT_ONCE // (len(ways) * self.mode.players))
            parts = [self.choose_of(ways, lobbies[i : i + step]) for i in range(0, len(lobbies), step)]
        return SeatedLobbies(*map(np.concatenate, zip(*parts, strict=True)))

    def choose_of(self, ways: NDArray[np.int64], lobbies: NDArray[np.int64]) -> SeatedLobbies:
        """Divide lobbies in the best of these ways each."""
        count, players, k = len(lobbies), self.mode.players, self.mode.sides
        seat = np.repeat(np.arange(lobbies.shape[1]), self.parties.sizes[lobbies[0]])  # of each member
        place = np.argsort(ways[:, seat], axis=1, kind="stable")
        members = self.parties.take(lobbies.ravel()).items.reshape(count, players)[:, place]
        wish = self.wanted[lobbies[:, seat]][:, place] * (2.0 / k)
        chance, exact = self.estimate(members.reshape(-1, players))
        chance = chance.reshape(count, -1, k)
        gap = self.gap(chance, wish)
        each = np.arange(count)[:, None]
        which = np.broadcast_to(np.arange(len(ways)), gap.shape)
        if not exact:
            which = np.sort(np.argsort(gap, axis=1, kind="stable")[:, :SHORTLIST], axis=1)
            chance = self.compute(members[each, which].reshape(-1, players)).reshape(count, -1, k)
            gap = self.gap(chance, wish[each, which])
        best = gap.argmin(axis=1)
        first = each[:, 0]
        return SeatedLobbies(ways[which[first, best]], chance[first, best], gap[first, best])

    def sides(self, rows: Longs) -> Sides:
        """The sides of all rows, one after another."""
        offsets = np.concatenate([[0], np.cumsum(np.tile(self.mode.sizes, len(rows)))])
        return Sides(rows.ravel(), offsets.astype(np.int64))

    def estimate(self, rows: Longs) -> tuple[Floats, bool]:
        """The chance of each side, a row for each way, and whether these are exact."""
        sides, k = self.sides(rows), self.mode.sides
        if k == 2:
            mu, sigma = self.system.side_belief(self.state, sides, self.at)
            first, second = (
                Opponent(
                    mu[i::2], None if sigma is None else sigma[i::2], sides.sizes[i::2], sides.noise[i::2]
                )
                for i in (0, 1)
            )
            won = self.system.expected_between(first, second, 0.0)
            won = calibrated_pairs(self.system, self.state, sides, won)
            return np.stack([won, 1.0 - won], axis=1), True
        family, location, scale = public_performances(self.system, self.state, sides, self.at)
        location, scale = location.reshape(-1, k), scale.reshape(-1, k)
        alike = family == "gumbel" and np.all(scale == scale[0, 0]) and scale[0, 0] > 0.0
        if alike and has_exact_places(self.system):
            return self.compute(rows), True
        wide = np.maximum(scale.mean(axis=1, keepdims=True), 1e-9)
        width = wide if family == "gumbel" else wide * (math.sqrt(6.0) / math.pi)  # of the same variance
        power = np.exp((location - location.max(axis=1, keepdims=True)) / width)
        return power / power.sum(axis=1, keepdims=True), False

    def compute(self, rows: Longs) -> Floats:
        """The chance of each side to come first, a row for each way."""
        sides, k = self.sides(rows), self.mode.sides
        fields = np.arange(0, len(sides.sizes) + 1, k)
        return public_winning_chances(self.system, self.state, sides, self.at, fields).reshape(-1, k)

    def gap(self, chance: Floats, wish: Floats) -> Floats:
        """How far the chance of their side is from what players want, on average over each way."""
        gap: Floats = np.abs(chance[..., self.side_of] - wish).mean(axis=-1)
        return gap
