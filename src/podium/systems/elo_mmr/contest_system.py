"""What Elo-MMR, Elo-MMχ and Elo-R share as systems: performances in contests, and beliefs that drift.

Elo-MMR and Elo-MMχ are given by how performances scatter and skills drift, or by the limits that follow.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Floats
from podium.errors import ParameterError
from podium.numerics.newcomers import newcomer_belief, start_of_newcomers
from podium.parameters import Parameter, ParameterInput, check_names, parameter, parse_parameters
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import POSITIVE, Range
from podium.systems.contract.newcomer_system import NEWCOMER_RANGE, NewcomerSystem, UncertainSystem
from podium.systems.contract.state import State
from podium.systems.elo_mmr.drift import ContestBeliefs, Drift, DriftAndNewcomers


@dataclass(frozen=True, kw_only=True)
class ContestSystem(NewcomerSystem, UncertainSystem):
    """A system that estimates each player's performance in a contest and updates beliefs by it."""

    supports: ClassVar[Capabilities] = Capabilities(many=True, ties=True, weights=True, time=True)
    has_performance: ClassVar[bool] = True
    ranges: ClassVar[dict[str, Range]] = {"variance": POSITIVE, "newcomers": NEWCOMER_RANGE}

    sigma: float = parameter(
        350.0, "deviation of a newcomer, in points", low=1e-3, high=1e6, search=(50.0, 500.0)
    )
    drift_per_day: float = parameter(
        0.0,
        "uncertainty added per day without an event, as a variance in squared points",
        high=1e6,
        search=(0.0, 100.0),
        needs="time",
    )
    newcomer_weights: tuple[float, ...] = parameter(
        (),
        "weights of a newcomer's first contests, such as 0.4,0.7. Later contests have weight 1",
        low=1e-3,
        high=1e3,
    )
    ties: Literal["whole", "half"] = parameter(
        "whole", "a tie counts as a win plus a loss (the model), or as half of each"
    )

    @property
    def rank_raises_display(self) -> bool:
        """Theorem 5.5; deviations do not depend on results."""
        return True

    # ------------------------------------------------------------------ what differs

    @property
    @abstractmethod
    def performance_variance(self) -> float:
        """β²: the variance of performances around skills."""

    @property
    @abstractmethod
    def contest_drift(self) -> float:
        """γ²: the variance that each contest adds before it is rated."""

    # ------------------------------------------------------------------ limits

    @property
    def weight_limit(self) -> float:
        """w: roughly how far a settled rating moves towards each performance, as a fraction."""
        drift = self.contest_drift + self.drift_per_day
        # β² = (1 + 1/w) σ_lim² + drift_per_day/w and γ² = w σ_lim², solved for w
        root = math.sqrt(drift * drift + 4.0 * self.performance_variance * self.contest_drift)
        return (drift + root) / (2.0 * self.performance_variance)

    @property
    def sigma_limit(self) -> float:
        """The deviation that a regular player approaches."""
        return math.sqrt(self.contest_drift / self.weight_limit) if self.contest_drift > 0.0 else 0.0

    def drift(self) -> Drift:
        """The noise of performances and the drift of beliefs, in the form kernels use."""
        return Drift(
            beta2=self.performance_variance,
            gamma2=self.contest_drift,
            limit2=self.contest_drift / self.weight_limit if self.contest_drift > 0.0 else 0.0,
            per_day=self.drift_per_day,
            adaptive=self.adaptive_start,
        )

    def drift_and_newcomers(self, state: State) -> DriftAndNewcomers:
        """The change of beliefs before a contest is rated, in the form kernels use."""
        weights = np.array(self.newcomer_weights, np.float64)
        return DriftAndNewcomers(self.drift(), weights, state.shared["newcomers"])

    @staticmethod
    def beliefs(state: State) -> ContestBeliefs:
        """The columns common to these systems, in the form kernels use."""
        return ContestBeliefs(*(state[name] for name in ContestBeliefs._fields))

    # ------------------------------------------------------------------ the contract

    def newcomer_columns(self) -> dict[str, np.generic]:
        """Columns common to these systems. `unknown` is set while a player is new and has no evidence."""
        return {
            "mu": np.float64(self.mu),
            "variance": np.float64(self.sigma**2),
            "unknown": np.bool_(True),
        }

    def shared(self) -> dict[str, NDArray[np.float64]]:
        """What past contests taught about the skills of newcomers, also while the start is fixed."""
        return {"newcomers": start_of_newcomers(self.mu, self.sigma**2, self.performance_variance)}

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Mode and deviation at a time. The deviation includes the drift of the days away."""
        mu, variance = state.column("mu")[players], state.column("variance")[players]
        if self.adaptive_start:
            unknown = state.column("unknown")[players]
            start = newcomer_belief(state.shared["newcomers"])
            mu, variance = np.where(unknown, start[0], mu), np.where(unknown, start[1], variance)
        if at != NO_TIME and self.drift_per_day > 0.0:
            variance = variance + self.drift_per_day * state.days_away(players, at)
        return mu.copy(), np.sqrt(variance)

    def performance_deviation(self, sigma: ArrayLike) -> Floats:
        """δ: the deviation of performances in a contest of weight 1, its drift included."""
        scattered = np.square(sigma) + self.contest_drift + self.performance_variance
        deviation: Floats = np.sqrt(scattered)
        return deviation

    def side_deviation(self, sigma: ArrayLike | None, members: ArrayLike, *, mean: bool = True) -> Floats:
        """δ of a side: the noise of a team is the mean of its members' too, or without `mean` the sum."""
        alone = self._deviations(sigma)[0]
        if np.all(np.equal(members, 1)):
            return alone
        noise = self.contest_drift + self.performance_variance
        times = np.divide(1.0, members) if mean else np.asarray(members)
        spread: Floats = np.sqrt(alone**2 + noise * (times - 1.0))
        return spread

    def _deviations(self, *sigmas: ArrayLike | None) -> list[Floats]:
        if any(sigma is None for sigma in sigmas):
            raise ParameterError(f"{self.name} needs deviations")
        return [self.performance_deviation(sigma) for sigma in sigmas if sigma is not None]


