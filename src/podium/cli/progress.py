"""What a terminal shows while a command works: a bar, and a word about compiling."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from podium.cli.stop_signals import raise_if_dropped
from podium.text import counted

BAR_AFTER_SECONDS = 0.5
"""What is quicker needs no bar."""
WIDE_COLUMNS = 100
"""From this width of a terminal on there is room for a longer bar and the speed."""
SHOWN_EVERY_SECONDS = 0.1
"""Work that is done in many small steps is shown less often."""
RECENT_SECONDS = 5.0
"""The speed is that of so many seconds: systems differ, and some become slower as they go."""
FEWEST_STEPS = 8
"""And of no fewer steps than these: trials and papers take unlike times, and come several at once."""


def _at_a_terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def compiling(names: Iterable[str]) -> Iterator[None]:
    """While the block runs, announce on a terminal when the compiler starts and the user has to wait."""
    from podium.numerics.compiler_choice import before_compiling

    def notice() -> None:
        if _at_a_terminal():
            print(
                f"compiling {', '.join(names)} for this machine (only once, or in advance with podium "
                "warmup)",
                file=sys.stderr,
            )

    with before_compiling(notice):
        yield


class Advance(Protocol):
    """Moves a bar forward by this number of rows; a note stays beside it until the next one."""

    def __call__(self, rows: int, note: str = "", /) -> None:
        """Move the bar forward."""


class Speed:
    """How fast work went lately, and how long the rest takes at that speed.

    >>> speed = Speed(0.0)
    >>> speed.note(25.0, 250_000)
    >>> speed.rest(1_000_000)
    '1:15 left'
    """

    def __init__(self, now: float) -> None:
        self._steps = deque([(now, 0)])

    def note(self, now: float, done: int) -> None:
        """So much is done in all, at this time."""
        self._steps.append((now, done))
        while len(self._steps) > FEWEST_STEPS and self._steps[1][0] < now - RECENT_SECONDS:
            self._steps.popleft()

    @property
    def per_second(self) -> float:
        """What was done in a second lately."""
        (began, before), (now, done) = self._steps[0], self._steps[-1]
        return (done - before) / max(now - began, 1e-9)

    def rest(self, total: int, *, with_speed: bool = False) -> str:
        """How long the rest takes, in words; nothing if nobody knows yet, or if all is done."""
        left = total - self._steps[-1][1]
        if left <= 0 or self.per_second == 0.0:
            return ""
        minutes, seconds = divmod(round(left / self.per_second), 60)
        hours, minutes = divmod(minutes, 60)
        time = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        said = f"{self.per_second:,.0f}/s, " if with_speed and self.per_second >= 1.0 else ""
        return f"{said}{time} left"


@contextmanager
def progress(
    what: str, total: int | None = None, *, by_rows: bool = True, unit: str = "rows"
) -> Iterator[Advance]:
    """Show a progress bar on a terminal's stderr during long work; nothing if stderr is piped.

    The block gets a function to call with the number of rows done, where it goes `by_rows`, or by another
    `unit`. With a `total` the bar also says how fast it goes and how long the rest will take. While kernels
    are compiled, a second bar moves and counts them.
    """
    if not _at_a_terminal():
        yield _advance_unseen
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from podium.numerics.compiler_choice import before_each_kernel

    console = Console(stderr=True)
    wide = console.width >= WIDE_COLUMNS
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24 if wide else 12),
        TextColumn("{task.fields[done]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[rest]}", markup=False),
        TextColumn("{task.fields[note]}", markup=False),
        console=console,
        transient=True,
    )

    def rows_done(rows: int) -> str:
        return "" if not by_rows else f"{rows:,}{'' if total is None else f' of {total:,}'} {unit}"

    task = bar.add_task(what, total=total, done=rows_done(0), note="", rest="")
    compiler = bar.add_task("compiling", total=None, done="", note="", rest="", visible=False)
    speed, completed, shown, last_note, kernels = Speed(monotonic()), 0, 0.0, "", 0
    later = Timer(BAR_AFTER_SECONDS, bar.start)
    later.start()

    def count_kernel() -> None:
        nonlocal kernels
        kernels += 1
        bar.update(compiler, done=counted(kernels, "kernel"), visible=True)

    def advance(rows: int, note: str = "") -> None:
        nonlocal completed, shown, last_note
        raise_if_dropped()
        completed += rows
        now = monotonic()
        if now < shown + SHOWN_EVERY_SECONDS and note in ("", last_note):
            return
        shown, last_note = now, note or last_note
        speed.note(now, completed)
        rest = "" if total is None else speed.rest(total, with_speed=wide)
        bar.update(task, completed=completed, done=rows_done(completed), rest=rest, note=last_note)
        bar.update(compiler, visible=False)

    try:
        with before_each_kernel(count_kernel):
            yield advance
    finally:
        later.cancel()
        later.join()
        bar.stop()


def _advance_unseen(rows: int, note: str = "") -> None:
    raise_if_dropped()
