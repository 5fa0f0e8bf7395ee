"""The tables brought to what a version of podium needs, step by step.

The job process does without it: Alembic takes a third of a second to load.
"""

from __future__ import annotations

from functools import cache

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from podium.errors import InputError, StateError
from podium.server.storage.database import Database

MIGRATION_LOCK = 0x706F6469
"""The number of PostgreSQL's advisory lock under which one worker migrates and the others wait."""
ALEMBIC_TABLE = "alembic_version"
"""Where the step is kept at which the tables are."""


def migrate(database: Database, target: str = "head") -> None:
    """Bring the tables to what this version of podium needs; refused if they are of a newer one."""
    with database.writing() as connection:
        if database.kind == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        _check_not_newer(database, connection)
        _check_own(database, connection)
        if target != "head" or revision(connection) != _newest_revision():
            migrate_within(connection, target)


def migrate_within(connection: Connection, target: str) -> None:
    """Bring the tables to a step of the migrations, inside the caller's transaction."""
    if target != "head" and target > _newest_revision() and target != "base":
        raise StateError(f"the schema step {target!r} is unknown", hint="upgrade podium")
    is_down = target != "head" and (target == "base" or target < (revision(connection) or ""))
    (command.downgrade if is_down else command.upgrade)(_alembic_config(connection), target)


def revision(connection: Connection) -> str | None:
    """The step of the migrations at which the tables are; None if there are none."""
    return MigrationContext.configure(connection).get_current_revision()


def check_empty(database: Database, connection: Connection) -> None:
    """Refuse a database that has tables of podium, or a file of another program."""
    _check_own(database, connection)
    if revision(connection) is not None:
        raise InputError(
            f"{database.shown_name} is not empty",
            hint="give a new or empty database to restore the backup into",
        )


def check_tables(database: Database) -> None:
    """Refuse a database whose tables are not of this version."""
    with database.reading() as connection:
        _check_not_newer(database, connection)
        if revision(connection) != _newest_revision():
            raise StateError(
                f"{database.shown_name} has no tables for this version of podium",
                hint="podium serve creates or upgrades them when it starts",
            )


def _check_not_newer(database: Database, connection: Connection) -> None:
    found = revision(connection)
    if found is not None and found > _newest_revision():
        raise StateError(
            f"{database.shown_name} was upgraded by a newer podium (schema step {found})",
            hint="upgrade podium",
        )


def _check_own(database: Database, connection: Connection) -> None:
    """Refuse a file of SQLite that another program made; in PostgreSQL others may have tables beside."""
    others = {*inspect(connection).get_table_names()} - {ALEMBIC_TABLE}
    if database.kind == "sqlite" and revision(connection) is None and others:
        raise InputError(
            f"{database.shown_name} belongs to another program",
            hint="give --database a podium database or a new file name",
        )


def _alembic_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", "podium.server.storage:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@cache
def _newest_revision() -> str:
    return ScriptDirectory.from_config(_alembic_config()).get_current_head() or ""
