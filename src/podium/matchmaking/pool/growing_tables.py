"""Columns of a pool: tables of them that grow, values numbered, and means over pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs

NO_ROWS = np.zeros(0, np.int64)
PutBack = Callable[[], None]
"""Puts back what a part of a pool held when it was kept; may be called more than once."""


class GrowingTable:
    """Columns by name, with room to grow; empty rows hold the declared value.

    >>> table = GrowingTable(time=np.float64(0))
    >>> table.reserve(2)
    >>> table["time"][:2].tolist()
    [0.0, 0.0]
    """

    def __init__(self, **empty: np.generic) -> None:
        self._empty: dict[str, np.generic] = {}
        self.columns: dict[str, NDArray[Any]] = {}
        self.room = 0
        for name, value in empty.items():
            self.declare(name, value)

    def declare(self, name: str, empty: np.generic) -> None:
        """Add a column; `empty` is the value of rows not yet filled."""
        self._empty[name] = empty
        self.columns = {**self.columns, name: np.full(self.room, empty)}

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows."""
        if rows <= self.room:
            return
        room = max(rows, 2 * self.room, 16)
        columns = {}
        for name, column in self.columns.items():
            columns[name] = np.full(room, self._empty[name])
            columns[name][: self.room] = column
        self.columns, self.room = columns, room

    def take(self, rows: Bools) -> None:
        """Leave only these rows, in new columns."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        self.columns, self.room = columns, int(np.count_nonzero(rows))

    def copy_of(self, rows: Longs) -> GrowingTable:
        """A table of its own with these rows."""
        table = GrowingTable()
        table._empty, table.room = self._empty.copy(), len(rows)
        table.columns = {name: column[rows] for name, column in self.columns.items()}
        return table

    def keep(self, rows: Longs = NO_ROWS, names: Sequence[str] = ()) -> PutBack:
        """Keep these rows of the named columns, and what columns and room there are."""
        columns, room = self.columns, self.room
        there = rows[rows < room] if names else rows
        kept = {name: columns[name][there] for name in names}

        def put_back() -> None:
            for name, values in kept.items():
                columns[name][there] = values
            self.columns, self.room = columns, room

        return put_back

    def clear(self, rows: Longs) -> None:
        """Reset these rows to the empty value."""
        for name, column in self.columns.items():
            column[rows] = self._empty[name]


def numbered(values: NDArray[Any]) -> Longs:
    """Number the values from 0 on without gaps, equal values alike; NaN is a value of its own.

    >>> numbered(np.array([7.0, np.nan, 7.0, 2.0])).tolist()
    [2, 0, 2, 1]
    """
    if not len(values):
        return np.zeros(0, np.int64)
    missing = np.isnan(values)
    known = np.where(missing, 0, values)
    low, high = known.min(), known.max()
    if high - low <= 4 * len(values) + 64 and np.all(known == np.floor(known)):  # faster than to sort
        place = np.where(missing, 0, known - low + 1).astype(np.int64)
        there = np.zeros(int(high - low) + 2, np.bool_)
        there[place] = True
        number: Longs = (np.cumsum(there) - 1)[place]
        return number
    return np.unique(np.where(missing, np.nan, values), return_inverse=True)[1]


def segment_means(values: Floats, offsets: Longs) -> Floats:
    """The mean of values[offsets[i]:offsets[i + 1]] for each i; none of these is empty."""
    if len(offsets) == 1:
        return np.zeros(0)
    means: Floats = np.add.reduceat(values, offsets[:-1]) / np.diff(offsets)
    return means
