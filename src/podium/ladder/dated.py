"""Questions with a date: one before the ladder's last event is answered by the ladder as it was then.

A ladder keeps what it believes now, not what it believed. With `at` it answers for a time from its last event
on; what is asked about an earlier time needs the ladder of that time, or is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from podium.arrays import NO_TIME
from podium.errors import PastError
from podium.history.times import Moment, Time, to_iso, to_micros
from podium.ladder.locking import Lockable, locked

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Dated(Lockable):
    """What has a last time, and perhaps a past."""

    last_time: int

    def at(self, time: Time) -> Dated:
        """The same as it was at a time; raises a `PastError` if that is not known."""
        raise NotImplementedError


class _IsPastError(Exception):
    """A question about a time before the last one."""


Asked = TypeVar("Asked", bound=Dated)


def dated(
    method: Callable[Concatenate[Asked, Given], Answer],
) -> Callable[Concatenate[Asked, Given], Answer]:
    """A `locked` method with a keyword `at`: for a time before the last one, `Dated.at` answers in its place.

    That takes the events up to then, so the lock is not held meanwhile.
    """

    @locked
    def now(asked: Asked, /, micros: int, args: Any, kwargs: Any) -> Answer:
        if NO_TIME != micros < asked.last_time:
            raise _IsPastError
        return method(asked, *args, **kwargs)

    @wraps(method)
    def answer(self: Asked, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        at: Any = kwargs.get("at")
        micros = to_micros(at)
        try:
            return now(self, micros, args, kwargs)
        except _IsPastError:
            pass
        past: Any = self.at(Moment(micros))
        return now(past, micros, args, kwargs)

    return answer


def past_error(last_time: int, micros: int) -> PastError:
    """What to raise if a ladder does not know what it believed at a time."""
    return PastError(
        f"this ladder has ratings from {to_iso(last_time)} on, and none for {to_iso(micros)}",
        hint="for any date, use podium.rate(history, trace=True).at(date) with all events, a ladder "
        "with a log (Ladder.open) or a service",
    )
