"""The generations of a ladder's ratings: by what system, with which amendments, and who computed them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, ScalarSelect, Table, delete, exists, func, insert, select, update

from podium.server import machine
from podium.server.problems import SupersededError
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow, stored_system
from podium.systems import RatingSystem, make_system

MICROSECONDS = 1_000_000
KEPT_SECONDS = 600
"""How long the ratings of a generation can still be read after another one has taken over."""
REMOVED = 0
"""The rank in a change that says: in this generation the entry does nothing to the player any more."""


def latest_generation(table: Table, most: int) -> ScalarSelect[int]:
    """The last generation up to `most` that has a row for what a row of a table is about.

    One look into the primary key for each row. A database makes a join of NOT EXISTS instead, by its
    statistics: as long as they are older than a new generation they take it for empty, and the join takes
    minutes.
    """
    later = table.alias()
    about = (later.c[key.name] == key for key in table.primary_key if key.name != "generation")
    return select(func.max(later.c.generation)).where(*about, later.c.generation <= most).scalar_subquery()


@dataclass(frozen=True, slots=True)
class Generation:
    """A row of the table `generation`."""

    number: int
    system: str
    engine: int | None
    amended_to: int
    changed_from: int
    replaced: int | None
    builder: str | None
    own_times: bool
    """Whether entries are rated at their own times; otherwise at those of their rows."""
    has_adjustments: bool
    created: int


def read_generations(connection: Connection, ladder: int) -> list[Generation]:
    """The generations of a ladder, oldest first, with one that is being built."""
    table = tables.generation
    columns = [table.c[name] for name in Generation.__slots__]
    query = select(*columns).where(table.c.ladder == ladder).order_by(table.c.number)
    return [Generation(*row) for row in connection.execute(query)]


def find_generation(connection: Connection, ladder: int, number: int) -> Generation | None:
    """One generation of a ladder; None if there is none of this number."""
    table = tables.generation
    columns = [table.c[name] for name in Generation.__slots__]
    query = select(*columns).where(table.c.ladder == ladder, table.c.number == number)
    found = connection.execute(query).one_or_none()
    return None if found is None else Generation(*found)


def has_adjustments(connection: Connection, row: LadderRow) -> bool:
    """Whether what each adjustment did is in the table `change`, for a ladder's generation."""
    found = find_generation(connection, row.id, row.generation)
    return found is not None and found.has_adjustments


def is_readable(generation: Generation | None) -> bool:
    """Whether ratings of a generation are still there for readers in the middle of a list."""
    if generation is None or generation.builder is not None:
        return False
    return (
        generation.replaced is None
        or generation.replaced > machine.now_micros() - KEPT_SECONDS * MICROSECONDS
    )


def first_changed(generations: Sequence[Generation], after: int, to: int) -> int | None:
    """The first number of the log that is rated otherwise in a generation than in an earlier one."""
    return min((one.changed_from for one in generations if after < one.number <= to), default=None)


def first_at_row_times(connection: Connection, row: LadderRow) -> int | None:
    """The first entry that may be rated at the time of its row instead of its own; None if there is none.

    Before anything was amended both are the same.
    """
    past = [one for one in read_generations(connection, row.id) if one.number <= row.generation]
    if not past or past[-1].own_times:
        return None
    return min((one.changed_from for one in past if one.number > 1 and not one.own_times), default=None)


# ---------------------------------------------------------------------- checkpoints


def usable_checkpoints(
    connection: Connection, row: LadderRow, *, before: int | None = None
) -> list[tuple[int, int]]:
    """Generation and number of the checkpoints that hold the ladder's generation, latest first.

    That of an earlier generation does if nothing up to its number has changed since. With `before`, only
    those that hold what comes before this number of the log.
    """
    table = tables.checkpoint
    last = row.head if before is None else min(row.head, before - 1)
    query = select(table.c.generation, table.c.seq).where(
        table.c.ladder == row.id, table.c.generation <= row.generation, table.c.seq <= last
    )
    generations = read_generations(connection, row.id)
    found = []
    for generation, number in connection.execute(query):
        changed = first_changed(generations, generation, row.generation)
        if changed is None or changed > number:
            found.append((generation, number))
    return sorted(found, key=lambda one: (one[1], one[0]), reverse=True)


