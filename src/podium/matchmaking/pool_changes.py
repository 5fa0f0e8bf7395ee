"""Calls of a pool: one thread at a time, and each changes the pool as a whole or not at all.

The lock, and what happens when an exception ends a call, are those of ladders (`podium.ladder.locking`).
Before a call writes, the parts of the pool that it will write to say how to put back what they hold now: each
gives a function, which may be called more than once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from podium.errors import InputError
from podium.ladder.locking import Lockable, changing

PutBack = Callable[[], None]
"""Puts back what a part of a pool held when it was made."""

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Changing(Lockable):
    """What changes by calls that are `all_or_nothing`."""

    _unfinished: list[PutBack] | None
    """What takes back the call under way."""

    def _keep_numbers(self) -> PutBack:
        """Keep the counters, which any call may change."""
        raise NotImplementedError

    def _follow_names(self) -> None:
        """Follow the players whom the ladder has renamed since the last call."""
        raise NotImplementedError

    def _begin_change(self) -> None:
        """From here on, what `_keep` is told is put back if an exception ends the call."""
        self._unfinished = [self._keep_numbers()]

    def _keep(self, *parts: PutBack) -> None:
        """Note how to take back what the call under way is about to do."""
        assert self._unfinished is not None
        self._unfinished.extend(parts)

    def _take_back(self) -> None:
        for put_back in reversed(self._unfinished or ()):
            put_back()
        self._unfinished = None


Pool = TypeVar("Pool", bound=Changing)


def all_or_nothing(
    method: Callable[Concatenate[Pool, Given], Answer],
) -> Callable[Concatenate[Pool, Given], Answer]:
    """A method whose changes are taken back if an exception ends it; such methods do not call each other."""

    @changing
    @wraps(method)
    def whole(self: Pool, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        if self._unfinished is not None:
            raise InputError(
                f"{method.__name__} in the middle of another call of this pool",
                hint="a term of a policy may look at the pool, not change it",
            )
        self._follow_names()
        self._begin_change()
        answer = method(self, *args, **kwargs)
        self._unfinished = None
        return answer

    return whole


def looking(
    method: Callable[Concatenate[Pool, Given], Answer],
) -> Callable[Concatenate[Pool, Given], Answer]:
    """A method that sees the pool as it is between two calls, and changes at most one thing in it."""

    @changing
    @wraps(method)
    def alone(self: Pool, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        if self._unfinished is None:  # else a term looks, in the middle of a tick
            self._follow_names()
        return method(self, *args, **kwargs)

    return alone
