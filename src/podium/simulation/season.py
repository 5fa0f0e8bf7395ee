"""What all kinds of events have in common: rounds at regular times, and the rows that come of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from podium.arrays import DAY, SECOND, Floats, Ints, Longs
from podium.errors import InputError, ParameterError
from podium.history.times import LATEST, TIME_HINT, to_duration, to_micros
from podium.simulation.people import Crowd, People
from podium.simulation.scatter import Scatter
from podium.simulation.settings import DEVIATION, Limits, check_numbers, find_named

START = "2020-01-06"
"""A Monday."""
MOST_PEOPLE = 2**31
"""As many as a history can number."""


class Rows(NamedTuple):
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

    def part(self, events: slice, rows: slice) -> Rows:
        """Some of the events, with their rows."""
        return Rows(
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
    def joined(cls, parts: list[Rows]) -> Rows:
        """All events of several."""
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


@dataclass(frozen=True, kw_only=True)
class Season(ABC):
    """A kind of events and how many of them there are; the fields are the parameters."""

    shape: ClassVar[Literal["results", "matches"]] = "results"
    """Of the table it is written as."""
    usual_people: ClassVar[People]
    """Who plays where nobody is given."""
    limits: ClassVar[Limits]
    """Of its numbers."""

    interval: str = "7d"
    """The time between two rounds, such as 7d or 12h; events of a round are spread over it."""
    start: str = START
    """The time of the first event."""

    def __post_init__(self) -> None:
        check_numbers(self, self.limits)
        try:
            to_duration(str(self.interval))
        except ParameterError as error:
            raise ParameterError(f"interval: {error.reason}", hint=error.hint) from None
        if self.start is None:
            raise ParameterError("start is None", hint=TIME_HINT)
        try:
            to_micros(self.start)
        except InputError as error:
            raise ParameterError(f"start: {error.reason}", hint=error.hint) from None

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
    def play(self, crowd: Crowd, number: int, most: int) -> Rows | None:
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

    def rounds(self, crowd: Crowd) -> Iterator[Rows]:
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

    limits: ClassVar[Limits] = {"performance_deviation": DEVIATION, "rounding": DEVIATION}

    performances: Scatter | str = "normal"
    """How performances scatter: as `skills`; gumbel for races."""
    performance_deviation: float = 200.0
    """The standard deviation of a performance around the skill."""
    rounding: float = 0.0
    """Results come in steps of so many points, and those within a step tie; 0 for no ties."""

    def __post_init__(self) -> None:
        super().__post_init__()
        find_named(self, "performances", Scatter)

    def perform(self, skill: Floats, chance: np.random.Generator) -> Floats:
        """A performance for each skill."""
        assert isinstance(self.performances, Scatter)
        return skill + self.performance_deviation * self.performances.draw(chance, len(skill))

    def rounded(self, performance: Floats) -> Floats:
        """Results as they are counted."""
        return np.round(performance / self.rounding) * self.rounding if self.rounding else performance
