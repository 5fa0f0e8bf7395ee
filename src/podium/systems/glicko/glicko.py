"""Glicko: Elo that knows how sure it is.

Mark Glickman, "Parameter estimation in large dynamic paired comparison experiments", Applied Statistics 48
(1999). A player is a normal belief: a mean and a deviation. Results count more against opponents whose rating
is certain, and move those most whose rating is not; away from the game, certainty fades. The compiled walk
through rating periods is in `podium.systems.glicko.rating_periods`.

>>> from podium import Glicko, Ladder
>>> ladder = Ladder(Glicko())
>>> [round(change.mu) for change in ladder.record_match("ann", "bob")]
[1662, 1338]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from podium.errors import UnsupportedError
from podium.parameters import parameter
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.skill_walks import SkillWalk
from podium.systems.glicko.deviation_system import DeviationSystem
from podium.systems.glicko.rules import GlickoRules


@dataclass(frozen=True, kw_only=True)
class Glicko(DeviationSystem):
    """Glicko over single events or rating periods, with teams and events of many sides."""

    name: ClassVar[str] = "glicko"
    summary: ClassVar[str] = "a rating and its deviation; learns fast about newcomers, forgets with time"
    explained: ClassVar[str] = f"""
        The difference of two ratings says who will probably win, and a result moves a rating by how much it
        was a surprise. {SURE}

        Who stays away for long becomes less certain again, and moves faster after coming back.
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
        """Skills drift by c² in each rating period; refused if a period can hold many events."""
        if self.period != "event":
            raise UnsupportedError(
                "glicko with rating periods cannot be smoothed", hint="smooth with period=event"
            )
        rules = self.rules()
        return SkillWalk(
            drift_per_day=rules.growth * rules.periods_per_day, highest_variance=self.sigma_max**2
        )
