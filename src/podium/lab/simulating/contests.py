"""Contests: many people ranked by their performances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from podium.errors import ParameterError
from podium.history.core import Longs
from podium.history.ragged import competition_ranks
from podium.lab.simulating.parameters import CHANCE, DEVIATION, check_numbers
from podium.lab.simulating.people import Crowd, People
from podium.lab.simulating.seasons import Performing, Rows, no_times


@dataclass(frozen=True, kw_only=True)
class Contests(Performing):
    """Contests, one a week unless another `interval` is given; the defaults are the paper's, section 6.1."""

    unit: ClassVar[str] = "contest"
    usual_people: ClassVar[People] = People()

    contests: int = 50
    participants: int = 2_500
    """In each contest."""
    uneven: float = 0.0
    """The deviation of the logarithm of that number, which is then a mean."""
    at_once: int = 1
    """Contests of one round; nobody plays in two of them, and skills do not move between."""
    unfinished: float = 0.0
    """The part of participants who do not finish: they share the last place."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(self, _LIMITS)

    @property
    def total(self) -> int:
        """Contests."""
        return self.contests

    def check(self, people: People) -> None:
        """A contest needs its participants."""
        if self.participants > people.players:
            raise ParameterError(
                f"contests of {self.participants} among {people.players} players",
                hint="at most all players take part",
            )

    def play(self, crowd: Crowd, number: int, most: int) -> Rows | None:
        """Draw who takes part, and rank their performances."""
        if len(crowd) < 2:
            return None
        sizes = self._sizes(crowd, min(self.at_once, most))
        places = crowd.draw(int(sizes.sum()))
        skill = crowd.skill(places)
        performance = self.perform(skill, crowd.chance)
        if self.unfinished:
            performance[crowd.chance.random(len(places)) < self.unfinished] = -np.inf
        rank = competition_ranks(np.repeat(np.arange(len(sizes)), sizes), -self.rounded(performance))
        player = crowd.player[places]
        crowd.play(places)
        truth = {"skill": skill, "performance": np.where(np.isinf(performance), np.nan, performance)}
        return Rows(sizes, no_times(len(sizes)), player, rank, truth)

    def _sizes(self, crowd: Crowd, contests: int) -> Longs:
        """Participants of each contest of a round: two or more, and together no more than there are."""
        sizes = np.full(contests, float(self.participants))
        if self.uneven:
            spread = self.uneven * crowd.chance.standard_normal(contests)
            sizes *= np.exp(spread - 0.5 * self.uneven**2)
        whole = np.clip(np.round(sizes), 2, len(crowd)).astype(np.int64)
        fitting = int(np.searchsorted(np.cumsum(whole), len(crowd), "right"))
        return whole[: max(fitting, 1)]


_LIMITS = {
    "contests": (1, 1_000_000_000, "one or more"),
    "participants": (2, 100_000_000, "two or more"),
    "uneven": (0.0, 10.0, "from 0 to 10; 0.5 is uneven, 1 very uneven"),
    "at_once": (1, 100_000_000, "one or more"),
    "unfinished": CHANCE,
    "performance_deviation": DEVIATION,
    "rounding": DEVIATION,
}
