"""Options that several commands have, each with one meaning and one help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from podium.cli.shared import pairs

System = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Rating system, or its FILE.toml: elo-mmr, or that of a saved ladder. See podium systems.",
    ),
]
Settings = Annotated[
    list[str], typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the system: --set rho=0.5.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Column = Annotated[
    list[str],
    typer.Option(
        metavar="NAME=COLUMN",
        help="podium's name of a column and the file's: --column player=handle; team= leaves it out.",
    ),
]
LowerIsBetter = Annotated[bool, typer.Option("--lower-is-better", help="Scores are times: fewer is better.")]
Unrated = Annotated[str, typer.Option(metavar="HOW", help="Rows with rated=no: opponent or drop.")]
Unfinished = Annotated[str, typer.Option(metavar="HOW", help="Rows with finished=no: last or drop.")]
OnBadRow = Annotated[str, typer.Option(metavar="HOW", help="error, or skip and report.")]
Teams = Annotated[
    str,
    typer.Option(
        metavar="HOW", help="members, or players: a team is one player, or rosters: each line-up is."
    ),
]
Chart = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .svg or .html (needs podium[charts]).")
]

Jobs = Annotated[
    int | None, typer.Option(metavar="N", help="So many processes; as many as cores, 1 for none.", min=1)
]
Dask = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Use this Dask cluster: tcp://host:8786.")]


def reading(
    column: list[str], lower_is_better: bool, unrated: str, unfinished: str, on_bad_row: str, teams: str
) -> dict[str, Any]:
    """How a file is read, as `read_history` takes it."""
    return {
        "columns": {name: value or None for name, value in pairs(column, "--column").items()},
        "lower_is_better": lower_is_better,
        "unrated": unrated,
        "unfinished": unfinished,
        "on_bad_row": on_bad_row,
        "teams": teams,
    }
