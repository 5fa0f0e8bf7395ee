"""Contests: many people ranked by their performances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from podium.arrays import Longs
from podium.errors import ParameterError
from podium.history.ragged import competition_ranks
from podium.parameters import parameter
from podium.simulation.people import Crowd, People
from podium.simulation.scatter import chance, count
from podium.simulation.season import MOST_EVENTS, EventRows, Performing


@dataclass(frozen=True, kw_only=True)
class Contests(Performing):
    """Contests, one a week unless another `interval` is given; the defaults are the paper's, section 6.1."""

    name: ClassVar[str] = "contests"
    usual_people: ClassVar[People] = People()

    contests: int = count(50, "number of contests", most=MOST_EVENTS)
    participants: int = count(
        2_500, "of each contest. If fewer players are left, all of them take part", least=2
    )
    uneven: float = parameter(
        0.0,
        "the deviation of the logarithm of that number, which is then the mean of the random numbers",
        high=10.0,
        hint="from 0 to 10. 0.5 is uneven, 1 very uneven",
    )
    """Nobody plays twice in a round: a contest drawn larger is one of all who are there, and a round has no
    more contests than they are enough for. Where that happens often, contests are smaller on average.
    """
    at_once: int = count(
        1, "contests of one round. No player plays in two of them, and skills do not move between them"
    )
    unfinished: float = chance(
        0.0, "the fraction of participants who do not finish. They share the last place"
    )

    @property
    def total(self) -> int:
        """How many contests there are."""
        return self.contests

    def check(self, people: People) -> None:
        """Contests need their participants, those of a round together."""
        if self.at_once * self.participants > people.players:
            contests = f"{self.at_once} contests at once" if self.at_once > 1 else "contests"
            raise ParameterError(
                f"{contests} of {self.participants} among {people.players} players",
                hint="fewer participants, or more players",
            )

    def most_events(self, there: int) -> int:
        """A round has `at_once` contests, however many people are there."""
        return self.at_once

    def play(self, crowd: Crowd, number: int, most: int) -> EventRows | None:
        """Draw who takes part, and rank their performances."""
        if len(crowd) < 2:
            return None
        sizes = self._sizes(crowd, min(self.at_once, most))
        places = crowd.draw(int(sizes.sum()))
        skill = crowd.skill(places)
        performance = self.perform(skill, crowd.chance)
        result = self.rounded(performance)
        if self.unfinished:
            out = crowd.chance.random(len(places)) < self.unfinished
            result, performance = np.where(out, -np.inf, result), np.where(out, np.nan, performance)
        rank = competition_ranks(np.repeat(np.arange(len(sizes)), sizes), -result)
        player = crowd.player[places]
        crowd.play(places)
        truth = {"skill": skill, "performance": performance}
        return EventRows(sizes, player, rank, truth)

    def _sizes(self, crowd: Crowd, contests: int) -> Longs:
        """Participants of each contest of a round: two or more, and together no more than there are."""
        mean, there = min(self.participants, len(crowd)), len(crowd)
        if not self.uneven:
            return np.full(min(contests, there // mean), mean)
        spread = self.uneven * crowd.chance.standard_normal(contests)
        drawn = self.participants * np.exp(spread - 0.5 * self.uneven**2)
        sizes = np.clip(np.round(drawn), 2, there).astype(np.int64)
        fitting = int(np.searchsorted(np.cumsum(sizes), there, "right"))
        return sizes[: max(fitting, 1)]
