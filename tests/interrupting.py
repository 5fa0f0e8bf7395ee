"""An exception out of nowhere, as Ctrl-C or the signal of a timeout raise it, at any line of podium."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from inspect import getsourcelines
from itertools import count
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

import podium
from podium.ladder import locking

PACKAGE = str(Path(podium.__file__).parent)
ALONE = next(code for code in locking.locked.__code__.co_consts if isinstance(code, CodeType))
WITH_LINE = ALONE.co_firstlineno + [line.strip() for line in getsourcelines(ALONE)[0]].index(
    "with self._lock:"
)
Thing = TypeVar("Thing")


class Interrupt(BaseException):
    """Like KeyboardInterrupt, which would end the tests."""


class Interrupter:
    """Raises at line number `at` of those that run in podium's frames, counted from 0.

    A `with` statement comes back to its first line to leave the block. No signal arrives there, between the
    block and the release of the lock: Python looks for signals after calls and at jumps back only. So that
    line of the lock's `with` is not counted.
    """

    def __init__(self, at: int) -> None:
        self.left, self.raised = at, False
        self._entered: set[int] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event != "line":
            return self._line
        if frame.f_code is ALONE and frame.f_lineno == WITH_LINE:
            if id(frame) in self._entered:
                return self._line
            self._entered.add(id(frame))
        if self.left == 0:
            self.raised = True
            raise Interrupt
        self.left -= 1
        return self._line


def interrupt(call: Callable[[], object], at: int) -> bool:
    """Whether the call was interrupted at that line; False if it has fewer."""
    interrupter = Interrupter(at)
    old = sys.gettrace()
    sys.settrace(interrupter)
    try:
        call()
    except Interrupt:
        pass
    except podium.PodiumError:
        pass
    finally:
        sys.settrace(old)
    return interrupter.raised


def interrupted(make: Callable[[], Thing], call: Callable[[Thing], object], step: int = 1) -> Iterator[Thing]:
    """A thing for each line of the call, or for each line number `step`, interrupted there."""
    for at in count(0, step):
        thing = make()
        if not interrupt(lambda thing=thing: call(thing), at):  # type: ignore[misc]
            return
        yield thing
