"""FIDE's rating by its Handbook, B.02, from 1 March 2024: 8.2 (initial ratings) and 8.3 (changes)."""

import math

from .elo import fide_table
from .events import Event, Outcome
from .tournaments import Player, rate_tournaments

# Table 8.1.1: d_p for scores of 50 % to 100 %.
TABLE_8_1_1 = """
0 7 14 21 29 36 43 50 57 65 72 80 87 95 102 110 117 125 133 141 149 158 166 175 184 193 202 211 220 230 240
251 262 273 284 296 309 322 336 351 366 383 401 422 444 470 501 538 589 677 800
"""


def expected(d: float) -> float:
    """Table 8.1.2."""
    stronger = fide_table().get(math.floor(abs(d) + 0.5 + 1e-9), 100) / 100
    return stronger if d >= 0 else 1 - stronger


def initial(games: list[tuple[float, float]]) -> float:
    """The initial rating from games of an unrated player."""
    drawn = [*games, (1800.0, 0.5), (1800.0, 0.5)]
    mean = sum(other for other, _ in drawn) / len(drawn)
    percent = math.floor(100 * sum(points for _, points in drawn) / len(drawn) + 0.5)
    gaps = [int(gap) for gap in TABLE_8_1_1.split()]
    gap = gaps[percent - 50] if percent >= 50 else -gaps[50 - percent]
    return min(math.floor(mean + gap + 0.5), 2200)


def rate(events: list[Event], *, mu=1800.0, lowest=1400.0, age="adult", period="event") -> Outcome:
    """Rate games; a tournament is a period."""

    def is_rated(player: Player) -> int | None:
        """The number of the first tournament that begins with a rating."""
        games: list[tuple[float, float]] = []
        for number, tournament in enumerate(player.tournaments[:-1], 1):
            games += tournament
            if len(games) >= 5 and sum(p for _, p in games) > 0 and initial(games) >= lowest:
                return number
        return None

    def settle(player: Player) -> float:
        first = is_rated(player)
        if first is None:
            return initial([game for games in player.tournaments for game in games])
        r, games = player.opening, player.tournaments[-1]
        highest = max(player.openings[first:])
        if player.played < 30 or (age == "junior" and r < 2300):
            k = 40
        else:
            k = 10 if highest >= 2400 else 20
        k = min(k, math.floor(700 / len(games)))
        change = 0.0
        for other, points in games:
            d = r - other
            if r < 2650 - 1e-9:
                d = max(-400, min(400, d))
            change += points - expected(d)
        return max(r + k * change, min(lowest, r))

    return rate_tournaments(events, mu, period, settle)
