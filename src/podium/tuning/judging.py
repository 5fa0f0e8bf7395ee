"""What parameters are worth: the best beside the defaults, on events after those they were chosen on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from podium.cluster.executors import Workers
from podium.errors import PodiumError
from podium.evaluation.backtest import Plan, backtest_system
from podium.evaluation.backtest_results import ScopeResult, SystemResult
from podium.evaluation.block_bootstrap import Resampling, interval
from podium.evaluation.metrics.calibration_bins import BINS
from podium.history import History
from podium.systems import RatingSystem
from podium.tuning.splits import Fold
from podium.tuning.trial_metric import TrialMetric, measure_trial
from podium.tuning.tuning_result import Outcome

Reached = ScopeResult | float | str
"""Sums of a metric, the value of a function, or why there is none."""


def judge(
    workers: Workers, metric: TrialMetric, found: Sequence[tuple[Fold, RatingSystem]], defaults: RatingSystem
) -> list[tuple[Reached, Reached]]:
    """The values that the defaults and the best parameters of each fold reach on the events after it."""
    later = [(fold, best) for fold, best in found if fold.cut < fold.until]
    jobs = [(system, metric, *fold) for fold, best in later for system in (defaults, best)]
    reached = dict(workers.results(_reached, jobs))
    return [(reached[2 * i], reached[2 * i + 1]) for i in range(len(later))]


def _reached(history: History, system: RatingSystem, metric: TrialMetric, since: int, until: int) -> Reached:
    """What a worker does to judge."""
    if metric.metric is None:
        value, _, reason = measure_trial(history, system, metric, since, until)
        return reason or "" if value is None else value
    plan = Plan(
        metrics=(metric.metric,),
        scopes=(metric.scope,),
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
    return found.scopes[0] if found.scopes else found.refused[metric.scope.name]


def judged_outcome(
    metric: TrialMetric, reached: Sequence[tuple[Reached, Reached]], folds: Sequence[Fold]
) -> Outcome:
    """The best parameters compared with the defaults on the events after several folds, all together."""
    events = [fold.until - fold.cut for fold in folds]
    before, after = ([pair[side] for pair in reached] for side in (0, 1))
    sides = [_joined(part) for part in (before, after)]
    if metric.metric is None or sides[0] is None or sides[1] is None:
        values = [[_value(one, metric) for one in part] for part in (before, after)]
        usual, best = (float(np.average(part, weights=events)) for part in values)
        reason = next((one for one in (*before, *after) if isinstance(one, str)), None)
        return Outcome(metric.name, sum(events), usual, best, reason=reason)
    blocks = sum(Resampling(count).blocks for count in events)
    resampling = Resampling(blocks, most_blocks=max(blocks, 1))
    usual, best = (side.value(metric.metric) for side in (sides[0], sides[1]))
    drawn = [side.resampled(metric.metric, resampling) for side in (sides[0], sides[1])]
    low, high = interval(drawn[1] - drawn[0])
    if not (np.isfinite(low) and np.isfinite(high)):
        return Outcome(metric.name, sum(events), usual, best)
    return Outcome(metric.name, sum(events), usual, best, low, high)


def _value(reached: Reached, metric: TrialMetric) -> float:
    if isinstance(reached, ScopeResult):
        assert metric.metric is not None
        return reached.value(metric.metric)
    return np.nan if isinstance(reached, str) else reached


def _joined(parts: Sequence[Reached]) -> ScopeResult | None:
    """The blocks of all parts as those of one; None where one has none."""
    whole = [part for part in parts if isinstance(part, ScopeResult)]
    if len(whole) < len(parts):
        return None
    sums = {name: np.concatenate([part.sums[name] for part in whole]) for name in whole[0].sums}
    return replace(whole[0], sums=sums)
