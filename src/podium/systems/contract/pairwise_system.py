"""What systems of all pairs have in common: teams as one opponent, rating periods.

Elo, Glicko and Glicko-2 all compare two sides by the difference of two numbers. A contest of many sides is
all its pairs, played at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from podium.arrays import NO_TIME, Floats
from podium.errors import ParameterError, UnsupportedError
from podium.history import History
from podium.history.times import to_duration
from podium.parameters import parameter
from podium.systems.contract.duel_system import DuelSystem
from podium.systems.contract.event_evidence import UNTIMED
from podium.systems.contract.newcomer_system import NewcomerSystem
from podium.systems.contract.sides import Sides
from podium.systems.contract.team_beliefs import TEAM, team_belief


@dataclass(frozen=True, kw_only=True)
class PairwiseSystem(NewcomerSystem, DuelSystem):
    """A system that compares all pairs of sides of an event, with teams and rating periods."""

    shown: ClassVar[frozenset[str]] = DuelSystem.shown | {"temperature"}

    team: Literal["mean", "sum"] = parameter("mean", TEAM)
    period: str = parameter(
        "event", 'rating period: "event", or a duration such as "7d" whose events count as simultaneous'
    )
    temperature: float = parameter(
        1.0,
        "factor on the scale of predictions: above 1 makes them less certain, for a system that learns fast "
        "and is overconfident. Ratings do not depend on it",
        low=0.01,
        high=100.0,
        search=(0.7, 2.0),
        needs="expected",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period != "event":
            try:
                to_duration(self.period)
            except ParameterError as error:
                raise ParameterError(f"{self.name}: period is {error.reason}", hint=error.hint) from None

    @property
    def period_length(self) -> int:
        """Length of a rating period in microseconds; 0 if each event is a period."""
        return 0 if self.period == "event" else to_duration(self.period)

    def check(self, history: History) -> None:
        """Refuse what the base class refuses, and events without times if periods have a length."""
        super().check(history)
        if self.period != "event" and len(history) and np.any(history.time == NO_TIME):
            raise UnsupportedError(
                f"{self.name} with period {self.period!r} needs the time of every event",
                hint="add a column time, or use period event",
            )

    @property
    def unusable_evidence(self) -> frozenset[str]:
        """With periods that have a length also events without a time."""
        return super().unusable_evidence | (frozenset() if self.period == "event" else {UNTIMED})

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats | None]:
        """A team as one opponent: mean or sum over its members, taken as independent."""
        return team_belief(mu, sigma, sides, self.team, self.mu)
