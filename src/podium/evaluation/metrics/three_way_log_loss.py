"""The three-way log loss: −ln of the chance given to win, draw or loss, whichever happened."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.evaluation.metrics.log_loss import LEAST
from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.metric_sums import EventSums
from podium.evaluation.metrics.scored_sides import Scored


def surprisals(chances: Floats) -> Floats:
    """−ln p for the probability p that was predicted for each result."""
    return -np.log(np.clip(chances, LEAST, 1.0))


def _measure(scored: Scored) -> EventSums:
    """Only where draws have a chance: elsewhere it would be the log loss with draws called impossible."""
    happened = scored.happened
    weight = ((scored.count == 2.0) & ~np.isnan(happened)).astype(np.float64)
    if not scored.predictions.draws:
        weight[:] = 0.0
    return scored.sums(np.where(weight > 0.0, surprisals(happened), 0.0), weight)


THREE_WAY_LOG_LOSS = Metric(
    "three-way-log-loss", _measure, "−ln p of win, draw or loss", needs=("outcomes",), short="3-way"
)
