"""Metrics by name: podium's own, a file each, and those that users register.

Every metric is made of sums that are added up event by event: parts of a history, periods, intervals and
comparisons all come from the same sums of each event.
"""

from __future__ import annotations

from collections.abc import Collection

from podium.errors import ParameterError
from podium.evaluation.metrics.accuracy import ACCURACY
from podium.evaluation.metrics.brier import BRIER
from podium.evaluation.metrics.calibration_error import CALIBRATION_ERROR
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.pairs_right import PAIRS_RIGHT
from podium.evaluation.metrics.rank_deviation import RANK_DEVIATION
from podium.evaluation.metrics.scored_sides import Scored
from podium.evaluation.metrics.three_way_log_loss import THREE_WAY_LOG_LOSS
from podium.named import build_in, build_in_alias

__all__ = ["Metric", "Scored", "find_metric", "find_metrics"]

build_in(
    Metric,  # in the order of tables
    PAIRS_RIGHT,
    RANK_DEVIATION,
    LOG_LOSS,
    BRIER,
    ACCURACY,
    CALIBRATION_ERROR,
    THREE_WAY_LOG_LOSS,
)
build_in_alias(Metric, "pair-inversion", PAIRS_RIGHT)  # the name in the paper, and here before 0.2


def find_metric(metric: Metric | str) -> Metric:
    """The metric with this name; a metric is returned as it is."""
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        raise ParameterError(
            "give metrics by name, or a podium.Metric",
            hint="podium.tune takes functions of a history and a system; podium.Metric(name, function) "
            "makes a metric of a function of the scored sides",
        )
    return Metric.find(str(metric))


def find_metrics(metrics: Metric | str | Collection[Metric | str] | None) -> list[Metric]:
    """The metrics asked for, podium's own first in the order of tables; default: podium's own."""
    if isinstance(metrics, (str, Metric)) or callable(metrics):
        metrics = [metrics]
    podiums = [name for name in Metric.names() if Metric.is_built_in(name)]
    chosen = [find_metric(metric) for metric in (podiums if metrics is None else metrics)]
    if not chosen:
        raise ParameterError("name at least one metric", hint=f"there are {', '.join(podiums)}")
    by_name: dict[str, Metric] = {}
    for metric in chosen:
        if by_name.setdefault(metric.name, metric) is not metric:
            raise ParameterError(
                f"two metrics are called {metric.name!r}", hint="give one of them another name"
            )
    own = [metric for name, metric in by_name.items() if not Metric.is_built_in(name)]
    return [by_name[name] for name in podiums if name in by_name] + own
