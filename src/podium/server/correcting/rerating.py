"""The next generation of a ladder's ratings: what is amended is rated again, and only what differs is stored.

It is built beside the ladder, in pieces and without its lock, up to where the log had come; then what has
come since; and at last, under the lock, the short rest, after which one UPDATE lets the generation take over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, delete, update

from podium.arrays import NO_TIME
from podium.history.ragged import Progress
from podium.server import machine
from podium.server.correcting.amendments import (
    Amendment,
    Amendments,
    current_amendments,
    next_amendments,
)
from podium.server.correcting.generations import (
    REMOVED,
    Generation,
    begin_generation,
    check_builder,
    find_generation,
    first_at_row_times,
    has_adjustments,
    reserve_generation,
    system_of,
)
from podium.server.ladders.followed_ladder import (
    REMEMBERED_BYTES,
    FollowedLadder,
    checkpoint_ladder,
    name_players,
    nearest_saved,
    stored_checkpoint,
)
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.ladders.numbered_ladder import ChangeRow, NumberedLadder
from podium.server.log.checkpoints import insert_checkpoint, is_due, remove_checkpoints
from podium.server.log.log_reading import changes_of_piece
from podium.server.log.log_replay import replayed
from podium.server.log.logged_rows import number_before, pieces_of_rows, rows_behind
from podium.server.log.rated_times import insert_times, times_of_piece
from podium.server.problems import SupersededError
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.engines import engine_number
from podium.server.storage.inserting import insert_changes
from podium.server.storage.ladder_rows import LadderRow, find_ladder, stored_system
from podium.systems import RatingSystem

TAIL_ROWS = 4_000
"""Rows that are rated under the ladder's lock before a generation that was built beside it takes over."""
ROWS_AT_ONCE = 4_000
"""Changes that are written in one transaction while a generation is built: some 20 ms, which reports wait."""
ROWS_PER_CHECKPOINT = 80_000
"""Changes after which a ladder that is rated again is saved, so that the next amendment need not begin where
this one does; a large one after more."""
ROWS_REMOVED_AT_ONCE = 10_000
"""Changes among which those of a half-built generation are deleted in one transaction."""


class Writer(Protocol):
    """What writes to a database: a worker, or a command that has one for itself."""

    @property
    def database(self) -> Database:
        """The database."""

    @property
    def ladders(self) -> LoadedLadders | None:
        """The ladders in this process's memory, if it has any."""


Write = Callable[..., Any]
"""Called with a function and its arguments: runs it where writing is allowed, with a `Writer` first."""


class Rerated(NamedTuple):
    """What came of computing a ladder's ratings anew."""

    generation: int
    head: int
    rows: int
    changed: int


# ---------------------------------------------------------------------- what differs


class Compared(NamedTuple):
    """A piece of a log that was rated again."""

    last: int
    differing: list[ChangeRow]
    rows: list[ChangeRow]
    """All that the piece changes now."""
    moved: list[tuple[int, int]]
    """The entries that are rated at another time than before, and their times."""
    times: dict[int, int]
    """When its entries are rated now."""


def first_changed_by(
    connection: Connection, row: LadderRow, amendments: Amendments, pending: Iterable[Amendment]
) -> int | None:
    """The first entry that the next generation rates otherwise for some amendments; None if there are none.

    What older versions have rated again is so once more, at its own times.
    """
    first = min((amendments.changed_from(one.number) for one in pending), default=None)
    earlier = None if first is None else first_at_row_times(connection, row)
    return first if first is None or earlier is None else min(first, earlier)


