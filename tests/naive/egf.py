"""The rating of European go by the page of the European Go Database, since 2021."""

import math

from .events import Event, Outcome
from .tournaments import Player, rate_tournaments


def rate(events: list[Event], *, mu: float = 100.0, home_advantage=0.0, period="event") -> Outcome:
    """Rate games; a tournament is a period."""

    def beta(r: float) -> float:
        return -7 * math.log(3300 - r)

    def settle(player: Player) -> float:
        r, total = player.opening, player.opening
        for (other, points), home in zip(player.tournaments[-1], player.homes[-1], strict=True):
            # 100 points a stone, less 50, for the player with the handicap
            one, two = r + home_advantage * (home == 1), other + home_advantage * (home == -1)
            se = 1 / (1 + math.exp(beta(two) - beta(one)))
            total += ((3300 - r) / 200) ** 1.6 * (points - se) + math.log(1 + math.exp((2300 - r) / 80)) / 5
        return max(total, -900)

    return rate_tournaments(events, mu, period, settle)
