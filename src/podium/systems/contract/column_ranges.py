"""What the numbers of a state may be.

Kernels trust the state they work on. A state that was rated keeps these ranges by itself; one from a file is
checked against them (`RatingSystem.check_state`), so that no number of a file reaches a kernel unchecked.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME
from podium.errors import StateError
from podium.history.times import EARLIEST, LATEST
from podium.numerics.event_sides import NO_PERIOD

LARGEST_NUMBER = 1e50
"""Of a state. Ratings and deviations set by hand are at most 1e9 and weights of events 1e6, so that sums of
squares over a billion events stay below it; its sixth power is still a number."""
SMALLEST_POSITIVE = 1e-50
MOST_EVENTS_OF_PLAYER = 1_000_000_000
"""Rated events: as many again can follow before a 32-bit number overflows."""


class Range(NamedTuple):
    """The least and the largest number, both included; for a column of lists perhaps one for each place."""

    low: ArrayLike
    high: ArrayLike
    nothing: float | None = None
    """A number outside that stands for nothing, such as `NO_TIME` or NaN."""

    def check(self, what: str, numbers: NDArray[Any]) -> None:
        """Refuse numbers that are not inside; the error begins with `what` they are."""
        if self.nothing is not None:
            absent = np.isnan(numbers) if math.isnan(self.nothing) else numbers == self.nothing
            numbers = numbers[~absent]
        # Comparing the extremes takes no work space, and those of a column with NaN are NaN.
        if not numbers.size or bool(
            np.all(numbers.min(axis=0) >= self.low) and np.all(numbers.max(axis=0) <= self.high)
        ):
            return
        low, high = np.broadcast_to(self.low, numbers.shape), np.broadcast_to(self.high, numbers.shape)
        first = tuple(np.argwhere(~((numbers >= low) & (numbers <= high)))[0])
        raise StateError(
            f"{what} has {numbers[first]!s}, which is not from {low[first]!s} to {high[first]!s}"
        )


def by_place(*ranges: Range) -> Range:
    """The range of a column of lists, from that of each place in a list."""
    return Range(np.array([one.low for one in ranges]), np.array([one.high for one in ranges]))


FINITE = Range(-LARGEST_NUMBER, LARGEST_NUMBER)
POSITIVE = Range(SMALLEST_POSITIVE, LARGEST_NUMBER)
NOT_NEGATIVE = Range(0.0, LARGEST_NUMBER)
COUNT = Range(0, MOST_EVENTS_OF_PLAYER)
PERIOD = Range(NO_PERIOD, -NO_PERIOD)
TIME = Range(EARLIEST, LATEST, NO_TIME)
TIME_OR_NAN = Range(EARLIEST, LATEST, math.nan)

COMMON_RANGES = {"events": COUNT, "last_time": TIME, "breaks": COUNT}
"""Of the columns and the shared array that every system has."""
