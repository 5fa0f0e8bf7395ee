"""A ladder whose players have numbers: the index of each is their number in the log, for ever.

Names are only labels here. A rename changes a label, and a merge frees the label of the account that is gone;
so a log that names players by number gives the same ratings whatever they are called now. What is saved has
numbers in place of names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Floats, Longs
from podium.documents.plain_data import plain_number
from podium.documents.rating_documents import ChangeDocument
from podium.errors import InputError, StateError, UnknownPlayerError
from podium.history import Adjustment, Event, History, Merge, Names, Rename
from podium.history.history import history_of_values
from podium.ladder.ladder import Ladder
from podium.server.log.log_entries import Account, LogEntry, Renamed
from podium.server.log.reports import free_label, is_free
from podium.server.problems import AmendmentError
from podium.systems import RatingSystem, System
from podium.systems.contract.ratings import AdjustedRatings, Trace
from podium.text import shorten

ADJUSTED = -1
"""The rank in a change that an adjustment made: it is no result."""

UNSURE = ("performance", "expected", "draw")
"""Columns of changes that have no finite value in some rows."""

HINTED_PLAYERS = 300
"""Players among whom one is looked for who may be meant by a wrong name: some milliseconds."""

Note = Callable[[LogEntry], None]
Answer = TypeVar("Answer")


class ChangeRow(NamedTuple):
    """What one entry of the log did to one player."""

    seq: int
    player: int
    rank: int
    """The player's place, or `ADJUSTED`."""
    mu_before: float
    sigma_before: float | None
    display_before: float
    performance: float | None
    mu: float
    sigma: float | None
    display: float
    rated: bool
    """Whether it could change the rating: not that of a guest, nor a fixed one."""
    expected: float | None
    """The score that was to be expected, if `mu` and `sigma` do not tell it."""
    draw: float | None
    """The chance of a draw, if the system is calibrated; what older versions rated does not tell it."""

    @property
    def is_result(self) -> bool:
        """Whether an event made it, not an adjustment."""
        return self.rank != ADJUSTED

    def document(self, name: str) -> ChangeDocument:
        """The change of a player of this name as plain data."""
        return {
            "player": name,
            "rank": self.rank if self.is_result else None,
            "mu_before": self.mu_before,
            "sigma_before": self.sigma_before,
            "display_before": self.display_before,
            "performance": self.performance,
            "mu": self.mu,
            "sigma": self.sigma,
            "display": self.display,
            "gain": self.display - self.display_before,
        }


def trace_of(system: RatingSystem, rows: Sequence[ChangeRow], *, performance: bool) -> Trace:
    """What changes say as the trace of the rows of a history; performances only where they are wanted."""
    draw = any(row.draw is not None for row in rows)
    trace = Trace.for_rows(
        len(rows), sigma=system.has_sigma, performance=performance, expected=True, draw=draw
    )
    columns = ["mu_before", "mu", "expected", "rated"]
    columns += ["draw"] if draw else []
    columns += ["sigma_before", "sigma"] if system.has_sigma else []
    columns += ["performance"] if performance else []
    for name in columns:
        column = getattr(trace, name)
        # None becomes NaN: what was expected is not kept where the beliefs tell it.
        column[:] = np.array([getattr(row, name) for row in rows], column.dtype)
    return trace


