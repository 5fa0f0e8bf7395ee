"""Estimates with intervals, and the quantiles and tail chances that they need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Estimate:
    """A number that was estimated, and how sure it is.

    Attributes:
        value: The estimate.
        error: Its standard error.
        low: The lower end of its interval.
        high: The upper end.
    """

    value: float
    error: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


def deviations(level: float) -> float:
    """How many standard errors an interval of a level reaches to each side."""
    return _NORMAL.inv_cdf(0.5 + level / 2.0)


def estimate(value: float, error: float, level: float) -> Estimate:
    """An estimate with a normal interval."""
    reach = deviations(level) * error
    return Estimate(value, error, value - reach, value + reach)


def two_sided(z: float) -> float:
    """The probability that a standard normal number is farther from 0 than z."""
    return math.erfc(abs(z) / math.sqrt(2.0))


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The probability that a χ² number with these degrees of freedom is larger.

    The regularised incomplete gamma function: by its series where that converges fast, otherwise by Lentz's
    continued fraction (Press et al., Numerical Recipes, section 6.2).
    """
    if statistic <= 0.0 or degrees <= 0:
        return 1.0
    a, x = degrees / 2.0, statistic / 2.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1.0:
        term = total = 1.0 / a
        count = a
        while abs(term) > 1e-16 * total:
            count += 1.0
            term *= x / count
            total += term
        return max(0.0, 1.0 - total * front)
    tiny = 1e-300
    b = x + 1.0 - a
    c, d = 1.0 / tiny, 1.0 / b
    product = d
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2.0
        d = an * d + b
        d = 1.0 / (d if abs(d) > tiny else tiny)
        c = b + an / c
        c = c if abs(c) > tiny else tiny
        product *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * product


def chance_estimate(value: float, error: float, level: float) -> Estimate:
    """A chance with an interval that stays between 0 and 1: normal on the scale of log odds."""
    if not 0.0 < value < 1.0:
        return Estimate(value, error, value, value)
    odds, reach = math.log(value / (1.0 - value)), deviations(level) * error / (value * (1.0 - value))
    low, high = (1.0 / (1.0 + math.exp(-x)) for x in (odds - reach, odds + reach))
    return Estimate(value, error, low, high)
