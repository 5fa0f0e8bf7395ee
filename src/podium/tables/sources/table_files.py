"""Tables in files: CSV, TSV, NDJSON and Parquet, plain or compressed, whole or in pieces; and spreadsheets.

Polars reads; when it gives up, the file is gone through slowly, which says which line is wrong and why. Every
cell of a text file is read as text: what it means is for `podium.history` to say.
"""

from __future__ import annotations

import glob
import io
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.files.kinds import SHEETS, check_expansion, open_binary
from podium.files.panics import PanicError, catching_panics
from podium.files.text_encoding import ENCODING_HINT
from podium.history import Skipped
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.layouts.grids import MOST_GRID_BYTES, Grid
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources.frame_pieces import (
    BLANK,
    collected,
    first_lines,
    line_blocks,
    pieces,
    read_ahead,
    streamed,
    text_frame,
    without_blank,
)
from podium.tables.sources.given_files import ReadableFile
from podium.tables.sources.number_columns import (
    LARGE_BYTES,
    NumberTypes,
    are_usual,
    number_types,
)
from podium.tables.sources.separators import (
    BY_FORMAT,
    LONGEST_LINE,
    WORDS,
    chosen_separator,
    separator_of,
    told_separator,
)
from podium.tables.sources.spreadsheets import (
    ROWS_ABOVE,
    SAMPLE_ROWS,
    IsTable,
    SheetFile,
    SheetOfFile,
    likely_header,
    used_sheets,
)
from podium.tables.sources.strict_json import has_ambiguous_lines, json_text, line_objects
from podium.tables.sources.text_records import (
    NULL_CELLS,
    UnreadableError,
    is_damaged,
    records,
    split_line,
)
from podium.tables.written_tables import unmarked_frame
from podium.text import counted


class _AmbiguousLinesError(Exception):
    """Lines of JSON that Polars would read in its own way, without an error."""


_FAILURES = (pl.exceptions.PolarsError, PanicError, OSError, _AmbiguousLinesError)
"""What is raised where Polars cannot read a file."""
SLOW_ROWS = 100_000
"""Rows of a frame when a file is read slowly."""


def table_in(
    file: ReadableFile, options: ReadOptions, notes: ReadingNotes, is_table: IsTable
) -> TableFile | SheetFile:
    """The table in a file; `is_table` tells the header of one among its first rows."""
    if file.kind.format in SHEETS:
        return _only_sheet(file, options, notes, is_table)
    return TableFile(file, options, notes, is_table)


def _only_sheet(
    file: ReadableFile, options: ReadOptions, notes: ReadingNotes, is_table: IsTable
) -> SheetFile:
    """The sheet that was chosen, or else the first with a table."""
    if isinstance(file, SheetOfFile):
        return SheetFile(file, is_table)
    sheets = used_sheets(file, options.max_ratio)
    tables = [table for sheet in sheets if (table := SheetFile(sheet, is_table)).has_header]
    if tables and len(sheets) > 1:
        notes.guess(f"sheet {tables[0].sheet!r}")
    if len(tables) > 1:
        are = "is" if len(tables) == 2 else "are"
        notes.guess(f"{counted(len(tables) - 1, 'more sheet')} with a table {are} not read")
    return tables[0] if tables else SheetFile(sheets[0], is_table)


