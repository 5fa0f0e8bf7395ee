"""DWZ, the Deutsche Wertungszahl: Elo whose K falls with the rating, the age and the number of tournaments.

From the rating rules of the German Chess Federation (Wertungsordnung, appendix 2.4 for the coefficient E).
A first rating comes from five games or more that were neither all won nor all lost (3.4): the mean of the
opponents and D(P) of table 2.1. The rules go on from there by iteration over a whole tournament until We = W,
which is left out. Until the first rating players go by a provisional one, from `mu` with a small coefficient.
Rating officers round the result, podium does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from podium.parameters import parameter
from podium.systems.federations.tournaments import FirstRatingSystem, Tournament

AGE_TERMS = {"adult": 15.0, "junior": 10.0, "youth": 5.0}
"""J of each age group: from 26, from 21, up to 20 years."""
LEAST_COEFFICIENT, MOST_COEFFICIENT, MOST_BRAKED = 5.0, 30.0, 150.0
BRAKED_BELOW = 1300.0
FIRST_GAMES = 5
RAISED_BELOW = 800.0
"""First ratings below it are drawn towards it: 700 + R/8."""
# fmt: off
SCORE_GAPS = (
    728, 614, 555, 513, 480, 453, 429, 408, 389, 371, 355, 340, 326, 312, 300, 288, 276, 265, 254, 244, 234,
    224, 214, 205, 196, 187, 178, 170, 161, 153, 145, 137, 129, 121, 113, 106, 98, 91, 83, 76, 69, 61, 54, 47,
    40, 32, 25, 18, 11, 4, 0,
)
# fmt: on
"""−D(P) of appendix 2.1, for 0 to 50 percent."""


@dataclass(frozen=True, kw_only=True)
class DWZ(FirstRatingSystem):
    """The German chess rating."""

    name: ClassVar[str] = "dwz"
    summary: ClassVar[str] = "the rating of German chess: Elo that moves more slowly for stronger players"
    explained: ClassVar[str] = """
        The difference of two ratings gives the expected points of a game. A player who scores more gains.
        The first five games place a newcomer among the opponents. Young and weaker players move faster.
    """

    mu: float = parameter(1000.0, "rating of a newcomer", low=-1e9, search=(500.0, 2000.0))
    age: Literal["adult", "junior", "youth"] = parameter(
        "adult", "age group of all players: from 26, 21 to 25, or up to 20 years"
    )

    def kept(self) -> dict[str, float]:
        """What first ratings need, and the number of tournaments before this one."""
        return {**super().kept(), "index": 0.0}

    def first_rating(
        self, tournament: Tournament, games: float, points: float, mean: float
    ) -> dict[str, float]:
        """Rₚ = R_c + D(P), with the index 1; until then a provisional rating."""
        if games < FIRST_GAMES or not 0.0 < points < games:
            return self.next_rating(tournament)
        percent = math.floor(100.0 * points / games + 0.5)
        mu = mean + math.copysign(SCORE_GAPS[min(percent, 100 - percent)], percent - 50)
        return {"mu": 700.0 + mu / 8.0 if mu <= RAISED_BELOW else mu, "rated": 1.0, "index": 1.0}

    def next_rating(self, tournament: Tournament) -> dict[str, float]:
        """R = R₀ + 800 (W − Wₑ) / (E + n)."""
        rating = tournament.rating
        index = rating.index + (tournament.games == 1)  # this tournament too
        surprise = tournament.points - tournament.expected
        slowness = self.coefficient(rating.opening, surprise, index) + tournament.games
        return {"mu": rating.opening + 800.0 * surprise / slowness, "index": index}

    def coefficient(self, rating: float, surprise: float, index: float) -> float:
        """E, by appendix 2.4."""
        faster, brake = 1.0, 0.0
        if self.age == "youth":
            faster = min(max(rating / 2000.0, 0.5), 1.0)
            if rating < BRAKED_BELOW and surprise <= 0.0:
                brake = math.expm1(min((BRAKED_BELOW - rating) / 150.0, 10.0))  # more is cut below
        whole = ((rating / 1000.0) ** 4 + AGE_TERMS[self.age]) * faster + brake
        most = MOST_BRAKED if brake > 0.0 else min(MOST_COEFFICIENT, 5.0 * index)
        return max(LEAST_COEFFICIENT, min(whole, most))
