"""`podium explain`: why a rating is what it is, and why an event moved it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import ChosenName, chosen_name, load_ladder, system_from
from podium.cli.inputs import player_meant, read_files, read_from
from podium.cli.options import Chart, Json, Settings, System, with_reading_options
from podium.cli.outputs import check_outputs, check_picture, is_picture, print_document, say_written
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.cli.terminal_tables import digits_of, show_table, wrapped
from podium.numerics.compiler_choice import interpret_kernels
from podium.text import chance_words, running_gains

if TYPE_CHECKING:
    from podium.ladder.bulk import Run
    from podium.ladder.event_explanations import EventExplanation
    from podium.systems.contract.distribution import Distribution
    from podium.systems.contract.explained_ratings import (
        Contribution,
        Explanation,
        Performance,
        PerformanceExplanation,
    )


@with_reading_options
def explain(
    file: Path,
    player: str,
    event: str | None = None,
    top: Annotated[int | None, typer.Option(min=0)] = None,
    chart: Chart = None,
    distribution: Path | None = None,
    beside: list[str] = [],  # noqa: B006
    system: System = None,
    settings: Settings = [],  # noqa: B006
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Explain a player's rating, and why an event changed it.

    Options:
        file (FILE): Results, or a saved ladder.
        player (PLAYER): Name of the player.
        event (NAME): Explain how this event changed the rating: its name or number, 'NAME, DATE', or a DATE.
            If several events match, explain each. Default: the player's last event.
        top (N): Number of results to list: the latest, or those with the most influence. Default: as many as
            fit the screen, or all with --json.
        distribution (FILE): Write how likely each value of the player's skill is: a table (.csv, ...) or a
            chart (.png, .svg or .html, which needs podium[charts]).
        beside (PLAYER): Another player to include in --distribution. Repeatable.
    """
    from podium.files.checksummed import is_container

    check_picture(chart)
    if beside and distribution is None:
        raise typer.BadParameter(
            "--beside adds players to --distribution, so give both", param_hint="--beside"
        )
    outputs = {"--chart": chart, "--distribution": distribution}
    check_outputs(outputs, read_from([file], reading), pictures=list(outputs))
    player, beside = player_meant(player, reading), [player_meant(name, reading) for name in beside]
    told: list[EventExplanation] = []
    chosen: ChosenName | None = None
    if is_container(file):
        if event is not None:
            raise typer.BadParameter(
                "a saved ladder holds no events: give the results instead", param_hint="--event"
            )
        interpret_kernels()  # it is about one player
        ladder = load_ladder(file, system, settings)
        explained = ladder.explain(player)
    else:
        chosen, run = _rated(file, reading, system, settings)
        ladder, explained = run.ladder, run.explain(player)
        if event is None:
            told = [] if (last := run.explain_last(player)) is None else [last]
        else:
            told = run.explain_events(player, event)
    if top is not None:
        explained = explained.shortened(top)
    beliefs = [] if distribution is None else [ladder.distribution(name) for name in (player, *beside)]
    if json:
        from podium.documents import explained_document

        if len(told) > 1:
            print(
                f"{event} matches {len(told)} events of {player}, and the document has the last",
                file=sys.stderr,
            )
        print_document("explanation", explained_document(explained, told[-1] if told else None))
    else:
        if chosen is not None:
            chosen.say()
        _print(explained if top is not None else explained.shortened(), told)
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
        from podium.tables.written_tables import write_frames

        write_frames([belief.to_frame() for belief in beliefs], path)


def _rated(
    file: Path, options: dict[str, Any], given: str | None, settings: list[str]
) -> tuple[ChosenName, Run]:
    check_system(given, settings)
    history = read_files([file], options)
    chosen = chosen_name(given, history)
    interpret_if_small("explain", [chosen.name], history.rows)
    system = system_from(chosen.name, settings)

    from podium.ladder.bulk import rate

    with compiling([system.name]), progress(f"rating with {system.label}", history.rows) as advance:
        return chosen, rate(history, system, trace=True, progress=advance)


def _print(explained: Explanation | PerformanceExplanation, events: list[EventExplanation]) -> None:
    import polars as pl

    from podium.systems.contract.explained_ratings import PerformanceExplanation, counting_words

    typer.echo(wrapped(explained.title))
    rows = _performances(explained) if isinstance(explained, PerformanceExplanation) else _changes(explained)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    empty = [name for name in ("date", "event", "chance") if not any(frame[name])]
    less_needed = ("share %", "performance", "chance", "date")
    show_table(
        frame.drop(empty),
        names=["result"],
        right=["chance"],
        digits=digits_of([explained.rating.mu]),
        dropped_first=less_needed,
    )
    if isinstance(explained, PerformanceExplanation):
        typer.echo(wrapped(explained.outlook))
    elif explained.opinions:
        typer.echo(wrapped(counting_words(explained.opinions)))
    for event in events:
        typer.echo(f"\n{wrapped(str(event))}")


def _changes(explained: Explanation) -> list[dict[str, Any]]:
    """The terms whose sum is the rating, as rows of a table, rounded so that they add up."""
    rows = [_row(explained.start_words, change=explained.newcomer)]
    if explained.older_results:
        rows.append(_row("everything before", change=explained.older_results))
    if (earlier := explained.earlier) is not None:
        rows.append(_row(earlier.words, change=earlier.change))
    rows += [_told(part, change=part.change) for part in explained.contributions]
    if explained.absence:
        rows.append(_row("less certain while away", change=explained.absence))
    gains = running_gains([row["change"] for row in rows], digits_of([explained.rating.mu]))
    return [row | {"change": gain} for row, gain in zip(rows, gains, strict=True)]


def _performances(explained: PerformanceExplanation) -> list[dict[str, Any]]:
    """The parts of an average, as rows of a table."""

    def numbers(value: float, share: float) -> dict[str, float]:
        pull = share * (value - explained.rating.mu)
        return {"performance": value, "share %": 100.0 * share, "pull": pull}

    rows = []
    if explained.start_share > 0.0:
        rows.append(_row(explained.start_words, **numbers(explained.start, explained.start_share)))
    if explained.older_share > 0.0:
        rows.append(_row("remembered from before", **numbers(explained.older, explained.older_share)))
    rows += [_told(part, **numbers(part.performance, part.share)) for part in explained.performances]
    if (others := explained.others) is not None:
        rows.append(_row(others.words, **numbers(others.performance, others.share)))
    return rows


def _told(part: Contribution | Performance, **numbers: float) -> dict[str, Any]:
    """One result as a row: a number is no name that people know, if there is a date instead."""
    date = "" if part.time is None else f"{part.time:%Y-%m-%d}"
    event = part.event
    if event.isdecimal():
        event = "" if date else f"event {event}"
    chance = "" if part.match is None else chance_words(part.match.chance)
    return {"date": date, "event": event, "result": part.result, "chance": chance, **numbers}


def _row(result: str, **numbers: float) -> dict[str, Any]:
    return {"date": "", "event": "", "result": result, "chance": "", **numbers}
