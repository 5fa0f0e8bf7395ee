"""What pairwise systems have in common: teams as one opponent, a home advantage, draws, rating periods.

Elo, Glicko and Glicko-2 all compare two sides by the difference of two numbers. A contest of many sides is
all its pairs, played at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import ParameterError, UnsupportedError
from podium.history import History
from podium.history.core import Floats
from podium.history.times import NO_TIME, to_duration
from podium.numerics.draws import split_expected_score
from podium.systems.base import RatingSystem, Sides
from podium.systems.parameters import parameter
from podium.systems.state import State
from podium.systems.teams import TEAM, team_belief


@dataclass(frozen=True, kw_only=True)
class PairwiseSystem(RatingSystem):
    """A system of pairs of sides."""

    initial: float = parameter(1500.0, "rating of a newcomer", low=-1e9)
    scale: float = parameter(400.0, "points of difference that mean odds of ten to one", low=1e-3)
    home_advantage: float = parameter(
        0.0, "points the side at home is stronger by", low=-1e6, high=1e6, search=(0.0, 150.0)
    )
    team: Literal["mean", "sum"] = parameter("mean", TEAM)
    draw_rate: float = parameter(
        0.0, "share of draws between equals, for win/draw/loss predictions (Davidson 1970)", high=0.99
    )
    period: str = parameter(
        "event", 'rating period: "event", or a duration such as "7d" whose events count as simultaneous'
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
        """Microseconds of a rating period; 0 where every event is one."""
        return 0 if self.period == "event" else to_duration(self.period)

    def check(self, history: History) -> None:
        """Refuse what the base refuses, and untimed events where periods are of time."""
        super().check(history)
        if self.period != "event" and len(history) and np.any(history.time == NO_TIME):
            raise UnsupportedError(
                f"{self.name} with period {self.period!r} needs the time of every event",
                hint="add a column time, or use period event",
            )

    def side_belief(self, state: State, sides: Sides, at: int) -> tuple[Floats, Floats | None]:
        """A team as one opponent: mean or sum of its members, who are independent."""
        return team_belief(*self.view(state, sides.players, at), sides, self.team, self.initial)

    def outcomes(
        self,
        state: State,
        a: Sides | ArrayLike,
        b: Sides | ArrayLike,
        *,
        home: ArrayLike = 0.0,
        at: int = NO_TIME,
    ) -> Floats:
        """Columns win, draw, loss; the expected score is win + draw/2."""
        return split_expected_score(self.predict(state, a, b, home=home, at=at), self.draw_rate)
