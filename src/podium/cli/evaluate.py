"""`podium evaluate`: which system predicts these results best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.options import (
    Column,
    Dask,
    Json,
    LowerIsBetter,
    OnBadRow,
    Teams,
    Unfinished,
    Unrated,
    reading,
)
from podium.cli.shared import (
    called,
    check_outputs,
    check_report,
    compiling,
    pairs,
    plain_json,
    progress,
    read_files,
    show_table,
    system_from,
    wrapped,
)

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.metrics import Metric
    from podium.evaluation.scopes import Bound
    from podium.history import History
    from podium.systems import RatingSystem


def evaluate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="CSV, TSV, NDJSON (.gz, .zst), Parquet, PGN, contest JSON."),
    ],
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…", help="Rating systems, or their FILE.toml; all that can use the results."
        ),
    ] = None,
    settings: Annotated[
        list[str],
        typer.Option("--set", metavar="SYSTEM.NAME=VALUE", help="A parameter of one: --set elo.k=24."),
    ] = [],  # noqa: B006
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="pair-inversion, rank-deviation, log-loss, brier, accuracy, calibration-error, "
            "three-way-log-loss; all; or one of your own (podium --import). The first one given decides.",
        ),
    ] = None,
    scopes: Annotated[
        str,
        typer.Option(metavar="WHO,…", help="Who is scored: everyone, experienced:10, top:100, sigma:70."),
    ] = "everyone,experienced",
    since: Annotated[
        str,
        typer.Option(metavar="WHEN", help="Measure from here on: an event's number, a part (0.5), a date."),
    ] = "0",
    until: Annotated[str | None, typer.Option(metavar="WHEN", help="Measure up to here.")] = None,
    by: Annotated[
        str, typer.Option(metavar="WHICH", help="Ratings that players are put in order by: display or mu.")
    ] = "display",
    every: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Length of the report's periods: year, 90d; years if there are three or more.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write all of it as one page (needs podium[charts])."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all metrics with their intervals to this table."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Evaluate so many systems at once, in processes; one after another.", min=1
        ),
    ] = None,
    dask: Dask = None,
    resamples: Annotated[
        int, typer.Option(metavar="N", help="How often events are drawn again, for intervals.", min=2)
    ] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="For that chance.", min=0)] = 0,
    json: Json = False,
    column: Column = [],  # noqa: B006
    lower_is_better: LowerIsBetter = False,
    unrated: Unrated = "opponent",
    unfinished: Unfinished = "last",
    on_bad_row: OnBadRow = "error",
    teams: Teams = "members",
) -> None:
    """Predict each event before rating it, with several systems, and compare the predictions."""
    from podium.evaluation.groups import usual_period
    from podium.evaluation.metrics import find_metric, find_metrics
    from podium.evaluation.scopes import Scope, check_bound
    from podium.history.times import to_duration

    options = reading(column, lower_is_better, unrated, unfinished, on_bad_row, teams)
    check_report(report)
    check_outputs({"--out": out, "--report": report}, files, pictures=["--report"])
    if jobs is not None and dask is not None:
        raise typer.BadParameter("a cluster has its own workers", param_hint="--jobs")
    chosen = _systems(systems, settings)
    wanted = None if metrics in (None, "all") else _listed(metrics)
    find_metrics(wanted)
    who = [Scope.of(name) for name in _listed(scopes)]
    for name, bound in (("--since", since), ("--until", until)):
        if bound is not None:
            check_bound(bound, name)
    if every not in (None, "year"):
        to_duration(every)
    if by not in ("display", "mu"):
        raise typer.BadParameter(f"{by!r} is neither display nor mu", param_hint="--by")
    history = read_files(files, options)

    result = _measured(
        history,
        chosen,
        jobs=jobs,
        dask=dask,
        metrics=wanted,
        scopes=who,
        since=since,
        until=until,
        by=by,
        every=usual_period(history.time) if every is None else every,
        resamples=resamples,
        seed=seed,
    )
    first = result.leading if wanted is None else find_metric(wanted[0])
    _write(result, history, files, chosen, out, report, first)
    if json:
        _print_json(result, chosen)
        return
    _print(result, first, chosen)
    if written := [str(path) for path in (out, report) if path is not None]:
        typer.echo(f"wrote {', '.join(written)}")


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _systems(names: str | None, settings: list[str]) -> dict[str, RatingSystem]:
    """The systems asked for, by what they are called here, each with its own parameters."""
    from podium.systems import list_systems
    from podium.text import did_you_mean

    listed = list(list_systems()) if names in (None, "all") else _listed(names)
    if not listed:
        raise typer.BadParameter("no system is named", param_hint="--systems")
    own_names = {called(name): name for name in listed}
    if len(own_names) < len(listed):
        raise typer.BadParameter(
            "a system is given twice; one with other parameters is a FILE.toml: --systems elo,faster.toml",
            param_hint="--systems",
        )
    own: dict[str, list[str]] = {name: [] for name in own_names}
    for setting, value in pairs(settings, "--set").items():
        name, _, parameter = setting.rpartition(".")
        if not name or not parameter:
            raise typer.BadParameter(f"{setting!r} is not system.name", param_hint="--set")
        if name not in own:
            hint = did_you_mean(name, list(own)) or f"there are {', '.join(own)}"
            raise typer.BadParameter(f"no system here is called {name!r}; {hint}", param_hint="--set")
        own[name].append(f"{parameter}={value}")
    return {name: system_from(file, own[name]) for name, file in own_names.items()}


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
    from podium.errors import UnsupportedError
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
    if out is not None:
        from podium.tables.table_files import write_frames

        write_frames([result.summary], out)
    if report is not None:
        from podium.evaluation.report import write_report

        named = ", ".join(file.name for file in files)
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

    from podium.evaluation.report import about_draws, describe_scope, verdicts

    shown = [m for m in result.metrics if result.summary[m.column].null_count() < result.summary.height]
    level = False
    for scope in result.scopes:
        frame = result.summary.filter(pl.col("scope") == scope.name)
        if frame.height:
            typer.echo(wrapped(_counts(result, scope.name, frame, describe_scope(scope))))
            level |= _show_scope(result, scope.name, frame, deciding)
    if level:
        typer.echo(wrapped(f"≈: not shown to be worse than the best by {deciding.name}"))
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
    """A table of one scope, the best first; whether somebody is level with the best."""
    import polars as pl

    from podium.evaluation.verdicts import level_with_best

    level = level_with_best(result, scope, deciding)
    metrics = [m for m in result.metrics if frame[m.column].null_count() < frame.height]
    if not metrics:
        return False
    frame = frame.sort(deciding.column, descending=deciding.higher_is_better, nulls_last=True)
    names = [f"{name} ≈" if name in level else name for name in frame["system"]]
    columns = [pl.Series("system", names)]
    if frame["rows"].n_unique() > 1:
        columns.append(frame["rows"])
    columns += [pl.Series(m.heading, [m.write(value) for value in frame[m.column]]) for m in metrics]
    show_table(pl.DataFrame(columns), names=["system"], whole=True)
    return bool(level)


def _print_json(result: Backtest, systems: Mapping[str, RatingSystem]) -> None:
    tables = ("summary", "differences", "calibration", "periods", "experience", "bands")
    document = {
        "systems": {name: system.describe() for name, system in systems.items()},
        "refused": result.refused,
        "notes": result.notes,
        **{name: getattr(result, name).to_dicts() for name in tables},
    }
    typer.echo(plain_json(document))
