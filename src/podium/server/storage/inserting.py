"""Rows written by the thousand: one COPY on PostgreSQL, one prepared statement on SQLite.

Rows that another process makes for the one that writes to SQLite come staged: as a small database of their
own, out of which SQLite takes them by itself. Whoever writes looks at no single value, and other threads go
on meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Table, select, update
from sqlalchemy.exc import DBAPIError

from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.ladders.numbered_ladder import ChangeColumns, ChangeRow
from podium.server.log.log_entries import Account, StoredRow
from podium.server.storage import tables
from podium.server.storage.database import STAGE
from podium.server.storage.sqlite_pages import MOST_ROWS, number_image
from podium.server.tournaments.renamed_entrants import rename_entrants, separate_entrants

if TYPE_CHECKING:
    from psycopg import Copy


HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
NO_VALUE = -1
_LAYOUTS = {"bigint": ">i8", "integer": ">i4", "double precision": ">f8", "boolean": "i1"}


def binary_rows(
    fixed: Mapping[str, int], columns: Mapping[str, NDArray[np.generic]], kinds: Mapping[str, str]
) -> bytes | None:
    """All of COPY's bytes for rows of these columns; None if a column has a value in some rows only.

    The columns in `fixed` are whole numbers, the same in all rows. A column without any value is empty.
    """
    rows = max(len(column) for column in columns.values())
    fields: list[tuple[str, str]] = [("columns", ">i2")]
    for name in (*fixed, *columns):
        fields.append((f"{name} length", ">i4"))
        if name in fixed or len(columns[name]):
            fields.append((name, ">i4" if name in fixed else _LAYOUTS[kinds[name]]))
    packed = np.zeros(rows, np.dtype(fields))
    packed["columns"] = len(fixed) + len(columns)
    for name in (*fixed, *columns):
        if name not in fixed and not len(columns[name]):
            packed[f"{name} length"] = NO_VALUE
            continue
        packed[f"{name} length"] = packed.dtype[name].itemsize
        packed[name] = fixed[name] if name in fixed else columns[name]
        if packed[name].dtype.kind == "f" and not np.isfinite(packed[name]).all():
            return None
    return HEADER + packed.tobytes() + TRAILER


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
    insert_rows(connection, tables.event, StoredRow._fields, rows)


def insert_changes(connection: Connection, ladder: int, generation: int, changes: list[ChangeRow]) -> None:
    """Keep what entries of the log did, for some generation of a ladder."""
    always = {"ladder": ladder, "generation": generation}
    insert_rows(connection, tables.change, ChangeRow._fields, changes, always)


def insert_change_columns(
    connection: Connection, ladder: int, generation: int, columns: ChangeColumns
) -> None:
    """Keep what entries of the log did, given by column."""
    table, names = tables.change, ChangeColumns._fields
    always = {"ladder": ladder, "generation": generation}
    if connection.dialect.name == "postgresql":
        kinds = {name: _kind(table, name) for name in names}
        if (packed := binary_rows(always, columns.by_player()._asdict(), kinds)) is not None:
            _copy(connection, _copy_statement(table, (*always, *names)), lambda copy: copy.write(packed))
            return
    insert_rows(connection, table, names, list(columns.rows()), always)


def insert_players(connection: Connection, live: FollowedLadder, known: int) -> None:
    """Enter the players with numbers from `known` on, and the names of who was renamed or merged."""
    relabelled = sorted(number for number in live.ladder.relabelled if number < known)
    names = names_by_number(live, range(known, len(live.ladder.players)))
    enter_players(connection, live.row.id, names, names_by_number(live, relabelled))
    live.ladder.relabelled.clear()


def names_by_number(live: FollowedLadder, numbers: Iterable[int]) -> dict[int, Account]:
    """What accounts of a ladder are called now, by number."""
    return {number: live.ladder.account(number) for number in numbers}


def enter_players(
    connection: Connection,
    ladder: int,
    fresh: Mapping[int, Account],
    relabelled: Mapping[int, Account],
) -> None:
    """Enter new players, and other names for some who are there."""
    former = _names(connection, ladder, relabelled.keys())
    into = _merged(
        connection, ladder, [one for one, account in relabelled.items() if account.name is not None]
    )
    for number in relabelled:  # first nobody has a name that somebody else may get now
        _name_player(connection, ladder, number, Account(None))
    rows = [(number, *account) for number, account in fresh.items()]
    insert_rows(connection, tables.player, ("number", *Account._fields), rows, {"ladder": ladder})
    for number, account in relabelled.items():
        _name_player(connection, ladder, number, account)
    now = {
        number: number if account.merged_into is None else account.merged_into
        for number, account in relabelled.items()
    }
    called = _names(connection, ladder, {now[number] for number in former})
    renamed = {name: called.get(now[number], name) for number, name in former.items()}
    renamed = {name: new for name, new in renamed.items() if new != name}
    merged = {name: number for number, name in former.items() if now[number] != number}
    if renamed:
        rename_entrants(connection, ladder, renamed, merged)
    called = _names(connection, ladder, set(into.values()))
    separate = {
        number: (called[other], str(relabelled[number].name))
        for number, other in into.items()
        if other in called
    }
    if separate:
        separate_entrants(connection, ladder, separate)


def _merged(connection: Connection, ladder: int, numbers: Collection[int]) -> dict[int, int]:
    """The accounts into which others are merged, by number of these."""
    table, found = tables.player, dict[int, int]()
    for number in numbers:
        reached: int | None = number
        while reached is not None:  # that account may be merged into another one
            chosen = table.c.ladder == ladder, table.c.number == reached
            reached = connection.execute(select(table.c.merged_into).where(*chosen)).scalar_one_or_none()
            if reached is not None:
                found[number] = reached
    return found


def _names(connection: Connection, ladder: int, numbers: Collection[int]) -> dict[int, str]:
    """What accounts of a ladder are called, by number; nothing if the ladder has no tournaments."""
    table, found = tables.player, dict[int, str]()
    tournaments = select(tables.tournament.c.id).where(tables.tournament.c.ladder == ladder).limit(1)
    if not numbers or connection.execute(tournaments).first() is None:
        return found
    for number in numbers:
        query = select(table.c.name).where(table.c.ladder == ladder, table.c.number == number)
        name = connection.execute(query).scalar_one_or_none()
        if name is not None:
            found[number] = name
    return found


def _name_player(connection: Connection, ladder: int, number: int, account: Account) -> None:
    table = tables.player
    chosen = (table.c.ladder == ladder, table.c.number == number)
    connection.execute(update(table).where(*chosen).values(account._asdict()))


def insert_rows(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    always: Mapping[str, Any] = {},
) -> None:
    """Insert rows; the columns in `always` have one value in all of them."""
    if not rows:
        return
    names, same = (*always, *columns), tuple(always.values())
    if connection.dialect.name == "sqlite":
        statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({_marks(names)})"
        connection.exec_driver_sql(statement, [same + row for row in rows])
        return
    kinds = [_kind(table, name) for name in names]

    def write(copy: Copy) -> None:
        copy.set_types(kinds)
        for row in rows:
            copy.write_row(same + row)

    _copy(connection, _copy_statement(table, names), write)


class StagedRows(NamedTuple):
    """Rows of a table on their way to SQLite."""

    table: str
    columns: tuple[str, ...]
    always: Mapping[str, Any]
    """Columns that have one value in all rows."""
    image: bytes
    """A database with the other columns, in a table `rows`."""


def staged_rows(
    table: Table, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]], always: Mapping[str, Any]
) -> StagedRows:
    """Rows that whoever writes to SQLite can take over."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as staging:
        staging.execute(f"CREATE TABLE rows ({', '.join(columns)})")
        staging.execute("BEGIN")
        staging.executemany(f"INSERT INTO rows VALUES ({_marks(columns)})", rows)
        staging.execute("COMMIT")
        return StagedRows(table.name, columns, always, staging.serialize())


