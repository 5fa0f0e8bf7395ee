"""`podium rate --by COLUMN`: many ladders in one file, each rated by itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from podium.cli.chosen_systems import chosen_name, system_from
from podium.cli.inputs import (
    opened,
    quiet_readings,
    read_from,
    report_aliases,
    report_readings,
    report_skipped,
    shown_name,
    warn_of_future_time,
)
from podium.cli.leaderboards import Board
from podium.cli.options import check_workers
from podium.cli.outputs import check_outputs, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.cli.terminal_tables import digits_of, show_table
from podium.text import counted

if TYPE_CHECKING:
    import polars as pl

    from podium.ladder.many_ladders import Ladders
    from podium.systems import RatingSystem


def rate_many(
    files: list[Path],
    by: str,
    given: str | None,
    settings: list[str],
    options: dict[str, Any],
    jobs: int | None,
    dask: str | None,
    out: Path | None,
    board: Board,
    as_json: bool,
) -> None:
    """Rate each ladder of a file and print the best players of each."""
    if len(files) > 1:
        raise typer.BadParameter("--by reads all ladders from one file", param_hint="--by")
    check_workers(jobs, dask)
    check_outputs({"--out": out}, read_from(files, options))
    check_system(given, settings)

    from podium.tables.ladder_column import read_ladders

    with progress(f"reading {shown_name(files[0])}", by_rows=False), quiet_readings():
        histories = read_ladders(opened(files[0]), by, **options)
    report_readings([reading for history in histories.values() for reading in history.readings])
    report_aliases(options)
    total = sum(history.rows for history in histories.values())
    chosen = chosen_name(given, *histories.values())
    if jobs is None and dask is None and interpret_if_small("rate", [chosen.name], total):
        jobs = 1
    system = system_from(chosen.name, settings)
    board.check(system)

    from podium.ladder.many_ladders import rate_ladders

    with compiling([system.name]), progress(f"rating with {system.label}", total) as advance:
        ladders = rate_ladders(histories, by, system, jobs=jobs, dask=dask, progress=advance)
    if out is not None:  # everybody in every ladder is much to compute for nothing
        write_table(_placed(ladders, board), out)
    report_skipped(ladders.skipped)
    warn_of_future_time(max(run.ladder.last_time for run in ladders.values()))
    if as_json:
        from podium.documents import ladders_document

        boards = {name: (run.ladder, board.best(run, in_json=True)) for name, run in ladders.items()}
        document = ladders_document(system, by, boards, skipped_rows=len(ladders.skipped))
        print_document("ladders", document)
        return
    chosen.say()
    _print(ladders, system, board)
    say_written(out)


def _placed(ladders: Ladders, board: Board) -> pl.DataFrame:
    """The table of each ladder below each other, with the ladder's name in front."""
    import polars as pl

    tables = [
        board.table(run).select(pl.lit(name).alias(ladders.by), pl.all()) for name, run in ladders.items()
    ]
    return pl.concat(tables, how="vertical_relaxed")


def _print(ladders: Ladders, system: RatingSystem, board: Board) -> None:
    """How much was rated, and the best player of the first ladders: nobody reads ten thousand."""
    import polars as pl

    runs = ladders.runs.values()
    players, events = sum(len(run.ladder) for run in runs), sum(run.ladder.n_events for run in runs)
    typer.echo(
        f"{system.label}: {counted(len(ladders), 'ladder')}, {counted(players, 'player')}, "
        f"{counted(events, 'event')}"
    )
    rows = []
    for name, run in list(ladders.items())[: board.printed]:
        best = run.leaderboard(**board.filters, top=1).select("player", "display").rows()
        player, display = best[0] if best else (None, None)  # nobody has that many events
        row = {ladders.by: name, "players": len(run.ladder), "events": run.ladder.n_events}
        rows.append({**row, "best": player, "display": display})
    if not rows:
        return
    frame = pl.DataFrame(rows, schema_overrides={"best": pl.String, "display": pl.Float64})
    digits = digits_of(frame["display"]) if board.digits is None else board.digits
    show_table(frame, names=[ladders.by, "best"], digits=digits, dropped_first=("players", "events"))
    if len(ladders) > board.printed:
        typer.echo(f"… and {len(ladders) - board.printed:,} more")
