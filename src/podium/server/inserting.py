"""Rows written by the thousand: one statement of arrays on PostgreSQL, one prepared statement on SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, update

from podium.server import tables
from podium.server.ladder_rows import LadderRow
from podium.server.live_ladder import LiveLadder
from podium.server.reports import is_free
from podium.server.served_ladder import ChangeRow

_POSTGRESQL_TYPES = {
    "BIGINT": "bigint",
    "INTEGER": "integer",
    "BOOLEAN": "boolean",
    "TEXT": "text",
    "DOUBLE": "double precision",
    "BLOB": "bytea",
}


def insert_events(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append rows to the log."""
    _insert(connection, tables.event, list(rows[0]), [tuple(row.values()) for row in rows])


def insert_changes(connection: Connection, row: LadderRow, changes: Sequence[ChangeRow]) -> None:
    """Keep what entries of the log did, for the ladder's generation."""
    insert_changes_of(connection, row.id, row.generation, changes)


def insert_changes_of(
    connection: Connection, ladder: int, generation: int, changes: Iterable[ChangeRow]
) -> None:
    """Keep changes for some generation of a ladder."""
    columns = ["ladder", "generation", *ChangeRow._fields]
    _insert(connection, tables.change, columns, [(ladder, generation, *change) for change in changes])


def insert_players(connection: Connection, live: LiveLadder, known: int) -> None:
    """Enter the players with numbers from `known` on, and the names of who was renamed or merged."""
    labels, ladder = live.ladder.players, live.row.id
    relabelled = sorted(number for number in live.ladder.relabelled if number < known)
    for number in relabelled:  # first nobody has a name that somebody else may get now
        _name_player(connection, ladder, number, None)
    fresh = [(ladder, number, _name(labels[number])) for number in range(known, len(labels))]
    _insert(connection, tables.player, ["ladder", "number", "name"], fresh)
    for number in relabelled:
        _name_player(connection, ladder, number, _name(labels[number]))
    live.ladder.relabelled.clear()


def _name(label: str) -> str | None:
    return None if is_free(label) else label


def _name_player(connection: Connection, ladder: int, number: int, name: str | None) -> None:
    table = tables.player
    chosen = (table.c.ladder == ladder, table.c.number == number)
    connection.execute(update(table).where(*chosen).values(name=name))


def _insert(connection: Connection, table: Table, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    if not rows:
        return
    names = ", ".join(columns)
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)
        return
    kinds = [_kind(table, column) for column in columns]
    arrays = ", ".join(f"%s::{kind}[]" for kind in kinds)
    values = tuple(list(column) for column in zip(*rows, strict=True))
    connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) SELECT * FROM unnest({arrays})", values)


def _kind(table: Table, column: str) -> str:
    """The type of a column as PostgreSQL calls it."""
    kind = table.c[column].type.compile().split("(")[0]
    return "text" if kind == "VARCHAR" else _POSTGRESQL_TYPES[kind]
