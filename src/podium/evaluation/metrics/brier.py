"""The Brier score: (s − p)² of a score s and the expected one p, the mean over sides."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.evaluation.event_predictions import Predictions
from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.scored_sides import Scored


def _of_sides(predictions: Predictions) -> Floats:
    return np.square(predictions.standings.score - predictions.expected)


def _measure(scored: Scored) -> Floats:
    return scored.once(_of_sides)


BRIER = Metric("brier", _measure, "(s − p)² of the expected score p", short="Brier")
