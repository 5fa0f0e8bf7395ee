"""Points in time and durations, as whole microseconds.

Inside podium a time is an int64 of microseconds since 1970-01-01 00:00 UTC, and `NO_TIME` where an event has
none. People write times as ISO dates, datetimes or epoch seconds; all of them enter here. A time without a
zone is UTC.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from podium.arrays import DAY, NO_TIME, SECOND
from podium.errors import InputError, ParameterError

EARLIEST = -62_135_596_800 * SECOND
"""The year 1: calendars, and Python's among them, begin there."""
LATEST = 250_000_000_000 * SECOND
"""In the year 9892: numbers beyond it are milliseconds taken for seconds."""

YEAR_1000 = -30_610_224_000 * SECOND
"""Where years begin to have four digits; compiled parsers read 03-04-26 as a day of the year 3."""

TIME_HINT = (
    "write a date (2026-05-01), a date with a time (2026-05-01T18:30:00Z) or seconds since 1970, not a year "
    "alone"
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UTC_EPOCH = _EPOCH.replace(tzinfo=None)
_UNITS = {"s": SECOND, "min": 60 * SECOND, "h": 3600 * SECOND, "d": DAY, "w": 7 * DAY}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|min|h|d|w)\s*")
_EPOCH_SECONDS = re.compile(r"-?\d{5,}(?:\.\d+)?")
_COMPACT_DATE = re.compile(r"(18|19|20|21)\d{6}")  # 20260501: as epoch seconds it would be summer 1970

Time = str | int | float | date | datetime


class Moment(int):
    """A time in microseconds since 1970 UTC; plain numbers given as a time are taken as seconds."""


def to_micros(value: Time | None) -> int:
    """A time as microseconds since 1970 UTC.

    >>> to_micros("1970-01-02")
    86400000000
    >>> to_micros("1970-01-01T01:00:00+01:00") == to_micros(0) == to_micros("1970-01-01 00:00")
    True
    """
    if value is None:
        return NO_TIME
    if isinstance(value, Moment):
        return int(value)
    try:
        micros = _micros(value)
        if not EARLIEST <= micros <= LATEST:
            raise ValueError(value)
        return micros
    except (ValueError, OverflowError, TypeError) as error:
        hint = f"{TIME_HINT} (divide epoch milliseconds by 1,000)"
        raise InputError(f"{value!r} is not a time", hint=hint) from error


def _micros(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError(value)
    if isinstance(value, (str, int)):
        text = str(value).strip()
        if _EPOCH_SECONDS.fullmatch(text) and not _COMPACT_DATE.fullmatch(text):
            seconds, _, fraction = text.partition(".")
            return int(seconds) * SECOND if not fraction else round(float(text) * SECOND)
        value = value if isinstance(value, int) and len(text) < 5 else datetime.fromisoformat(text)
    if isinstance(value, datetime):
        moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - _EPOCH.date()).days * DAY
    return round(float(value) * SECOND)


def to_datetime(micros: int) -> datetime | None:
    """A time in microseconds as a datetime in UTC; None for `NO_TIME`."""
    return None if micros == NO_TIME else _EPOCH + timedelta(microseconds=micros)


def to_iso(micros: int) -> str:
    """A time in microseconds as ISO text: a date if it is midnight, else a datetime.

    >>> to_iso(86_400_000_000), to_iso(1_000_000)
    ('1970-01-02', '1970-01-01T00:00:01Z')
    """
    if micros == NO_TIME:
        return "no time"
    moment = _UTC_EPOCH + timedelta(microseconds=micros)
    return moment.date().isoformat() if micros % DAY == 0 else moment.isoformat() + "Z"


def time_words(micros: int) -> str:
    """A time as people read it in a sentence, which can be read again: to the minute, if that says it all.

    >>> time_words(86_400_000_000), time_words(49_200_000_000), time_words(1_000_000)
    ('1970-01-02', '1970-01-01 13:40', '1970-01-01 00:00:01')
    """
    text = to_iso(micros).removesuffix("Z").replace("T", " ")
    return text.removesuffix(":00") if text.count(":") == 2 else text


def to_duration(text: str) -> int:
    """The length of a duration such as "7d", "12h" or "90min" in microseconds.

    >>> to_duration("7d") == to_duration("1w") == 7 * DAY
    True
    """
    match = _DURATION.fullmatch(text)
    micros = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not 0.5 < micros < math.inf:
        raise ParameterError(
            f"{text!r} is not a duration", hint="write a number and s, min, h, d or w: 90min, 7d, 2w"
        )
    return round(micros)


def start_of_activity(since: Time, latest: int) -> int:
    """A time, or a duration such as "90d" before the `latest` event, in microseconds.

    No calendar has what is before its first day: a duration ends there.

    >>> start_of_activity("1970-01-02", 0) == start_of_activity("2d", 3 * start_of_activity("1970-01-02", 0))
    True
    >>> to_iso(start_of_activity("30d", to_micros("0001-01-02")))
    '0001-01-01'
    """
    if not is_duration(since):
        return to_micros(since)
    latest = 0 if latest == NO_TIME else latest
    return max(latest - to_duration(str(since)), EARLIEST)


def is_duration(since: Time) -> bool:
    """Whether a beginning of activity is a duration, which begins later after a later event; or a time.

    >>> is_duration("90d"), is_duration("2026-05-01")
    (True, False)
    """
    try:
        to_micros(since)
    except InputError as error:
        try:
            to_duration(str(since))
        except ParameterError:
            raise InputError(
                f"{since!r} is neither a time nor a duration",
                hint="write a date (2026-05-01), or a time before the last event: 90d, 12w",
            ) from error
        return True
    return False
