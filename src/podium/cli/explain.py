"""`podium explain`: why a rating is what it is, and why an event moved it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    check_outputs,
    compiling,
    is_picture,
    plain_json,
    progress,
    report_skipped,
    show_table,
    system_from,
)

if TYPE_CHECKING:
    from podium.ladder.bulk import Run
    from podium.ladder.event_explanations import EventExplanation
    from podium.systems.contract.distribution import Distribution
    from podium.systems.contract.ratings import Explanation, PerformanceExplanation


def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Results, or a saved ladder.")],
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Whose rating.")],
    event: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Why this event moved the rating; else the player's last one."),
    ] = None,
    chart: Chart = None,
    distribution: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write how likely the rating is where: .csv or another table, .png, .svg or .html.",
        ),
    ] = None,
    beside: Annotated[
        list[str], typer.Option(metavar="PLAYER", help="Others to put beside the player in --distribution.")
    ] = [],  # noqa: B006
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
    """Explain a player's rating, and why an event moved it."""
    from podium.charts import check_path
    from podium.files.checksummed import is_container
    from podium.ladder.ladder import Ladder

    if chart is not None:
        check_path(chart)
    if beside and distribution is None:
        raise typer.BadParameter("others are put beside the player in --distribution", param_hint="--beside")
    outputs = {"--chart": chart, "--distribution": distribution}
    check_outputs(outputs, [file], pictures=list(outputs))
    last: EventExplanation | None = None
    if is_container(file):
        if event is not None:
            raise typer.BadParameter("a saved ladder holds no events; give the results", param_hint="--event")
        if system is None and settings:
            raise typer.BadParameter(
                "--set belongs to --system, and a saved ladder has its parameters", param_hint="--set"
            )
        wanted = None if system is None else system_from(system, settings)
        ladder = Ladder.load(file, system=wanted)
        explained = ladder.explain(player)
    else:
        options = reading(column, lower_is_better, unrated, unfinished, on_bad_row, teams)
        run = _rated(file, options, system, settings)
        ladder, explained = run.ladder, run.explain(player)
        last = run.explain_last(player) if event is None else run.explain(player, event)
    beliefs = [] if distribution is None else [ladder.distribution(name) for name in (player, *beside)]
    if json:
        document = {"rating": asdict(explained), "event": None if last is None else asdict(last)}
        typer.echo(plain_json(_with_times(document)))
    else:
        _print(explained, last)
        for belief in beliefs:
            typer.echo(str(belief))
    if chart is not None:
        from podium import charts

        charts.save(charts.explanation(explained), chart)
    if distribution is not None:
        _write(beliefs, distribution)
    if not json and (written := [str(path) for path in outputs.values() if path is not None]):
        typer.echo(f"wrote {', '.join(written)}")


def _write(beliefs: list[Distribution], path: Path) -> None:
    """Distributions as a picture or as a table, whichever the name of the file says."""
    if is_picture(path):
        from podium import charts

        charts.save(charts.distribution(beliefs), path)
    else:
        from podium.tables.table_files import write_frames

        write_frames([belief.to_frame() for belief in beliefs], path)


def _with_times(value: Any) -> Any:
    """The same document, with its times as text and not as microseconds."""
    from podium.arrays import NO_TIME
    from podium.history.times import to_iso

    if isinstance(value, (list, tuple)):
        return [_with_times(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: (None if item == NO_TIME else to_iso(item)) if key == "time" else _with_times(item)
        for key, item in value.items()
    }


def _rated(file: Path, options: dict[str, Any], name: str | None, settings: list[str]) -> Run:
    from podium.ladder.bulk import rate
    from podium.systems import DEFAULT_SYSTEM
    from podium.tables import read_history

    chosen = system_from(name or DEFAULT_SYSTEM, settings)
    with progress(f"reading {file.name}", by_rows=False):
        history = read_history(file, **options)
    report_skipped(history.skipped)
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
