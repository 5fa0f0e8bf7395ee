"""Which metrics a table shows: of several columns with nearly the same numbers, one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import Metric, find_metrics
from podium.evaluation.metrics.accuracy import ACCURACY
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.evaluation.metrics.pairs_right import PAIRS_RIGHT
from podium.evaluation.metrics.rank_deviation import RANK_DEVIATION
from podium.evaluation.metrics.three_way_log_loss import THREE_WAY_LOG_LOSS
from podium.text import listed

MAY_BE_ALIKE = ((ACCURACY, PAIRS_RIGHT, RANK_DEVIATION), (LOG_LOSS, THREE_WAY_LOG_LOSS))
"""Metrics with one meaning where ratings alone decide, or nothing is drawn; numbers tell whether it is so."""
ALIKE_DIGITS = 5
"""Units of the last decimal shown by which the numbers of such metrics may differ: 0.05 points, or 0.0005."""


class ShownColumns(NamedTuple):
    """The metrics that tables show, and what they leave out."""

    metrics: list[Metric]
    left_out: dict[str, str]
    """Metrics that are not shown, by name, each with the one whose numbers are nearly the same."""

    @property
    def footnote(self) -> str:
        """What stands below tables that leave something out; else empty."""
        if not self.left_out:
            return ""
        alike: dict[str, list[str]] = {}
        for name, same in self.left_out.items():
            alike.setdefault(same, []).append(name)
        said = [f"{listed(names)}, nearly the same as {same}" for same, names in alike.items()]
        return f"Not shown: {'; '.join(said)}."


def shown_columns(report: Backtest, deciding: Metric) -> ShownColumns:
    """The metrics with a value. Who names metrics sees all of them; else one of those that are alike."""
    summary, measured = report.summary, report.metrics
    known = [metric for metric in measured if summary[metric.column].null_count() < summary.height]
    if not {metric.name for metric in find_metrics(None)} <= {metric.name for metric in measured}:
        return ShownColumns(known, {})
    rows = [*summary.iter_rows(named=True), *report.baseline_summary.iter_rows(named=True)]
    left_out: dict[str, str] = {}
    kept: list[Metric] = []
    # The first of those that are alike is kept: the one that decides, and in matches the accuracy.
    for metric in sorted(known, key=lambda one: (one != deciding, report.two_sided and one != ACCURACY)):
        alike = [same for one in kept if (same := _alike(metric, one, rows)) is not None]
        if alike:
            left_out[metric.name] = alike[0]
        else:
            kept.append(metric)
    return ShownColumns([metric for metric in known if metric in kept], left_out)


def _alike(metric: Metric, other: Metric, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """How the other says the metric's numbers in all rows that have one: its name, or 100 minus it."""
    pairs = [(row[metric.column], row[other.column]) for row in rows if row[metric.column] is not None]
    if any(value is None for _, value in pairs):
        return None
    if all(metric.write(one) == other.write(value) for one, value in pairs):
        return other.name
    if not any(metric in group and other in group for group in MAY_BE_ALIKE):
        return None
    turned = metric.higher_is_better != other.higher_is_better
    room = ALIKE_DIGITS / 10**metric.decimals
    if all(abs(one - (100.0 - value if turned else value)) <= room for one, value in pairs):
        return f"100 − {other.name}" if turned else other.name
    return None
