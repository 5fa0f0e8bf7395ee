"""The normal distribution where it matters to contests: how surprising a win or a loss is.

The hazard h(z) = φ(z)/(1 − Φ(z)) is needed a million times a contest, far into both tails, so it has no
branches, no loops and no calls to the C library: compilers vectorise a loop over it.

A win says that a difference is above a bound, a draw that it lies between two: mean and variance are needed
of a standard normal number of which only a range is left. The textbook formulas subtract nearly equal numbers
far in the tails: an upset of ten deviations loses two digits, one of a thousand all. Here nothing cancels:
closed forms where they keep their digits, polynomials through exact values for the tail beyond one bound,
Gauss–Legendre quadrature of the density between two.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel

NORMAL_PEAK = 1.0 / math.sqrt(2.0 * math.pi)
"""The standard normal density at 0."""
ROOT_HALF = math.sqrt(0.5)
FARTHEST_DEVIATIONS = 37.5
"""Beyond these the tail of the normal distribution, below 1e-307, counts as nothing."""


@formula
def hazard(z: float) -> float:
    """φ(z)/(1 − Φ(z)), accurate to about 3e-15 relative for every z."""
    a = abs(z)
    inverse = 1.0 / (a + 4.0)
    mills = scaled_mills((a - 4.0) * inverse) * inverse
    density = exp(-0.5 * a * a) * NORMAL_PEAK
    above = 0.5 + math.copysign(0.5, z)  # 1 or 0: a condition would keep the compiler from vectorising
    below = 1.0 - above
    return (above + below * density) / (above * mills + below * (1.0 - density * mills))


@formula
def hazards(z: float) -> tuple[float, float]:
    """h(z) and h(−z), which cost little more than one of them."""
    a = abs(z)
    inverse = 1.0 / (a + 4.0)
    mills = scaled_mills((a - 4.0) * inverse) * inverse
    density = exp(-0.5 * a * a) * NORMAL_PEAK
    below = density * mills
    both = 1.0 / (mills * (1.0 - below))
    high, low = (1.0 - below) * both, below * both
    above = 0.5 + math.copysign(0.5, z)  # 1 or 0, as in `hazard`
    return above * high + (1.0 - above) * low, above * low + (1.0 - above) * high


@formula
def scaled_mills(t: float) -> float:
    """(z + 4) times the Mills ratio (1 − Φ(z))/φ(z), where t = (z − 4)/(z + 4) and z ≥ 0.

    The polynomial through its values at 22 Chebyshev nodes, which were computed in 60 digits; even and odd
    powers apart, so that the processor can work on both.
    """
    u = t * t
    even = 1.6941044496128486e-08
    even = even * u - 1.4192274407094445e-07
    even = even * u + 5.888136419758956e-07
    even = even * u - 1.504020858052661e-06
    even = even * u + 1.7576622866877578e-06
    even = even * u - 4.770245141370666e-06
    even = even * u + 0.00033424187000875746
    even = even * u - 0.008722294934670206
    even = even * u + 0.15139176229082396
    even = even * u + 0.970409554868127
    even = even * u + 1.893219063308483
    odd = -3.126368774356563e-09
    odd = odd * u + 4.865441022034113e-08
    odd = odd * u - 4.0574430520271746e-07
    odd = odd * u + 2.5731047677420953e-06
    odd = odd * u - 1.4845580970857103e-05
    odd = odd * u + 8.8096507875331e-05
    odd = odd * u - 0.0005792694653014752
    odd = odd * u + 0.004087855699923973
    odd = odd * u - 0.018900450862729047
    odd = odd * u - 0.4675409629983191
    odd = odd * u - 1.5237709108199833
    return even + t * odd


@kernel
def _wins(difference: Floats, deviation: Floats, out: Floats) -> None:
    """Φ(z) by the Mills ratio, as in `hazard`; the loop is vectorised, which one over math.erfc is not."""
    for i in range(len(difference)):
        z = difference[i] / deviation[i]
        a = min(abs(z), FARTHEST_DEVIATIONS)
        inverse = 1.0 / (a + 4.0)
        tail = exp(-0.5 * a * a) * NORMAL_PEAK * scaled_mills((a - 4.0) * inverse) * inverse
        tail = tail if a < FARTHEST_DEVIATIONS else 0.0
        tail = tail if a > 0.0 else 0.5
        chance = tail if z < 0.0 else 1.0 - tail
        out[i] = chance if z == z else math.nan


def normal_win_probability(difference: ArrayLike, deviation: ArrayLike) -> Floats:
    """Φ(difference/deviation): the probability that a normal difference is above zero.

    >>> normal_win_probability([0.0, 400.0], 200.0).round(6).tolist()
    [0.5, 0.97725]
    """
    d, s = np.broadcast_arrays(np.asarray(difference, np.float64), np.asarray(deviation, np.float64))
    out = np.empty(d.shape)
    _wins(d.flatten(), s.flatten(), out.ravel())
    return out


@kernel
def normal_quantile(p: float) -> float:
    """Φ⁻¹(p): the value below which a standard normal number lies with probability p; ∓∞ for 0 and 1.

    Accurate to the last place or two, down to the smallest normal number. A chance near 1 has lost the digits
    that matter: who knows 1 − p takes −Φ⁻¹(1 − p).

    >>> round(normal_quantile(0.975), 12)
    1.95996398454
    """
    if not 0.0 < p < 1.0:
        return -math.inf if p == 0.0 else math.inf if p == 1.0 else math.nan
    tail = min(p, 1.0 - p)
    # Abramowitz and Stegun, 26.2.23: within 4.5e-4, which Halley's method makes 1e-11, then nothing.
    t = math.sqrt(-2.0 * math.log(tail))
    above, below = 2.515517 + t * (0.802853 + t * 0.010328), 1.432788 + t * (0.189269 + t * 0.001308)
    a = t - above / (1.0 + t * below)
    for _ in range(2):
        if tail > 0.25:  # near the middle, what counts is the distance from ½
            density = NORMAL_PEAK * math.exp(-0.5 * a * a)
            short = ((0.5 - tail) - 0.5 * math.erf(a * ROOT_HALF)) / density
            a += short / (1.0 - 0.5 * a * short)
        else:  # in the tail, the logarithm, whose slope is the hazard
            mills = scaled_mills((a - 4.0) / (a + 4.0)) / (a + 4.0)
            short = mills * math.log(0.5 * math.erfc(a * ROOT_HALF) / tail)
            a += short / (1.0 + 0.5 * short * (1.0 / mills - a))
    return -a if p < 0.5 else a


@kernel
def _quantiles(p: Floats, out: Floats) -> None:
    for i in range(len(p)):
        out[i] = normal_quantile(p[i])


def normal_quantiles(p: ArrayLike) -> Floats:
    """Φ⁻¹ of probabilities, in an array of any shape.

    >>> normal_quantiles([0.5, 0.975]).round(6).tolist()
    [0.0, 1.959964]
    """
    chances = np.asarray(p, np.float64)
    out = np.empty(chances.shape)
    _quantiles(chances.ravel(), out.ravel())
    return out


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
