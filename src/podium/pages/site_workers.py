"""The processes that write a website. They begin early, so this module imports nothing that draws pages."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from podium.cluster.executors import Spread, Workers
from podium.cluster.spreading import spread

ONE_PROCESS_UP_TO = 10_000
"""Rows of results whose pages one process writes sooner than others are begun."""
OBJECTS_PER_COLLECTION = 50_000
"""Documents of pages are thousands of objects each, and none of them refers to itself."""


@contextmanager
def site_workers(rows: int, jobs: int | None = None) -> Iterator[Workers]:
    """Whoever writes the pages of so many rows of results: `jobs` processes, of which this is one.

    By default that is this one alone for a few rows, and else one for each core. The others get ready while
    this process rates.
    """
    alone = jobs is None and rows <= ONE_PROCESS_UP_TO
    with spread(jobs=1 if alone else jobs, takes_part=True) as workers:
        if isinstance(workers, Spread):
            for _ in range(workers.count):
                workers.submit(_get_ready, ())
        yield workers


def _get_ready() -> None:
    """What a process does first."""
    import podium.pages.site_writing  # noqa: F401
    from podium.pages.rendering import load_templates

    load_templates()
    # What is there by now stays: nobody has to look for garbage in it after every few pages.
    gc.freeze()
    gc.set_threshold(OBJECTS_PER_COLLECTION)
