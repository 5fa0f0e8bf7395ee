"""Calls of a pool that change it as a whole or not at all.

Before a call writes, the parts of the pool that it will write to say how to put back what they hold now: each
gives a function, which may be called more than once. If an exception ends the call (an error, or an interrupt
at any line), all of them are called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

PutBack = Callable[[], None]
"""Puts back what a part of a pool held when it was made."""

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Changing:
    """What changes by calls that are `all_or_nothing`."""

    def __init__(self) -> None:
        self._undo: list[PutBack] | None = None
        """What takes back the call under way."""

    def _keep_numbers(self) -> PutBack:
        """Keep the counters, which any call may change."""
        raise NotImplementedError

    def _keep(self, *parts: PutBack) -> None:
        """Note how to take back what the call under way is about to do."""
        assert self._undo is not None
        self._undo.extend(parts)

    def _take_back(self) -> None:
        for put_back in reversed(self._undo or ()):
            put_back()
        self._undo = None


Pool = TypeVar("Pool", bound=Changing)


def all_or_nothing(
    method: Callable[Concatenate[Pool, Given], Answer],
) -> Callable[Concatenate[Pool, Given], Answer]:
    """A method whose changes are taken back if an exception ends it; such methods do not call each other."""

    @wraps(method)
    def whole(self: Pool, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        self._take_back()  # which an interrupt may have ended
        numbers = self._keep_numbers()
        try:
            self._undo = [numbers]
            answer = method(self, *args, **kwargs)
            self._undo = None
        except BaseException:
            self._take_back()
            raise
        return answer

    return whole
