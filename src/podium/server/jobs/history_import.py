"""A history as what is imported: its events and adjustments become entries of the log, in its order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from podium.arrays import NO_TIME, Bools, Longs
from podium.errors import InputError, PodiumError, RepeatError
from podium.history import Event, History
from podium.history.adjustments import Placed
from podium.history.ragged import chunk_end
from podium.server import machine
from podium.server.jobs.half_imports import import_key
from podium.server.jobs.import_runs import RatedPiece
from podium.server.jobs.imported_pieces import ENTRY_COLUMNS, EntryRows, entries_known
from podium.server.jobs.job_rows import JobRow
from podium.server.jobs.plain_events import Recording, is_plain, plain_rows
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.log.log_entries import LogEntry, stored_row
from podium.server.log.rated_times import counted_time
from podium.server.log.reports import adjustment_fingerprint, check_name, event_fingerprint
from podium.server.storage import tables
from podium.server.storage.ladder_rows import ladder_of_number
from podium.tables.history_files import WantedEntry
from podium.tables.names.near_names import NearNames
from podium.text import counted

LOOKED_FOR = 250
"""Events of a file, the first and the last that the ladder may have, that are looked for in its log."""
FEW_REPEATS = 3
"""Events that must be in the log already before a file is refused: two players may meet twice on a day."""
REPEATED_PART = 2 / 3
"""The part of the events looked for that must be in the log already before a file is refused."""


class RefusedEntryError(Exception):
    """One event or adjustment of a history is refused; whoever has the file can say where in it that is."""

    def __init__(self, error: PodiumError, wanted: WantedEntry) -> None:
        super().__init__(error, wanted)
        self.error, self.wanted = error, wanted


@contextmanager
def refusing(find: Callable[[], WantedEntry | None]) -> Iterator[None]:
    """If something is refused inside the block, say which entry that is about, if it is about one."""
    try:
        yield
    except PodiumError as error:
        if (wanted := find()) is None:
            raise
        raise RefusedEntryError(error, wanted) from error


def _names_merged(live: FollowedLadder) -> dict[str, str]:
    """The former names of accounts that were merged, each with the player who has their results now."""
    merged, found = live.ladder.merged, dict[str, str]()
    for number, account in merged.items():
        while (into := merged.get(number)) is not None and into.merged_into is not None:
            number = into.merged_into
        if account.former_name is not None:
            found[account.former_name] = live.ladder.name_of(number)
    return found


class HistorySource:
    """A history that is imported.

    The key of each entry is made of the file's content and its place in it, so that what was recorded before
    a crash is known again, and a file that was imported is refused a second time. If the job allows repeats,
    the keys are its own.
    """

    def __init__(self, history: History, digest: str, job: JobRow) -> None:
        self._history, self._actor = history, job.actor
        self._allow_repeat: bool = job.arguments["allow_repeat"]
        self._prefix = f"import-{digest[:16]}" + (f"-{job.id}" if self._allow_repeat else "")
        self._recorded = job.done
        """How much this job had recorded before it was run again."""
        self._is_plain = is_plain(history)
        self._adjustments = list(history.adjustments)
        self._places = [placed.before + number for number, placed in enumerate(self._adjustments)]
        """The place of each adjustment among all entries."""
        self.total = len(history) + len(self._adjustments)
        self._received = machine.now_micros()
        self._numbers: Longs = np.full(len(history.players), -1, np.int64)
        """The number in the ladder of each player of the history; −1 if nobody has looked yet."""
        self.near: list[tuple[str, str]] | None = None
        """New names that may mean a player of the ladder, each after that one; None: not yet looked for."""
        self.repeated: int | None = None
        """Events with times that are in the log already, of those looked for; None: not yet looked for."""
        self.repeated_undated = 0
        """Events without times that the log has with the same players and result, of those looked for."""
        self._check_names()

    def _check_names(self) -> None:
        for number, name in enumerate(self._history.players):
            with refusing(lambda number=number: self._entry_of_player(number)):  # type: ignore[misc]
                check_name(name, "a player's name")
        names = self._history.event_names or ()
        for name in dict.fromkeys(names):
            with refusing(lambda name=name: WantedEntry(names.index(name))):  # type: ignore[misc]
                check_name(name, "an event's name")

    def _entry_of_player(self, number: int) -> WantedEntry | None:
        """The first event with a player of the history, or else the first adjustment."""
        history = self._history
        if len(rows := np.flatnonzero(history.player == number)):
            event = int(history.event_of_row[rows[0]])
            return WantedEntry(event, int(rows[0] - history.offsets[event]))
        name = history.players[number]
        named = (place for place, one in enumerate(self._adjustments) if name in one.adjustment.players)
        return WantedEntry(adjustment=next(named))

    def _key(self, place: int) -> str:
        return import_key(self._prefix, place)

    def begin(self, connection: Connection, live: FollowedLadder) -> int:
        """How many entries are in the log already: those of the file up to some place."""
        first = self._known(connection, live, self.total)
        if first != self._known(connection, live, first):
            raise InputError(
                f"{counted(first, 'entry')} of the log of {live.row.slug!r} have idempotency keys of this "
                "file, but not those of its first entries",
                hint="allow_repeat=true imports the file with other keys",
            )
        if self.total and first == self.total and self._recorded < self.total:
            raise RepeatError(
                "a file with this content has already been imported",
                hint="allow_repeat=true imports it again",
            )
        if self.near is None:
            self.near = self._near(live, is_begun=first > 0)
        if self.repeated is None:
            self.repeated = 0
            if not first and not self._allow_repeat:
                self._count_repeated(connection, live)
        return first

    def _known(self, connection: Connection, live: FollowedLadder, entries: int) -> int:
        """How many of the first entries the log has, by their keys."""
        if not entries:
            return 0
        return entries_known(connection, live.row.id, self._key(0), self._key(entries - 1))

    def _count_repeated(self, connection: Connection, live: FollowedLadder) -> None:
        """Count the events without names that the log has already; refuse the file if these are most of those
        with times that could be in it.

        So a sheet that has grown is not recorded twice. Events with names of their own are known by these.
        Without times, the same match may have been played again: then a warning counts them.
        """
        history = self._history
        unnamed = np.ones(len(history), bool) if history.named is None else ~history.named
        undated = history.time == NO_TIME
        self.repeated_undated, _ = self._count_known(connection, live, unnamed & undated)
        could_be = unnamed & ~undated & (history.time <= live.ladder.last_time)
        self.repeated, looked_for = self._count_known(connection, live, could_be)
        if self.repeated >= max(FEW_REPEATS, REPEATED_PART * looked_for):
            raise RepeatError(
                f"{self.repeated:,} of {counted(looked_for, 'event')} up to the ladder's last one are "
                "recorded already, with the same time, players and result",
                hint="leave these results out, or record them again with allow_repeat=true",
            )

    def _count_known(self, connection: Connection, live: FollowedLadder, wanted: Bools) -> tuple[int, int]:
        """How many of these events the log has already, and how many of them were looked for."""
        history, table = self._history, tables.event
        numbers: list[int] = np.flatnonzero(wanted).tolist()
        if len(numbers) > 2 * LOOKED_FOR:
            numbers = numbers[:LOOKED_FOR] + numbers[-LOOKED_FOR:]
        said = [
            event_fingerprint(_own_event(event, history), frozenset(), True)
            for number in numbers
            for event in history[number : number + 1]
        ]
        if not said:
            return 0, 0
        of_ladder = (table.c.ladder == live.row.id, table.c.target.is_(None), table.c.fingerprint.in_(said))
        found = connection.execute(select(table.c.seq, table.c.fingerprint).where(*of_ladder))
        known = {bytes(row.fingerprint) for row in found if not live.amendments.is_void(row.seq)}
        return sum(one in known for one in said), len(said)

    def _near(self, live: FollowedLadder, *, is_begun: bool) -> list[tuple[str, str]]:
        """New names that may mean a player of the ladder; any name of a file that `is_begun` may be new."""
        there, given = live.ladder.players, self._history.players
        fresh = [name for name in given if is_begun or name not in there]
        if not fresh:
            return []
        own, formers = set(fresh), _names_merged(live)
        merged = [(formers[name], name) for name in fresh if name in formers]
        near = NearNames([name for name in there if name not in own]).pairs_with_known(fresh)
        return merged + [(one, name) for one, name in near if name not in formers]

    def came_first(self, connection: Connection, ladder: int) -> bool:
        """Whether the first event of the log is of this file."""
        table = tables.event
        events = select(table.c.key).where(table.c.ladder == ladder, table.c.kind == "event")
        first = connection.execute(events.order_by(table.c.seq).limit(1)).scalar_one_or_none()
        return first == self._key(sum(placed.before == 0 for placed in self._adjustments))

    def rated_at(self, connection: Connection, ladder: int) -> int:
        """When the first recorded entry that has a time was rated."""
        timed = np.flatnonzero(self._times() != NO_TIME)
        if not len(timed):
            return NO_TIME
        table, row = tables.event, ladder_of_number(connection, ladder)
        first = select(counted_time(row)).where(
            table.c.ladder == ladder, table.c.key == self._key(int(timed[0]))
        )
        return connection.execute(first).scalar_one() or NO_TIME

    def held_back(self, rated_at: int) -> tuple[int, int]:
        """How many events and adjustments are earlier than a time up to which the ladder is rated."""
        times = self._times()
        earlier = np.flatnonzero((times != NO_TIME) & (times < rated_at))
        adjustments = int(np.count_nonzero(np.isin(earlier, self._places)))
        return len(earlier) - adjustments, adjustments

    def _times(self) -> Longs:
        """The times of all entries."""
        befores = [placed.before for placed in self._adjustments]
        return np.insert(self._history.time, befores, [placed.time for placed in self._adjustments])

    def forget_players(self) -> None:
        """Forget which numbers players have."""
        self._numbers[:] = -1

    # ------------------------------------------------------------------ rating

    def rate(
        self, live: FollowedLadder, done: int, head: int, rows: int, *, is_rehearsal: bool = False
    ) -> RatedPiece:
        """Rate the next events up to an adjustment, or the next adjustments up to an event."""
        passed = bisect_left(self._places, done)
        if passed < len(self._places) and self._places[passed] == done:
            return self._rate_adjustments(live, passed, done, head, rows)
        first = done - passed
        end = self._places[passed] - passed if passed < len(self._places) else len(self._history)
        end = min(max(chunk_end(self._history.offsets, first, rows), first + 1), end)
        piece = self._renumbered(live, replace(self._history[first:end], adjustments=()))
        again = self._repeated(live, piece)
        with refusing(
            lambda: _refused_event(live, piece, first) if again is None else WantedEntry(first + again)
        ):
            if self._is_plain or is_rehearsal:
                return self._rate_plain(live, piece, done, head, is_rehearsal=is_rehearsal)
            return self._rate_entries(live, self._event_entries(piece, live, done, head), done)

    def _repeated(self, live: FollowedLadder, piece: History) -> int | None:
        """The first event of a piece that has a name of its own which the ladder knows for this time."""
        if piece.named is None or self._allow_repeat:
            return None
        own: list[int] = np.flatnonzero(piece.named).tolist()
        known = (n for n in own if live.ladder.knows_event(piece.event_name(n), int(piece.time[n])))
        return next(known, None)

    def _renumbered(self, live: FollowedLadder, piece: History) -> History:
        """A piece with the ladder's numbers for players; those who are new get the next ones."""
        ladder, numbers = live.ladder, self._numbers
        used, first = np.unique(piece.player, return_index=True)
        unknown = numbers[used] < 0
        if unknown.any():
            fresh = used[unknown][np.argsort(first[unknown], kind="stable")]
            numbers[fresh] = ladder.players.add_all([self._history.players[one] for one in fresh.tolist()])
        home = piece.home
        return replace(
            piece,
            players=ladder.players,
            player=numbers[piece.player].astype(np.int32),
            home=None if home is None else np.where(home < 0, -1, numbers[home]).astype(np.int32),
        )

    def _rated_times(self, piece: History, live: FollowedLadder) -> Longs:
        """When events are rated: at their own time, or that of the last one before them if it is later."""
        timed = piece.time != NO_TIME
        latest = np.maximum.accumulate(np.maximum(piece.time, live.ladder.last_time))
        return np.where(timed, latest, NO_TIME)

    def _rate_plain(
        self, live: FollowedLadder, piece: History, done: int, head: int, *, is_rehearsal: bool
    ) -> RatedPiece:
        times = self._rated_times(piece, live)
        if piece.event_names is not None:
            own = [False] * len(piece) if piece.named is None else piece.named.tolist()
            for name, time, is_own in zip(piece.event_names, piece.time.tolist(), own, strict=True):
                live.ladder.note_name(name, time, allow_repeat=self._allow_repeat or not is_own)
        if is_rehearsal and not self._adjustments:  # no rating decides what is refused later
            live.ladder.system.check(piece)
            return RatedPiece(EntryRows((), []), [], done + len(piece))
        rated = live.ladder.rate_columns(replace(piece, time=times), head + 1)
        if is_rehearsal:
            return RatedPiece(EntryRows((), []), [], done + len(piece))
        recording = Recording(
            piece,
            live.ladder.players.to_list(),  # half the time of looking up names one by one
            times,
            [self._key(place) for place in range(done, done + len(piece))],
            live.row.id,
            head + 1,
            self._received,
        )
        rows = plain_rows(recording, actor=self._actor, allow_repeat=self._allow_repeat)
        return RatedPiece(rows, [rated], done + len(piece))

    def _event_entries(self, piece: History, live: FollowedLadder, done: int, head: int) -> list[LogEntry]:
        times = self._rated_times(piece, live).tolist()
        return [
            self._entry(_own_event(event, piece), event.named, times[number], done + number, head + number)
            for number, event in enumerate(piece)
        ]

    def _entry(self, event: Event, is_own: bool, rated_time: int, place: int, head: int) -> LogEntry:
        return LogEntry(
            number=head + 1,
            key=self._key(place),
            fingerprint=event_fingerprint(event, frozenset(), True),
            content=event,
            occurred=int(event.time),
            rated_time=rated_time,
            received=self._received,
            allow_repeat=event.name is not None and (self._allow_repeat or not is_own),
        )

    def _rate_adjustments(
        self, live: FollowedLadder, first: int, done: int, head: int, most: int
    ) -> RatedPiece:
        """Rate the adjustments from the first on up to an event, all at once: each time copies the state."""
        before = self._adjustments[first].before
        together = takewhile(lambda placed: placed.before == before, self._adjustments[first : first + most])
        reached = first

        def entries() -> Iterator[LogEntry]:
            nonlocal reached
            for number, placed in enumerate(together):
                reached = first + number
                yield self._adjustment_entry(placed, done + number, head + number)

        self.forget_players()  # a rename or a merge changes who is meant
        with refusing(lambda: WantedEntry(adjustment=reached)):
            return self._rate_entries(live, entries(), done)

    def _adjustment_entry(self, placed: Placed, place: int, head: int) -> LogEntry:
        return LogEntry(
            number=head + 1,
            key=self._key(place),
            fingerprint=adjustment_fingerprint(placed.adjustment, placed.time),
            content=placed.adjustment,
            occurred=placed.time,
            rated_time=placed.time,
            received=self._received,
        )

    def _rate_entries(self, live: FollowedLadder, entries: Iterable[LogEntry], done: int) -> RatedPiece:
        rows: list[tuple[Any, ...]] = []

        def note(entry: LogEntry) -> None:
            row = stored_row(entry, live.row.id, 0, live.ladder.players.index_of.__getitem__, self._actor)
            rows.append(tuple(getattr(row, name) for name in ENTRY_COLUMNS))

        changes = live.ladder.rate(entries, note)
        return RatedPiece(EntryRows(ENTRY_COLUMNS, rows), changes, done + len(rows))


def _refused_event(live: FollowedLadder, piece: History, first: int) -> WantedEntry | None:
    """The first event of a piece that a ladder's system refuses, alone too; the piece begins at `first`."""

    def is_refused(start: int, stop: int) -> bool:
        try:
            live.ladder.system.check(piece[start:stop])
        except PodiumError:
            return True
        return False

    event = bisect_left(range(len(piece)), True, key=lambda number: is_refused(0, number + 1))
    return WantedEntry(first + event) if is_refused(event, event + 1) else None


def _own_event(event: Event, piece: History) -> Event:
    """An event of a history as a caller would have reported it: a number that podium gave is no name."""
    return replace(event, name=event.name if piece.event_names is not None else None, time=int(event.time))
