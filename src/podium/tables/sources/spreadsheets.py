"""Tables in spreadsheets: .xlsx and .ods, read by fastexcel.

Every cell is read as text, as in a CSV file: numbers as Excel shows them (12, not 12.0), dates as ISO dates.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.files.kinds import MAX_RATIO, check_expansion
from podium.files.panics import PanicError, catching_panics
from podium.history import Skipped
from podium.tables.columns.shapes import ROW
from podium.tables.layouts.grids import MOST_GRID_CELLS, Grid
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources.given_files import ReadableFile
from podium.text import counted

ROWS_ABOVE = 20
"""Rows in which the header of a table is looked for: titles may stand above it."""

SAMPLE_ROWS = 50
"""Rows that tell what a column holds."""

IsTable = Callable[[Sequence[str]], bool]
"""Whether these are the names of the columns of a table that is looked for."""


class SheetFile:
    """A table in a spreadsheet: the names of its columns, then `frames` of the ones wanted.

    It is the first sheet, or the first that holds a table by `is_table`; its header is the first row in use,
    or the first that is one by `is_table`.
    """

    def __init__(
        self, file: ReadableFile, notes: ReadingNotes, is_table: IsTable, max_ratio: float = MAX_RATIO
    ) -> None:
        if find_spec("fastexcel") is None:
            raise InputError(
                f"reading .{file.kind.format} files needs fastexcel",
                source=file.name,
                hint="pip install 'podium[sheets]', or save the table as .csv",
            )
        self._file = file
        self._max_ratio = max_ratio
        self._is_table = is_table
        self._notes = notes

    @cached_property
    def _table(self) -> tuple[str, int, pl.DataFrame]:
        """The name of the sheet, the row of the header counted from 0, and all cells of the sheet as text."""
        import fastexcel

        self._check_sizes()
        try:
            with catching_panics():
                content = self._file.path.read_bytes()
                reader = fastexcel.read_excel(content)  # its name need not say what it is
                sheets = [self._cells(reader, name) for name in reader.sheet_names]
        except (fastexcel.FastExcelError, pl.exceptions.PolarsError, PanicError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(
                f"not a readable {self._file.kind.format} file: {reason}", source=self._file.name
            ) from error
        used = [(name, cells, row) for name, cells in sheets if (row := _first_used(cells)) is not None]
        if not used:
            raise InputError("its sheets are empty", source=self._file.name)
        tables = [
            (name, row, cells)
            for name, cells, first in used
            if (row := self._header_row(cells, first)) is not None
        ]
        if not tables:
            name, cells, first = used[0]
            return name, first, cells
        if len(used) > 1:
            self._notes.guess(f"sheet {tables[0][0]!r}")
        if len(tables) > 1:
            are = "is" if len(tables) == 2 else "are"
            self._notes.guess(f"{counted(len(tables) - 1, 'more sheet')} with a table {are} not read")
        return tables[0]

    def _check_sizes(self) -> None:
        """Refuse a workbook, which is a zip archive, that by its own words holds far more than its size."""
        with suppress(zipfile.BadZipFile, OSError), zipfile.ZipFile(self._file.path) as archive:
            held = sum(member.file_size for member in archive.infolist())
            check_expansion(self._file.path, self._file.name, held, self._max_ratio)

    def _header_row(self, cells: pl.DataFrame, first: int) -> int | None:
        """The first row that names the columns of a table."""
        rows = range(first, min(first + ROWS_ABOVE, len(cells)))
        return next((row for row in rows if self._is_table(_header(cells, row))), None)

    def _cells(self, reader: Any, name: str) -> tuple[str, pl.DataFrame]:
        sheet = reader.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
        return name, sheet.to_polars()

    @property
    def sheet(self) -> str:
        """The name of the sheet that is read."""
        return self._table[0]

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, as in the header."""
        _, row, cells = self._table
        return _header(cells, row)

    def frames(self, wanted: Mapping[str, str], rows: int | None = None) -> Iterator[pl.DataFrame]:
        """Read the wanted columns (new name -> the sheet's name) whole, or in pieces of `rows` rows."""
        _, row, cells = self._table
        below = cells.with_row_index(ROW).slice(row + 1)
        empty = below.select(pl.all_horizontal(pl.exclude(ROW).is_null())).to_series()
        below = below.filter(~empty)
        letters = dict(zip(reversed(self.columns), reversed(cells.columns), strict=True))
        frame = below.select(ROW, *(_text(letters[theirs]).alias(name) for name, theirs in wanted.items()))
        if len(frame):
            yield from [frame] if rows is None else frame.iter_slices(rows)

    def grid(self) -> Grid | None:
        """All cells of the sheet; None of a large one."""
        _, _, cells = self._table
        if cells.width * len(cells) > MOST_GRID_CELLS:
            return None
        text = cells.select(
            _text(column).fill_null("").str.strip_chars().alias(column) for column in cells.columns
        )
        return Grid([list(row) for row in text.rows()], list(range(len(cells))), self.locate)

    def sample(self, columns: Iterable[str]) -> pl.DataFrame:
        """The first rows of some columns."""
        frames = self.frames({name: name for name in columns}, SAMPLE_ROWS)
        return next(frames, pl.DataFrame()).drop(ROW, strict=False)

    def locate(self, row: int) -> dict[str, Any]:
        """Where people find a row: the row of the sheet."""
        return {"source": f"{self._file.name}, sheet {self.sheet!r}", "row": row + 1}

    def take_skipped(self) -> list[Skipped]:
        """Nothing: a sheet has no rows that cannot be split into cells."""
        return []


def _first_used(cells: pl.DataFrame) -> int | None:
    """The first row with a cell that is not empty."""
    for row in range(min(len(cells), 1000)):
        if any(cells.row(row)):
            return row
    return None


def _header(cells: pl.DataFrame, row: int) -> list[str]:
    return [cell or "" for cell in cells.row(row)]


def _text(column: str) -> pl.Expr:
    """The cells of a column; a duration is the time of day on the day before Excel's first one."""
    cell = pl.col(column).str.replace(r"^1899-12-3[01][ T]", "")
    return pl.when(cell == "").then(None).otherwise(cell)