SIGMA_LIMIT, WEIGHT_LIMIT = 80.0, 0.2
"""What the paper's own program starts from."""


def from_limits(sigma_limit: float, weight_limit: float, drift_per_day: float) -> dict[str, float]:
    """β and γ that lead to these limits: β² = (1 + 1/w) σ_lim² + drift/w and γ² = w σ_lim²."""
    variance = sigma_limit**2
    beta2 = (1.0 + 1.0 / weight_limit) * variance + drift_per_day / weight_limit
    return {"beta": math.sqrt(beta2), "gamma": math.sqrt(weight_limit * variance)}


USUAL_PARAMETERS = from_limits(SIGMA_LIMIT, WEIGHT_LIMIT, 0.0)


class OtherKeywords(TypedDict, total=False):
    """The parameters of Elo-MMR and Elo-MMχ beside β, γ and the limits, for type checkers."""

    display_k: float
    mu: float
    sigma: float
    drift_per_day: float
    newcomer_weights: tuple[float, ...]
    ties: Literal["whole", "half"]
    newcomer_start: Literal["fixed", "adaptive"]
    calibration: Literal["off", "learned"]
    rho: float
    performance: str
    team: Literal["mean", "sum"]


@dataclass(frozen=True, kw_only=True)
class TwoNumberSystem(ContestSystem):
    """A contest system with the paper's β and γ."""

    beta: float = parameter(
        USUAL_PARAMETERS["beta"],
        "deviation of performances around the skill, in points. With a larger value, each result counts less",
        low=1e-3,
        high=1e6,
        search=(20.0, 1000.0),
    )
    gamma: float = parameter(
        USUAL_PARAMETERS["gamma"],
        "drift of a skill per contest, in points. A larger value follows changes faster",
        high=1e6,
        search=(1.0, 200.0),
    )

    limited: ClassVar[frozenset[str]] = frozenset(USUAL_PARAMETERS)
    limits: ClassVar[Mapping[str, Parameter]] = {
        "sigma_limit": Parameter(
            "sigma_limit",
            SIGMA_LIMIT,
            "instead of beta and gamma: the deviation that a regular player approaches",
            1e-3,
            1e6,
            (20.0, 300.0),
        ),
        "weight_limit": Parameter(
            "weight_limit",
            WEIGHT_LIMIT,
            "instead of beta and gamma: the weight of a contest for a regular player",
            1e-6,
            1e3,
            (0.01, 1.0),
        ),
    }

    @classmethod
    def from_limits(
        cls,
        sigma_limit: float = SIGMA_LIMIT,
        weight_limit: float = WEIGHT_LIMIT,
        **others: Unpack[OtherKeywords],
    ) -> Self:
        """The system with these limits instead of β and γ. `others` are its other parameters.

        >>> from podium import EloMMR
        >>> EloMMR.from_limits(sigma_limit=80, weight_limit=0.2) == EloMMR()
        True
        """
        check_names(cls.declared(), others, cls.name)
        if others.keys() & cls.limited:
            raise ParameterError(f"{cls.name} is given by beta and gamma or by its limits, not by both")
        given = {"sigma_limit": sigma_limit, "weight_limit": weight_limit}
        wanted = {name: cls.limits[name].check(value, cls.name) for name, value in given.items()}
        drift = cls.declared()["drift_per_day"].check(others.get("drift_per_day", 0.0), cls.name)
        numbers: dict[str, Any] = from_limits(**wanted, drift_per_day=drift)
        return cls(**{**numbers, **others})

    @classmethod
    def from_parameters(cls, **given: ParameterInput) -> Self:
        """Make the system from β and γ, or from the limits. Text is parsed as on the command line."""
        if not given.keys() & cls.limits.keys():
            return super().from_parameters(**given)
        return cls.from_limits(**parse_parameters({**cls.declared(), **cls.limits}, given, cls.name))

    def changed(self, **given: ParameterInput) -> Self:
        """A copy with some parameters changed. A limit replaces β and γ.

        The other limit keeps its value. If another drift per day is given, both limits keep theirs.
        """
        if not given.keys() & self.limits.keys():
            return super().changed(**given)
        kept = {name: value for name, value in self.parameters().items() if name not in self.limited}
        limits = {name: getattr(self, name) for name in self.limits}
        return self.from_parameters(**{**kept, **limits, **given})

    @property
    def performance_variance(self) -> float:
        """β²: the variance of performances around skills."""
        return self.beta**2

    @property
    def contest_drift(self) -> float:
        """γ²: the variance that each contest adds."""
        return self.gamma**2
