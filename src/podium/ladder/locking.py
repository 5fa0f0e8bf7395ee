"""One thread at a time in a ladder or a waiting pool, and nothing left half done.

Kernels let other threads run, so a ladder takes a lock for each of its calls: readers see it before or after
an event, never in between. What changes a ladder first says how to take the change back
(`podium.ladder.journal.Moment`; for pools see `podium.matchmaking.pool.pool`). If an exception ends it (an
error, or an interrupt at any line), the change is taken back at once; if another interrupt ends that, the
next call takes it back.

A pool takes its own lock first and the lock of its ladder then. A ladder never calls a pool.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

from podium.ladder.forks import locked_objects

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Lockable:
    """What has a lock, and perhaps a change under way."""

    def __init__(self) -> None:
        self._lock = RLock()
        locked_objects.add(self)
        self._unfinished: Any = None
        """What to go back to if the change under way does not come to its end."""

    def _take_back(self) -> None:
        """Go back to before the unfinished change; may be called again if an interrupt ends it."""
        raise NotImplementedError


Locked = TypeVar("Locked", bound=Lockable)


def locked(
    method: Callable[Concatenate[Locked, Given], Answer],
) -> Callable[Concatenate[Locked, Given], Answer]:
    """A method that runs while no other thread reads or changes the object."""

    @wraps(method)
    def alone(self: Locked, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        # A callback in the middle of a change may look at the ladder, which must not take the change back.
        is_inside = self._lock._is_owned()  # type: ignore[attr-defined]  # as threading.Condition asks
        with self._lock:
            while self._unfinished is not None and not is_inside:
                self._take_back()
            return method(self, *args, **kwargs)

    return alone


def changing(
    method: Callable[Concatenate[Locked, Given], Answer],
) -> Callable[Concatenate[Locked, Given], Answer]:
    """A method that is `locked`, and whose change is taken back if an exception ends it."""

    @locked
    @wraps(method)
    def whole(self: Locked, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        around = self._unfinished
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            if self._unfinished is not around:
                self._take_back()
            raise

    return whole
