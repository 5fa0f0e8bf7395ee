"""Matches of teams, each as good as its members' performances together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import ParameterError
from podium.history.ragged import competition_ranks
from podium.parameters import parameter
from podium.simulation.people import Crowd, People
from podium.simulation.scatter import count, some_part
from podium.simulation.season import MOST_EVENTS, EventRows, Performing, between_rounds

MOST_IN_A_MATCH = 1e6
"""Teams, and players of a team."""


@dataclass(frozen=True, kw_only=True)
class Teams(Performing):
    """Matches of teams, a round of them a day unless another `interval` is given."""

    name: ClassVar[str] = "teams"
    usual_people: ClassVar[People] = People(players=1_000, drift=5.0)

    matches: int = count(10_000, "number of matches", most=MOST_EVENTS)
    teams: int = count(2, "in a match", least=2, most=MOST_IN_A_MATCH)
    size: int = count(5, "players of a team", most=MOST_IN_A_MATCH)
    smallest: int = parameter(
        0,
        "number of players in the smallest team, if teams differ in size. 0: all teams have the same size",
        high=MOST_IN_A_MATCH,
        hint="one or more, or 0 for equal sizes",
    )
    strength: Literal["sum", "mean"] = parameter(
        "sum", "performance of a team: the sum of its members' points above skill_mean, or their mean"
    )
    lineups: Literal["random", "balanced", "fixed"] = parameter(
        "random", "how teams form: random, balanced by skill, or fixed for the whole season"
    )
    turnout: float = some_part(0.5, "the fraction of players who play in a round, each once")
    interval: str = between_rounds("1d")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smallest > self.size:
            raise ParameterError(f"smallest is {self.smallest}", hint=f"at most size, {self.size}")
        if self.smallest not in (0, self.size) and self.lineups != "random":
            raise ParameterError(
                f"teams of {self.smallest} to {self.size} with {self.lineups} lineups",
                hint="teams of different sizes have random lineups",
            )

    @property
    def total(self) -> int:
        """How many matches there are."""
        return self.matches

    def check(self, people: People) -> None:
        """A match needs its teams; fixed ones stay together."""
        if self.teams * self.size > people.players:
            raise ParameterError(
                f"{self.teams} teams of {self.size} among {people.players} players",
                hint="fewer or smaller teams, or more players",
            )
        if self.lineups == "fixed":
            people.check_steady("fixed lineups")

    def most_events(self, there: int) -> int:
        """One for the teams that can be made of those who play."""
        return max(round(self.turnout * there) // (self.teams * self.size), 1)

    def team_names(self, people: People) -> tuple[str, ...] | None:
        """Only teams that stay have names."""
        if self.lineups != "fixed":
            return None
        clubs = people.players // self.size
        return tuple(f"t{number:0{len(str(clubs - 1))}}" for number in range(clubs))

    def play(self, crowd: Crowd, number: int, most: int) -> EventRows | None:
        """Make teams, add up their performances, and rank them."""
        if len(crowd) < self.teams * self.size:
            return None
        matches = min(self.most_events(len(crowd)), most)
        places, club = self._lineups(crowd, matches)
        sizes = self._sizes(crowd, matches)
        here = np.arange(self.size) < sizes[:, :, np.newaxis]
        places, per_team = places[here], sizes.ravel()
        skill = crowd.skill(places)
        performance = self.perform(skill, crowd.chance)
        result = self.rounded(self.team_performances(performance, per_team, crowd.people.skill_mean))
        rank = competition_ranks(np.repeat(np.arange(matches), self.teams), -result)
        side = np.tile(np.arange(self.teams, dtype=np.int32), matches)
        player = crowd.player[places]
        crowd.play(places)
        return EventRows(
            sizes.sum(axis=1),
            player,
            np.repeat(rank, per_team),
            {"skill": skill, "performance": performance},
            np.repeat(side, per_team),
            None if club is None else np.repeat(club.ravel().astype(np.int32), per_team),
        )

    def team_performances(self, performance: Floats, per_team: Longs, middle: float) -> Floats:
        """Of teams of so many members each, whose performances stand one after another."""
        start = np.cumsum(per_team) - per_team
        total: Floats = np.add.reduceat(performance - middle, start)
        return total / per_team if self.strength == "mean" else total

    def _lineups(self, crowd: Crowd, matches: int) -> tuple[Longs, Longs | None]:
        """Places by match, team and member, and the numbers of teams that have one."""
        shape = (matches, self.teams, self.size)
        if self.lineups == "fixed":
            club = crowd.chance.choice(len(crowd) // self.size, matches * self.teams, replace=False)
            places = club[:, np.newaxis] * self.size + np.arange(self.size)
            return places.reshape(shape), club
        places = crowd.draw(matches * self.teams * self.size)
        if self.lineups == "random":
            return places.reshape(shape), None
        # Best first they choose in turn, and the last of one turn begins the next.
        places = places.reshape(matches, -1)
        order = np.argsort(-crowd.skill(places), axis=1)
        turns = np.take_along_axis(places, order, axis=1).reshape(matches, self.size, self.teams)
        turns[:, 1::2] = turns[:, 1::2, ::-1].copy()
        # Who chooses first is better off, and must not always be the same side.
        side = np.argsort(crowd.chance.random((matches, self.teams)), axis=1)
        return np.take_along_axis(turns.transpose(0, 2, 1), side[:, :, np.newaxis], axis=1), None

    def _sizes(self, crowd: Crowd, matches: int) -> Longs:
        """Members of each team of each match."""
        shape = (matches, self.teams)
        if self.smallest in (0, self.size):
            return np.full(shape, self.size)
        return crowd.chance.integers(self.smallest, self.size + 1, shape)
