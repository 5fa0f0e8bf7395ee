"""Ladders made of a log: the nearest checkpoint, and what counts after it rated again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from sqlite3 import Connection, connect
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from podium.errors import InputError, PodiumError, StateError
from podium.history import Event, Names
from podium.history.history import history_of_values
from podium.history.ragged import Progress
from podium.ladder.dated import past_error
from podium.ladder.journal import MOST_EVENTS
from podium.ladder.log_events import CountedEvents, Numbered, TooEarlyError
from podium.ladder.log_store import LogFolder, LogStore, fill
from podium.ladder.old_logs import old_checkpoints, old_records
from podium.ladder.recorded_keys import Keys
from podium.systems import System
from podium.systems.contract.ratings import Changes

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder

Answer = TypeVar("Answer")


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


def read_connection(folder: LogFolder) -> Connection:
    """A connection to a log's database; one of an old log is made in memory."""
    if folder.database.exists():
        return folder.connection()
    connection = connect(":memory:", isolation_level=None)
    fill(connection, old_checkpoints(folder.path), old_records(folder.path))
    return connection


def restored(make: type[Ladder], store: LogStore, system: System | None) -> tuple[Ladder, CountedEvents, int]:
    """The ladder after all records, what counts since a checkpoint, and the rows rated since then."""

    def begun(events: CountedEvents) -> tuple[CountedEvents, Ladder, int]:
        return events, *from_nearest(make, store, system, events)

    events, ladder, done = look_back(store, begun)
    replay(ladder, events.events[done:])
    ladder._keys = Keys(store.keys())
    return ladder, events, sum(one.rows for one in events.events[done:])


def begun_until(
    make: type[Ladder], store: LogStore, system: System | None, time: int
) -> tuple[Ladder, list[Numbered]]:
    """The ladder of the last checkpoint before a time, and what counts from there up to the time."""

    def begun(events: CountedEvents) -> tuple[Ladder, list[Numbered]]:
        events.end_at(time)
        ladder, done = from_nearest(make, store, system, events)
        return ladder, events.events[done:]

    return look_back(store, begun)


def replayed_until(begun: tuple[Ladder, list[Numbered]], time: int) -> Ladder:
    """The ladder after what counts up to a time; refused if the log began with a ladder of a later one."""
    ladder, events = begun
    if ladder.last_time > time:
        raise past_error(ladder.last_time, time)
    replay(ladder, events)
    return ladder


def look_back(store: LogStore, question: Callable[[CountedEvents], Answer]) -> Answer:
    """Ask about what counts since the last checkpoint; if the answer lies before it, since an earlier one."""
    checkpoints = store.checkpoints()
    damage = None
    for start in reversed(checkpoints):
        records = store.records(start)
        try:
            return question(CountedEvents(records, checkpoints, start))
        except TooEarlyError:
            continue
        except StateError as error:
            damage = damage or error
    where = store.folder.path
    raise damage or StateError(f"{where} is not a ladder's log: its first checkpoint is missing")


def from_nearest(
    make: type[Ladder], store: LogStore, system: System | None, events: CountedEvents
) -> tuple[Ladder, int]:
    """The ladder of the last whole checkpoint that begins like these events, and how many it has rated."""
    damage = None
    for number in sorted(events.lengths, reverse=True):
        try:
            return make.from_bytes(store.checkpoint(number), system=system), events.lengths[number]
        except StateError as error:
            where = f"{store.folder.database}, checkpoint {number}"
            damage = damage or StateError(f"{where}: {error.reason}", hint=error.hint)
    assert damage is not None
    raise damage
