"""Backtests: each event of a history is predicted before it is rated, and predictions are compared.

>>> import podium
>>> from podium.simulation.populations import synthetic_contests
>>> history, _ = synthetic_contests(players=200, contests=20, participants=50, seed=1)
>>> report = podium.evaluate(history, ["elo", "elo-mmr"], scopes=["everyone"])
>>> report.summary["system"].to_list()
['elo', 'elo-mmr']
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple, Unpack

import numpy as np

from podium.arrays import Floats
from podium.cluster.executors import Workers
from podium.cluster.processes import Pool
from podium.cluster.spreading import spread
from podium.errors import InputError, ParameterError, UnsupportedError
from podium.evaluation.asked_events import SameTime, check_same_time
from podium.evaluation.backtest_results import Backtest, GroupSums, ScopeResult, SystemResult
from podium.evaluation.block_bootstrap import BLOCKS, RESAMPLES, Resampling, count_events, sum_by_group
from podium.evaluation.event_predictions import (
    MEAN_PAST_RESULT,
    OrderBy,
    Predictions,
    predict_by_means,
    predict_events,
)
from podium.evaluation.metrics import Metric, Scored, find_metric, find_metrics
from podium.evaluation.metrics.calibration_bins import BINS, Spacing, bin_edges
from podium.evaluation.metrics.calibration_error import BinSums
from podium.evaluation.metrics.log_loss import clipped
from podium.evaluation.metrics.metric_sums import MetricSums
from podium.evaluation.metrics.scored_sides import Measured
from podium.evaluation.order_accuracy import Ties, check_ties
from podium.evaluation.scopes import (
    Bound,
    Grouping,
    Scope,
    by_experience,
    by_period,
    by_rating,
    measured_part,
)
from podium.evaluation.standings import WINNER_FIRST, home_always_won, standings_of
from podium.evaluation.verdicts import is_two_sided
from podium.history import History, HistoryLike, history_meant
from podium.history.ragged import Progress
from podium.history.times import to_duration
from podium.notebooks import expect_work, with_bar
from podium.presets import Preset, labelled, preset_for
from podium.systems import RatingSystem, System, list_systems, make_system, system_meant
from podium.tables.columns.shapes import ReadKeywords
from podium.tables.given_frames import like_given

Systems = System | Mapping[str, System] | Sequence[System]

SCOPES = ("everyone", "experienced")
NO_GROUPS = GroupSums((), np.zeros(0), np.zeros(0), {})
"""What groups have that were not asked for."""


@with_bar("evaluating")
def evaluate(
    history: HistoryLike,
    systems: Systems | None = None,
    *,
    metrics: Metric | str | Collection[Metric | str] | None = None,
    scopes: Scope | str | Iterable[Scope | str] = SCOPES,
    since: Bound = 0,
    until: Bound | None = None,
    order_by: OrderBy = "display",
    same_time: SameTime = "in-order",
    ties: Ties = "fair",
    bins: int = BINS,
    spacing: Spacing = "width",
    every: str = "year",
    resamples: int = RESAMPLES,
    blocks: int = BLOCKS,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadKeywords],
) -> Backtest:
    """Predict every event before rating it, with several systems side by side.

    The mean of past results is measured too. A system should beat it. A system that cannot use the history is
    left out, and `Backtest.refused` gives the reason. If systems share a machine, `seconds` are less
    meaningful.

    Args:
        history: A history, or anything that `read_history` reads.
        systems: Names or systems, alone or as a mapping from labels to them. Default: all of podium's
            systems, and the preset for such a history.
        metrics: Names or `Metric` objects. Default: all of podium's metrics.
        scopes: The players whose predictions are scored: "everyone", "experienced:10", "top:100".
        since: The first event to measure: a number, a share of the events, or a time. Earlier ones are only
            rated.
        until: The event at which measuring ends.
        order_by: The rating that puts the sides in order: "display" or "mu".
        same_time: Whether events of one time are predicted one after another ("in-order"), or all from the
            state before the first of them ("together").
        ties: How pairs with equal results or ratings count: "fair", or as the authors of Elo-MMR count them
            ("authors").
        bins: Number of bins of the calibration table.
        spacing: Bins of equal "width", or with equally many predictions ("count").
        every: The length of the periods of `Backtest.periods`, such as "year".
        resamples: Number of resamples for intervals.
        blocks: The most blocks of consecutive events that are resampled.
        seed: Seed of the resampling.
        jobs: Number of processes. Default: systems run one after another in this process.
        executor: An executor in place of processes.
        dask: The address of a Dask cluster in place of processes.
        progress: Called with the number of rows rated since the last call.
        options: How a table is read, as in `read_history`.

    Returns:
        The metrics of all systems, their differences with intervals, and the predictions.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"] * 20, ["bob", "cat", "cat"] * 20)
    >>> report = podium.evaluate(matches, ["elo", "glicko2"], metrics="log-loss", scopes="everyone")
    >>> report.verdict().partition(",")[0]
    'everyone: glicko2 is best by log-loss'
    """
    given, history = history, history_meant(history, "evaluate", **options)
    start, stop = measured_part(history, since, until)
    if start >= stop and len(history):
        hint = f"the history has {history.summary()}"
        raise InputError("no event lies between since and until, so nothing can be measured", hint=hint)
    plan = Plan(
        metrics=tuple(find_metrics(metrics)),
        scopes=tuple(Scope.of(scope) for scope in ([scopes] if isinstance(scopes, (str, Scope)) else scopes)),
        start=start,
        stop=stop,
        order_by=order_by,
        same_time=same_time,
        ties=ties,
        bins=bins,
        spacing=spacing,
        every=every,
        resampling=Resampling(stop - start, resamples, seed, blocks),
    )
    named = with_uncalibrated(usual_systems(history)) if systems is None else named_systems(systems)
    expect_work(int(history.offsets[stop]) * len(named))
    if jobs is None and executor is None and dask is None:
        found = {n: backtest_system(history, n, system, plan, progress) for n, system in named.items()}
    else:
        with spread(history, jobs=jobs, executor=executor, dask=dask) as workers:
            if isinstance(workers, Pool):
                for metric in plan.metrics:
                    metric.check_sendable()
            found = dict(_results(workers, named, plan, int(history.offsets[stop]), progress))
    results = [found[name] for name in named]  # which may have come back in another order
    refused = {result.name: result.error for result in results if isinstance(result, _Refused)}
    report = Backtest(
        results=tuple(result for result in results if isinstance(result, SystemResult)),
        metrics=plan.metrics,
        scopes=plan.scopes,
        resampling=plan.resampling,
        first_event=plan.start,
        refusals={name: error.reason for name, error in refused.items()},
        notes=(WINNER_FIRST,) if home_always_won(standings_of(history)) else (),
        systems=named,
        two_sided=is_two_sided(history),
        baseline=_baseline(history, plan) if len(refused) < len(named) else None,
        preset=_preset_among(named, preset_for(history)),
        history=history,
        same_time=same_time,
    )
    if not report.results:
        raise next(iter(refused.values()))
    if not any(scope.events for result in report.results for scope in result.scopes):
        raise InputError(
            f"nothing was measured: from event {plan.start} to {plan.stop} no players met within "
            + " or ".join(repr(scope.name) for scope in plan.scopes),
            hint="; ".join(report.refused.values())
            or f"the history has {len(history):,} events: measure more of them, or use a wider scope",
        )
    return like_given(report, given)


@dataclass(frozen=True)
class Plan:
    """What to measure, and how; the same for every system."""

    metrics: tuple[Metric, ...]
    scopes: tuple[Scope, ...]
    start: int
    stop: int
    order_by: OrderBy
    ties: Ties
    bins: int
    spacing: Spacing
    every: str
    resampling: Resampling
    same_time: SameTime = "in-order"

    def __post_init__(self) -> None:
        check_ties(self.ties)
        check_same_time(self.same_time)
        names = [scope.name for scope in self.scopes]
        if not names:
            raise ParameterError("name at least one scope", hint="everyone, say")
        if len(set(names)) < len(names):
            raise ParameterError(f"two scopes have one name: {', '.join(names)}")
        if self.every != "year":
            to_duration(self.every)
        bin_edges(np.empty(0), self.bins, self.spacing)


@dataclass(frozen=True)
class _Refused:
    """A system that cannot use the history."""

    name: str
    error: UnsupportedError


def named_systems(systems: Systems) -> dict[str, RatingSystem]:
    """Systems by name; those of a list by labels that say what differs."""
    if isinstance(systems, Mapping):
        named = {name: system_meant(system) for name, system in systems.items()}
    else:
        given = [systems] if isinstance(systems, (str, RatingSystem)) else systems
        named = labelled([system_meant(one) for one in given])
    if not named:
        raise ParameterError("there is no system to evaluate", hint='for example ["elo-mmr", "glicko2"]')
    return named


def usual_systems(history: History) -> dict[str, RatingSystem]:
    """All of podium's systems by name, after the preset for histories of this shape."""
    preset = preset_for(history).name
    return {name: make_system(name) for name in (preset, *list_systems())}


