"""`podium audit`: who did what to a service."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from podium.cli.databases import DEFAULT_DATABASE, ServiceDatabase, opened_database
from podium.cli.options import Json
from podium.cli.outputs import print_document
from podium.text import listed

ENTRIES_SHOWN = 50


def audit(
    ladder: Annotated[str | None, typer.Argument()] = None,
    entries: Annotated[int, typer.Option(min=1, show_default=True)] = ENTRIES_SHOWN,
    database: ServiceDatabase = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """List what admins did in the service, latest first, such as new keys and changed settings.

    Options:
        ladder (LADDER): Name of a ladder in the service. Default: all ladders.
        entries (N): Number of entries to show.
    """
    with opened_database(database, read_only=True) as opened:
        from podium.server.access.audit_trail import audit_entries
        from podium.server.storage.ladder_rows import find_ladder

        with opened.reading() as connection:
            chosen = None if ladder is None else find_ladder(connection, ladder).id
            found = audit_entries(connection, ladder=chosen, limit=entries)
    if as_json:
        print_document("audit", {"entries": found, "next": None})
        return
    if not found:
        typer.echo("the audit log is empty")
    for entry in found:
        where = "" if entry["ladder"] is None else f" {entry['ladder']}"
        details = ", ".join(f"{name} {_in_words(value)}" for name, value in entry["details"].items())
        typer.echo(f"{entry['time'][:19]}Z  {entry['actor']}: {entry['action']}{where} ({details})")


def _in_words(value: Any) -> str:
    """A detail of an entry as people read it."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, list):
        return listed([str(one) for one in value]) if value else "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
