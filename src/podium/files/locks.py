"""Locks that end with the process which holds them, however it ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":  # which has no such locks
    import fcntl


Refusal = Exception | Callable[[], Exception]
"""What is raised where another process holds a lock; a function can say more about that one."""


ANYBODY_READS, OWNER_READS = 0o666, 0o600
"""Who may read the file of a lock."""
PAUSE_SECONDS = 0.02
"""Between two tries for a lock that somebody waits for."""


@contextmanager
def file_lock(
    path: Path, refusal: Refusal, content: bytes = b"", mode: int = ANYBODY_READS, seconds: float = 0.0
) -> Iterator[None]:
    """Hold a lock on a file for the time of the block; raises `refusal` if another process holds it.

    The file says `content` meanwhile, for those whom `mode` lets read it. `seconds` is how long to wait for
    the other process.
    """
    if sys.platform == "win32":
        yield
        return
    descriptor = _locked(path, refusal, mode, time.monotonic() + seconds)
    try:
        os.ftruncate(descriptor, 0)  # a process that was killed has left its own words
        if mode != ANYBODY_READS:
            os.fchmod(descriptor, mode)  # and perhaps for everybody to read
        os.write(descriptor, content)
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is locked: whoever opened it meanwhile sees that it is gone
        os.close(descriptor)


def _locked(path: Path, refusal: Refusal, mode: int, end: float) -> int:
    """The descriptor that holds the lock, for which it waits until `end`."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, mode)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            if time.monotonic() >= end:
                os.close(descriptor)
                raise (refusal if isinstance(refusal, Exception) else refusal()) from None
            time.sleep(PAUSE_SECONDS)
        except FileNotFoundError:  # removed by its owner between the two looks
            pass
        os.close(descriptor)
