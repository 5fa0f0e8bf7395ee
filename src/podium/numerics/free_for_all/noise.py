"""How performances of a day scatter: families of distributions, evaluated for many numbers at once.

The loops have no branches and no calls to the C library, so compilers vectorise them: a nanosecond a number.
"""

from __future__ import annotations

from podium.arrays import Floats
from podium.numerics.exponential import exp
from podium.numerics.jit import kernel
from podium.numerics.normal import NORMAL_PEAK, scaled_mills

GUMBEL, NORMAL, LOGISTIC = 0, 1, 2
FAMILIES = {"gumbel": GUMBEL, "normal": NORMAL, "logistic": LOGISTIC}
MASS_BETWEEN = {GUMBEL: (-3.7, 37.0), NORMAL: (-8.5, 8.5), LOGISTIC: (-37.0, 37.0)}
"""Where a distribution of scale 1 has its mass: less than 1e-16 lies beyond each end."""
PANEL_WIDTH = {GUMBEL: 2.5, NORMAL: 4.0, LOGISTIC: 4.5}
"""A width, in scales, over which 16 Gaussian nodes take a density and the sums of chances to be polynomials.

A logistic function has poles π scales from the real line; a Gumbel density grows beyond π/2, and a normal one
like the exponential of a square.
"""


@kernel
def chances_above(family: int, z: Floats, out: Floats) -> None:
    """The probability that a standard performance exceeds each z."""
    n = len(z)
    if family == GUMBEL:
        for i in range(n):
            y = exp(-z[i])
            few = y * (1.0 - 0.5 * y * (1.0 - y / 3.0 * (1.0 - 0.25 * y)))  # 1 − e^−y would lose its digits
            out[i] = few if y < 1e-3 else 1.0 - exp(-y)
    elif family == LOGISTIC:
        for i in range(n):
            out[i] = 1.0 / (1.0 + exp(z[i]))
    else:
        for i in range(n):
            a = abs(z[i])
            tail = exp(-0.5 * a * a) * NORMAL_PEAK * scaled_mills((a - 4.0) / (a + 4.0)) / (a + 4.0)
            out[i] = tail if z[i] >= 0.0 else 1.0 - tail


@kernel
def densities(family: int, z: Floats, out: Floats) -> None:
    """The density of a standard performance at each z."""
    n = len(z)
    if family == GUMBEL:
        for i in range(n):
            out[i] = exp(-z[i] - exp(-z[i]))
    elif family == LOGISTIC:
        for i in range(n):
            e = exp(-abs(z[i]))
            out[i] = e / ((1.0 + e) * (1.0 + e))
    else:
        for i in range(n):
            out[i] = exp(-0.5 * z[i] * z[i]) * NORMAL_PEAK