def differing(
    connection: Connection,
    row: LadderRow,
    ladder: NumberedLadder,
    amendments: Amendments,
    *,
    after: int,
    changed_from: int,
    at_start: Callable[[], None] | None = None,
    stops: Collection[int] = (),
    progress: Progress | None = None,
) -> Iterator[Compared]:
    """Rate the log behind a number with amendments on `ladder`, and compare it with what is stored.

    `row` says up to which number, and with which generation it is compared. What is before `changed_from` is
    known not to differ: `at_start` is called when some of that was rated. Who is not changed by an entry any
    more has a change of the rank `REMOVED`. A piece ends at each of the numbers `stops`, if not before.
    """
    late = amendments.late_numbers()
    stops = {changed_from - 1, *stops}
    for piece, rebuilt, times in replayed(
        connection, row, ladder, amendments, after=after, stops=stops, progress=progress
    ):
        if piece.last < changed_from:
            if piece.last == changed_from - 1 and at_start is not None:
                at_start()
            continue
        stored = changes_of_piece(connection, row, piece, late)
        there = {(change.seq, change.player): change for change in stored}
        others = [change for change in rebuilt if there.pop((change.seq, change.player), None) != change]
        removed = [change._replace(rank=REMOVED) for change in there.values()]
        before = times_of_piece(connection, row, piece)
        moved = [(number, time) for number, time in times.items() if time != before[number]]
        yield Compared(piece.last, others + removed, rebuilt, moved, times)


def takes_over(
    connection: Connection,
    row: LadderRow,
    ladder: NumberedLadder,
    *,
    engine: int,
    changed_from: int,
    system: RatingSystem | None = None,
) -> tuple[LadderRow, Generation]:
    """Let the next generation take over, of which every change is written: the ladder's new row, and it."""
    generation = begin_generation(connection, row, engine=engine, changed_from=changed_from, system=system)
    values: dict[str, Any] = {
        "generation": generation.number,
        "events": ladder.n_events,
        "players": len(ladder),
        "last_time": None if ladder.last_time == NO_TIME else ladder.last_time,
        "pending": 0,
    }
    if system is not None:
        values["system"] = json.dumps(stored_system(system), allow_nan=False)
    connection.execute(update(tables.ladder).where(tables.ladder.c.id == row.id).values(values))
    new = replace(
        row,
        generation=generation.number,
        events=ladder.n_events,
        players=len(ladder),
        last_time=ladder.last_time,
        pending=0,
        system=system or row.system,
    )
    return new, generation


# ---------------------------------------------------------------------- beside the ladder


@dataclass(frozen=True, slots=True)
class Plan:
    """A generation that somebody builds."""

    ladder: int
    slug: str
    generation: int
    builder: str
    changed_from: int
    amended_to: int
    """The head of the log when it was planned: amendments up to there count in it."""
    anew: bool
    """Whether everything is rated, and not only what amendments change."""
    half_built_from: int | None
    """Where a generation of this number begins that somebody else left half-built."""


def begin_building(writer: Writer, slug: str, anew: bool, system: RatingSystem | None) -> Plan | None:
    """Plan the ladder's next generation; None if there is nothing to rate again."""
    with writer.database.writing() as connection:
        row = find_ladder(connection, slug, lock=True)
        amendments = current_amendments(connection, row)
        pending = amendments.between(amendments.to, row.head)
        # An older podium did not keep what adjustments did: then everything is rated again, once.
        anew = anew or system is not None or not has_adjustments(connection, row)
        changed_from = 0 if anew else first_changed_by(connection, row, amendments, pending)
        if changed_from is None:
            return None
        left = find_generation(connection, row.id, row.generation + 1)
        half_built = None if left is None else left.changed_from
        # If this run is killed too, the next one has to delete what both have left.
        first = changed_from if half_built is None else min(changed_from, half_built)
        builder = machine.token_hex(16)
        number = reserve_generation(connection, row, builder, system or row.system, first)
        table = tables.checkpoint
        connection.execute(delete(table).where(table.c.ladder == row.id, table.c.generation >= number))
        return Plan(row.id, slug, number, builder, changed_from, row.head, anew, half_built)


def remove_changes(writer: Writer, plan: Plan, first: int, last: int) -> None:
    """Delete what somebody else left of the planned generation, for some numbers of the log."""
    with writer.database.writing() as connection:
        check_builder(connection, plan.ladder, plan.generation, plan.builder)
        for table in (tables.change, tables.entry_time):
            mine = (table.c.ladder == plan.ladder, table.c.seq.between(first, last))
            connection.execute(delete(table).where(*mine, table.c.generation >= plan.generation))


