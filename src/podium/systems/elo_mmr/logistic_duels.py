"""Who of two is the better, when performances are logistic and their scales differ."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats
from podium.numerics.jit import interpreted_as, kernel

TRAPEZOID_STEP, TRAPEZOID_NODES = 0.5, 76
"""Of the trapezoid rule below, to both sides of 0. Its error falls like e^(−2π²/step); it is below 1e-13."""
_DENSITY = 1.0 / (4.0 * np.cosh(0.5 * TRAPEZOID_STEP * np.arange(TRAPEZOID_NODES + 1)) ** 2)
TRAPEZOID_WEIGHTS = _DENSITY / (2.0 * _DENSITY.sum() - _DENSITY[0])
PAIRS_AT_ONCE = 64
"""Pairs that are integrated together, so that the processor divides several at a time."""


def _losses_by_arrays(distance: Floats, ratio: Floats, weights: Floats, out: Floats) -> None:
    """What `_logistic_losses` computes, all pairs at once."""
    a = np.exp(-np.minimum(distance, 700.0))
    step = 2.0 * np.cosh(TRAPEZOID_STEP * ratio)
    before, s = np.full_like(a, 2.0), step
    square = a * a
    out[:] = weights[0] * a / (1.0 + a)
    for weight in weights[1:].tolist():
        product = a * s
        out += weight * (product + 2.0 * square) / (1.0 + product + square)
        s, before = step * s - before, s


@interpreted_as(_losses_by_arrays)
@kernel
def _logistic_losses(distance: Floats, ratio: Floats, weights: Floats, out: Floats) -> None:
    """∫ σ'(u) σ(ratio·u − distance) du: the chance of the lower of two logistic performances.

    The unit is the scale of the wider one; the ratio is that of the narrower scale to it. For a = e^−distance
    the nodes u and −u together give (a s + 2a²)/(1 + a s + a²), where s = 2 cosh(ratio·u) follows from those
    of the two nodes before: there is no exponential in the loop.
    """
    a, step, s, before, total = np.empty((5, PAIRS_AT_ONCE))
    for start in range(0, len(distance), PAIRS_AT_ONCE):
        size = min(PAIRS_AT_ONCE, len(distance) - start)
        for i in range(size):
            far = distance[start + i]
            a[i] = math.exp(-700.0 if far > 700.0 else -far)
            step[i] = 2.0 * math.cosh(TRAPEZOID_STEP * ratio[start + i])
            before[i], s[i] = 2.0, step[i]
            total[i] = weights[0] * a[i] / (1.0 + a[i])
        for node in range(1, len(weights)):
            weight = weights[node]
            for i in range(size):
                product = a[i] * s[i]
                square = a[i] * a[i]
                total[i] += weight * (product + 2.0 * square) / (1.0 + product + square)
                s[i], before[i] = step[i] * s[i] - before[i], s[i]
        for i in range(size):  # Numba takes two seconds to compile an assignment of slices
            out[start + i] = total[i]


def logistic_win_probability(difference: ArrayLike, scale_a: ArrayLike, scale_b: ArrayLike) -> Floats:
    """The probability that the first of two logistic performances, `difference` apart, is the higher.

    Between equals it is a half to the last bit: whoever compares it with the other side's must find a tie.

    >>> logistic_win_probability(0.0, 120.0, 200.0).tolist()
    0.5
    """
    d, a, b = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (difference, scale_a, scale_b)))
    narrow, wide = np.minimum(a, b).ravel(), np.maximum(a, b).ravel()
    losses = np.empty(d.size)
    _logistic_losses(np.abs(d).ravel() / wide, narrow / wide, TRAPEZOID_WEIGHTS, losses)
    lower = np.where(d == 0.0, 0.5, losses.reshape(d.shape))
    return np.where(d < 0.0, lower, 1.0 - lower)
