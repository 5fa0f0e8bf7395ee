"""The accuracy: of the pairs of sides with a winner, the percentage that the higher expected score won."""

from __future__ import annotations

from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.metric_sums import EventSums
from podium.evaluation.metrics.scored_sides import Scored


def _measure(scored: Scored) -> EventSums:
    return scored.sums(100.0 * scored.ordered_by_expected.foretold, scored.ordered_by_expected.decided)


ACCURACY = Metric(
    "accuracy",
    _measure,
    "percent of decided pairs won by the side with the higher p",
    higher_is_better=True,
    percent=True,
    short="acc.",
)