# ---------------------------------------------------------------------- building


def reserve_generation(
    connection: Connection, row: LadderRow, builder: str, system: RatingSystem, changed_from: int
) -> int:
    """Begin the next generation of a ladder, which `builder` alone writes; returns its number."""
    number = row.generation + 1
    values = _values(row, number, system, changed_from) | {"builder": builder}
    table = tables.generation
    connection.execute(delete(table).where(table.c.ladder == row.id, table.c.number >= number))
    connection.execute(insert(table).values(values))
    return number


def check_builder(
    connection: Connection, ladder: int, number: int, builder: str, *, lock: bool = True
) -> None:
    """Refuse what is written to a generation that somebody else builds by now.

    With `lock`, nobody else begins to build it until the transaction ends.
    """
    table = tables.generation
    query = select(table.c.builder).where(table.c.ladder == ladder, table.c.number == number)
    found = connection.execute(query.with_for_update() if lock else query).scalar_one_or_none()
    if found != builder:
        raise SupersededError("another job is recomputing the ratings of this ladder")


def is_being_built(connection: Connection, row: LadderRow) -> bool:
    """Whether somebody has begun the ladder's next generation, or left it half-built."""
    table = tables.generation
    query = select(exists().where(table.c.ladder == row.id, table.c.number > row.generation))
    return bool(connection.execute(query).scalar_one())


def begin_generation(
    connection: Connection,
    row: LadderRow,
    *,
    engine: int,
    changed_from: int,
    system: RatingSystem | None = None,
) -> Generation:
    """Let the ladder's next generation take over, with every amendment up to its head.

    The ladder's own row is the caller's.
    """
    number = row.generation + 1
    table = tables.generation
    mine = (table.c.ladder == row.id, table.c.number == number)
    connection.execute(delete(table).where(*mine))
    values = _values(row, number, system or row.system, changed_from)
    values |= {"engine": engine, "amended_to": row.head}
    values["has_adjustments"] = not changed_from or has_adjustments(connection, row)
    connection.execute(insert(table).values(values))
    old = (table.c.ladder == row.id, table.c.number == row.generation)
    connection.execute(update(table).where(*old).values(replaced=values["created"]))
    new: dict[str, Any] = {name: values.get(name) for name in Generation.__slots__}
    return Generation(**new)


def _values(row: LadderRow, number: int, system: RatingSystem, changed_from: int) -> dict[str, Any]:
    return {
        "ladder": row.id,
        "number": number,
        "system": json.dumps(stored_system(system), allow_nan=False),
        "amended_to": row.head,
        "changed_from": changed_from,
        "created": machine.now_micros(),
        "own_times": True,
    }


def system_of(generation: Generation) -> RatingSystem:
    """The system by which a generation is rated."""
    stored = json.loads(generation.system)
    return make_system(stored["system"], **stored["parameters"])


# ---------------------------------------------------------------------- who computed it


def first_foreign(
    generations: Iterable[Generation], current: int, mine: int, others: Sequence[int]
) -> int | None:
    """The first number of the log whose changes another engine than `mine` may have computed; None: none.

    `others` are the entries that other engines rated when they were appended, in order. A generation is
    computed all the way from where it changes; what is rated later goes on from its numbers.
    """
    past = [one for one in generations if one.number <= current]
    found: int | None = None
    for place, one in enumerate(past):
        if place or one.number > 1:
            if one.engine != mine:
                found = one.changed_from if found is None else min(found, one.changed_from)
            elif found is not None and found >= one.changed_from:
                found = None
        until = past[place + 1].amended_to if place + 1 < len(past) else None
        start = one.amended_to if place or one.number > 1 else 0
        later = (number for number in others if number > start and (until is None or number <= until))
        if (first := next(later, None)) is not None:
            found = first if found is None else min(found, first)
    return found
