"""A database as one file, and a database made of it: whole, online, from one kind of database to the other.

A backup is read in one transaction that sees one moment of the database; nobody waits for it. SQLite's own
way, a copy of its pages, would be no quicker and could not be restored into PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Connection,
    Double,
    Integer,
    LargeBinary,
    Table,
    func,
    inspect,
    select,
    text,
    update,
)

import podium
from podium.errors import InputError
from podium.files.atomic import replacing
from podium.server import machine
from podium.server.storage import tables
from podium.server.storage.backup_files import BackupWriter, check_backup, read_backup
from podium.server.storage.database import OWNER_ALONE, Database
from podium.server.storage.inserting import insert_rows
from podium.server.storage.migrating import check_empty, migrate_within, revision

Progress = Callable[[int], None]
"""Called with the number of rows done since the last call."""
ROWS_AT_ONCE = 5_000
LARGE_ROWS_AT_ONCE = 4
"""Rows of tables that hold whole files."""
LARGE_TABLES = ("job_part", "checkpoint")


def count_rows(database: Database) -> int:
    """About how many rows a backup will have."""
    with database.reading() as connection:
        return sum(
            int(connection.execute(select(func.count()).select_from(table)).scalar_one())
            for table in tables.metadata.sorted_tables
        )


def back_up(database: Database, path: Path, progress: Progress = lambda rows: None) -> dict[str, int]:
    """Write everything that a database holds into a file, which appears when it is whole.

    Returns how many rows each table has.
    """
    counted: dict[str, int] = {}
    with replacing(path) as temporary, temporary.open("wb") as file, database.reading() as connection:
        temporary.chmod(OWNER_ALONE)
        writer = BackupWriter(file)
        found = revision(connection)
        names = [table.name for table in tables.metadata.sorted_tables]
        writer.describe({"podium": podium.__version__, "revision": found, "tables": names})
        for table in tables.metadata.sorted_tables:
            counted[table.name] = _write_table(connection, writer, table, progress)
        writer.close()
    return counted


def _write_table(connection: Connection, writer: BackupWriter, table: Table, progress: Progress) -> int:
    kinds = {column.name: _kind(column.type) for column in table.columns}
    at_once = LARGE_ROWS_AT_ONCE if table.name in LARGE_TABLES else ROWS_AT_ONCE
    query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=at_once)
    count = 0
    with connection.execute(query) as found:
        for part in found.partitions(at_once):
            writer.add(table.name, kinds, [tuple(row) for row in part])
            count += len(part)
            progress(len(part))
    return count


def _kind(column: Any) -> str:
    if isinstance(column, (Integer, BigInteger)):
        return "whole"
    if isinstance(column, Boolean):
        return "flag"
    if isinstance(column, Double):
        return "number"
    return "bytes" if isinstance(column, LargeBinary) else "text"


# ---------------------------------------------------------------------- restoring


def restore(path: Path, database: Database, progress: Progress = lambda rows: None) -> dict[str, int]:
    """Make a database of a backup; all of it, or nothing. An older backup is upgraded.

    Refused if the database has tables of podium already.
    """
    check_backup(path)
    description, pieces = read_backup(path)
    counted = dict.fromkeys(description["tables"], 0)
    with database.writing() as connection:
        check_empty(database, connection)
        migrate_within(connection, description["revision"])
        there = {
            name: {column["name"] for column in inspect(connection).get_columns(name)} for name in counted
        }
        for piece in pieces:
            if not set(piece.columns) <= there.get(piece.table, set()):
                raise InputError(f"{path} has rows of {piece.table!r} that this version does not know")
            _insert_older(connection, piece.table, piece.columns, piece.rows)
            counted[piece.table] += len(piece.rows)
            progress(len(piece.rows))
        migrate_within(connection, "head")
        _let_go(connection)
        if database.kind == "postgresql":
            _advance_sequences(connection)
    return counted


def _insert_older(
    connection: Connection, table: str, columns: list[str], rows: list[tuple[Any, ...]]
) -> None:
    """Insert rows of some version of a table."""
    known = tables.metadata.tables.get(table)
    if known is not None and all(column in known.c for column in columns):
        insert_rows(connection, known, tuple(columns), rows)
        return
    names = ", ".join(columns)
    marks = ", ".join(f":{column}" for column in columns)
    values = [dict(zip(columns, row, strict=True)) for row in rows]
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values)


def _let_go(connection: Connection) -> None:
    """Take unfinished work from the processes that had it when the backup was made.

    They may still run, and would go on from what they did after that.
    """
    job, generation = tables.job, tables.generation
    free = {"holder": None, "held_until": None}
    connection.execute(update(job).where(job.c.status == "running").values(status="waiting", **free))
    connection.execute(update(job).values(free))
    half_built = generation.c.builder.is_not(None)
    connection.execute(update(generation).where(half_built).values(builder=machine.token_hex(16)))


def _advance_sequences(connection: Connection) -> None:
    """Let numbers that PostgreSQL gives out begin behind those that are there."""
    for table in tables.metadata.sorted_tables:
        column = table.autoincrement_column
        if column is None:
            continue
        last = connection.execute(select(func.max(column))).scalar_one()
        name = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
        if last is not None:
            connection.execute(text(f"SELECT setval({name}, :last)"), {"last": last})
