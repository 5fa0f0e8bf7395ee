"""Win curves with their slopes, as kernels take them: two that are known, and any other as a table.

Everything is in natural units: one unit of difference is odds of e to one on the logistic curve. Curves are
symmetric, so only the weaker side's chance and the slope are computed, at the distance |x|: far out nothing
is lost to rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from podium.arrays import Floats
from podium.numerics.jit import kernel
from podium.numerics.normal import NORMAL_PEAK, ROOT_HALF

LOGISTIC, NORMAL, TABULATED = 0, 1, 2
NODES_A_UNIT, TABLE_REACH = 64, 40
"""Of a table: it goes from 0 to `TABLE_REACH`, and stays level from there."""


class Curve(NamedTuple):
    """A win curve in the form kernels use: its kind, the width of a normal one, the table of any other."""

    kind: int
    width: float
    low: Floats
    """The weaker side's expected score at differences of 0, 1/64, 2/64, … units."""
    slope: Floats


@kernel
def weaker_chance(
    kind: int, width: float, low: Floats, slope: Floats, distance: float
) -> tuple[float, float, float]:
    """At a distance ≥ 0: the expected scores of the weaker and the stronger side, and the curve's slope."""
    if kind == LOGISTIC:
        e = math.exp(-distance)
        strong = 1.0 / (1.0 + e)
        weak = e * strong
        return weak, strong, weak * strong
    if kind == NORMAL:
        z = distance / width
        weak = 0.5 * math.erfc(z * ROOT_HALF)
        return weak, 1.0 - weak, NORMAL_PEAK * math.exp(-0.5 * z * z) / width
    return tabulated_chance(low, slope, distance)


@kernel
def tabulated_chance(low: Floats, slope: Floats, distance: float) -> tuple[float, float, float]:
    """Like `weaker_chance`, from a table: the cubic with values and slopes of both neighbours (Hermite).

    For a curve as smooth as the logistic the chance is off by 2e-11 at most, and the slope by 4e-9.
    """
    place = distance * NODES_A_UNIT
    if place >= len(low) - 1:
        return low[-1], 1.0 - low[-1], 0.0
    i = int(place)
    t = place - i
    h = 1.0 / NODES_A_UNIT
    rise = low[i + 1] - low[i]
    first, second = -h * slope[i], -h * slope[i + 1]  # the weaker side's chance falls
    square, cube = 3.0 * rise - 2.0 * first - second, first + second - 2.0 * rise
    weak = low[i] + t * (first + t * (square + t * cube))
    fall = first + t * (2.0 * square + 3.0 * t * cube)
    return weak, 1.0 - weak, max(-fall * NODES_A_UNIT, 0.0)