def staged_changes(columns: ChangeColumns, always: Mapping[str, Any]) -> Iterator[StagedRows]:
    """Rows of the table `change`, given by column: no value becomes an object on the way."""
    stored = columns.stored()
    for first in range(0, len(columns.seq), MOST_ROWS):
        part = {name: column[first : first + MOST_ROWS] for name, column in stored.items()}
        yield StagedRows(tables.change.name, tuple(part), always, number_image("rows", part))


def insert_staged(connection: Connection, staged: StagedRows) -> None:
    """Insert rows that another process has staged."""
    driver = cast(sqlite3.Connection, connection.connection.driver_connection)
    driver.deserialize(staged.image, name=STAGE)
    columns = ", ".join(staged.columns)
    names = ", ".join((*staged.always, *staged.columns))
    connection.exec_driver_sql(
        f"INSERT INTO {staged.table} ({names}) SELECT {_marks(staged.always)}, {columns} FROM {STAGE}.rows",
        tuple(staged.always.values()),
    )


def _marks(columns: Collection[str]) -> str:
    """Where SQLite puts the values of columns."""
    return ", ".join("?" * len(columns))


def _copy_statement(table: Table, columns: Sequence[str]) -> str:
    return f"COPY {table.name} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"


def _copy(connection: Connection, statement: str, write: Callable[[Copy], None]) -> None:
    """Send rows by PostgreSQL's own way for many: a tenth of the work of an INSERT."""
    import psycopg

    driver = cast(psycopg.Connection[Any], connection.connection.driver_connection)
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            write(copy)
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
