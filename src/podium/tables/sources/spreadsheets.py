"""Tables in spreadsheets: .xlsx and .ods, read by fastexcel.

Every cell is read as text, as in a CSV file: numbers as Excel shows them (12, not 12.0), dates as ISO dates.
All sheets that hold results are read. A merged cell of Excel has its content in each of its cells.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Self
from xml.etree import ElementTree

import polars as pl

from podium.errors import InputError
from podium.files.kinds import MAX_RATIO, check_expansion
from podium.files.panics import PanicError, catching_panics
from podium.history import Skipped
from podium.tables.columns.shapes import ROW
from podium.tables.layouts.grids import MOST_GRID_CELLS, Grid
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources.given_files import ReadableFile

ROWS_ABOVE = 20
"""Rows in which the header of a table is looked for: titles may stand above it."""

SAMPLE_ROWS = 50
"""Rows that tell what a column holds."""

IsTable = Callable[[Sequence[str]], bool]
"""Whether these are the names of the columns of a table that is looked for."""

_LINKS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_RANGE = re.compile(r"([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)")


@dataclass(frozen=True)
class SheetOfFile(ReadableFile):
    """One sheet of a workbook, with its cells as text."""

    sheet: str = ""
    cells: pl.DataFrame | None = None
    is_one_of_several: bool = False
    """Whether more sheets of the workbook are read."""
    guesses: tuple[str, ...] = ()
    """What is said of the choice of sheets."""

    @classmethod
    def of(cls, file: ReadableFile, sheet: str, cells: pl.DataFrame) -> Self:
        """A sheet of a workbook."""
        return cls(**{f.name: getattr(file, f.name) for f in fields(ReadableFile)}, sheet=sheet, cells=cells)

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
            sheets = [(name, _cells(reader, name)) for name in reader.sheet_names]
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError, PanicError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"not a readable {file.kind.format} file: {reason}", source=file.name) from error
    merged = _merged_ranges(file) if file.kind.format == "xlsx" else {}
    used = [
        SheetOfFile.of(file, name, _with_merged(cells, merged.get(name, [])))
        for name, cells in sheets
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


def _cells(reader: Any, name: str) -> pl.DataFrame:
    cells: pl.DataFrame = reader.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars()
    return cells


def _merged_ranges(file: ReadableFile) -> dict[str, list[str]]:
    """The merged cells of each sheet of an Excel workbook, such as A2:A5."""
    found: dict[str, list[str]] = {}
    damaged = (zipfile.BadZipFile, OSError, KeyError, ElementTree.ParseError)
    with suppress(*damaged), zipfile.ZipFile(file.path) as archive:
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {link.get("Id"): link.get("Target", "") for link in links}
        for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter():
            if sheet.tag.endswith("}sheet"):
                target = targets[sheet.get(f"{_LINKS}id")].removeprefix("/xl/")
                text = archive.read(f"xl/{target}").decode("utf-8", "replace")
                found[sheet.get("name", "")] = re.findall(r'<mergeCell [^>]*ref="([A-Z0-9:]+)"', text)
    return found


def _with_merged(cells: pl.DataFrame, ranges: list[str]) -> pl.DataFrame:
    """The cells with the content of each merged cell in all of its cells."""
    if not ranges or cells.width * len(cells) > MOST_GRID_CELLS:
        return cells
    columns = [column.to_list() for column in cells]
    for text in ranges:
        if (match := _RANGE.fullmatch(text)) is None:
            continue
        left, right = (_column_number(match[i]) for i in (1, 3))
        top, bottom = int(match[2]) - 1, min(int(match[4]), len(cells))
        if left < len(columns) and top < len(cells):
            content = columns[left][top]
            for column in columns[left : right + 1]:
                column[top:bottom] = [content] * (bottom - top)
    return pl.DataFrame(columns, schema=dict.fromkeys(cells.columns, pl.String))


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


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
        self._header = first if header is None else header

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
