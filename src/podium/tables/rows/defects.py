"""Bad rows of a table: where they stand, what is wrong with them, and whether to go on without them.

What one frame of a table tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Ints
from podium.errors import InputError
from podium.history.history import History, Skipped, history_of_values
from podium.history.names import Names

RowNumbers = NDArray[np.integer[Any]]
"""The number of each row in the table it comes from, counted from 0."""


@dataclass(frozen=True)
class Source:
    """The origin of a table, which lets an error say where in it something is wrong."""

    name: str | None = None
    locate: Callable[[int], dict[str, Any]] = lambda row: {"row": row + 1}
    """Turns the number of a row, counted from 0, into the place that `InputError` reports."""
    is_python: bool = False
    """Whether the table was made of values from Python, whose names stay as they are."""

    def error(
        self, reason: str, *, row: int | None = None, event: str | None = None, hint: str | None = None
    ) -> InputError:
        """An error about a row, or about the table as a whole."""
        place = {"source": self.name} | ({} if row is None else self.locate(row))
        return InputError(reason, event=event, hint=hint, **place)

    def skipped(self, row: int, reason: str) -> Skipped:
        """The record of a row that was left out."""
        return Skipped(self.where(row), reason)

    def where(self, row: int) -> str:
        """The name of the table and the place of a row in it, in words."""
        return _in_words({"source": self.name} | self.locate(row))

    def place(self, row: int) -> str:
        """Where in the table people find a row, in words."""
        return _in_words(self.locate(row))


def _in_words(place: Mapping[str, Any]) -> str:
    words = {"source": "{}", "line": "line {}", "row": "row {}"}
    return ", ".join(text.format(place[key]) for key, text in words.items() if place.get(key) is not None)


class Defects:
    """The defects found while the rows of one table are checked."""

    def __init__(self, rows: RowNumbers, source: Source, *, skip: bool) -> None:
        self.rows = rows
        self.source = source
        self.skip = skip
        self.bad = np.zeros(len(rows), np.bool_)
        self.skipped: list[tuple[int, Skipped]] = []
        """The number of each row left out, and the record of it."""
        self._first: tuple[int, InputError] | None = None

    def check(
        self,
        bad: Bools,
        reason: str | Callable[[int], str],
        *,
        hint: str | None = None,
        event: Callable[[int], str | None] | None = None,
    ) -> None:
        """Record the rows marked in `bad`; `reason` and `event` are called with a row's position.

        A row is noted once, for the first thing found wrong with it.
        """
        if not bad.any() or not len(positions := np.flatnonzero(bad & ~self.bad)):
            return
        self.bad[positions] = True
        if self.skip:
            for position in positions.tolist():
                row = int(self.rows[position])
                self.skipped.append((row, self.source.skipped(row, _said(reason, position))))
            return
        position = int(positions[np.argmin(self.rows[positions])])
        row = int(self.rows[position])
        if self._first is None or row < self._first[0]:
            where = None if event is None else event(position)
            self._first = (row, self.source.error(_said(reason, position), row=row, event=where, hint=hint))

    def settle(self) -> Bools | None:
        """The rows to keep, None if all are good; raises the first defect unless bad rows are skipped."""
        if self._first is not None:
            raise self._first[1]
        return ~self.bad if self.bad.any() else None


def _said(reason: str | Callable[[int], str], position: int) -> str:
    return reason(position) if callable(reason) else reason


@dataclass(frozen=True)
class TablePart:
    """The history in one frame of a table, before it joins the parts read earlier."""

    history: History
    first_rows: RowNumbers
    """The row of the table on which each event begins."""
    skipped: list[tuple[int, Skipped]]
    """The number of each row left out, and the record of it."""
    rows: RowNumbers | None = None
    """The row of the table that each row of the history comes from; None if each event is one row."""
    adjustment_rows: tuple[int, ...] = ()
    """The row of the table of each adjustment."""

    @property
    def origin(self) -> Ints | None:
        """The row of the table that each row of the history comes from; None if that is not known."""
        if self.rows is not None:
            return self.rows.astype(np.int32)
        if len(self.first_rows) != len(self.history):
            return None
        return np.repeat(self.first_rows.astype(np.int32), self.history.sizes)

    def row_of(self, event: int, place: int) -> int:
        """The row of the table that the player in a place of an event comes from."""
        if self.rows is not None:
            return int(self.rows[int(self.history.offsets[event]) + place])
        return int(self.first_rows[event]) if len(self.first_rows) else event  # a plain file has no others

    @classmethod
    def empty(cls, skipped: list[tuple[int, Skipped]] | None = None) -> TablePart:
        """A part without rows."""
        return cls(history_of_values((), Names()), np.zeros(0, np.int64), skipped or [])
