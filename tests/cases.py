"""Many small cases in one test, which says where it failed: a test of its own takes pytest milliseconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(*what: object) -> Iterator[None]:
    """Whatever fails in the block is reported with the case it failed in."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the case {what}")
        raise
