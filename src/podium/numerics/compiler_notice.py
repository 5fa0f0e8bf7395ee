"""Telling somebody who waits that the compiler is about to begin; importing this loads no compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
