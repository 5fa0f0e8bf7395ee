"""What rules of federations share: the games of a tournament count at once, by the ratings before it.

A tournament is all of a player's games in one rating period; with events as periods, each game is one. The
rating is computed again after every game of a tournament, from its opening and all its games so far, so that
nothing has to run at its end.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import DAY
from podium.numerics.win_chances import LN10, logistic_of
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import FINITE, NOT_NEGATIVE, Range
from podium.systems.contract.periodic_system import PeriodicSystem
from podium.systems.contract.simple_system import Numbers, SimpleEvent, SimplePlayer, SimpleSystem
from podium.systems.contract.state import State

Pair = tuple[SimplePlayer, SimplePlayer]
"""The two players of a game."""


class Tournament(NamedTuple):
    """A player's games of a tournament so far."""

    rating: Any
    """All numbers of the player's rating; `opening` is `mu` before the tournament."""
    played: int
    """Rated games before the tournament."""
    games: int
    points: float
    expected: float
    opponents: float
    """The sum of the opponents' ratings."""
    last_points: float
    """What the game scored that was played just now."""
    last_opponent: float


@dataclass(frozen=True, kw_only=True)
class FederationSystem(PeriodicSystem, SimpleSystem):
    """A system of matches between two, rated by tournaments."""

    supports: ClassVar[Capabilities] = Capabilities(ties=True, time=True)
    has_sigma: ClassVar[bool] = False
    ranges: ClassVar[Mapping[str, Range]] = {
        **{name: Range(-1e12, 1e12) for name in ("mu", "opening", "opponents")},
        "games": NOT_NEGATIVE,
        "period_number": FINITE,
    }

    mu: float = parameter(1500.0, "rating of a newcomer", low=-1e9, search=(500.0, 2500.0))
    period: str = parameter(
        "event", 'tournament: "event", or a duration such as "7d" whose games count as one tournament'
    )

    # ------------------------------------------------------------------ what differs

    @abstractmethod
    def settled(self, tournament: Tournament) -> dict[str, float]:
        """`mu` after the games of a tournament so far, and other numbers that it changes."""

    def kept(self) -> dict[str, float]:
        """Further numbers of a newcomer's rating."""
        return {}

    def counted_score(self, players: Pair, opening: float, other: float) -> float:
        """The expected score of the first of two players, from ratings before the tournament."""
        return self.expected(opening - other)

    def expected(self, difference: float) -> float:
        """The expected score of a player rated so much above the other."""
        return float(logistic_of(LN10 / 400.0 * difference))

    # ------------------------------------------------------------------ the contract

    def first(self) -> dict[str, float]:
        """`mu`, the tournament under way, and what else a federation keeps."""
        under_way = {"opening": self.mu, "games": 0.0, "points": 0.0, "expected": 0.0, "opponents": 0.0}
        return {"mu": self.mu, **under_way, "period_number": -1e9, **self.kept()}

    def chance(self, a: Any, b: Any) -> float:
        """The expected score by both ratings."""
        return self.expected(a.mu - b.mu)

    def rate(self, event: SimpleEvent) -> Sequence[Numbers]:
        """One game, as a part of both players' tournaments."""
        a, b = event.players
        number = None if self.period == "event" else float(event.day * DAY // self.period_length)  # type: ignore[operator]
        ours, theirs = (self._opening(player.rating, number) for player in (a, b))
        return [
            self._after((a, b), (ours, theirs), number),
            self._after((b, a), (theirs, ours), number),
        ]

    def _opening(self, rating: Any, number: float | None) -> float:
        """The rating before the tournament that a game belongs to."""
        return float(rating.opening if number is not None and rating.period_number == number else rating.mu)

    def _after(self, players: Pair, ratings: tuple[float, float], number: float | None) -> dict[str, float]:
        opening, other = ratings
        player, opponent = players
        rating, points = player.rating, player.score(opponent)
        same = number is not None and rating.period_number == number
        games = rating.games + 1.0 if same else 1.0
        now = {
            "opening": opening,
            "games": games,
            "points": points + (rating.points if same else 0.0),
            "expected": self.counted_score(players, opening, other) + (rating.expected if same else 0.0),
            "opponents": other + (rating.opponents if same else 0.0),
            "period_number": -1e9 if number is None else number,
        }
        under_way = rating._replace(**now)
        played = player.events - int(games) + 1
        totals = (now["points"], now["expected"], now["opponents"])
        tournament = Tournament(under_way, played, int(games), *totals, points, other)
        return {**now, **self.settled(tournament)}

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings; a tournament under way ends."""
        super().set_belief(state, players, mu, sigma)
        index = np.arange(state.size)[players]
        state["opening"][index] = mu
        state["period_number"][index] = -1e9


@dataclass(frozen=True, kw_only=True)
class FirstRatingSystem(FederationSystem):
    """A federation that gives players a first rating by their first games, and then rates them as usual.

    A player who was unrated before a tournament is unrated in all of it. What `mu` is until there are enough
    games is the federation's to say.
    """

    ranges: ClassVar[Mapping[str, Range]] = {
        **FederationSystem.ranges,
        "first_games": NOT_NEGATIVE,
        "rated": Range(0.0, 1.0),
        "was_rated": Range(0.0, 1.0),
    }

    @abstractmethod
    def first_rating(
        self, tournament: Tournament, games: float, points: float, mean: float
    ) -> dict[str, float]:
        """`mu`, whether there is a rating now (`rated`) and other numbers, after the first games.

        `mean` is that of the opponents' ratings.
        """

    @abstractmethod
    def next_rating(self, tournament: Tournament) -> dict[str, float]:
        """`mu` of a rated player, and other numbers that a tournament changes."""

    def kept(self) -> dict[str, float]:
        """Whether there is a rating, now and before the tournament, and the first games."""
        first = {"first_games": 0.0, "first_points": 0.0, "first_opponents": 0.0}
        return {"rated": 0.0, "was_rated": 0.0, **first}

    def settled(self, tournament: Tournament) -> dict[str, float]:
        """The first rating, or the next."""
        rating = tournament.rating
        if rating.rated if tournament.games == 1 else rating.was_rated:
            return {"was_rated": 1.0, **self.next_rating(tournament)}
        games = rating.first_games + 1.0
        points = rating.first_points + tournament.last_points
        opponents = rating.first_opponents + tournament.last_opponent
        first = {"first_games": games, "first_points": points, "first_opponents": opponents}
        found = self.first_rating(tournament, games, points, opponents / games)
        return {"was_rated": 0.0, **first, **found}

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings; a player who has one is rated."""
        super().set_belief(state, players, mu, sigma)
        state["rated"][np.arange(state.size)[players]] = 1.0
