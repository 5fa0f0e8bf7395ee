"""The cells of a small table as they stand, and tables written again from them.

A layout takes a `Grid` and gives a `Laid` table: a row for each match or for each player of an event, which
is read like a file of that kind. Each row remembers the row of the grid that it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.history import Skipped
from podium.tables.columns.shapes import ROW

MOST_GRID_BYTES, MOST_GRID_CELLS = 4_000_000, 400_000
"""The largest tables that are looked through for other layouts: people write no larger ones by hand."""
LOOKED_FOR_HEADER = 20
"""Rows in which the header of such a table is looked for."""

Cells = list[str]
Locate = Callable[[int], dict[str, Any]]


@dataclass(frozen=True)
class Grid:
    """Rows of text cells, empty ones as empty text, and where people find each row."""

    rows: list[Cells]
    numbers: list[int]
    """The number of each row, as `locate` takes it."""
    locate: Locate

    def error(self, reason: str, row: int, hint: str | None = None) -> InputError:
        """An error about a row, by its position."""
        return InputError(reason, hint=hint, **self.locate(self.numbers[row]))

    def headers(self) -> Iterator[tuple[int, Cells]]:
        """The first rows with two cells or more, which may be the header."""
        for row, cells in enumerate(self.rows[:LOOKED_FOR_HEADER]):
            if sum(map(bool, cells)) > 1:
                yield row, cells

    def below(self, header: int) -> Iterator[tuple[int, Cells]]:
        """The rows below a header that are not empty, each as wide as the header at least."""
        width = len(self.rows[header])
        for row in range(header + 1, len(self.rows)):
            if any(self.rows[row]):
                yield row, self.rows[row] + [""] * (width - len(self.rows[row]))


@dataclass
class Laid:
    """A table written again: its columns, and each row with the position in the grid it comes from."""

    columns: list[str]
    rows: list[tuple[int, Sequence[str | None]]] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    """Rows of the grid that are no results, and why."""
    warnings: list[str] = field(default_factory=list)


def event_names(events: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """A name for each event, from its own, its time and its number; no two have the same.

    >>> list(event_names([("cup", "May", 1), ("cup", "June", 2), ("", "July", 3), ("", "", 4)]))
    ['cup', 'cup June', 'July', '4']
    """
    used: dict[str, int] = {}
    for own, when, number in events:
        name = own or when or str(number)
        used[name] = used.get(name, 0) + 1
        if used[name] > 1:
            name = f"{name} {when}".strip() if when and own else f"{name} ({used[name]})"
        yield name


class LaidTable:
    """A table of another layout, with what `TableFile` offers."""

    def __init__(self, laid: Laid, grid: Grid) -> None:
        self.columns = laid.columns
        self._laid, self._grid = laid, grid

    def frames(self, wanted: Mapping[str, str], rows: int | None = None) -> Iterator[pl.DataFrame]:
        """The wanted columns (new name -> the table's name) whole, or in pieces of `rows` rows."""
        places = {name: self.columns.index(theirs) for name, theirs in wanted.items()}
        frame = pl.DataFrame(
            {ROW: [self._grid.numbers[row] for row, _ in self._laid.rows]}
            | {
                name: [cells[place] or None for _, cells in self._laid.rows] for name, place in places.items()
            },
            schema={ROW: pl.UInt32} | dict.fromkeys(places, pl.String),
        )
        if len(frame):
            yield from [frame] if rows is None else frame.iter_slices(rows)

    def sample(self, columns: Iterable[str], rows: int | None = None) -> pl.DataFrame:
        """The first rows of some columns."""
        frames = self.frames({name: name for name in columns}, rows or 50)
        return next(frames, pl.DataFrame()).drop(ROW, strict=False)

    def locate(self, row: int) -> dict[str, Any]:
        """Where people find a row."""
        return self._grid.locate(row)

    def take_skipped(self) -> list[Skipped]:
        """Nothing: every cell was read."""
        return []
