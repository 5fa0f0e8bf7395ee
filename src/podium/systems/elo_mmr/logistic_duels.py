"""Who of two is the better, when performances are logistic and their scales differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats
from podium.numerics.exponential import exp
from podium.numerics.jit import interpreted_as, kernel


class Trapezoid(NamedTuple):
    """A trapezoid rule for the logistic density, symmetric about 0; its error falls like e^(−2π²/step)."""

    step: float
    weights: Floats
    """Of the node at 0, and of those on one side of it."""

    @classmethod
    def of(cls, step: float, nodes: int) -> Trapezoid:
        """The rule with so many nodes on each side."""
        density = 1.0 / (4.0 * np.cosh(0.5 * step * np.arange(nodes + 1)) ** 2)
        return cls(step, density / (2.0 * density.sum() - density[0]))


EXACT, NEAR = Trapezoid.of(0.5, 76), Trapezoid.of(1.0, 17)
"""The rules for a chance to 1e-13, and for one to 1e-6."""
PAIRS_AT_ONCE = 64
"""Pairs that are integrated together, so that the processor divides several at a time."""


def _wins_by_arrays(
    difference: Floats, scale_a: Floats, scale_b: Floats, width: float, weights: Floats, out: Floats
) -> None:
    """What `_logistic_wins` computes, all pairs at once."""
    narrow, wide = np.minimum(scale_a, scale_b), np.maximum(scale_a, scale_b)
    a = np.exp(-np.minimum(np.abs(difference) / wide, 700.0))
    step = 2.0 * np.cosh(width * (narrow / wide))
    before, s = np.full_like(a, 2.0), step
    square = a * a
    lower = weights[0] * a / (1.0 + a)
    for weight in weights[1:].tolist():
        product = a * s
        lower += weight * (product + 2.0 * square) / (1.0 + product + square)
        s, before = step * s - before, s
    lower[difference == 0.0] = 0.5
    out[:] = np.where(difference < 0.0, lower, 1.0 - lower)


@interpreted_as(_wins_by_arrays)
@kernel
def _logistic_wins(
    difference: Floats, scale_a: Floats, scale_b: Floats, width: float, weights: Floats, out: Floats
) -> None:
    """The chance of the first of two logistic performances; that of the lower is ∫ σ'(u) σ(ratio·u − far) du.

    The unit is the scale of the wider one; the ratio is that of the narrower scale to it. For a = e^−far the
    nodes u and −u together give (a s + 2a²)/(1 + a s + a²), where s = 2 cosh(ratio·u) follows from those of
    the two nodes before: there is no exponential in the loop.
    """
    a, step, s, before, total = np.empty((5, PAIRS_AT_ONCE))
    for start in range(0, len(difference), PAIRS_AT_ONCE):
        size = min(PAIRS_AT_ONCE, len(difference) - start)
        for i in range(size):
            narrow = min(scale_a[start + i], scale_b[start + i])
            wide = max(scale_a[start + i], scale_b[start + i])
            a[i] = exp(-min(abs(difference[start + i]) / wide, 700.0))
            grown = exp(width * (narrow / wide))
            step[i] = grown + 1.0 / grown  # 2 cosh
            before[i], s[i] = 2.0, step[i]
            total[i] = weights[0] * a[i] / (1.0 + a[i])
        for node in range(1, len(weights)):
            weight = weights[node]
            for i in range(size):
                product = a[i] * s[i]
                square = a[i] * a[i]
                total[i] += weight * (product + 2.0 * square) / (1.0 + product + square)
                s[i], before[i] = step[i] * s[i] - before[i], s[i]
        for i in range(size):
            d = difference[start + i]
            out[start + i] = 0.5 if d == 0.0 else total[i] if d < 0.0 else 1.0 - total[i]


def logistic_win_probability(
    difference: ArrayLike, scale_a: ArrayLike, scale_b: ArrayLike, rule: Trapezoid = EXACT
) -> Floats:
    """The probability that the first of two logistic performances, `difference` apart, is the higher.

    Between equals it is a half to the last bit: whoever compares it with the other side's must find a tie.

    >>> logistic_win_probability(0.0, 120.0, 200.0).tolist()
    0.5
    """
    d, a, b = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (difference, scale_a, scale_b)))
    chance = np.empty(d.shape)
    d, a, b = (x.flatten() for x in (d, a, b))  # copies: NumPy warns if a kernel could write to the others
    _logistic_wins(d, a, b, rule.step, rule.weights, chance.ravel())
    return chance
