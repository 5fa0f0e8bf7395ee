"""Players numbered while a table is read piece by piece, as long as its names need no more than that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from podium.arrays import Ints
from podium.history.key_numbers import KeyNumbers
from podium.history.names import Names
from podium.tables.names.nobody import mean_nobody
from podium.tables.names.tidy_names import tidy_names

_ROWS_AT_ONCE = 1 << 18
"""Rows numbered at once: their hashes stay in the cache."""


class PlayerNumbers:
    """Numbers cells of names by their position in `names`, to which new names are added.

    Pieces of a table have most of their names in common: what has been met is found by its hash, and only new
    names are looked at letter by letter.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self._keys = KeyNumbers()
        self._texts = pl.Series(dtype=pl.String)
        """The same names as a column."""

    def of(self, columns: Sequence[pl.Series]) -> Ints | None:
        """The numbers of the cells, row by row; None if a cell is anything else than the name of somebody.

        Such are empty cells, names with blanks around them, and BYE. After None the names are of no use.
        """
        if len(self.names) != len(self._keys):  # somebody has added names
            return None
        if any(column.dtype != pl.String or column.null_count() for column in columns):
            return None
        width, height = len(columns), len(columns[0])
        numbers: Ints = np.empty(width * height, np.int32)
        start = 0
        while start < height:
            size = max(_ROWS_AT_ONCE, len(self.names))  # new names cost a copy of all
            codes = self._of_part([column.slice(start, size) for column in columns])
            if codes is None:
                return None
            numbers[width * start : width * (start + size)] = codes
            start += size
        return numbers

    def _of_part(self, columns: list[pl.Series]) -> Ints | None:
        width = len(columns)
        codes, first = self._keys.add(*(column.hash().to_numpy() for column in columns))
        if len(first):
            cells = pl.concat([column.alias("name") for column in columns])
            fresh = cells.gather(first % width * len(columns[0]) + first // width)
            if not are_names(fresh):
                return None
            self._texts = pl.concat([self._texts, fresh], rechunk=True)  # quick to gather from
            self.names.append_all(fresh.to_list())
        for i, column in enumerate(columns):
            # Two names may have one hash, which is a matter of decades.
            numbers = pl.Series(codes[i::width].view(np.uint32))
            if not self._texts.gather(numbers).equals(column, check_names=False):
                return None
        return codes


def are_names(texts: pl.Series) -> bool:
    """Whether every text is the name of somebody, as people write it."""
    return tidy_names(texts) is texts and not (texts == "").any() and not mean_nobody(texts).any()
