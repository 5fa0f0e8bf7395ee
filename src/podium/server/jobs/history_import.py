"""A history as what is imported: its events and adjustments become entries of the log, in its order."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from podium.arrays import NO_TIME, Longs
from podium.errors import RepeatError
from podium.history import Event, History
from podium.history.adjustments import Placed
from podium.history.ragged import chunk_end
from podium.server.jobs.import_runs import RatedPiece
from podium.server.jobs.imported_pieces import ENTRY_COLUMNS, EntryRows, entries_known
from podium.server.jobs.job_rows import JobRow
from podium.server.jobs.logged_matches import Recording
from podium.server.jobs.plain_events import is_plain, plain_rows
from podium.server.ladders.live_ladder import LiveLadder
from podium.server.log.log_entries import LogEntry, stored_row
from podium.server.log.rated_times import counted_time
from podium.server.log.reports import adjustment_fingerprint, check_name, event_fingerprint
from podium.server.storage import tables
from podium.server.storage.ladder_rows import ladder_of_number, now_micros


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
        self._received = now_micros()
        self._numbers: Longs = np.full(len(history.players), -1, np.int64)
        """The number in the ladder of each player of the history; −1 if nobody has looked yet."""
        self._check_names()

    def _check_names(self) -> None:
        for name in self._history.players:
            check_name(name, "a player's name")
        for name in set(self._history.event_names or ()):
            check_name(name, "an event's name")

    def _key(self, place: int) -> str:
        return f"{self._prefix}-{place + 1:08}"

    def begin(self, connection: Connection, live: LiveLadder) -> int:
        """How many entries are in the log already: those of the file up to some place."""
        ladder = live.row.id
        first, behind = 0, self.total  # the first place that is not in the log is in between
        while first < behind:
            middle = (first + behind) // 2
            if entries_known(connection, ladder, [self._key(middle)]):
                first = middle + 1
            else:
                behind = middle
        if self.total and first == self.total and self._recorded < self.total:
            raise RepeatError(
                "a file with this content was imported already", hint="allow_repeat=true imports it once more"
            )
        return first

    def came_first(self, connection: Connection, ladder: int) -> bool:
        """Whether the log begins with this file."""
        query = select(tables.event.c.key).where(tables.event.c.ladder == ladder, tables.event.c.seq == 1)
        return connection.execute(query).scalar_one_or_none() == self._key(0)

    def held_back(self, connection: Connection, ladder: int) -> tuple[int, int]:
        """How many recorded events are earlier than what was rated before them, and when that was."""
        timed = np.flatnonzero(self._history.time != NO_TIME)
        if not len(timed):
            return 0, NO_TIME
        event = int(timed[0])
        place = event + sum(placed.before <= event for placed in self._adjustments)
        table = tables.event
        row = ladder_of_number(connection, ladder)
        found = select(counted_time(row)).where(table.c.ladder == ladder, table.c.key == self._key(place))
        rated_at = connection.execute(found).scalar_one() or NO_TIME
        return int(np.count_nonzero(self._history.time[timed] < rated_at)), rated_at

    def forget_players(self) -> None:
        """Forget which numbers players have."""
        self._numbers[:] = -1

    # ------------------------------------------------------------------ rating

    def rate(
        self, live: LiveLadder, done: int, head: int, rows: int, *, is_rehearsal: bool = False
    ) -> RatedPiece:
        """Rate the next events up to an adjustment, or the next adjustments up to an event."""
        passed = bisect_left(self._places, done)
        if passed < len(self._places) and self._places[passed] == done:
            return self._rate_adjustment(live, self._adjustments[passed], done, head)
        first = done - passed
        end = self._places[passed] - passed if passed < len(self._places) else len(self._history)
        end = min(max(chunk_end(self._history.offsets, first, rows), first + 1), end)
        piece = self._renumbered(live, replace(self._history[first:end], adjustments=()))
        if self._is_plain:
            return self._rate_plain(live, piece, done, head, is_rehearsal=is_rehearsal)
        return self._rate_entries(live, self._event_entries(piece, live, done, head), done)

    def _renumbered(self, live: LiveLadder, piece: History) -> History:
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

    def _rated_times(self, piece: History, live: LiveLadder) -> Longs:
        """When events are rated: at their own time, or that of the last one before them if it is later."""
        timed = piece.time != NO_TIME
        latest = np.maximum.accumulate(np.maximum(piece.time, live.ladder.last_time))
        return np.where(timed, latest, NO_TIME)

    def _rate_plain(
        self, live: LiveLadder, piece: History, done: int, head: int, *, is_rehearsal: bool
    ) -> RatedPiece:
        times = self._rated_times(piece, live)
        if piece.event_names is not None:
            own = [False] * len(piece) if piece.named is None else piece.named.tolist()
            for name, time, is_own in zip(piece.event_names, piece.time.tolist(), own, strict=True):
                live.ladder.note_name(name, time, allow_repeat=self._allow_repeat or not is_own)
        rated = live.ladder.rate_columns(replace(piece, time=times), head + 1)
        if is_rehearsal:
            return RatedPiece(EntryRows((), []), [], done + len(piece))
        recording = Recording(
            piece,
            live.ladder.players,
            times,
            [self._key(place) for place in range(done, done + len(piece))],
            live.row.id,
            head + 1,
            self._received,
        )
        rows = plain_rows(recording, actor=self._actor, allow_repeat=self._allow_repeat)
        return RatedPiece(rows, [rated], done + len(piece))

    def _event_entries(self, piece: History, live: LiveLadder, done: int, head: int) -> list[LogEntry]:
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

    def _rate_adjustment(self, live: LiveLadder, placed: Placed, done: int, head: int) -> RatedPiece:
        time = placed.time
        entry = LogEntry(
            number=head + 1,
            key=self._key(done),
            fingerprint=adjustment_fingerprint(placed.adjustment, time),
            content=placed.adjustment,
            occurred=time,
            rated_time=time if time == NO_TIME else max(time, live.ladder.last_time),
            received=self._received,
        )
        self.forget_players()  # a rename or a merge changes who is meant
        return self._rate_entries(live, [entry], done)

    def _rate_entries(self, live: LiveLadder, entries: list[LogEntry], done: int) -> RatedPiece:
        rows: list[tuple[Any, ...]] = []

        def note(entry: LogEntry) -> None:
            row = stored_row(entry, live.row.id, 0, live.ladder.players.index_of.__getitem__, self._actor)
            rows.append(tuple(getattr(row, name) for name in ENTRY_COLUMNS))

        changes = live.ladder.rate(entries, note)
        return RatedPiece(EntryRows(ENTRY_COLUMNS, rows), changes, done + len(entries))


def _own_event(event: Event, piece: History) -> Event:
    """An event of a history as a caller would have reported it: a number that podium gave is no name."""
    return replace(event, name=event.name if piece.event_names is not None else None, time=int(event.time))
