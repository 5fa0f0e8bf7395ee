"""What becomes of ladders and pools in a forked process.

Only the thread that forks goes on there. A lock that another thread held would stay taken for good, so it is
made new, and the change under way is taken back by the next call, as after an interrupt. Polars does not
survive a fork once its threads run: there, tables are refused instead of hanging.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import RLock
from typing import Protocol
from weakref import WeakSet

from podium.errors import InputError

_THREADS = Path("/proc/self/task")
"""Where Linux lists the threads of this process."""


class _HasLock(Protocol):
    _lock: RLock


class _Tables:
    """Whether Polars' threads ran when this process was forked."""

    ran = False
    """In the process that is about to fork."""
    hang = False
    """In this process."""


locked_objects: WeakSet[_HasLock] = WeakSet()
"""Everything with a lock."""


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
    for one in list(locked_objects):
        if one._lock.acquire(blocking=False):
            one._lock.release()
        else:
            one._lock = RLock()


if sys.platform != "win32":
    os.register_at_fork(before=_before, after_in_child=_in_child)
