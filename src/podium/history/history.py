"""A history of results: events in time order, stored by column.

Rows of all events lie one after another; `offsets[e]:offsets[e + 1]` are those of event `e`. A column that
nobody has given is None and costs nothing. Histories are never changed: slicing shares the arrays, everything
else makes new ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import (
    NO_TIME,
    Bools,
    Floats,
    Ints,
    Longs,
)
from podium.errors import InputError, ParameterError
from podium.history.adjustments import Adjustment, Placed
from podium.history.columns import columns_at
from podium.history.concatenation import between, concatenated, time_ordered, wanted_rows, with_rows
from podium.history.events import Event, collected, event_rows
from podium.history.names import Names
from podium.history.ragged import chunk_end, tied_rows
from podium.history.readings import Reading
from podium.history.summary import Summary
from podium.history.team_players import teams_as_players
from podium.history.times import Moment, Time, to_iso, to_micros
from podium.notebooks import html_table

if TYPE_CHECKING:
    import polars as pl
    from typing_extensions import TypeIs

    from podium.tables.columns.shapes import ReadKeywords


@dataclass(frozen=True)
class Skipped:
    """A row that was left out while reading, with the reason.

    Attributes:
        where: The file and row.
        reason: Why it was left out.

    >>> import podium
    >>> import polars as pl
    >>> table = pl.DataFrame({"event": ["cup"] * 3, "player": ["ann", "bob", None], "rank": [1, 2, 3]})
    >>> podium.read_history(table, on_bad_row="skip").skipped[0].reason
    'player is empty'
    """

    where: str
    reason: str


@dataclass(frozen=True, eq=False)
class History:
    """Results in time order.

    Attributes:
        players: The players by number.
        offsets: Where each event's rows begin, and the number of all rows at the end.
        player: Index into `players`, one for each row.
        rank: One for each row, where 1 is best. Equal ranks in an event are ties. All members of a team have
            its rank.
        time: Microseconds since 1970 UTC, one for each event. `NO_TIME` where it has no time.
        score: The score of each row's side. NaN where it has none.
        share: For each row, the part of the point that its side got in a match. NaN where only the ranks
            count.
        side: Number of the row's team inside its event, 0, 1, …; None if there are no teams.
        team: Index into `team_names` for each row, −1 for none: the team's name in the data.
        team_names: The names of teams.
        unrated: Rows out of competition: they count as opponents, and their own rating does not change.
        play: The part of the event in which a row's player took part, above 0 and up to 1.
        origin: For each row, the row of the table it was read from, counted from 0 within its file; −1 for
            none. None if no row was read from a table.
        weight: How much each event counts. None if each counts 1.
        home: For each event the player (or one member of the team) with home or first-move advantage; −1:
            none.
        ceiling: For each event the highest performance it can show. It is infinite if there is no ceiling.
        event_names: The name of each event. None if they are named by number.
        named: For each event, whether its name and time are its own, so that a ladder refuses it a second
            time. Numbers that podium assigns are not, nor are names in a table of matches, which may be
            tournaments.
        first_number: The number of the first event. Events without names are named by their number.
        adjustments: Changes of ratings that are not results, each with its place between events.
        skipped: Rows that were left out while reading.
        readings: How podium read each file. A slice of a history has none.

    >>> history = History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"], [1, 0.5, 0])
    >>> print(history.summary())
    3 events, 3 players, 6 rows (2.0 an event, at most 2), 33.3% tied
    >>> history.event(1).sides
    (('bob',), ('cat',))
    """

    players: Names
    offsets: Longs
    player: Ints
    rank: Ints
    time: Longs
    score: Floats | None = None
    share: Floats | None = None
    side: Ints | None = None
    team: Ints | None = None
    team_names: tuple[str, ...] | None = None
    unrated: Bools | None = None
    play: Floats | None = None
    origin: Ints | None = None
    weight: Floats | None = None
    home: Ints | None = None
    ceiling: Floats | None = None
    event_names: tuple[str, ...] | None = None
    named: Bools | None = None
    first_number: int = 1
    adjustments: tuple[Placed, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    readings: tuple[Reading, ...] = ()

    # ------------------------------------------------------------------ making one

    @classmethod
    def from_frame(cls, frame: Frame, **options: Unpack[ReadKeywords]) -> History:
        """A history from any dataframe (Polars, pandas, PyArrow, DuckDB).

        The options are those of `read_history`.
        """
        from podium.tables.dataframes import history_from_frame

        return history_from_frame(frame, **options)

    @classmethod
    def from_matches(
        cls,
        player_a: ArrayLike | Sequence[str],
        player_b: ArrayLike | Sequence[str],
        score_a: ArrayLike | float = 1.0,
        *,
        time: ArrayLike | Sequence[Time] | None = None,
        weight: ArrayLike | None = None,
        home: Literal["a", "b"] | None = None,
    ) -> History:
        """A history of two-player matches from columns.

        `score_a` is 1 if `player_a` won, 0.5 for a draw, 0 for a loss, or any share between. A single number
        holds for every match. `home` is the side with home advantage in all matches. Players are strings or
        integers. Times are anything that `read_history` accepts.
        """
        from podium.tables.dataframes import history_from_matches

        return history_from_matches(player_a, player_b, score_a, time=time, weight=weight, home=home)

    @classmethod
    def from_events(cls, events: Iterable[Event | Adjustment | Mapping[str, Any]]) -> History:
        """A history from single events, with the arguments of `Ladder.record`.

        Adjustments take their place in the sequence.

        If several events of one time share a name, it is the name of a group, such as a tournament. A ladder
        refuses a repeated event only if its name is unique.

        >>> final = {"scores": {"bob": 5, "cat": 9}, "name": "final"}
        >>> History.from_events([{"ranks": {"ann": 1, "bob": 2}}, final]).event(1).ranks
        (2, 1)
        """
        names = Names()
        single, adjustments = collected(events, names)
        return replace(history_of_values(single, names), adjustments=adjustments).in_time_order()

    # ------------------------------------------------------------------ looking at it

    def __len__(self) -> int:
        """The number of events."""
        return len(self.offsets) - 1

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the fields alone, as another thread may make a cached property meanwhile."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def rows(self) -> int:
        """The number of rows: one for each player of each event."""
        return int(self.offsets[-1])

    @cached_property
    def sizes(self) -> Longs:
        """The number of rows of each event."""
        return np.diff(self.offsets)

    @property
    def last_time(self) -> int:
        """The time of the last event or adjustment.  `NO_TIME` if neither has one."""
        ends: list[int] = self.time[-1:].tolist() + [placed.time for placed in self.adjustments[-1:]]
        return max(ends, default=NO_TIME)

    @property
    def last_event_time(self) -> int:
        """The time of the last event that counts for one of its players.  `NO_TIME` if there is none."""
        if self.unrated is None or not len(self):
            return int(self.time.max(initial=NO_TIME))
        counts = ~np.logical_and.reduceat(self.unrated, self.offsets[:-1])
        return int(self.time[counts].max(initial=NO_TIME))

    @cached_property
    def event_of_row(self) -> Longs:
        """The number of the event that each row belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def tied(self) -> Bools:
        """For each row, whether its side shares its rank with another side of the event."""
        return tied_rows(self.offsets, self.rank, self.side)

    @cached_property
    def sides_per_event(self) -> Longs:
        """Number of sides of each event."""
        """The number of sides in each event: teams, or players where there are no teams."""
        if self.side is None or not len(self):
            return self.sizes
        return np.maximum.reduceat(self.side, self.offsets[:-1]).astype(np.int64) + 1

    def event_name(self, event: int) -> str:
        """The name of event number `event`, counted from 0."""
        return str(self.first_number + event) if self.event_names is None else self.event_names[event]

    def find_event(self, name: str | int) -> int:
        """The number, counted from 0, of the event called `name`."""
        if found := self.events_called(wanted := str(name)):
            return found[0]
        raise InputError(f"there is no event {wanted!r}", hint=self._event_hint())

    def events_called(self, name: str) -> list[int]:
        """The numbers, counted from 0, of all events with this name, in order."""
        if self.event_names is not None:
            return [number for number, called in enumerate(self.event_names) if called == name]
        number = int(name) - self.first_number if name.isdecimal() else -1
        return [number] if 0 <= number < len(self) else []

    def _event_hint(self) -> str:
        if not len(self):
            return "the history is empty"
        if len(self) == 1:
            return f"the only event is called {self.event_name(0)!r}"
        return f"events are called {self.event_name(0)!r} to {self.event_name(len(self) - 1)!r}"

    def event(self, number: int) -> Event:
        """One event as an `Event`, with names. It is counted from 0, or from the end if negative."""
        number = range(len(self))[number]
        rows = slice(*self.offsets[number : number + 2].tolist())
        names = [self.players[p] for p in self.player[rows].tolist()]
        sides = list(range(len(names))) if self.side is None else self.side[rows].tolist()
        members: dict[int, list[str]] = {}
        for name, side in zip(names, sides, strict=True):
            members.setdefault(side, []).append(name)
        first = [sides.index(side) for side in members]
        home = -1 if self.home is None else int(self.home[number])
        share = np.nan if self.share is None else float(self.share[rows][0])
        scores = [np.nan] if self.score is None else self.score[rows][first].tolist()
        ceiling = np.inf if self.ceiling is None else float(self.ceiling[number])
        unrated = [] if self.unrated is None else np.flatnonzero(self.unrated[rows]).tolist()
        play = [] if self.play is None else self.play[rows].tolist()
        return Event(
            sides=tuple(tuple(m) for m in members.values()),
            ranks=tuple(self.rank[rows][first].tolist()),
            scores=None if np.isnan(scores).all() else tuple(scores),
            time=Moment(self.time[number]),
            weight=1.0 if self.weight is None else float(self.weight[number]),
            home=None if home < 0 else self.players[home],
            share=None if np.isnan(share) else share,
            unrated=frozenset(names[i] for i in unrated),
            play=tuple((name, part) for name, part in zip(names, play, strict=False) if part != 1.0),
            ceiling=None if np.isinf(ceiling) else ceiling,
            name=self.event_name(number),
            named=self.named is not None and bool(self.named[number]),
        )

    def __iter__(self) -> Iterator[Event]:
        return (self.event(number) for number in range(len(self)))

    def summary(self) -> Summary:
        """Events, players, rows, participants, ties and span."""
        return Summary.of(self)

    def __repr__(self) -> str:
        return f"<History: {self.summary()}>"

    def _repr_html_(self) -> str:
        rows = (
            (one.name, None if one.time == NO_TIME else to_iso(one.time), " + ".join(side), rank)
            for one in self
            for side, rank in zip(one.sides, one.ranks, strict=True)
        )
        count = int(self.sides_per_event.sum())
        return html_table(repr(self), ("event", "time", "player", "rank"), rows, count)

    def to_frame(self, shape: Literal["results", "matches"] = "results") -> pl.DataFrame:
        """The history as a table that `read_history` reads back without loss.

        The shape *matches* has one row for each event. It is refused if an event has more than two players.
        """
        from podium.tables.export import frame_from_history

        return frame_from_history(self, shape)

    # ------------------------------------------------------------------ parts of it

    def __getitem__(self, events: slice) -> History:
        """The events of a slice, with the adjustments that stand between them."""
        if not isinstance(events, slice):
            raise TypeError("slice a history, as in history[10:20]. For one event, use history.event(10)")
        start, stop, step = events.indices(len(self))
        if step != 1:
            raise InputError("a history can be sliced only in steps of one event")
        part = self._part(start, max(start, stop))
        if not start or not part.adjustments:
            return part
        selected = tuple(replace(placed, of_selection=True) for placed in part.adjustments)
        return replace(part, adjustments=selected)

    def _part(self, start: int, stop: int) -> History:
        """Some of the events, to be rated after those before them."""
        at_end = stop == len(self) and (start < stop or not len(self))
        return replace(
            self,
            offsets=self.offsets[start : stop + 1] - self.offsets[start],
            event_names=None if self.event_names is None else self.event_names[start:stop],
            first_number=self.first_number + start,
            adjustments=tuple(
                placed.moved(-start)
                for placed in self.adjustments
                if start <= placed.before < stop or (at_end and placed.before == stop)
            ),
            skipped=(),
            readings=(),
            **columns_at(self, slice(self.offsets[start], self.offsets[stop]), slice(start, stop)),
        )

    def between(self, start: Time | None = None, end: Time | None = None) -> History:
        """The events with start ≤ time < end, and the adjustments of that time.

        >>> history = History.from_matches(["ann", "bob"], ["bob", "ann"], time=["2025-05-01", "2026-05-01"])
        >>> len(history.between("2026-01-01"))
        1
        """
        return between(self, start, end)

    def filter(
        self,
        events: Callable[[Event], bool] | Collection[str] | ArrayLike | None = None,
        players: Callable[[str], bool] | Collection[str] | None = None,
    ) -> History:
        """Only the events and the players wanted, chosen by names or a function.

        Events can also be chosen by a mask.

        An event left with fewer than two sides is left out. Adjustments stay, as they name their players.

        >>> history = History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": "final"}])
        >>> history.filter(players=["ann", "cat"]).event(0).sides
        (('ann',), ('cat',))
        """
        return with_rows(self, wanted_rows(self, events, players))

    def with_rows(self, keep: Bools) -> History:
        """Only the rows marked. Events with fewer than two sides left are dropped."""
        return with_rows(self, keep)

    def teams_as_players(self, *, by: Literal["name", "members"] = "name") -> History:
        """The same results with every team as one player, for teams that stay together.

        A team has its name in the data, if it has one and `by` is "name". Otherwise it is named by its
        members.

        >>> history = History.from_events([{"teams": [["bob", "ann"], ["cat"]], "ranks": [1, 2]}])
        >>> history.teams_as_players().event(0).sides
        (('ann + bob',), ('cat',))
        """
        return teams_as_players(self, by=by)

    def chunks(self, rows: int) -> Iterator[History]:
        """Cut the history into pieces of whole events of about `rows` rows each. The first has `readings`."""
        start = 0
        while start < len(self):
            stop = chunk_end(self.offsets, start, rows)
            yield replace(self._part(start, stop), readings=() if start else self.readings)
            start = stop
        if not len(self):
            yield self

    # ------------------------------------------------------------------ several of them

    @classmethod
    def concat(cls, histories: Iterable[History]) -> History:
        """All events of several histories, sorted by time. Equal times keep the order given.

        Ratings that a history without events sets come before the events of their time.
        """
        given = list(histories)
        if not given:
            raise InputError("there is nothing to concatenate")
        return concatenated(given, ratings_first=True).in_time_order()

    def with_players(self, names: Names) -> History:
        """The same history with its players numbered as in `names`. New players are added to `names`."""
        if names is self.players:
            return self
        index = names.join(self.players)
        if index is None:
            return replace(self, players=names)
        home = self.home
        return replace(
            self,
            players=names,
            player=index[self.player],
            home=None if home is None else np.where(home < 0, np.int32(-1), index[home]),
        )

    def in_time_order(self) -> History:
        """The same events sorted by time, stably: equal times keep their order."""
        return time_ordered(self)

    def with_adjustments(self, adjustments: Iterable[tuple[Time | None, Adjustment]]) -> History:
        """The history with more adjustments, each before the first event at or after its time.

        An adjustment without a time comes before all events.
        """
        names = Names(self.players)
        placed = list(self.adjustments)
        for time, adjustment in adjustments:
            micros = to_micros(time)
            placed.append(Placed(int(np.searchsorted(self.time, micros, "left")), micros, adjustment))
            placed[-1].register(names)
        placed.sort(key=lambda p: (p.before, p.time))
        return replace(self, players=names, adjustments=tuple(placed)).in_time_order()


