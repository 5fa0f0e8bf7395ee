"""What a terminal shows while a command works: a bar, and a word about compiling."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

BAR_AFTER_SECONDS = 0.5
"""What is quicker needs no bar."""


def _at_a_terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def compiling(names: Iterable[str]) -> Iterator[None]:
    """While the block runs, announce on a terminal when the compiler starts and the user has to wait."""
    from podium.numerics.compiler_notice import before_compiling

    def notice() -> None:
        if _at_a_terminal():
            print(
                f"compiling {', '.join(names)} for this machine, once; podium warmup does it ahead",
                file=sys.stderr,
            )

    with before_compiling(notice):
        yield


class Advance(Protocol):
    """Moves a bar forward by this number of rows; a note stays beside it until the next one."""

    def __call__(self, rows: int, note: str = "", /) -> None: ...


@contextmanager
def progress(
    what: str, total: int | None = None, *, by_rows: bool = True, unit: str = "rows"
) -> Iterator[Advance]:
    """Show a progress bar on a terminal's stderr during long work; nothing if stderr is piped.

    The block gets a function to call with the number of rows done, where it goes `by_rows`, or by another
    `unit`.
    """
    if not _at_a_terminal():
        yield lambda rows, note="": None
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    done = "{task.completed:,.0f}" if total is None else "{task.completed:,.0f} of {task.total:,.0f}"
    columns = [TextColumn("{task.description}", markup=False), BarColumn(bar_width=24)]
    columns += [TextColumn(f"{done} {unit}"), TimeElapsedColumn()] if by_rows else [TimeElapsedColumn()]
    columns += [TextColumn("{task.fields[note]}", markup=False)]
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total, note="")
    later = Timer(BAR_AFTER_SECONDS, bar.start)
    later.start()
    try:
        yield lambda rows, note="": bar.update(task, advance=rows, **({"note": note} if note else {}))
    finally:
        later.cancel()
        later.join()
        bar.stop()
