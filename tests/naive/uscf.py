"""The US Chess rating by Glickman and Doan, "The US Chess Rating System".

As in podium, games of one tournament enter the special formula at the mean of their opponents.
"""

import math
from fractions import Fraction

from .events import Event, Outcome
from .tournaments import Player, logistic_score, rate_tournaments


def special(opponents: list[tuple[float, float]], points: float, opening: float) -> float:
    """The M nearest to the opening where weighted expectancies are the points, in fractions; at most 2700."""
    exact = [(Fraction(other), Fraction(weight)) for other, weight in opponents if weight > 0]

    def surplus(m: Fraction) -> Fraction:
        # PWe, the provisional winning expectancy: a straight line between -400 and 400.
        lines = (weight * min(1, max(0, Fraction(1, 2) + (m - other) / 800)) for other, weight in exact)
        return sum(lines) - Fraction(points)

    ends = sorted(other + side for other, _ in exact for side in (-400, 400))
    ends = [ends[0] - 10**6, *ends, ends[-1] + 10**6]
    solved = [end for end in ends if surplus(end) == 0]
    if solved:
        return min(max(opening, float(min(solved))), float(max(solved)), 2700)
    low = max(end for end in ends if surplus(end) < 0)
    high = min(end for end in ends if surplus(end) > 0)
    return min(float(low + (high - low) * surplus(low) / (surplus(low) - surplus(high))), 2700)


def rate(events: list[Event], *, mu=1300.0, bonus_above=14.0, period="event") -> Outcome:
    """Rate games; a tournament is a period."""

    def effective(r: float, n: int) -> float:
        return min(n, 50 / math.sqrt(0.662 + 0.00000739 * (2569 - r) ** 2) if r <= 2355 else 50)

    def settle(player: Player) -> float:
        r, games, n = player.opening, player.tournaments[-1], player.played
        m, s = len(games), sum(points for _, points in games)
        before = [points for games in player.tournaments[:-1] for _, points in games]
        streak = 0
        if before and all(points == 1 for points in before):
            streak = 1
        if before and all(points == 0 for points in before):
            streak = -1
        worth = effective(r, n)
        if n <= 8 or streak:
            mean = sum(other for other, _ in games) / m
            own = r - 400 * streak
            rating = special([(own, worth), (mean, m)], s + worth * (1 + streak) / 2, r)
        else:
            k = 800 / (worth + m)
            gain = k * (s - sum(logistic_score(r, other) for other, _ in games))
            bonus = max(0.0, gain - bonus_above * math.sqrt(max(m, 4))) if m >= 3 else 0.0
            rating = r + gain + bonus
        if n <= 25:
            return max(rating, 100)
        best = max([mu, *player.openings, player.rating])
        floor = math.floor((best - 200) / 100) * 100
        return max(rating, min(floor, 2100) if floor >= 1200 else 100)

    return rate_tournaments(events, mu, period, settle)
