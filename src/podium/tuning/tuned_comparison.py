"""Systems compared as they come and tuned: tuned on earlier events, all measured on later ones.

>>> import podium
>>> from podium.simulation.populations import synthetic_contests
>>> history, _ = synthetic_contests(players=60, contests=30, participants=20, seed=1)
>>> report = evaluate_tuned(history, "glicko", trials=4)
>>> report.tuned
{'tuned glicko': 'glicko'}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, NamedTuple

from podium.errors import UnsupportedError
from podium.evaluation.backtest import SCOPES, Systems, evaluate, named_systems, usual_systems
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import Metric, find_metric
from podium.evaluation.scopes import Bound, Scope
from podium.evaluation.verdicts import is_two_sided, leading_metric
from podium.history import History, HistoryLike, history_meant
from podium.systems import RatingSystem
from podium.tables.given_frames import like_given
from podium.tuning.spaces import NothingToSearchError
from podium.tuning.splits import Split
from podium.tuning.study_log import import_optuna
from podium.tuning.tuning import Report, tune

TRIALS_OF_EACH = 30
"""Trials of each system: of a dozen systems together, as many as thorough tuning of a few."""
TUNED_PART = 0.5
"""The part of the events that systems are tuned on."""


def evaluate_tuned(
    history: HistoryLike,
    systems: Systems | None = None,
    *,
    trials: int = TRIALS_OF_EACH,
    since: Bound = TUNED_PART,
    metric: Metric | str | None = None,
    scopes: Scope | str | Iterable[Scope | str] = SCOPES,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    progress: Report | None = None,
    **options: Any,
) -> Backtest:
    """Tune each system on the events before `since`. Compare all, as given and tuned, on the later ones.

    Default parameters alone mislead: which system is best often changes when all are tuned.

    Args:
        history: A history, or anything that `read_history` reads.
        systems: As in `evaluate`.
        trials: Number of parameter settings to try for each system.
        since: Where judging begins, as in `tune`.
        metric: The metric that tuning improves. Default: the leading one for such a history.
        scopes: The players whose predictions are scored. Tuning improves the first of them.
        seed: Seed of the searches and the resampling.
        jobs: Number of processes. Default: one for each core.
        executor: An executor in place of processes.
        dask: The address of a Dask cluster in place of processes.
        progress: Called with each trial.
        options: Other options of `evaluate`.

    Returns:
        The backtest, in which the tuned systems have the names "tuned elo" and so on.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"] * 20, ["bob", "cat", "cat"] * 20)
    >>> report = podium.evaluate_tuned(matches, ["elo"], trials=3, jobs=1)
    >>> list(report.systems)
    ['elo', 'tuned elo']
    """
    import_optuna()  # before anything is read, if it is missing
    given, history = history, history_meant(history, "evaluate_tuned")
    named = usual_systems(history) if systems is None else named_systems(systems)
    listed = [scopes] if isinstance(scopes, (str, Scope)) else list(scopes)
    wanted = leading_metric(is_two_sided(history)) if metric is None else find_metric(metric)
    spreading: dict[str, Any] = {"jobs": jobs, "executor": executor, "dask": dask}
    each = tune_each(
        history,
        named,
        wanted,
        trials=trials,
        since=since,
        scope=listed[0],
        seed=seed,
        progress=progress,
        **spreading,
    )
    cut = first_later_event(history, since)
    report = evaluate(history, each.systems, scopes=listed, since=cut, seed=seed, **spreading, **options)
    return like_given(replace(report, tuned=each.tuned, searched=each.searched), given)


class TunedSystems(NamedTuple):
    """Systems as they were given, and tuned beside them."""

    systems: dict[str, RatingSystem]
    tuned: dict[str, str]
    """The names of those that are tuned, with the names of what they were before."""
    searched: tuple[str, ...]
    """The names of those whose parameters were searched."""


def tune_each(
    history: History,
    named: Mapping[str, RatingSystem],
    metric: Metric,
    *,
    trials: int,
    since: Bound,
    scope: Scope | str,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    progress: Report | None = None,
) -> TunedSystems:
    """Tune each system that can use the history on the events before `since`.

    A system is left as it is if it has nothing to search, or if nothing better was found.
    """
    earlier = history[: first_later_event(history, since)]
    alone = jobs is None and executor is None and dask is None
    systems, tuned, searched = dict(named), {}, []
    for name, system in named.items():
        try:
            system.check(history)
            found = tune(
                earlier,
                system,
                metric=metric,
                trials=trials,
                since=1.0,
                scope=scope,
                seed=seed,
                jobs=1 if alone else jobs,
                executor=executor,
                dask=dask,
                progress=progress,
            )
        except (UnsupportedError, NothingToSearchError):
            continue
        searched.append(name)
        if found.system != system:
            systems[f"tuned {name}"] = found.system
            tuned[f"tuned {name}"] = name
    return TunedSystems(systems, tuned, tuple(searched))


def first_later_event(history: History, since: Bound) -> int:
    """The number of the first event that no parameter is tuned on."""
    return Split(since).cut(history)[0].cut
