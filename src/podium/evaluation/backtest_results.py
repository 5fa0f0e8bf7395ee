"""What a backtest found: tables with their intervals, and comparisons that do not crown noise.

What a backtest found about one system: sums of the metrics, by block of events and by group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.evaluation.asked_events import SameTime
from podium.evaluation.block_bootstrap import Resampling, share_interval
from podium.evaluation.conclusions import Conclusions, find_conclusions
from podium.evaluation.metrics import Metric, find_metric
from podium.evaluation.metrics.calibration_error import CALIBRATION_ERROR
from podium.evaluation.metrics.metric_sums import ratio
from podium.evaluation.scopes import Scope
from podium.evaluation.verdicts import Comparison, find_verdict, leading_metric
from podium.history import History
from podium.notebooks import frame_html, spans
from podium.systems import RatingSystem
from podium.tables.given_frames import given_kind, given_kind_property, with_polars
from podium.text import brief_repr, counted, did_you_mean

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class GroupSums:
    """For each group of events or sides: its name, counts and sums of the metrics."""

    __repr__ = brief_repr

    names: tuple[str, ...]
    events: Floats
    """Number of events with a scored side in the group."""
    rows: Floats
    """Number of scored sides."""
    sums: Mapping[str, Floats]
    """The sums of each group, by metric."""

    def values(self, metric: Metric) -> Floats | None:
        """The metric of each group; None if the metric is not defined for groups."""
        return metric.value(self.sums[metric.name]) if metric.name in self.sums else None


@dataclass(frozen=True, repr=False)
class ScopeResult:
    """The results of one system within one scope."""

    __repr__ = brief_repr

    scope: Scope
    events: int
    rows: int
    """Number of scored sides, counted once in every event."""
    left_out: int
    """Number of sides in the measured events that are not scored."""
    chosen: bytes
    """A hash of which sides are scored, to see whether two systems share them."""
    undecided: int
    """Number of events in which all scored sides tied, which say nothing about an order."""
    clipped: int
    """Number of expected scores too close to 0 or 1 for the logarithm."""
    sums: Mapping[str, Floats]
    """The sums of each block of events, by metric."""
    edges: Floats
    """The edges of the bins of the calibration error; empty if it was not measured."""
    periods: GroupSums
    experience: GroupSums
    bands: GroupSums
    home: Floats
    """Of each block of events: matches with a home side, and its expected and actual scores, summed."""

    def value(self, metric: Metric) -> float:
        """The value of a metric; NaN if nothing was measured."""
        if metric.name not in self.sums:
            return math.nan
        return float(metric.value(self.sums[metric.name].sum(axis=0)))

    @property
    def bins(self) -> Floats | None:
        """Number of sides, Σp and Σs in each bin of p for each block; None without calibration."""
        return self.sums.get(CALIBRATION_ERROR.name)

    def resampled(self, metric: Metric, resampling: Resampling) -> Floats:
        """The value of a metric in each resample."""
        return metric.resampled(resampling.resampled(self.sums[metric.name]), self.value(metric))


@dataclass(frozen=True, repr=False)
class SystemResult:
    """The results of one system within each scope."""

    __repr__ = brief_repr

    name: str
    scopes: tuple[ScopeResult, ...]
    seconds: float
    """Seconds that rating took."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Scopes that the system cannot be scored in, with the reason."""


