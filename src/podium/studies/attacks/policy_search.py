"""The best way to farm a long season, found by the cross-entropy method, and judged on seasons it never saw.

A policy is `Farming` with all its parameters free: when it begins and ends, above which rating it falls, and
how deep. Candidates are drawn from a normal distribution; the best of each generation, on the same made-up
seasons for all, say where the next one is drawn. What was best there was lucky there, too: so what it gains
is measured on other seasons, and only that counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.parameters import check_whole
from podium.studies.attacks.altered_histories import LAST_PLACE
from podium.studies.attacks.attack_run import AttackRun, attack_history, honest_curve
from podium.studies.attacks.patterns import ROUNDING_POINTS
from podium.studies.attacks.rating_walk import RatingCurve
from podium.studies.attacks.throwing import Farming
from podium.studies.attacks.worlds import Case, World
from podium.systems.contract.system import RatingSystem

ELITE_PART = 0.25
"""The part of a generation that the next one learns from."""
LEAST_WIDTH = 0.02
"""How narrow the search may become, as a part of each parameter's range."""


@dataclass(frozen=True, eq=False)
class PolicySearch:
    """The policy found, what it gained where it was found, and what it gains elsewhere."""

    system: RatingSystem
    policy: Farming | None
    """None where none that was tried is better than honest play on the seasons searched."""
    trained: float
    """Mean gain on the seasons it was chosen by, too good to be true; 0 of honest play."""
    tried: int
    """How many policies were."""
    seeds: range
    """Of the seasons it was chosen by."""
    held_out: range
    """Of those it is judged on."""
    runs: tuple[AttackRun, ...]
    """On seasons held out, one a seed; none of honest play."""

    @property
    def gains(self) -> Floats:
        """Points at the end, on seasons held out."""
        return np.array([run.gain for run in self.runs])


def search_policy(
    system: RatingSystem,
    world: World,
    *,
    events: int = 105,
    train: int = 4,
    test: int = 20,
    population: int = 20,
    generations: int = 5,
    seed: int = 0,
) -> PolicySearch:
    """Look for the farming policy that gains most on `train` seasons, and judge it on `test` others.

    Seasons have the seeds from `seed` on; those of the test come after those of the training.
    """
    for name, value in (("train", train), ("test", test), ("generations", generations)):
        check_whole(name, value, 1)
    check_whole("population", population, 4)
    check_whole("events", events, 10)
    seasons = [_Season.of(world.make(seed + number), system, events) for number in range(train)]
    unit = float(np.mean([season.scale for season in seasons]))
    if not np.isfinite(unit):
        raise ParameterError(f"{system.name}: ratings of an honest player are not finite")
    chance = np.random.default_rng(seed)
    centre, width = np.array([0.5, 0.2, 0.6, 0.9]), np.full(4, 0.35)
    best: Farming | None = None
    trained, tried = 0.0, 0
    for generation in range(generations):
        drawn = np.clip(centre + width * chance.standard_normal((population, 4)), 0.0, 1.0)
        if not generation:
            drawn[0] = centre
        policies = [_policy(one, events, unit) for one in drawn]
        gains = np.array([np.mean([season.gain(policy) for season in seasons]) for policy in policies])
        tried += population
        order = np.argsort(-gains, kind="stable")[: max(2, round(ELITE_PART * population))]
        if gains[order[0]] > max(trained, ROUNDING_POINTS):
            best, trained = policies[order[0]], float(gains[order[0]])
        centre, width = drawn[order].mean(axis=0), np.maximum(drawn[order].std(axis=0), LEAST_WIDTH)
    held_out = range(seed + train, seed + train + test)
    runs: tuple[AttackRun, ...] = ()
    if best is not None:
        runs = tuple(attack_history(*world.make(one), system, best) for one in held_out)
    return PolicySearch(system, best, trained, tried, range(seed, seed + train), held_out, runs)


def _policy(place: Floats, events: int, unit: float) -> Farming:
    """A policy from a place in the unit cube: beginning, end, threshold, depth."""
    begin, end, above, deep = place.tolist()
    honest = 1 + round(0.7 * begin * events)
    after = 1 + round(0.6 * end * (events - honest - 2))
    margin, depth = unit * (2.0 * above - 1.2), 0.3 + (LAST_PLACE - 0.3) * deep
    return Farming(honest, events - honest - after, after, margin=round(margin, 3), deep=round(depth, 3))


@dataclass(frozen=True, eq=False)
class _Season:
    """A season with its honest curve, which all policies are compared with."""

    case: Case
    system: RatingSystem
    honest: RatingCurve

    @classmethod
    def of(cls, case: Case, system: RatingSystem, events: int) -> _Season:
        """The season with its honest curve rated."""
        return cls(case, system, honest_curve(*case, system, events))

    @property
    def scale(self) -> float:
        """How far the rating moves in a season: what is a large margin for this system."""
        return float(np.ptp(self.honest.display))

    def gain(self, policy: Farming) -> float:
        """Points that a policy gains over honest play in this season."""
        return attack_history(*self.case, self.system, policy, honest=self.honest).gain
