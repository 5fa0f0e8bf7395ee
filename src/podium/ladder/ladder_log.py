"""A ladder with a log: each change is on the disk before it counts, and any event can be corrected later.

An event is rated in memory, then written to the log; if that fails it is taken back. A correction is rated
beside the ladder, from the nearest checkpoint before what it changes; then it is written, then it counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError, PodiumError, StateError
from podium.history import Adjustment, Event, History, Names
from podium.history.history import history_of_values
from podium.history.ragged import Progress
from podium.ladder.dated import past_error
from podium.ladder.journal import MOST_EVENTS
from podium.ladder.late_events import Late, as_rated
from podium.ladder.log_corrections import CountedEvents, TooEarlyError, in_place_of
from podium.ladder.log_files import LogFolder, LogWriter, begin_segment, owned
from podium.ladder.log_records import ADDING, LogRecord, Numbered
from podium.ladder.name_changes import corrected, renamed
from podium.ladder.repeats import file_hashes
from podium.systems import System
from podium.systems.contract.ratings import Changes, Trace

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder


def replay(
    ladder: Ladder, events: Sequence[Numbered], progress: Progress | None = None, *, again: bool = True
) -> None:
    """Rate events and adjustments after what the ladder has rated.

    Those that were accepted before are rated `again`: if one is refused now, the error says which.
    """
    start = max(len(events) - MOST_EVENTS, 0)
    for is_event, group in groupby(events[:start], key=lambda one: isinstance(one.content, Event)):
        if is_event:
            _rate_in_bulk(ladder, list(group), progress)
        else:
            for one in group:
                rate_one(ladder, one, again=again)
    for one in events[start:]:
        rate_one(ladder, one, again=again)
        if progress is not None:
            progress(one.rows)


def rate_one(ladder: Ladder, one: Numbered, *, again: bool = True) -> Changes:
    """Rate one event and return the changes, or adjust."""
    ladder._repeats.add_hashes(one.files)
    try:
        if isinstance(one.content, Event):
            return ladder._rate_event(one.event, allow_repeat=one.allow_repeat)
        ladder._apply_adjustment(one.content, one.time)
        return Changes()
    except PodiumError as error:
        if not again:
            raise
        reason = f"{one.describe()} can no longer be rated: {error.reason}"
        raise InputError(reason, hint=error.hint) from error


def _rate_in_bulk(ladder: Ladder, run: Sequence[Numbered], progress: Progress | None) -> None:
    for one in run:
        ladder._repeats.add_hashes(one.files)
    history = history_of_values([one.event for one in run], Names())
    # Each was recorded on its own, or in a history that said so: a name that some share is still their own.
    named = np.array([one.event.named and one.event.name is not None for one in run])
    ladder._rate_piece(replace(history, named=named), trace=False, allow_repeat=True, progress=progress)


CHECKPOINT_ROWS = 100_000
"""Rows of events between two checkpoints: what is rated again in a second or so when a log is opened."""

Answer = TypeVar("Answer")


class LadderLog:
    """The log of an open ladder: everything that changes the ladder goes through it."""

    def __init__(self, ladder: Ladder, writer: LogWriter, rows: int, checkpoint_rows: int) -> None:
        self._ladder, self._writer = ladder, writer
        self._folder = writer.folder
        self._rows, self._checkpoint_rows = rows, checkpoint_rows
        self._checkpointing: Thread | None = None
        self._has_failed = False
        """Whether the latest checkpoint could not be written."""

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # a copy of an open ladder has no log

    # ------------------------------------------------------------------ recording

    def record(self, event: Event, *, allow_repeat: bool, late: Late, key: str | None = None) -> Changes:
        """Rate an event, at the end or where it belongs in time."""
        _refuse_key(key)
        with self._ladder._lock:
            event = as_rated(event, late, self._ladder.last_time)
            is_late = NO_TIME != event.time < self._ladder.last_time
            one = Numbered(self._writer.next_number, event, event.time, allow_repeat)
            if is_late and late == "insert":
                self._check_repeat(event, allow_repeat)
                return self._correct(lambda _: LogRecord(one.number, "insertion", (one,)))
            self._ladder._check_order(event.time, event.name)  # by its own name, not by its number
            record = LogRecord(one.number, "event", (one,))
            changes = self._add(
                record, lambda: self._ladder._rate_event(one.event, allow_repeat=allow_repeat)
            )
            changes.number = one.number
            return changes

    def adjust(self, adjustment: Adjustment, time: int, *, key: str | None = None) -> Changes:
        """Adjust ratings; what that changed."""
        _refuse_key(key)
        with self._ladder._lock:
            one = Numbered(self._writer.next_number, adjustment, time)

            def apply() -> Changes:
                return self._ladder._apply_adjustment(adjustment, time).changes(self._ladder.players)

            changes = self._add(LogRecord(one.number, "adjustment", (one,)), apply)
            changes.number = one.number
            return changes

    def _add(self, record: LogRecord, rate: Callable[[], Changes]) -> Changes:
        """Rate something and write it; if either fails or is interrupted, there is neither."""
        self._writer.check()
        before = self._ladder._journal.latest
        try:
            changes = rate()
            self._writer.append(record)
        except BaseException:
            if self._writer.next_number == record.number and self._ladder._journal.latest is not before:
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
            first = self._writer.next_number
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
            record = LogRecord(self._writer.next_number, "undo")
            latest = self._ladder._journal.latest
            if latest is None:
                self._correct(lambda _: record)
                return

            def take_back() -> None:
                if self._ladder._journal.latest is latest:
                    self._ladder._undo_latest()

            self._write(record, take_back)

    def void(self, event: str | int) -> None:
        """Let an event or an adjustment not count."""

        def record(events: CountedEvents) -> LogRecord:
            targets = tuple(one.number for one in events.meant(event))
            return LogRecord(self._writer.next_number, "void", targets=targets)

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
            return LogRecord(self._writer.next_number, "replacement", (one,), (old.number,))

        with self._ladder._lock:
            return self._correct(record)

    def _check_repeat(self, event: Event, allow_repeat: bool) -> None:
        if event.named and event.name is not None:
            self._ladder._repeats.check_event(event.name, event.time, allow=allow_repeat)

    def counted(self) -> tuple[Numbered, ...]:
        """All that counts, read from the files."""
        with self._ladder._lock:
            return tuple(CountedEvents(self._folder.read().records, ()).events)

    def at(self, time: int) -> Ladder:
        """The ladder as it was at a time, with all corrections since; the lock is held to read the files."""
        with self._ladder._lock:
            self._wait()  # its checkpoint may be the nearest one, and it may remove others
            begun = _begun_until(type(self._ladder), self._folder, self._ladder.system, time)
        return _replayed_until(begun, time)

    def _correct(self, make_record: Callable[[CountedEvents], LogRecord]) -> Changes:
        """Rate again what follows a correction, and write it; returns the changes by what comes in."""
        self._writer.check()
        self._wait()  # its checkpoint may be the nearest one

        def rate_again(
            events: CountedEvents,
        ) -> tuple[LogRecord, CountedEvents, list[Adjustment], Ladder, int]:
            record, before = make_record(events), _adjustments(events.events)
            events.apply(record)
            twin, done = _from_nearest(type(self._ladder), self._folder, self._ladder.system, events)
            return record, events, before, twin, done

        record, events, before, twin, done = look_back(self._folder, rate_again)
        changes = Changes()
        for one in record.added:
            place = events.place_of(one.number)
            replay(twin, events.events[done:place])
            changes, done = rate_one(twin, one, again=False), place + 1
            changes.number = one.number
        replay(twin, events.events[done:])
        changes_of_names = corrected(before, _adjustments(events.events), twin.__contains__)
        name_change = self._ladder._name_change.then(changes_of_names)
        self._write(record, lambda: self._ladder._continue_as(twin, name_change))
        for number in self._folder.checkpoints():
            if events.start < number < record.number and number not in events.lengths:
                self._folder.checkpoint(number).unlink(missing_ok=True)
        return changes

    def _write(self, record: LogRecord, take_effect: Callable[[], None]) -> None:
        """Write a record, then let it count; an interrupt in between does not part the two."""
        try:
            self._writer.append(record)
            take_effect()
        except BaseException:
            if self._writer.next_number > record.number:
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
            self._writer.begin_segment()
            twin, number = self._ladder.copy(), self._writer.next_number - 1
            self._checkpointing = Thread(target=self._save, args=(twin, number), name="podium checkpoint")
            self._checkpointing.start()
        except Exception:  # whatever it is: the record counts, and its caller shall know that
            self._has_failed = True

    def _save(self, twin: Ladder, number: int) -> None:
        try:
            twin.save(self._folder.checkpoint(number))
            self._has_failed = False
            for old in superfluous(self._folder.checkpoints()):
                self._folder.checkpoint(old).unlink(missing_ok=True)
        except (PodiumError, OSError):  # nothing is lost: the log has it all
            self._has_failed = True

    def checkpoint(self) -> None:
        """Save the ladder as it is now, and wait for it."""
        with self._ladder._lock:
            self._writer.check()
            self._wait()
            self._writer.begin_segment()
            number = self._writer.next_number - 1
            if number not in self._folder.checkpoints():
                self._ladder.save(self._folder.checkpoint(number))
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


def _refuse_key(key: str | None) -> None:
    if key is not None:
        raise InputError("a ladder with a log keeps no keys", hint="give the event a name")


def _adjustments(events: Sequence[Numbered]) -> list[Adjustment]:
    return [one.content for one in events if isinstance(one.content, Adjustment)]


def superfluous(checkpoints: Sequence[int]) -> list[int]:
    """The checkpoints that are not worth their space: the older, the fewer are kept.

    Of those that are 1, 2 to 3, 4 to 7, 8 to 15, … records back only the oldest stays.

    >>> superfluous([0, 10, 20, 30, 40, 50, 60])
    [10, 20, 40]
    """
    kept = {(checkpoints[-1] - number).bit_length(): number for number in reversed(checkpoints)}
    return [number for number in checkpoints if number not in kept.values()]


# ---------------------------------------------------------------------- opening


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
        if not folder.segments():  # asked under the lock: another process may just have begun it
            _begin(make(system) if start is None else start, folder)
        elif start is not None:
            raise InputError(f"{path} already exists", hint="give start= with the name of a new folder only")
        ladder, rows, whole, next_number = _restored(make, folder, system)
        described = ladder.system.describe()
        writer = LogWriter(folder, described, lock, whole=whole, next_number=next_number, sync=sync)
    except BaseException:
        lock.close()
        raise
    ladder._log = LadderLog(ladder, writer, rows, checkpoint_rows)
    return ladder


def read_log(
    make: type[Ladder], path: str | os.PathLike[str], system: System | None, at: int | None
) -> Ladder:
    """The ladder of a log that may be open in another process, now or at a time; it cannot be written."""
    if at is None:
        return _restored(make, LogFolder(path), system)[0]
    return _replayed_until(_begun_until(make, LogFolder(path), system, at), at)


def _begin(ladder: Ladder, folder: LogFolder) -> None:
    ladder.save(folder.checkpoint(0))
    begin_segment(folder, 1, ladder.system.describe())


def _restored(make: type[Ladder], folder: LogFolder, system: System | None) -> tuple[Ladder, int, int, int]:
    """The ladder after all records, the rows since its checkpoint, and where the log ends."""

    def restored(events: CountedEvents) -> tuple[CountedEvents, Ladder, int]:
        return events, *_from_nearest(make, folder, system, events)

    events, ladder, done = look_back(folder, restored)
    replay(ladder, events.events[done:])
    content = folder.read(folder.segments()[-1] - 1)
    return ladder, sum(one.rows for one in events.events[done:]), content.whole, content.next_number


def _begun_until(
    make: type[Ladder], folder: LogFolder, system: System | None, time: int
) -> tuple[Ladder, list[Numbered]]:
    """The ladder of the last checkpoint before a time, and what counts from there up to the time."""

    def begun(events: CountedEvents) -> tuple[Ladder, list[Numbered]]:
        events.end_at(time)
        ladder, done = _from_nearest(make, folder, system, events)
        return ladder, events.events[done:]

    return look_back(folder, begun)


def _replayed_until(begun: tuple[Ladder, list[Numbered]], time: int) -> Ladder:
    """The ladder after what counts up to a time; refused if the log began with a ladder of a later one."""
    ladder, events = begun
    if ladder.last_time > time:
        raise past_error(ladder.last_time, time)
    replay(ladder, events)
    return ladder


def look_back(folder: LogFolder, question: Callable[[CountedEvents], Answer]) -> Answer:
    """Ask about what counts since the last checkpoint; if the answer lies before it, since an earlier one."""
    checkpoints = folder.checkpoints()
    damage = None
    for start in reversed(checkpoints):
        records = folder.read(start).records
        try:
            return question(CountedEvents(records, checkpoints, start))
        except TooEarlyError:
            continue
        except StateError as error:
            damage = damage or error
    raise damage or StateError(f"{folder.path} is not a ladder's log: its first checkpoint is missing")


def _from_nearest(
    make: type[Ladder], folder: LogFolder, system: System | None, events: CountedEvents
) -> tuple[Ladder, int]:
    """The ladder of the last whole checkpoint that begins like these events, and how many it has rated."""
    damage = None
    for number in sorted(events.lengths, reverse=True):
        try:
            return make.load(folder.checkpoint(number), system=system), events.lengths[number]
        except StateError as error:
            damage = damage or error
    assert damage is not None
    raise damage


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