def with_uncalibrated(named: Mapping[str, RatingSystem]) -> dict[str, RatingSystem]:
    """The same systems; after each that is calibrated comes the same one without, to show what that does."""
    both: dict[str, RatingSystem] = {}
    for name, system in named.items():
        both[name] = system
        if system.calibration == "learned":
            both[uncalibrated_name(name)] = system.changed(calibration="off")
    return both


def uncalibrated_name(name: str) -> str:
    """What the same system without calibration is called."""
    return f"{name} {'and' if ' with ' in name else 'with'} calibration=off"


def _preset_among(named: Mapping[str, RatingSystem], preset: Preset) -> str | None:
    """What a system is called that is the preset; None if there is none."""
    return next((name for name, system in named.items() if system.preset == preset.name), None)


def _results(
    workers: Workers, named: Mapping[str, RatingSystem], plan: Plan, rows: int, progress: Progress | None
) -> Iterator[tuple[str, SystemResult | _Refused]]:
    """Yield the result of each system as soon as it is known."""
    jobs = [(name, system, plan) for name, system in named.items()]
    for index, result in workers.results(backtest_system, jobs):
        yield jobs[index][0], result
        if progress is not None:
            progress(rows)


def backtest_system(
    history: History, name: str, system: RatingSystem, plan: Plan, progress: Progress | None = None
) -> SystemResult | _Refused:
    """Evaluate one system; a history that it cannot use gives a result, not an exception."""
    try:
        predictions = predict_events(
            history,
            system,
            plan.start,
            plan.stop,
            order_by=plan.order_by,
            same_time=plan.same_time,
            expected=any(metric.needs_expected for metric in plan.metrics),
            outcomes=any(metric.needs_outcomes for metric in plan.metrics),
            progress=progress,
        )
    except UnsupportedError as error:
        return _Refused(name, error)
    groupings = Groupings(
        periods=by_period(history.time[plan.start : plan.stop], plan.every),
        experience=by_experience(predictions.standings.experience),
        bands=by_rating(predictions.rating),
    )
    return _system_result(name, system, predictions, plan, groupings)


