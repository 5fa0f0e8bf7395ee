"""Results whose tables are dataframes of the library that the input was of: pandas in, pandas out.

A result remembers the kind of frame that its function was given. podium itself always works on the same
result with Polars tables (`with_polars`).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy
from functools import cached_property, wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, Self, TypeVar, overload

from podium.history.history import is_frame

_KIND, _TWIN = "_frame_kind", "_with_polars"
"""Where a result keeps the kind of its tables, and itself with Polars tables."""
P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class FrameKind:
    """A dataframe of another library, as a pattern for those to come."""

    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern

    def frame(self, table: Any) -> Any:
        """A Polars table in this kind; what is no table stays as it is."""
        from podium.tables.dataframes import frame_like

        return frame_like(self.pattern, table, index=False) if _is_polars(table) else table

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy in another process has no connection to a database: it takes PyArrow for DuckDB."""
        try:
            pickle.dumps(self.pattern)
        except (TypeError, pickle.PicklingError):
            return FrameKind, (self.pattern.limit(0).to_arrow_table(),)
        return FrameKind, (self.pattern,)


def like_given(result: T, given: object) -> T:
    """The result with tables of the kind that its function was given; what is no frame changes nothing."""
    if is_frame(given) and not _is_polars(given):
        pattern: Any = given
        vars(result)[_KIND] = FrameKind(pattern[:0] if hasattr(pattern, "iloc") else pattern)
    return result


def like_result(found: T, result: object) -> T:
    """What was found with the tables of the kind that a result has."""
    if _KIND in vars(result):
        vars(found)[_KIND] = vars(result)[_KIND]
    return found


def with_polars(result: T) -> T:
    """The same result, whose tables are Polars."""
    if _KIND not in getattr(result, "__dict__", ()):
        return result
    if _TWIN not in vars(result):  # kept, as it keeps the tables that it finds
        twin = copy(result)
        vars(twin).pop(_KIND)
        vars(result)[_TWIN] = twin
    same: T = vars(result)[_TWIN]
    return same


def given_kind(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A method whose table is of the kind that was given; it sees Polars tables itself."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        kind: FrameKind | None = vars(self).get(_KIND)
        if kind is None:
            return method(self, *args, **kwargs)
        found: T = kind.frame(method(with_polars(self), *args, **kwargs))
        return found

    return call


class given_kind_property(cached_property[T]):  # noqa: N801  # used as a decorator, like `cached_property`
    """A table that is found once, and of the kind that was given."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """The table."""
        found = super().__get__(instance, owner)
        kind: FrameKind | None = None if instance is None else vars(instance).get(_KIND)
        return found if kind is None else kind.frame(found)

    def __set__(self, instance: object, value: object) -> NoReturn:
        """A table cannot be set. Without this method, what is kept would be read past the property."""
        raise AttributeError(f"{self.attrname} cannot be set")


def takes_any_frame(function: Callable[P, T]) -> Callable[P, T]:
    """A function of Polars tables or results with them that takes those of any library."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        polars: Any = [_polars(one) for one in args]
        return function(*polars, **{name: _polars(one) for name, one in kwargs.items()})  # type: ignore[arg-type]

    return call


def _polars(given: object) -> object:
    if is_frame(given):
        from podium.tables.dataframes import in_polars

        return in_polars(given)
    return with_polars(given)


def _is_polars(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "polars"
