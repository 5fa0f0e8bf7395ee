"""Whether kernels are compiled or run as plain Python, once for a process; what to call before compiling.

Kernels are made when their modules are imported, so the choice comes before that. They are compiled unless
somebody chooses otherwise: `NUMBA_DISABLE_JIT=1`, or a command of the command line with little to do
(`podium.cli.small_work`). Importing this module loads no compiler, and neither do interpreted kernels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_interpreted = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def is_interpreted() -> bool:
    """Whether kernels run as plain Python in this process."""
    return _interpreted


def are_kernels_loaded() -> bool:
    """Whether kernels may have been made in this process, so that there is nothing left to choose."""
    return "podium.numerics.jit" in sys.modules


def interpret_kernels() -> None:
    """Run kernels as plain Python from now on, unless this process has compiled ones already."""
    global _interpreted
    if not are_kernels_loaded():
        _interpreted = True


_listeners: list[Callable[[], None]] = []
_counters: list[Callable[[], None]] = []


@contextmanager
def before_compiling(call: Callable[[], None]) -> Iterator[None]:
    """Call a function before the first kernel compiled inside the block; never if all are on disk."""
    listen(call)
    try:
        yield
    finally:
        if call in _listeners:
            _listeners.remove(call)


@contextmanager
def before_each_kernel(call: Callable[[], None]) -> Iterator[None]:
    """Call a function before every kernel that is compiled inside the block."""
    _counters.append(call)
    try:
        yield
    finally:
        _counters.remove(call)


def listen(call: Callable[[], None]) -> None:
    """Call a function once, before the next kernel is compiled."""
    _listeners.append(call)


def announce() -> None:
    """Called when a kernel is about to be compiled: calls the functions that wait for that."""
    while _listeners:
        _listeners.pop()()
    for call in _counters:
        call()
