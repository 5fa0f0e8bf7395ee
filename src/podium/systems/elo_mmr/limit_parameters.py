"""Elo-MMR and Elo-MMχ by how performances scatter and skills drift, or by the limits that follow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypedDict, Unpack

from podium.errors import ParameterError
from podium.parameters import Parameter, ParameterInput, check_names, parameter, parse_parameters
from podium.systems.elo_mmr.contest_system import ContestSystem

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
        "deviation of performances around the skill, in points; larger: results say less",
        low=1e-3,
        high=1e6,
        search=(20.0, 1000.0),
    )
    gamma: float = parameter(
        USUAL_PARAMETERS["gamma"],
        "drift of a skill per contest, in points; larger follows changes faster",
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
        """The system with these limits instead of β and γ; `others` are its other parameters.

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
        """Make the system from β and γ, or from the limits; text is parsed as on the command line."""
        if not given.keys() & cls.limits.keys():
            return super().from_parameters(**given)
        return cls.from_limits(**parse_parameters({**cls.declared(), **cls.limits}, given, cls.name))

    def changed(self, **given: ParameterInput) -> Self:
        """A copy with some parameters changed; a limit replaces β and γ.

        The other limit stays what it was, and so both do where another drift per day comes with them.
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
