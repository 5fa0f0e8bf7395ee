"""What all kinds of events have in common: rounds at regular times, and the rows that come of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from podium.arrays import DAY, SECOND, Floats, Ints, Longs
from podium.errors import ParameterError, PodiumError
from podium.history.times import LATEST, to_duration, to_micros
from podium.parameters import Declared, parameter
from podium.simulation.people import Crowd, People
from podium.simulation.scatter import Scatter, deviation

FIRST_DAY = "2020-01-06"
"""A Monday."""
MOST_PEOPLE = 2**31
"""As many as a history can number."""
MOST_EVENTS = 1e10
"""Of a season; ten million take seconds."""


class EventRows(NamedTuple):
    """Events one after another, with what is known of each row and no history says."""

    sizes: Longs
    """Rows of each event."""
    player: Ints
    rank: Ints
    truth: dict[str, Floats]
    """Columns by name, `skill` first."""
    side: Ints | None = None
    team: Ints | None = None
    home: Ints | None = None
    """Who is at home, an event."""
    time: Longs = np.zeros(0, np.int64)
    """Of each event; the season says it."""

    def part(self, events: slice, rows: slice) -> EventRows:
        """Some of the events, with their rows."""
        return EventRows(
            self.sizes[events],
            self.player[rows],
            self.rank[rows],
            {name: column[rows] for name, column in self.truth.items()},
            None if self.side is None else self.side[rows],
            None if self.team is None else self.team[rows],
            None if self.home is None else self.home[events],
            self.time[events],
        )

    @classmethod
    def joined(cls, parts: list[EventRows]) -> EventRows:
        """The events of all parts, one part after another."""
        if len(parts) == 1:
            return parts[0]
        sizes, player, rank, truth, side, team, home, time = zip(*parts, strict=True)
        return cls(
            np.concatenate(sizes),
            np.concatenate(player),
            np.concatenate(rank),
            {name: np.concatenate([columns[name] for columns in truth]) for name in truth[0]},
            None if side[0] is None else np.concatenate(side),
            None if team[0] is None else np.concatenate(team),
            None if home[0] is None else np.concatenate(home),
            np.concatenate(time),
        )


def between_rounds(default: str) -> Any:
    """Declare the time between two rounds, which kinds of seasons have in common but for its default."""
    return parameter(
        default, "the time between two rounds, such as 7d or 12h. The events of a round are spread over it"
    )


@dataclass(frozen=True, kw_only=True)
class Season(Declared, ABC):
    """A kind of events and how many of them there are; the fields are the parameters."""

    shape: ClassVar[Literal["results", "matches"]] = "results"
    """Of the table it is written as."""
    usual_people: ClassVar[People]
    """Who plays where nobody is given."""

    interval: str = between_rounds("7d")
    start: str = parameter(FIRST_DAY, "the time of the first event")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, read in (("interval", to_duration), ("start", to_micros)):
            try:
                read(getattr(self, name))
            except PodiumError as error:
                raise ParameterError(f"{self.name}: {name}: {error.reason}", hint=error.hint) from None

    @property
    @abstractmethod
    def total(self) -> int:
        """How many events there are."""

    @abstractmethod
    def check(self, people: People) -> None:
        """Refuse people with whom it cannot begin."""

    @abstractmethod
    def most_events(self, there: int) -> int:
        """How many events a round of so many people has at most."""

    @abstractmethod
    def play(self, crowd: Crowd, number: int, most: int) -> EventRows | None:
        """Round `number`, from 0, with at most so many events; none where too few people are left."""

    def team_names(self, people: People) -> tuple[str, ...] | None:
        """What teams are called, by their numbers; none where they have no names."""
        return None

    def check_years(self, people: People) -> None:
        """Refuse a season that cannot end before the calendar does, however many come."""
        if not people.can_shrink:  # then it may end early
            fewest = -(-self.total // self.most_events(MOST_PEOPLE if people.newcomers else people.players))
            self._check_rounds(fewest)

    def _check_rounds(self, rounds: int) -> None:
        start, interval = to_micros(self.start), to_duration(self.interval)
        there_are = (LATEST - start) // interval
        if rounds > there_are:
            raise ParameterError(
                f"after {there_are:,} rounds of {self.interval} each there are no more years",
                hint="a shorter interval, or more at once",
            )

    def rounds(self, crowd: Crowd) -> Iterator[EventRows]:
        """All rounds; the season ends early where too few people are left."""
        start, interval = to_micros(self.start), to_duration(self.interval)
        left = self.total
        for number in count():
            if number:
                crowd.pass_time(interval / DAY)
            self._check_rounds(number + 1)
            rows = self.play(crowd, number, left)
            if rows is None:
                return
            events = len(rows.sizes)
            # A part i/events of the interval, which times i could be beyond 64 bits.
            whole, rest = divmod(interval, events)
            within = whole * np.arange(events) + rest * np.arange(events) // events
            # In whole seconds, as people write times.
            yield rows._replace(time=start + number * interval + within // SECOND * SECOND)
            left -= events
            if not left:
                return


@dataclass(frozen=True, kw_only=True)
class Performing(Season):
    """A season whose events are decided by performances around skills."""

    performances: Scatter | str = parameter(
        "normal", "distribution of performances, as for skills. gumbel suits races"
    )
    performance_deviation: float = deviation(
        200.0, "the standard deviation of a performance around the skill"
    )
    rounding: float = deviation(
        0.0, "results come in steps of this many points, and results within a step tie. 0 means no ties"
    )

    def perform(self, skill: Floats, chance: np.random.Generator) -> Floats:
        """A performance for each skill."""
        assert isinstance(self.performances, Scatter)
        return skill + self.performance_deviation * self.performances.draw(chance, len(skill))

    def rounded(self, performance: Floats) -> Floats:
        """Performances in steps of `rounding`: those within a step tie."""
        return np.round(performance / self.rounding) * self.rounding if self.rounding else performance
