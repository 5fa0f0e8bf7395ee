"""`podium backup`: everything that a service has recorded, as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium.cli.databases import DEFAULT_DATABASE, ServiceDatabase, opened_database
from podium.cli.progress import progress
from podium.text import counted


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as podium.backup.")],
    database: ServiceDatabase = DEFAULT_DATABASE,
) -> None:
    """Write a service's whole database into one compressed file with a checksum.

    The service may run meanwhile: what is backed up is one moment of it. The file appears when it is whole,
    in place of one that was there, and can be restored into SQLite and into PostgreSQL.
    """
    replaces = file.exists()
    with opened_database(database, read_only=True) as opened:
        from podium.server.storage.backups import back_up, count_rows

        with progress("backing up", count_rows(opened), unit="rows") as advance:
            rows = back_up(opened, file, advance)
    size = file.stat().st_size
    what = f"{counted(rows['ladder'], 'ladder')}, {counted(rows['event'], 'entry')}"
    typer.echo(f"{file}: {what}, {size:,} bytes{' (an earlier file is replaced)' if replaces else ''}")
