"""Glicko-2: Glicko that also learns how erratic a player is.

Mark Glickman, "Example of the Glicko-2 system" (2012). Beside mean and deviation every player has a
volatility: how much the deviation grows from one rating period to the next. Steady results lower it, streaks
that the rating did not foresee raise it. The compiled walk through rating periods is in
`podium.systems.glicko.rating_periods`.

>>> from podium import Glicko2, Ladder
>>> ladder = Ladder(Glicko2())
>>> [round(change.mu) for change in ladder.record_match("ann", "bob")]
[1662, 1338]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from podium.parameters import parameter
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.state import Row
from podium.systems.glicko.deviation_system import DeviationSystem
from podium.systems.glicko.rules import GlickoRules


@dataclass(frozen=True, kw_only=True)
class Glicko2(DeviationSystem):
    """Glicko-2 over single events or rating periods, with teams and events of many sides."""

    name: ClassVar[str] = "glicko2"
    summary: ClassVar[str] = "Glicko with a volatility a player; the usual choice for online games of two"
    explained: ClassVar[str] = f"""
        The difference of two ratings says who will probably win, and a result moves a rating by how much it
        was a surprise. {SURE}

        A third number follows how steady somebody is: after surprising results a rating moves faster for a
        while.
    """
    adaptive: ClassVar[bool] = True
    has_volatility: ClassVar[bool] = True
    usual_periods_per_day: ClassVar[float] = 0.05

    volatility: float = parameter(
        0.06,
        "volatility of a newcomer, in log-odds per rating period; larger follows changes faster",
        low=1e-6,
        high=10.0,
        search=(0.005, 0.3),
    )
    tau: float = parameter(0.5, "how fast volatilities change; 0 keeps them", high=10.0, search=(0.1, 1.5))

    def newcomer(self) -> dict[str, Row]:
        """The columns of Glicko, and the volatility."""
        return {**super().newcomer(), "volatility": np.float64(self.volatility)}

    def rules(self) -> GlickoRules:
        """The parameters in the form kernels use."""
        return self._rules(growth=0.0, tau=self.tau)
