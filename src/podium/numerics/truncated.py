"""Mean and variance of a standard normal number of which only a range is left, anywhere in its tails.

A win says that a difference is above a bound, a draw that it lies between two. The textbook formulas
subtract nearly equal numbers far in the tails: an upset of ten deviations loses two digits, one of a thousand
all. Here every case is a sum of positive terms: closed forms where nothing cancels, Gauss–Legendre quadrature
of the density beyond its first bound elsewhere.
"""

from __future__ import annotations

import math

import numpy as np

from podium.history.core import Floats
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel
from podium.numerics.normal import hazard

_NODES, _WEIGHTS = (0.5 * array for array in np.polynomial.legendre.leggauss(32))
NODES: Floats = 0.5 + _NODES
"""Of Gauss–Legendre quadrature from 0 to 1."""
WEIGHTS: Floats = _WEIGHTS
TAIL = 2.0
"""From here on the closed form of the variance loses digits."""
CERTAIN = -37.5
"""Below this a bound leaves out less than the smallest number."""
WIDE = 4.0
"""Ranges around the middle that are wider than this have a mass near 1."""
NEGLIGIBLE = 80.0
"""Twice the exponent beyond which a density is nothing beside its peak: e^−40."""


@kernel
def above(a: float) -> tuple[float, float, float]:
    """Mean, and the variance and what it lacks to 1, of a standard normal number above a."""
    if a < CERTAIN:
        return 0.0, 1.0, 0.0
    if a < TAIL:
        mean = hazard(a)
        lost = mean * (mean - a)
        return mean, 1.0 - lost, lost
    mean, variance = _beyond(a, _reach(a))
    return a + mean, variance, 1.0 - variance


FAR = 60.0
"""From here on what the variance lacks to 1 is 1 − 1/a² + …: h (h − a) would have lost eleven digits."""


@formula
def above_in_loops(a: float) -> tuple[float, float]:
    """Mean, and what the variance lacks to 1: V and W of Weng and Lin (2011). To 1e-11, but vectorisable."""
    mean = hazard(a)
    u = 1.0 / max(a * a, 1.0)
    series = 1.0 - u * (1.0 - u * (6.0 - u * (50.0 - u * 518.0)))
    near = mean * (mean - a)
    return mean, series if a > FAR else near


@kernel
def between(a: float, b: float) -> tuple[float, float, float]:
    """The same of one between a and b; where they are equal it is known exactly."""
    sign = 1.0
    if a + b < 0.0:
        sign, a, b = -1.0, -b, -a
    if a < 0.0 and b - a > WIDE:
        mass = 0.5 * (math.erfc(-b / math.sqrt(2.0)) - math.erfc(-a / math.sqrt(2.0)))
        at_a, at_b = _density(a) / mass, _density(b) / mass
        mean = at_a - at_b
        lost = mean * mean + b * at_b - a * at_a
        return sign * mean, 1.0 - lost, lost
    mean, variance = _beyond(a, min(b - a, _reach(a)))
    return sign * (a + mean), variance, 1.0 - variance


@kernel
def _reach(a: float) -> float:
    """How far beyond a there is any mass: √(a² + 80) − a, without the difference."""
    return NEGLIGIBLE / (math.hypot(a, math.sqrt(NEGLIGIBLE)) + a)


@kernel
def _beyond(a: float, width: float) -> tuple[float, float]:
    """Mean and variance of z − a, for z between a and a + width."""
    mass, first = 0.0, 0.0
    for k in range(len(NODES)):
        t = width * NODES[k]
        density = WEIGHTS[k] * exp(-t * (a + 0.5 * t))
        mass += density
        first += density * t
    mean = first / mass
    second = 0.0
    for k in range(len(NODES)):
        t = width * NODES[k]
        second += WEIGHTS[k] * exp(-t * (a + 0.5 * t)) * (t - mean) ** 2
    return mean, second / mass


@kernel
def _density(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
