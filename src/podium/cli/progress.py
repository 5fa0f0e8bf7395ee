"""What a terminal shows while a command works: a bar, and a word about compiling."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from podium.cli.stop_signals import raise_if_dropped

BAR_AFTER_SECONDS = 0.5
"""What is quicker needs no bar."""
WIDE_COLUMNS = 100
"""From this width of a terminal on there is room for a longer bar and the speed."""


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
    `unit`. With a `total` the bar also says how fast it goes and how long the rest will take.
    """
    if not _at_a_terminal():
        yield _advance_unseen
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    wide = console.width >= WIDE_COLUMNS
    done = "{task.completed:,.0f}" if total is None else "{task.completed:,.0f} of {task.total:,.0f}"
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24 if wide else 12),
        *([TextColumn(f"{done} {unit}")] if by_rows else []),
        TimeElapsedColumn(),
        TextColumn("{task.fields[rest]}", markup=False),
        TextColumn("{task.fields[note]}", markup=False),
        console=console,
        transient=True,
    )
    task, began, completed = bar.add_task(what, total=total, note="", rest=""), monotonic(), 0
    later = Timer(BAR_AFTER_SECONDS, bar.start)
    later.start()

    def advance(rows: int, note: str = "") -> None:
        nonlocal completed
        raise_if_dropped()
        completed += rows
        rest = "" if total is None else rest_of_time(completed, total, monotonic() - began, speed=wide)
        bar.update(task, completed=completed, rest=rest, **({"note": note} if note else {}))

    try:
        yield advance
    finally:
        later.cancel()
        later.join()
        bar.stop()


def rest_of_time(done: int, total: int, seconds: float, *, speed: bool = False) -> str:
    """How long the rest will take at the mean speed so far, which may be said too.

    >>> rest_of_time(250_000, 1_000_000, 25.0, speed=True)
    '10,000/s, 1:15 left'
    >>> rest_of_time(0, 1_000_000, 25.0)  # nobody knows
    ''
    """
    if not 0 < done < total:
        return ""
    minutes, left = divmod(round(seconds * (total - done) / done), 60)
    hours, minutes = divmod(minutes, 60)
    time = f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
    return (f"{done / seconds:,.0f}/s, " if speed and done > seconds else "") + f"{time} left"


def _advance_unseen(rows: int, note: str = "") -> None:
    raise_if_dropped()
