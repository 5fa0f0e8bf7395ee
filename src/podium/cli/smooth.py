"""`podium smooth`: what skills were at past events, given all results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import system_from
from podium.cli.inputs import player_meant, read_files, read_from
from podium.cli.options import Chart, Json, Settings, with_reading_options
from podium.cli.outputs import check_outputs, check_picture, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.terminal_tables import digits_of, show_table
from podium.inventory import DEFAULT_SYSTEM
from podium.text import counted

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.smoothing.smoothing import Smoothing


@with_reading_options
def smooth(
    file: Path,
    player: list[str] = [],  # noqa: B006
    at: str | None = None,
    rounds: Annotated[int, typer.Option(min=1)] = 1,
    top: Annotated[int, typer.Option(min=0)] = 20,
    out: Path | None = None,
    chart: Chart = None,
    system: str = DEFAULT_SYSTEM,
    settings: Settings = [],  # noqa: B006
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Estimate past skills from all results, including later ones.

    Options:
        file (FILE): Results, in any format that podium rate reads.
        player (NAME): Show only this player. Repeatable.
        at (TIME): Show the skills of all players at this time, best first.
        rounds (N): Number of passes. Later passes use the opponents' skills from the pass before.
        top (N): Number of rows to print.
        out (FILE): Write all rows to this table.
        system (NAME): Rating system, such as glicko (podium systems lists all), or a .toml file. Not every
            system can do this.
    """
    if at is not None and (player or chart is not None):
        raise typer.BadParameter(
            "--at lists all players at one time: leave out --player and --chart", param_hint="--at"
        )
    check_picture(chart)
    if chart is not None:
        from podium.charts import PALETTE

        if not 1 <= len(player) <= len(PALETTE):
            raise typer.BadParameter(
                f"a picture shows one to {len(PALETTE)} players: name them with --player",
                param_hint="--chart",
            )
    check_outputs({"--out": out, "--chart": chart}, read_from([file], reading), pictures=["--chart"])
    chosen = system_from(system, settings)
    history = read_files([file], reading)

    from podium.evaluation.smoothing.smoothing import smooth as smooth_history

    total = history.rows * (1 + rounds)  # each row is rated once and smoothed in each round
    with compiling([chosen.name, "smoothing"]), progress(f"smoothing with {chosen.label}", total) as advance:
        smoothing = smooth_history(history, chosen, rounds=rounds, progress=advance)
    player = [player_meant(name, reading) for name in player]
    frame = _wanted(smoothing, player, at)
    write_table(frame, out)
    if chart is not None:
        from podium import charts

        charts.save(charts.smoothed_history(frame), chart)
    if json:
        from podium.documents import smoothing_document

        print_document("smoothing", smoothing_document(smoothing, frame.head(top)))
        return
    _print(smoothing, frame.drop("player") if len(set(player)) == 1 else frame, top, at)
    say_written(out, chart)


def _wanted(smoothing: Smoothing, players: list[str], at: str | None) -> pl.DataFrame:
    """The rows asked for; a player's under one name, the one asked for."""
    import polars as pl

    if at is not None:
        return smoothing.at(at)
    if not players:
        frame: pl.DataFrame = smoothing.frame
        return frame
    return pl.concat(
        smoothing.player(name).with_columns(pl.lit(name).alias("player")) for name in dict.fromkeys(players)
    )


def _print(smoothing: Smoothing, frame: pl.DataFrame, top: int, at: str | None) -> None:
    import polars as pl

    rounds = "" if smoothing.rounds == 1 else f", {smoothing.rounds} rounds"
    what = counted(frame.height, "row") if at is None else counted(frame.height, "player") + f" at {at}"
    typer.echo(f"{smoothing.system.label}: {what}{rounds}")
    if not top:
        return
    shown = frame.head(top).rename({"mu_smoothed": "smoothed", "sigma_smoothed": "± smoothed", "sigma": "±"})
    if "time" in shown.columns:
        shown = shown.with_columns(pl.col("time").dt.to_string("%Y-%m-%d"))
        if shown["time"].null_count() == shown.height:
            shown = shown.drop("time")
    show_table(shown, names=["player", "event"], digits=digits_of(shown["mu"]), whole=True)
    typer.echo("mu ±: the rating then. smoothed: from all results, including later ones.")
