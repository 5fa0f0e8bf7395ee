"""What later generations have replaced is deleted when nobody reads it any more."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from podium.server import machine
from podium.server.correcting.generations import KEPT_SECONDS, MICROSECONDS, REMOVED, latest_generation
from podium.server.correcting.rerating import Writer
from podium.server.log.logged_rows import pieces_of_rows
from podium.server.storage import tables

ROWS_CLEANED_AT_ONCE = 4_000
"""Changes among which superseded ones are deleted in one transaction, which takes some 20 ms."""


class _Due(NamedTuple):
    """A ladder with changes that may go."""

    ladder: int
    generation: int
    """The oldest generation that somebody may still read."""
    first: int
    last: int
    """Numbers of the log between which later generations have replaced something."""


def clean_generations(writer: Writer) -> None:
    """Delete the changes of generations that were replaced some minutes ago, in small transactions."""
    with writer.database.reading() as connection:
        due = [
            (one, list(pieces_of_rows(connection, one.ladder, one.first, one.last, ROWS_CLEANED_AT_ONCE)))
            for one in _due(connection)
        ]
    for one, pieces in due:
        for piece in pieces:
            with writer.database.writing() as connection:
                _clean(connection, one, *piece)
        with writer.database.writing() as connection:
            table = tables.generation
            mine = (table.c.ladder == one.ladder, table.c.number <= one.generation)
            connection.execute(update(table).where(*mine).values(cleaned=True))


def _due(connection: Connection) -> list[_Due]:
    """The ladders with something to delete."""
    table, ladder = tables.generation, tables.ladder
    before = machine.now_micros() - KEPT_SECONDS * MICROSECONDS
    old = (
        select(table.c.ladder, func.max(table.c.number).label("number"))
        .where(table.c.replaced < before)
        .group_by(table.c.ladder)
        .subquery()
    )
    # The one that replaced the last of them is still read, and so are its changes.
    query = (
        select(table.c.ladder, old.c.number, func.min(table.c.changed_from).label("first"), ladder.c.head)
        .join(old, old.c.ladder == table.c.ladder)
        .join(ladder, ladder.c.id == table.c.ladder)
        .where(table.c.number <= old.c.number + 1, ~table.c.cleaned, table.c.builder.is_(None))
        .where(table.c.number > 1)
        .group_by(table.c.ladder, old.c.number, ladder.c.head)
    )
    return [_Due(one.ladder, one.number + 1, one.first, one.head) for one in connection.execute(query)]


def _clean(connection: Connection, due: _Due, first: int, last: int) -> None:
    for table in (tables.change, tables.entry_time):
        superseded = table.c.generation < latest_generation(table, due.generation)
        mine = (table.c.ladder == due.ladder, table.c.seq.between(first, last))
        connection.execute(delete(table).where(*mine, superseded))
    table = tables.change
    removed = (table.c.rank == REMOVED, table.c.generation <= due.generation)
    mine = (table.c.ladder == due.ladder, table.c.seq.between(first, last))
    connection.execute(delete(table).where(*mine, *removed))
