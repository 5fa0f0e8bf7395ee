"""Who compiles a kernel: of several processes that need it at once one does, and the others wait for it.

A claim is a lock on one byte of a file, at a place that belongs to the kernel. The system drops it when the
process ends, however it ends. Nobody waits in a circle: a process that waits for a kernel holds only kernels
that call it, and kernels do not call each other in circles.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

if sys.platform != "win32":  # which has no such locks: there each process compiles for itself
    import fcntl

PATIENCE_SECONDS = 60.0
"""How long to wait for another process; then it has stopped, and this one compiles too."""
LOOK_EVERY_SECONDS = 0.01


def claim(path: Path) -> None:
    """Hold the kernel that is kept in this file; waits while another process holds it."""
    if sys.platform == "win32":
        return
    patient_until = time.monotonic() + PATIENCE_SECONDS
    with suppress(OSError):  # a file system without locks
        locks, place = _locks(path.parent), _place(path)
        while time.monotonic() < patient_until:
            try:
                fcntl.lockf(locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                return
            except (
                BlockingIOError,
                PermissionError,
            ):  # somebody has it; which of the two depends on the system
                time.sleep(LOOK_EVERY_SECONDS)


def release(path: Path) -> None:
    """Hold the kernel no longer."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        fcntl.lockf(_locks(path.parent), fcntl.LOCK_UN, 1, _place(path))


@cache
def _locks(folder: Path) -> int:
    """The file in which bytes are locked, beside the folder; it stays open, as closing it would unlock."""
    return os.open(folder.with_name(f"{folder.name}.lock"), os.O_CREAT | os.O_RDWR, 0o666)


def _place(path: Path) -> int:
    return int.from_bytes(hashlib.blake2b(path.name.encode(), digest_size=7).digest())
