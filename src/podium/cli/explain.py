"""`podium explain`: why a rating is what it is, and why an event moved it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import load_ladder, system_from
from podium.cli.inputs import player_meant, read_files, read_from
from podium.cli.options import Chart, Json, Settings, System, with_reading_options
from podium.cli.outputs import check_outputs, check_picture, is_picture, print_document, say_written
from podium.cli.progress import compiling, progress
from podium.cli.terminal_tables import show_table
from podium.named import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from podium.ladder.bulk import Run
    from podium.ladder.event_explanations import EventExplanation
    from podium.systems.contract.distribution import Distribution
    from podium.systems.contract.ratings import Explanation, PerformanceExplanation


@with_reading_options
def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Results, or a saved ladder.")],
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Name of the player.")],
    event: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Explain what this event did to the rating. Default: the player's last event.",
        ),
    ] = None,
    chart: Chart = None,
    distribution: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the probability distribution of the rating: a table (.csv, ...) or a "
            "chart (.png, .svg, .html).",
        ),
    ] = None,
    beside: Annotated[
        list[str],
        typer.Option(metavar="PLAYER", help="Another player to include in --distribution. Repeatable."),
    ] = [],  # noqa: B006
    system: System = None,
    settings: Settings = [],  # noqa: B006
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Explain a player's rating, and why an event moved it."""
    from podium.files.checksummed import is_container

    check_picture(chart)
    if beside and distribution is None:
        raise typer.BadParameter("others are put beside the player in --distribution", param_hint="--beside")
    outputs = {"--chart": chart, "--distribution": distribution}
    check_outputs(outputs, read_from([file], reading), pictures=list(outputs))
    player, beside = player_meant(player, reading), [player_meant(name, reading) for name in beside]
    last: EventExplanation | None = None
    if is_container(file):
        if event is not None:
            raise typer.BadParameter("a saved ladder holds no events; give the results", param_hint="--event")
        ladder = load_ladder(file, system, settings)
        explained = ladder.explain(player)
    else:
        run = _rated(file, reading, system, settings)
        ladder, explained = run.ladder, run.explain(player)
        last = run.explain_last(player) if event is None else run.explain(player, event)
    beliefs = [] if distribution is None else [ladder.distribution(name) for name in (player, *beside)]
    if json:
        from podium.documents import explained_document

        print_document("explanation", explained_document(explained, last))
    else:
        _print(explained, last)
        for belief in beliefs:
            typer.echo(str(belief))
    if chart is not None:
        from podium import charts

        charts.save(charts.explanation(explained), chart)
    if distribution is not None:
        _write(beliefs, distribution)
    if not json:
        say_written(chart, distribution)


def _write(beliefs: list[Distribution], path: Path) -> None:
    """Distributions as a picture or as a table, whichever the name of the file says."""
    if is_picture(path):
        from podium import charts

        charts.save(charts.distribution(beliefs), path)
    else:
        from podium.tables.sources.table_files import write_frames

        write_frames([belief.to_frame() for belief in beliefs], path)


def _rated(file: Path, options: dict[str, Any], name: str | None, settings: list[str]) -> Run:
    from podium.ladder.bulk import rate

    chosen = system_from(name or DEFAULT_SYSTEM, settings)
    history = read_files([file], options)
    with compiling([chosen.name]), progress(f"rating with {chosen.name}", history.rows) as advance:
        return rate(history, chosen, trace=True, progress=advance)


def _print(explained: Explanation | PerformanceExplanation, last: EventExplanation | None) -> None:
    import polars as pl

    from podium.systems.contract.ratings import PerformanceExplanation

    words = str(explained).splitlines()
    typer.echo(words[0])
    if isinstance(explained, PerformanceExplanation):
        rows = [
            {"result": what, "performance": value, "share %": 100.0 * share, "pull": pull}
            for what, value, share, pull in explained.main_lines
        ]
        show_table(pl.DataFrame(rows), names=["result"])
        typer.echo(explained.outlook)
    else:
        show_table(pl.DataFrame(explained.lines, schema=["result", "change"], orient="row"), names=["result"])
    if last is not None:
        typer.echo(f"\n{last}")
