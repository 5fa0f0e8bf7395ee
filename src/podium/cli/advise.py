"""`podium advise`: which system suits these results, how sure that is, and what to run next."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.inputs import read_files, read_from, shown_name
from podium.cli.options import Chart, Files, Json, Report, with_reading_options
from podium.cli.outputs import check_outputs, check_picture, check_report, print_document, say_written
from podium.cli.progress import compiling, progress
from podium.cli.small_work import interpret_if_small
from podium.cli.terminal_tables import show_table, wrapped

if TYPE_CHECKING:
    from podium.evaluation.advice import Advice


@with_reading_options
def advise(
    files: Files,
    out: Path | None = None,
    top: Annotated[int, typer.Option(min=0)] = 8,
    chart: Chart = None,
    report: Report = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Recommend a rating system for a file of results, and show why.

    Options:
        out (FILE.toml): Write the recommended system to this file, for --system FILE.toml of other commands.
        top (N): Number of systems to list.
        seed (N): Random seed of the confidence intervals.
    """
    check_picture(chart)
    check_report(report)
    if out is not None and out.suffix.lower() != ".toml":
        raise typer.BadParameter(f"the name of {out.name!r} must end in .toml", param_hint="--out")
    outputs = {"--out": out, "--chart": chart, "--report": report}
    check_outputs(outputs, read_from(files, reading), any_name=["--out"], pictures=["--chart", "--report"])
    history = read_files(files, reading)
    interpret_if_small("advise", ["auto"], history.rows)

    from podium.evaluation.advice import advise as advise_history

    with compiling(["auto"]), progress("rating with auto's experts", history.rows) as advance:
        advice = advise_history(history, seed=seed, progress=advance)
    command = shlex.join(["podium", "rate", *map(str, files), *_options(advice, out)])
    if out is not None:
        from podium.systems.system_files import save_system

        save_system(advice.recommended, out, comment="recommended by podium advise")
    if chart is not None:
        from podium.charts import save
        from podium.evaluation.advice_page import advice_chart

        save(advice_chart(advice), chart)
    if report is not None:
        from podium.evaluation.advice_page import write_advice

        named = ", ".join(map(shown_name, files))
        write_advice(advice, report, title=f"Which system suits {named}", command=command)
    if json:
        from podium.documents import advice_document

        print_document("advice", advice_document(advice))
        return
    typer.echo(wrapped(f"{advice.summary}"))
    for sentence in advice.sentences:
        typer.echo(wrapped(sentence))
    if advice.candidates and top:
        import polars as pl

        shown = advice.table.head(top).select(
            "system",
            "standing",
            pl.col("log_loss").alias("log loss"),
            pl.col("difference").alias("to the best"),
            pl.col("low").alias("95% low"),
            pl.col("high").alias("95% high"),
        )
        show_table(shown, names=["system"], digits=4)
    typer.echo(f"Next: {command}")
    say_written(out, chart, report)


def _options(advice: Advice, out: Path | None) -> list[str]:
    """What follows the files in the next command."""
    return list(advice.options) if out is None else ["--system", str(out)]
