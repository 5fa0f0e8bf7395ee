"""A ladder with a log: each change is on the disk before it counts, and any event can be corrected later.

An event is rated in memory, then written to the log; if that fails it is taken back. A correction is rated
beside the ladder, from the nearest checkpoint before what it changes; then it is written, then it counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError, PodiumError
from podium.history import Adjustment, Event, History
from podium.history.ragged import Progress
from podium.ladder.late_events import Late, as_rated
from podium.ladder.log_events import ADDING, CountedEvents, LogRecord, Numbered, in_place_of
from podium.ladder.log_store import (
    LogFolder,
    LogStore,
    LogWriter,
    Statement,
    forget_checkpoint,
    free_key,
    keep_key,
    owned,
)
from podium.ladder.logged_ladders import (
    begun_until,
    from_nearest,
    look_back,
    rate_one,
    read_connection,
    replay,
    replayed_until,
    restored,
)
from podium.ladder.name_changes import corrected, renamed
from podium.ladder.old_logs import convert, is_old
from podium.ladder.recorded_keys import Keys, Recorded
from podium.ladder.repeats import file_hashes
from podium.systems import System
from podium.systems.contract.ratings import Changes, Trace

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder


CHECKPOINT_ROWS = 100_000
"""Rows of events between two checkpoints: what is rated again in a second or so when a log is opened."""


class Keyed(NamedTuple):
    """What is recorded under an idempotency key, if one is given."""

    key: str | None
    content: Event | Adjustment
    time: int

    def recorded(self, changes: Changes) -> Recorded:
        """With the answer to the call."""
        return Recorded(self.content, self.time, changes)

    def statements(self, changes: Changes) -> list[Statement]:
        """What the log keeps for the key, once the changes have their number."""
        if self.key is None or changes.number is None:
            return []
        return [keep_key(self.key, changes.number, self.recorded(changes).text())]


NO_KEY: Keyed = Keyed(None, Event((), ()), NO_TIME)


class LadderLog:
    """The log of an open ladder: everything that changes the ladder goes through it."""

    def __init__(self, ladder: Ladder, writer: LogWriter, rows: int, checkpoint_rows: int) -> None:
        self._ladder, self._writer = ladder, writer
        self._rows, self._checkpoint_rows = rows, checkpoint_rows
        self._checkpointing: Thread | None = None
        self._has_failed = False
        """Whether the latest checkpoint could not be written."""
        self.pools: WeakValueDictionary[str, object] = WeakValueDictionary()
        """The open pools in its file, by name."""

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # a copy of an open ladder has no log

    # ------------------------------------------------------------------ recording

    def record(
        self,
        event: Event,
        *,
        allow_repeat: bool,
        late: Late,
        key: str | None = None,
        also: Sequence[Statement] = (),
    ) -> Changes:
        """Rate an event, at the end or where it belongs in time; `also` write this in its transaction."""
        with self._ladder._lock:
            if (known := self._ladder._known_answer(key, event, event.time)) is not None:
                return known
            keyed = Keyed(key, event, event.time)
            event = as_rated(event, late, self._ladder.last_time)
            is_late = NO_TIME != event.time < self._ladder.last_time
            one = Numbered(self._writer.next, event, event.time, allow_repeat)
            if is_late and late == "insert":
                self._check_repeat(event, allow_repeat)
                return self._correct(lambda _: LogRecord(one.number, "insertion", (one,)), keyed)
            self._ladder._check_order(event.time, event.name)  # by its own name, not by its number
            record = LogRecord(one.number, "event", (one,))
            return self._add(record, lambda: self._rate(event, one), keyed, also)

    def _rate(self, event: Event, one: Numbered) -> Changes:
        try:
            return self._ladder._rate_event(event, allow_repeat=one.allow_repeat, number=one.number)
        except PodiumError:  # whose message is to call it by its number, too
            return self._ladder._rate_event(one.event, allow_repeat=one.allow_repeat)

    def adjust(self, adjustment: Adjustment, time: int, *, key: str | None = None) -> Changes:
        """Adjust ratings; what that changed."""
        with self._ladder._lock:
            if (known := self._ladder._known_answer(key, adjustment, time)) is not None:
                return known
            one = Numbered(self._writer.next, adjustment, time)

            def apply() -> Changes:
                return self._ladder._apply_adjustment(adjustment, time).changes(self._ladder.players)

            record = LogRecord(one.number, "adjustment", (one,))
            return self._add(record, apply, Keyed(key, adjustment, time))

    def _add(
        self, record: LogRecord, rate: Callable[[], Changes], keyed: Keyed, also: Sequence[Statement] = ()
    ) -> Changes:
        """Rate something and write it; if either fails or is interrupted, there is neither."""
        self._writer.check()
        before = self._ladder._journal.latest
        try:
            changes = rate()
            changes.number = record.number
            if keyed.key is not None:
                latest = self._ladder._journal.latest
                assert latest is not None
                self._ladder._keep_key(latest.moment, keyed.key, keyed.recorded(changes))
            self._writer.append(record, [*keyed.statements(changes), *also])
        except BaseException:
            if not self._writer.wrote(record) and self._ladder._journal.latest is not before:
                self._ladder._undo_latest()
            raise
        self._after(record)
        return changes

    def update(
        self, history: History, *, trace: bool, allow_repeat: bool, progress: Progress | None
    ) -> Trace:
        """Rate a whole history as one record: all of it counts, or nothing."""
        if trace:
            raise InputError(
                "a ladder with a log cannot return a trace",
                hint="use ladder.copy().update(history, trace=True)",
            )
        with self._ladder._lock:
            first = self._writer.next
            added = tuple(_numbered_events(history, first, allow_repeat=allow_repeat))
            self._writer.check()
            twin = self._ladder.copy()
            twin._note_files(history, allow_repeat=allow_repeat)
            twin._check_piece(history, allow_repeat=allow_repeat)
            replay(twin, added, progress, again=False)
            if added:
                name_change = self._ladder._name_change.then(renamed(_adjustments(added)))
                record = LogRecord(first, "batch", added)
                self._write(record, lambda: self._ladder._continue_as(twin, name_change))
            return Trace.for_rows(0, sigma=False, performance=False)

    # ------------------------------------------------------------------ corrections

    def undo(self) -> None:
        """Take back the last event or adjustment that counts."""
        with self._ladder._lock:
            record = LogRecord(self._writer.next, "undo")
            latest = self._ladder._journal.latest
            if latest is None:
                self._correct(lambda _: record)
                return

            def take_back() -> None:
                if self._ladder._journal.latest is latest:
                    self._ladder._undo_latest()

            key = latest.moment.key
            self._write(record, take_back, [] if key is None else [free_key(key)])

    def void(self, event: str | int) -> None:
        """Let an event or an adjustment not count."""

        def record(events: CountedEvents) -> LogRecord:
            targets = tuple(one.number for one in events.meant(event))
            return LogRecord(self._writer.next, "void", targets=targets)

        with self._ladder._lock:
            self._correct(record)

    def replace(self, meant: str | int, event: Event, *, allow_repeat: bool) -> Changes:
        """Put an event in the place of another."""

        def record(events: CountedEvents) -> LogRecord:
            old, old_event = events.one_meant(meant)
            new = in_place_of(old_event, event)
            if (old_event.name, old_event.time) != (new.name, new.time):
                self._check_repeat(new, allow_repeat)
            one = Numbered(old.number, new, new.time, allow_repeat, old.files)
            return LogRecord(self._writer.next, "replacement", (one,), (old.number,))

        with self._ladder._lock:
            return self._correct(record)

    def _check_repeat(self, event: Event, allow_repeat: bool) -> None:
        if event.named and event.name is not None:
            self._ladder._repeats.check_event(event.name, event.time, allow=allow_repeat)

    @property
    def writer(self) -> LogWriter:
        """The log's file. Whoever writes to it holds the ladder's lock."""
        return self._writer

    def counted(self) -> tuple[Numbered, ...]:
        """All that counts, read from the log."""
        with self._ladder._lock:
            return tuple(CountedEvents(self._writer.records(), ()).events)

    def at(self, time: int) -> Ladder:
        """The ladder as it was at a time, with all corrections since; the lock is held to read the log."""
        with self._ladder._lock:
            self._wait()  # its checkpoint may be the nearest one, and it may remove others
            begun = begun_until(type(self._ladder), self._writer, self._ladder.system, time)
        return replayed_until(begun, time)

    def _correct(self, make_record: Callable[[CountedEvents], LogRecord], keyed: Keyed = NO_KEY) -> Changes:
        """Rate again what follows a correction, and write it; returns the changes by what comes in."""
        self._writer.check()
        self._wait()  # its checkpoint may be the nearest one

        def rate_again(
            events: CountedEvents,
        ) -> tuple[LogRecord, CountedEvents, list[Numbered], Ladder, int]:
            record, before = make_record(events), list(events.events)
            events.apply(record)
            twin, done = from_nearest(type(self._ladder), self._writer, self._ladder.system, events)
            return record, events, before, twin, done

        record, events, before, twin, done = look_back(self._writer, rate_again)
        changes = Changes()
        for one in record.added:
            place = events.place_of(one.number)
            replay(twin, events.events[done:place])
            changes, done = rate_one(twin, one, again=False), place + 1
            changes.number = one.number
        replay(twin, events.events[done:])
        changes_of_names = corrected(_adjustments(before), _adjustments(events.events), twin.__contains__)
        name_change = self._ladder._name_change.then(changes_of_names)
        keys = self._writer.key_of_number()
        freed = keys.get(before[-1].number) if record.kind == "undo" else None
        if keyed.key is not None:
            keys[record.number] = keyed.key
        _give_keys(twin, events, keys)
        forgotten = [
            forget_checkpoint(number)
            for number in self._writer.checkpoints()
            if events.start < number < record.number and number not in events.lengths
        ]

        def take_effect() -> None:
            self._ladder._continue_as(twin, name_change)
            if keyed.key is not None:
                self._ladder._keys.add(keyed.key, keyed.recorded(changes))
            if freed is not None:
                self._ladder._keys.free(freed)

        also = [] if freed is None else [free_key(freed)]
        self._write(record, take_effect, [*also, *keyed.statements(changes), *forgotten])
        return changes

    def _write(
        self, record: LogRecord, take_effect: Callable[[], None], also: Sequence[Statement] = ()
    ) -> None:
        """Write a record, then let it count; an interrupt in between does not part the two."""
        self._writer.check()
        try:
            self._writer.append(record, also)
            take_effect()
        except BaseException:
            if self._writer.wrote(record):
                take_effect()
            raise
        self._after(record)

    # ------------------------------------------------------------------ checkpoints

    def _after(self, record: LogRecord) -> None:
        """Begin a checkpoint if it is time for one: what follows takes long to rate again."""
        self._rows += sum(one.rows for one in record.added)
        reaches_back = record.kind not in (*ADDING, "undo")
        if self._rows < self._checkpoint_rows and not reaches_back:
            return
        if self._checkpointing is not None and self._checkpointing.is_alive():
            return
        self._rows = 0
        try:
            saved = self._ladder.copy(), self._writer.next - 1
            self._checkpointing = Thread(target=self._save, args=saved, name="podium checkpoint")
            self._checkpointing.start()
        except Exception:  # whatever it is: the record counts, and its caller shall know that
            self._has_failed = True

    def _save(self, twin: Ladder, number: int) -> None:
        try:
            self._writer.save_checkpoint(number, _without_keys(twin))
            self._has_failed = False
        except PodiumError:  # nothing is lost: the log has it all
            self._has_failed = True

    def checkpoint(self) -> None:
        """Save the ladder as it is now, and wait for it."""
        with self._ladder._lock:
            self._writer.check()
            self._wait()
            number = self._writer.next - 1
            if number not in self._writer.checkpoints():
                self._writer.save_checkpoint(number, _without_keys(self._ladder.copy()))
            self._rows, self._has_failed = 0, False

    def _wait(self) -> None:
        """Until the checkpoint that is being written is there."""
        if self._checkpointing is not None and self._checkpointing.is_alive():
            self._checkpointing.join()

    def close(self) -> None:
        """Let other processes write; a checkpoint that could not be written is tried once more."""
        with self._ladder._lock:
            self._wait()
            try:
                if self._has_failed and not self._writer.closed:
                    self.checkpoint()
            finally:
                self._writer.close()


def _without_keys(ladder: Ladder) -> bytes:
    """A checkpoint of a ladder, whose keys are in the log."""
    ladder._keys = Keys()
    return ladder.to_bytes()


def _give_keys(ladder: Ladder, events: CountedEvents, keys: Mapping[int, str]) -> None:
    """Let the ladder's journal know the keys of what it has rated again."""
    for entry, one in zip(reversed(ladder._journal), reversed(events.events), strict=False):
        entry.moment.key = keys.get(one.number)


