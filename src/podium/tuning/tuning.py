"""Parameters that predict best: searched on earlier events, judged on later ones.

>>> import podium
>>> from podium.simulation.populations import synthetic_contests
>>> history, _ = synthetic_contests(players=60, contests=30, participants=20, seed=1)
>>> tuning = tune(history, "elo", metric="rank-deviation", trials=6, jobs=1)
>>> tuning.trials["value"].min() == tuning.fitted.best
True

What parameters are worth: the best beside the system as given, on events after the search.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import podium
from podium.cluster.executors import Workers
from podium.cluster.processes import Pool
from podium.cluster.spreading import spread
from podium.errors import InputError, PodiumError
from podium.evaluation.backtest import Plan, backtest_system
from podium.evaluation.backtest_results import ScopeResult, SystemResult
from podium.evaluation.block_bootstrap import Resampling
from podium.evaluation.metrics.calibration_bins import BINS
from podium.evaluation.scopes import Bound, Scope
from podium.evaluation.verdicts import is_two_sided, leading_metric
from podium.history import History, HistoryLike, history_meant
from podium.notebooks import expect_work, with_bar
from podium.parameters import check_whole, plain
from podium.systems import RatingSystem, System, hinting_at_others, system_for
from podium.tuning.fingerprints import of_history
from podium.tuning.optuna_search import Measure, Search
from podium.tuning.spaces import Ranges, Space, make_space
from podium.tuning.splits import Fold, RollingSplit, Split, split_meant
from podium.tuning.study_log import StudyLog, Trial, best_of, import_optuna, open_storage
from podium.tuning.trial_metric import Judge, TrialMetric, measure_trial
from podium.tuning.tuning_result import Outcome, Tuning, called

if TYPE_CHECKING:
    import polars as pl


Reached = Mapping[str, ScopeResult] | float | str
"""Sums of a metric by scope, the value of a function, or why there is none."""


def judge(
    workers: Workers, metric: TrialMetric, found: Sequence[tuple[Fold, RatingSystem]], given: RatingSystem
) -> list[tuple[Reached, Reached]]:
    """The values that the system as given and the best of each fold reach on the events after it."""
    later = [(fold, best) for fold, best in found if fold.cut < fold.until]
    jobs = [(system, metric, *fold) for fold, best in later for system in (given, best)]
    reached = dict(workers.results(_reached, jobs))
    return [(reached[2 * i], reached[2 * i + 1]) for i in range(len(later))]


def _reached(history: History, system: RatingSystem, metric: TrialMetric, since: int, until: int) -> Reached:
    """What a worker does to judge."""
    if metric.metric is None:
        value, _, reason = measure_trial(history, system, metric, since, until)
        return reason or "" if value is None else value
    plan = Plan(
        metrics=(metric.metric,),
        scopes=metric.judged_scopes,
        start=since,
        stop=until,
        order_by="display",
        ties="fair",
        bins=BINS,
        spacing="width",
        every="year",
        resampling=Resampling(until - since),
    )
    try:
        found = backtest_system(history, system.name, system, plan)
    except (PodiumError, ArithmeticError) as error:
        return str(error)
    if not isinstance(found, SystemResult):
        return found.error.reason
    return {scope.scope.name: scope for scope in found.scopes}


def judged_outcome(
    history: History,
    metric: TrialMetric,
    reached: Sequence[tuple[Reached, Reached]],
    folds: Sequence[Fold],
    scope: Scope | None = None,
) -> Outcome:
    """The best parameters compared with the system as given on the events after several folds, all together.

    `scope` says whose predictions count; by default those that the search looked at.
    """
    lengths = [fold.until - fold.cut for fold in folds]
    whose = metric.scope if scope is None else scope
    events = sum(metric.scored_events(history, whose, *fold) for fold in folds)
    before, after = ([_within(pair[side], whose.name) for pair in reached] for side in (0, 1))
    sides = [_joined(part) for part in (before, after)]
    if metric.metric is None or sides[0] is None or sides[1] is None:
        values = [[_value(one, metric) for one in part] for part in (before, after)]
        usual, best = (float(np.average(part, weights=lengths)) for part in values)
        reason = next((one for one in (*before, *after) if isinstance(one, str)), None)
        return Outcome(metric.name, events, usual, best, reason=reason)
    blocks = sum(Resampling(length).blocks for length in lengths)
    resampling = Resampling(blocks, most_blocks=max(blocks, 1))
    usual, best = (side.value(metric.metric) for side in (sides[0], sides[1]))
    drawn = [side.resampled(metric.metric, resampling) for side in (sides[0], sides[1])]
    measured = [side.sums[metric.metric.name] for side in (sides[0], sides[1])]
    low, high = resampling.interval(drawn[1] - drawn[0], *measured)
    if not (np.isfinite(low) and np.isfinite(high)):
        return Outcome(metric.name, events, usual, best, too_few=True)
    return Outcome(metric.name, events, usual, best, low, high)


def judged_others(
    history: History, metric: TrialMetric, reached: Sequence[tuple[Reached, Reached]], folds: Sequence[Fold]
) -> dict[str, Outcome]:
    """The same within the other usual scopes, by name, where something was measured."""
    if metric.metric is None:
        return {}
    others = metric.judged_scopes[1:]
    found = {scope.name: judged_outcome(history, metric, reached, folds, scope) for scope in others}
    return {name: outcome for name, outcome in found.items() if np.isfinite(outcome.difference)}


_InScope = ScopeResult | float | str


def _within(reached: Reached, scope: str) -> _InScope:
    return reached[scope] if isinstance(reached, Mapping) else reached


def _value(reached: _InScope, metric: TrialMetric) -> float:
    if isinstance(reached, ScopeResult):
        assert metric.metric is not None
        return reached.value(metric.metric)
    return np.nan if isinstance(reached, str) else reached


def _joined(parts: Sequence[_InScope]) -> ScopeResult | None:
    """The blocks of all parts as those of one; None where one has none."""
    whole = [part for part in parts if isinstance(part, ScopeResult)]
    if len(whole) < len(parts):
        return None
    sums = {name: np.concatenate([part.sums[name] for part in whole]) for name in whole[0].sums}
    return replace(whole[0], sums=sums)


BATCH = 8
"""Trials that are proposed together: more keep more workers busy, fewer learn more from each other."""
TRIALS = 100

Report = Callable[[Trial], None]


@with_bar("tuning", "trials")
def tune(
    history: HistoryLike,
    system: System | None = None,
    *,
    metric: Judge | None = None,
    trials: int = TRIALS,
    since: Split | RollingSplit | Bound | None = None,
    scope: Scope | str = "everyone",
    search: Ranges | Sequence[str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    higher_is_better: bool | None = None,
    seed: int = 0,
    batch: int = BATCH,
    jobs: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    study: str | os.PathLike[str] | None = None,
    progress: Report | None = None,
    split: Split | RollingSplit | Bound | None = None,
) -> Tuning:
    """Search the parameters with which a system predicts a history best (needs podium[lab]).

    Parameters are chosen on the events before `since` and judged on those after it, rated from the beginning.
    The system as it is given is tried first, then its defaults. The result is judged for all and for the
    experienced players, whatever the `scope` of the search.

    A metric can be a function `(history, system)`. If it also takes `since`, the number of the first event to
    measure, it gets all events and should measure the later ones. Any other function gets the later events
    alone.

    Args:
        history: A history, or anything that `read_history` reads.
        system: The system or its name. Default: the history's preset.
        metric: A name, a `Metric` or a function. Default: the log loss, or the rank deviation if events have
            more than two sides.
        trials: Number of parameter settings to try.
        since: Where judging begins: a share of the events, the number of an event, a time, or a
            `RollingSplit`. Default: 0.5. With 1.0 nothing is judged.
        scope: The players whose predictions count in the search: "everyone", "experienced:10", "top:100".
        search: Parameters to search, as names or with ranges:
            `{"mu": (1000, 1500), "team": ["mean", "sum"]}`. By default those that the system declares and the
            history can inform.
        fixed: Parameters that keep their value.
        higher_is_better: For a metric that is a function: whether larger values are better.
        seed: Seed of the search. The result does not depend on the number of processes.
        batch: Trials that are proposed together.
        jobs: Number of processes. Default: one for each core.
        executor: An executor in place of processes.
        dask: The address of a Dask cluster in place of processes.
        study: A file that keeps the trials. An interrupted search continues from it, with the same result.
        progress: Called with each trial.
        split: The name of `since` before 0.2.

    Returns:
        The best parameters, all trials, and how well the parameters predict later events.

    Raises:
        InputError: Every trial failed, or a part of the history has too few events.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"] * 20, ["bob", "cat", "cat"] * 20)
    >>> tuning = podium.tune(matches, "elo", search=["k"], trials=3, jobs=1)
    >>> tuning.system.k > 32
    True
    """
    import_optuna()
    history = history_meant(history, "tune")
    chosen = system_for(system, history)
    with hinting_at_others():
        chosen.check(history)
    usual = leading_metric(is_two_sided(history))
    measure = TrialMetric.of(usual if metric is None else metric, scope, higher_is_better)
    folds = split_meant(since, split).cut(history)
    trials, batch, seed = (
        check_whole(name, number, least)
        for name, number, least in (("trials", trials, 1), ("batch", batch, 1), ("seed", seed, 0))
    )
    space = make_space(chosen, history[: folds[0].cut], search=search, fixed=fixed, seen=measure.seen)
    starts = list(dict.fromkeys([space.system, space.defaults()]))
    hunt = Search(space, starts, trials, batch, seed, measure.higher_is_better)
    found: list[_Found] = []
    with ExitStack() as stack:
        storage = None if study is None else stack.enter_context(open_storage(study))
        workers = stack.enter_context(spread(history, jobs=jobs, executor=executor, dask=dask))
        if isinstance(workers, Pool):
            measure.check_sendable()
        expect_work(trials * len(folds))
        for number, fold in enumerate(folds):
            log = None
            if storage is not None and study is not None:
                identity = _identity(history[: fold.cut], space, measure, hunt)
                name, better = f"fold {number + 1}", measure.higher_is_better
                log = StudyLog(storage, name, identity, os.fspath(study), higher_is_better=better)
            made = hunt.run(_measuring(workers, measure, fold.cut), log, progress)
            best = best_of(made, measure.higher_is_better)
            if best is None:
                raise InputError(f"every trial failed, the first because: {made[0].reason}")
            found.append(_Found(fold, made, _system_of(best, starts, space), best))
        judged = judge(workers, measure, [(one.fold, one.system) for one in found], space.system)
    return _tuning(history, space, measure, found, judged)


@dataclass(frozen=True)
class _Found:
    """The trials of one fold and the best of them."""

    fold: Fold
    trials: Sequence[Trial]
    system: RatingSystem
    best: Trial


def _system_of(trial: Trial, starts: Sequence[RatingSystem], space: Space) -> RatingSystem:
    return starts[trial.number] if trial.number < len(starts) else space.system.changed(**trial.parameters)


def _measuring(workers: Workers, metric: TrialMetric, until: int) -> Measure:
    def measure(
        systems: Sequence[RatingSystem],
    ) -> Iterator[tuple[int, float | None, float, str | None]]:
        jobs = [(system, metric, 0, until) for system in systems]
        for index, result in workers.results(measure_trial, jobs):
            yield index, *result

    return measure


# ---------------------------------------------------------------------- what came of it


def _tuning(
    history: History,
    space: Space,
    metric: TrialMetric,
    found: Sequence[_Found],
    judged: Sequence[tuple[Reached, Reached]],
) -> Tuning:
    last, folds, given = found[-1], [one.fold for one in found], called(space.system)
    return Tuning(
        system=last.system,
        parameters={
            d.name: getattr(last.system, d.name)
            for d in space.dimensions
            if d.beside is None or getattr(last.system, d.beside) is not None
        },
        defaults=space.system,
        metric=metric.name,
        higher_is_better=metric.higher_is_better,
        scope=metric.scope.name,
        space=space,
        fitted=replace(_fitted(history, metric, last), given=given),
        judged=replace(judged_outcome(history, metric, judged, folds), given=given) if judged else None,
        judged_others={
            name: replace(outcome, given=given)
            for name, outcome in (judged_others(history, metric, judged, folds) if judged else {}).items()
        },
        folds=_fold_frame(history, metric, found, judged),
        trials=_trial_frame(found, space),
    )


def _fitted(history: History, metric: TrialMetric, found: _Found) -> Outcome:
    usual, best = (np.nan if trial.value is None else trial.value for trial in (found.trials[0], found.best))
    events = metric.scored_events(history, metric.scope, 0, found.fold.cut)
    return Outcome(metric.name, events, usual, best, reason=found.trials[0].reason)


def _fold_frame(
    history: History,
    metric: TrialMetric,
    found: Sequence[_Found],
    judged: Sequence[tuple[Reached, Reached]],
) -> pl.DataFrame:
    import polars as pl

    rows: list[dict[str, Any]] = []
    for number, one in enumerate(found):
        fitted = _fitted(history, metric, one)
        later = judged_outcome(history, metric, [judged[number]], [one.fold]) if judged else None
        row: dict[str, Any] = {"fold": number + 1, "fitted_events": fitted.events}
        row["judged_events"] = 0 if later is None else later.events
        row |= {"fitted_defaults": fitted.defaults, "fitted_best": fitted.best}
        for name in ("defaults", "best", "low", "high"):
            row[f"judged_{name}"] = None if later is None else getattr(later, name)
        rows.append({**row, **{name: plain(value) for name, value in one.best.parameters.items()}})
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def _trial_frame(found: Sequence[_Found], space: Space) -> pl.DataFrame:
    import polars as pl

    trials = [(number, trial) for number, one in enumerate(found, start=1) for trial in one.trials]
    columns: dict[str, Any] = {
        "fold": pl.Series([number for number, _ in trials], dtype=pl.Int64),
        "trial": pl.Series([trial.number for _, trial in trials], dtype=pl.Int64),
        "value": pl.Series([trial.value for _, trial in trials], dtype=pl.Float64),
        "seconds": pl.Series([trial.seconds for _, trial in trials], dtype=pl.Float64),
        "reason": pl.Series([trial.reason for _, trial in trials], dtype=pl.String),
    }
    for dimension in space.dimensions:
        values = [plain(trial.parameters.get(dimension.name)) for _, trial in trials]
        columns[dimension.name] = pl.Series(values, strict=False)
    return pl.DataFrame(columns)


def _identity(history: History, space: Space, metric: TrialMetric, hunt: Search) -> dict[str, Any]:
    """Everything that must be the same for a saved study to be continued."""
    return {
        "history": of_history(history),
        "system": space.system.name,
        "metric": metric.name,
        "code_of_the_metric": metric.code,
        "direction": "higher is better" if metric.higher_is_better else "lower is better",
        "scope": repr(metric.scope),
        "space": space.describe(),
        # Before, the defaults came first, and a study cannot be continued from another first trial.
        **({} if space.system == space.defaults() else {"first_trial": "as given"}),
        "set_of_parameters": {name: str(value) for name, value in space.system.parameters().items()},
        "seed": hunt.seed,
        "batch": hunt.batch,
        "version": podium.__version__,
    }
