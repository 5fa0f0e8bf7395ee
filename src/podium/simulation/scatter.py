"""Distributions by name, of mean 0 and deviation 1: how skills differ, and how performances scatter.

>>> Scatter.find("student(5)")
Scatter('student(5)')
>>> Scatter.find("logistic").draw(np.random.default_rng(1), 3).round(2).tolist()
[0.03, 1.63, -0.98]

Kinds of numbers that parameters of simulations are: chances, points, counts, with their ranges.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.named import Named, build_in, written
from podium.parameters import parameter


def chance(default: float, meaning: str) -> Any:
    """Declare a parameter that is a chance, or a part of something."""
    return parameter(default, meaning, high=1.0, hint="a part, from 0 to 1")


def some_part(default: float, meaning: str) -> Any:
    """Declare a parameter that is the part of people who come: somebody does."""
    return parameter(default, meaning, low=1e-6, high=1.0, hint="a part, above 0 and up to 1")


def points(default: float, meaning: str) -> Any:
    """Declare a parameter that is a rating, or a difference of two."""
    return parameter(default, meaning, low=-1e6, high=1e6, hint="points")


def deviation(default: float, meaning: str) -> Any:
    """Declare a parameter that is a standard deviation, or another distance, in points."""
    return parameter(default, meaning, high=1e5, hint="points, 0 or more")


def positive(default: float, meaning: str) -> Any:
    """Declare a parameter that is a number above 0."""
    return parameter(default, meaning, low=1e-6, hint="a number above 0")


def amount(default: float, meaning: str) -> Any:
    """Declare a parameter that is a number from 0."""
    return parameter(default, meaning, hint="a number from 0")


def count(default: int, meaning: str, least: int = 1, most: float = 1e8) -> Any:
    """Declare a parameter that counts people, events or games."""
    words = {0: "a whole number, 0 or more", 1: "one or more", 2: "two or more"}
    return parameter(default, meaning, low=least, high=most, hint=words[least])


Draw = Callable[[np.random.Generator, int], Floats]
GUMBEL_MEAN = 0.5772156649015329
"""The mean of a standard Gumbel distribution."""


class Scatter(Named):
    """A distribution of mean 0 and deviation 1, by name.

    ``Scatter.register(Scatter("mine", draw))`` lets the command line find one of your own, where `draw` is a
    function of a NumPy generator and a number.
    """

    def __init__(self, name: str, draw: Draw) -> None:
        self.name = name
        self._draw = draw

    def draw(self, chance: np.random.Generator, size: int) -> Floats:
        """An array of `size` numbers drawn from it."""
        drawn = np.asarray(self._draw(chance, size))
        if drawn.shape != (size,) or drawn.dtype.kind not in "fiu" or not np.isfinite(drawn).all():
            raise ParameterError(
                f"{self.name!r} does not draw {size} finite numbers",
                hint="draw(generator, size) gives an array of so many, of mean 0 and deviation 1",
            )
        return drawn.astype(np.float64, copy=False)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def student(tails: float = 3.0) -> Scatter:
    """Student's t: the fewer degrees of freedom, the heavier its `tails`; two or fewer have no deviation."""
    if not tails > 2.0:
        raise ParameterError(f"student({tails:g}) has no deviation", hint="tails must be above 2, such as 3")
    width = math.sqrt((tails - 2.0) / tails)
    return Scatter(written("student", tails), lambda chance, size: width * chance.standard_t(tails, size))


def two_groups(apart: float = 4.0) -> Scatter:
    """Half of them around one mean and half around another, `apart` deviations of one group between."""
    if not 0.0 <= apart <= 1e6:
        raise ParameterError(f"groups that are {apart:g} apart", hint="deviations of one group, 0 or more")
    width = 1.0 / math.hypot(1.0, 0.5 * apart)

    def draw(chance: np.random.Generator, size: int) -> Floats:
        side = chance.integers(2, size=size) - 0.5
        return width * (chance.standard_normal(size) + apart * side)

    return Scatter(written("two-groups", apart), draw)


build_in(
    Scatter,
    Scatter("normal", lambda chance, size: chance.standard_normal(size)),
    Scatter("logistic", lambda chance, size: chance.logistic(0.0, math.sqrt(3.0) / math.pi, size)),
    Scatter("laplace", lambda chance, size: chance.laplace(0.0, math.sqrt(0.5), size)),
    Scatter("uniform", lambda chance, size: chance.uniform(-math.sqrt(3.0), math.sqrt(3.0), size)),
    # The first of several exponential clocks to ring wins a race. Minus the logarithm of when one rings is
    # Gumbel's, and its rate only shifts it (Plackett, Luce).
    Scatter(
        "gumbel", lambda chance, size: math.sqrt(6.0) / math.pi * (chance.gumbel(size=size) - GUMBEL_MEAN)
    ),
    student=student,
    **{"two-groups": two_groups},
)
