"""`podium evaluate`: which system predicts these results best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import called, pairs_by_owner, system_with
from podium.cli.inputs import read_files, read_from, shown_name
from podium.cli.options import Dask, Files, Json, Report, check_workers, listed_items, with_reading_options
from podium.cli.outputs import check_outputs, check_report, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.small_work import RATING, check_system, interpret_if_small
from podium.cli.terminal_tables import show_table, wrapped
from podium.errors import UnsupportedError

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.metrics import Metric
    from podium.evaluation.scopes import Bound
    from podium.history import History
    from podium.systems import RatingSystem


@with_reading_options
def evaluate(
    files: Files,
    systems: Annotated[
        list[str],
        typer.Option(
            metavar="NAME,…",
            help="Rating systems to compare, by name or as FILE.toml. Repeatable. Default: all that can use "
            "the results.",
        ),
    ] = [],  # noqa: B006
    settings: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="SYSTEM.NAME=VALUE",
            help="Set a parameter of one system, for example --set elo.k=24. Repeatable.",
        ),
    ] = [],  # noqa: B006
    metrics: Annotated[
        list[str],
        typer.Option(
            metavar="NAME,…",
            help="Metrics to compute, or one of your own (podium --import); the first one decides which "
            "system is best. Repeatable. Default: all of pairs-right, rank-deviation, log-loss, brier, "
            "accuracy, calibration-error, three-way-log-loss; log-loss decides.",
        ),
    ] = [],  # noqa: B006
    scopes: Annotated[
        list[str],
        typer.Option(
            metavar="WHO,…",
            help="Whose predictions are scored: everyone, experienced:10 (at least 10 events before), "
            "top:100 (the first 100 places of each event), sigma:70 (a deviation of at most 70). Repeatable.",
        ),
    ] = ["everyone", "experienced"],  # noqa: B006
    since: Annotated[
        str,
        typer.Option(
            metavar="WHEN",
            help="Start of the measured events: an event's number, a fraction of the events (0.5) or a date.",
        ),
    ] = "0",
    until: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="End of the measured events, in the same form. Default: the last event."
        ),
    ] = None,
    order_by: Annotated[
        str,
        typer.Option(metavar="WHICH", help="Rating that predicts the order of the players: display or mu."),
    ] = "display",
    by: Annotated[
        str | None, typer.Option(hidden=True, help="What --order-by was called before 0.2.")
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Period of the tables: year, or a length such as 90d. Default: years if the history spans "
            "at least three, else 30, 7 or 1 days.",
        ),
    ] = None,
    report: Report = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all metrics with their confidence intervals to this table."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of processes; each evaluates one system at a time. Default: 1.",
            min=1,
        ),
    ] = None,
    dask: Dask = None,
    resamples: Annotated[
        int,
        typer.Option(metavar="N", help="Number of bootstrap resamples for the confidence intervals.", min=2),
    ] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the resampling.", min=0)] = 0,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Compare rating systems: each predicts every event before rating it."""
    check_report(report)
    check_outputs({"--out": out, "--report": report}, read_from(files, reading), pictures=["--report"])
    check_workers(jobs, dask)
    order_by = order_by if by is None else by
    if order_by not in ("display", "mu"):
        raise typer.BadParameter(f"{order_by!r} is neither display nor mu", param_hint="--order-by")
    listed = listed_items(systems)
    everything = not systems or listed == ["all"]
    if not everything:
        own = _settings_of(listed, settings)
        for name in listed:
            check_system(name, [f"{key}={value}" for key, value in own[called(name)].items()])
    history = read_files(files, reading)
    if jobs is None and dask is None:
        interpret_if_small("evaluate", list(RATING) if everything else listed, history.rows)

    from podium.evaluation.groups import usual_period
    from podium.evaluation.metrics import find_metric, find_metrics
    from podium.evaluation.scopes import Scope, check_bound
    from podium.history.times import to_duration

    chosen = _systems(None if everything else listed, settings)
    named = listed_items(metrics)
    wanted = None if not metrics or named == ["all"] else named
    find_metrics(wanted)
    who = [Scope.of(name) for name in listed_items(scopes)]
    for name, bound in (("--since", since), ("--until", until)):
        if bound is not None:
            check_bound(bound, name)
    if every not in (None, "year"):
        to_duration(every)
    result = _measured(
        history,
        chosen,
        jobs=jobs,
        dask=dask,
        metrics=wanted,
        scopes=who,
        since=since,
        until=until,
        order_by=order_by,
        every=usual_period(history.time) if every is None else every,
        resamples=resamples,
        seed=seed,
    )
    first = result.leading if wanted is None else find_metric(wanted[0])
    _write(result, history, files, chosen, out, report, first)
    if json:
        from podium.documents import backtest_document

        print_document("backtest", backtest_document(result, metric=first))
        return
    _print(result, first, chosen)
    say_written(out, report)


def _systems(named: list[str] | None, settings: list[str]) -> dict[str, RatingSystem]:
    """The systems named on the command line, or all, by their names in tables, each with its parameters."""
    from podium.systems import list_systems, make_system

    listed = list(list_systems()) if named is None else named
    own = _settings_of(listed, settings)
    return {called(name): system_with(name, own[called(name)], make_system) for name in listed}


