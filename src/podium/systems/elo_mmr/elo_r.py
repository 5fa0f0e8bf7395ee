"""Elo-R: Elo-MMR's ancestor, with four ways of adding noise to a belief.

Ebtekar, "Elo-R competition rating system" (2015, revised 2020). Performances as in Elo-MMR; a belief is
again a product of a normal and logistic factors. What differs is what happens to it between contests:

- ``fancy``: each factor loses the same part of its pull at the rating, so an outlier's small weight freezes
  in gradually; the paper's favourite. It is not monotone: a better past result can, in extreme cases, lower a
  rating;
- ``normal``: the belief is replaced by a normal one; nothing is remembered;
- ``leading``: weights shrink, scales stay: outliers stay outliers;
- ``all``: scales grow too: outliers are forgiven in time, which moves ratings without a result.

All numbers enter the formulas as they stand in the paper.

>>> from podium import EloR, Ladder
>>> change = Ladder(EloR()).record(ranks={"ann": 1, "bob": 2})[0]
>>> round(change.mu - change.display)  # the paper: about 208 after the first contest
208
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from podium.errors import ParameterError
from podium.parameters import parameter
from podium.systems.contract.explained_ratings import PERFORMANCES, SINGLE_DAYS, SURE
from podium.systems.elo_mmr.beliefs import DRIFT_ALL, DRIFT_FANCY, DRIFT_TRANSFER
from podium.systems.elo_mmr.contest_kernels import EloMMRRules
from podium.systems.elo_mmr.logistic_performances import HALF_TIES_BUT_SELF, WHOLE_TIES
from podium.systems.elo_mmr.remembering_system import RememberingSystem

WAYS = {
    "fancy": (DRIFT_FANCY, 0.0),
    "normal": (DRIFT_TRANSFER, math.inf),
    "leading": (DRIFT_TRANSFER, 0.0),
    "all": (DRIFT_ALL, 0.0),
}
"""How beliefs drift, and at which ρ: two of the four are special cases of Elo-MMR's pseudodiffusion."""


@dataclass(frozen=True, kw_only=True)
class EloR(RememberingSystem):
    """Elo-R, the predecessor of Elo-MMR.

    >>> import podium
    >>> ladder = podium.Ladder(podium.EloR())
    >>> _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    >>> round(ladder.rating("ann").mu), round(ladder.rating("ann").display)
    (1656, 1448)
    """

    name: ClassVar[str] = "elo-r"
    summary: ClassVar[str] = "the predecessor of Elo-MMR: an average of performances, robust against bad days"
    explained: ClassVar[str] = f"""
        {PERFORMANCES} {SINGLE_DAYS["logistic"]}

        {SURE}
    """
    scale_in_deviations: ClassVar[float] = 0.5  # tanh((x − r)/δ) = 2σ((x − r)/(δ/2)) − 1

    noise: Literal["fancy", "normal", "leading", "all"] = parameter(
        "fancy", "how uncertainty is added between contests"
    )
    beta: float = parameter(
        250.0,
        "the paper's γ: deviation of performances around the skill, in points",
        low=1e-3,
        high=1e6,
        search=(50.0, 1000.0),
    )
    sigma_limit: float = parameter(
        100.0, "σ*: the deviation that a regular player approaches", low=1e-3, high=1e6, search=(20.0, 300.0)
    )
    display_k: float = parameter(
        2.0,
        "the displayed rating is mu − k (σ − σ*). The paper's public rating has k = 2",
        high=100.0,
        search=(0.0, 3.0),
        needs="display",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sigma_limit >= self.beta:
            raise ParameterError(
                f"elo-r: sigma_limit ({self.sigma_limit:g}) must be below beta ({self.beta:g})",
                hint="one performance is never surer than the rating",
            )

    @property
    def performance_variance(self) -> float:
        """The paper's γ²: the variance of performances around skills."""
        return self.beta**2

    @property
    def contest_drift(self) -> float:
        """η², chosen so that drift and evidence balance at σ* (section 5)."""
        return 1.0 / (self.sigma_limit**-2 - self.beta**-2) - self.sigma_limit**2

    def rules(self) -> EloMMRRules:
        """The parameters in the form kernels use."""
        way, rho = WAYS[self.noise]
        return EloMMRRules(
            rho=rho,
            way=way,
            pull=1.0,
            scale=self.scale_in_deviations,
            tau=1.0,
            ties=WHOLE_TIES if self.ties == "whole" else HALF_TIES_BUT_SELF,
        )
