"""Consequences of an amendment or of another system: the players and published events that would change.

They are found on a copy. Nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from sqlalchemy import ColumnElement, Connection

from podium.arrays import NO_TIME, Bools, Floats, Longs
from podium.documents.service_documents import (
    ChangedEventDocument,
    ConsequencesDocument,
    MovedPlayerDocument,
    MovesDocument,
)
from podium.history import Names
from podium.ladder.rating_comparisons import LEAST_MOVE
from podium.pages.ladder_data import shown_digits
from podium.server.correcting.amending import Amending
from podium.server.correcting.amendments import Amendments, Position, amendment_of
from podium.server.correcting.near_amendments import state_before
from podium.server.correcting.rerating import first_changed_by
from podium.server.ladders.board import Board, BoardFilter, Standings
from podium.server.ladders.followed_ladder import FollowedLadder, Look, read_entries
from podium.server.ladders.numbered_ladder import ChangeColumns, NumberedLadder
from podium.server.log.log_entries import LogEntry, planned_entries, stored_row
from podium.server.log.log_reading import shown_changes, stored_entries
from podium.server.log.report_differences import shown_time
from podium.server.log.reports import Report, free_label
from podium.server.log.server_clock import ServerClock
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

MOST_EVENTS = 100
"""Events of which consequences tell one by one, oldest first; all are counted."""
NUMBERS_AT_ONCE = 500
_PLAYER_BITS = 31
"""Bits of a player's number in the key of a row."""


class _Rows(NamedTuple):
    """Results of players in events as pages show them."""

    key: Longs
    """The number of the entry, then that of the player."""
    shown: Floats
    """The rank, and the rounded ratings before and after."""

    @classmethod
    def of(cls, columns: Sequence[ArrayLike], digits: int) -> _Rows:
        """Those in columns of the table `change`: entry, player, rank, display before and after."""
        entry, player, rank, before, after = (np.asarray(column) for column in columns)
        key = (entry.astype(np.int64) << _PLAYER_BITS) | player.astype(np.int64)
        shown = np.column_stack([rank, before.astype(float).round(digits), after.astype(float).round(digits)])
        is_result = rank > 0
        return cls(key[is_result], shown[is_result])

    @classmethod
    def joined(cls, parts: Sequence[_Rows]) -> _Rows:
        """All rows of several."""
        nothing = cls(np.zeros(0, np.int64), np.zeros((0, 3)))
        return cls._make(np.concatenate(column) for column in zip(nothing, *parts, strict=True))

    def of_entries(self, first: int, last: int, others: Collection[int]) -> _Rows:
        """Those of the entries between two numbers, and of some others."""
        entry = self.key >> _PLAYER_BITS
        chosen = ((entry >= first) & (entry <= last)) | np.isin(entry, list(others))
        return _Rows(self.key[chosen], self.shown[chosen])

    def without(self, entries: Collection[int]) -> _Rows:
        """Those of other entries."""
        if not entries:
            return self
        kept = ~np.isin(self.key >> _PLAYER_BITS, list(entries))
        return _Rows(self.key[kept], self.shown[kept])

    def differing(self, other: _Rows) -> Longs:
        """The keys of the rows that only one of both has, or that show something else."""
        both, mine, theirs = np.intersect1d(self.key, other.key, assume_unique=True, return_indices=True)
        differ = (self.shown[mine] != other.shown[theirs]).any(axis=1)
        alone: Longs = np.setxor1d(self.key, other.key, assume_unique=True)
        return np.concatenate([both[differ], alone])


class ChangedEvents:
    """Compares what entries did, as it is stored, with what they would do, as pages show both."""

    def __init__(self, connection: Connection, row: LadderRow, digits: int, late: Collection[int]) -> None:
        self._connection, self._row, self._digits = connection, row, digits
        self._late = late
        """The numbers of all late events: those are rated elsewhere than where they stand in the log."""
        self._players: dict[int, int] = {}
        """Of how many players each changed event shows something else."""

    def compare(self, first: int, last: int, late: Collection[int], rated: Sequence[ChangeColumns]) -> None:
        """Compare the entries between two numbers, and some late events, with what they did when `rated`."""
        known = sorted(number for number in late if number <= self._row.head)
        new = _Rows.joined(
            [
                _Rows.of([one.seq, one.player, one.rank, one.display_before, one.display], self._digits)
                for one in rated
            ]
        )
        old = [self._stored(tables.change.c.seq.between(first, last)).without(self._late)]
        for start in range(0, len(known), NUMBERS_AT_ONCE):
            old.append(self._stored(tables.change.c.seq.in_(known[start : start + NUMBERS_AT_ONCE])))
        differing = _Rows.joined(old).differing(new.of_entries(first, last, known))
        numbers, counts = np.unique(differing >> _PLAYER_BITS, return_counts=True)
        self._players.update(zip(numbers.tolist(), counts.tolist(), strict=True))

    def _stored(self, chosen: ColumnElement[bool]) -> _Rows:
        rows = shown_changes(self._connection, self._row, chosen)
        columns: list[Any] = list(zip(*rows, strict=True)) or [[]] * 5
        return _Rows.of(columns, self._digits)

    def __len__(self) -> int:
        return len(self._players)

    def documents(self, look: Look) -> list[ChangedEventDocument]:
        """The first of them as plain data, oldest first."""
        numbers = sorted(self._players)[:MOST_EVENTS]
        entries = {one.number: one for one in stored_entries(self._connection, self._row, look, numbers)}
        return [
            {
                "number": number,
                "name": entries[number].name,
                "time": shown_time(entries[number].rated_time),
                "players": self._players[number],
            }
            for number in numbers
        ]


