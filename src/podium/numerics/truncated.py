"""Mean and variance of a standard normal number of which only a range is left, anywhere in its tails.

A win says that a difference is above a bound, a draw that it lies between two. The textbook formulas
subtract nearly equal numbers far in the tails: an upset of ten deviations loses two digits, one of a thousand
all. Here nothing cancels: closed forms where they keep their digits, polynomials through exact values for
the tail beyond one bound, Gauss–Legendre quadrature of the density between two.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel
from podium.numerics.normal import hazard

_NODES, _WEIGHTS = (0.5 * array for array in np.polynomial.legendre.leggauss(32))
GAUSS_NODES: Floats = 0.5 + _NODES
"""Of Gauss–Legendre quadrature from 0 to 1."""
GAUSS_WEIGHTS: Floats = _WEIGHTS
TAIL_FROM = 2.0
"""From here on the closed form of the variance loses digits."""
NO_BOUND_BELOW = -37.5
"""Below this a bound leaves out less than the smallest number."""
WIDE_RANGE = 4.0
"""Ranges around the middle that are wider than this have a mass near 1."""
NEGLIGIBLE_EXPONENT = 80.0
"""Twice the exponent beyond which a density is nothing beside its peak: e^−40."""


@kernel
def above(a: float) -> tuple[float, float, float]:
    """Mean, variance and 1 − variance of a standard normal number given that it is above a."""
    if a < NO_BOUND_BELOW:
        return 0.0, 1.0, 0.0
    if a < TAIL_FROM:
        mean = hazard(a)
        lost = mean * (mean - a)
        return mean, 1.0 - lost, lost
    mean, variance = tail(a)
    return a + mean, variance, 1.0 - variance


_TAIL = np.array(
    [
        (1.1089706701200587e-10, 1.1186418921677536e-11, 2.1814086911731964e-09, 5.642403093122563e-10),
        (-1.2899504125202715e-09, 2.0245891951911498e-11, -2.692653103678523e-08, -3.639798828501463e-09),
        (8.733377072646582e-09, -1.5976036947044593e-09, 1.94959758355599e-07, -2.17713149569022e-09),
        (-4.9435344614491794e-08, 1.930389355767395e-08, -1.1668730380452888e-06, 1.8479953536343213e-07),
        (2.8583947868775977e-07, -1.6413602459692356e-07, 6.748295465998972e-06, -1.830491838403918e-06),
        (-1.9306183372998146e-06, 1.2049640781946264e-06, -4.0761895613690556e-05, 1.2865093425909813e-05),
        (1.5622679300170578e-05, -8.122311257520813e-06, 0.0002611946775704729, -7.429934024932016e-05),
        (-0.00014041066785382017, 4.983042414323924e-05, -0.001712169784084, 0.00034207721857986524),
        (0.0012811975835672, -0.00024738742339961215, 0.010700095043649981, -0.0008558140113068538),
        (-0.01091564815732101, 0.00033334008338829573, -0.05624494120324211, -0.005687145003710847),
        (0.06734362501425636, 0.01756748600143804, 0.14932841703844796, 0.11393253663513314),
        (1.3754561322650327, -0.4507350373971904, 1.8261911696622233, -1.0361573248228946),
    ]
)
"""Even and odd coefficients, from the highest, of polynomials in u = 1 − 10/(a + 3) through values at 24
Chebyshev nodes, in 60 digits: of (a + 3) times the mean beyond a, and of (a + 3)² times the variance."""


@kernel
def tail(a: float) -> tuple[float, float]:
    """Mean minus a, and variance, of a standard normal number above a ≥ 2, to about 1e-15 relative."""
    scale = 1.0 / (a + 3.0)
    u = 1.0 - 10.0 * scale
    square = u * u
    mean_even, mean_odd, even, odd = 0.0, 0.0, 0.0, 0.0
    for k in range(len(_TAIL)):
        mean_even, mean_odd = mean_even * square + _TAIL[k, 0], mean_odd * square + _TAIL[k, 1]
        even, odd = even * square + _TAIL[k, 2], odd * square + _TAIL[k, 3]
    return (mean_even + u * mean_odd) * scale, (even + u * odd) * scale * scale


FAR_TAIL_FROM = 60.0
"""From here on what the variance lacks to 1 is 1 − 1/a² + …: h (h − a) would have lost eleven digits."""


@formula
def above_in_loops(a: float) -> tuple[float, float]:
    """Mean and 1 − variance: V and W of Weng and Lin (2011). To 1e-11, but vectorisable."""
    mean = hazard(a)
    u = 1.0 / max(a * a, 1.0)
    series = 1.0 - u * (1.0 - u * (6.0 - u * (50.0 - u * 518.0)))
    near = mean * (mean - a)
    return mean, series if a > FAR_TAIL_FROM else near


@kernel
def between(a: float, b: float) -> tuple[float, float, float]:
    """Like `above`, for a number between a and b; if these are equal, the number is known exactly."""
    if a == b:
        return a, 0.0, 1.0
    sign = 1.0
    if a + b < 0.0:
        sign, a, b = -1.0, -b, -a
    if a < 0.0 and b - a > WIDE_RANGE:
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
    return NEGLIGIBLE_EXPONENT / (math.hypot(a, math.sqrt(NEGLIGIBLE_EXPONENT)) + a)


@kernel
def _beyond(a: float, width: float) -> tuple[float, float]:
    """Mean and variance of z − a, for z between a and a + width."""
    mass, first = 0.0, 0.0
    for k in range(len(GAUSS_NODES)):
        t = width * GAUSS_NODES[k]
        density = GAUSS_WEIGHTS[k] * exp(-t * (a + 0.5 * t))
        mass += density
        first += density * t
    mean = first / mass
    second = 0.0
    for k in range(len(GAUSS_NODES)):
        t = width * GAUSS_NODES[k]
        second += GAUSS_WEIGHTS[k] * exp(-t * (a + 0.5 * t)) * (t - mean) ** 2
    return mean, second / mass


@kernel
def _density(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
