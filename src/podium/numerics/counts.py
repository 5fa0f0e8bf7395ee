"""How many of a field are above a line: sums of independent yes-or-no chances (Poisson-binomial).

Such a count is concentrated: by Bernstein's inequality it is further than `reach` from its mean with a chance
of at most 2e-20, and only counts within that window are worked on.
"""

from __future__ import annotations

import math

from podium.history.core import Floats
from podium.numerics.jit import kernel

_FAR = 46.0  # e^−46 = 1e-20
NEVER = 1e-18
"""A chance so small, or so near to one, is none: less than rounding, even of thousands of them."""


@kernel
def reach(variance: float) -> float:
    """t with exp(−t²/(2·variance + 2t/3)) = e^−46."""
    return _FAR / 3.0 + math.sqrt(_FAR * _FAR / 9.0 + 2.0 * _FAR * variance)


@kernel
def add_chances(
    chances: Floats, pmf: Floats, spare: Floats, low: int, high: int, mean: float, variance: float
) -> tuple[int, int]:
    """Add independent chances to a count distributed as ``pmf[low:high]``, with these moments; its new window.

    `pmf` and `spare` have room for one number a chance more than the window, and one.
    """
    swapped = False
    for p in chances:
        if p < NEVER:
            continue
        mean += p
        variance += p * (1.0 - p)
        t = reach(variance)
        start = max(low, int(math.floor(mean - t)))
        stop = min(high + 1, int(math.ceil(mean + t)) + 1)
        pmf[high] = 0.0
        spare[start] = (1.0 - p) * pmf[start] + (p * pmf[start - 1] if start > low else 0.0)
        for k in range(start + 1, stop):  # from one array into another: the compiler vectorises it
            spare[k] = pmf[k] + p * (pmf[k - 1] - pmf[k])
        pmf, spare, swapped = spare, pmf, not swapped
        low, high = start, stop
    if swapped:
        for k in range(low, high):
            spare[k] = pmf[k]
    return low, high
