"""Made-up players whose true skill is known, so that one can see what a rating system makes of them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.history import History
from podium.numerics.normal import normal_quantile
from podium.simulation import Contests, People, simulate_contests


class Population(NamedTuple):
    """A history, and the true skill behind each of its rows."""

    history: History
    skill: Floats
    """Each row's true skill at its event."""


def synthetic_contests(
    players: int = 10_000,
    contests: int = 50,
    participants: int = 2_500,
    *,
    skill_deviation: float = 350.0,
    performance_deviation: float = 200.0,
    drift: float = 35.0,
    mean: float = 1500.0,
    seed: int = 0,
) -> Population:
    """The synthetic set of the Elo-MMR paper, section 6.1: Gaussian skills, drift and performances.

    Skills are drawn around `mean`; each contest, one a week, is ranked by independent performances around the
    skills of its participants; between two contests the skill of everybody drifts. The paper contradicts
    itself: its text lets all 10,000 play in all rounds (``participants=10_000``), its Table 1 counts 2,500 in
    each, which is the default here, drawn anew for each contest. Rows stand in the order drawn, which says
    nothing about the result. The same seed gives the same contests.

    >>> history, skill = synthetic_contests(players=100, contests=3, participants=20, seed=7)
    >>> print(history.summary())
    3 events, 47 players, 60 rows (20.0 an event, at most 20), 0.0% tied, 2020-01-06 to 2020-01-20
    """
    people = People(players=players, skill_mean=mean, skill_deviation=skill_deviation, drift=drift)
    season = Contests(
        contests=contests, participants=participants, performance_deviation=performance_deviation
    )
    simulation = simulate_contests(people, season, seed=seed)
    return Population(simulation.history(), simulation.truth["skill"])


def gaussian_skills(
    players: int = 1_000,
    *,
    mean: float = 1500.0,
    deviation: float = 600.0,
    reach: float = 1500.0,
    even: bool = False,
    seed: int = 0,
) -> Floats:
    """True ratings of a population as in Yuksel (2024), section 5.3: normal, none beyond `mean` ± `reach`.

    The paper says "in the range of 0 to 3000 (with a mean of 1500 and a standard deviation of 600)" and not
    how they were drawn. Here numbers of that normal distribution are drawn anew until they lie in the range;
    with `even` they are not drawn but its quantiles, in rising order. All are then shifted to have the mean
    exactly: ratings that start at the mean and move by zero-sum updates could never learn of a shift. The
    range leaves a deviation of about 573.

    >>> skill = gaussian_skills(10_000, even=True)
    >>> print(f"{skill.mean():.1f} ± {skill.std():.1f}, from {skill[0]:.0f} to {skill[-1]:.0f}")
    1500.0 ± 572.8, from 2 to 2998
    """
    if players < 1 or not 0.0 < deviation < np.inf or not 0.0 < reach < np.inf or not np.isfinite(mean):
        raise ParameterError(
            f"{players} players of {mean} ± {deviation} within {reach}",
            hint="at least one player, and points that are finite",
        )
    if even:
        beyond = 0.5 * math.erfc(reach / deviation / math.sqrt(2.0))
        below = beyond + (1.0 - 2.0 * beyond) * (np.arange(players) + 0.5) / players
        skill = deviation * np.fromiter(map(normal_quantile, below), np.float64, players)
    else:
        chance = np.random.default_rng(seed)
        skill = np.zeros(0)
        while len(skill) < players:
            drawn = deviation * chance.standard_normal(players)
            skill = np.concatenate((skill, drawn[np.abs(drawn) <= reach]))
    skill = skill[:players]
    centred: Floats = mean + (skill - skill.mean())
    return centred
