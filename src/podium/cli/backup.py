"""`podium backup`: everything that a service has recorded, as one file."""

from __future__ import annotations

from pathlib import Path

import typer

from podium.cli.databases import DEFAULT_DATABASE, ServiceDatabase, opened_database
from podium.cli.progress import progress
from podium.text import counted


def backup(
    file: Path,
    database: ServiceDatabase = DEFAULT_DATABASE,
) -> None:
    """Save the whole database of the service in one file.

    The service can keep running. podium replaces an existing file only when the new one is complete.

    Options:
        file (FILE): The file to write, such as podium.backup.
    """
    replaces = file.exists()
    with opened_database(database, read_only=True) as opened:
        from podium.server.storage.backups import back_up, count_rows

        with progress("backing up", count_rows(opened), unit="rows") as advance:
            rows = back_up(opened, file, advance)
    size = file.stat().st_size
    what = f"{counted(rows['ladder'], 'ladder')}, {counted(rows['event'], 'entry')}"
    typer.echo(f"{file}: {what}, {size:,} bytes{' (replaced an earlier file)' if replaces else ''}")
