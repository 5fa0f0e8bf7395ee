"""When entries of a log are rated: a matter of the generation, read and written here.

An entry has the time of its row in the table `event` until a generation rates it at another one, as when an
event is void from which its time was taken. Each generation stores only what differs from the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, insert, select

from podium.arrays import NO_TIME
from podium.server.ladders.followed_ladder import Piece
from podium.server.log.log_entries import LogEntry, entry_of
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

ENTRIES_AT_ONCE = 500
"""Entries that one query asks for by number."""
COUNTED_TIME = "counted_time"
"""The column of queries in which the time of the generation is."""


def counted_time(row: LadderRow) -> ColumnElement[int | None]:
    """The time at which an entry of the table `event` is rated in the ladder's generation."""
    event, table = tables.event, tables.entry_time.alias("latest")
    latest = (
        select(table.c.rated_time)
        .where(table.c.ladder == event.c.ladder, table.c.seq == event.c.seq)
        .where(table.c.generation <= row.generation)
        .order_by(table.c.generation.desc())
        .limit(1)
    )
    return func.coalesce(latest.scalar_subquery(), event.c.rated_time)


def select_entries(row: LadderRow, *more: ColumnElement[Any]) -> Select[Any]:
    """The query for entries of a ladder's log with their times, for `entry_as_rated`."""
    entries = select(tables.event, counted_time(row).label(COUNTED_TIME), *more)
    return entries.where(tables.event.c.ladder == row.id)


def entry_as_rated(found: Any, name_of: Callable[[int], str]) -> LogEntry:
    """The entry in a row of such a query, at the time at which it is rated."""
    entry, time = entry_of(found, name_of), getattr(found, COUNTED_TIME)
    time = NO_TIME if time is None else time
    return entry if entry.rated_time == time else replace(entry, rated_time=time)


def times_of_piece(connection: Connection, row: LadderRow, piece: Piece) -> dict[int, int]:
    """When the entries of a piece of the log are rated, as it is stored."""
    table, times = tables.entry_time, dict(piece.times)
    some = [table.c.seq.between(piece.first, piece.last)]
    for start in range(0, len(piece.late), ENTRIES_AT_ONCE):
        some.append(table.c.seq.in_(piece.late[start : start + ENTRIES_AT_ONCE]))
    for chosen in some:
        query = (
            select(table.c.seq, table.c.rated_time)
            .where(table.c.ladder == row.id, table.c.generation <= row.generation, chosen)
            .order_by(table.c.generation)  # of several generations, the last one counts
        )
        for number, time in connection.execute(query):
            if number in times:
                times[number] = NO_TIME if time is None else time
    return times


def insert_times(
    connection: Connection, ladder: int, generation: int, times: Iterable[tuple[int, int]]
) -> None:
    """Write when a generation rates entries: their numbers and times."""
    rows = [
        {"ladder": ladder, "seq": number, "generation": generation, "rated_time": _known(time)}
        for number, time in times
    ]
    if rows:
        connection.execute(insert(tables.entry_time), rows)


def _known(time: int) -> int | None:
    return None if time == NO_TIME else time
