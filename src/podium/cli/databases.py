"""The database of a service, as commands name and open it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from podium.errors import InputError, ParameterError

if TYPE_CHECKING:
    from podium.server.storage.database import Database
    from podium.server.storage.database_locks import Holder

Done = TypeVar("Done")

DEFAULT_DATABASE = "podium.db"
FIRST_TABLE = "ladder"
"""A table that is in every database of podium."""
DATABASE_VARIABLE = "PODIUM_DATABASE"
"""The variable of the environment that names the database: passwords are better kept there."""
NEEDED = (
    *("fastapi", "starlette", "uvicorn", "sqlalchemy", "alembic", "psycopg", "prometheus_client"),
    *("jinja2", "segno"),
)
"""Packages of the extra `server` without which a service cannot run."""

ServiceDatabase = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="WHERE",
        envvar=DATABASE_VARIABLE,
        show_envvar=False,
        show_default=False,
        help="The service's database: a file (SQLite), or postgresql://user:password@host/name. "
        f"Default: {DEFAULT_DATABASE}, or the environment variable {DATABASE_VARIABLE}. Needs "
        "podium[server].",
    ),
]


def clock_tolerance() -> float:
    """The seconds by which times may be ahead of the clock, as a service with this environment has them."""
    from podium.server.settings import gathered_settings

    return gathered_settings({}, os.environ).clock_tolerance


def check_installed() -> None:
    """Refuse to go on if podium[server] is not installed."""
    for package in NEEDED:
        if find_spec(package) is None:
            raise ParameterError(
                f"the service needs {package}, which is not installed", hint="pip install 'podium[server]'"
            )


@contextmanager
def opened_database(where: str, *, read_only: bool, new: bool = False) -> Iterator[Database]:
    """A database that is there, with the tables of this version of podium; with `new`, they may be made."""
    check_installed()
    from podium.server.storage.database import Database, explained
    from podium.server.storage.migrating import check_tables, migrate

    database = Database(where, read_only=read_only)
    if database.kind == "sqlite" and not database.path.exists() and not new:
        raise InputError(
            f"there is no database {database.path}",
            hint="choose another with --database, or create one with podium serve",
        )
    try:
        with explained(database):
            if new and not database.has_table(FIRST_TABLE):
                migrate(database)
            check_tables(database)
            yield database
    finally:
        database.close()


def done_by_holder(database: Database, here: Callable[[], Done], there: Callable[[Holder], Done]) -> Done:
    """Do something that writes: here, or where a server has the file of SQLite to itself."""
    if database.kind == "postgresql":
        return here()
    from podium.server.storage.database_locks import TakenError, held_database

    try:
        with held_database(database.path, None):
            return here()
    except TakenError as taken:
        if taken.holder is None or taken.holder.address is None:
            raise
        return there(taken.holder)
