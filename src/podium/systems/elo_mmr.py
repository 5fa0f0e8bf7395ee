"""Elo-MMR: a rating is a robust average of past performances, for contests of any size.

Ebtekar and Liu, "Elo-MMR: a rating system for massive multiplayer competitions", WWW 2021. A contest's
standings give everybody a performance, exactly, over all opponents; a rating is the mode of a belief made of
a normal factor and one logistic factor a performance, so that a fluke counts little until later results
confirm it. Nobody can gain by losing on purpose (Theorem 5.5). The compiled parts are in `podium.numerics`:
`performances`, `beliefs` and `contests`.

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

from podium.numerics.beliefs import TRANSFER
from podium.numerics.contests import Rules
from podium.numerics.performances import HALF, WHOLE
from podium.systems.limits import TwoNumberSystem
from podium.systems.parameters import parameter
from podium.systems.remembering import RememberingSystem


@dataclass(frozen=True, kw_only=True)
class EloMMR(TwoNumberSystem, RememberingSystem):
    """Elo-MMR(ρ) with logistic performances."""

    name: ClassVar[str] = "elo-mmr"
    summary: ClassVar[str] = "contests of any size; robust, explainable, nobody gains by losing; the default"
    scale_in_deviations: ClassVar[float] = math.sqrt(3.0) / math.pi

    rho: float = parameter(
        1.0,
        "how fast remembered performances become one normal belief: 0 never, inf at once",
        high=math.inf,
        search=(0.0, 4.0),
    )

    def rules(self) -> Rules:
        """The parameters as kernels take them."""
        return Rules(
            rho=self.rho,
            way=TRANSFER,
            pull=math.pi**2 / 6.0,
            scale=self.scale_in_deviations,
            tau=2.0 * self.scale_in_deviations,
            ties=WHOLE if self.ties == "whole" else HALF,
        )
