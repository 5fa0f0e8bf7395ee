"""A normal difference beyond a margin, or within it: what a win and what a draw say in Thurstone's model.

U is standard normal and x + U the difference of two performances, in units of its deviation. A win means
x + U > t, a draw |x + U| ≤ t. What moves a rating is the mean of U given the result, and what narrows the
belief is 1 minus its variance: V and W of Weng and Lin (2011, Algorithm 3), with a tilde for draws.
Both are needed however far apart two sides are, so nothing here subtracts what nearly cancels.
"""

from __future__ import annotations

import math

import numpy as np

from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel
from podium.numerics.normal import hazard

FAR = 60.0
"""From here on W is 1 − 1/z² + …: h (h − z) would have lost eleven digits."""


@formula
def won(x: float, t: float) -> tuple[float, float]:
    """V = h(z) and W = V (V − z), where z = t − x and h is the hazard of the normal distribution."""
    z = t - x
    v = hazard(z)
    u = 1.0 / max(z * z, 1.0)
    series = 1.0 - u * (1.0 - u * (6.0 - u * (50.0 - u * 518.0)))
    near = v * (v - z)
    return v, series if z > FAR else near


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
"""Enough for a whole normal density, from −REACH to REACH, to the last digits."""
REACH = 8.5
"""Deviations beyond which a normal density is nothing."""
DECAY = 38.0
"""e^−38 is nothing."""


@kernel
def drawn(x: float, t: float) -> tuple[float, float]:
    """Ṽ and W̃: the mean of U where |x + U| ≤ t, and 1 minus its variance.

    By quadrature around the likeliest point inside, over as much of the interval as matters. The formulas in
    print are differences of nearly equal numbers for narrow margins and for sides that are far apart.
    """
    far = abs(x)
    peak = max(far - t, 0.0)
    left = min(max(t - far, 0.0), REACH)
    right = min(t + min(far, t), REACH, DECAY / max(peak, 1.0))
    half, middle = 0.5 * (left + right), 0.5 * (right - left)
    mass, first, second = 0.0, 0.0, 0.0
    for k in range(len(_NODES)):
        s = half * _NODES[k]
        density = _WEIGHTS[k] * exp(-(middle + s) * (peak + 0.5 * (middle + s)))
        mass += density
        first += density * s
        second += density * s * s
    mean = first / mass
    return -math.copysign(peak + middle + mean, x), 1.0 - max(second / mass - mean * mean, 0.0)
