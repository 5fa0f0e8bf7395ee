"""One thread at a time in a ladder or a waiting pool, and nothing left half done.

Kernels let other threads run, so a ladder takes a lock for each of its calls: readers see it before or after
an event, never in between. What changes a ladder first says how to take the change back
(`podium.ladder.journal.Moment`; for pools see `podium.matchmaking.pool.pool`). If an exception ends it (an
error, or an interrupt at any line), the change is taken back at once; if another interrupt ends that, the
next call takes it back.

A pool takes its own lock first and the lock of its ladder then. A ladder never calls a pool.

Only the thread that forks goes on in a forked process. A lock that another thread held would stay taken for
good, so it is made new, and the next call takes back the change under way, as after an interrupt. Polars
does not survive a fork once its threads run: there, tables are refused instead of hanging.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakSet

from podium.errors import InputError

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Lockable:
    """What has a lock, and perhaps a change under way."""

    def __init__(self) -> None:
        self._lock = RLock()
        _lockables.add(self)
        self._unfinished: Any = None
        """What to go back to if the change under way does not come to its end."""

    def _take_back(self) -> None:
        """Go back to before the unfinished change; may be called again if an interrupt ends it."""
        raise NotImplementedError


_lockables: WeakSet[Lockable] = WeakSet()
"""Everything with a lock, of which a forked process makes new ones."""
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


# ---------------------------------------------------------------------- forked processes


_THREADS = Path("/proc/self/task")
"""Where Linux lists the threads of this process."""


class _Tables:
    """Whether Polars' threads ran when this process was forked."""

    ran = False
    """In the process that is about to fork."""
    hang = False
    """In this process."""


def check_tables() -> None:
    """Refuse a table where making one would hang."""
    if _Tables.hang:
        raise InputError(
            "this process was forked from one that had made tables, and Polars does not survive that",
            hint='fork before the first table, or start processes with "spawn" or "forkserver"',
        )


def _before() -> None:
    _Tables.ran = "polars" in sys.modules and _polars_runs()


def _polars_runs() -> bool:
    """Whether Polars has threads that compute. Where they are not listed it is assumed."""
    try:
        return any(b"polars-0" in (one / "comm").read_bytes() for one in _THREADS.iterdir())
    except OSError:
        return True


def _in_child() -> None:
    _Tables.hang = _Tables.hang or _Tables.ran
    for one in list(_lockables):
        if one._lock.acquire(blocking=False):
            one._lock.release()
        else:
            one._lock = RLock()


if sys.platform != "win32":
    os.register_at_fork(before=_before, after_in_child=_in_child)
