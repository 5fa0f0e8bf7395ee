"""Whom an expert is asked about: consecutive events that the same experts can use, and the reference player.

Chances are those of the sides of matches, and of players who meet the reference player.

All chances of an expert are asked for in one call, as a call costs more than a chance. The reference player
is met both ways round, as the difference of a chance from 1 is too coarse for players who are far away.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_FLOATS, NO_LONGS, Bools, EventColumns, Floats, Longs
from podium.numerics.jit import kernel
from podium.systems.auto.expert_lists import Expert, Reference
from podium.systems.auto.mixing_kernels import find_fresh
from podium.systems.auto.mixture_columns import Met, Said
from podium.systems.contract.calibration import side_means
from podium.systems.contract.calibration_kernels import fill_inexperience
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import Belief, EventSides, SideResults, side_results
from podium.systems.contract.sides import Opponent
from podium.systems.contract.state import State


class Piece(NamedTuple):
    """Consecutive events that the same experts can use."""

    events: EventColumns
    met: EventSides
    matches: Bools
    """Whether each event has two sides."""
    only_matches: bool
    lacking: Floats
    """The inexperience of each side: 1/(1 + n/5)."""
    scored: SideResults
    """What each side scored, and how many tied."""
    fresh_rows: Longs
    """The rows whose player was unknown before the event."""
    fresh: Longs
    """For each row, its number among these; −1 for others."""
    by_mixture: Longs
    """The rows whose player the mixture rates: those of matches. Contests rate by scores."""
    starting: Longs
    """The fresh rows whose player started where the mixture says, as the latest event was a match."""

    @classmethod
    def of(cls, state: State, events: EventColumns, met: EventSides) -> Piece:
        """The piece of these events."""
        rows = len(events.player)
        lacking, fresh = np.empty(rows), np.empty(rows, np.int64)
        fill_inexperience(events.player, events.held, state["events"], lacking)
        found = find_fresh(events, state["unknown"], fresh)
        if not met.rows_are_sides:
            lacking = side_means(lacking[met.sides.players], met.sides)
        matches, scored = met.counts == 2, side_results(events, met)
        fresh_rows = np.flatnonzero(fresh >= 0) if found else NO_LONGS
        only_matches, latest_many = bool(matches.all()), bool(state.shared["latest_many"][0])
        by_mixture, starting = np.arange(rows), fresh_rows
        if not only_matches or latest_many:
            event = np.repeat(np.arange(len(matches)), np.diff(events.offsets))
            by_mixture = np.flatnonzero(matches[event])
            after_match = _after_match(latest_many, matches, events)
            starting = fresh_rows[after_match[event[fresh_rows]]]
        return cls(
            events, met, matches, only_matches, lacking, scored, fresh_rows, fresh, by_mixture, starting
        )

    def results(self) -> Met:
        """What the mixture learns from."""
        return Met(self.met.offsets, *self.scored)


def _after_match(latest_many: bool, matches: Bools, events: EventColumns) -> Bools:
    """For each event, whether the latest rated event before it had two sides, or there was none."""
    numbers = np.arange(len(matches))
    if len(events.held):
        numbers = np.where(np.logical_or.reduceat(~events.held, events.offsets[:-1]), numbers, -1)
    latest = np.maximum.accumulate(np.concatenate(([-1], numbers[:-1])))
    after: Bools = np.where(latest < 0, not latest_many, matches[latest])
    return after


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
    return odds_against_reference(expert, *expert.system.view(part, players, at))


def odds_against_reference(expert: Expert, mu: Floats, sigma: Floats | None) -> tuple[Floats, Floats]:
    """The same of players of whom the expert believes this."""
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
