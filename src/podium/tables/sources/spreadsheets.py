"""Tables in spreadsheets: .xlsx and .ods, read by fastexcel.

Every cell is read as text, as in a CSV file: numbers as Excel shows them (12, not 12.0), dates as ISO dates.
All sheets that hold results are read. A merged cell has its content in each of its cells.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Self

import polars as pl

from podium.errors import InputError
from podium.files.kinds import MAX_RATIO, check_expansion
from podium.files.panics import PanicError, catching_panics
from podium.history import Skipped
from podium.tables.columns.shapes import ROW
from podium.tables.layouts.grids import MOST_GRID_CELLS, Grid
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources.given_files import ReadableFile
from podium.tables.sources.merged_cells import SheetMarks, sheet_marks, with_merged
from podium.text import counted, listed

ROWS_ABOVE = 20
"""Rows in which the header of a table is looked for: titles may stand above it."""

MOST_ROWS_SAID = 5
"""Hidden rows of a sheet whose numbers are named."""
SAMPLE_ROWS = 50
"""Rows that tell what a column holds."""

IsTable = Callable[[Sequence[str]], bool]
"""Whether these are the names of the columns of a table that is looked for."""


@dataclass(frozen=True)
class SheetOfFile(ReadableFile):
    """One sheet of a workbook, with its cells as text."""

    sheet: str = ""
    cells: pl.DataFrame | None = None
    is_one_of_several: bool = False
    """Whether more sheets of the workbook are read."""
    guesses: tuple[str, ...] = ()
    """What is said of the choice of sheets."""
    is_hidden: bool = False
    hidden_rows: tuple[int, ...] = ()
    """The positions of rows that hold something and are not shown."""

    @classmethod
    def of(cls, file: ReadableFile, sheet: str, cells: pl.DataFrame) -> Self:
        """A sheet of a workbook."""
        return cls(**{f.name: getattr(file, f.name) for f in fields(ReadableFile)}, sheet=sheet, cells=cells)

    def hiding(self, rows: Sequence[int], is_hidden: bool) -> Self:
        """The sheet with what the spreadsheet does not show of it."""
        assert self.cells is not None
        used = tuple(row for row in rows if row < len(self.cells) and any(self.cells.row(row)))
        return replace(self, is_hidden=is_hidden, hidden_rows=used)

    @property
    def stem(self) -> str:
        """What an event without a name is called after: the sheet, where several are read."""
        return self.sheet if self.is_one_of_several else super().stem

    def notes(self) -> ReadingNotes:
        """The notes on reading it; each of several sheets is named."""
        name = f"{self.name}, sheet {self.sheet!r}" if self.is_one_of_several else self.name
        notes = ReadingNotes(name, self.digest or None)
        for guess in self.guesses:
            notes.guess(guess)
        if self.hidden_rows:
            rows = listed([str(row + 1) for row in self.hidden_rows[:MOST_ROWS_SAID]])
            more = " and more" if len(self.hidden_rows) > MOST_ROWS_SAID else ""
            are = "is" if len(self.hidden_rows) == 1 else "are"
            notes.warn(
                f"{counted(len(self.hidden_rows), 'row')} {are} hidden in the spreadsheet ({rows}{more}) and "
                "read like the others: delete those that do not count"
            )
        return notes


def used_sheets(file: ReadableFile, max_ratio: float = MAX_RATIO) -> list[SheetOfFile]:
    """All sheets of a workbook in which something stands."""
    if find_spec("fastexcel") is None:
        raise InputError(
            f"reading .{file.kind.format} files needs fastexcel",
            source=file.name,
            hint="pip install 'podium[sheets]', or save the table as .csv",
        )
    import fastexcel

    _check_sizes(file, max_ratio)
    try:
        with catching_panics():
            content = file.path.read_bytes()
            reader = fastexcel.read_excel(content)  # its name need not say what it is
            sheets = [(name, *_cells(reader, name)) for name in reader.sheet_names]
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError, PanicError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"not a readable {file.kind.format} file: {reason}", source=file.name) from error
    marks = sheet_marks(file.path, file.kind.format)
    used = [
        SheetOfFile.of(file, name, with_merged(cells, marks.get(name, SheetMarks()).merged)).hiding(
            marks.get(name, SheetMarks()).hidden, is_hidden
        )
        for name, cells, is_hidden in sheets
        if _first_used(cells) is not None
    ]
    if not used:
        raise InputError("its sheets are empty", source=file.name)
    return used


def _check_sizes(file: ReadableFile, max_ratio: float) -> None:
    """Refuse a workbook, which is a zip archive, that by its own words holds far more than its size."""
    with suppress(zipfile.BadZipFile, OSError), zipfile.ZipFile(file.path) as archive:
        held = sum(member.file_size for member in archive.infolist())
        check_expansion(file.path, file.name, held, max_ratio)


def _cells(reader: Any, name: str) -> tuple[pl.DataFrame, bool]:
    """The cells of a sheet, and whether it is hidden."""
    sheet = reader.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
    return sheet.to_polars(), sheet.visible != "visible"


def likely_header(rows: Sequence[Sequence[str]]) -> int | None:
    """The row of a table's first ones to be called its header where none is; None if that is not known.

    It is the first, or the first below a title, which is one text, in one cell or in merged ones.

    >>> likely_header([["Spring cup", ""], ["Name", "Lap"], ["Ann", "3"]]), likely_header([["a"], ["b"]])
    (1, None)
    """
    filled = [len({cell.strip() for cell in row} - {""}) for row in rows]
    found = next((row for row, cells in enumerate(filled) if cells > 1), None)
    if not found or found + 1 == len(rows):
        return found
    return found if filled[found + 1] > 1 and len(rows[found]) == len(rows[found + 1]) else None


class SheetFile:
    """A table in a sheet: the names of its columns, then `frames` of the ones wanted.

    Its header is the first row in use, or the first that is one by `is_table`.
    """

    def __init__(self, file: SheetOfFile, is_table: IsTable) -> None:
        assert file.cells is not None
        self._file, self._all = file, file.cells
        first = _first_used(file.cells) or 0
        rows = range(first, min(first + ROWS_ABOVE, len(file.cells)))
        header = next((row for row in rows if is_table(_header(file.cells, row))), None)
        self.has_header = header is not None
        """Whether a row was found that is the header of a table."""
        if header is None:
            header = first + (likely_header([_header(file.cells, row) for row in rows]) or 0)
        self._header = header

    @property
    def sheet(self) -> str:
        """The name of the sheet."""
        return self._file.sheet

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, as in the header."""
        return _header(self._all, self._header)

    def frames(self, wanted: Mapping[str, str], rows: int | None = None) -> Iterator[pl.DataFrame]:
        """Read the wanted columns (new name -> the sheet's name) whole, or in pieces of `rows` rows."""
        below = self._all.with_row_index(ROW).slice(self._header + 1)
        empty = below.select(pl.all_horizontal(pl.exclude(ROW).is_null())).to_series()
        below = below.filter(~empty)
        letters = dict(zip(reversed(self.columns), reversed(self._all.columns), strict=True))
        frame = below.select(ROW, *(_text(letters[theirs]).alias(name) for name, theirs in wanted.items()))
        if len(frame):
            yield from [frame] if rows is None else frame.iter_slices(rows)

    def has_header_again(self) -> bool:
        """Whether one of the first rows below the header is the header once more."""
        rows = self._all.slice(self._header, SAMPLE_ROWS).rows()
        return bool(rows) and rows[0] in rows[1:]

    def grid(self) -> Grid | None:
        """All cells of the sheet; None of a large one."""
        cells = self._all
        if cells.width * len(cells) > MOST_GRID_CELLS:
            return None
        text = cells.select(
            _text(column).fill_null("").str.strip_chars().alias(column) for column in cells.columns
        )
        return Grid([list(row) for row in text.rows()], list(range(len(cells))), self.locate)

    def sample(self, columns: Iterable[str], rows: int | None = None) -> pl.DataFrame:
        """The first rows of some columns."""
        frames = self.frames({name: name for name in columns}, min(rows or SAMPLE_ROWS, SAMPLE_ROWS))
        return next(frames, pl.DataFrame()).drop(ROW, strict=False)

    def locate(self, row: int) -> dict[str, Any]:
        """Where people find a row: the row of the sheet."""
        return {"source": f"{self._file.name}, sheet {self._file.sheet!r}", "row": row + 1}

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
