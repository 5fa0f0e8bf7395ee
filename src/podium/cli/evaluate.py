"""`podium evaluate`: which system predicts these results best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.backtest_tables import print_backtest
from podium.cli.chosen_systems import called, called_with, pairs_by_owner, system_with
from podium.cli.inputs import read_files, read_from, shown_name
from podium.cli.options import (
    COMPARED,
    Dask,
    Files,
    Json,
    Report,
    check_workers,
    listed_items,
    with_reading_options,
)
from podium.cli.outputs import check_outputs, check_report, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.errors import UnsupportedError
from podium.inventory import INVENTORY
from podium.numerics.compiler_choice import are_kernels_loaded
from podium.presets import PRESETS, preset_for

if TYPE_CHECKING:
    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.metrics import Metric
    from podium.evaluation.scopes import Bound, Scope
    from podium.history import History
    from podium.systems import RatingSystem
    from podium.tuning.tuned_comparison import TunedSystems

METRICS = (
    *("pairs-right", "rank-deviation", "log-loss", "brier", "accuracy", "calibration-error"),
    *("three-way-log-loss", "pair-inversion"),
)
"""podium's own metrics by every name they have: checked before a file is read, and loaded after it."""
FROM_THE_START = "0"
"""Where measuring starts if nobody says so."""


