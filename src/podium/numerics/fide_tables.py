"""FIDE's two tables: the expected score for a difference of ratings, and the difference for a score.

FIDE Handbook B.02, FIDE Rating Regulations: table 8.1.2 (differences D into scoring probabilities PD) and
table 8.1.1 (fractional scores p into differences dp).
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.jit import kernel

LAST_DIFFERENCES = (
    *(3, 10, 17, 25, 32, 39, 46, 53, 61, 68),
    *(76, 83, 91, 98, 106, 113, 121, 129, 137, 145),
    *(153, 162, 170, 179, 188, 197, 206, 215, 225, 235),
    *(245, 256, 267, 278, 290, 302, 315, 328, 344, 357),
    *(374, 391, 411, 432, 456, 484, 517, 559, 619, 735),
)
"""8.1.2: the largest difference for an expected score of 0.50, 0.51, … 0.99; for larger ones it is 1.00."""
SCORE_DIFFERENCES = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65),
    *(72, 80, 87, 95, 102, 110, 117, 125, 133, 141),
    *(149, 158, 166, 175, 184, 193, 202, 211, 220, 230),
    *(240, 251, 262, 273, 284, 296, 309, 322, 336, 351),
    *(366, 383, 401, 422, 444, 470, 501, 538, 589, 677),
    800,
)
"""8.1.1: the difference for a score of 0.50, 0.51, … 1.00 a game; for 1 − p it is minus that for p."""

HALF = 0.5 + 1e-9
"""Halves are rounded up, and so is what is below a half by the last digits of a sum alone."""

_STRONGER_SCORES: Floats = (50 + np.searchsorted(LAST_DIFFERENCES, np.arange(737))) / 100.0
"""The stronger player's expected score, by whole difference from 0 to 736."""


@kernel
def fide_score(difference: float) -> float:
    """The expected score of a player rated `difference` above the other, by table 8.1.2.

    The table has whole numbers: a difference is rounded first, halves away from zero.
    """
    if math.isnan(difference):
        return difference
    stronger = float(_STRONGER_SCORES[int(min(abs(difference), 736.0) + HALF)])
    return stronger if difference >= 0.0 else 1.0 - stronger


def fide_gap(score: Floats) -> Floats:
    """How far above the others a player with this expected score is, by table 8.1.1, linear between its rows.

    >>> fide_gap(np.array([0.5, 0.75, 0.01, 0.505])).tolist()
    [0.0, 193.0, -677.0, 3.5]
    """
    upper = np.maximum(score, 1.0 - score)
    gap: Floats = np.copysign(np.interp(100.0 * upper, np.arange(50, 101), SCORE_DIFFERENCES), score - 0.5)
    return gap
