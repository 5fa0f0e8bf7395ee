"""Win curves: from a difference of ratings to an expected score.

Each is symmetric: the curve of −d is one minus the curve of d. A curve is chosen by name outside and by its
number inside kernels, so that one compiled kernel serves them all.

FIDE's curve is a table: FIDE Handbook B.02, FIDE Rating Regulations, table 8.1.2 (differences D into scoring
probabilities PD) and table 8.1.1 (fractional scores p into differences dp).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


LN10 = math.log(10.0)
LOGISTIC, FIDE, LINEAR, NORMAL = 0, 1, 2, 3
CURVES = {"logistic": LOGISTIC, "fide": FIDE, "linear": LINEAR, "normal": NORMAL}

# Sonas (2002) fits chess results by 0.001164 a point, up to 425 points, on a scale of 400.
LINEAR_SLOPE = 0.001164 * 400.0
LINEAR_REACH = 425.0 / 400.0

FIDE_SCALE = 400.0
"""The scale FIDE's tables are made for."""

EXEMPT_RATING = 2650.0 - 1e-9
"""From 2650 on, to the last digits of a sum, FIDE counts a player's whole difference to an opponent."""

CURVE_VARIANCES = {
    "fide": sum(2 * 0.01 * ((last + 0.5) / FIDE_SCALE) ** 2 for last in LAST_DIFFERENCES),
    "linear": LINEAR_REACH**2 / 3.0,
    "normal": 0.5,
}
"""Variance of the difference of performances, in squared scales; of a curve that ends, where it rises."""


@kernel
def logistic(x: float) -> float:
    """1 / (1 + e^−x), without overflow."""
    e = math.exp(-abs(x))
    high = 1.0 / (1.0 + e)
    return high if x >= 0.0 else e * high


def logistic_of(x: ArrayLike) -> Floats:
    """1 / (1 + e^−x) for an array of any shape, without compiling a kernel."""
    tail = np.exp(-np.abs(x))
    return np.where(np.less(x, 0.0), tail, 1.0) / (1.0 + tail)


@kernel
def expected_score(curve: int, difference: float, scale: float) -> float:
    """The expected score of a side rated `difference` above the other; `scale` points are odds of ten to one.

    FIDE's curve is table 8.1.2, which ends at 735 points on a scale of 400; Sonas's line ends at 425. On the
    normal curve of Elo (1978), which has performances with a deviation of half the scale, odds are 11.7 to 1.
    """
    if curve == FIDE:
        return fide_score(FIDE_SCALE / scale * difference)
    x = difference / scale
    if curve == NORMAL:  # Φ(d / (200 √2)) at scale 400
        return 0.5 * math.erfc(-x)
    if curve == LINEAR:
        return 0.5 + LINEAR_SLOPE * min(max(x, -LINEAR_REACH), LINEAR_REACH)
    return logistic(LN10 * x)


@kernel
def _expected_scores(
    curve: int, difference: NDArray[np.float64], scale: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    for i in range(len(difference)):
        out[i] = expected_score(curve, difference[i], scale[i])


def expected_scores(curve: int, difference: ArrayLike, scale: ArrayLike) -> NDArray[np.float64]:
    """`expected_score` for arrays, which are broadcast against each other."""
    d = np.asarray(difference, np.float64)
    s = np.asarray(scale, np.float64)
    if d.shape == s.shape and d.flags.carray and s.flags.carray:
        out = np.empty(d.shape)
        _expected_scores(curve, d.ravel(), s.ravel(), out.ravel())
        return out
    out = np.empty(np.broadcast_shapes(d.shape, s.shape))
    _expected_scores(curve, (d + np.zeros_like(out)).ravel(), (s + np.zeros_like(out)).ravel(), out.ravel())
    return out


def performance_scale(sigma: Floats, scale: float) -> Floats:
    """Scale of Gumbel performances whose differences vary as predictions of Glicko with these deviations do.

    For equal deviations it is exactly Glicko's curve; for unequal ones it agrees in variance.
    """
    s = scale / math.log(10.0)
    widened: Floats = np.sqrt(s * s + 6.0 * np.square(sigma) / math.pi**2)
    return widened
