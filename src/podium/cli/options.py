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
        help="Results: CSV, TSV, .txt or NDJSON (also .gz or .zst), Parquet, .xlsx or .ods (these two "
        "need podium[sheets]), PGN or contest JSON. Or a folder of such files, a table of a database (such "
        "as sqlite:///season.db#matches), a sample (sample:formula-1 or sample:football), or - for the "
        "standard input (stdin).",
    ),
]
System = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Rating system, by name or as a FILE.toml (podium systems lists the names). Default: a "
        "system that suits the results. A saved ladder keeps its own.",
    ),
]
COMPARED = ("--systems", "--system")
"""The option of commands that compare systems: several at once with commas between, or one at a time."""
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter, which is a setting of the system, for example --set rho=0.5. Repeatable.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs, instead of a table.")]
AllowRepeat = Annotated[
    bool,
    typer.Option("--allow-repeat", help="Rate events and files again that the ladder has already rated."),
]
Published = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write the result as a page (.html), Markdown (.md), JSON (.json) or a table of data (.csv, "
        ".parquet, ...). All rows, unless --top is given.",
    ),
]
Digits = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Round ratings to this number of decimals in the output, --json and --out. Default: 1 (2 "
        "for small ratings) in printed tables, unrounded elsewhere.",
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
        help="Write a report with all tables and charts as one HTML page (needs podium[charts]).",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How many parts of the work run at the same time. Default: one per core of the processor.",
        min=1,
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Use several computers through Dask: the address of the cluster's scheduler, for example "
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
        help="Set which column of the file has which meaning, for example --column player=handle. "
        "--column team= ignores the column team. Repeatable.",
    ),
]
LowerIsBetter = Annotated[
    bool | None,
    typer.Option(
        "--lower-is-better/--higher-is-better",
        help="Lower scores are better. Default: only durations, such as 1:23.45.",
    ),
]
Unrated = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Rows with rated=no: 'opponent' changes only the opponents' ratings. 'drop' ignores the row.",
    ),
]
Unfinished = Annotated[
    str,
    typer.Option(metavar="HOW", help="Rows with finished=no: 'last' ranks them last. 'drop' ignores them."),
]
Disqualified = Annotated[
    str,
    typer.Option(metavar="HOW", help="Rows marked DSQ: 'drop' ignores them. 'last' ranks them last."),
]
OnBadRow = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Unreadable rows: 'error' stops. 'skip' leaves them out and reports them.",
    ),
]
Teams = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="What to rate in a team event: 'members' (each player), 'players' (each team as one player) or "
        "'rosters' (each line-up as one player).",
    ),
]
TeamsSplit = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="The text between the members of a team in one cell, for example --teams-split '&'. Use none "
        "if each cell holds one name.",
    ),
]
Aliases = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A table with the columns alias and player: each name or id in the results, and the "
        "player it belongs to.",
    ),
]
TimeFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT", help="Format of times, for example %d/%m/%Y or '%d.%m.%y %H:%M'. Default: detected."
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(metavar="SIGN", help="Decimal separator, . or , (default: detected)."),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="SIGN",
        help="Separator of cells, for example ';' or tab (default: detected from the first lines).",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How the file stores letters, for example latin-1 (default: detected, usually UTF-8).",
    ),
]
Sheets = Annotated[
    list[str],
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="The sheet of a workbook to read. Repeat the option for more (default: all with results).",
    ),
]
MaxRatio = Annotated[
    float,
    typer.Option(
        metavar="N",
        help="Refuse a compressed file that unpacks to over 1 GB and to more than N times its size.",
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
