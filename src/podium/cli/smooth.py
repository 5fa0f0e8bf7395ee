"""`podium smooth`: what skills were at past events, given all results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.options import (
    Chart,
    Column,
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
from podium.cli.shared import (
    SMALL,
    check_outputs,
    compiling,
    counted,
    plain_json,
    progress,
    read_files,
    show_table,
    system_from,
)

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.smoothing.smoothing import Smoothing


def smooth(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Results.")],
    player: Annotated[
        list[str], typer.Option(metavar="NAME", help="Whose skill; may be given more than once.")
    ] = [],  # noqa: B006
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Everybody's skill at this moment, the best first.")
    ] = None,
    rounds: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Estimate performances so often: after the first time, opponents are known with hindsight.",
        ),
    ] = 1,
    top: Annotated[int, typer.Option(metavar="N", help="How many rows to print.", min=0)] = 20,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all of it to this table.")] = None,
    chart: Chart = None,
    system: System = None,
    settings: Settings = [],  # noqa: B006
    json: Json = False,
    column: Column = [],  # noqa: B006
    lower_is_better: LowerIsBetter = False,
    unrated: Unrated = "opponent",
    unfinished: Unfinished = "last",
    on_bad_row: OnBadRow = "error",
    teams: Teams = "members",
) -> None:
    """Say what skills were at past events, given all results, later ones included."""
    from podium.systems import DEFAULT_SYSTEM

    if at is not None and (player or chart is not None):
        raise typer.BadParameter("it is everybody's moment, without --player and --chart", param_hint="--at")
    if chart is not None:
        from podium.charts import PALETTE, check_path

        check_path(chart)
        if not 1 <= len(player) <= len(PALETTE):
            raise typer.BadParameter(
                f"a picture shows one to {len(PALETTE)} players; name them with --player",
                param_hint="--chart",
            )
    check_outputs({"--out": out, "--chart": chart}, [file], pictures=["--chart"])
    chosen = system_from(system or DEFAULT_SYSTEM, settings)
    options = reading(column, lower_is_better, unrated, unfinished, on_bad_row, teams)
    history = read_files([file], options)

    from podium.evaluation.smoothing.smoothing import smooth as smooth_history

    with compiling([chosen.name, "smoothing"]), progress(f"smoothing with {chosen.name}", by_rows=False):
        smoothing = smooth_history(history, chosen, rounds=rounds)
    frame = _wanted(smoothing, player, at)
    if out is not None:
        from podium.tables.table_files import write_frames

        write_frames([frame], out)
    if chart is not None:
        from podium import charts

        charts.save(charts.smoothed_history(frame), chart)
    if json:
        from podium.tables.table_files import with_text_times

        shown = with_text_times(frame.head(top)) if "time" in frame.columns else frame.head(top)
        typer.echo(plain_json({**chosen.describe(), "rounds": smoothing.rounds, "rows": shown.to_dicts()}))
        return
    _print(smoothing, frame.drop("player") if len(set(player)) == 1 else frame, top, at)
    if written := [str(path) for path in (out, chart) if path is not None]:
        typer.echo(f"wrote {', '.join(written)}")


def _wanted(smoothing: Smoothing, players: list[str], at: str | None) -> pl.DataFrame:
    """The rows asked for; a player's under one name, the one asked for."""
    import polars as pl

    if at is not None:
        return smoothing.at(at)
    if not players:
        return smoothing.frame
    return pl.concat(
        smoothing.player(name).with_columns(pl.lit(name).alias("player")) for name in dict.fromkeys(players)
    )


def _print(smoothing: Smoothing, frame: pl.DataFrame, top: int, at: str | None) -> None:
    import polars as pl

    rounds = "" if smoothing.rounds == 1 else f", {smoothing.rounds} rounds"
    what = counted(frame.height, "row") if at is None else counted(frame.height, "player") + f" at {at}"
    typer.echo(f"{smoothing.system.name}: {what}{rounds}")
    if not top:
        return
    shown = frame.head(top).rename({"mu_smoothed": "smoothed", "sigma_smoothed": "± smoothed", "sigma": "±"})
    if "time" in shown.columns:
        shown = shown.with_columns(pl.col("time").dt.to_string("%Y-%m-%d"))
        if shown["time"].null_count() == shown.height:
            shown = shown.drop("time")
    small = max(map(abs, shown["mu"].to_list()), default=0.0) < SMALL
    show_table(shown, names=["player", "event"], digits=2 if small else 1, whole=True)
    typer.echo("mu ±: as rated then. smoothed: from all results, later ones included.")
