"""Work that is done in parts, by as many threads as Numba was given; kernels let go of the interpreter."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from podium.arrays import Longs
from podium.numerics.compiler_choice import is_interpreted

EVENT_PARTS = 32
"""Pieces into which the events of a history are cut for threads; their number changes no result."""

_threads_from: ContextVar[int | None] = ContextVar("rows of an event from which on threads pay", default=None)


def worth_threads(rows: Any, usual: int) -> Any:
    """Whether an event with this number of rows is worth several threads; usually it is from `usual` on."""
    chosen = _threads_from.get()
    return np.greater_equal(rows, usual if chosen is None else chosen)


@contextmanager
def threads_from(rows: int) -> Iterator[None]:
    """Inside the block, use threads for events of at least `rows` rows, whatever is usual."""
    before = _threads_from.set(rows)
    try:
        yield
    finally:
        _threads_from.reset(before)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="podium")


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has no thread but its own


def threads() -> int:
    """The number of threads that `in_threads` uses."""
    if is_interpreted():  # one at a time holds the interpreter
        return 1

    import numba

    return int(numba.get_num_threads())


@contextmanager
def half_of_threads() -> Iterator[None]:
    """Inside the block, this thread leaves half of the processors to others."""
    if is_interpreted():
        yield
        return

    import numba

    usual = int(numba.get_num_threads())
    numba.set_num_threads(max(1, usual // 2))
    try:
        yield
    finally:
        numba.set_num_threads(usual)


def even_parts(size: int, parts: int) -> list[tuple[int, int]]:
    """The numbers from 0 to `size` cut into so many parts, as even as can be; empty ones are left out."""
    edges = np.linspace(0, size, parts + 1).astype(int).tolist()
    return [(a, b) for a, b in pairwise(edges) if a < b]


def begun_elsewhere(number: int, work: Callable[..., None], *given: Any) -> list[Future[None]]:
    """Let this be done in so many other threads too, or in fewer where no more of them can be started."""
    helpers = []
    with suppress(RuntimeError):  # as at the end of the program
        for _ in range(number):
            helpers.append(_pool(threads() - 1).submit(work, *given))
    return helpers


def in_threads(function: Callable[..., None], jobs: Sequence[tuple[Any, ...]]) -> None:
    """Call a function in threads with each job's arguments; returns or raises when all have ended.

    This thread does jobs too: waking another one costs about 50 µs. After an error or Ctrl-C, jobs that have
    not begun are left out.
    """
    waiting = iter(jobs)

    def work() -> None:
        try:
            for job in waiting:
                function(*job)
        finally:
            deque(waiting, maxlen=0)  # what an error or an interrupt leaves

    helpers = begun_elsewhere(min(threads(), len(jobs)) - 1, work)
    try:
        work()
    finally:
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


def in_event_parts(
    function: Callable[..., None],
    offsets: Longs,
    columns: Sequence[Any],
    per_event: Sequence[Any] = (),
) -> None:
    """Call a function on groups of events: their offsets, all `columns`, their part of `per_event`.

    Events must not depend on each other.
    """
    rows = np.linspace(0, offsets[-1], EVENT_PARTS + 1).astype(np.int64)
    edges = np.unique(np.r_[0, np.searchsorted(offsets, rows), len(offsets) - 1])
    in_threads(
        function,
        [
            (offsets[a : b + 1], *columns, *(column[a:b] for column in per_event))
            for a, b in pairwise(edges.tolist())
        ],
    )
