"""`podium verify`: whether what is stored of a ladder is what its log says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.databases import DEFAULT_DATABASE, ServiceDatabase, clock_tolerance, opened_database
from podium.cli.exit_codes import BAD_INPUT
from podium.cli.options import Json
from podium.cli.outputs import print_document
from podium.cli.progress import progress
from podium.text import counted, shorten

if TYPE_CHECKING:
    from podium.documents.service_documents import FindingDocument, VerificationDocument


def verify(
    ladder: Annotated[str | None, typer.Argument()] = None,
    database: ServiceDatabase = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Check the stored ratings of the service: rate all reports again, and compare.

    It also repeats all tournaments, and compares their results with the ladder's.
    This command changes nothing, and the service can keep running. The exit status is 1 if ratings
    are damaged. Ratings that differ only in the last digits are not damage: another version or processor
    rounds differently.

    Options:
        ladder (LADDER): Name of a ladder in the service. Default: all ladders.
    """
    with opened_database(database, read_only=True) as opened:
        from podium.server import machine
        from podium.server.log.server_clock import ServerClock
        from podium.server.log.verifying import verify as verified
        from podium.server.storage.ladder_rows import every_ladder, find_ladder

        with opened.reading() as connection:
            rows = [find_ladder(connection, ladder)] if ladder is not None else [*every_ladder(connection)]
        found = []
        for row in rows:
            with progress(f"verifying {row.slug}", row.head, unit="entries") as advance:
                clock = ServerClock(machine.now_micros(), clock_tolerance())
                found.append(verified(opened, row.slug, clock, progress=advance))
    if as_json and ladder is not None:
        print_document("verification", found[0])
    elif as_json:
        print_document("verifications", {"verifications": found})
    elif not found:
        typer.echo(f"{opened.shown_name} has no ladders")
    else:
        for verification in found:
            _say(verification)
    if not all(verification["clean"] for verification in found):
        raise typer.Exit(BAD_INPUT)


def _say(found: VerificationDocument) -> None:
    """Print what was compared, and each row that differs."""
    compared = (
        f"{found['slug']}: {counted(found['head'], 'entry')} rated again, "
        f"{counted(found['rows'], 'row')} and {counted(found['checkpoints'], 'checkpoint')} compared"
    )
    for warning in found["warnings"]:
        typer.echo(f"warning: {warning}")
    if found["clean"] and not found["drifted"]:
        typer.echo(f"{compared}: everything agrees with the log")
        return
    typer.echo(f"{compared}: {found['damaged']:,} damaged, {found['drifted']:,} drifted")
    for finding in found["findings"]:
        typer.echo(f"  {_words(finding)}")
    if (more := found["damaged"] + found["drifted"] - len(found["findings"])) > 0:
        typer.echo(f"  and {more:,} more")
    if found["drifted"]:
        most = f"{found['largest_drift']:.2g} points"
        typer.echo(
            f"drift is not damage: another version or processor rounds these numbers differently "
            f"(largest drift: {most})"
        )
    if any(one["kind"] == "damage" and one["what"] == "the log" for one in found["findings"]):
        typer.echo("the log itself is damaged: restore a backup")
    elif found["damaged"]:
        typer.echo(f"podium rebuild {found['slug']} computes all ratings again from the log")


def _words(finding: FindingDocument) -> str:
    place = [] if finding["number"] is None else [f"entry {finding['number']}"]
    place += [] if finding["player"] is None else [shorten(finding["player"])]
    where = f"{', '.join(place)}: " if place else ""
    return (
        f"{finding['kind']}: {where}{finding['what']} is {shorten(finding['stored'], 200)}, "
        f"should be {shorten(finding['rebuilt'], 200)}"
    )
