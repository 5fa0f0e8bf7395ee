"""What systems of matches between two have in common: a scale of points, a home advantage, draws, margins.

Elo, Glicko and Glicko-2 also rate contests of many sides, as all their pairs played at once, with teams as
one opponent and rating periods (`PairwiseSystem`).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from podium.arrays import EventColumns, Floats
from podium.errors import UnsupportedError
from podium.history import History
from podium.history.ragged import side_groups
from podium.numerics.draws import split_expected_score
from podium.numerics.win_chances import LOGISTIC, expected_scores
from podium.parameters import parameter
from podium.systems.contract.capabilities import UNSCORED
from podium.systems.contract.newcomer_system import NewcomerSystem
from podium.systems.contract.periodic_system import PeriodicSystem
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import TEAM, Sides, team_belief
from podium.systems.contract.state import State
from podium.systems.contract.system import RatingSystem
from podium.text import shorten


@dataclass(frozen=True, kw_only=True)
class DuelSystem(RatingSystem):
    """A system that compares two sides at a time."""

    shown: ClassVar[frozenset[str]] = frozenset({"draw_rate"})

    mu: float = parameter(1500.0, "rating of a newcomer", low=-1e9)
    scale: float = parameter(400.0, "difference in points that means odds of ten to one", low=1e-3)
    home_advantage: float = parameter(
        0.0, "home advantage, in points", low=-1e6, high=1e6, search=(-200.0, 200.0), needs="home"
    )
    draw_rate: float = parameter(
        0.0,
        "share of draws between equal sides, for win/draw/loss predictions (Davidson 1970)",
        high=0.99,
        search=(0.0, 0.6),
        needs=("ties", "outcomes"),
    )
    margin: float | None = parameter(
        None,
        "score difference that counts as odds of ten to one. It makes a close win worth less "
        "than a clear one. none: only the winner counts",
        low=1e-6,
        high=1e9,
        search=(0.1, 100.0),
        needs=("scores", "two"),
    )

    def check(self, history: History) -> None:
        """As in the base class. A margin is refused if the history has no scores."""
        super().check(history)
        if self.margin is not None and history.score is not None:
            _check_margins(self.name, history, history.score)
        elif self.margin is not None and len(history) > 1:  # one event online may be a forfeit
            raise UnsupportedError(
                f"{self.name} with a margin needs scores, and no event has any",
                hint="put the points of both sides in score_a and score_b, or score, or leave margin out",
            )

    @property
    def unusable_evidence(self) -> frozenset[str]:
        """With a margin also events without scores: there is nothing that it could tell of them."""
        return super().unusable_evidence | (frozenset() if self.margin is None else {UNSCORED})

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, by `rate_pairs`. Margins are turned into shares first."""
        self.rate_pairs(state, self.evidence(events), trace)

    def evidence(self, events: EventColumns) -> EventColumns:
        """With a margin, the events with scores turned into shares of a point."""
        if self.margin is None or not len(events.score):
            return events
        return events._replace(share=margin_shares(events, self.margin))

    @abstractmethod
    def rate_pairs(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place, and fill the trace; implemented by each system."""

    def split_score(self, expected: Floats) -> Floats:
        """Probabilities of win, draw and loss, as columns. The expected score is win + draw/2."""
        return split_expected_score(expected, self.draw_rate)


def _check_margins(name: str, history: History, score: Floats) -> None:
    """Refuse scores of more than two sides, and of members instead of their team."""
    event = history.event_of_row
    scored = np.bincount(event, ~np.isnan(score), len(history)) > 0
    unlike = np.zeros(len(history), np.bool_)
    if history.side is not None:
        group, first = side_groups(event, history.side)
        unlike[event[(score != score[first][group]) & ~np.isnan(score)]] = True
    for wrong, what in (
        (scored & (history.sides_per_event > 2), "the margins of more than two sides"),
        (unlike, "margins where members of a team have separate scores"),
    ):
        if wrong.any():
            where = shorten(history.event_name(int(np.argmax(wrong))))
            raise UnsupportedError(
                f"{name} cannot use {what}, as in event {where!r}",
                hint="leave margin out, and ranks count",
            )


def margin_shares(events: EventColumns, margin: float) -> Floats:
    """Each row's share of a point: 1/(1 + 10^(−d/margin)) for a lead of d, half for a tie.

    Who leads is what the ranks say, as fewer points may be better. A share that was given stays; events
    without scores count by their ranks, and so do those whose equal scores were decided otherwise.
    """
    starts, sizes = events.offsets[:-1], np.diff(events.offsets)
    with np.errstate(over="ignore"):
        lead = np.maximum.reduceat(events.score, starts) - np.minimum.reduceat(events.score, starts)
    best, worst = np.minimum.reduceat(events.rank, starts), np.maximum.reduceat(events.rank, starts)
    lead = np.where(best == worst, 0.0, np.where(lead > 0.0, lead, np.nan))
    winner = expected_scores(LOGISTIC, lead, np.full(len(lead), margin))
    share = np.repeat(winner, sizes)
    share = np.where(events.rank == np.repeat(best, sizes), share, 1.0 - share)
    return share if not len(events.share) else np.where(np.isnan(events.share), share, events.share)


@dataclass(frozen=True, kw_only=True)
class PairwiseSystem(PeriodicSystem, NewcomerSystem, DuelSystem):
    """A system that compares all pairs of sides of an event, with teams and rating periods."""

    shown: ClassVar[frozenset[str]] = DuelSystem.shown | {"temperature"}

    team: Literal["mean", "sum"] = parameter("mean", TEAM)
    period: str = parameter(
        "event", 'rating period: "event", or a duration such as "7d" whose events count as simultaneous'
    )
    temperature: float = parameter(
        1.0,
        "how cautious predictions are: above 1 makes them less certain, for a system that learns fast "
        "and is overconfident. Ratings do not depend on it",
        low=0.01,
        high=100.0,
        search=(0.7, 2.0),
        needs="expected",
    )

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats | None]:
        """A team as one opponent: mean or sum over its members, taken as independent."""
        return team_belief(mu, sigma, sides, self.team, self.mu)
