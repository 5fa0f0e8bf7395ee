"""`podium rebuild`: the ratings of a service's ladder computed anew from its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.databases import (
    DEFAULT_DATABASE,
    ServiceDatabase,
    clock_tolerance,
    done_by_holder,
    opened_database,
)
from podium.cli.options import Json
from podium.cli.outputs import print_document
from podium.cli.progress import progress
from podium.text import counted

if TYPE_CHECKING:
    from podium.documents.service_documents import RebuildDocument
    from podium.server.storage.database import Database
    from podium.server.storage.database_locks import Holder


def rebuild(
    ladder: str,
    database: ServiceDatabase = DEFAULT_DATABASE,
    repair_clock: Annotated[bool, typer.Option("--repair-clock")] = False,
    as_json: Json = False,
) -> None:
    """Repair the stored ratings of a ladder in the service: rate all reports again, and replace what differs.

    The service can keep running. New reports wait until the work is done.

    Options:
        ladder (LADDER): Name of the ladder in the service.
        repair_clock: Also correct reports that arrived while this computer's clock was ahead. First set the
            clock right.
    """
    with opened_database(database, read_only=True) as opened:
        document = _rebuilt(opened, database, ladder, repair_clock)
    if as_json:
        print_document("rebuild", document)
        return
    if repair_clock and document["clock_repair"] is None:
        typer.echo(f"{document['slug']}: no time is ahead of the clock")
    elif document["clock_repair"] is not None:
        typer.echo(
            f"{document['slug']}: entry {document['clock_repair']} repairs the clock (to undo the "
            "repair, void this entry)"
        )
    typer.echo(
        f"{document['slug']}: {counted(document['head'], 'entry')} rated again, "
        f"{counted(document['rows'], 'row')} compared, {document['changed']:,} changed "
        f"(generation {document['generation']})"
    )


def _rebuilt(opened: Database, where: str, ladder: str, repair_clock: bool) -> RebuildDocument:
    """Rebuild a ladder here, or where its database is in use."""
    from podium.server.processes.running_server import rebuilt_by_server

    def ask(server: Holder) -> RebuildDocument:
        with progress(f"the running server rebuilds {ladder}", by_rows=False):
            return rebuilt_by_server(server, ladder, repair_clock=repair_clock)

    return done_by_holder(opened, lambda: _rebuilt_here(where, ladder, repair_clock), ask)


def _rebuilt_here(where: str, ladder: str, repair_clock: bool) -> RebuildDocument:
    from podium.server.ladders.loaded_ladders import LoadedLadders
    from podium.server.log.appending import Appender
    from podium.server.log.rebuilding import rebuild as rebuilt
    from podium.server.storage.ladder_rows import find_ladder

    with opened_database(where, read_only=False) as database:
        with database.reading() as connection:
            head = find_ladder(connection, ladder).head
        appender = Appender(database, LoadedLadders(database), clock_tolerance()) if repair_clock else None
        with progress(f"rebuilding {ladder}", head, unit="entries") as advance:
            return rebuilt(database, None, ladder, progress=advance, repairs_clock=appender)