def store_changes(writer: Writer, plan: Plan, changes: list[ChangeRow], moved: list[tuple[int, int]]) -> None:
    """Write changes of the planned generation, and which entries it rates at other times."""
    with writer.database.writing() as connection:
        check_builder(connection, plan.ladder, plan.generation, plan.builder)
        insert_changes(connection, plan.ladder, plan.generation, changes)
        insert_times(connection, plan.ladder, plan.generation, moved)


def store_checkpoint(writer: Writer, plan: Plan, number: int, content: bytes) -> None:
    """Save the ladder as it is in the planned generation at some number of the log."""
    with writer.database.writing() as connection:
        check_builder(connection, plan.ladder, plan.generation, plan.builder)
        row = find_ladder(connection, plan.slug)
        insert_checkpoint(connection, replace(row, generation=plan.generation, head=number), content)


def finish_building(writer: Writer, plan: Plan, reached: int) -> Rerated | None:
    """Rate the rest of the log, and let the planned generation take over.

    None if an amendment has come meanwhile that changes what is rated already.
    """
    with writer.database.reading() as connection:  # so that nobody waits for it
        check_builder(connection, plan.ladder, plan.generation, plan.builder, lock=False)
        row = find_ladder(connection, plan.slug)
        ladder = checkpoint_ladder(stored_checkpoint(connection, row, plan.generation, reached))
        name_players(connection, row, ladder)
        named = row.head
    with ExitStack() as switching, writer.database.writing() as connection:
        row = find_ladder(connection, plan.slug, lock=True)
        check_builder(connection, plan.ladder, plan.generation, plan.builder)
        amendments = _caught_up(connection, row, plan, reached)
        if amendments is None:
            return None
        reserved = find_generation(connection, row.id, plan.generation)
        assert reserved is not None
        system = system_of(reserved)
        if row.head > named:
            name_players(connection, row, ladder)
        rows = changed = 0
        for piece in differing(connection, row, ladder, amendments, after=reached, changed_from=reached + 1):
            insert_changes(connection, row.id, plan.generation, piece.differing)
            insert_times(connection, row.id, plan.generation, piece.moved)
            rows, changed = rows + len(piece.rows), changed + len(piece.differing)
        new, generation = takes_over(
            connection,
            row,
            ladder,
            engine=engine_number(connection),
            changed_from=plan.changed_from,
            system=None if system == row.system else system,
        )
        if row.head > reached:
            insert_checkpoint(connection, new, ladder.numbered().to_bytes())
        remove_checkpoints(connection, new)
        if writer.ladders is not None:
            live = FollowedLadder(new, ladder, amendments)
            switching.enter_context(writer.ladders.switching(live, generation))
    return Rerated(new.generation, new.head, rows, changed)


def _caught_up(connection: Connection, row: LadderRow, plan: Plan, reached: int) -> Amendments | None:
    """The amendments up to the ladder's head; None if a new one changes what is rated already."""
    if row.generation != plan.generation - 1:
        raise SupersededError("another job has recomputed the ratings of this ladder")
    amendments = next_amendments(connection, row)
    news = amendments.between(reached, row.head)
    return None if any(amendments.changed_from(one.number) <= reached for one in news) else amendments