def _settings_of(listed: list[str], settings: list[str]) -> dict[str, dict[str, str]]:
    """The parameters given for each system, by its name in tables."""
    if not listed:
        raise typer.BadParameter("no system is named", param_hint="--systems")
    own_names = list(dict.fromkeys(map(called, listed)))
    if len(own_names) < len(listed):
        raise typer.BadParameter(
            "a system is given twice; one with other parameters is a FILE.toml: --systems elo,faster.toml",
            param_hint="--systems",
        )
    return pairs_by_owner(
        settings, own_names, "no system here is called {owner!r}", "{setting!r} is not system.name"
    )


def _measured(
    history: History,
    systems: Mapping[str, RatingSystem],
    *,
    jobs: int | None,
    dask: str | None,
    until: Bound | None,
    **options: Any,
) -> Backtest:
    """Evaluate with a bar: by rows and the system at work, or by systems where several are at once."""
    from podium.evaluation.backtest import evaluate as evaluate_history
    from podium.evaluation.scopes import measured_part

    usable = []
    for name, system in systems.items():
        try:
            system.check(history)
        except UnsupportedError:
            continue
        usable.append(name)
    rows = int(history.offsets[measured_part(history, until=until)[1]])
    at_once, done = jobs is not None or dask is not None, 0
    total, unit = (len(systems), "systems") if at_once else (rows * len(usable), "rows")
    with (
        compiling(sorted({systems[name].name for name in usable})),
        progress("evaluating", total, unit=unit) as advance,
    ):

        def step(count: int) -> None:
            nonlocal done
            done += count
            advance(count, usable[min(done // max(rows, 1), len(usable) - 1)])

        if usable and not at_once:
            advance(0, usable[0])
        return evaluate_history(
            history,
            systems,
            until=until,
            jobs=None if jobs is None else min(jobs, len(systems)),
            dask=dask,
            progress=(lambda _: advance(1)) if at_once else step,
            **options,
        )


def _write(
    result: Backtest,
    history: History,
    files: list[Path],
    systems: Mapping[str, RatingSystem],
    out: Path | None,
    report: Path | None,
    metric: Metric,
) -> None:
    write_table(result.summary, out)
    if report is not None:
        from podium.evaluation.report import write_report

        named = ", ".join(map(shown_name, files))
        part = "" if not result.first_event else f" Measured from event {result.first_event + 1:,} on."
        write_report(
            result,
            report,
            title=f"How well systems predict {named}",
            about=f"{named}: {history.summary()}.{part}",
            systems=systems,
            metric=metric.name,
        )


def _print(result: Backtest, deciding: Metric, systems: Mapping[str, RatingSystem]) -> None:
    import polars as pl

    from podium.evaluation.report import LEVEL_MARK, about_draws, describe_scope, verdicts

    shown = [m for m in result.metrics if result.summary[m.column].null_count() < result.summary.height]
    level = False
    for scope in result.scopes:
        frame = result.summary.filter(pl.col("scope") == scope.name)
        if frame.height:
            typer.echo(wrapped(_counts(result, scope.name, frame, describe_scope(scope))))
            level |= _show_scope(result, scope.name, frame, deciding)
    if level:
        typer.echo(wrapped(f"{LEVEL_MARK}: not shown to be worse than the best by {deciding.name}"))
    for name, why in result.refused.items():
        typer.echo(wrapped(f"{name} was left out: {why}"))
    for words in (*verdicts(result, deciding), *about_draws(result, deciding, systems), *result.notes):
        typer.echo(wrapped(words))
    if named := [f"{m.heading}: {m.name}" for m in shown if m.heading.lower() != m.words]:
        typer.echo(wrapped(", ".join(named)))
    for word, names in (
        ("Higher", [m.heading for m in shown if m.higher_is_better]),
        ("Lower", [m.heading for m in shown if not m.higher_is_better]),
    ):
        if names:
            typer.echo(wrapped(f"{word} is better: {', '.join(names)}"))
    if percent := [m.heading for m in shown if m.percent]:
        typer.echo(wrapped(f"In percent: {', '.join(percent)}"))


def _counts(result: Backtest, scope: str, frame: pl.DataFrame, who: str) -> str:
    """How much was scored, and who was not."""
    from podium.evaluation.report import count_rows

    words, differs = count_rows(result, scope)
    left = int(frame["left_out"].max())  # type: ignore[arg-type]
    words = f"{scope}: {words} scored"
    if differs:
        return f"{words}, which of them depends on the system (scored are {who})"
    return words + (f", {left:,} left out (scored are {who})" if left else "")


def _show_scope(result: Backtest, scope: str, frame: pl.DataFrame, deciding: Metric) -> bool:
    """Print the table of one scope, best first; returns whether a system is level with the best."""
    import polars as pl

    from podium.evaluation.report import LEVEL_MARK
    from podium.evaluation.verdicts import find_verdict

    level = find_verdict(result, scope, deciding).named("level")
    metrics = [m for m in result.metrics if frame[m.column].null_count() < frame.height]
    if not metrics:
        return False
    frame = frame.sort(deciding.column, descending=deciding.higher_is_better, nulls_last=True)
    names = [f"{name} {LEVEL_MARK}" if name in level else name for name in frame["system"]]
    columns = [pl.Series("system", names)]
    if frame["rows"].n_unique() > 1:
        columns.append(frame["rows"])
    columns += [pl.Series(m.heading, [m.write(value) for value in frame[m.column]]) for m in metrics]
    show_table(pl.DataFrame(columns), names=["system"], whole=True)
    return bool(level)