@with_reading_options
def evaluate(
    files: Files,
    systems: Annotated[list[str], typer.Option(*COMPARED)] = [],  # noqa: B006
    settings: Annotated[list[str], typer.Option("--set")] = [],  # noqa: B006
    metrics: list[str] = [],  # noqa: B006
    scopes: list[str] = ["everyone", "experienced"],  # noqa: B006
    since: str = FROM_THE_START,
    until: str | None = None,
    order_by: str = "display",
    by: Annotated[str | None, typer.Option(hidden=True)] = None,
    tune: Annotated[bool, typer.Option("--tune")] = False,
    trials: Annotated[int, typer.Option(min=1)] = 30,
    every: str | None = None,
    report: Report = None,
    out: Path | None = None,
    jobs: Annotated[int | None, typer.Option(min=1)] = None,
    dask: Dask = None,
    resamples: Annotated[int, typer.Option(min=2)] = 1000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Compare rating systems: which one predicts the results best?

    podium predicts each event from the events before it, and counts the errors.

    Options:
        systems (NAME,…): Rating systems to compare, for example elo,glicko2. Repeatable. Default: all that
            can use the results, and the one that podium rate would choose.
        settings (SYSTEM.NAME=VALUE): Change a parameter (a setting) of one system, for example --set
            elo.k=24. Repeatable.
        metrics (NAME,…): Measures of the errors. The first one decides which system is best. Choose from
            pairs-right, rank-deviation, log-loss, brier, accuracy, calibration-error and three-way-log-loss.
            Repeatable. Default: all. Log-loss is first if every event has two sides, otherwise
            rank-deviation.
        scopes (WHO,…): Players whose predictions count: everyone, experienced:10 (at least 10 earlier
            events), top:100 (the first 100 of each event), sigma:70 (sigma at most 70). Repeatable.
        since (WHEN): Count only predictions from this point on: a date, an event's number, or 0.5 for the
            second half.
        until (WHEN): Count only predictions up to this point, in the same form. Default: the last event.
        order_by (WHICH): Rating that predicts the order of the players: display or mu.
        by: The name of --order-by before 0.2.
        tune: Also find good parameters for each system, from the first half of the events (or those before
            --since). Compare on the later events. Needs podium[lab].
        trials (N): With --tune: number of parameter values to try per system.
        every (TIME): Also compare within periods: year, or a length such as 90d. Default: by the span of the
            results.
        out (FILE): Write all measures with their confidence intervals to this table.
        jobs (N): Number of processor cores to use, each for one system at a time. Default: 1.
        resamples (N): Number of bootstrap resamples for the confidence intervals.
        seed (N): Random seed of the bootstrap.
    """
    from podium.evaluation.scopes import Scope, check_bound
    from podium.history.times import to_duration

    check_report(report)
    check_outputs({"--out": out, "--report": report}, read_from(files, reading), pictures=["--report"])
    check_workers(jobs, dask)
    order_by = order_by if by is None else by
    if order_by not in ("display", "mu"):
        raise typer.BadParameter(f"{order_by!r} must be display or mu", param_hint="--order-by")
    listed = listed_items(systems)
    everything = not systems or listed == ["all"]
    asked = _every_name() if everything else listed
    own = _settings_of(asked, settings)
    for name in asked:
        check_system(name, [f"{key}={value}" for key, value in own[called(name)].items()])
    named = listed_items(metrics)
    wanted = None if not metrics or named == ["all"] else named
    _check_metrics(wanted)
    who = [Scope.of(name) for name in listed_items(scopes)]
    for option, bound in (("--since", since), ("--until", until)):
        if bound is not None:
            check_bound(bound, option)
    if every not in (None, "year"):
        to_duration(every)
    history = read_files(files, reading)
    if jobs is None and dask is None and not tune:
        interpret_if_small("evaluate", list(INVENTORY) if everything else listed, history.rows)

    from podium.evaluation.backtest import uncalibrated_name, with_uncalibrated
    from podium.evaluation.metrics import find_metric
    from podium.evaluation.scopes import usual_period

    chosen = _systems(None if everything else listed, settings, history)
    tuned = None
    searched: tuple[str, ...] = ()
    if tune:
        from podium.tuning.tuned_comparison import TUNED_PART

        since = str(TUNED_PART) if since == FROM_THE_START else since
        deciding = _deciding(history, wanted)
        chosen, tuned, searched = _tuned(history, chosen, deciding, trials, since, who[0], seed, jobs, dask)
        # A tuned system without its calibration is tuned, too.
        tuned |= {uncalibrated_name(name): uncalibrated_name(base) for name, base in tuned.items()}
    chosen = with_uncalibrated(chosen)
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
    result = replace(result, tuned=tuned, searched=searched)
    first = result.leading if wanted is None else find_metric(wanted[0])
    _write(result, history, files, chosen, out, report, first)
    if json:
        from podium.documents import backtest_document

        print_document("backtest", backtest_document(result, metric=first))
        return
    print_backtest(result, first, chosen)
    say_written(out, report)


def _every_name() -> list[str]:
    """The names of all systems and presets; somebody's own systems are there only if kernels are loaded."""
    if not are_kernels_loaded():
        return [*PRESETS, *INVENTORY]
    from podium.systems import list_systems

    return [*PRESETS, *list_systems()]


def _check_metrics(wanted: list[str] | None) -> None:
    """Refuse an unknown metric before any file is read; to look for somebody's own loads what is compiled."""
    if wanted is None or (wanted and set(wanted) <= set(METRICS)):
        return
    from podium.evaluation.metrics import find_metrics

    find_metrics(wanted)


def _systems(named: list[str] | None, settings: list[str], history: History) -> dict[str, RatingSystem]:
    """The systems named on the command line, or all and the preset for such a history, with parameters."""
    from podium.systems import list_systems, make_system

    if named is None:
        named = [preset_for(history).name, *list_systems()]
    own = _settings_of(named, settings)
    given = {name: own[called(name)] for name in named}
    return {called_with(name, given[name]): system_with(name, given[name], make_system) for name in named}


def _settings_of(listed: list[str], settings: list[str]) -> dict[str, dict[str, str]]:
    """The parameters given for each system, by its name in tables."""
    if not listed:
        raise typer.BadParameter("name at least one system", param_hint="--systems")
    own_names = list(dict.fromkeys(map(called, listed)))
    if len(own_names) < len(listed):
        raise typer.BadParameter(
            "a system is given twice (for other parameters, write a FILE.toml: --systems elo,faster.toml)",
            param_hint="--systems",
        )
    return pairs_by_owner(
        settings,
        own_names,
        "no system here is called {owner!r}",
        "{setting!r} must have the form system.name",
    )


def _deciding(history: History, metrics: list[str] | None) -> Metric:
    """The metric that decides: the first of those that were named, or the usual one for the history."""
    from podium.evaluation.metrics import find_metric
    from podium.evaluation.verdicts import is_two_sided, leading_metric

    return leading_metric(is_two_sided(history)) if metrics is None else find_metric(metrics[0])


def _tuned(
    history: History,
    systems: Mapping[str, RatingSystem],
    metric: Metric,
    trials: int,
    since: Bound,
    scope: Scope,
    seed: int,
    jobs: int | None,
    dask: str | None,
) -> TunedSystems:
    """Tune each system with a bar; returns them beside those that were given."""
    from podium.tuning.study_log import import_optuna
    from podium.tuning.tuned_comparison import tune_each

    import_optuna()
    usable = _usable(history, systems)
    with (
        compiling(sorted({systems[name].name for name in usable})),
        progress("tuning", trials * len(usable), unit="trials") as advance,
    ):
        return tune_each(
            history,
            systems,
            metric,
            trials=trials,
            since=since,
            scope=scope,
            seed=seed,
            jobs=jobs,
            dask=dask,
            progress=lambda _: advance(1),
        )


def _usable(history: History, systems: Mapping[str, RatingSystem]) -> list[str]:
    """The names of the systems that can use the history."""
    usable = []
    for name, system in systems.items():
        try:
            system.check(history)
        except UnsupportedError:
            continue
        usable.append(name)
    return usable


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

    usable = _usable(history, systems)
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
