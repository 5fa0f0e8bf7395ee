"""In words: does cheating pay, by how much, and is that more than chance?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from podium.history.core import Floats
from podium.lab.attacks.strategies import Goal
from podium.lab.verdicts import write_number
from podium.numerics.normal import normal_quantile

LEVEL = 0.95
FEWEST = 6
"""With fewer runs even all of one sign would not be rare by chance (1 in 16 for five)."""
NOTHING = 0.05
"""Points that nobody sees."""


@dataclass(frozen=True)
class Gains:
    """Points above honest play in several runs, and what they say of others like them."""

    values: Floats
    goal: Goal = "higher"

    @property
    def mean(self) -> float:
        """On average."""
        return float(self.values.mean())

    @property
    def spread(self) -> float:
        """Standard deviation over runs; NaN of one."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else math.nan

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Where the mean of all such runs is, by Student's t; NaN where there are too few."""
        runs = len(self.values)
        if runs < FEWEST:
            return math.nan, math.nan
        reach = student_quantile(0.5 + level / 2.0, runs - 1) * self.spread / math.sqrt(runs)
        return self.mean - reach, self.mean + reach

    @property
    def share(self) -> float:
        """The part of runs in which it paid, in the direction of the goal."""
        wanted = self.values if self.goal == "higher" else -self.values
        return float(np.mean(wanted > NOTHING))

    def pays(self, level: float = LEVEL) -> bool | None:
        """Whether it pays by more than chance; None where that is not shown either way."""
        low, high = self.interval(level)
        if self.goal == "lower":
            low, high = -high, -low
        if low > NOTHING:
            return True
        return False if high <= NOTHING else None

    def verdict(self, what: str) -> str:
        """A sentence; `what` the runs are, such as seeds."""
        runs = len(self.values)
        said = f"{points(self.mean)} points"
        if math.isnan(self.interval()[0]):
            over = f"in one run ({what})" if runs == 1 else f"over {runs} {what}, too few to tell from chance"
            return f"not shown: {said} {over}"
        low, high = (points(end) for end in self.interval())
        said = f"{said} (95% {low} to {high} over {runs} {what})"
        pays = self.pays()
        if self.goal == "lower":
            return f"{'works' if pays else 'does not work' if pays is False else 'not shown'}: {said}"
        return f"{'cheating pays' if pays else 'does not pay' if pays is False else 'not shown'}: {said}"


def points(value: float | None) -> str:
    """A gain as people read it: whole points, and one digit of small ones; a dash where there is none.

    >>> points(523.4), points(-0.42), points(0.001), points(3e12), points(None)
    ('+523', '−0.4', '0', '+3e+12', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if abs(value) >= 1e6:
        return write_number(value, "+.0e")
    if abs(value) < NOTHING:
        return "0"
    return write_number(value, "+.0f" if abs(value) >= 10.0 else "+.1f")


def student_quantile(probability: float, freedom: int) -> float:
    """Student's t, by the first terms of its expansion around the normal: right to 0.2% from 5 degrees on.

    >>> [round(student_quantile(0.975, freedom), 2) for freedom in (5, 19, 1000)]
    [2.57, 2.09, 1.96]
    """
    z = normal_quantile(probability)
    terms = (
        (z**3 + z) / 4.0,
        (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
        (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
    )
    return float(z + sum(term / freedom ** (i + 1) for i, term in enumerate(terms)))
