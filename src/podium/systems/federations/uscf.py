"""The US Chess rating: a special formula for the first games, then Elo whose K falls with the games played.

From M. Glickman and T. Doan, "The US Chess Rating System" (2 September 2020): effective games, the special
formula, K, the bonus and the floors. Left out: initial ratings from age or from other federations' ratings
(set them), the second pass over a tournament, which rates with the opponents' intermediate ratings, and the
rule that there is no bonus where two players meet more than twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.parameters import parameter
from podium.systems.contract.column_ranges import Range
from podium.systems.contract.state import State
from podium.systems.federations.tournaments import FederationSystem, Tournament

SPECIAL_GAMES = 8
"""Games up to which the special formula is used."""
ESTABLISHED_GAMES = 25
LEAST_RATING, LARGEST_SPECIAL = 100.0, 2700.0
REACH = 400.0
"""Points above an opponent from which the special formula expects a win for certain."""


@dataclass(frozen=True, kw_only=True)
class USCF(FederationSystem):
    """The rating of US Chess."""

    name: ClassVar[str] = "uscf"
    summary: ClassVar[str] = "the rating of US Chess: fast at first, with a bonus for a great tournament"
    explained: ClassVar[str] = """
        The first games place a player among the opponents met. After that, the rating moves with the
        difference between actual and expected score, less with every game. A very good tournament earns a
        bonus.
    """
    ranges: ClassVar[Mapping[str, Range]] = {
        **FederationSystem.ranges,
        "best": Range(-1e12, 1e12),
        "streak": Range(-1.0, 1.0),
        "streak_before": Range(-1.0, 1.0),
    }

    mu: float = parameter(1300.0, "rating of a newcomer", low=100.0, high=3000.0, search=(500.0, 2000.0))
    bonus_above: float = parameter(
        14.0, "B: points gained in a tournament beyond B × √games count double", search=(6.0, 30.0)
    )

    def kept(self) -> dict[str, float]:
        """The best rating, and 1 if all games were won, −1 if all were lost, and before the tournament."""
        return {"best": self.mu, "streak": 0.0, "streak_before": 0.0}

    def settled(self, tournament: Tournament) -> dict[str, float]:
        """The special or the standard formula, above the player's floor."""
        rating, games = tournament.rating, tournament.games
        before = rating.streak if games == 1 else rating.streak_before
        now = float(tournament.points == games) - float(tournament.points == 0.0)
        streak = now if tournament.played == 0 or now == before else 0.0
        if tournament.played <= SPECIAL_GAMES or before != 0.0:
            mu = self._special(tournament, before)
        else:
            mu = self._standard(tournament)
        mu = max(mu, floor(rating.best) if tournament.played > ESTABLISHED_GAMES else LEAST_RATING)
        return {"mu": mu, "best": max(rating.best, mu), "streak": streak, "streak_before": before}

    def _standard(self, tournament: Tournament) -> float:
        """R + K (S − E) + max(0, K (S − E) − B √m'), with K = 800 / (N' + m)."""
        opening, m = tournament.rating.opening, tournament.games
        k = 800.0 / (effective_games(opening, tournament.played) + m)
        gain = k * (tournament.points - tournament.expected)
        bonus = max(0.0, gain - self.bonus_above * math.sqrt(max(m, 4))) if m >= 3 else 0.0
        return float(opening + gain + bonus)

    def _special(self, tournament: Tournament, before: float) -> float:
        """The rating that explains the score, by expected scores that are straight lines.

        Games of a tournament are taken at the mean of their opponents: exact while all are within 400 points.
        """
        opening, m = float(tournament.rating.opening), tournament.games
        n = effective_games(opening, tournament.played)
        # R₀ and S' : former games count as draws with oneself, or as wins and losses if all were.
        own, points = opening - REACH * before, tournament.points + n * (1.0 + before) / 2.0
        return special_rating([(own, n), (tournament.opponents / m, float(m))], points, opening)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings; the best rating and a series of wins begin again."""
        super().set_belief(state, players, mu, sigma)
        index = np.arange(state.size)[players]
        state["best"][index] = mu
        state["streak"][index] = 0.0


def effective_games(rating: float, games: int) -> float:
    """N': the games that a rating is worth; fewer for low ratings, which are less stable."""
    most = 50.0
    if rating <= 2355.0:
        most = 50.0 / math.sqrt(0.662 + 0.00000739 * (2569.0 - rating) ** 2)
    return min(float(games), most)


def floor(best: float) -> float:
    """The rating below which nobody falls: 200 points below the best, in hundreds from 1200 to 2100."""
    hundreds = math.floor((best - 200.0) / 100.0) * 100.0
    return min(hundreds, 2100.0) if hundreds >= 1200.0 else LEAST_RATING


def special_rating(opponents: list[tuple[float, float]], points: float, opening: float) -> float:
    """The M with Σ wᵢ PWe(M, Rᵢ) = S', nearest to the opening rating where there are several."""

    def surplus(m: float) -> float:
        return sum(w * min(max(0.5 + (m - r) / (2.0 * REACH), 0.0), 1.0) for r, w in opponents) - points

    knots = sorted(r + sign * REACH for r, w in opponents if w > 0.0 for sign in (-1.0, 1.0))
    tolerance = 1e-9 * sum(w for _, w in opponents)
    low = max((k for k in knots if surplus(k) < -tolerance), default=None)
    high = min((k for k in knots if surplus(k) > tolerance), default=None)
    if low is None and high is None:
        return opening
    flat = [k for k in knots if abs(surplus(k)) <= tolerance]
    if flat:  # a stretch: everything below the first, between two, or above the last of them
        least = -math.inf if low is None else min(flat)
        most = math.inf if high is None else max(flat)
        return min(max(opening, least), most, LARGEST_SPECIAL)
    if low is None or high is None:  # ratings so far away that 400 points are lost in rounding
        return min(opening, LARGEST_SPECIAL)
    below, above = surplus(low), surplus(high)
    return min(low - below * (high - low) / (above - below), LARGEST_SPECIAL)
