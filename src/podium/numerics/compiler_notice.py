"""Telling somebody who waits that the compiler is about to begin; importing this loads no compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[], None]] = []


@contextmanager
def before_compiling(call: Callable[[], None]) -> Iterator[None]:
    """Call a function before the first kernel compiled inside the block; never if all are on disk."""
    listen(call)
    try:
        yield
    finally:
        if call in _listeners:
            _listeners.remove(call)


def listen(call: Callable[[], None]) -> None:
    """Call a function once, before the next kernel is compiled."""
    _listeners.append(call)


def announce() -> None:
    """Called when a kernel is about to be compiled: calls the function given to `listen`."""
    while _listeners:
        _listeners.pop()()
