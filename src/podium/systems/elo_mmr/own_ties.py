"""What a tie adds to the sum of its own members' equation, which is not in the table of the whole contest.

Performances are logistic: a member adds w F(x) with F(x) = σ(w(x − μ)), where 1/w is the scale.
"""

from __future__ import annotations

import math

from podium.arrays import Floats
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel
from podium.numerics.panels import add_exactly


@kernel
def rough_tie(x: float, m: Floats, w: Floats, own: int, own_stop: int) -> float:
    """Σ w F over a tie to within a hundredth, without exponentials."""
    total = 0.0
    for j in range(own, own_stop):
        y = min(max(0.5 * (x - m[j]) * w[j], -3.0), 3.0)
        total += w[j] * (0.5 + 0.5 * y * (27.0 + y * y) / (27.0 + 9.0 * y * y))
    return total


@formula
def tie_series(
    x: float, m: Floats, w: Floats, own: int, own_stop: int, unit: float
) -> tuple[float, float, float, float, float]:
    """Σ w F over a tie, as a sum of whole weights and the rest; its next Taylor coefficients, by `unit`."""
    value, rest, first, second, third = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(own, own_stop):
        z = (x - m[j]) * w[j]
        e = exp(-abs(z))
        share = 1.0 / (1.0 + e)
        lack = e * share
        # Without a branch: whether somebody did better than expected is a guess, for the processor too.
        value, rest = add_exactly(value, rest, w[j] if z >= 0.0 else 0.0)
        rest += math.copysign(w[j] * lack, -z)
        steepness = unit * w[j]
        density = w[j] * lack * share * steepness
        first += density
        second += density * steepness * math.copysign(0.5, -z) * (share - lack)
        third += density * steepness * steepness * (1.0 / 6.0 - lack * share)
    return value, rest, first, second, third
