"""What TrueSkill and Weng–Lin share as systems: a normal belief about everybody, teams that add up.

A player's performance in an event is normal around the skill with deviation β, a team's is the sum of its
members' performances, each by the part of the event they took part in. Before every event the skill of those
who take part drifts by τ.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.numerics.normal import normal_win_probability
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import POSITIVE, Range
from podium.systems.contract.newcomer_system import NewcomerSystem, UncertainSystem
from podium.systems.contract.sides import Opponent, Sides
from podium.systems.contract.skill_walks import SkillWalk
from podium.systems.contract.state import Row, State


@dataclass(frozen=True, kw_only=True)
class NormalSystem(NewcomerSystem, UncertainSystem):
    """A system with normal beliefs, in which a team's skill is the sum of its members' skills."""

    supports: ClassVar[Capabilities] = Capabilities(
        many=True, teams=True, ties=True, weights=True, time=True, home=True, play=True
    )
    ranges: ClassVar[Mapping[str, Range]] = {**NewcomerSystem.ranges, "variance": POSITIVE}

    mu: float = parameter(25.0, "rating of a newcomer", low=-1e9)
    sigma: float = parameter(
        25 / 3, "deviation of a newcomer, in points", low=1e-6, high=1e6, search=(1.0, 15.0)
    )
    beta: float = parameter(
        25 / 6,
        "deviation of performances around the skill. With a larger value, each result counts less",
        low=1e-6,
        high=1e6,
        search=(1.0, 40.0),
    )
    tau: float = parameter(
        25 / 300,
        "drift of a skill per event, in points. A larger value follows changes faster",
        high=1e6,
        search=(0.0, 2.0),
    )
    drift_per_day: float = parameter(
        0.0,
        "uncertainty added per day without an event, as a variance in squared points",
        high=1e6,
        search=(0.0, 1.0),
        needs="time",
    )
    home_advantage: float = parameter(
        0.0, "home advantage, in points", low=-1e6, high=1e6, search=(-10.0, 10.0), needs="home"
    )

    # ------------------------------------------------------------------ what differs

    @abstractmethod
    def expected_score(self, difference: Floats, deviation: Floats, members: ArrayLike) -> Floats:
        """Expected score of a side that is better by `difference`, with this deviation of it.

        `members` are those of both sides together.
        """

    # ------------------------------------------------------------------ the contract

    def newcomer(self) -> dict[str, Row]:
        """A normal belief: `mu` and `variance`."""
        belief = {"mu": np.float64(self.mu), "variance": np.float64(self.sigma**2)}
        return {**belief, **self.unknown_column()}

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Mean and deviation at a time. The deviation includes the drift of the days away."""
        variance = state.column("variance")[players]
        if self.drift_per_day > 0.0:
            variance = variance + self.drift_per_day * state.days_away(players, at)
        return self.placed(state, players, state.column("mu")[players].copy(), at), np.sqrt(variance)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set beliefs. Without `sigma` the deviations stay."""
        self.mark_set(state, players)
        state.column("mu")[players] = mu
        if sigma is not None:
            state.column("variance")[players] = np.square(sigma)

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats]:
        """The skill of a side: the sum over its members, taken as independent."""
        assert sigma is not None
        if sides.play is not None:
            mu, sigma = sides.play * mu, sides.play * sigma
        if sides.single:
            return mu, sigma
        starts = sides.offsets[:-1]
        return np.add.reduceat(mu, starts), np.sqrt(np.add.reduceat(sigma**2, starts))

    def expected_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """Expected score of `a`."""
        return self.expected_score(*self.difference(a, b, home))

    def difference(self, a: Opponent, b: Opponent, home: ArrayLike) -> tuple[Floats, Floats, ArrayLike]:
        """The difference of two sides' performances: mean, deviation and number of members."""
        mean: Floats = np.subtract(a.mu, b.mu) + self.home_advantage * np.asarray(home)
        # Three times as fast as np.hypot, which guards against numbers that no rating reaches.
        spread = np.sqrt(self.deviation(a.sigma, a.noise) ** 2 + self.deviation(b.sigma, b.noise) ** 2)
        return mean, spread, np.add(a.members, b.members)

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """Expected score of one player against another."""
        return self.expected_between(Opponent(mu_a, sigma_a), Opponent(mu_b, sigma_b), home)

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of `expected_score` if it has a formula, else None."""
        _, spread, _ = self.difference(Opponent(0.0, sigma), Opponent(0.0, opponent_sigma), 0.0)
        return self.score_gap(probability, spread)

    def score_gap(self, probability: Floats, deviation: Floats) -> Floats | None:
        """The inverse of `expected_score`; None if it has no formula, as with a margin for draws."""
        return None

    def deviation(self, sigma: ArrayLike | None, noise: ArrayLike) -> Floats:
        """The deviation of a side's performance, from that of its skill and the event's drift."""
        if sigma is None:
            raise ParameterError(f"{self.name} needs deviations")
        deviation: Floats = np.sqrt(np.square(sigma) + self.added_variance(np.asarray(noise)))
        return deviation

    def added_variance(self, noise: Floats) -> Floats:
        """The variance added by the event's drift and the noise of `noise` members."""
        return noise * (self.beta**2 + self.tau**2)

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Performances are normally distributed."""
        return "normal", self.deviation(sigma, noise)

    def skill_walk(self) -> SkillWalk:
        """Skills drift by τ with every event and by `drift_per_day` with every day."""
        return SkillWalk(drift_per_day=self.drift_per_day, drift_per_event=self.tau**2)


def margin_outcomes(difference: Floats, margin: Floats | float, deviation: Floats) -> Floats:
    """Probabilities of win, draw and loss: a normal difference within the margin is a draw."""
    win = normal_win_probability(difference - margin, deviation)
    loss = normal_win_probability(-difference - margin, deviation)
    rest = np.where(np.asarray(margin) > 0.0, 1.0 - win - loss, 0.0)  # without a margin it is rounding alone
    return np.stack([win, np.maximum(rest, 0.0), loss], axis=-1)


def margin_score(difference: Floats, margin: Floats | float, deviation: Floats) -> Floats:
    """The probability of winning by more than the margin, plus half that of a draw."""
    ahead = normal_win_probability(difference - margin, deviation)
    return 0.5 * (ahead + normal_win_probability(difference + margin, deviation))
