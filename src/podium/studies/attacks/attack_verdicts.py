"""In words: does cheating pay, by how much, and is that more than chance?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from podium.arrays import Floats
from podium.studies.attacks.strategy import Goal
from podium.text import write_number

CONFIDENCE = 0.95
HINDSIGHT = "hindsight"
"""The kind of attack that is chosen after the luck is known: an upper bound, of which nothing is tested."""
FEWEST_RUNS = 6
"""With fewer runs even all of one sign would not be rare by chance (1 in 16 for five)."""
INVISIBLE_POINTS = 0.05
"""Points that nobody sees."""
HALVINGS = 60
"""Of an interval of one or two, until a float has no more digits."""


@dataclass(frozen=True)
class Gains:
    """Points above honest play in several runs, and what they say of others like them."""

    values: Floats
    goal: Goal = "higher"
    level: float = CONFIDENCE
    """How sure an interval has to be; of several attacks each has to be surer (`level_of`)."""

    @property
    def mean(self) -> float:
        """The mean gain of all runs; NaN where there are none."""
        return float(self.values.mean()) if len(self.values) else math.nan

    @property
    def spread(self) -> float:
        """Standard deviation over runs; NaN of one."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Where the mean of all such runs is, by Student's t; NaN where there are too few."""
        runs = len(self.values)
        if runs < FEWEST_RUNS:
            return math.nan, math.nan
        reach = student_quantile(0.5 + self.level / 2.0, runs - 1) * self.spread / math.sqrt(runs)
        return self.mean - reach, self.mean + reach

    @property
    def ends(self) -> str:
        """The interval in words; a dash where there is none."""
        low, high = self.interval
        return "–" if math.isnan(low) else f"{points(low)} to {points(high)}"

    @property
    def share(self) -> float:
        """The part of runs in which it paid, in the direction of the goal."""
        wanted = self.values if self.goal == "higher" else -self.values
        return float(np.mean(wanted > INVISIBLE_POINTS))

    @property
    def pays(self) -> bool | None:
        """Whether it pays by more than chance; None where that is not shown either way."""
        low, high = self.interval
        if self.goal == "lower":
            low, high = -high, -low
        if low > INVISIBLE_POINTS:
            return True
        return False if high <= INVISIBLE_POINTS else None

    def verdict(self, what: str) -> str:
        """A sentence; `what` the runs are, such as seeds."""
        runs = len(self.values)
        if not runs:
            return "not shown: the leaderboard displays no rating"
        said = f"{points(self.mean)} points"
        if math.isnan(self.interval[0]):
            over = f"in one run ({what})" if runs == 1 else f"over {runs} {what}, too few to tell from chance"
            return f"not shown: {said} {over}"
        said = f"{said} ({percent(self.level)} {self.ends} over {runs} {what})"
        pays = self.pays
        if self.goal == "lower":
            return f"{'works' if pays else 'does not work' if pays is False else 'not shown'}: {said}"
        return f"{'cheating pays' if pays else 'does not pay' if pays is False else 'not shown'}: {said}"


def level_of(attacks: int) -> float:
    """How sure each of several intervals has to be, that all of them hold together with 95% (Bonferroni).

    >>> round(level_of(9), 4)
    0.9944
    """
    return 1.0 - (1.0 - CONFIDENCE) / attacks


def percent(level: float) -> str:
    """A level as people read it.

    >>> percent(0.95), percent(level_of(9))
    ('95%', '99.4%')
    """
    return f"{100.0 * level:.3g}%"


def points(value: float | None) -> str:
    """A gain as people read it: whole points, and one digit of small ones; a dash where there is none.

    >>> points(523.4), points(-0.42), points(0.001), points(3e12), points(None)
    ('+523', '−0.4', '0', '+3e+12', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if abs(value) >= 1e6:
        return write_number(value, "+.0e")
    if abs(value) < INVISIBLE_POINTS:
        return "0"
    return write_number(value, "+.0f" if abs(value) >= 10.0 else "+.1f")


def student_quantile(probability: float, freedom: int) -> float:
    """Student's t of so many whole degrees of freedom, for probabilities above one half.

    Found by halving, as the distribution is a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4).

    >>> [round(student_quantile(0.975, freedom), 3) for freedom in (5, 19, 1000)]
    [2.571, 2.093, 1.962]
    """
    low, high = 0.0, math.pi / 2.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if _between(middle, freedom) < 2.0 * probability - 1.0:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan((low + high) / 2.0)


def _between(angle: float, freedom: int) -> float:
    """The probability that Student's t is between −t and t, where t is √freedom · tan(angle)."""
    sine, cosine, odd = math.sin(angle), math.cos(angle), freedom % 2
    total, term = 0.0, cosine if odd else 1.0
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total
