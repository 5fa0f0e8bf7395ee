"""The log loss: −s ln p − (1 − s) ln(1 − p) of a score s and the expected one p, the mean over sides.

A side's score in an event is the mean of what it got of one point against each other side, its expected score
what was to be expected of that. For two sides these are the result of a match and its prediction.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Bools, Floats
from podium.evaluation.event_predictions import Predictions
from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.scored_sides import Scored

LEAST = 1e-15
"""Chances nearer to 0 or 1 count as this: one impossible result would outweigh any number of others."""


def log_losses(score: Floats, expected: Floats) -> Floats:
    """−s ln p − (1 − s) ln(1 − p).

    >>> log_losses(np.array([1.0, 0.5]), np.array([0.5, 0.5])).round(3).tolist()
    [0.693, 0.693]
    """
    p = np.clip(expected, LEAST, 1.0 - LEAST)
    losses: Floats = -score * np.log(p) - (1.0 - score) * np.log1p(-p)
    return losses


def clipped(chances: Floats) -> Bools:
    """For each probability, whether it is so close to 0 or 1 that `log_losses` limits it."""
    return (chances < LEAST) | (chances > 1.0 - LEAST)


def _of_sides(predictions: Predictions) -> Floats:
    return log_losses(predictions.standings.score, predictions.expected)


def _measure(scored: Scored) -> Floats:
    return scored.once(_of_sides)


LOG_LOSS = Metric("log-loss", _measure, "−s ln p − (1 − s) ln(1 − p) of the expected score p")
