"""Luck functions Λ(x, y): the score a player of strength x can expect against one of strength y.

Alex Cowan, "Paired comparisons for games of chance" (2023), Model 2.1 and the examples after it. Λ is what a
game is like, above all how much luck is in it. On the line, strengths are natural: odds of one unit are e to
one, and podium shows x as 1500 + 400 x / ln 10 unless told otherwise (Eq. 3).

>>> float(LuckFunction.find("logistic")(1.0, 1.0))
0.5
>>> round(float(coin_flip(LOGISTIC, beta=0.8)(9.0, -9.0)), 3)
0.9
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.named import Named, build_in, written
from podium.numerics.normal import normal_win_probability
from podium.numerics.win_chances import LN10, logistic_of

NEAREST_NORMAL = 1.702
"""The width of the normal curve that comes nearest to the logistic one (0.0095 apart at most)."""


class LuckFunction(Named):
    """Λ(x, y) on any space of strengths, with a name.

    ``LuckFunction.register(function)`` lets files and the command line find it by its name.

    Args:
        name: The name.
        function: The expected score of x against y. For strengths on the line it takes arrays.
        symmetric: Whether Λ(x, y) = 1 − Λ(y, x). It is not if the first of the two moves first.

    >>> import podium
    >>> steep = podium.LuckFunction("example", lambda x, y: 1 / (1 + 100 ** ((y - x) / 400)))
    >>> round(float(steep(200.0, 0.0)), 3)
    0.909
    """

    def __init__(self, name: str, function: Callable[[Any, Any], Any], *, symmetric: bool = True) -> None:
        self.name = name
        self.symmetric = symmetric
        self._function = function

    def __call__(self, x: Any, y: Any) -> Any:
        """The expected score of strength `x` against strength `y`."""
        return self._function(x, y)

    def reversed(self) -> LuckFunction:
        """The game from the second player's view: 1 − Λ(y, x), equal to Λ(x, y) if it is symmetric."""
        if self.symmetric:
            return self
        return LuckFunction(f"{self.name}-reversed", lambda x, y: 1 - self(y, x), symmetric=False)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Sigmoid(LuckFunction):
    """Λ(x, y) = F(x − y) on the line, rising from 0 to 1.

    `breaks` are the differences at which F is not smooth. A curve with all derivatives has none.
    """

    def __init__(self, name: str, curve: Callable[[Floats], Floats], *, breaks: Sequence[float] = ()) -> None:
        super().__init__(name, self._between)
        self.curve = curve
        self.breaks = tuple(breaks)

    def _between(self, x: Any, y: Any) -> Any:
        gap = np.asarray(np.subtract(x, y), np.float64)
        try:
            return np.asarray(self.curve(gap))[()]  # a number for a number, an array for an array
        except Exception as error:  # whatever a function of one's own may raise
            what = f"{type(error).__name__}: {error}"
            raise ParameterError(f"{self.name} fails on an array of differences: {what}") from error


class Preset(Sigmoid):
    """One of podium's own curves with a number; the type tells it from a user's curve of the same name."""


class LaplaceMixture(Sigmoid):
    """F = Σ pⱼ F(· | aⱼ), a mixture of Laplace distributions (section 4.3)."""

    def __init__(self, shares: Sequence[float], widths: Sequence[float]) -> None:
        if len(shares) != len(widths) or not len(shares) or min(shares) < 0 or min(widths) <= 0:
            raise ParameterError("a mixture needs a share, 0 or more, and a positive width for each part")
        if not math.isclose(sum(shares), 1.0, rel_tol=0, abs_tol=1e-9):
            raise ParameterError(f"the shares of a mixture add up to one, not {sum(shares):g}")
        self.shares, self.widths = tuple(shares), tuple(widths)
        single = len(shares) == 1
        numbers = widths if single else [n for pair in zip(shares, widths, strict=True) for n in pair]
        super().__init__(written("laplace", *numbers), self._mixture, breaks=(0.0,))

    def _mixture(self, d: Floats) -> Floats:
        # ½ e^(−|d|/a) below 0, and one minus that above.
        total = np.zeros(np.shape(d))
        for share, width in zip(self.shares, self.widths, strict=True):
            tail = 0.5 * np.exp(-np.abs(d) / width)
            total += share * np.where(np.less(d, 0.0), tail, 1.0 - tail)
        return total


