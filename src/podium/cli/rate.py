"""`podium rate`: a file of results in, ratings out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.options import (
    Column,
    Dask,
    Jobs,
    Json,
    LowerIsBetter,
    OnBadRow,
    Settings,
    System,
    Teams,
    Unfinished,
    Unrated,
    reading,
)
from podium.cli.rate_by import rate_many
from podium.cli.shared import (
    SMALL,
    check_outputs,
    check_report,
    compiling,
    counted,
    plain_json,
    progress,
    read_whole,
    report_skipped,
    show_table,
    system_from,
)

if TYPE_CHECKING:
    from podium.history import History, Skipped
    from podium.ladder.bulk import Run
    from podium.ladder.ladder import Ladder

IN_MEMORY_BYTES = 512 * 1024**2
"""Files up to this size are read whole, larger ones in pieces."""
CHUNK_ROWS = 2_000_000
DEFAULT = "elo-mmr"


def rate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="CSV, TSV, NDJSON (.gz, .zst), Parquet, PGN, contest JSON."),
    ],
    system: System = None,
    settings: Settings = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all ratings to this table.")] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what happened to each row to this table.")
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="How many of the best to print.", min=0)] = 20,
    min_events: Annotated[
        int, typer.Option(metavar="N", help="Print only players with so many events.", min=0)
    ] = 0,
    json: Json = False,
    column: Column = [],  # noqa: B006
    lower_is_better: LowerIsBetter = False,
    unrated: Unrated = "opponent",
    unfinished: Unfinished = "last",
    on_bad_row: OnBadRow = "error",
    teams: Teams = "members",
    chunk_rows: Annotated[
        int | None,
        typer.Option(metavar="N", help="Read so many rows at a time; large files are anyway.", min=1),
    ] = None,
    ladder: Annotated[Path | None, typer.Option(metavar="FILE", help="Go on from this saved ladder.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the ladder here.")] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html", help="Write a page: the best, everybody, histories (needs podium[charts])."
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Many ladders: this column names that of each row.")
    ] = None,
    jobs: Jobs = None,
    dask: Dask = None,
) -> None:
    """Rate a file of results."""
    options = reading(column, lower_is_better, unrated, unfinished, on_bad_row, teams)
    if by is not None:
        single = {"--trace": trace, "--chunk-rows": chunk_rows, "--ladder": ladder, "--save": save}
        single |= {"--report": report}
        for option, given in single.items():
            if given is not None:
                raise typer.BadParameter("it is for one ladder, and --by makes many", param_hint=option)
        rate_many(
            files,
            by,
            system_from(system or DEFAULT, settings),
            options,
            jobs,
            dask,
            out,
            top,
            min_events,
            json,
        )
        return
    if jobs is not None or dask is not None:
        option = "--jobs" if jobs is not None else "--dask"
        raise typer.BadParameter("one ladder is one process's work; --by makes many", param_hint=option)
    if chunk_rows is not None and len(files) > 1:
        raise typer.BadParameter("several files are read whole; give one file", param_hint="--chunk-rows")
    check_report(report)
    outputs = {"--out": out, "--trace": trace, "--save": save, "--report": report}
    check_outputs(outputs, files, any_name=["--save"], pictures=["--report"])
    if report is not None and trace is not None:
        raise typer.BadParameter(
            "a report keeps the trace for itself; give one of both", param_hint="--report"
        )
    start = _starting_ladder(system, settings, ladder)

    from podium.ladder.bulk import rate as rate_history
    from podium.tables.table_files import write_frames

    skipped: list[Skipped] = []
    history, total = _read(files, options, chunk_rows, skipped)
    name = start.system.name
    with compiling([name]), progress(f"rating with {name}", total) as advance:
        run = rate_history(
            history, start.system, trace=trace or report is not None, ladder=start, progress=advance
        )
    if report is not None:
        _write_report(run, report, files, ladder, min_events)
    if out is not None:
        write_frames([run.ratings], out)
    if save is not None:
        run.ladder.save(save)
    report_skipped(skipped)
    if json:
        _print_json(run, top, min_events, len(skipped))
    else:
        _print_table(run, top, min_events)
        if written := [str(path) for path in (trace, out, save, report) if path is not None]:
            typer.echo(f"wrote {', '.join(written)}")


def _write_report(run: Run, path: Path, files: list[Path], saved: Path | None, min_events: int) -> None:
    from podium.charts.season_page import write_season

    after = "" if saved is None else f", after {saved.name}"
    about = f"{', '.join(file.name for file in files)}{after}: {counted(len(run.ladder), 'player')}, "
    about += f"{counted(run.ladder.n_events, 'event')}{' in all' if after else ''}."
    write_season(run, path, title=f"Ratings of {files[0].name}", about=about, min_events=min_events)


def _starting_ladder(system: str | None, settings: list[str], saved: Path | None) -> Ladder:
    """An empty ladder of the system asked for, or the saved one, whose system need not be repeated."""
    from podium.ladder.ladder import Ladder

    if saved is None:
        return Ladder(system_from(system or DEFAULT, settings))
    if system is None and settings:
        raise typer.BadParameter(
            "--set belongs to --system, and a saved ladder has its parameters", param_hint="--set"
        )
    return Ladder.load(saved, system=None if system is None else system_from(system, settings))


def _read(
    files: list[Path], options: dict[str, Any], chunk_rows: int | None, skipped: list[Skipped]
) -> tuple[History | Iterable[History], int | None]:
    """The history, whole with its number of rows or in pieces."""
    large = len(files) == 1 and files[0].is_file() and files[0].stat().st_size > IN_MEMORY_BYTES
    if chunk_rows is None and not large:
        history = read_whole(files, options)
        skipped.extend(history.skipped)
        return history, history.rows

    from podium.tables import read_chunks

    def pieces() -> Iterable[History]:
        for piece in read_chunks(files[0], rows=chunk_rows or CHUNK_ROWS, **options):
            skipped.extend(piece.skipped)
            yield piece

    return pieces(), None


def _print_table(run: Run, top: int, min_events: int) -> None:
    import polars as pl

    ladder = run.ladder
    typer.echo(f"{ladder.system.name}: {counted(len(ladder), 'player')}, {counted(ladder.n_events, 'event')}")
    if not top:
        return
    board = run.leaderboard(min_events=min_events, top=top)
    board = board.with_columns(pl.col("last_time").dt.to_string("%Y-%m-%d"))
    if board["mu"].equals(board["display"]):
        board = board.drop("mu")
    if not ladder.system.has_sigma:
        board = board.drop("sigma")
    if board["last_time"].null_count() == len(board):
        board = board.drop("last_time")
    small = max(map(abs, board["display"].to_list()), default=0.0) < SMALL
    show_table(board, names=["player"], digits=2 if small else 1)


def _print_json(run: Run, top: int, min_events: int, skipped: int) -> None:
    from podium.tables.table_files import with_text_times

    ladder = run.ladder
    board = with_text_times(run.leaderboard(min_events=min_events, top=top))
    document = {
        **ladder.system.describe(),
        "players": len(ladder),
        "events": ladder.n_events,
        "skipped_rows": skipped,
        "ratings": board.to_dicts(),
    }
    typer.echo(plain_json(document))
