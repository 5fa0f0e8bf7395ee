"""The chance of everybody to win, in many small fields at once.

It is ∫ fᵢ(x) Π Fⱼ(x) dx over the others j of a field. The integrand is smooth and vanishes at both ends, so
sums over equal steps converge geometrically: with a third of the smallest scale they are exact to 1e-11.
Performances that follow Gumbel distributions of one scale need no sum: chances are as e^(location/scale).
"""

from __future__ import annotations

import math

import numpy as np

from podium.history.core import Floats, Longs
from podium.numerics.exponential import exp
from podium.numerics.jit import kernel
from podium.numerics.noise import FAMILIES, GUMBEL, REACH, chances_above, densities

STEPS = 3
"""Steps a scale."""


def winning_chances(family: str, location: Floats, scale: Floats, offsets: Longs) -> Floats:
    """The chance of each player to win their field; field i has the players offsets[i] to offsets[i + 1].

    >>> winning_chances("gumbel", np.log([2.0, 1.0, 1.0, 5.0, 5.0]), np.ones(5), np.array([0, 3, 5])).tolist()
    [0.5, 0.25, 0.25, 0.5, 0.5]
    """
    out = np.empty(len(location))
    number = FAMILIES[family]
    _win(
        number, *REACH[number], np.asarray(location, np.float64), np.asarray(scale, np.float64), offsets, out
    )
    return out


@kernel
def _win(
    family: int, low: float, high: float, location: Floats, scale: Floats, offsets: Longs, out: Floats
) -> None:
    for field in range(len(offsets) - 1):
        a, b = offsets[field], offsets[field + 1]
        if family == GUMBEL and np.all(scale[a:b] == scale[a]):
            _share(location[a:b], scale[a], out[a:b])
        else:
            _sum_up(family, low, high, location[a:b], scale[a:b], out[a:b])


@kernel
def _share(location: Floats, scale: float, out: Floats) -> None:
    """Chances as e^(location/scale)."""
    top, total = location.max(), 0.0
    for i in range(len(location)):
        out[i] = exp((location[i] - top) / scale)
        total += out[i]
    for i in range(len(location)):
        out[i] /= total


@kernel
def _sum_up(family: int, low: float, high: float, location: Floats, scale: Floats, out: Floats) -> None:
    """The integral as a sum over equal steps."""
    n = len(location)
    z, above, density = np.empty(n), np.empty(n), np.empty(n)
    start, end = -math.inf, -math.inf
    for i in range(n):  # somebody always performs better than `start`, and nobody better than `end`
        start, end = max(start, location[i] + low * scale[i]), max(end, location[i] + high * scale[i])
        out[i] = 0.0
    step = scale.min() / STEPS
    nodes = int((end - start) / step) + 1
    total = 0.0
    for node in range(nodes + 1):
        x = start + node * step
        for i in range(n):
            z[i] = (x - location[i]) / scale[i]
        chances_above(family, z, above)
        densities(family, z, density)
        product = 1.0
        for i in range(n):
            product *= 1.0 - above[i]
        if product <= 0.0:
            continue
        for i in range(n):
            mass = density[i] / scale[i] * product / (1.0 - above[i])
            out[i] += mass
            total += mass
    for i in range(n):
        out[i] /= total
