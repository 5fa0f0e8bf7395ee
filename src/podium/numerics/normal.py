"""The normal distribution where it matters to contests: how surprising a win or a loss is.

The hazard h(z) = φ(z)/(1 − Φ(z)) is needed a million times a contest, far into both tails, so it has no
branches, no loops and no calls to the C library: compilers vectorise a loop over it.
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
