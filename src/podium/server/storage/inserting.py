"""Rows written by the thousand: one COPY on PostgreSQL, one prepared statement on SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from sqlalchemy import Connection, Table, update
from sqlalchemy.exc import DBAPIError

from podium.server.ladders.live_ladder import LiveLadder
from podium.server.ladders.served_ladder import ChangeRow
from podium.server.log.log_entries import StoredRow
from podium.server.log.reports import is_free
from podium.server.storage import tables

_POSTGRESQL_TYPES = {
    "BIGINT": "bigint",
    "INTEGER": "integer",
    "BOOLEAN": "boolean",
    "TEXT": "text",
    "DOUBLE": "double precision",
    "BLOB": "bytea",
}


def insert_events(connection: Connection, rows: list[StoredRow]) -> None:
    """Append rows to the log."""
    _insert(connection, tables.event, StoredRow._fields, rows)


def insert_changes(connection: Connection, ladder: int, generation: int, changes: list[ChangeRow]) -> None:
    """Keep what entries of the log did, for some generation of a ladder."""
    always = {"ladder": ladder, "generation": generation}
    _insert(connection, tables.change, ChangeRow._fields, changes, always)


def insert_players(connection: Connection, live: LiveLadder, known: int) -> None:
    """Enter the players with numbers from `known` on, and the names of who was renamed or merged."""
    labels, ladder = live.ladder.players, live.row.id
    relabelled = sorted(number for number in live.ladder.relabelled if number < known)
    for number in relabelled:  # first nobody has a name that somebody else may get now
        _name_player(connection, ladder, number, None)
    fresh = [(number, _name(labels[number])) for number in range(known, len(labels))]
    _insert(connection, tables.player, ("number", "name"), fresh, {"ladder": ladder})
    for number in relabelled:
        _name_player(connection, ladder, number, _name(labels[number]))
    live.ladder.relabelled.clear()


def _name(label: str) -> str | None:
    return None if is_free(label) else label


def _name_player(connection: Connection, ladder: int, number: int, name: str | None) -> None:
    table = tables.player
    chosen = (table.c.ladder == ladder, table.c.number == number)
    connection.execute(update(table).where(*chosen).values(name=name))


def _insert(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    always: Mapping[str, int] = {},
) -> None:
    """Insert rows; the columns in `always` have one value in all of them."""
    if not rows:
        return
    names = ", ".join((*always, *columns))
    fixed = "".join(f"{value:d}, " for value in always.values())
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        connection.exec_driver_sql(
            f"INSERT INTO {table.name} ({names}) VALUES ({fixed}{marks})", cast(list[Any], rows)
        )
        return
    kinds = [_kind(table, column) for column in columns]
    _copy(
        connection,
        f"COPY {table.name} ({names}) FROM STDIN (FORMAT BINARY)",
        kinds,
        rows,
        tuple(always.values()),
    )


def _copy(
    connection: Connection,
    statement: str,
    kinds: list[str],
    rows: Sequence[tuple[Any, ...]],
    fixed: tuple[int, ...],
) -> None:
    """Send rows by PostgreSQL's own way for many: a tenth of the work of an INSERT."""
    import psycopg

    driver = cast(psycopg.Connection[Any], connection.connection.driver_connection)
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types([*["integer"] * len(fixed), *kinds])
            for row in rows:
                copy.write_row(fixed + row)
    except psycopg.Error as error:
        if driver.broken:
            connection.invalidate(error)
        raise DBAPIError.instance(
            statement, None, error, psycopg.Error, dialect=connection.dialect
        ) from error


@cache
def _kind(table: Table, column: str) -> str:
    """The type of a column as PostgreSQL calls it."""
    kind = table.c[column].type.compile().split("(")[0]
    return "text" if kind == "VARCHAR" else _POSTGRESQL_TYPES[kind]
