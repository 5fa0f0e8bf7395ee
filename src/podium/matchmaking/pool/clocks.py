"""The times a pool is told: seconds of any clock, or datetimes; a clock that runs backwards is refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_TIME, SECOND, Floats
from podium.errors import InputError, OrderError
from podium.history.times import to_micros
from podium.text import shorten

Clock = float | datetime


class PoolTime(NamedTuple):
    """The current time of a pool: the latest time it was told."""

    seconds: float = 0.0
    is_dated: bool = False
    """Whether it was told a datetime, so that seconds count from 1970."""
    is_told: bool = False
    """Whether it was told any time; until then no time passes."""

    @property
    def micros(self) -> int:
        """The time in microseconds, for looking up ratings; `NO_TIME` if times are only relative."""
        return round(self.seconds * SECOND) if self.is_dated else NO_TIME

    def read(self, time: Clock | Sequence[float] | Floats | None) -> tuple[Floats, PoolTime]:
        """Times in seconds, and the pool's time after them; None means the clock's time."""
        if time is None:
            return np.array([self.seconds]), self
        is_dated = isinstance(time, datetime)
        try:
            given = np.array(to_micros(time) / SECOND if isinstance(time, datetime) else time, ndmin=1)
        except (TypeError, ValueError):
            given = np.zeros(1, np.bool_)
        if given.dtype.kind not in "fiu" or given.ndim != 1 or not np.isfinite(given).all():
            raise InputError(f"{shorten(repr(time))} is no time", hint="finite seconds, or a datetime")
        if self.is_told and is_dated != self.is_dated:
            one, other = ("a datetime", "seconds") if is_dated else ("seconds", "datetimes")
            raise InputError(
                f"{shorten(repr(time))} is {one}, and times so far were {other}", hint="times of one clock"
            )
        times = given.astype(np.float64)
        if not len(times):
            return times, self
        if self.is_told and times.min() < self.seconds:
            raise OrderError(
                f"the clock runs backwards: {times.min():g} s after {self.seconds:g} s",
                hint="times of one clock, in order",
            )
        return times, PoolTime(float(times.max()), is_dated, True)