MOST_MOVED = 100
"""Players of whom consequences tell one by one, largest change first; all are counted."""
MOVED_TYPES = (pl.String, pl.Float64, pl.Float64, pl.Float64, pl.Int64, pl.Int64)
"""Types of the columns of the table of those who move."""


class BoardNow(NamedTuple):
    """Everybody's displayed rating and place by number; a place of 0 is none."""

    display: Floats
    known: Bools
    place: Longs

    @classmethod
    def of(cls, ladder: NumberedLadder, standings: Standings) -> BoardNow:
        """Those of a ladder whose standings these are."""
        display = np.array(ladder.system.ratings(ladder.state).display)
        place = np.zeros(ladder.state.size, np.int64)
        players = standings.players
        falling = -display[players]
        place[players] = 1 + np.searchsorted(falling, falling, side="left")
        return cls(display, np.array(ladder.state.column("known")), place)


class Trial(NamedTuple):
    """A ladder's log as it would be with one more entry, and from where it is rated again."""

    row: LadderRow
    number: int
    """Up to which number `ladder` is rated."""
    ladder: NumberedLadder
    amendments: Amendments
    before: BoardNow
    former: dict[int, str]
    """Players who lose or change their names by it, each with the name of now."""
    start: Position
    """From where on everything is rated again, or has to be looked at, in the order of rating."""
    at_the_end: list[LogEntry]
    """What the report itself adds to the end of the log."""


def tried(
    connection: Connection, live: FollowedLadder, report: Report, clock: ServerClock, *, most: int
) -> Trial | None:
    """What is needed to see the consequences of an amendment, which is refused as reporting it would be.

    None if more than `most` rows had to be rated again. The ladder is the caller's own, or a twin of one.
    """
    row, ladder = live.row, live.ladder
    row.check_open()
    amending = Amending(connection, live, {}, row.head, clock)
    late_before = amending.last_time() if report.late else NO_TIME
    (entry,) = planned_entries(
        [report], row.head, ladder.last_time, clock, row.fill_times, amending.entry, late_before
    )
    names = Names(ladder.players)
    former = {number: names[number] for number, _ in entry.accounts if number < len(names)}
    names.relabel({number: account.name or free_label(number) for number, account in entry.accounts})
    stored = stored_row(entry, row.id, 0, names.add)
    amendments = live.amendments.up_to(row.head + 1, own_times=True).copy()
    amendments.add(amendment_of(stored))
    pending = amendments.between(live.amendments.to, row.head + 1)
    changed = first_changed_by(connection, row, amendments, pending)
    # A late event itself stands before the first number that it changes.
    roots = (amendments.position(amendments.root(one.number)) for one in pending)
    first = row.head + 1 if changed is None else changed
    start = min([Position(first, False, 0, first), *roots])
    if (found := state_before(connection, live, row, start.first_number, most)) is None:
        return None
    number, base = found
    base.players = names
    base.state.grow(len(names))
    before = BoardNow.of(ladder, live.standings(row.filter))
    at_the_end = [replace(entry, rated_time=entry.own_time)] if entry.is_ordinary else []
    return Trial(row, number, base, amendments, before, former, start, at_the_end)


