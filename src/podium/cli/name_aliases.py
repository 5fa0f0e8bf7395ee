"""`podium names`: names in results that may be one player, as a file of aliases to confirm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from podium.cli.inputs import read_files, read_from
from podium.cli.options import Json, with_reading_options
from podium.cli.outputs import check_outputs, print_document, say_written, write_table
from podium.text import counted, shorten


@with_reading_options
def names(
    files: list[Path],
    out: Path | None = None,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Find names in the results that may belong to the same player.

    podium only lists them. Write them to a file with --out, delete the rows that are wrong, and give the file
    to other commands with --aliases.

    Options:
        files (FILE...): Results, in any form that podium rate reads.
        out (FILE): Write the pairs of names to this table.
    """
    check_outputs({"--out": out}, read_from(files, reading))
    history = read_files(files, reading)

    import polars as pl

    from podium.tables.names.name_proposals import NameProposal, propose_names

    found = propose_names(history)
    schema = dict.fromkeys(NameProposal._fields, pl.String)
    write_table(pl.DataFrame(found, schema=schema, orient="row"), out, "aliases")
    if json:
        from podium.documents.reading_documents import reading_document

        print_document("reading", reading_document(history, found))
        return
    for one in found:
        typer.echo(f"{shorten(one.alias)!r} may be {shorten(one.player)!r}: {one.why}")
    said = f"{len(found):,} of {counted(len(history.players), 'name')} may be another name of the same player"
    typer.echo(
        said if found else f"{counted(len(history.players), 'name')}, and no two look like the same player"
    )
    say_written(out)
