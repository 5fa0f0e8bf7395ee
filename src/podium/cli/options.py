"""Options that several commands have, each with one meaning and one help."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import pairs
from podium.files.database_addresses import path_or_database
from podium.files.kinds import MAX_RATIO

if TYPE_CHECKING:
    from podium.tables.names.aliases import Aliases as AliasesRead

Files = Annotated[
    list[Path],
    typer.Argument(
        parser=path_or_database,
        metavar="FILE",
        help="Results: a table (.csv, .tsv, .txt, .parquet, .ndjson, or .xlsx and .ods with "
        "podium[sheets]), a .pgn file, contests in .json, or a folder of such files. Also a database "
        "(sqlite:///season.db#matches: its table matches), or - to read what another program "
        "prints. To try podium: sample:formula-1 or sample:football.",
    ),
]
System = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Rating system, such as elo or glicko2 (podium systems lists all), or a .toml file that "
        "podium advise or podium tune wrote. Default: a system that suits the results. A saved ladder "
        "keeps its own.",
    ),
]
COMPARED = ("--systems", "--system")
"""The option of commands that compare systems: several at once with commas between, or one at a time."""
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a parameter (a setting) of the system, for example --set rho=0.5. Repeatable.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
AllowRepeat = Annotated[
    bool,
    typer.Option("--allow-repeat", help="Also rate events and files that are already in the ratings."),
]
Published = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write all rows, or those of --top, to a page (.html), Markdown (.md), JSON (.json) or a table "
        "(.csv, .parquet, ...).",
    ),
]
Digits = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Decimals of the ratings. Default: 1 in printed tables (2 if all ratings are below 200), "
        "unrounded in --json and files.",
        min=0,
        max=12,
    ),
]
Chart = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Draw the result to this .png, .svg or .html file (needs podium[charts])."
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="Write a report with all tables and charts as one web page (needs podium[charts]).",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of processor cores to use. Default: all.",
        min=1,
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Use the computers of a Dask cluster: the address of its scheduler, for example "
        "tcp://host:8786 (needs podium[dask]).",
    ),
]


def listed_items(texts: Sequence[str]) -> list[str]:
    """The items of an option that is repeatable and takes several at once, with commas between.

    >>> listed_items(["elo, glicko", "luck"])
    ['elo', 'glicko', 'luck']
    """
    return [item.strip() for text in texts for item in text.split(",") if item.strip()]


def check_workers(jobs: int | None, dask: str | None) -> None:
    """Refuse a number of processes beside a cluster."""
    if jobs is not None and dask is not None:
        raise typer.BadParameter(
            "a Dask cluster has its own workers, so --jobs has no effect", param_hint="--jobs"
        )


# ---------------------------------------------------------------------- how a file is read

Column = Annotated[
    list[str],
    typer.Option(
        metavar="NAME=COLUMN",
        help="Name the file's own column, for example --column player=handle if players are in the column "
        "handle. --column team= ignores the column team. Repeatable.",
    ),
]
LowerIsBetter = Annotated[
    bool | None,
    typer.Option(
        "--lower-is-better/--higher-is-better",
        help="Whether the lower or the higher score is better. Default: the higher, but for durations such "
        "as 1:23.45 the lower.",
    ),
]
Unrated = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Rows with rated=no: 'opponent' keeps the player's own rating and changes the opponents' "
        "ratings. 'drop' ignores these rows.",
    ),
]
Unfinished = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Players who did not finish (finished=no): 'last' ranks them last. 'drop' ignores them.",
    ),
]
Disqualified = Annotated[
    str,
    typer.Option(
        metavar="HOW", help="Disqualified players (DSQ): 'drop' ignores them. 'last' ranks them last."
    ),
]
OnBadRow = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Rows that podium cannot read: 'error' stops. 'skip' leaves them out and lists them.",
    ),
]
Teams = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="What to rate when teams play: 'members' (each player), 'players' (each team, by its name) or "
        "'rosters' (each group of players that played together).",
    ),
]
TeamsSplit = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="The text between the names in a cell with several players, for example '&' in ann & bob. none: "
        "each cell holds one name.",
    ),
]
Aliases = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A table with two columns: alias (the name in the results) and player (the right name). podium "
        "names makes one.",
    ),
]
TimeFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT", help="Format of dates, for example %d/%m/%Y or '%d.%m.%y %H:%M'. Default: detected."
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(metavar="SIGN", help="Decimal separator: . or a comma. Default: detected."),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="SIGN",
        help="Separator of columns, for example ';' or tab. Default: detected.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of the file, for example latin-1. Default: detected, usually UTF-8.",
    ),
]
Sheets = Annotated[
    list[str],
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="Sheet of the spreadsheet to read. Repeatable. Default: all sheets with results.",
    ),
]
MaxRatio = Annotated[
    float,
    typer.Option(
        metavar="N",
        help="Accept large compressed files (over 1 GB unpacked) only up to N times their packed size.",
        min=1.0,
    ),
]


def _read_aliases(file: Path | None) -> AliasesRead | None:
    """The aliases in the file of --aliases, read once for all that a command does."""
    if file is None:
        return None
    from podium.tables.names.aliases import Aliases as AliasesRead

    return AliasesRead.of(file)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation
    )


_READING = [
    _parameter("column", Column, []),
    _parameter("lower_is_better", LowerIsBetter, None),
    _parameter("unrated", Unrated, "opponent"),
    _parameter("unfinished", Unfinished, "last"),
    _parameter("disqualified", Disqualified, "drop"),
    _parameter("on_bad_row", OnBadRow, "error"),
    _parameter("teams", Teams, "members"),
    _parameter("teams_split", TeamsSplit, None),
    _parameter("aliases", Aliases, None),
    _parameter("time_format", TimeFormat, None),
    _parameter("decimal", Decimal, None),
    _parameter("separator", Separator, None),
    _parameter("encoding", Encoding, None),
    _parameter("sheets", Sheets, []),
    _parameter("max_ratio", MaxRatio, MAX_RATIO),
]


def with_reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of how a file is read, in the place of its parameter `reading`.

    The command gets their values in `reading`, as `read_history` takes them; aliases are read.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        reading = {one.name: given.pop(one.name) for one in _READING}
        named = pairs(reading.pop("column"), "--column")
        reading["columns"] = {name: value or None for name, value in named.items()}
        reading["aliases"] = _read_aliases(reading["aliases"])
        command(**given, reading=reading)

    own = inspect.signature(command, eval_str=True).parameters
    shown = [one for name in own for one in (_READING if name == "reading" else [own[name]])]
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return run
