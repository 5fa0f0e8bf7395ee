"""Win curves as parameters: any symmetric curve with its derivative, by name, and as kernels take them.

Everything is in natural units: one unit of difference is odds of e to one on the logistic curve. Curves are
symmetric, so kernels compute the weaker side's chance and the slope, at the distance |x|: far out nothing is
lost to rounding. Two curves are known to kernels; any other is a table.

>>> WinCurve.find("logistic")
WinCurve('logistic')
>>> [round(float(p), 3) for p in WinCurve.find("normal")([0.0, LN10])]
[0.5, 0.909]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.named import Named, build_in, written
from podium.numerics.jit import kernel
from podium.numerics.normal import NORMAL_PEAK, ROOT_HALF, normal_win_probability
from podium.numerics.win_chances import LN10, logistic_of

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


TEN_TO_ONE = LN10 / NormalDist().inv_cdf(10.0 / 11.0)
"""The width of the normal curve on which, as on the logistic, `scale` points are odds of ten to one."""

_NO_TABLE = np.zeros(0)
_ASYMMETRY, _ROUGHNESS = 1e-9, 1e-2

Function = Callable[[Floats], Floats]


class WinCurve(Named):
    """f(d), the expected score of a side that is stronger by d, with a name.

    Differences are in natural units: one unit is scale / ln 10 points, odds of e to one on the logistic
    curve. The curve rises, with f(−d) = 1 − f(d). Kernels read it from a table of 64 nodes a unit up to 40
    units, and `error` is the table's largest error. ``WinCurve.register(curve)`` lets files and the command
    line find it by its name.

    Args:
        name: The name.
        curve: The NumPy function f.
        slope: Its slope f'(d), a NumPy function too.

    >>> cauchy = WinCurve("cauchy", lambda d: 0.5 + np.arctan(d) / np.pi, lambda d: 1 / np.pi / (1 + d**2))
    >>> bool(cauchy.error < 1e-8)
    True
    """

    def __init__(self, name: str, curve: Function, slope: Function) -> None:
        self.name = name
        self._curve, self._slope = curve, slope
        self._check()

    def __call__(self, difference: ArrayLike) -> Floats:
        """The expected score for differences in natural units."""
        d = np.clip(np.asarray(difference, np.float64), -TABLE_REACH, TABLE_REACH)
        weak = np.asarray(self._curve(-np.abs(d)), np.float64)
        return np.where(d < 0.0, weak, 1.0 - weak)

    def slope(self, difference: ArrayLike) -> Floats:
        """The derivative of the expected score at these differences."""
        d = np.clip(np.abs(np.asarray(difference, np.float64)), 0.0, TABLE_REACH)
        return np.broadcast_to(np.asarray(self._slope(d), np.float64), d.shape)

    @cached_property
    def steepest(self) -> float:
        """The slope at difference 0."""
        return float(self.slope(0.0))

    @cached_property
    def compiled(self) -> Curve:
        """The curve in the form kernels use: its kind, or a table."""
        nodes = np.arange(TABLE_REACH * NODES_A_UNIT + 1) / NODES_A_UNIT
        return Curve(TABULATED, 0.0, 1.0 - self(nodes), np.array(self.slope(nodes)))

    @cached_property
    def error(self) -> float:
        """The largest error of the table, half-way between its nodes."""
        _, _, low, slope = self.compiled
        h = 1.0 / NODES_A_UNIT
        between = (np.arange(len(low) - 1) + 0.5) * h
        read = 0.5 * (low[1:] + low[:-1]) + 0.125 * h * np.diff(slope)
        return float(np.abs(read - (1.0 - self(between))).max())

    def _check(self) -> None:
        """Refuse functions that are not a win curve, or a slope that does not belong to the curve."""
        d = np.linspace(-TABLE_REACH, TABLE_REACH, 2001)
        try:
            value, slope = np.asarray(self._curve(d), np.float64), np.asarray(self._slope(d), np.float64)
        except Exception as error:  # whatever a function of one's own may raise
            raise ParameterError(
                f"win curve {self.name} fails on an array of differences: {type(error).__name__}: {error}",
                hint="both functions take arrays: np.exp, not math.exp",
            ) from error
        if value.shape != d.shape or not (np.all(np.isfinite(value)) and np.all(np.isfinite(slope))):
            raise ParameterError(f"win curve {self.name}: both functions give a number for each number")
        if np.any(value < 0.0) or np.any(value > 1.0) or np.any(slope < 0.0):
            raise ParameterError(f"win curve {self.name}: it goes from 0 to 1 and never falls")
        if np.abs(value + value[::-1] - 1.0).max() > _ASYMMETRY or not self.steepest > 0.0:
            raise ParameterError(
                f"win curve {self.name}: f(−d) is 1 − f(d), and it rises at 0",
                hint="a home advantage is a separate parameter",
            )
        _, _, low, rising = self.compiled
        if np.abs(np.diff(low) + 0.5 * (rising[1:] + rising[:-1]) / NODES_A_UNIT).sum() > _ROUGHNESS:
            raise ParameterError(
                f"win curve {self.name}: the slope is not the derivative of the curve",
                hint="both take natural units: scale / ln 10 points each",
            )

    def __repr__(self) -> str:
        return f"WinCurve({self.name!r})"


class _Logistic(WinCurve):
    """1 / (1 + e^−d), computed as it stands."""

    error = 0.0

    def __init__(self) -> None:
        super().__init__("logistic", logistic_of, lambda d: logistic_of(d) * logistic_of(-d))

    @cached_property
    def compiled(self) -> Curve:
        return Curve(LOGISTIC, 0.0, _NO_TABLE, _NO_TABLE)


class _Normal(WinCurve):
    """Φ(d / width), computed as it stands."""

    error = 0.0

    def __init__(self, width: float | None = None) -> None:
        w = TEN_TO_ONE if width is None else width
        if not 1e-3 <= w <= 1e3:
            raise ParameterError(f"the width of a normal win curve goes from 0.001 to 1000, not {w:g}")
        self.width = w
        peak = 1.0 / (math.sqrt(2.0 * math.pi) * w)
        super().__init__(
            "normal" if width is None else written("normal", width),
            lambda d: normal_win_probability(d, w),
            lambda d: peak * np.exp(-0.5 * np.square(d / w)),
        )

    @cached_property
    def compiled(self) -> Curve:
        return Curve(NORMAL, self.width, _NO_TABLE, _NO_TABLE)


build_in(WinCurve, _Logistic(), normal=_Normal)
