"""Win curves: from a difference of ratings to an expected score.

Each is symmetric: the curve of −d is one minus the curve of d. A curve is chosen by name outside and by its
number inside kernels, so that one compiled kernel serves them all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats
from podium.numerics.fide_tables import LAST_DIFFERENCES, fide_score
from podium.numerics.jit import kernel

LN10 = math.log(10.0)
LOGISTIC, FIDE, LINEAR = 0, 1, 2
CURVES = {"logistic": LOGISTIC, "fide": FIDE, "linear": LINEAR}

# Sonas (2002) fits chess results by 0.001164 a point, up to 425 points, on a scale of 400.
LINEAR_SLOPE = 0.001164 * 400.0
LINEAR_REACH = 425.0 / 400.0

FIDE_SCALE = 400.0
"""The scale FIDE's tables are made for."""

CURVE_VARIANCES = {
    "fide": sum(2 * 0.01 * ((last + 0.5) / FIDE_SCALE) ** 2 for last in LAST_DIFFERENCES),
    "linear": LINEAR_REACH**2 / 3.0,
}
"""Variance of the difference of performances where a curve that ends rises, in squared scales."""


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

    FIDE's curve is table 8.1.2, which ends at 735 points on a scale of 400; Sonas's line ends at 425.
    """
    if curve == FIDE:
        return fide_score(FIDE_SCALE / scale * difference)
    x = difference / scale
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
