"""Pairs right: the percentage of a side's opponents against whom the higher rating won or tied.

One of the two measures of the Elo-MMR paper, section 6.2, which calls it pair inversion;
`podium.evaluation.order_accuracy` computes both.
"""

from __future__ import annotations

from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.metric_sums import SideMeans
from podium.evaluation.metrics.scored_sides import Scored


def _measure(scored: Scored) -> SideMeans:
    return scored.mean(100.0 * scored.ordered.correct, scored.ordered_sides)


PAIRS_RIGHT = Metric(
    "pairs-right",
    _measure,
    "percent of pairs in which the higher rating won or tied",
    higher_is_better=True,
    needs=("ratings",),
    percent=True,
    short="pairs",
)