def _baseline(history: History, plan: Plan) -> SystemResult | None:
    """What the mean of past results reaches, by podium's own metrics; None if none of those is asked for."""
    own = tuple(metric for metric in plan.metrics if Metric.is_built_in(metric.name))
    if not own:
        return None
    predictions = predict_by_means(history, plan.start, plan.stop)
    return _system_result(MEAN_PAST_RESULT, None, predictions, replace(plan, metrics=own), None)


def _system_result(
    name: str,
    system: RatingSystem | None,
    predictions: Predictions,
    plan: Plan,
    groupings: Groupings | None,
) -> SystemResult:
    """Measure predictions within each scope; `system` is None where they are of no system."""
    measured = Measured(predictions, plan.ties, plan.bins, plan.spacing)
    scopes, refused = [], {}
    for scope in plan.scopes:
        try:
            scored = measured.within(scope, system)
        except UnsupportedError as error:
            refused[scope.name] = error.reason
            continue
        scopes.append(_scope_result(scored, plan, groupings))
    return SystemResult(name, tuple(scopes), predictions.seconds, refused)


class Groupings(NamedTuple):
    """Three ways to group events or sides: by period, experience and rating."""

    periods: Grouping
    experience: Grouping
    bands: Grouping


def _scope_result(scored: Scored, plan: Plan, groupings: Groupings | None) -> ScopeResult:
    """The counts and sums of every metric within one scope."""
    expected = scored.predictions.expected
    sums = {metric.name: metric.sums(scored) for metric in plan.metrics}
    undecided = 0
    if any("ratings" in metric.needs for metric in plan.metrics):
        undecided = int(np.count_nonzero((scored.count > 0.0) & (scored.ordered.decided == 0.0)))
    binned = [found.edges for found in sums.values() if isinstance(found, BinSums)]
    return ScopeResult(
        scope=scored.scope,
        events=int(np.count_nonzero(scored.count)),
        rows=int(scored.count.sum()),
        left_out=int(np.count_nonzero(~scored.sides)),
        chosen=blake2b(np.packbits(scored.sides).tobytes(), digest_size=16).digest(),
        undecided=undecided,
        clipped=int(np.count_nonzero(clipped(expected) & scored.sides)) if len(expected) else 0,
        sums={name: found.by_block(plan.resampling) for name, found in sums.items()},
        edges=binned[0] if binned else np.empty(0),
        periods=NO_GROUPS if groupings is None else _by_event(groupings.periods, sums, scored),
        experience=NO_GROUPS if groupings is None else _by_side(groupings.experience, sums, scored),
        bands=NO_GROUPS if groupings is None else _by_side(groupings.bands, sums, scored),
        home=_home_sums(scored, plan.resampling),
    )


