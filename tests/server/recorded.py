"""A database with a ladder and some matches in it, made without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import text

from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.log.appending import Appender
from podium.server.log.reports import report_of
from podium.server.log.submissions import Submission
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import create_ladder
from podium.server.storage.migrating import migrate

PLAYERS = ["ann", "bob", "cat", "dan"]


def recorded_database(where: str | Path, *, matches: int = 20, slugs: tuple[str, ...] = ("chess",)) -> None:
    """Make the tables, and a ladder of each name with this many matches."""
    database = Database(str(where))
    migrate(database)
    ladders = LoadedLadders(database)
    appender = Appender(database, ladders)
    reports = [
        {"key": f"game {game}", "ranks": {PLAYERS[game % 4]: 1, PLAYERS[(game + 1 + game % 3) % 4]: 2}}
        for game in range(matches)
    ]
    for slug in slugs:
        with database.writing() as connection:
            create_ladder(connection, {"slug": slug, "system": "elo"})
        appender.append(slug, [Submission([report_of(one) for one in reports])])
    database.close()


def executed(where: str | Path, statement: str, **values: Any) -> list[Any]:
    """What a statement finds or does in a database, behind podium's back."""
    database = Database(str(where))
    try:
        with database.writing() as connection:
            found = connection.execute(text(statement), values)
            return list(found.scalars()) if found.returns_rows else []
    finally:
        database.close()


def emptied(database: Database) -> None:
    """Remove podium's tables from a database that may be in use, so that a backup can be restored there."""
    with database.writing() as connection:
        tables.metadata.drop_all(connection)
        connection.exec_driver_sql("DROP TABLE alembic_version")
