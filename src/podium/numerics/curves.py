"""Win curves: from a difference of ratings to an expected score.

Each is symmetric: the curve of −d is one minus the curve of d. A curve is chosen by name outside and by its
number inside kernels, so that one compiled kernel serves them all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.history.core import Floats
from podium.numerics.jit import kernel

LN10 = math.log(10.0)
LOGISTIC, FIDE, LINEAR = 0, 1, 2
CURVES = {"logistic": LOGISTIC, "fide": FIDE, "linear": LINEAR}

# Sonas (2002) fits chess results by 0.001164 a point, up to 425 points, on a scale of 400.
LINEAR_SLOPE = 0.001164 * 400.0
LINEAR_REACH = 425.0 / 400.0


@kernel
def logistic(x: float) -> float:
    """1 / (1 + e^−x), never overflowing."""
    e = math.exp(-abs(x))
    high = 1.0 / (1.0 + e)
    return high if x >= 0.0 else e * high


def logistic_of(x: ArrayLike) -> Floats:
    """1 / (1 + e^−x) of numbers of any shape, without the compiler."""
    tail = np.exp(-np.abs(x))
    return np.where(np.less(x, 0.0), tail, 1.0) / (1.0 + tail)


@kernel
def expected_score(curve: int, difference: float, scale: float) -> float:
    """The expected score of a side rated `difference` above the other; `scale` points are odds of ten to one.

    FIDE counts differences beyond 400 as 400 (Cowan, Example 2.8); Sonas's line ends at 425.
    """
    x = difference / scale
    if curve == LINEAR:
        return 0.5 + LINEAR_SLOPE * min(max(x, -LINEAR_REACH), LINEAR_REACH)
    if curve == FIDE:
        x = min(max(x, -1.0), 1.0)
    return logistic(LN10 * x)


@kernel
def _expected_scores(
    curve: int, difference: NDArray[np.float64], scale: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    for i in range(len(difference)):
        out[i] = expected_score(curve, difference[i], scale[i])


def expected_scores(curve: int, difference: ArrayLike, scale: ArrayLike) -> NDArray[np.float64]:
    """`expected_score` over arrays that broadcast."""
    d = np.asarray(difference, np.float64)
    s = np.asarray(scale, np.float64)
    out = np.empty(np.broadcast_shapes(d.shape, s.shape))
    _expected_scores(curve, (d + np.zeros_like(out)).ravel(), (s + np.zeros_like(out)).ravel(), out.ravel())
    return out


STEP = 0.5
"""Of the trapezoid rule below, whose error falls like e^(−2π²/step); it is below 1e-13."""
NODES = 76
"""To each side of the middle: the density beyond them is below 1e-16."""
FARTHEST = 600.0
"""Scales of distance beyond which a chance is 0 or 1, and e to that power still a number."""

_DENSITY = np.exp(-STEP * np.arange(NODES + 1)) / (1.0 + np.exp(-STEP * np.arange(NODES + 1))) ** 2
_DENSITY /= _DENSITY[0] + 2.0 * _DENSITY[1:].sum()


@kernel
def _logistic_wins(difference: Floats, narrow: Floats, wide: Floats, out: Floats) -> None:
    """∫ σ'(u) σ((d + narrow·u)/wide) du: the chance that d plus one logistic number exceeds another.

    The powers of e at the nodes are a geometric series, so each costs a product; two nodes to each side go at
    once, as no product then waits for the one before it.
    """
    for i in range(len(difference)):
        ratio = math.exp(-STEP * narrow[i] / wide[i])
        middle = math.exp(-min(max(difference[i] / wide[i], -FARTHEST), FARTHEST))
        squared, back = ratio * ratio, 1.0 / (ratio * ratio)
        right, left = middle * ratio, middle / ratio
        further_right, further_left = right * ratio, left / ratio
        total = _DENSITY[0] / (1.0 + middle)
        for node in range(1, NODES, 2):
            total += _DENSITY[node] * (1.0 / (1.0 + right) + 1.0 / (1.0 + left))
            total += _DENSITY[node + 1] * (1.0 / (1.0 + further_right) + 1.0 / (1.0 + further_left))
            right *= squared
            further_right *= squared
            left *= back
            further_left *= back
        out[i] = total


def logistic_win_probability(difference: ArrayLike, scale_a: ArrayLike, scale_b: ArrayLike) -> Floats:
    """The chance that one of two logistic performances, `difference` apart, is the higher.

    >>> logistic_win_probability(0.0, 120.0, 200.0).round(12).tolist()
    0.5
    """
    d, a, b = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (difference, scale_a, scale_b)))
    out = np.empty(d.shape)
    narrow, wide = np.minimum(a, b), np.maximum(a, b)
    _logistic_wins(d.flatten(), narrow.ravel(), wide.ravel(), out.ravel())
    return out
