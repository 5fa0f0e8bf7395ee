"""Moments read from the bytes of a text: ISO dates, and datetimes to the second, inside kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import DAY, SECOND
from podium.numerics.jit import formula

Bytes = NDArray[np.uint8]

ZERO = 48
"""The digit 0."""
_BLANK, _DASH, _COLON, _LETTER_T, _LETTER_Z = 32, 45, 58, 84, 90
_NO_DIGITS = -1_000_000
_FIRST_YEAR, _LAST_YEAR = 1000, 9000
"""Years of four digits that are far from the last moment podium counts with."""
_MONTH_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
"""The days of each month, counted from 1."""
_DAYS_BEFORE = np.cumsum(_MONTH_DAYS) - _MONTH_DAYS
"""The days of a year before each month."""
_DAYS_UNTIL_1970 = 719_163
"""The day 1970-01-01, where 0001-01-01 is day 1."""


@formula
def byte_at(text: Bytes, place: Any) -> Any:
    """The byte at a place, which is unsigned here, as Numba asks whether signed ones count from the end."""
    return np.int64(text[np.uint64(place)])


@formula
def _two_digits(text: Bytes, place: Any) -> Any:
    """The number that two digits at a place are; far below 0 if they are none."""
    tens, ones = byte_at(text, place) - ZERO, byte_at(text, place + 1) - ZERO
    return 10 * tens + ones if 0 <= tens <= 9 and 0 <= ones <= 9 else _NO_DIGITS


@formula
def moment_at(text: Bytes, place: Any) -> tuple[Any, Any]:
    """An ISO date, perhaps with the time of day to the second, in microseconds, and the place where it ends.

    The place is −1 if it is none of these, or of a year that may be out of range.
    """
    year = 100 * _two_digits(text, place) + _two_digits(text, place + 2)
    month, day = _two_digits(text, place + 5), _two_digits(text, place + 8)
    are_dashes = byte_at(text, place + 4) == _DASH and byte_at(text, place + 7) == _DASH
    if not _FIRST_YEAR <= year <= _LAST_YEAR or not 1 <= month <= 12 or day < 1 or not are_dashes:
        return 0, -1
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if day > _MONTH_DAYS[month] + (is_leap and month == 2):
        return 0, -1
    before = year - 1
    leap_days = before // 4 - before // 100 + before // 400 + (is_leap and month > 2)
    days = 365 * before + leap_days + _DAYS_BEFORE[month] + day - _DAYS_UNTIL_1970
    place += 10
    if byte_at(text, place) != _LETTER_T and byte_at(text, place) != _BLANK:
        return days * DAY, place
    hour, minute = _two_digits(text, place + 1), _two_digits(text, place + 4)
    second = _two_digits(text, place + 7)
    are_colons = byte_at(text, place + 3) == _COLON and byte_at(text, place + 6) == _COLON
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and are_colons):
        return 0, -1
    place += 9
    return (
        days * DAY + (3600 * hour + 60 * minute + second) * SECOND,
        place + (byte_at(text, place) == _LETTER_Z),
    )