def consequences(
    connection: Connection, trial: Trial, progress: Callable[[int, int], None] | None = None
) -> Consequences:
    """Who would move, by how much, and which published events would change."""
    row, ladder, late = trial.row, trial.ladder, trial.amendments.late_numbers()
    changed = ChangedEvents(connection, row, shown_digits(row.system), late)
    done = again = 0

    def is_again(entry: LogEntry) -> bool:
        return trial.amendments.position(entry.number) >= trial.start

    for piece in read_entries(connection, row, ladder, after=trial.number, amendments=trial.amendments):
        rated = ladder.rate(piece.entries, again=True)
        done += piece.last - piece.first + 1
        again += sum(map(is_again, piece.entries))
        changed.compare(max(piece.first, trial.start.first_number), piece.last, piece.late, rated)
        if progress is not None:
            progress(done, row.head - trial.number)
    rest = list(trial.at_the_end)
    for stored in trial.amendments.late_behind(row.head):
        entry = trial.amendments.rateable(stored, ladder.name_of)
        rest += [] if entry is None else [entry]
    changed.compare(1, 0, [entry.number for entry in rest], ladder.rate(rest, again=True))
    again += sum(map(is_again, rest))
    look = Look(row, ladder.players, trial.amendments, merged=ladder.merged)
    moved = Moved.between(row, trial.before, ladder, trial.former)
    return Consequences(moved, again, changed, look)


class Consequences(NamedTuple):
    """What an amendment would change."""

    moved: Moved
    rated_again: int
    events: ChangedEvents
    look: Look
    """The ladder afterwards."""

    def document(self) -> ConsequencesDocument:
        """The consequences as plain data."""
        return {
            **self.moved.document(self.rated_again),
            "events": len(self.events),
            "changed_events": self.events.documents(self.look),
        }


class Moved(NamedTuple):
    """Who moves from one board of a ladder to another one."""

    row: LadderRow
    ladder: NumberedLadder
    before: BoardNow
    after: BoardNow
    gain: Floats
    """By player; infinite for those who join or leave."""
    players: Longs
    """Those who move, the largest change first."""
    former: Mapping[int, str]
    """What players were called before, if that is another name than afterwards."""

    @classmethod
    def between(
        cls, row: LadderRow, before: BoardNow, ladder: NumberedLadder, former: Mapping[int, str]
    ) -> Moved:
        """Who moves from one board to that of a ladder."""
        after = BoardNow.of(ladder, Board(ladder).standings(_filter_for(row, ladder)))
        size = len(after.display)
        earlier = BoardNow(*(np.concatenate([old, np.zeros(size - len(old), old.dtype)]) for old in before))
        gain = np.where(earlier.known & after.known, after.display - earlier.display, np.inf)
        is_moved = (earlier.known | after.known) & (np.abs(gain) >= LEAST_MOVE)
        players = np.flatnonzero(is_moved)
        ordered = players[np.argsort(-np.abs(gain[players]), kind="stable")]
        return cls(row, ladder, earlier, after, gain, ordered, former)

    @property
    def visible(self) -> int:
        """How many have another rating where it is shown, which is rounded."""
        digits = shown_digits(self.ladder.system)
        shown = [board.display[self.players].round(digits) for board in (self.before, self.after)]
        is_visible = (shown[0] != shown[1]) | np.isinf(self.gain[self.players])
        return int(is_visible.sum())

    def document(self, again: int) -> MovesDocument:
        """Who moves as plain data, if so many entries are rated again."""
        finite = np.abs(self.gain[self.players][np.isfinite(self.gain[self.players])])
        return {
            "slug": self.row.slug,
            "generation": self.row.generation,
            "head": self.row.head,
            "rated_again": again,
            "moved": len(self.players),
            "visible": self.visible,
            "largest": float(finite.max(initial=0.0)),
            "players": [self._player(one) for one in self.players[:MOST_MOVED].tolist()],
        }

    def table(self) -> pl.DataFrame:
        """Everybody who moves, in the columns of `MovedPlayerDocument`."""
        schema = dict(zip(MovedPlayerDocument.__annotations__, MOVED_TYPES, strict=True))
        return pl.DataFrame([self._player(one) for one in self.players.tolist()], schema)

    def _player(self, player: int) -> MovedPlayerDocument:
        before, after = self.before, self.after
        old = float(before.display[player]) if before.known[player] else None
        new = float(after.display[player]) if after.known[player] else None
        name = self.ladder.name_of(player)
        return {
            "player": self.former.get(player, name) if new is None else name,
            "display_before": old,
            "display": new,
            "gain": None if old is None or new is None else new - old,
            "place_before": int(before.place[player]) or None,
            "place": int(after.place[player]) or None,
        }


def _filter_for(row: LadderRow, ladder: NumberedLadder) -> BoardFilter:
    """Who has a place; deviations only count if the system has some."""
    return row.filter if ladder.system.has_sigma else replace(row.filter, max_sigma=None)