class TableFile:
    """A table on disk: first the names of its columns, then `frames` of the ones wanted."""

    def __init__(
        self, file: ReadableFile, options: ReadOptions, notes: ReadingNotes, is_table: IsTable
    ) -> None:
        self.name, self.path, self.kind = file.name, file.path, file.kind
        self.skip_bad = options.skip
        self._options = options
        self._skipped: list[Skipped] = []
        self._is_text = self.kind.format in BY_FORMAT
        self._lines_are_rows = self._is_text and not file.has_quotes
        self._lines_above = 0
        """Lines above the header that say something else."""
        self._separator = "," if options.separator is None else chosen_separator(options.separator)
        if self._is_text:
            self._find_header(options, notes, is_table)

    def _find_header(self, options: ReadOptions, notes: ReadingNotes, is_table: IsTable) -> None:
        """Look at the first lines for the header and the sign between cells, unless somebody named it."""
        with open_binary(self.path, self.kind, self.name) as stream:
            told = told_separator(stream)
        self._lines_above = int(told is not None)
        usual = BY_FORMAT[self.kind.format]
        if options.separator is None and told is None:
            with open_binary(self.path, self.kind, self.name) as stream:
                self._separator = separator_of(stream, usual)
            self._skip_titles(notes, is_table, (self._separator, *WORDS))
            if self._separator != usual or self.kind.format == "txt":
                notes.guess(f"{WORDS[self._separator]} between cells")
            return
        if options.separator is None and told is not None:
            self._separator = told
        self._skip_titles(notes, is_table, (self._separator,))

    def _skip_titles(self, notes: ReadingNotes, is_table: IsTable, separators: Iterable[str]) -> None:
        """Begin at the first line that is the header of a table, where the first line of all is none."""
        with suppress(InputError):
            if is_table(self._header()):
                return
        with open_binary(self.path, self.kind, self.name) as stream:
            lines = [stream.readline(LONGEST_LINE) for _ in range(self._lines_above + ROWS_ABOVE)]
        titles = 0
        for number, line in enumerate(lines[self._lines_above :], start=self._lines_above):
            text = line.decode("utf-8-sig", "replace").strip("\r\n")
            for separator in separators:
                if is_table(split_line(text, separator)):
                    self._separator, self._lines_above = separator, number
                    if titles:
                        notes.guess(f"{counted(titles, 'line')} above the header")
                    return
            titles += bool(text.strip())
        above = [line.decode("utf-8-sig", "replace").strip("\r\n") for line in lines[self._lines_above :]]
        for separator in separators:
            rows = [split_line(line, separator) for line in above]
            if (header := likely_header(rows)) is not None:
                self._separator, self._lines_above = separator, self._lines_above + header
                return

    def has_header_again(self) -> bool:
        """Whether one of the first lines below the header is the header once more."""
        if not self._is_text:
            return False
        with open_binary(self.path, self.kind, self.name) as stream:
            lines = first_lines(stream, self._lines_above, SAMPLE_ROWS).splitlines()
        return bool(lines) and lines[0] in lines[1:]

    def grid(self) -> Grid | None:
        """All cells of a small text file; None of a large one, or one whose records cannot be told."""
        if not self._is_text or self.path.stat().st_size > MOST_GRID_BYTES:
            return None
        try:
            with open_binary(self.path, self.kind, self.name) as binary:
                text = binary.read().decode("utf-8-sig", "replace")
            signs = (self._separator, *WORDS) if self._options.separator is None else (self._separator,)
            split = [list(records(io.StringIO(text, newline=""), self.name, sign, 0)) for sign in signs]
        except InputError:
            return None
        found = max(split, key=lambda lines: sum(len(cells) for _, cells in lines))
        lines = [line for line, _ in found]
        rows = [[cell.strip() for cell in cells] for _, cells in found]

        def locate(number: int) -> dict[str, Any]:
            return {"source": self.name, "line": lines[number]}

        return Grid(rows, list(range(len(rows))), locate)

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, as in the file."""
        if self._is_text:
            return self._header()  # Polars would give the second of two equal names another one
        try:
            return [name for name in self._schema().names() if name != ROW]
        except _FAILURES as error:
            if self.kind.format == "parquet":
                raise self._unreadable(error) from error
            return self._json_names

    def frames(self, wanted: Mapping[str, str], rows: int | None = None) -> Iterator[pl.DataFrame]:
        """Read the wanted columns (new name -> the file's name) whole, or in pieces of about `rows` rows.

        Beside them stands `ROW`, the number of each row. Cells of a text file are text; those of a large one
        are numbers where that says the same.
        """
        try:
            self._schema()  # what cannot even be begun is read slowly
            lazy = self._selected(self._lazy, wanted)
            types = self._number_types(wanted, rows)
            if self.kind.format == "parquet":
                self._check_cells(len(wanted))
            if rows is None:
                whole = self._as_numbers(self.path, wanted, types, skip_lines=self._lines_above)
                batches: Iterator[pl.DataFrame] = iter([collected(lazy) if whole is None else whole])
            else:
                if self._is_text and not self._lines_are_rows:
                    # A quote never closed gives rows with wrong numbers before it gives an error: look first.
                    collected(lazy.select(pl.col(BLANK).any()))  # for which every cell is read
                batches = self._batches(lazy, wanted, rows, types)
        except _FAILURES as error:
            if self.kind.format == "parquet":
                raise self._unreadable(error) from error
            batches = self._slow_batches(wanted, rows)
        found = filter(len, map(without_blank, batches))
        yield from map(unmarked_frame, found) if self._is_text else found

    def _check_cells(self, columns: int) -> None:
        """Refuse a Parquet file whose cells, of eight bytes or more in memory, are out of proportion."""
        rows = collected(self._lazy.select(pl.len())).item()
        check_expansion(self.path, self.name, 8 * rows * columns, self._options.max_ratio)

    def sample(self, columns: Iterable[str], rows: int | None = None) -> pl.DataFrame:
        """The first rows of some columns, at most `rows`; nothing if they have to be read line by line."""
        rows = min(rows or SAMPLE_ROWS, SAMPLE_ROWS)
        try:
            if self._lines_are_rows:  # of which Polars would read far more
                with open_binary(self.path, self.kind, self.name) as stream:
                    lazy = self._scan_text(first_lines(stream, self._lines_above, rows))
            else:
                lazy = self._lazy.head(rows)
            return without_blank(collected(self._selected(lazy, {name: name for name in columns}))).drop(ROW)
        except _FAILURES:
            return pl.DataFrame()

    def _number_types(self, wanted: Mapping[str, str], rows: int | None) -> NumberTypes:
        """The types of the columns that can be read as numbers, by the file's names."""
        if not self._lines_are_rows or self.path.stat().st_size < LARGE_BYTES:
            return {}
        return number_types(partial(self.sample, rows=rows), wanted, self._options)

    def _as_numbers(
        self, source: Path | bytes, wanted: Mapping[str, str], types: NumberTypes, **where: int
    ) -> pl.DataFrame | None:
        """The wanted columns, some of them as numbers; None if none can be, or a cell is no such number."""
        if not types:
            return None
        with suppress(*_FAILURES):
            frame = collected(self._selected(self._scan_text(source, types, **where), wanted))
            if are_usual(frame):
                return frame
        return None

    def _batches(
        self, lazy: pl.LazyFrame, wanted: Mapping[str, str], rows: int, types: NumberTypes
    ) -> Iterator[pl.DataFrame]:
        given = 0
        try:
            frames = self._block_frames(wanted, types) if self._lines_are_rows else streamed(lazy, rows)
            for piece in pieces(read_ahead(map(without_blank, frames)), rows):
                given = int(piece[ROW][-1]) + 1
                yield piece
                del piece  # or two are in memory while the next one is read
            return
        except _FAILURES as error:
            if not self._lines_are_rows:
                raise self._unreadable(error) from error
        # The lines given are right, whatever stands on those after them, which are looked at one by one.
        yield from self._slow_batches(wanted, rows, given)

    def _block_frames(self, wanted: Mapping[str, str], types: NumberTypes) -> Iterator[pl.DataFrame]:
        """Frames of a text file without quotes, whose lines are its records.

        Polars reads such a file by itself, too, but it reads hundreds of megabytes ahead.
        """
        rows = 0
        with open_binary(self.path, self.kind, self.name) as stream:
            for block in line_blocks(stream, self._lines_above):
                frame = self._as_numbers(block, wanted, types, first_row=rows)
                if frame is None:
                    types = {}
                    frame = collected(self._selected(self._scan_text(block, first_row=rows), wanted))
                rows += len(frame)
                yield frame

    def _slow_batches(
        self, wanted: Mapping[str, str], rows: int | None, start: int = 0
    ) -> Iterator[pl.DataFrame]:
        """The same frames from row number `start` on, read line by line."""
        slow = self._slow_frames(rows or SLOW_ROWS, start)
        whole = slow if rows is not None else iter([pl.concat(slow)])
        return (collected(self._selected(frame.lazy(), wanted)) for frame in whole)

    def _unreadable(self, error: Exception) -> InputError:
        reason = str(error).strip().partition("\n")[0]
        return InputError(f"not a readable {self.kind.format} file: {reason}", source=self.name)

    def _schema(self) -> pl.Schema:
        with catching_panics():
            return self._lazy.collect_schema()

    @cached_property
    def _lazy(self) -> pl.LazyFrame:
        return self._scan()  # one object: it remembers the schema, for which a file may be read once

    def _scan(self) -> pl.LazyFrame:
        if self.kind.format == "parquet":
            return pl.scan_parquet(self.path, glob=False, row_index_name=ROW)
        if self.kind.format == "ndjson":
            with open_binary(self.path, self.kind, self.name) as stream:
                if has_ambiguous_lines(stream):
                    raise _AmbiguousLinesError
            pattern = glob.escape(str(self.path))
            return pl.scan_ndjson(pattern, infer_schema_length=None, row_index_name=ROW)
        return self._scan_text(self.path, skip_lines=self._lines_above)

    def _scan_text(
        self,
        source: Path | bytes,
        types: NumberTypes | None = None,
        *,
        skip_lines: int = 0,
        first_row: int = 0,
    ) -> pl.LazyFrame:
        return pl.scan_csv(
            source,
            separator=self._separator,
            infer_schema=False,
            schema_overrides=types,
            glob=False,
            row_index_name=ROW,
            row_index_offset=first_row,
            skip_lines=skip_lines,
            null_values=list(NULL_CELLS[1:]),
        )

    def _selected(self, lazy: pl.LazyFrame, wanted: Mapping[str, str]) -> pl.LazyFrame:
        """The columns wanted under the names wanted, and of text files which lines have no cell at all."""
        blank = [pl.all_horizontal(pl.exclude(ROW).is_null()).alias(BLANK)] if self._is_text else []
        return lazy.select(ROW, *(pl.col(theirs).alias(name) for name, theirs in wanted.items()), *blank)

    def locate(self, row: int) -> dict[str, Any]:
        """Where people find a row: the line of a text file, the row of a Parquet file."""
        if self.kind.format == "parquet" or row >= len(self._lines):
            return {"row": row + 1}
        return {"line": self._lines[row]}

    @cached_property
    def _lines(self) -> array[int]:
        """The line on which each row starts; only ever asked for when something is wrong."""
        if self.kind.format == "ndjson":
            return array("q", (line for line, _ in self._lines_with_text()))
        lines = array("q")
        with suppress(UnreadableError):
            lines.extend(line for line, _ in self._records())
        return lines[1:]  # without the header

    def _bad(self, line: int, reason: str, hint: str | None = None) -> None:
        if not self.skip_bad:
            raise InputError(reason, source=self.name, line=line, hint=hint)
        self._skipped.append(Skipped(f"{self.name}, line {line}", reason))

    def take_skipped(self) -> list[Skipped]:
        """Lines that could not be split into cells, since the last call."""
        taken, self._skipped = self._skipped, []
        return taken

    # ------------------------------------------------------------------ text files, line by line

    def _header(self) -> list[str]:
        """The names of the columns as they stand in the file."""
        line, names = next(self._records())
        if any(map(is_damaged, names)):
            raise InputError("the header is not UTF-8", source=self.name, line=line, hint=ENCODING_HINT)
        return names

    def _slow_frames(self, size: int, start: int = 0) -> Iterator[pl.DataFrame]:
        """The rows that can be read, as text, `size` at a time; those that cannot are refused or skipped.

        Rows before number `start` are left out.
        """
        rows = self._slow_json() if self.kind.format == "ndjson" else self._slow_csv(start)
        names = list(next(rows))
        batch: list[list[Any]] = []
        for row in rows:
            batch.append(row)
            if len(batch) == size:
                yield text_frame(batch, names)
                batch = []
        yield text_frame(batch, names)

    def _slow_csv(self, start: int) -> Iterator[list[Any]]:
        """The header, then the number and the cells of each row from number `start` on."""
        records = self._records()
        _, names = next(records)
        yield names
        try:
            for number, (line, cells) in enumerate(records):
                if number < start:
                    continue
                if any(map(is_damaged, cells)):
                    self._bad(line, "the line is not UTF-8", hint=ENCODING_HINT)
                elif len(cells) > len(names):
                    self._bad(
                        line,
                        f"{len(cells)} cells where the header has {len(names)}",
                        hint="a name with a separator in it needs quotes around it",
                    )
                else:
                    given = [None if cell in NULL_CELLS else cell for cell in cells]
                    yield [number, *given, *[None] * (len(names) - len(cells))]
        except UnreadableError as error:
            self._bad(error.line or 1, error.reason, error.hint)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Records from the header on, each with the line it starts on; bad bytes come as lone surrogates."""
        with open_binary(self.path, self.kind, self.name) as binary:
            text = io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape", newline="")
            yield from records(text, self.name, self._separator, self._lines_above)

    def _slow_json(self) -> Iterator[list[Any]]:
        """The names of all columns, then the number and the cells of each row; the file is read twice."""
        names = list(dict.fromkeys([*self._json_names, *self.columns]))
        yield names
        for number, record in line_objects(self._lines_with_text(), lambda *_: None):
            yield [number, *(json_text(record.get(name)) for name in names)]

    @cached_property
    def _json_names(self) -> list[str]:
        """The names of all columns, from the lines that can be read; the others are refused or skipped."""
        objects = line_objects(self._lines_with_text(), self._bad)
        return list(dict.fromkeys(name for _, record in objects for name in record))

    def _lines_with_text(self) -> Iterator[tuple[int, bytes]]:
        """Lines that are not blank, with their numbers."""
        with open_binary(self.path, self.kind, self.name) as binary:
            for number, line in enumerate(binary, start=1):
                if line.strip():
                    yield number, line
