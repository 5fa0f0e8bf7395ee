"""`podium predict`: a prediction for each row of a table, made before it was played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from podium.cli.chosen_systems import system_from
from podium.cli.inputs import read_files, read_from
from podium.cli.options import Json, Settings, with_reading_options
from podium.cli.outputs import check_outputs, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.cli.terminal_tables import show_table
from podium.files.database_addresses import path_or_database
from podium.text import counted

if TYPE_CHECKING:
    import polars as pl

    from podium.history import History

SHOWN_DIGITS = 3
"""Decimals of chances on a screen; ratings there have none that matter."""


@with_reading_options
def predict(
    file: Annotated[Path, typer.Argument(parser=path_or_database)],
    system: str = "auto",
    settings: Settings = [],  # noqa: B006
    same_time: str = "together",
    places: Annotated[int, typer.Option(min=0)] = 0,
    top: Annotated[int, typer.Option(min=0)] = 20,
    out: Annotated[Path | None, typer.Option(parser=path_or_database)] = None,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Predict each result in a file from the results before it.

    Options:
        file (FILE): Results, in any form that podium rate reads.
        system (NAME): Rating system, such as elo or glicko2 (podium systems lists all), or a .toml file.
        same_time (HOW): Results of the same time, such as the same day: 'together' predicts all of them from
            earlier days. 'in-order' also uses results of that time that are above in the file.
        places (N): In contests, also predict each of the first N places.
        top (N): How many rows to print, counted from the end of the table.
        out (FILE): Write all rows to this table.
    """
    check_outputs({"--out": out}, read_from([file], reading))
    check_system(system, settings)
    history = read_files([file], reading)
    interpret_if_small("predict", [system], history.rows)
    chosen = system_from(system, settings)

    import polars as pl

    from podium.evaluation.asked_events import SameTime
    from podium.evaluation.row_predictions import predict as predict_rows

    with compiling([chosen.name]), progress(f"predicting with {chosen.label}", history.rows) as advance:
        frame = predict_rows(
            history, chosen, same_time=cast(SameTime, same_time), places=places, progress=advance
        )
    write_table(frame, out, "predictions")
    _warn_of_draws(history, frame)
    if json:
        from podium.documents.table_documents import table_document

        print_document("table", table_document(frame.tail(top)))
        return
    typer.echo(f"{chosen.label}: {counted(frame.height, 'row')}")
    if top:
        shown = frame.tail(top).select(name for name in frame.columns if name not in ("row", "draw", "loss"))
        shown = shown.with_columns(pl.col("time").dt.to_string("%Y-%m-%d %H:%M"))
        names = [name for name in ("event", "player", "player_a", "player_b") if name in shown.columns]
        show_table(shown, names=names, digits=SHOWN_DIGITS)
    say_written(out)


def _warn_of_draws(history: History, frame: pl.DataFrame) -> None:
    """Say so on stderr if matches were drawn and draws have no chance."""
    from podium.systems.contract.ratings import NO_DRAWS

    if not (frame["draw"] > 0.0).any():
        matches = history.sides_per_event == 2
        if drawn := int((matches & history.tied[history.offsets[:-1]]).sum()):
            typer.echo(
                f"warning: {drawn:,} of {counted(int(matches.sum()), 'match')} were drawn, but {NO_DRAWS}: "
                "--set calibration=learned learns it",
                err=True,
            )
