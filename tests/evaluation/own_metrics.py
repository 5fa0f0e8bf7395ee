"""Metrics of a user's own, in a module that worker processes can import."""

from __future__ import annotations

import numpy as np

from podium import Metric
from podium.arrays import Floats
from podium.evaluation.metrics import Scored
from podium.evaluation.metrics.metric_sums import EventSums, SideMeans


def losses(scored: Scored) -> Floats:
    """The log loss, written again."""
    p = np.clip(scored.expected, 1e-15, 1 - 1e-15)
    loss: Floats = -scored.score * np.log(p) - (1.0 - scored.score) * np.log1p(-p)
    return loss


def deviations(scored: Scored) -> SideMeans:
    """The rank deviation, written again."""
    return scored.mean(100.0 * scored.ordered.distance, scored.ordered_sides)


def foretold(scored: Scored) -> EventSums:
    """The accuracy, written again."""
    order = scored.ordered_by_expected
    return scored.sums(100.0 * order.foretold, order.decided)


def squares(scored: Scored) -> Floats:
    """What the root mean squared error is the root of."""
    return np.square(scored.score - scored.expected)


def root(sums: Floats) -> Floats:
    """Of a mean."""
    value: Floats = np.sqrt(sums[..., 0] / sums[..., 1])
    return value


MY_LOSS = Metric("my-loss", losses, "the log loss, written again")
MY_RANKS = Metric("my-ranks", deviations, "ranks off", needs=("ratings",), percent=True)
MY_ACCURACY = Metric("my-accuracy", foretold, "pairs foretold", higher_is_better=True, percent=True)
RMSE = Metric("rmse", squares, "√ of the mean of (s − p)²", value=root)
TWINS = {"log-loss": MY_LOSS, "rank-deviation": MY_RANKS, "accuracy": MY_ACCURACY}
