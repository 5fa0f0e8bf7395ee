"""DWZ, the Deutsche Wertungszahl: Elo whose K falls with the rating, the age and the number of tournaments.

From the rating rules of the German Chess Federation (Wertungsordnung, appendix 2.4 for the coefficient E).
Left out: the first rating from five games, which needs players who are rated already. Newcomers start at `mu`
with a small coefficient instead. Rating officers round the result, podium does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from podium.parameters import parameter
from podium.systems.federations.tournaments import FederationSystem, Tournament

AGE_TERMS = {"adult": 15.0, "junior": 10.0, "youth": 5.0}
"""J of each age group: from 26, from 21, up to 20 years."""
LEAST_COEFFICIENT, MOST_COEFFICIENT, MOST_BRAKED = 5.0, 30.0, 150.0
BRAKED_BELOW = 1300.0


@dataclass(frozen=True, kw_only=True)
class DWZ(FederationSystem):
    """The German chess rating."""

    name: ClassVar[str] = "dwz"
    summary: ClassVar[str] = "the rating of German chess: Elo that moves more slowly for stronger players"
    explained: ClassVar[str] = """
        The difference of two ratings gives the expected points of a game. A player who scores more gains.
        Newcomers, young players and weaker players move faster.
    """

    mu: float = parameter(1000.0, "rating of a newcomer", low=-1e9, search=(500.0, 2000.0))
    age: Literal["adult", "junior", "youth"] = parameter(
        "adult", "age group of all players: from 26, 21 to 25, or up to 20 years"
    )

    def kept(self) -> dict[str, float]:
        """The number of tournaments before this one."""
        return {"index": 0.0}

    def settled(self, tournament: Tournament) -> dict[str, float]:
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