@dataclass(frozen=True, repr=False)
class Backtest:
    """Several systems evaluated on one history.

    In every table `rows` is the number of scored sides, and `scope` names the sides that are scored.

    Attributes:
        results: What each system predicted, with its metrics.
        metrics: The metrics that were measured.
        scopes: The sets of rows that metrics were measured on.
        resampling: How events were resampled for intervals.
        first_event: The number of the first measured event, counted from 0.
        refusals: Systems that cannot use the history, with the reason.
        notes: Warnings about the history.
        systems: The systems by name, those that were refused too.
        two_sided: Whether every event of the history has two sides.
        baseline: The mean of past results as a prediction, for comparison.
        preset: The system among them that podium uses for such a history if none is named.
        tuned: The tuned systems by name, each with the name of the original system. None if none was tuned.
        searched: The systems whose parameters were searched, whether better ones were found or not.
        history: The history that was predicted.
        same_time: How events of one time were predicted, see `podium.predict`.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"] * 20, ["bob", "cat", "cat"] * 20)
    >>> report = podium.evaluate(matches, ["elo", "glicko2"])
    >>> report.leading.name, report.summary["system"].unique(maintain_order=True).to_list()
    ('log-loss', ['elo', 'glicko2'])
    """

    results: tuple[SystemResult, ...]
    metrics: tuple[Metric, ...]
    scopes: tuple[Scope, ...]
    resampling: Resampling
    first_event: int
    refusals: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    systems: Mapping[str, RatingSystem] = field(default_factory=dict)
    two_sided: bool = True
    baseline: SystemResult | None = None
    preset: str | None = None
    tuned: Mapping[str, str] | None = None
    searched: tuple[str, ...] = ()
    history: History | None = None
    same_time: SameTime = "in-order"

    @property
    def leading(self) -> Metric:
        """The metric used if none is named: that of such histories if it was measured, else the first one."""
        usual = leading_metric(self.two_sided)
        return usual if usual in self.metrics else self.metrics[0]

    @cached_property
    def conclusions(self) -> Conclusions:
        """What to make of it, by the leading metric: which system to use, how sure that is, and warnings."""
        return find_conclusions(self, self.leading)

    @property
    def refused(self) -> dict[str, str]:
        """The systems left out, and why: systems, or a system in one scope as "elo, sigma:70"."""
        scopes = {
            f"{result.name}, {scope}": why for result in self.results for scope, why in result.refused.items()
        }
        return {**self.refusals, **scopes}

    @given_kind_property
    def summary(self) -> pl.DataFrame:
        """One row for each system and scope: counts, each metric with its interval, seconds of rating.

        `left_out` is the number of sides of the measured events that are not scored, `undecided` that of
        events in which all tied, `clipped` that of expected scores too close to 0 or 1.
        """
        return _frame([self._summary_row(*pair) for pair in self._pairs()])

    @given_kind_property
    def baseline_summary(self) -> pl.DataFrame:
        """The same columns for the mean of past results; empty if it was not measured."""
        own = () if self.baseline is None else self.baseline.scopes
        return _frame([self._summary_row(self.baseline, scope) for scope in own if self.baseline is not None])

    def _summary_row(self, result: SystemResult, scope: ScopeResult) -> dict[str, Any]:
        row: dict[str, Any] = {
            "system": result.name,
            "scope": scope.scope.name,
            "events": scope.events,
            "rows": scope.rows,
            "left_out": scope.left_out,
        }
        for metric in self.metrics:
            low, high = self.interval_of(result.name, scope, metric)
            row |= {
                metric.column: scope.value(metric),
                f"{metric.column}_low": low,
                f"{metric.column}_high": high,
            }
        return row | {"undecided": scope.undecided, "clipped": scope.clipped, "seconds": result.seconds}

    @given_kind
    def predictions(self, system: str | None = None) -> pl.DataFrame:
        """The predictions of a system for each measured event, with the result.

        The metrics are computed from these numbers.

        The columns are those of `podium.predict`. The history is rated again, as a backtest keeps only sums.
        A backtest of one system needs no name.

        >>> import podium
        >>> history = podium.History.from_matches(["ann"] * 3, ["bob"] * 3)
        >>> report = podium.evaluate(history, "elo", since=1)
        >>> report.predictions()["expected"].round(2).to_list()
        [0.55, 0.59]
        """
        from podium.evaluation.row_predictions import predicted_history

        assert self.history is not None
        names = [result.name for result in self.results]
        if system is None and len(names) > 1:
            raise ParameterError("which system is meant?", hint=f"one of {', '.join(names)}")
        if system is not None and system not in names:
            self.result(system, self.scopes[0].name)  # which says why there is none
        stop = self.first_event + self.resampling.events
        chosen = self.systems[names[0] if system is None else system]
        return predicted_history(self.history, chosen, self.first_event, stop, same_time=self.same_time)

    def compare(
        self, first: str, second: str, *, metric: Metric | str | None = None, scope: str | None = None
    ) -> Comparison:
        """Two systems by one metric, from the same resampled events.

        The default metric is the leading one, the default scope the first of the backtest.
        """
        wanted = self.leading if metric is None else self.measured_metric(metric)
        name = self.scopes[0].name if scope is None else scope
        one, other = (self.result(system, name) for system in (first, second))
        values = one.value(wanted), other.value(wanted)
        for system, value in zip((first, second), values, strict=True):
            if np.isnan(value):
                raise ParameterError(
                    f"{system} has no {wanted.name} within {name!r}",
                    hint="it gives draws probability 0"
                    if wanted.needs_outcomes
                    else "nothing was measured there",
                )
        apart = self._resampled(first, one, wanted) - self._resampled(second, other, wanted)
        measured = (scope.sums[wanted.name] for scope in (one, other))
        low, high = self.resampling.interval(apart, *measured)
        known = apart[~np.isnan(apart)]
        better = known > 0.0 if wanted.higher_is_better else known < 0.0
        share = float((better + 0.5 * (known == 0.0)).mean()) if len(known) else np.nan
        return Comparison(
            first,
            second,
            wanted.name,
            name,
            values,
            difference=values[0] - values[1],
            low=low,
            high=high,
            better=share,
            rows=(one.rows, other.rows),
            same_rows=one.chosen == other.chosen,
            higher_is_better=wanted.higher_is_better,
        )

    def ranked(self, scope: str, metric: Metric) -> list[tuple[str, float]]:
        """The systems that have a metric within a scope, with its values, best first."""
        values = [(r.name, s.value(metric)) for r, s in self._pairs() if s.scope.name == scope]
        known = [(name, value) for name, value in values if not np.isnan(value)]
        return sorted(known, key=lambda one: one[1], reverse=metric.higher_is_better)

    def verdict(self, scope: str | None = None, metric: Metric | str | None = None) -> str:
        """As a sentence: which system is best in a scope, and if the next is worse by more than noise.

        The default metric is the leading one, the default scope the first of the backtest.
        """
        wanted = self.leading if metric is None else self.measured_metric(metric)
        return find_verdict(self, self.scopes[0].name if scope is None else scope, wanted).text

    @given_kind_property
    def differences(self) -> pl.DataFrame:
        """Each system compared with the best, by metric and scope.

        `difference` is the system's value minus the best one's, `better` the share of resamples in which the
        system is the better one, `shown` whether the interval excludes 0.
        """
        rows = []
        for scope in self.scopes:
            for metric in self.metrics:
                known = [name for name, _ in self.ranked(scope.name, metric)]
                best = known[0] if known else ""
                for name in (result.name for result in self.results if result.name in known):
                    if name != best:
                        found = self.compare(name, best, metric=metric.name, scope=scope.name)
                        rows.append(
                            {
                                "metric": metric.name,
                                "scope": scope.name,
                                "best": best,
                                "system": name,
                                "difference": found.difference,
                                "low": found.low,
                                "high": found.high,
                                "better": found.better,
                                "shown": found.shown,
                            }
                        )
        return _frame(rows, _DIFFERENCES)

    @given_kind_property
    def calibration(self) -> pl.DataFrame:
        """Predictions in bins: from, to, rows, the mean expected score and the mean score.

        `score_low` and `score_high` are the interval of the latter. Bins without rows are left out. Where all
        rows of a bin have a score of 0, or of 1, the far end of the interval is the exact one for `rows`.
        """
        rows = []
        for result, scope in self._pairs():
            if scope.bins is None:
                continue
            total, resampled = scope.bins.sum(axis=0), self.resampling.resampled(scope.bins)
            for number in np.flatnonzero(total[:, 0]).tolist():
                count, expected, score = total[number].tolist()
                drawn = ratio(resampled[:, number, [2, 0]])
                ends = self.resampling.interval(drawn, scope.bins[:, number])
                low, high = share_interval(*ends, score / count, int(count))
                rows.append(
                    {
                        "system": result.name,
                        "scope": scope.scope.name,
                        "from": float(scope.edges[number]),
                        "to": float(scope.edges[number + 1]),
                        "rows": int(count),
                        "expected": expected / count,
                        "score": score / count,
                        "score_low": low,
                        "score_high": high,
                    }
                )
        return _frame(rows)

    @given_kind_property
    def periods(self) -> pl.DataFrame:
        """The metrics of each year, or of each period given by `every`; empty if events have no times."""
        return self._grouped("periods", "period")

    @given_kind_property
    def experience(self) -> pl.DataFrame:
        """Metrics by the number of rated events that a side's least experienced member had before."""
        return self._grouped("experience", "experience")

    @given_kind_property
    def bands(self) -> pl.DataFrame:
        """Metrics by the rating of a side before the event; each system has its own bands."""
        return self._grouped("bands", "band")

    def __repr__(self) -> str:
        counts = (len(self.results), "system"), (len(self.scopes), "scope"), (self.resampling.events, "event")
        return f"<Backtest: {', '.join(counted(number, what) for number, what in counts)}>"

    def _repr_html_(self) -> str:
        measured, leading = [metric.column for metric in self.metrics], self.leading.column
        summary = with_polars(self).summary
        spanned = summary.select(f"{leading}_low", leading, f"{leading}_high").fill_null(float("nan"))
        shown = summary.select("system", "scope", "events", *measured)
        return frame_html(repr(self), shown, **{f"{leading}, 95%": spans(spanned.iter_rows())})

    def __str__(self) -> str:
        lines = []
        for result, scope in self._pairs():
            measured = ", ".join(
                f"{metric.name} {metric.write(scope.value(metric))}"
                for metric in self.metrics
                if not np.isnan(scope.value(metric))
            )
            size = f"{counted(scope.rows, 'row')} of {counted(scope.events, 'event')}"
            lines.append(f"{result.name}, {scope.scope.name} ({size}): {measured or 'nothing'}")
        lines += [f"{what} was left out: {why}" for what, why in self.refused.items()]
        lines += [said for scope in self.scopes if (said := self.verdict(scope.name))]
        return "\n".join([*self.conclusions.lines, *lines, *self.notes])

    # ------------------------------------------------------------------ helpers

    def _pairs(self) -> Iterator[tuple[SystemResult, ScopeResult]]:
        return ((result, scope) for result in self.results for scope in result.scopes)

    def measured_metric(self, metric: Metric | str) -> Metric:
        """The metric with this name. An error is raised if it was not measured."""
        name = metric.name if isinstance(metric, Metric) else metric
        known = {one.name: one for one in self.metrics}
        if name not in known:
            name = find_metric(metric).name  # it may have been called by another name, or there is none
        if name in known:
            return known[name]
        raise ParameterError(f"{name} was not measured", hint=f"measured were {', '.join(known)}")

    def result(self, system: str, scope: str | None = None) -> ScopeResult:
        """The metrics of a system, or of the mean of past results, within a scope.

        An error is raised if there are none.

        A backtest with one scope needs no name of it.
        """
        if scope is None:
            names = [one.name for one in self.scopes]
            if len(names) > 1:
                raise ParameterError("which scope is meant?", hint=f"one of {', '.join(names)}")
            scope = names[0]
        measured = self.results if self.baseline is None else (*self.results, self.baseline)
        found = [s for r in measured if r.name == system for s in r.scopes if s.scope.name == scope]
        if found:
            return found[0]
        names = [result.name for result in self.results]
        if system not in names:
            why = self.refused.get(system)
            hint = did_you_mean(system, names) if why is None else f"it was left out: {why}"
            raise ParameterError(f"there is no system {system!r} in this backtest", hint=hint)
        why = self.refused.get(f"{system}, {scope}")
        known = f"there are {', '.join(known.name for known in self.scopes)}"
        raise ParameterError(f"{system} has no scope {scope!r}", hint=known if why is None else why)

    def interval_of(self, system: str, scope: ScopeResult, metric: Metric) -> tuple[float, float]:
        """The confidence interval of a system's metric, or NaN if it has none."""
        if metric.name not in scope.sums:
            return np.nan, np.nan
        return self.resampling.interval(self._resampled(system, scope, metric), scope.sums[metric.name])

    @cached_property
    def _drawn(self) -> dict[tuple[str, str, str], Floats]:
        return {}

    def _resampled(self, system: str, scope: ScopeResult, metric: Metric) -> Floats:
        """The values of resamples, drawn once: tables, comparisons and verdicts all ask for them."""
        key = system, scope.scope.name, metric.name
        if key not in self._drawn:
            self._drawn[key] = scope.resampled(metric, self.resampling)
        return self._drawn[key]

    def _grouped(self, which: str, column: str) -> pl.DataFrame:
        rows = []
        for result, scope in self._pairs():
            groups: GroupSums = getattr(scope, which)
            found = {metric.column: groups.values(metric) for metric in self.metrics}
            columns = {name: values for name, values in found.items() if values is not None}
            for number, name in enumerate(groups.names):
                if groups.rows[number]:
                    rows.append(
                        {
                            "system": result.name,
                            "scope": scope.scope.name,
                            column: name,
                            "events": int(groups.events[number]),
                            "rows": int(groups.rows[number]),
                            **{name: float(values[number]) for name, values in columns.items()},
                        }
                    )
        return _frame(rows, {"system": str, "scope": str, column: str, "events": int, "rows": int})


_DIFFERENCES = {
    "metric": str,
    "scope": str,
    "best": str,
    "system": str,
    "difference": float,
    "low": float,
    "high": float,
    "better": float,
    "shown": bool,
}


def _frame(rows: list[dict[str, Any]], empty: Mapping[str, type] = {}) -> pl.DataFrame:
    """A table of these rows; not-a-number becomes null."""
    import polars as pl

    frame = pl.DataFrame(rows, schema=None if rows else dict(empty), infer_schema_length=None)
    return frame.with_columns(pl.selectors.float().fill_nan(None))