def build_generation(
    write: Write,
    database: Database,
    slug: str,
    *,
    anew: bool = False,
    system: RatingSystem | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Rerated | None:
    """Build the ladder's next generation beside it, and let it take over; None if there was nothing to do.

    `write` runs what writes. `progress` is called with the entries rated so far and those there are.
    """
    told = progress or (lambda done, total: None)
    while True:
        plan: Plan | None = write(begin_building, slug, anew, system)
        if plan is None:
            return None
        if (done := _Building(write, database, plan, told).run()) is not None:
            return done


class _Building:
    """A generation being built."""

    def __init__(
        self, write: Write, database: Database, plan: Plan, told: Callable[[int, int], None]
    ) -> None:
        self._write, self._database, self._plan, self._told = write, database, plan, told
        self._rows = self._changed = 0

    def run(self) -> Rerated | None:
        """Build it; None if it has to be begun again."""
        plan = self._plan
        self._remove_half_built()
        with self._database.reading() as connection:
            row = replace(self._row(connection), head=plan.amended_to)
            amendments = next_amendments(connection, row)
            reached, ladder = self._base(connection, row)
            self._rate(connection, row, ladder, amendments, after=reached, changed_from=plan.changed_from)
        while True:
            reached = row.head
            with self._database.reading() as connection:
                row = self._row(connection)
                if rows_behind(connection, row, reached, TAIL_ROWS) <= TAIL_ROWS:
                    break
                if (found := _caught_up(connection, row, plan, reached)) is None:
                    return None
                name_players(connection, row, ladder)
                self._rate(connection, row, ladder, found, after=reached, changed_from=reached + 1)
        last: Rerated | None = self._write(finish_building, plan, reached)
        if last is None:
            return None
        return last._replace(rows=last.rows + self._rows, changed=last.changed + self._changed)

    def _row(self, connection: Connection) -> LadderRow:
        return find_ladder(connection, self._plan.slug)

    def _base(self, connection: Connection, row: LadderRow) -> tuple[int, NumberedLadder]:
        """The number and the ladder from which it begins, with everybody's name."""
        plan = self._plan
        if plan.anew:
            reserved = find_generation(connection, row.id, plan.generation)
            if reserved is None:
                raise SupersededError("another job is recomputing the ratings of this ladder")
            number, ladder = 0, NumberedLadder(system_of(reserved))
        else:
            number, ladder = nearest_saved(connection, row, before=plan.changed_from)
        name_players(connection, row, ladder)
        return number, ladder

    def _rate(
        self,
        connection: Connection,
        row: LadderRow,
        ladder: NumberedLadder,
        amendments: Amendments,
        *,
        after: int,
        changed_from: int,
    ) -> None:
        """Rate up to the row's head, and write what differs."""
        done = 0

        def count(entries: int) -> None:
            nonlocal done
            done += entries
            self._told(done, row.head - after)

        saved, since, size = -1, 0, 0
        # From there the next amendment near the end begins, which is rated at once.
        near_end = number_before(connection, row, TAIL_ROWS)
        for piece in differing(
            connection,
            row,
            ladder,
            amendments,
            after=after,
            changed_from=changed_from,
            stops=[near_end],
            progress=count,
        ):
            for start in range(0, max(len(piece.differing), len(piece.moved)), ROWS_AT_ONCE):
                some = slice(start, start + ROWS_AT_ONCE)
                self._write(store_changes, self._plan, piece.differing[some], piece.moved[some])
                self._told(done, row.head - after)
            self._rows, self._changed = self._rows + len(piece.rows), self._changed + len(piece.differing)
            is_near_end = piece.last == near_end and ladder.state.nbytes <= REMEMBERED_BYTES
            if is_due(since := since + len(piece.rows), ROWS_PER_CHECKPOINT, size) or is_near_end:
                size = self._save(ladder, saved := piece.last)
                since = 0
        if saved < row.head:
            self._save(ladder, row.head)
        ladder.relabelled.clear()

    def _save(self, ladder: NumberedLadder, number: int) -> int:
        """Save the ladder as it is at some number; how many bytes that are."""
        content = ladder.numbered().to_bytes()
        self._write(store_checkpoint, self._plan, number, content)
        return len(content)

    def _remove_half_built(self) -> None:
        plan = self._plan
        if plan.half_built_from is None:
            return
        span = plan.half_built_from, plan.amended_to
        with self._database.reading() as connection:
            for piece in pieces_of_rows(connection, plan.ladder, *span, ROWS_REMOVED_AT_ONCE):
                self._write(remove_changes, plan, *piece)
                self._told(0, plan.amended_to)