def _adjustments(events: Sequence[Numbered]) -> list[Adjustment]:
    return [one.content for one in events if isinstance(one.content, Adjustment)]


# ---------------------------------------------------------------------- opening


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder with a log."""
    folder = LogFolder(path)
    return os.path.isdir(path) and (folder.database.exists() or is_old(folder.path))


def open_log(
    make: type[Ladder],
    path: str | os.PathLike[str],
    system: System | None,
    *,
    start: Ladder | None,
    sync: bool,
    checkpoint_rows: int,
) -> Ladder:
    """The ladder of a log, which is begun if there is none, open for writing."""
    if checkpoint_rows < 1:
        raise ParameterError(f"checkpoint_rows must be at least 1, not {checkpoint_rows!r}")
    folder = LogFolder(path)
    folder.make()
    lock = owned(folder)
    try:
        if is_log(path):  # asked under the lock: another process may just have begun it
            if start is not None:
                raise InputError(
                    f"{path} already exists", hint="give start= with the name of a new folder only"
                )
        else:
            begun = make(system) if start is None else start.copy()
            folder.begin({0: _without_keys(begun)}, keys={} if start is None else start._keys.texts())
        convert(folder)
        writer = LogWriter(folder, lock, sync=sync)
        try:
            ladder, events, rows = restored(make, writer, system)
        except BaseException:
            writer.close()
            raise
    except BaseException:
        lock.close()
        raise
    _give_keys(ladder, events, writer.key_of_number())
    ladder._log = LadderLog(ladder, writer, rows, checkpoint_rows)
    return ladder


def read_log(
    make: type[Ladder], path: str | os.PathLike[str], system: System | None, at: int | None
) -> Ladder:
    """The ladder of a log that may be open in another process, now or at a time; it cannot be written."""
    folder = LogFolder(path)
    with closing(read_connection(folder)) as connection:
        connection.execute("BEGIN")  # all of it as at one moment
        store = LogStore(folder, connection)
        if at is None:
            return restored(make, store, system)[0]
        begun = begun_until(make, store, system, at)
    return replayed_until(begun, at)


def _numbered_events(history: History, first: int, *, allow_repeat: bool) -> list[Numbered]:
    """The events and adjustments of a history in their order, with numbers from `first` on."""
    contents: list[tuple[Event | Adjustment, int]] = []
    placed = list(history.adjustments)
    for number, event in enumerate(history):
        while placed and placed[0].before <= number:
            contents.append((placed[0].adjustment, placed.pop(0).time))
        has_name = history.event_names is not None
        contents.append((event if has_name else replace(event, name=None, named=True), event.time))
    contents += [(one.adjustment, one.time) for one in placed]
    numbered = [Numbered(first + i, *content, allow_repeat) for i, content in enumerate(contents)]
    numbered[:1] = [replace(one, files=file_hashes(history.readings)) for one in numbered[:1]]
    return numbered
