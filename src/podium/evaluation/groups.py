"""Groups that metrics are looked at in: periods of time, experience, rating bands."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from podium.arrays import DAY, NO_TIME, Floats, Ints, Longs
from podium.evaluation.sums import Groups
from podium.history.times import to_duration, to_iso

EXPERIENCE = (0, 1, 5, 10, 20, 50)
"""Where groups of earlier events begin."""
BANDS = 10
"""About the largest number of rating bands between the lowest and the highest hundredth of ratings."""


class Grouping(NamedTuple):
    """The number of each event's or side's group, and the names of the groups."""

    group: Groups
    names: tuple[str, ...]


def by_period(time: Longs, every: str = "year") -> Grouping:
    """Group events by calendar year, or by a duration such as "90d" from the first; none without times.

    >>> by_period(np.array([0, 400 * 86_400_000_000])).names
    ('1970', '1971')
    """
    if not len(time) or np.any(time == NO_TIME):
        return Grouping(np.zeros(len(time), np.int64), ())
    if every == "year":
        years = time.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + 1970
        found, group = np.unique(years, return_inverse=True)
        return Grouping(group, tuple(f"{year:04d}" for year in found.tolist()))
    length, start = to_duration(every), int(time[0])
    found, group = np.unique((time - start) // length, return_inverse=True)
    return Grouping(group, tuple(to_iso(start + int(number) * length) for number in found.tolist()))


def usual_period(time: Longs) -> str:
    """Years if the history spans at least three, else the longest of 30, 7, 1 days with three periods.

    >>> usual_period(np.array([0, 400 * DAY])), usual_period(np.array([0, 30 * DAY]))
    ('30d', '7d')
    """
    if not len(time) or np.any(time == NO_TIME):
        return "year"
    days = (int(time[-1]) - int(time[0])) / DAY
    return next((name for name, length in _PERIODS if days >= 3 * length), _PERIODS[-1][0])


_PERIODS = (("year", 365), ("30d", 30), ("7d", 7), ("1d", 1))


def by_experience(experience: Ints) -> Grouping:
    """Group sides by the number of events that their least experienced member has played.

    >>> by_experience(np.array([0, 4, 5, 99])).group.tolist()
    [0, 1, 2, 5]
    """
    table = np.searchsorted(EXPERIENCE, np.arange(EXPERIENCE[-1] + 1), "right") - 1
    ends = [f"{low}" if low + 1 == high else f"{low}–{high - 1}" for low, high in pairwise(EXPERIENCE)]
    return Grouping(table[np.minimum(experience, EXPERIENCE[-1])], (*ends, f"{EXPERIENCE[-1]}+"))


def by_rating(rating: Floats) -> Grouping:
    """Group sides by rating, in bands of a round width; the first and the last band are open.

    >>> by_rating(np.array([1010.0, 1050.0, 1090.0])).names[:3]
    ('below 1020', '1020–1030', '1030–1040')
    """
    if not len(rating):
        return Grouping(np.zeros(0, np.int64), ())
    some = rating[:: len(rating) // 100_000 + 1]
    low, high = np.quantile(some, [0.01, 0.99]).tolist()
    width = _round_width((high - low) / BANDS)
    first = math.floor(low / width) + 1
    last = max(math.ceil(high / width) - 1, first)
    edges = [number * width for number in range(first, last + 1)]
    group = np.clip(np.floor(rating / width), first - 1, last).astype(np.int64) - (first - 1)
    inner = [f"{a:.10g}–{b:.10g}" for a, b in pairwise(edges)]
    return Grouping(group, (f"below {edges[0]:.10g}", *inner, f"{edges[-1]:.10g} and above"))


def _round_width(width: float) -> float:
    """The next larger of 1, 2, 5, 10, 20, … or their tenths."""
    if not width > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= width * (1.0 - 1e-9))
