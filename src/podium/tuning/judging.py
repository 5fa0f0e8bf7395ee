"""What parameters are worth: the best beside the system as given, on events after the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from podium.cluster.executors import Workers
from podium.errors import PodiumError
from podium.evaluation.backtest import Plan, backtest_system
from podium.evaluation.block_bootstrap import Resampling
from podium.evaluation.metrics.calibration_bins import BINS
from podium.evaluation.scopes import Scope
from podium.evaluation.system_results import ScopeResult, SystemResult
from podium.history import History
from podium.systems import RatingSystem
from podium.tuning.splits import Fold
from podium.tuning.trial_metric import TrialMetric, measure_trial
from podium.tuning.tuning_result import Outcome

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
