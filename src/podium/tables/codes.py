"""Names in columns as numbers: 0, 1, 2, … in order of first appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arrays import Ints
from podium.history.ragged import number


def factorize(*columns: pl.Series) -> tuple[Ints, list[str]]:
    """Each name's number, −1 where there is none or it is blank, and the names.

    Several columns of the same length are taken row by row: the numbers of the first row come first. Columns
    are such as `cells.names` gives.

    >>> codes, names = factorize(pl.Series(["b", "a", None, "b"]))
    >>> codes.tolist(), names
    ([0, 1, -1, 0], ['b', 'a'])
    >>> factorize(pl.Series([7, 9]), pl.Series([8, 7]))[0].tolist()
    [0, 1, 2, 0]
    """
    columns = _of_one_kind(columns)
    width, height = len(columns), len(columns[0])
    together = pl.concat([column.alias("name") for column in columns])
    keys = _interleaved([_keys(column) for column in columns])
    codes, first = number(keys)
    names = together.gather(first % width * height + first // width)
    if names.dtype == pl.String and not _are_names_of(names, codes, columns):
        # Two names with one hash, which is a matter of decades: number the names themselves.
        physical = together.cast(pl.Categorical).to_physical().fill_null(2**32 - 1).to_numpy()
        codes, first = number(_interleaved(np.split(physical, width)))
        names = together.gather(first % width * height + first // width)
    return _without_blanks(codes, names.cast(pl.String))


def _of_one_kind(columns: tuple[pl.Series, ...]) -> tuple[pl.Series, ...]:
    """Columns whose keys can be compared: text, unless all are of one type without nulls."""
    kind = columns[0].dtype
    plain = kind.is_integer() or isinstance(kind, (pl.Categorical, pl.Enum))
    if plain and all(column.dtype == kind and not column.null_count() for column in columns):
        return columns
    return tuple(column.cast(pl.String) for column in columns)


def _keys(column: pl.Series) -> NDArray[Any]:
    """Integers that are equal where names are."""
    return (column.hash() if column.dtype == pl.String else column.to_physical()).to_numpy()


def _interleaved(columns: list[NDArray[Any]]) -> NDArray[Any]:
    return columns[0] if len(columns) == 1 else np.column_stack(columns).ravel()


def _are_names_of(names: pl.Series, codes: Ints, columns: tuple[pl.Series, ...]) -> bool:
    """Whether numbers lead back to the names they came from."""
    step = len(columns)
    return all(
        names.gather(codes[i::step]).equals(column, check_names=False) for i, column in enumerate(columns)
    )


def _without_blanks(codes: Ints, names: pl.Series) -> tuple[Ints, list[str]]:
    """Names that are null or nothing but white space are no names."""
    blank = names.is_null() | (names.str.strip_chars() == "").fill_null(value=True)
    if not blank.any():
        return codes, names.to_list()
    named = ~blank.to_numpy()
    renumbered = np.where(named, np.cumsum(named) - 1, -1).astype(np.int32)
    return renumbered[codes], names.filter(pl.Series(named)).to_list()