LOGISTIC = Sigmoid("logistic", logistic_of)
"""Bradley and Terry's curve on the line (Example 2.5 with x ↦ eˣ)."""

HEAVISIDE = Sigmoid("heaviside", lambda d: np.heaviside(d, 0.5), breaks=(0.0,))
"""Whoever is better wins (Example 2.4)."""

FIDE = Sigmoid("fide", lambda d: logistic_of(np.clip(d, -LN10, LN10)), breaks=(-LN10, LN10))
"""The logistic curve up to odds of ten to one, and level from there (Example 2.8)."""


def normal(width: float = NEAREST_NORMAL) -> Sigmoid:
    """Thurstone and Mosteller's Φ(d / width) (Example 2.6)."""
    if not width > 0:
        raise ParameterError(f"a width is positive, not {width:g}")
    return Preset(written("normal", width), lambda d: normal_win_probability(d, width))


def margin(epsilon: float = 0.1) -> Sigmoid:
    """As in TrueSkill: half a point each if strengths differ by at most `epsilon` (Example 2.7)."""
    if not epsilon >= 0:
        raise ParameterError(f"a margin is 0 or more, not {epsilon:g}")

    def curve(d: Floats) -> Floats:
        return 0.5 * (1.0 + np.greater(d, epsilon) - np.less(d, -epsilon))

    return Preset(written("margin", epsilon), curve, breaks=(-epsilon, epsilon))


def laplace(*numbers: float) -> LaplaceMixture:
    """``laplace(width)``, or a mixture as ``laplace(share, width, share, width, ...)``."""
    if len(numbers) <= 1:
        return LaplaceMixture([1.0], numbers or [1.0])
    if len(numbers) % 2:
        raise ParameterError("a mixture of Laplace curves is written share, width, share, width, ...")
    return LaplaceMixture(numbers[::2], numbers[1::2])


def coin_flip(luck: LuckFunction, beta: float) -> LuckFunction:
    """The game G_β: `luck` decides with probability `beta`, a coin otherwise (Example 2.9)."""
    if not 0.0 <= beta <= 1.0:
        raise ParameterError(f"beta is a chance, from 0 to 1, not {float(beta):g}")
    return LuckFunction(
        written(f"{luck.name}+coin", beta),
        lambda x, y: (1 - beta) / 2 + beta * luck(x, y),
        symmetric=luck.symmetric,
    )


FAIR_COIN = LuckFunction("fair-coin", lambda x, y: 0.5)
"""Nothing but luck, on any space (Example 2.4)."""


def _bradley_terry(x: Any, y: Any) -> Any:
    lowest = min(np.min(x), np.min(y))
    if lowest <= 0:
        raise ParameterError(f"bradley-terry takes strengths above zero, not {float(lowest):g}")
    exact = isinstance(x, Rational) and isinstance(y, Rational)
    return Fraction(int(x.numerator), int(x.denominator)) / (x + y) if exact else x / (x + y)


BRADLEY_TERRY = LuckFunction("bradley-terry", _bradley_terry)
"""x / (x + y) for strengths above zero (Example 2.5); exact where they are integers or fractions."""


def _majority(x: Sequence[float], y: Sequence[float]) -> float:
    better = sum(a > b for a, b in zip(x, y, strict=True))
    worse = sum(a < b for a, b in zip(x, y, strict=True))
    return 1.0 if 2 * better > len(x) else 0.0 if 2 * worse > len(x) else 0.5


MAJORITY = LuckFunction("majority", _majority)
"""Strengths of several coordinates: whoever is ahead in most of them wins, so that A may beat B, B beat C and
C beat A (Example 2.10)."""


build_in(LuckFunction, LOGISTIC, HEAVISIDE, FIDE, FAIR_COIN, normal=normal, margin=margin, laplace=laplace)
