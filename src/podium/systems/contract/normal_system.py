"""What TrueSkill and Weng–Lin share as systems: a normal belief about everybody, teams that add up.

A player's performance in an event is normal around the skill with deviation β, a team's is the sum of its
members' performances, each by the part of the event they took part in. Before every event the skill of those
who take part drifts by τ.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.numerics.normal import normal_win_probability
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.sides import Opponent, Sides
from podium.systems.contract.skill_walks import SkillWalk
from podium.systems.contract.state import State
from podium.systems.contract.uncertain_system import UncertainSystem


@dataclass(frozen=True, kw_only=True)
class NormalSystem(UncertainSystem):
    """A system of normal beliefs, in which teams are as strong as their members together."""

    supports: ClassVar[Capabilities] = Capabilities(
        many=True, teams=True, ties=True, weights=True, time=True, home=True, play=True
    )

    mu: float = parameter(25.0, "rating of a newcomer", low=-1e9)
    sigma: float = parameter(25 / 3, "deviation of a newcomer", low=1e-6, high=1e6, search=(1.0, 15.0))
    beta: float = parameter(
        25 / 6, "how performances scatter around a skill", low=1e-6, high=1e6, search=(1.0, 40.0)
    )
    tau: float = parameter(
        25 / 300, "how far a skill drifts from one event to the next", high=1e6, search=(0.0, 2.0)
    )
    drift_per_day: float = parameter(
        0.0, "variance that a day away adds to a belief", high=1e6, search=(0.0, 1.0), needs="time"
    )
    home_advantage: float = parameter(
        0.0, "points the side at home is stronger by", low=-1e6, high=1e6, search=(0.0, 10.0), needs="home"
    )

    # ------------------------------------------------------------------ what differs

    @abstractmethod
    def expected_score(self, difference: Floats, deviation: Floats, members: ArrayLike) -> Floats:
        """Of a side that is so much stronger, given the deviation of the difference of performances.

        `members` are those of both sides together.
        """

    # ------------------------------------------------------------------ the contract

    def newcomer(self) -> dict[str, np.generic]:
        """A normal belief."""
        return {"mu": np.float64(self.mu), "variance": np.float64(self.sigma**2)}

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Mean and deviation; only time widens a belief before an event begins."""
        variance = state.column("variance")[players]
        if self.drift_per_day > 0.0:
            variance = variance + self.drift_per_day * state.days_away(players, at)
        return state.column("mu")[players].copy(), np.sqrt(variance)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set beliefs; a deviation that is not given stays."""
        state.column("mu")[players] = mu
        if sigma is not None:
            state.column("variance")[players] = np.square(sigma)

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats]:
        """The skill of a side: the sum of its members, who are independent."""
        assert sigma is not None
        if sides.play is not None:
            mu, sigma = sides.play * mu, sides.play * sigma
        if np.all(sides.sizes == 1):
            return mu, sigma
        starts = sides.offsets[:-1]
        return np.add.reduceat(mu, starts), np.sqrt(np.add.reduceat(sigma**2, starts))

    def expected_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """Expected score of `a`."""
        return self.expected_score(*self.difference(a, b, home))

    def difference(self, a: Opponent, b: Opponent, home: ArrayLike) -> tuple[Floats, Floats, ArrayLike]:
        """How performances of two sides differ: mean, deviation, and the members of both."""
        mean: Floats = np.subtract(a.mu, b.mu) + self.home_advantage * np.asarray(home)
        spread = np.hypot(self.deviation(a.sigma, a.noise), self.deviation(b.sigma, b.noise))
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
        """Of `expected_score`, where that has a formula."""
        _, spread, _ = self.difference(Opponent(0.0, sigma), Opponent(0.0, opponent_sigma), 0.0)
        return self.score_gap(probability, spread)

    def score_gap(self, probability: Floats, deviation: Floats) -> Floats | None:
        """`expected_score` turned round; None where no formula does it, as with a margin for draws."""
        return None

    def deviation(self, sigma: ArrayLike | None, noise: ArrayLike) -> Floats:
        """Of the performance of a side with this deviation of skill, after the event's drift."""
        if sigma is None:
            raise ParameterError(f"{self.name} needs deviations")
        deviation: Floats = np.sqrt(np.square(sigma) + self.added_variance(np.asarray(noise)))
        return deviation

    def added_variance(self, noise: Floats) -> Floats:
        """What the event's drift and the noise of so many members add."""
        return noise * (self.beta**2 + self.tau**2)

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Normal performances."""
        return "normal", self.deviation(sigma, noise)

    def skill_walk(self) -> SkillWalk:
        """Skills drift by τ with every event and by `drift_per_day` with every day."""
        return SkillWalk(drift_per_day=self.drift_per_day, drift_per_event=self.tau**2)


def margin_outcomes(difference: Floats, margin: Floats | float, deviation: Floats) -> Floats:
    """Columns win, draw, loss where a normal difference beyond the margin decides."""
    win = normal_win_probability(difference - margin, deviation)
    loss = normal_win_probability(-difference - margin, deviation)
    return np.stack([win, np.maximum(1.0 - win - loss, 0.0), loss], axis=-1)


def margin_score(difference: Floats, margin: Floats | float, deviation: Floats) -> Floats:
    """The chance to win by more than the margin, and half of that to draw."""
    ahead = normal_win_probability(difference - margin, deviation)
    return 0.5 * (ahead + normal_win_probability(difference + margin, deviation))
