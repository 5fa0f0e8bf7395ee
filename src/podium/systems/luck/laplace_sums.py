"""Sums over Laplace curves in one walk to the right and one to the left (Cowan, section 4.3).

Mass sits at any points on the line and sums are asked for at any others, both in ascending order. Between two
points an exponential only decays (Observation 4.4), so a walk carries all that lies behind it in one number.
"""

from __future__ import annotations

import math

from podium.arrays import Floats
from podium.numerics.jit import kernel


@kernel
def laplace_densities(xs: Floats, mass: Floats, ys: Floats, width: float, out: Floats) -> None:
    """Fill Σₖ ρ(xₖ) f(y − xₖ), where f is the Laplace density e^(−|d|/b) / 2b (Algorithm 4.5)."""
    _walk(xs, mass, ys, width, 0.5 / width, 0.5 / width, 0.0, out)


@kernel
def laplace_chances(xs: Floats, mass: Floats, ys: Floats, width: float, out: Floats) -> None:
    """Fill Σₖ ρ(xₖ) F(y − xₖ), where F is the integral of the Laplace density (Algorithm 4.6)."""
    _walk(xs, mass, ys, width, -0.5, 0.5, 1.0, out)


@kernel
def _walk(
    xs: Floats, mass: Floats, ys: Floats, width: float, left: float, right: float, full: float, out: Floats
) -> None:
    """`left` times what decays from the left, `right` times the same from the right, and mass passed."""
    step, decay = 0.0, 1.0  # on a grid all steps are alike, and one exponential serves them all
    i, passed, carried, here = 0, 0.0, 0.0, xs[0]
    for j in range(len(ys)):
        while i < len(xs) and xs[i] <= ys[j]:
            if xs[i] - here != step:
                step = xs[i] - here
                decay = math.exp(-step / width)
            carried = decay * carried + mass[i]
            passed += mass[i]
            here = xs[i]
            i += 1
        rest = carried if here == ys[j] or i == 0 else math.exp(-(ys[j] - here) / width) * carried
        out[j] = full * passed + left * rest
    i, carried, here = len(xs) - 1, 0.0, xs[len(xs) - 1]
    for j in range(len(ys) - 1, -1, -1):
        while i >= 0 and xs[i] > ys[j]:
            if here - xs[i] != step:
                step = here - xs[i]
                decay = math.exp(-step / width)
            carried = decay * carried + mass[i]
            here = xs[i]
            i -= 1
        if i < len(xs) - 1:
            if here - ys[j] != step:
                step = here - ys[j]
                decay = math.exp(-step / width)
            out[j] += right * (decay * carried)
