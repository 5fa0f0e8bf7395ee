"""Public ratings by what experts believe, and the beliefs by which they are a rating that was asked for.

A rating that is set, an anchor and a reset ask for a public rating. If each expert took the same number, in
its own points, the mixture of their predictions would be another one: weights, calibrations and contest
scores shrink or stretch what experts say. The player would jump there with the next event. So experts take
the number that makes the public rating the one that was asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.history.adjustments import LARGEST_RATING
from podium.systems.auto.contest_ratings import CONTESTS, Shown, certain_of, public_rating
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.mixture_columns import Learned
from podium.systems.auto.public_ratings import rate_publicly
from podium.systems.auto.reference_meetings import odds_against_reference
from podium.systems.contract.calibration_kernels import EXPERIENCED_EVENTS
from podium.systems.contract.state import State

Experts = tuple[Expert, ...]

REACHES = (1.0, 2.0, 4.0, 8.0)
"""How far experts may move to mend an error of 1 point, tried in this order."""
STEPS = 60
"""Steps towards the answer at most; about seven are needed."""
NEAR = 1e-7
"""Points of a public rating that do not matter."""


def learned_of(state: State) -> Learned:
    """The shared arrays that kernels of the mixture take."""
    return Learned(*(state.shared[name] for name in Learned._fields))


class Believed(NamedTuple):
    """What experts believe of some players, and what else their public ratings follow from."""

    mu: Floats
    """A row for each expert, a column for each player, as in `sigma`."""
    sigma: Floats
    """Not a number where an expert has no deviations."""
    events: Ints
    pause: Floats
    many: Bools
    """Whether the rating is a contest score."""

    @classmethod
    def of(cls, experts: Experts, state: State, players: Longs, at: int) -> Believed:
        """What the experts believe of players at a time."""
        mu, sigma = np.empty((2, len(experts), len(players)))
        for number, (expert, part) in enumerate(zip(experts, state.parts, strict=True)):
            mu[number], sigmas = expert.system.view(part, players, at)
            sigma[number] = np.nan if sigmas is None else sigmas
        return cls(mu, sigma, state["events"][players], state["pause"][players], state["many"][players])

    @classmethod
    def of_newcomers(cls, experts: Experts, state: State) -> Believed:
        """What the experts believe of a newcomer: one player."""
        mu, sigma = np.empty((2, len(experts), 1))
        for number, (expert, part) in enumerate(zip(experts, state.parts, strict=True)):
            mu[number], sigmas = expert.system.start(part)
            sigma[number] = np.nan if sigmas is None else sigmas
        return cls(mu, sigma, np.zeros(1, np.int32), np.zeros(1), state.shared["latest_many"])

    def of_rows(self, rows: Bools) -> Believed:
        """The same of some of the players."""
        return Believed(
            self.mu[:, rows], self.sigma[:, rows], self.events[rows], self.pause[rows], self.many[rows]
        )

    def moved(self, experts: Experts, points: Floats) -> Believed:
        """The same with ratings moved by so many public points, in each expert's own."""
        own = np.array([expert.reference.points for expert in experts])[:, None]
        return self._replace(mu=np.clip(self.mu + points / own, -LARGEST_RATING, LARGEST_RATING))

    def deviations(self, number: int, expert: Expert) -> Floats | None:
        """An expert's deviations; None if it has none."""
        return self.sigma[number] if expert.system.has_sigma else None


def mixed(experts: Experts, state: State, believed: Believed) -> tuple[Floats, Floats]:
    """The public ratings by the mixture of what experts believe, and their deviations."""
    logit, deviation = np.empty_like(believed.mu), np.empty_like(believed.mu)
    for number, expert in enumerate(experts):
        belief = believed.mu[number], believed.deviations(number, expert)
        logit[number], deviation[number] = odds_against_reference(expert, *belief)
    terms = np.ascontiguousarray(state.shared["calibrations"][:, 0])
    lack = 1.0 / (1.0 + believed.events / EXPERIENCED_EVENTS)
    mu, sigma = np.empty(len(lack)), np.empty(len(lack))
    rate_publicly(learned_of(state), terms, lack, logit, deviation, mu, sigma)
    return mu, sigma


def by_scores(experts: Experts, state: State, believed: Believed) -> Floats:
    """The ratings by contest scores, as if the players had just played."""
    players = len(believed.events)
    shown = Shown.room(len(experts), players)
    for number, expert in enumerate(experts):
        shown.tell(number, expert, believed.mu[number], believed.deviations(number, expert))
    inputs = shown.inputs(certain_of(experts), believed.events, np.zeros(players), believed.pause)
    return public_rating(inputs @ state.shared[CONTESTS][0])


def public_ratings(experts: Experts, state: State, believed: Believed) -> Floats:
    """The ratings by contest scores of players whose rating is one, and by the mixture of the others."""
    found, many = np.empty(len(believed.events)), believed.many
    if many.any():
        found[many] = by_scores(experts, state, believed.of_rows(many))
    if not many.all():
        found[~many], _ = mixed(experts, state, believed.of_rows(~many))
    return found


def points_to_move(experts: Experts, state: State, believed: Believed, asked: Floats) -> Floats:
    """How many public points each player moves, for all experts, so that the public rating is the one asked.

    0 where there is no such number, as where the mixture learned to trust the contrary of what experts say.
    """
    error = public_ratings(experts, state, believed) - asked
    low, high, moved = np.zeros(len(error)), np.zeros(len(error)), np.zeros(len(error))
    low_error, high_error = error.copy(), error.copy()
    found = np.zeros(len(error), np.bool_)
    for reach in REACHES:
        rows = ~found & (np.abs(error) > NEAR)
        if not rows.any():
            break
        low[rows], low_error[rows] = high[rows], high_error[rows]
        high[rows] = -reach * error[rows]
        high_error[rows] = _errors(experts, state, believed, asked, high, rows)
        found[rows] = np.sign(high_error[rows]) != np.sign(error[rows])
    latest = np.where(found, high, 0.0)
    for _ in range(STEPS):  # of false position, halving the weight of an end that stays, as in Illinois
        rows = found & (np.abs(high_error) > NEAR) & (np.abs(high - low) > NEAR)
        if not rows.any():
            break
        moved[rows] = high[rows] - high_error[rows] * (high[rows] - low[rows]) / (
            high_error[rows] - low_error[rows]
        )
        new_error = _errors(experts, state, believed, asked, moved, rows)
        crossed = np.sign(new_error) != np.sign(high_error[rows])
        low[rows] = np.where(crossed, high[rows], low[rows])
        low_error[rows] = np.where(crossed, high_error[rows], 0.5 * low_error[rows])
        high[rows], high_error[rows] = moved[rows], new_error
        latest[rows] = moved[rows]
    return latest


def _errors(
    experts: Experts, state: State, believed: Believed, asked: Floats, moved: Floats, rows: Bools
) -> Floats:
    """By how much the public ratings of some players miss those asked for, after a move."""
    there = believed.of_rows(rows).moved(experts, moved[rows])
    return public_ratings(experts, state, there) - asked[rows]
