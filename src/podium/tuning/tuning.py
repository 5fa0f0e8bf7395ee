"""Parameters that predict best: searched on earlier events, judged on later ones.

>>> import podium
>>> from podium.simulation.populations import synthetic_contests
>>> history, _ = synthetic_contests(players=60, contests=30, participants=20, seed=1)
>>> tuning = tune(history, "elo", metric="rank-deviation", trials=6, jobs=1)
>>> tuning.trials["value"].min() == tuning.fitted.best
True
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import podium
from podium.cluster.spreading import Pool, Workers, check_sendable, spread
from podium.errors import InputError, ParameterError, PodiumError
from podium.evaluation.backtest import Plan, backtest_system, check_history, score
from podium.evaluation.backtest_results import ScopeResult, SystemResult
from podium.evaluation.intervals import Resampling, interval
from podium.evaluation.metrics import find_metric
from podium.evaluation.scopes import Bound, Scope
from podium.evaluation.score_losses import BINS
from podium.history import History
from podium.parameters import check_whole, plain
from podium.systems import RatingSystem, hinting_at_others, make_system
from podium.text import shorten
from podium.tuning.fingerprints import of_code, of_history
from podium.tuning.optuna_search import Search, StudyLog, Trial, best_of, import_optuna, open_storage
from podium.tuning.spaces import Ranges, Space, make_space
from podium.tuning.splits import Fold, RollingSplit, Split, as_split
from podium.tuning.tuning_result import Outcome, Tuning

if TYPE_CHECKING:
    import polars as pl

BATCH = 8
"""Trials that are proposed together: more keep more workers busy, fewer learn more from each other."""
TRIALS = 100

Metric = str | Callable[..., float]
"""The name of a metric, or a function of a history and a system; see `tune`."""
Report = Callable[[Trial], None]


def tune(
    history: History,
    system: str | RatingSystem = "elo-mmr",
    *,
    metric: Metric | None = None,
    trials: int = TRIALS,
    split: Split | RollingSplit | Bound = 0.5,
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
) -> Tuning:
    """Search the parameters with which a system predicts a history best.

    They are chosen on the events before the `split` and judged on those after it, rated from the beginning.
    What is searched is what the system declares and the history can tell; `search` overrides or adds
    (`{"mu": (1000, 1500), "newcomer_start": ["fixed", "adaptive"]}`), and what is `fixed` stays. The
    defaults, and the parameters of a system that is given, are tried first.

    `metric` is the log loss, or the rank deviation where events have more than two sides; or another name, as
    `evaluate` has them; or a function `(history, system)` that is better lower, unless
    `higher_is_better`. One that also takes `since`, the number of the first event to measure, is judged on
    later events after rating all; any other on the later events alone.

    Trials are made by as many processes as there are cores, by an `executor`, or by a Dask cluster at the
    address `dask`; the result does not depend on how many they are. With a `study`, a file, a search that was
    stopped goes on where it was, and ends as if it had not been. `progress` is called with each trial.
    """
    import_optuna()
    check_history(history, "tune")
    chosen = make_system(system) if isinstance(system, str) else system
    with hinting_at_others():
        chosen.check(history)
    measure = _Metric.of(usual_metric(history) if metric is None else metric, scope, higher_is_better)
    folds = as_split(split).cut(history)
    trials, batch, seed = (
        check_whole(name, number, least)
        for name, number, least in (("trials", trials, 1), ("batch", batch, 1), ("seed", seed, 0))
    )
    space = make_space(chosen, history[: folds[0].cut], search=search, fixed=fixed, seen=measure.seen)
    defaults = space.defaults()
    starts = list(dict.fromkeys([defaults, space.system]))
    hunt = Search(space, starts, trials, batch, seed, measure.higher_is_better)
    found: list[_Found] = []
    with ExitStack() as stack:
        storage = None if study is None else stack.enter_context(open_storage(study))
        workers = stack.enter_context(spread(history, jobs=jobs, executor=executor, dask=dask))
        if isinstance(workers, Pool):
            check_sendable(measure.function, f"the metric {measure.name}")
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
        judged = _judged(workers, measure, found, defaults)
    return _tuning(space, measure, defaults, found, judged)


def usual_metric(history: History) -> str:
    """What is tuned where nothing is said."""
    return "rank-deviation" if np.any(history.sides_per_event > 2) else "log-loss"


@dataclass(frozen=True)
class _Found:
    """What one fold found."""

    fold: Fold
    trials: Sequence[Trial]
    system: RatingSystem
    best: Trial


def _system_of(trial: Trial, starts: Sequence[RatingSystem], space: Space) -> RatingSystem:
    return starts[trial.number] if trial.number < len(starts) else space.system.changed(**trial.parameters)


# ---------------------------------------------------------------------- measuring


class _NoNumberError(ParameterError):
    """A function that is no metric; not a trial that failed."""


@dataclass(frozen=True)
class _Metric:
    """What is measured, as processes take it."""

    name: str
    function: Callable[..., float] | None
    takes_since: bool
    scope: Scope
    higher_is_better: bool
    seen: frozenset[str]

    @classmethod
    def of(cls, metric: Metric, scope: Scope | str, higher_is_better: bool | None) -> _Metric:
        where = Scope.of(scope)
        if where.max_sigma is not None:
            raise ParameterError(
                f"the scope {where.name!r} chooses by deviations, and each trial would choose its own rows",
                hint="everyone, experienced and top choose the same rows for all",
            )
        if isinstance(metric, str):
            if higher_is_better is not None:
                raise ParameterError(f"{metric} knows itself which way is better")
            known = find_metric(metric)
            seen = {"expected"} if known.needs_expected else {"display"}
            seen |= {"outcomes"} if known.needs_outcomes else set()
            return cls(metric, None, True, where, known.higher_is_better, frozenset(seen))
        if not callable(metric):
            raise ParameterError(f"a metric is a name or a function, not {metric!r}")
        if where != Scope.of("everyone"):
            raise ParameterError("a metric of your own chooses itself whom it scores", hint="without scope=")
        name = getattr(metric, "__qualname__", type(metric).__qualname__)
        takes_since = "since" in inspect.signature(metric).parameters
        return cls(name, metric, takes_since, where, bool(higher_is_better), frozenset())

    def value(self, history: History, system: RatingSystem, since: int, until: int) -> float:
        """The metric of the events from `since` to `until`."""
        if self.function is None:
            return score(history, system, self.name, scope=self.scope, since=since, until=until)
        if self.takes_since:
            found = self.function(history[:until], system, since=since)
        else:
            found = self.function(history[since:until], system)
        try:
            return float(found)
        except (TypeError, ValueError):
            raise _NoNumberError(
                f"the metric {self.name} is {shorten(repr(found))} with {system}", hint="return a number"
            ) from None


def _trial(
    history: History, system: RatingSystem, metric: _Metric, since: int, until: int
) -> tuple[float | None, float, str | None]:
    """What a worker does: the value, the seconds it took, why there is none."""
    start = time.perf_counter()
    try:
        value, reason = metric.value(history, system, since, until), None
        if not np.isfinite(value):
            reason = f"the metric is {value}"
    except _NoNumberError:
        raise
    except (PodiumError, ArithmeticError) as error:
        value, reason = np.nan, str(error)
    return None if reason else value, time.perf_counter() - start, reason


def _measuring(workers: Workers, metric: _Metric, until: int) -> Any:
    def measure(
        systems: Sequence[RatingSystem],
    ) -> Iterator[tuple[int, float | None, float, str | None]]:
        jobs = [(system, metric, 0, until) for system in systems]
        for index, result in workers.results(_trial, jobs):
            yield index, *result

    return measure


def _part(
    history: History, system: RatingSystem, metric: _Metric, since: int, until: int
) -> ScopeResult | float | str:
    """What a worker does to judge: sums of a metric, the value of one's own, why there is none."""
    if metric.function is not None:
        value, _, reason = _trial(history, system, metric, since, until)
        return reason or "" if value is None else value
    plan = Plan(
        metrics=(find_metric(metric.name),),
        scopes=(metric.scope,),
        start=since,
        stop=until,
        by="display",
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
    return found.scopes[0] if found.scopes else found.refused[metric.scope.name]


def _judged(
    workers: Workers, metric: _Metric, found: Sequence[_Found], defaults: RatingSystem
) -> list[tuple[Any, Any]]:
    """What the defaults and the best of each fold reached on the events after it."""
    later = [one for one in found if one.fold.cut < one.fold.until]
    jobs = [(system, metric, *one.fold) for one in later for system in (defaults, one.system)]
    reached = dict(workers.results(_part, jobs))
    return [(reached[2 * i], reached[2 * i + 1]) for i in range(len(later))]


def _outcome(metric: _Metric, reached: Sequence[tuple[Any, Any]], folds: Sequence[Fold]) -> Outcome:
    """The best beside the defaults on the events after each of some folds, all together."""
    events = [fold.until - fold.cut for fold in folds]
    before, after = zip(*reached, strict=True)
    if not all(isinstance(one, ScopeResult) for one in (*before, *after)):
        values = [[_value(one, metric) for one in side] for side in (before, after)]
        usual, best = (float(np.average(side, weights=events)) for side in values)
        reason = next((one for one in (*before, *after) if isinstance(one, str)), None)
        return Outcome(metric.name, sum(events), usual, best, reason=reason)
    measure, sides = find_metric(metric.name), (_joined(before), _joined(after))
    blocks = sum(Resampling(count).blocks for count in events)
    resampling = Resampling(blocks, most_blocks=max(blocks, 1))
    drawn = [side.resampled(measure, resampling) for side in sides]
    low, high = interval(drawn[1] - drawn[0])
    usual, best = (side.value(measure) for side in sides)
    if not (np.isfinite(low) and np.isfinite(high)):
        return Outcome(metric.name, sum(events), usual, best)
    return Outcome(metric.name, sum(events), usual, best, low, high)


def _value(reached: ScopeResult | float | str, metric: _Metric) -> float:
    if isinstance(reached, ScopeResult):
        return reached.value(find_metric(metric.name))
    return np.nan if isinstance(reached, str) else reached


def _joined(parts: Sequence[ScopeResult]) -> ScopeResult:
    """The blocks of all parts as those of one."""
    bins = [part.bins for part in parts if part.bins is not None]
    sums = {name: np.concatenate([part.sums[name] for part in parts]) for name in parts[0].sums}
    return replace(parts[0], sums=sums, bins=np.concatenate(bins) if bins else None)


# ---------------------------------------------------------------------- what came of it


def _tuning(
    space: Space,
    metric: _Metric,
    defaults: RatingSystem,
    found: Sequence[_Found],
    judged: Sequence[tuple[Any, Any]],
) -> Tuning:
    last = found[-1]
    return Tuning(
        system=last.system,
        parameters={
            d.name: getattr(last.system, d.name)
            for d in space.dimensions
            if d.beside is None or getattr(last.system, d.beside) is not None
        },
        defaults=defaults,
        metric=metric.name,
        higher_is_better=metric.higher_is_better,
        scope=metric.scope.name,
        space=space,
        fitted=_fitted(metric, last),
        judged=_outcome(metric, judged, [one.fold for one in found]) if judged else None,
        folds=_fold_frame(metric, found, judged),
        trials=_trial_frame(found, space),
    )


def _fitted(metric: _Metric, found: _Found) -> Outcome:
    usual, best = (np.nan if trial.value is None else trial.value for trial in (found.trials[0], found.best))
    return Outcome(metric.name, found.fold.cut, usual, best, reason=found.trials[0].reason)


def _fold_frame(metric: _Metric, found: Sequence[_Found], judged: Sequence[tuple[Any, Any]]) -> pl.DataFrame:
    import polars as pl

    rows: list[dict[str, Any]] = []
    for number, one in enumerate(found):
        fitted = _fitted(metric, one)
        later = _outcome(metric, [judged[number]], [one.fold]) if judged else None
        row: dict[str, Any] = {"fold": number + 1, "fitted_events": one.fold.cut}
        row["judged_events"] = one.fold.until - one.fold.cut
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


def _identity(history: History, space: Space, metric: _Metric, hunt: Search) -> dict[str, Any]:
    """What has to be the same for a study to go on."""
    return {
        "history": of_history(history),
        "system": space.system.name,
        "metric": metric.name,
        "code_of_the_metric": None if metric.function is None else of_code(metric.function),
        "direction": "higher is better" if metric.higher_is_better else "lower is better",
        "scope": repr(metric.scope),
        "space": space.describe(),
        "set_of_parameters": {name: str(value) for name, value in space.system.parameters().items()},
        "seed": hunt.seed,
        "batch": hunt.batch,
        "version": podium.__version__,
    }
