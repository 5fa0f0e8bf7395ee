"""DWZ by the Wertungsordnung of the German Chess Federation, appendix 2.4."""

import math

from .events import Event, Outcome
from .tournaments import Player, logistic_score, rate_tournaments

# D(P) of appendix 2.1, for 0 to 50 percent.
GAPS = [-728, -614, -555, -513, -480, -453, -429, -408, -389, -371, -355, -340, -326, -312, -300, -288, -276]
GAPS += [-265, -254, -244, -234, -224, -214, -205, -196, -187, -178, -170, -161, -153, -145, -137, -129, -121]
GAPS += [-113, -106, -98, -91, -83, -76, -69, -61, -54, -47, -40, -32, -25, -18, -11, -4, 0]


def rate(events: list[Event], *, mu: float = 1000.0, age: str = "adult", period="event") -> Outcome:
    """Rate games; a tournament is a period."""

    rated: dict[int, int] = {}  # player -> the tournament in which the first rating came

    def settle(player: Player) -> float:
        now = len(player.tournaments)
        first = rated.get(id(player))
        if first is None or first == now:
            # 3.4: a first rating from five games, not all won and not all lost
            games = [game for games in player.tournaments for game in games]
            w = sum(points for _, points in games)
            if len(games) >= 5 and 0 < w < len(games):
                rated[id(player)] = now
                percent = math.floor(100 * w / len(games) + 0.5)
                rc = sum(other for other, _ in games) / len(games)
                rp = rc + GAPS[percent] if percent <= 50 else rc - GAPS[100 - percent]
                return 700 + rp / 8 if rp <= 800 else rp
            return usual(player, now)
        return usual(player, now - first + 1)

    def usual(player: Player, index: int) -> float:
        r0, games = player.opening, player.tournaments[-1]
        w = sum(points for _, points in games)
        we = sum(logistic_score(r0, other) for other, _ in games)
        j = {"adult": 15, "junior": 10, "youth": 5}[age]
        fb = min(1.0, max(0.5, r0 / 2000)) if age == "youth" else 1.0
        sbr = math.exp((1300 - r0) / 150) - 1 if age == "youth" and r0 < 1300 and w <= we else 0.0
        e = ((r0 / 1000) ** 4 + j) * fb + sbr
        e = min(e, 150) if sbr > 0 else min(e, 30, 5 * index)
        return r0 + 800 / (max(e, 5) + len(games)) * (w - we)

    return rate_tournaments(events, mu, period, settle)
