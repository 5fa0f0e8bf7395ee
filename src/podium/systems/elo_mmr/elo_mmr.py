"""Elo-MMR: a rating is a robust average of past performances, for contests of any size.

Ebtekar and Liu, "Elo-MMR: a rating system for massive multiplayer competitions", WWW 2021. A contest's
standings give everybody a performance, exactly, over all opponents; a rating is the mode of a belief made of
a normal factor and one logistic factor a performance, so that a fluke counts little until later results
confirm it. Nobody can gain by losing on purpose (Theorem 5.5). The compiled parts are
`logistic_performances`, `beliefs` and `contest_kernels`.

>>> from podium import EloMMR, Ladder
>>> ladder = Ladder(EloMMR())
>>> changes = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3, "dan": 4, "eve": 5})
>>> [(change.player, round(change.mu, 1)) for change in changes]
[('ann', 1799.5), ('bob', 1629.4), ('cat', 1500.0), ('dan', 1370.6), ('eve', 1200.5)]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from podium.arrays import EventColumns, Floats
from podium.errors import UnsupportedError
from podium.parameters import parameter
from podium.systems.contract.explained_ratings import PERFORMANCES, SINGLE_DAYS, SURE
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import State
from podium.systems.contract.system import RatedAlone
from podium.systems.elo_mmr.any_distribution import rate_contests_with, rating_limits_with
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER
from podium.systems.elo_mmr.contest_kernels import EloMMRRules
from podium.systems.elo_mmr.contest_system import TwoNumberSystem
from podium.systems.elo_mmr.contest_walks import LogisticContestWalk
from podium.systems.elo_mmr.logistic_performances import HALF_TIES, WHOLE_TIES
from podium.systems.elo_mmr.performance_distributions import (
    DISTRIBUTIONS,
    PerformanceDistribution,
    pulls,
    win_probability,
)
from podium.systems.elo_mmr.remembering_system import RememberingSystem


@dataclass(frozen=True, kw_only=True)
class EloMMR(TwoNumberSystem, RememberingSystem):
    """Elo-MMR(ρ), with logistic or other log-concave performances.

    >>> import podium
    >>> ladder = podium.Ladder(podium.EloMMR(sigma=300))
    >>> _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    >>> [round(ladder.rating(name).mu) for name in ("ann", "bob", "cat")]
    [1673, 1500, 1327]
    """

    name: ClassVar[str] = "elo-mmr"
    summary: ClassVar[str] = "contests of any size: robust, explainable, and no player gains by losing"
    explained: ClassVar[str] = f"""
        {PERFORMANCES} No player gains by finishing worse.

        {SURE}
    """
    scale_in_deviations: ClassVar[float] = math.sqrt(3.0) / math.pi

    rho: float = parameter(
        1.0,
        "how soon single performances merge into one average: 0 never, inf at once",
        high=math.inf,
        search=(0.0, 4.0),
    )

    performance: str = parameter(
        "logistic",
        "distribution of performances: logistic, gumbel-min (bad days are more extreme than good ones), "
        "hyperbolic-secant (slow in large contests), or one you register",
    )

    @property
    def explained_choices(self) -> str:
        """What a very good or bad day does, which the distribution decides."""
        return SINGLE_DAYS.get(self.performance, "")

    def __post_init__(self) -> None:
        super().__post_init__()
        DISTRIBUTIONS.find(self.performance)

    @property
    def distribution(self) -> PerformanceDistribution | None:
        """The distribution of performances; None for the logistic one, which is compiled."""
        return DISTRIBUTIONS.find(self.performance)

    def skill_walk(self) -> LogisticContestWalk:
        """As in the base class. It is refused unless performances are logistic."""
        if self.distribution is not None:
            raise UnsupportedError(
                f"elo-mmr with performance={self.performance} cannot be smoothed",
                hint="performance=logistic can, and elo-mmx has normal performances",
            )
        return super().skill_walk()

    @property
    def rewritten_terms(self) -> tuple[str, ...]:
        """Weights, which drift makes smaller."""
        return ("w",)

    def rules(self) -> EloMMRRules:
        """The parameters in the form kernels use."""
        return EloMMRRules(
            rho=self.rho,
            way=DRIFT_TRANSFER,
            pull=math.pi**2 / 6.0,
            scale=self.scale_in_deviations,
            tau=2.0 * self.scale_in_deviations,
            ties=WHOLE_TIES if self.ties == "whole" else HALF_TIES,
        )

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order, in place, and fill the trace."""
        if self.distribution is None:
            super().rate_events(state, events, trace)
            return
        self.reserve(state, events)
        given = (self.columns(state), self.drift_and_newcomers(state), self.rho)
        rate_contests_with(self.distribution, events, *given, self.ties == "half", trace)

    def rated_alone(self, state: State, event: EventColumns) -> RatedAlone | None:
        """As in the base class, if performances are logistic."""
        return super().rated_alone(state, event) if self.distribution is None else None

    def chance(self, difference: Floats, deviation_a: Floats, deviation_b: Floats) -> Floats:
        """As in the base class, as modelled in phase one."""
        if self.distribution is None:
            return super().chance(difference, deviation_a, deviation_b)
        return win_probability(self.distribution, difference, deviation_a, deviation_b)

    def near_win_probability(
        self, mu_a: Floats, sigma_a: Floats | None, mu_b: Floats, sigma_b: Floats | None
    ) -> Floats:
        """The same within 1e-6, if performances are logistic."""
        if self.distribution is None:
            return super().near_win_probability(mu_a, sigma_a, mu_b, sigma_b)
        return self.win_probability(mu_a, sigma_a, mu_b, sigma_b)

    @property
    def exact_places(self) -> bool:
        """Free-for-alls are predicted with logistic performances, whatever the distribution is."""
        return self.distribution is None

    def pulls(self, mu: float | Floats, p: Floats, w: Floats, tau: Floats) -> Floats:
        """The term of L' from each remembered factor."""
        if self.distribution is None:
            return super().pulls(mu, p, w, tau)
        return pulls(self.distribution, mu, p, w, tau)

    def at_rest(self, p: Floats, tau: Floats) -> Floats:
        """The rating at which each remembered performance is the most likely."""
        return p if self.distribution is None else p - self.distribution.mode * tau

    def limits_of(self, state: State, player: int, days: float) -> tuple[float, float, tuple[float, float]]:
        """Δ₊, Δ₋ and their bounds. Theorem 5.7 holds for logistic performances only."""
        if self.distribution is None:
            return super().limits_of(state, player, days)
        given = (self.columns(state), self.drift_and_newcomers(state), self.rho)
        rise, fall = rating_limits_with(self.distribution, player, days, *given)
        return rise, fall, (0.0, math.inf)