class ChangeColumns(NamedTuple):
    """Rows of the table `change` by column, in the order of `ChangeRow`; what a system has not is empty."""

    seq: NDArray[Any]
    player: NDArray[Any]
    rank: NDArray[Any]
    mu_before: NDArray[Any]
    sigma_before: NDArray[Any]
    display_before: NDArray[Any]
    performance: NDArray[Any]
    mu: NDArray[Any]
    sigma: NDArray[Any]
    display: NDArray[Any]
    rated: NDArray[Any]
    expected: NDArray[Any]
    draw: NDArray[Any]

    def change_rows(self) -> Iterator[ChangeRow]:
        """The rows one by one."""
        return map(ChangeRow._make, self.rows())

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The values of each row; those that no database could compare are None."""
        nothing = [None] * len(self.seq)
        return zip(*(self._values(name) or nothing for name in self._fields), strict=True)

    def by_player(self) -> ChangeColumns:
        """The same rows, those of a player together: a database writes the fewest pages of its index so."""
        order = np.lexsort((self.seq, self.player))
        return ChangeColumns(*(column[order] if len(column) else column for column in self))

    def stored(self) -> dict[str, NDArray[Any]]:
        """The columns that are not empty, with NaN for what no database could compare."""
        columns = zip(self._fields, self, strict=True)
        return {
            name: np.where(np.isfinite(column), column, np.nan) if name in UNSURE else column
            for name, column in columns
            if len(column)
        }

    @property
    def layout(self) -> tuple[bool, ...]:
        """Which columns are not empty."""
        return tuple(len(column) > 0 for column in self)

    @classmethod
    def joined(cls, changes: Iterable[ChangeColumns]) -> list[ChangeColumns]:
        """The same rows with those of one layout together, in the order of their table."""
        alike: dict[tuple[bool, ...], list[ChangeColumns]] = {}
        for one in changes:
            alike.setdefault(one.layout, []).append(one)
        found = [cls._make(map(np.concatenate, zip(*some, strict=True))) for some in alike.values()]
        return [one._ordered() for one in found]

    def _ordered(self) -> ChangeColumns:
        order = np.lexsort((self.player, self.seq))
        return ChangeColumns._make(column[order] if len(column) else column for column in self)

    def _values(self, name: str) -> list[Any]:
        column = getattr(self, name)
        return _finite(column) if name in UNSURE else column.tolist()


class _TakenBackError(Exception):
    """Entries were rated only to see whether they are refused."""


class NumberedLadder(Ladder):
    """A ladder that rates entries of a log."""

    def __init__(self, system: System | None = None) -> None:
        super().__init__(system)
        self._former: dict[int, str] = {}
        """Labels that the change under way has replaced."""
        self.merged: Mapping[int, Account] = {}
        """Accounts that were merged into others, by number; whoever changes this puts another one here."""
        self.relabelled: set[int] = set()
        """Players who are called otherwise than when somebody last emptied this."""

    # ------------------------------------------------------------------ names

    def _name_meant(self, name: str) -> str | None:
        """A hint at a player, among few: others wait for this ladder while names are compared."""
        if len(self.players) > HINTED_PLAYERS:
            return "the page …/search?q= finds players by a part of their names"
        return super()._name_meant(name)

    def number_of(self, name: str) -> int:
        """The number of a player who is there."""
        return self.players.index_of[name]

    def name_of(self, number: int) -> str:
        """What the player of a number is called now."""
        if number < 0:
            raise IndexError(number)
        return self.players[number]

    def account_name(self, number: int) -> str:
        """The same, of accounts that were merged too."""
        return self.name_of(number)

    def add_names(self, names: Iterable[str | None]) -> None:
        """Let the next numbers have these names; None is nobody."""
        first = len(self.players)
        labels = [free_label(first + place) if name is None else name for place, name in enumerate(names)]
        self.players.add_all(labels)  # which keeps the index of the names that are there
        if len(self.players) != first + len(labels):
            raise StateError("two players have the same name")
        self.state.grow(len(self.players))

    def relabel(self, names: Mapping[int, str | None]) -> None:
        """Call the players of these numbers otherwise from now on; None is nobody."""
        if not self._former:  # who reads without the lock goes on with the names as they were
            self.players = self.players.copy()
        self._former |= {number: self.players[number] for number in names if number not in self._former}
        self.relabelled |= names.keys()
        self.players.relabel(
            {number: free_label(number) if name is None else name for number, name in names.items()}
        )

    def account(self, number: int) -> Account:
        """What the account of a number is called now."""
        label = self.players[number]
        return self.merged.get(number, Account(None if is_free(label) else label))

    def call(self, number: int, account: Account) -> None:
        """Call an account otherwise from now on; refused if somebody else has the name."""
        if account.name is not None and self.players.find(account.name) not in (None, number):
            raise AmendmentError(
                f"another player is named {shorten(account.name)!r} by now",
                hint="rename that player first",
            )
        self.relabel({number: account.name})
        others = {one: other for one, other in self.merged.items() if one != number}
        self.merged = others if account.merged_into is None else {**others, number: account}

    def numbered(self) -> NumberedLadder:
        """An independent copy in which players are called by their numbers: there is nothing to forget."""
        twin, size = self.nameless(), len(self.players)
        twin.players = Names(map(str, range(size)))
        twin.state.grow(size)
        return twin

    def nameless(self) -> NumberedLadder:
        """An independent copy of everything but the names, which whoever uses it puts in.

        Others may read the ladder meanwhile. Whoever calls this makes sure that nobody changes it.
        """
        twin = NumberedLadder(self.system)
        twin.state, twin._repeats = self.state.copy(), self._repeats.copy()
        twin.last_time, twin.last_event_time = self.last_time, self.last_event_time
        twin.n_events = self.n_events
        return twin

    def participants(self, names: Iterable[str]) -> NumberedLadder:
        """A ladder of only these players, as they are now; who is unknown is a newcomer there, too."""
        known = [name for name in dict.fromkeys(names) if self.players.find(name) is not None]
        twin = NumberedLadder(self.system)
        twin.players = Names(known)
        twin.state = self.state.take(np.array([self.number_of(name) for name in known], np.int64))
        twin.last_time, twin.last_event_time = self.last_time, self.last_event_time
        twin.n_events = self.n_events
        twin._repeats = self._repeats.copy()
        return twin

    # ------------------------------------------------------------------ rating

    def rate(
        self, entries: Iterable[LogEntry], note: Note | None = None, *, again: bool = False
    ) -> list[ChangeColumns]:
        """Rate entries of the log in order: what they did; if one is refused, nothing changes.

        Each adjustment is asked for when those before it are made: the last one is the one that is refused.
        `note` is called with each entry when its players have the names that it calls them by, and with the
        time at which it is rated: that of the entry, or the last one before it if that is later. Entries that
        are late or amend others get numbers for their players, nothing else. What is in the log is rated
        `again`: an event may then have the name of another one, and an adjustment of somebody whose results
        are void does nothing.
        """
        return self.tried(lambda: self._rate_entries(entries, note or (lambda entry: None), again))

    def check_rateable(self, entries: Sequence[LogEntry]) -> None:
        """Refuse entries that `rate` refuses; nothing changes."""

        def rate_and_take_back() -> None:
            self._rate_entries(entries, lambda entry: None, False)
            raise _TakenBackError

        with suppress(_TakenBackError):
            self.tried(rate_and_take_back)

    def tried(self, change: Callable[[], Answer]) -> Answer:
        """Change the ladder; if that raises an error, nothing changes."""
        merged = self.merged
        try:
            return self._all_or_nothing(change)
        except BaseException:
            self.players.relabel(
                {number: name for number, name in self._former.items() if number < len(self.players)}
            )
            self.merged = merged
            raise
        finally:
            self._former = {}

    def _rate_entries(self, entries: Iterable[LogEntry], note: Note, again: bool) -> list[ChangeColumns]:
        rated: list[ChangeColumns | None] = []
        for is_event, group in groupby(
            entries, key=lambda entry: entry.is_ordinary and isinstance(entry.content, Event)
        ):
            if is_event:
                rated.append(self._rate_run(list(group), note, again))
                continue
            for entry in group:
                if entry.is_ordinary:
                    rated.append(self._adjust(entry, note, again))
                else:
                    self._enter(entry, note)
        return [columns for columns in rated if columns is not None]

    def _enter(self, entry: LogEntry, note: Note) -> None:
        """Give everybody a number who is named in an entry that is not rated where it stands."""
        for number, account in entry.accounts:
            self.call(number, account)
        if isinstance(entry.content, Event):
            for side in entry.content.sides:
                self.players.add_all(side)
            self.state.grow(len(self.players))
        note(entry)

    def _rate_run(self, entries: list[LogEntry], note: Note, again: bool) -> ChangeColumns | None:
        """Rate events. Everybody in them gets a number, also who is disqualified or plays for nothing."""
        for entry in entries:
            self._check_repeat(entry, again)
        entries, counted = self._clocked(entries)
        history = history_of_values([event for _, event in counted], self.players)
        for entry in entries:
            if not entry.rated or entry.disqualified:
                for side in entry.content.sides:  # type: ignore[union-attr]
                    self.players.add_all(side)
        self.state.grow(len(self.players))
        for entry in entries:
            note(entry)
        if not counted:
            return None
        history = replace(
            history,
            time=np.array([entry.rated_time for entry, _ in counted], np.int64),
            event_names=tuple(entry.name for entry, _ in counted),
            named=None,
        )
        trace = self._rate_piece(history, trace=True, allow_repeat=True)
        self.last_time = max(self.last_time, int(history.time.max()))  # the last event may have none
        return self._change_columns(
            np.array([entry.number for entry, _ in counted], np.int64), history, trace
        )

    def _change_columns(self, entries: Longs, history: History, trace: Trace) -> ChangeColumns:
        """What the events of a history did; `entries` are their numbers in the log."""
        before, after = self._displayed(trace)
        return ChangeColumns(
            np.repeat(entries, np.diff(history.offsets)),
            history.player,
            history.rank,
            trace.mu_before,
            trace.sigma_before,
            before,
            trace.performance,
            trace.mu,
            trace.sigma,
            after,
            trace.rated,
            trace.expected,
            trace.draw,
        )

    def _clocked(self, entries: list[LogEntry]) -> tuple[list[LogEntry], list[tuple[LogEntry, Event]]]:
        """Entries at the times at which they are rated, and those that count with their events."""
        last, found, counted = self.last_time, [], []
        for entry in entries:
            event = entry.counted
            if entry.rated_time == NO_TIME:
                timed = entry
            elif entry.rated_time < last:
                timed = replace(entry, rated_time=last)
            else:
                timed = entry
                last = last if event is None else entry.rated_time
            found.append(timed)
            if event is not None:
                counted.append((timed, event))
        return found, counted

    def rate_columns(self, history: History, first: int) -> ChangeColumns:
        """Rate events by column, all of which count; their entries of the log are those from `first` on.

        Their players are those of this ladder, by number, and their times those at which they are rated. A
        history that is refused half-way stays half rated. Whether they were rated before is not looked at.
        """
        self.state.grow(len(self.players))
        trace = self._rate_piece(replace(history, named=None), trace=True, allow_repeat=True)
        self.last_time = max(self.last_time, int(history.time.max()))
        return self._change_columns(np.arange(first, first + len(history)), history, trace)

    def _check_repeat(self, entry: LogEntry, again: bool) -> None:
        """Refuse an event whose name was reported for the same time already."""
        assert isinstance(entry.content, Event)
        if (name := entry.content.name) is not None:
            self.note_name(name, entry.occurred, allow_repeat=again or entry.allow_repeat)

    def note_name(self, name: str, time: int, *, allow_repeat: bool) -> None:
        """Remember the name of an event; refused if one of this name and time was rated, unless that is
        allowed.
        """
        identity = self._repeats.check_event(name, time, allow=allow_repeat)
        if identity is not None:
            self._repeats.hashes.add(identity)

    def knows_event(self, name: str, time: int) -> bool:
        """Whether an event of this name and time was rated."""
        return self._repeats.check_event(name, time, allow=True) is None

    def _adjust(self, entry: LogEntry, note: Note, again: bool) -> ChangeColumns | None:
        """Adjust ratings or names; what that did to whom, unless it changes names alone."""
        adjustment = entry.content
        assert isinstance(adjustment, Adjustment)
        if entry.rated_time != NO_TIME and entry.rated_time < self.last_time:
            entry = replace(entry, rated_time=self.last_time)
        if isinstance(adjustment, Rename):
            self._known(adjustment.player)
            note(entry)
            self._rename(adjustment)
        if isinstance(adjustment, (Rename, Renamed)):
            self.last_time = max(self.last_time, entry.rated_time)
            return None
        self.players.add_all(adjustment.players)
        self.state.grow(len(self.players))
        note(entry)
        moved: AdjustedRatings | None = None
        with suppress(UnknownPlayerError) if again else nullcontext():
            moved = self._apply_adjustment(adjustment, entry.rated_time, since=entry.since)
        if isinstance(adjustment, Merge) and not again:  # else names are those of now: the merge may be void
            self._merge_account(*map(self.number_of, adjustment.players))
        return None if moved is None or not len(moved.players) else _adjusted_columns(entry.number, moved)

    def _merge_account(self, number: int, into: int) -> None:
        """Let an account have no name any more; one that is merged in the log already has none."""
        name = self.account(number)
        self.call(number, Account(None, into, name.former_name if name.name is None else name.name))

    def _rename(self, adjustment: Rename) -> None:
        number = self._known(adjustment.player)
        if adjustment.into in self.players:
            raise InputError(
                f"{adjustment.describe()}: the name {shorten(adjustment.into)!r} is taken",
                hint="to merge two accounts of one person, report a merge",
            )
        self.relabel({number: adjustment.into})


def _adjusted_columns(number: int, moved: AdjustedRatings) -> ChangeColumns:
    """What an adjustment of this number in the log did."""
    players, before, after = moved
    size, nothing = len(players), np.empty(0)
    return ChangeColumns(
        np.full(size, number),
        players,
        np.full(size, ADJUSTED),
        before.mu,
        nothing if before.sigma is None else before.sigma,
        before.display,
        nothing,
        after.mu,
        nothing if after.sigma is None else after.sigma,
        after.display,
        np.ones(size, np.bool_),
        nothing,
        nothing,
    )


def _finite(numbers: Floats) -> list[float | None]:
    """Numbers such as JSON can hold, and None for the others."""
    plain: list[float | None] = numbers.tolist()
    return plain if np.isfinite(numbers).all() else [plain_number(number) for number in plain]
