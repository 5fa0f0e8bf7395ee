"""Panics of libraries written in Rust, such as Polars: what to them is a fault of their own, as an error.

A panic is a `BaseException`, like Ctrl-C, and escapes whoever handles errors; each library has its own type.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class PanicError(Exception):
    """Raised in the place of a panic; its message is the panic's first line."""


@contextmanager
def catching_panics() -> Iterator[None]:
    """Turn a panic inside the block into a `PanicError`."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise PanicError(str(error).strip().partition("\n")[0]) from error
