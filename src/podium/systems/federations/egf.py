"""The rating of European go: Elo on a scale that bends, so that strong players are steadier.

From the page "EGF Official ratings system" of the European Go Database, the rules since 2021. Handicap is a
home advantage of 100 points a stone, less 50, as on the page of the rules before 2021. Left out: the reset of
a rating to a declared grade (record it as a rating that is set).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from podium.numerics.win_chances import logistic_of
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.federations.tournaments import FederationSystem, Pair, Tournament

END = 3300.0
"""The rating at which the scale ends."""
LEAST_ROOM = 1.0
"""Points that are at least left to the end of the scale, where somebody sets a rating beyond it."""
LEAST_RATING = -900.0
"""30 kyu."""


def _room(rating: float) -> float:
    return max(END - rating, LEAST_ROOM)


@dataclass(frozen=True, kw_only=True)
class EGF(FederationSystem):
    """The rating of the European Go Federation."""

    name: ClassVar[str] = "egf"
    summary: ClassVar[str] = "the rating of European go: 2100 is 1 dan, 100 points are a grade"
    explained: ClassVar[str] = """
        The winner gains points, and more if the win was a surprise. Points move more slowly near the top.
        Every player below 1 dan gets a few points with every game, because beginners improve.
    """

    mu: float = parameter(
        100.0, "rating of a newcomer (100 is 20 kyu)", low=-900.0, high=3000.0, search=(0.0, 2500.0)
    )

    home_advantage: float = parameter(
        0.0,
        "points for the side with the handicap: 100 per stone, minus 50",
        low=-1e6,
        high=1e6,
        search=(-200.0, 200.0),
        needs="home",
    )
    supports: ClassVar[Capabilities] = Capabilities(ties=True, time=True, home=True)

    def expected_by(self, rating: float, other: float) -> float:
        """Sₑ = 1 / (1 + e^(β(r₂) − β(r₁))), with β(r) = −7 ln(3300 − r)."""
        return float(logistic_of(7.0 * (math.log(_room(other)) - math.log(_room(rating)))))

    def counted_score(self, players: Pair, opening: float, other: float) -> float:
        """The same for a game, with its handicap."""
        ours, theirs = (self.home_advantage * player.home for player in players)
        return self.expected_by(opening + ours, other + theirs)

    def chance(self, a: Any, b: Any) -> float:
        """The expected score by both ratings."""
        return self.expected_by(a.mu, b.mu)

    def settled(self, tournament: Tournament) -> dict[str, float]:
        """r' = r + con (Sₐ − Sₑ) + bonus for each game, with the ratings before the tournament."""
        r = tournament.rating.opening
        con = (_room(r) / 200.0) ** 1.6
        bonus = float(np.logaddexp(0.0, (2300.0 - r) / 80.0)) / 5.0
        gain = con * (tournament.points - tournament.expected) + bonus * tournament.games
        return {"mu": max(r + gain, LEAST_RATING)}
