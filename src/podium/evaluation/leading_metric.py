"""Which metric decides where nobody names one: the same for a history in backtests, reports and tuning."""

from __future__ import annotations

import numpy as np

from podium.evaluation.metrics import Metric
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.evaluation.metrics.rank_deviation import RANK_DEVIATION
from podium.history import History


def is_two_sided(history: History) -> bool:
    """Whether every event has two sides.

    >>> is_two_sided(History.from_matches(["ann"], ["bob"]))
    True
    """
    return not bool(np.any(history.sides_per_event > 2))


def leading_metric(two_sided: bool) -> Metric:
    """The log loss of matches, whose chances people use; of contests the order, which they look at."""
    return LOG_LOSS if two_sided else RANK_DEVIATION