def _home_sums(scored: Scored, resampling: Resampling) -> Floats:
    """Of each block: matches with a home side, and the expected and the actual scores of it, summed."""
    standings, expected = scored.standings, scored.predictions.expected
    if not len(expected) or not standings.home.any():
        return np.zeros((resampling.blocks, 3))
    hosted = (standings.home != 0.0) & (scored.count > 0.0)
    side = standings.offsets[:-1] + (standings.home < 0.0)
    columns = np.ones(len(hosted)), expected[side], standings.score[side]
    return np.stack([resampling.block_sums(np.where(hosted, one, 0.0)) for one in columns], axis=-1)


def _by_event(grouping: Grouping, sums: Mapping[str, MetricSums], scored: Scored) -> GroupSums:
    """The sums of each metric over groups of events."""
    groups = len(grouping.names)
    if not groups:
        return NO_GROUPS
    everything = np.ones(len(grouping.group), np.bool_)
    added = {name: found.by_event_group(grouping.group, groups) for name, found in sums.items()}
    rows = sum_by_group(grouping.group, everything, scored.count, groups)
    events = sum_by_group(grouping.group, scored.count > 0.0, np.ones(len(everything)), groups)
    return GroupSums(grouping.names, events, rows, added)


def _by_side(grouping: Grouping, sums: Mapping[str, MetricSums], scored: Scored) -> GroupSums:
    """Sums over groups of sides, of metrics that are means over sides."""
    groups, ones = len(grouping.names), np.ones(len(scored.sides))
    found = {name: one.by_side_group(grouping.group, groups) for name, one in sums.items()}
    added = {name: sums for name, sums in found.items() if sums is not None}
    events = count_events(scored.standings.offsets, grouping.group, scored.sides, groups)
    rows = sum_by_group(grouping.group, scored.sides, ones, groups)
    return GroupSums(grouping.names, events, rows, added)


def score(
    history: HistoryLike,
    system: System,
    metric: Metric | str,
    *,
    scope: Scope | str = "everyone",
    since: Bound = 0,
    until: Bound | None = None,
    order_by: OrderBy = "display",
    ties: Ties = "fair",
) -> float:
    """One metric of one system: only what it needs is computed, and nothing after `until` is rated.

    >>> from podium import Elo
    >>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> round(score(history, Elo(), "log-loss", since=1), 3)
    0.605
    """
    wanted, chosen = find_metric(metric), Scope.of(scope)
    check_ties(ties)
    made, history = system_meant(system), history_meant(history, "score")
    start, stop = measured_part(history, since, until)
    predictions = predict_events(
        history,
        made,
        start,
        stop,
        order_by=order_by,
        expected=wanted.needs_expected,
        outcomes=wanted.needs_outcomes,
    )
    scored = Measured(predictions, ties).within(chosen, made)
    value = float(wanted.value(wanted.sums(scored).total()))
    if value != value:
        where = f"no event from {start} to {stop} has a {wanted.name} within {chosen.name!r}"
        why = " if draws have probability 0" if wanted.needs_outcomes and not predictions.draws else ""
        raise InputError(f"nothing was measured: {where}{why}")
    return value
