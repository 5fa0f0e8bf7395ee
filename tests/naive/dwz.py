"""DWZ by the Wertungsordnung of the German Chess Federation, appendix 2.4."""

import math

from .events import Event, Outcome
from .tournaments import Player, logistic_score, rate_tournaments


def rate(events: list[Event], *, mu: float = 1000.0, age: str = "adult", period="event") -> Outcome:
    """Rate games; a tournament is a period."""

    def settle(player: Player) -> float:
        r0, games = player.opening, player.tournaments[-1]
        w = sum(points for _, points in games)
        we = sum(logistic_score(r0, other) for other, _ in games)
        j = {"adult": 15, "junior": 10, "youth": 5}[age]
        fb = min(1.0, max(0.5, r0 / 2000)) if age == "youth" else 1.0
        sbr = math.exp((1300 - r0) / 150) - 1 if age == "youth" and r0 < 1300 and w <= we else 0.0
        e = ((r0 / 1000) ** 4 + j) * fb + sbr
        e = min(e, 150) if sbr > 0 else min(e, 30, 5 * len(player.tournaments))
        return r0 + 800 / (max(e, 5) + len(games)) * (w - we)

    return rate_tournaments(events, mu, period, settle)
