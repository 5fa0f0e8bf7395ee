"""Which metrics a table shows: of several columns with nearly the same numbers, one."""

from __future__ import annotations

from typing import NamedTuple

from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import Metric, find_metrics
from podium.evaluation.metrics.accuracy import ACCURACY
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.evaluation.metrics.pairs_right import PAIRS_RIGHT
from podium.evaluation.metrics.rank_deviation import RANK_DEVIATION
from podium.evaluation.metrics.three_way_log_loss import THREE_WAY_LOG_LOSS
from podium.text import listed

ALIKE_IN_MATCHES = (ACCURACY.name, PAIRS_RIGHT.name, RANK_DEVIATION.name)
"""Of two sides, pairs right is the accuracy of ratings alone, and rank deviation what is left to 100%."""


class ShownColumns(NamedTuple):
    """The metrics that tables show, and what they leave out."""

    metrics: list[Metric]
    left_out: dict[str, str]
    """Metrics that are not shown, by name, each with the one that says nearly the same."""

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
    written = {one.name: [one.write(value) for value in summary[one.column]] for one in known}
    left_out: dict[str, str] = {}
    kept: list[Metric] = []
    # The first of those that are alike is kept: the one that decides, and in matches the accuracy.
    for metric in sorted(known, key=lambda one: (one != deciding, report.two_sided and one != ACCURACY)):
        alike = [one.name for one in kept if written[one.name] == written[metric.name]]
        if report.two_sided and metric.name in ALIKE_IN_MATCHES:
            alike += [one.name for one in kept if one.name in ALIKE_IN_MATCHES]
        if report.two_sided and metric == THREE_WAY_LOG_LOSS and not summary["undecided"].sum():
            alike += [one.name for one in kept if one == LOG_LOSS]  # there are no draws
        if alike:
            left_out[metric.name] = alike[0]
        else:
            kept.append(metric)
    return ShownColumns([metric for metric in known if metric in kept], left_out)
