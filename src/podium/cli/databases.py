"""The database of a service, as commands name and open it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from podium.errors import InputError, ParameterError

if TYPE_CHECKING:
    from podium.server.storage.database import Database

DEFAULT_DATABASE = "podium.db"
DATABASE_VARIABLE = "PODIUM_DATABASE"
"""The variable of the environment that names the database: passwords are better kept there."""
NEEDED = ("fastapi", "starlette", "uvicorn", "sqlalchemy", "alembic", "psycopg", "prometheus_client")
"""Packages of the extra `server` without which a service cannot run."""

ServiceDatabase = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="WHERE",
        envvar=DATABASE_VARIABLE,
        show_envvar=False,
        show_default=False,
        help="The service's database: a file of SQLite, or postgresql://user:password@host/name. "
        f"Default: what the environment variable {DATABASE_VARIABLE} says, or {DEFAULT_DATABASE}.",
    ),
]


def check_installed() -> None:
    """Refuse to go on if podium[server] is not installed."""
    for package in NEEDED:
        if find_spec(package) is None:
            raise ParameterError(
                f"the service needs {package}, which is not installed", hint="pip install 'podium[server]'"
            )


@contextmanager
def opened_database(where: str, *, read_only: bool) -> Iterator[Database]:
    """A database that is there, with the tables of this version of podium."""
    check_installed()
    from podium.server.storage.database import Database, explained

    database = Database(where, read_only=read_only)
    if database.kind == "sqlite" and not database.path.exists():
        raise InputError(
            f"there is no database {database.path}", hint="--database names it; podium serve makes one"
        )
    try:
        with explained(database):
            database.check_tables()
            yield database
    finally:
        database.close()
