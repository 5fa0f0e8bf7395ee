"""What pairwise systems have in common: teams as one opponent, a home advantage, draws, rating periods.

Elo, Glicko and Glicko-2 all compare two sides by the difference of two numbers. A contest of many sides is
all its pairs, played at once.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import ParameterError, UnsupportedError, shorten
from podium.history import EventColumns, History
from podium.history.core import Floats
from podium.history.times import NO_TIME, to_duration
from podium.numerics.curves import LOGISTIC, expected_scores
from podium.numerics.draws import split_expected_score
from podium.ratings import Trace
from podium.systems.base import Opponent, RatingSystem, Sides
from podium.systems.parameters import parameter
from podium.systems.state import State
from podium.systems.teams import TEAM, team_belief


@dataclass(frozen=True, kw_only=True)
class PairwiseSystem(RatingSystem):
    """A system of pairs of sides."""

    shown: ClassVar[frozenset[str]] = frozenset({"draw_rate"})

    mu: float = parameter(1500.0, "rating of a newcomer", low=-1e9)
    scale: float = parameter(400.0, "points of difference that mean odds of ten to one", low=1e-3)
    home_advantage: float = parameter(
        0.0, "points the side at home is stronger by", low=-1e6, high=1e6, search=(0.0, 150.0)
    )
    team: Literal["mean", "sum"] = parameter("mean", TEAM)
    draw_rate: float = parameter(
        0.0, "share of draws between equals, for win/draw/loss predictions (Davidson 1970)", high=0.99
    )
    margin: float | None = parameter(
        None,
        "score difference that counts like odds of ten to one, so that a close win is worth less than a "
        "clear one; none counts who won only",
        low=1e-6,
        high=1e9,
        search=(0.1, 100.0),
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
        if self.margin is not None and history.score is not None and np.any(history.sides_per_event > 2):
            event = int(np.argmax(history.sides_per_event > 2))
            raise UnsupportedError(
                f"{self.name} cannot use the margins of more than two sides, "
                f"as in event {shorten(history.event_name(event))!r}",
                hint="leave margin out, and their ranks count",
            )

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order; where margins count, as the shares of a point they are worth."""
        if self.margin is not None and len(events.score):
            events = events._replace(share=margin_shares(events, self.margin))
        self.rate_pairs(state, events, trace)

    @abstractmethod
    def rate_pairs(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place."""

    def side_belief(self, state: State, sides: Sides, at: int) -> tuple[Floats, Floats | None]:
        """A team as one opponent: mean or sum of its members, who are independent."""
        return team_belief(*self.view(state, sides.players, at), sides, self.team, self.mu)

    def outcomes_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """Columns win, draw, loss; the expected score is win + draw/2."""
        return split_expected_score(self.expected_between(a, b, home), self.draw_rate)


def margin_shares(events: EventColumns, margin: float) -> Floats:
    """What each row's side gets of a point: 1/(1 + 10^(−d/margin)) where it leads by d, half in a tie.

    Who leads is what the ranks say, as fewer points may be better. A share that was given stays, and events
    without scores count by their ranks.
    """
    starts, sizes = events.offsets[:-1], np.diff(events.offsets)
    lead = np.maximum.reduceat(events.score, starts) - np.minimum.reduceat(events.score, starts)
    best, worst = np.minimum.reduceat(events.rank, starts), np.maximum.reduceat(events.rank, starts)
    winner = expected_scores(LOGISTIC, np.where(best == worst, 0.0, lead), np.full(len(lead), margin))
    share = np.repeat(winner, sizes)
    share = np.where(events.rank == np.repeat(best, sizes), share, 1.0 - share)
    return share if not len(events.share) else np.where(np.isnan(events.share), share, events.share)
