"""Whom an expert is asked about: the sides of matches, and players who meet the reference player.

All chances of an expert are asked for in one call, as a call costs more than a chance. The reference player
is met both ways round, as the difference of a chance from 1 is too coarse for players who are far away.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_FLOATS, Floats, Longs
from podium.numerics.jit import kernel
from podium.systems.auto.event_pieces import Piece
from podium.systems.auto.expert_lists import Expert, Reference
from podium.systems.auto.mixture_columns import Said
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import Belief
from podium.systems.contract.sides import Opponent
from podium.systems.contract.state import State

LEAST_CHANCE = 1e-300


class Meetings(NamedTuple):
    """Who meets whom, the same for all experts: sides of matches, then players and the reference player."""

    events: Longs
    """The matches."""
    first: Longs
    """The number of each match's first side; the second one follows it."""
    rated: Longs
    """Rows whose player meets the reference player as after the event."""
    starting: Longs
    """Rows whose player meets it as before the event."""
    home: Floats
    sizes: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
    """Members of the ones and of the others, and members whose noise counts."""

    @classmethod
    def of(cls, piece: Piece, *, matches: bool) -> Meetings:
        """The meetings of a piece, with its matches or without."""
        met, players = piece.met, len(piece.by_mixture) + len(piece.starting)
        events = np.flatnonzero(piece.matches) if matches else piece.starting[:0]
        first = met.offsets[events]
        home = np.zeros(len(events) + 2 * players)
        home[: len(events)] = met.home[events]
        sizes: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike] = 1, 1, 1.0, 1.0
        if not met.sides.single:
            alone, noise = np.ones(2 * players), met.sides.noise
            one, other = (np.concatenate([met.sides.sizes[side], alone]) for side in (first, first + 1))
            ours, theirs = (np.concatenate([noise[side], alone]) for side in (first, first + 1))
            sizes = one, other, ours, theirs
        return cls(events, first, piece.by_mixture, piece.starting, home, sizes)

    def chances(self, expert: Expert, belief: Belief, trace: Trace) -> Floats:
        """What an expert says of all meetings, given what it believes of sides, and of rows."""
        reference, n = expert.reference, len(self.home)
        if n == 0:
            return NO_FLOATS
        certain = n if expert.system.has_sigma else 0
        one_mu, other_mu, one_sigma, other_sigma = (np.empty(size) for size in (n, n, certain, certain))
        mu, sigma = belief
        _line_up(
            *self[1:4],
            mu,
            NO_FLOATS if sigma is None else sigma,
            trace.mu,
            trace.sigma,
            trace.mu_before,
            trace.sigma_before,
            reference.mu,
            0.0 if reference.sigma is None else reference.sigma,
            one_mu,
            one_sigma,
            other_mu,
            other_sigma,
        )
        return expert.system.expected_between(
            Opponent(one_mu, one_sigma if certain else None, self.sizes[0], self.sizes[2]),
            Opponent(other_mu, other_sigma if certain else None, self.sizes[1], self.sizes[3]),
            self.home,
        )

    def tell(
        self, number: int, expert: Expert, piece: Piece, trace: Trace, chance: Floats, said: Said
    ) -> None:
        """Fill what an expert says of matches, and of players who meet the reference player."""
        _tell(
            *self[1:4],
            piece.fresh,
            chance,
            trace.sigma,
            trace.sigma_before,
            expert.reference.points,
            said.raw[number],
            said.after[number],
            said.before[number],
            said.deviation[number],
            said.deviation_before[number],
        )


@kernel
def _line_up(
    first: Longs,
    rated: Longs,
    starting: Longs,
    side_mu: Floats,
    side_sigma: Floats,
    mu: Floats,
    sigma: Floats,
    mu_before: Floats,
    sigma_before: Floats,
    reference_mu: float,
    reference_sigma: float,
    one_mu: Floats,
    one_sigma: Floats,
    other_mu: Floats,
    other_sigma: Floats,
) -> None:
    """Fill the ones and the others of all meetings; without deviations, those arrays have length 0."""
    matches, players, certain = len(first), len(rated) + len(starting), len(one_sigma) > 0
    for m in range(matches):
        a = first[m]
        one_mu[m], other_mu[m] = side_mu[a], side_mu[a + 1]
        if certain:
            one_sigma[m], other_sigma[m] = side_sigma[a], side_sigma[a + 1]
    for i in range(players):
        after = i < len(rated)
        r = rated[i] if after else starting[i - len(rated)]
        there, back = matches + i, matches + players + i
        one_mu[there] = other_mu[back] = mu[r] if after else mu_before[r]
        one_mu[back] = other_mu[there] = reference_mu
        if certain:
            one_sigma[there] = other_sigma[back] = sigma[r] if after else sigma_before[r]
            one_sigma[back] = other_sigma[there] = reference_sigma


@kernel
def _tell(
    first: Longs,
    rated: Longs,
    starting: Longs,
    fresh: Longs,
    chance: Floats,
    sigma: Floats,
    sigma_before: Floats,
    points: float,
    raw: Floats,
    after: Floats,
    before: Floats,
    deviation: Floats,
    deviation_before: Floats,
) -> None:
    """Fill the chances of sides, log odds against the reference player and deviations in public points."""
    matches, players, certain = len(first), len(rated) + len(starting), len(sigma) > 0
    for m in range(matches):
        raw[first[m]], raw[first[m] + 1] = chance[m], 1.0 - chance[m]
    for i in range(players):
        there, back = chance[matches + i], chance[matches + players + i]
        odds = math.log(max(there, LEAST_CHANCE)) - math.log(max(back, LEAST_CHANCE))
        if i < len(rated):
            after[rated[i]] = odds
        else:
            before[fresh[starting[i - len(rated)]]] = odds
    for r in range(len(deviation)):
        deviation[r] = points * sigma[r] if certain else -1.0
        if fresh[r] >= 0:
            deviation_before[fresh[r]] = points * sigma_before[r] if certain else -1.0


def against_reference(expert: Expert, part: State, players: Longs, at: int) -> tuple[Floats, Floats]:
    """The log odds of players against the reference player, and their deviations in public points."""
    mu, sigma = expert.system.view(part, players, at)
    chance = expert.system.expected_between(*_both_ways(expert.reference, mu, sigma), 0.0)
    log_chance = np.log(np.maximum(chance, LEAST_CHANCE))
    deviation = np.full(len(mu), -1.0) if sigma is None else sigma * expert.reference.points
    return log_chance[: len(mu)] - log_chance[len(mu) :], deviation


def _both_ways(reference: Reference, mu: Floats, sigma: Floats | None) -> tuple[Opponent, Opponent]:
    """Players against the reference player, and then the reference player against them."""
    theirs = np.full(len(mu), reference.mu)
    if sigma is None or reference.sigma is None:
        return Opponent(np.concatenate([mu, theirs]), None), Opponent(np.concatenate([theirs, mu]), None)
    certain = np.full(len(mu), reference.sigma)
    return (
        Opponent(np.concatenate([mu, theirs]), np.concatenate([sigma, certain])),
        Opponent(np.concatenate([theirs, mu]), np.concatenate([certain, sigma])),
    )
