"""Rank deviation: how far places are from those by rating, in percent of the largest possible distance.

One of the two measures of the Elo-MMR paper, section 6.2; `podium.evaluation.order_accuracy` computes both.
"""

from __future__ import annotations

from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.metric_sums import SideMeans
from podium.evaluation.metrics.scored_sides import Scored


def _measure(scored: Scored) -> SideMeans:
    return scored.mean(100.0 * scored.ordered.distance, scored.ordered_sides)


RANK_DEVIATION = Metric(
    "rank-deviation",
    _measure,
    "percent by which places differ from the order of ratings",
    needs=("ratings",),
    percent=True,
    short="ranks",
)
