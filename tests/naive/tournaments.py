"""What twins of federations share: every game a player has played, tournament by tournament.

A tournament is all games of one period; `period` is "event" or a length in days. In a tournament everybody
counts with the rating before their own first game of it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from .events import Event, Outcome, Row, score


@dataclass
class Player:
    """A player's rating, and all games: a list for each tournament, of (opponent's rating, points)."""

    rating: float
    opening: float = 0.0
    number: int | None = None
    tournaments: list[list[tuple[float, float]]] = field(default_factory=list)
    homes: list[list[int]] = field(default_factory=list)
    """For each game 1 if the player was at home, -1 if the opponent was, else 0."""
    openings: list[float] = field(default_factory=list)
    """The rating before each tournament."""

    @property
    def played(self) -> int:
        """Games before the tournament under way."""
        return sum(len(games) for games in self.tournaments[:-1])

    def before(self, number: int | None) -> float:
        """The rating with which the player enters a tournament, or has entered it."""
        return self.opening if number is not None and number == self.number else self.rating


def rate_tournaments(
    events: list[Event], mu: float, period: float | str, settle: Callable[[Player], float]
) -> Outcome:
    """Rate games one by one; `settle` finds the rating of a player from all tournaments so far."""
    players: dict[str, Player] = {}
    trace: list[Row] = []
    seen: set[str] = set()
    for event in events:
        (a,), (b,) = event.sides
        number = None if period == "event" else math.floor(event.time / period + 1e-9)
        for name in (a, b):
            players.setdefault(name, Player(mu))
        entered = [players[name].before(number) for name in (a, b)]
        for i, name in enumerate((a, b)):
            player = players[name]
            old = player.rating
            if name not in event.held:
                seen.add(name)
                if number is None or player.number != number:
                    player.tournaments.append([])
                    player.openings.append(entered[i])
                    player.homes.append([])
                player.opening, player.number = entered[i], number
                player.homes[-1].append(0 if event.home is None else 1 if event.home == i else -1)
                player.tournaments[-1].append((entered[1 - i], score(event, i, 1 - i)))
                player.rating = settle(player)
            trace.append(Row(name, old, None, player.rating, None))
    return Outcome({name: (players[name].rating, None) for name in seen}, trace)


def logistic_score(a: float, b: float) -> float:
    """1 / (1 + 10^((b - a)/400))."""
    return 1 / (1 + 10 ** ((b - a) / 400))
