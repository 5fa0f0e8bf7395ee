"""FIDE's rating as FIDE computes it: initial ratings, K by games and rating, the 400-point rule, the floor.

From the FIDE Handbook, B.02, FIDE Rating Regulations effective from 1 March 2024. `elo` with ``curve="fide"``
is the curve alone. What differs: FIDE rounds published ratings to whole numbers every month, and lists a
player who falls below the floor as unrated, who here stays at the floor. A first tournament without any point
counts here, and so do games against unrated players, by the rating they have so far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.numerics.win_chances import EXEMPT_RATING, FIDE_SCALE, SCORE_DIFFERENCES, fide_score
from podium.parameters import parameter
from podium.systems.contract.state import State
from podium.systems.federations.tournaments import FirstRatingSystem, Pair, Tournament

HYPOTHETICAL, DRAWN_GAMES = 1800.0, 2
"""Rating and number of the opponents that an unrated player is taken to have drawn with, 8.2.2."""
INITIAL_GAMES, HIGHEST_INITIAL = 5, 2200.0
NEW_GAMES, NEW_K = 30, 40.0
"""Games up to which K is 40, 8.3.3."""
USUAL_K, TOP_K, TOP_RATING = 20.0, 10.0, 2400.0
JUNIORS_BELOW = 2300.0
MOST_K_GAMES = 700.0
"""K times the games of a rating period is at most that."""


@dataclass(frozen=True, kw_only=True)
class FIDE(FirstRatingSystem):
    """FIDE's rating of chess players."""

    name: ClassVar[str] = "fide"
    summary: ClassVar[str] = "FIDE's rating of chess, with initial ratings, K and floor as in its handbook"
    explained: ClassVar[str] = """
        The first five games place a player among the opponents met. After that, a rating moves by K times
        the difference between actual and expected score. K is 40 for the first 30 games, then 20, and 10
        for players who have reached 2400.
    """
    mu: float = parameter(HYPOTHETICAL, "rating of an unrated player", low=-1e9, search=(1000.0, 2200.0))
    lowest: float = parameter(1400.0, "floor: no rating falls below it", low=-1e9)
    age: Literal["adult", "junior"] = parameter(
        "adult", "age group of all players: juniors, up to 18, have K 40 below 2300"
    )

    def kept(self) -> dict[str, float]:
        """What first ratings need, and the highest rating."""
        return {**super().kept(), "highest": -1e9}

    def expected(self, difference: float) -> float:
        """Table 8.1.2."""
        return float(fide_score(difference))

    def counted_score(self, players: Pair, opening: float, other: float) -> float:
        """By the 400-point rule, 8.3.1; players from 2650 on are exempt."""
        difference = opening - other
        if opening < EXEMPT_RATING:
            difference = min(max(difference, -FIDE_SCALE), FIDE_SCALE)
        return self.expected(difference)

    def next_rating(self, tournament: Tournament) -> dict[str, float]:
        """R + K Σ (W − Wₑ)."""
        rating = tournament.rating
        k = self.k(rating.opening, tournament.played, rating.highest)
        k = min(k, math.floor(MOST_K_GAMES / tournament.games))
        mu = rating.opening + k * (tournament.points - tournament.expected)
        mu = max(mu, min(self.lowest, rating.opening))  # nobody who is set below it is lifted
        return {"mu": mu, "highest": max(rating.highest, mu)}

    def k(self, rating: float, played: int, highest: float) -> float:
        """K, 8.3.3."""
        if played < NEW_GAMES or (self.age == "junior" and rating < JUNIORS_BELOW):
            return NEW_K
        return TOP_K if highest >= TOP_RATING else USUAL_K

    def first_rating(
        self, tournament: Tournament, games: float, points: float, mean: float
    ) -> dict[str, float]:
        """Rᵤ = Rₐ + d_p over all games so far and two draws against 1800, 8.2."""
        mean = (games * mean + DRAWN_GAMES * HYPOTHETICAL) / (games + DRAWN_GAMES)
        percent = math.floor(100.0 * (points + DRAWN_GAMES / 2.0) / (games + DRAWN_GAMES) + 0.5)
        percent = min(max(percent, 0), 100)  # a saved file may say anything
        gap = math.copysign(float(SCORE_DIFFERENCES[abs(percent - 50)]), percent - 50)
        mu = min(math.floor(mean + gap + 0.5), HIGHEST_INITIAL)
        rated = games >= INITIAL_GAMES and points > 0.0 and mu >= self.lowest
        return {"mu": mu, "rated": float(rated), "highest": mu if rated else tournament.rating.highest}

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings, which are also the highest."""
        super().set_belief(state, players, mu, sigma)
        state["highest"][np.arange(state.size)[players]] = mu
