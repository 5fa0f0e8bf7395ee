"""Work that is done in parts, by as many threads as Numba was given; kernels let go of the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numba


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="podium")


def in_threads(function: Callable[..., None], jobs: Sequence[tuple[Any, ...]]) -> None:
    """Call a function with each job's arguments; whatever happens, nothing goes on after this returns."""
    threads = numba.get_num_threads()
    if threads == 1:
        for job in jobs:
            function(*job)
        return
    futures = [_pool(threads).submit(function, *job) for job in jobs]
    try:
        for future in futures:
            future.result()
    finally:
        wait(futures)
