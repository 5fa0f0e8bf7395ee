"""Glicko, Elo that knows how sure it is, and Glicko-2, which also learns how erratic a player is.

Mark Glickman, "Parameter estimation in large dynamic paired comparison experiments", Applied Statistics 48
(1999). A player is a normal belief: a mean and a deviation. Results count more against opponents whose rating
is certain, and move those most whose rating is not; away from the game, certainty fades.

Mark Glickman, "Example of the Glicko-2 system" (2012). Beside mean and deviation every player has a
volatility: how much the deviation grows from one rating period to the next. Steady results lower it, streaks
that the rating did not foresee raise it.

The compiled walk through rating periods is in `podium.systems.glicko.rating_periods`.

>>> from podium import Glicko, Glicko2, Ladder
>>> for system in (Glicko(), Glicko2()):
...     [round(change.mu) for change in Ladder(system).record_match("ann", "bob")]
[1662, 1338]
[1662, 1338]
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_FLOATS, NO_TIME, EventColumns, Floats, Ints
from podium.errors import ParameterError, UnsupportedError
from podium.numerics.event_sides import NO_PERIOD, are_duels, period_of
from podium.numerics.win_chances import LN10, LOGISTIC, expected_scores, performance_scale
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import COUNT, NOT_NEGATIVE, PERIOD, POSITIVE, Range
from podium.systems.contract.duel_system import PairwiseSystem
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.newcomer_system import UncertainSystem
from podium.systems.contract.opponent_ratings import logistic_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.skill_walks import SkillWalk
from podium.systems.contract.state import Row, State
from podium.systems.glicko.evidence import PAIR_COUNTING, GlickoBeliefs, GlickoRules, widened_scale
from podium.systems.glicko.rating_periods import rate_duels, rate_periods, view_beliefs


@dataclass(frozen=True, kw_only=True)
class DeviationSystem(UncertainSystem, PairwiseSystem):
    """A pairwise system with a normal belief about each player."""

    supports: ClassVar[Capabilities] = Capabilities(
        many=True, teams=True, ties=True, shares=True, weights=True, time=True, home=True
    )

    shown: ClassVar[frozenset[str]] = UncertainSystem.shown | PairwiseSystem.shown
    ranges: ClassVar[Mapping[str, Range]] = {
        **PairwiseSystem.ranges,
        "variance": POSITIVE,
        "volatility": POSITIVE,
        "information": NOT_NEGATIVE,
        "in_period": COUNT,
        "period": PERIOD,
    }

    sigma: float = parameter(
        350.0, "deviation of a newcomer, in points", low=1e-3, high=1e6, search=(50.0, 800.0)
    )
    sigma_max: float = parameter(
        350.0, "largest deviation of a player who was away, in points", low=1e-3, high=1e6
    )
    sigma_min: float = parameter(0.0, "smallest deviation after an event, in points", high=1e6)
    pairs: Literal["mean", "sum", "one-match"] = parameter(
        "mean",
        "an event of many sides counts as one match against the average opponent (mean), or as a match "
        "against each (sum). one-match: a single match, as in the Elo-MMR experiments",
    )
    periods_per_day: float | None = parameter(
        None,
        "with period=event: number of rating periods per day away. none: the system's usual pace",
        high=1e6,
        search=(0.001, 2.0),
        needs="time",
    )
    event_period: Literal["counted", "skipped"] = parameter(
        "counted",
        "with period=event: counted makes deviations grow at every event too. skipped makes them grow "
        "only with the time between events, as on lichess",
    )

    adaptive: ClassVar[bool]
    """Whether players have volatilities, as in Glicko-2."""
    usual_periods_per_day: ClassVar[float]
    """A pace that predicted well on earlier tennis, football and Smash results."""

    @property
    def most_volatile(self) -> float:
        """The largest volatility of a player; Glicko has none."""
        return np.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period != "event" and self.periods_per_day:
            raise ParameterError(
                f"{self.name}: periods_per_day is for period=event, and period is {self.period}",
                hint="leave one of them out",
            )
        if self.period != "event" and self.event_period == "skipped":
            raise ParameterError(
                f"{self.name}: event_period=skipped is for period=event, and period is {self.period}",
                hint="leave one of them out",
            )

    @abstractmethod
    def rules(self) -> GlickoRules:
        """The parameters in the form kernels use."""

    def newcomer(self) -> dict[str, Row]:
        """The belief at the start of the player's rating period, and the evidence collected in it."""
        return {
            "mu": np.float64(self.mu),
            "variance": np.float64(self.sigma**2),
            "information": np.float64(0.0),
            "surprise": np.float64(0.0),
            "in_period": np.int32(0),
            "period": np.int64(NO_PERIOD),
            **self.unknown_column(),
        }

    def _beliefs(self, state: State) -> GlickoBeliefs:
        return GlickoBeliefs(
            mu=state["mu"],
            variance=state["variance"],
            volatility=state.columns.get("volatility", NO_FLOATS),
            information=state["information"],
            surprise=state["surprise"],
            in_period=state["in_period"],
            period=state["period"],
            events=state["events"],
            last_time=state["last_time"],
        )

    def _rules(self, growth: float, tau: float) -> GlickoRules:
        return GlickoRules(
            q=LN10 / self.scale,
            adaptive=self.adaptive,
            growth=growth,
            limit=self.sigma_max**2,
            least=self.sigma_min**2,
            most_volatile=self.most_volatile,
            plays=float(self.event_period == "counted"),
            tau=tau,
            periods_per_day=self.usual_periods_per_day
            if self.periods_per_day is None
            else self.periods_per_day,
            length=self.period_length,
            home_advantage=self.home_advantage,
            newcomer=self.mu,
            mean_of_team=self.team == "mean",
            pairs=PAIR_COUNTING[self.pairs],
        )

    def rate_pairs(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place. Matches of two have a faster kernel."""
        duels = self.period == "event" and self.pairs != "one-match" and are_duels(events, False)
        (rate_duels if duels else rate_periods)(
            events,
            self._beliefs(state),
            self.newcomers(state),
            self.rules(),
            trace.mu_before,
            trace.sigma_before,
            trace.mu,
            trace.sigma,
        )

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """The belief including the evidence of an open period, widened by absence up to the time `at`.

        Where each event is a rating period, the coming event's own growth is not in it. So on the day of the
        last event the deviation is the present one.
        """
        chosen = np.arange(state.size)[players] if isinstance(players, slice) else players
        mu, sigma = np.empty(len(chosen)), np.empty(len(chosen))
        view_beliefs(self._beliefs(state), self.rules(), chosen, at, mu, sigma)
        return self.placed(state, chosen, mu, at, self.period_length), sigma

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The logistic curve, widened by both deviations."""
        if sigma_a is None or sigma_b is None:
            raise ParameterError(f"{self.name} needs the deviations of both sides")
        difference = np.subtract(mu_a, mu_b) + self.home_advantage * np.asarray(home)
        return expected_scores(LOGISTIC, difference, self._prediction_scale(sigma_a, sigma_b))

    def _prediction_scale(self, sigma_a: ArrayLike, sigma_b: ArrayLike) -> Floats:
        """The points that mean odds of ten to one between players with these deviations."""
        return self.temperature * widened_scale(sigma_a, sigma_b, self.scale)

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of the logistic curve that both deviations widen."""
        if sigma is None or opponent_sigma is None:
            raise ParameterError(f"{self.name} needs the deviations of both sides")
        return logistic_gap(probability, self._prediction_scale(sigma, opponent_sigma))

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set beliefs. Without `sigma` the deviations stay."""
        if sigma is None:
            sigma = self.view(state, players, NO_TIME)[1]
        self.mark_set(state, players)
        state["mu"][players] = mu
        state["variance"][players] = np.square(sigma)
        state["information"][players] = 0.0
        state["surprise"][players] = 0.0
        state["in_period"][players] = 0

    def start_absence(self, state: State, player: int, time: int) -> None:
        """As in the base class. The rating period of that time is the player's last one."""
        super().start_absence(state, player, time)
        if self.period_length > 0:
            state["period"][player] = period_of(time, self.period_length)

    @property
    def rank_raises_display(self) -> bool:
        """Deviations do not depend on results, except through Glicko-2's volatilities."""
        return not self.adaptive or self.display_k == 0.0

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Performances are Gumbel distributed, widened by the deviation."""
        deviation = np.zeros(len(noise)) if sigma is None else sigma
        return "gumbel", self.temperature * performance_scale(deviation, self.scale)


@dataclass(frozen=True, kw_only=True)
class PeriodWalk(SkillWalk):
    """A walk with a step at each event but the first, which opens a rating period each."""

    def spreads(self, events: EventColumns, experience: Ints) -> tuple[Floats, Floats]:
        """As in the base class."""
        return np.zeros(len(experience)), np.where(experience > 0, self.drift_per_event, 0.0)


@dataclass(frozen=True, kw_only=True)
class Glicko(DeviationSystem):
    """Glicko over single events or rating periods, with teams and events of many sides.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Glicko())
    >>> _ = ladder.record_match("ann", "bob")
    >>> round(ladder.rating("ann").mu), round(ladder.rating("ann").sigma)
    (1662, 290)
    """

    name: ClassVar[str] = "glicko"
    summary: ClassVar[str] = "a rating and its uncertainty: newcomers and returning players move faster"
    explained: ClassVar[str] = f"""
        The difference of two ratings gives the chance to win. The more surprising a result, the more it
        moves a rating. {SURE}

        After a long absence, a rating becomes less certain again, and then moves faster.
    """
    adaptive: ClassVar[bool] = False
    usual_periods_per_day: ClassVar[float] = 0.1

    c: float = parameter(
        10.0,
        "growth of the deviation per rating period, in points: √(σ² + c²)",
        high=1e6,
        search=(1.0, 200.0),
    )

    def rules(self) -> GlickoRules:
        """The parameters in the form kernels use."""
        return self._rules(growth=self.c**2, tau=0.0)

    def skill_walk(self) -> SkillWalk:
        """Skills drift by c² in each rating period. It is refused if a period can hold many events."""
        if self.period != "event":
            raise UnsupportedError(
                "glicko with rating periods cannot be smoothed", hint="smooth with period=event"
            )
        rules = self.rules()
        return PeriodWalk(
            drift_per_day=rules.growth * rules.periods_per_day,
            drift_per_event=rules.growth * rules.plays,
            highest_variance=self.sigma_max**2,
        )


@dataclass(frozen=True, kw_only=True)
class Glicko2(DeviationSystem):
    """Glicko-2 over single events or rating periods, with teams and events of many sides.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Glicko2(tau=0.3))
    >>> _ = ladder.record_match("ann", "bob")
    >>> round(ladder.rating("ann").mu), round(ladder.rating("ann").sigma)
    (1662, 290)
    """

    name: ClassVar[str] = "glicko2"
    summary: ClassVar[str] = (
        "Glicko with a volatility for each player: the usual choice for online games of two players"
    )
    explained: ClassVar[str] = f"""
        The difference of two ratings gives the chance to win. The more surprising a result, the more it
        moves a rating. {SURE}

        A third number, the volatility, is high if a player's results are erratic. After surprising results, a
        rating moves faster for a while.
    """
    adaptive: ClassVar[bool] = True
    has_volatility: ClassVar[bool] = True
    usual_periods_per_day: ClassVar[float] = 0.05

    volatility: float = parameter(
        0.06,
        "how much a newcomer's skill varies, in log-odds per rating period. A larger value follows "
        "changes faster",
        low=1e-6,
        high=10.0,
        search=(0.005, 0.3),
    )
    tau: float = parameter(
        0.5, "how fast volatilities change. 0 keeps them constant", high=10.0, search=(0.1, 1.5)
    )
    volatility_max: float | None = parameter(
        None, "largest volatility that an event leads to. none: no limit", low=1e-6, high=10.0
    )

    @property
    def most_volatile(self) -> float:
        """The largest volatility of a player."""
        return np.inf if self.volatility_max is None else self.volatility_max

    def newcomer(self) -> dict[str, Row]:
        """The columns of Glicko, and the volatility."""
        return {**super().newcomer(), "volatility": np.float64(self.volatility)}

    def rules(self) -> GlickoRules:
        """The parameters in the form kernels use."""
        return self._rules(growth=0.0, tau=self.tau)