def history_of_values(events: Sequence[Event], names: Names) -> History:
    """A history of these events in the order given; adds their players to `names`."""
    return History(players=names, **event_rows(events, names))


# ---------------------------------------------------------------------- what can be one


class Frame(Protocol):
    """A dataframe of any library that Narwhals supports: Polars, pandas, PyArrow, DuckDB."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""


HistoryLike = History | str | os.PathLike[str] | IO[bytes] | IO[str] | Frame
"""A history, or what `read_history` makes one of: a path, an open file, a dataframe."""


def is_frame(given: object) -> TypeIs[Frame]:
    """Whether this looks like a dataframe."""
    return hasattr(type(given), "columns")  # of the type: a lazy frame would look for them


def is_history_like(given: object) -> TypeIs[HistoryLike]:
    """Whether `history_meant` can make a history of this."""
    return isinstance(given, (History, str, os.PathLike)) or is_frame(given) or hasattr(given, "read")


def history_meant(given: HistoryLike, taker: str, **options: Unpack[ReadKeywords]) -> History:
    """The history that somebody gave to the function `taker`, which is read unless it is one already.

    `options` are those of `read_history`, with which the taker was called.
    """
    if options:
        from podium.tables.columns.shapes import ReadKeywords

        for name in options:
            if name not in ReadKeywords.__annotations__:
                raise TypeError(f"{taker}() got an unexpected keyword argument {name!r}")
    if isinstance(given, History):
        if options:
            raise ParameterError(
                f"this history has been read already: {', '.join(options)}",
                hint="pass reading options to read_history",
            )
        return given
    if not is_history_like(given):
        raise ParameterError(
            f"{taker} takes a history, not {type(given).__name__}",
            hint="or the path of a file, or a dataframe. For a list, use podium.History.from_events(events)",
        )
    from podium.tables import read_history

    return read_history(given, **options)
