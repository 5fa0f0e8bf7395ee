"""How a `Matchmaker` changes its pool, as a whole or not at all, and how it sees the pool between changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Concatenate, ParamSpec, TypeVar

from podium.matchmaking.pool.pool import Pool

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class PoolOwner:
    """What has a pool."""

    _pool: Pool


Owner = TypeVar("Owner", bound=PoolOwner)


def all_or_nothing(
    method: Callable[Concatenate[Owner, Arguments], Answer],
) -> Callable[Concatenate[Owner, Arguments], Answer]:
    """A method whose changes are taken back if an exception ends it; such methods do not call each other."""

    @wraps(method)
    def whole(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        return self._pool.change(method, method.__name__, (self, *args), kwargs)

    return whole


def looking_at_ratings(
    method: Callable[Concatenate[Owner, Arguments], Answer],
) -> Callable[Concatenate[Owner, Arguments], Answer]:
    """A method that is `looking`, at the newest ratings."""

    @wraps(method)
    def seen(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        return self._pool.look(partial(method, self, *args, **kwargs), at_ratings=True)

    return seen


def looking(
    method: Callable[Concatenate[Owner, Arguments], Answer],
) -> Callable[Concatenate[Owner, Arguments], Answer]:
    """A method that sees the pool as it is between two changes."""

    @wraps(method)
    def seen(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        return self._pool.look(partial(method, self, *args, **kwargs))

    return seen
