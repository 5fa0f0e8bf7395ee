"""`podium restore`: a service's database made of a backup."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import typer

from podium.cli.databases import DEFAULT_DATABASE, ServiceDatabase, check_installed
from podium.cli.progress import progress
from podium.errors import InputError
from podium.text import counted


def restore(
    file: Path,
    database: ServiceDatabase = DEFAULT_DATABASE,
) -> None:
    """Restore a backup into a new SQLite file or an empty PostgreSQL database.

    podium first checks that the backup is undamaged. Backups of older versions work too.

    Options:
        file (FILE): The backup: a file that podium backup wrote.
    """
    check_installed()
    from podium.server.storage.backups import restore as restored
    from podium.server.storage.database import Database, explained
    from podium.server.storage.database_locks import held_database

    if not file.is_file():
        raise InputError(f"there is no file {file}", hint="create a backup with podium backup")
    opened = Database(database)
    is_new = opened.kind == "sqlite" and not opened.path.exists()
    with ExitStack() as stack:
        stack.callback(opened.close)
        if opened.kind == "sqlite":
            stack.enter_context(held_database(opened.path, None))
        try:
            with explained(opened), progress("restoring", unit="rows") as advance:
                rows = restored(file, opened, advance)
        except BaseException:
            opened.close()
            if is_new:
                for end in ("", "-wal", "-shm"):
                    Path(f"{opened.path}{end}").unlink(missing_ok=True)
            raise
    what = f"{counted(rows['ladder'], 'ladder')}, {counted(rows['event'], 'entry')}"
    typer.echo(f"{opened.shown_name}: {what} (check them with podium verify)")
