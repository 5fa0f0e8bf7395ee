"""Tables in databases, read and written: DuckDB files, and what SQLAlchemy has a URL for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from podium.errors import InputError, ParameterError
from podium.files.database_addresses import shown_address
from podium.text import did_you_mean, joined_sentences, shorten

_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
_HINT = "pip install 'podium[sql]'"
INSERTED_AT_ONCE = 10_000
"""Rows that one statement writes."""


def read_database(given: str | os.PathLike[str]) -> pl.DataFrame:
    """The rows of a table, or of a query."""
    address, _, wanted = os.fspath(given).partition("#")
    with _explained(given):
        if (path := _duckdb_path(address)) is not None:
            if not Path(path).is_file():
                raise InputError("there is no such file", source=path)
            with _duckdb().connect(path, read_only=True) as connection:
                tables = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
                query = wanted if _QUERY.match(wanted) else f'SELECT * FROM "{_table(wanted, tables, given)}"'
                return _frame(connection.sql(query).to_arrow_table())
        alchemy = _sqlalchemy()
        engine = alchemy.create_engine(address)
        try:
            with engine.connect() as connection:
                query = alchemy.text(wanted)
                if not _QUERY.match(wanted):
                    name = _table(wanted, alchemy.inspect(connection).get_table_names(), given)
                    query = alchemy.select(alchemy.Table(name, alchemy.MetaData(), autoload_with=connection))
                return pl.read_database(query, connection, infer_schema_length=None)
        finally:
            engine.dispose()


def write_database(frames: Iterable[pl.DataFrame], given: str | os.PathLike[str], table: str) -> None:
    """Write frames one after another into one table, in place of one that is there: all of it, or nothing."""
    address, _, wanted = os.fspath(given).partition("#")
    name, rest = wanted or table, iter(frames)
    frames = chain([first], rest) if (first := next(rest, None)) is not None else ()  # it may be read there
    with _explained(given):
        if (path := _duckdb_path(address)) is not None:
            with _duckdb().connect(path) as connection:
                _write_duckdb(connection, frames, name)
            return
        engine = _sqlalchemy().create_engine(address)
        try:
            with engine.begin() as connection:
                if engine.dialect.name == "sqlite":  # where Python begins none for DROP and CREATE
                    connection.exec_driver_sql("BEGIN")
                _write_alchemy(connection, frames, name)
        finally:
            engine.dispose()


def _write_duckdb(connection: Any, frames: Iterable[pl.DataFrame], name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    connection.execute("BEGIN")
    for number, frame in enumerate(frames):
        connection.register("podium_rows", frame.to_arrow())
        verb = f"INSERT INTO {quoted}" if number else f"CREATE OR REPLACE TABLE {quoted} AS"
        connection.execute(f"{verb} SELECT * FROM podium_rows")
        connection.unregister("podium_rows")
    connection.execute("COMMIT")


def _write_alchemy(connection: Any, frames: Iterable[pl.DataFrame], name: str) -> None:
    alchemy, table = _sqlalchemy(), None
    for frame in frames:
        if table is None:
            columns = [alchemy.Column(one, _kind(alchemy, dtype)) for one, dtype in frame.schema.items()]
            table = alchemy.Table(name, alchemy.MetaData(), *columns)
            table.drop(connection, checkfirst=True)
            table.create(connection)
        naive = frame.with_columns(pl.selectors.datetime().dt.replace_time_zone(None))
        for rows in naive.iter_slices(INSERTED_AT_ONCE):
            connection.execute(alchemy.insert(table), rows.to_dicts())


def _kind(alchemy: Any, dtype: pl.DataType) -> Any:
    """The type of a column in a database; times are in UTC."""
    if dtype.is_integer():
        return alchemy.BigInteger()
    if dtype.is_float():
        return alchemy.Double()
    if dtype == pl.Boolean:
        return alchemy.Boolean()
    return alchemy.DateTime() if isinstance(dtype, pl.Datetime) else alchemy.Text()


def _frame(table: Any) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _table(wanted: str, tables: list[str], given: str | os.PathLike[str]) -> str:
    """The table that is meant: the one named, or the only one there is."""
    if wanted in tables:
        return wanted
    known = f"it has {', '.join(map(shorten, sorted(tables))) or 'no tables'}"
    if wanted:
        hint = did_you_mean(wanted, tables) or known
        raise InputError(f"there is no table {wanted!r}", source=shown_address(given), hint=hint)
    if len(tables) == 1:
        return tables[0]
    raise InputError(
        "which table?", source=shown_address(given), hint=joined_sentences(["write #TABLE behind it", known])
    )


def _duckdb_path(address: str) -> str | None:
    """The file of a DuckDB address; three slashes before it belong to a URL."""
    if not address.startswith("duckdb:"):
        return None
    return re.sub(r"^///", "", address.removeprefix("duckdb:"))


@contextmanager
def _explained(given: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what a database refuses into an error that names its address."""
    try:
        yield
    except (InputError, ParameterError):
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("duckdb", "_duckdb", "sqlalchemy", "polars"):
            raise
        raise InputError(shorten(str(error).split("\n")[0], 200), source=shown_address(given)) from error


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ParameterError("DuckDB files need the package duckdb", hint=_HINT) from error
    return duckdb


def _sqlalchemy() -> Any:
    try:
        import sqlalchemy
    except ImportError as error:
        raise ParameterError("databases need the package sqlalchemy", hint=_HINT) from error
    return sqlalchemy
