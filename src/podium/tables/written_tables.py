"""Tables written to files: CSV, TSV, NDJSON, plain or compressed, and Parquet; whole, or not at all.

Text that a spreadsheet would take for a formula: CSV has it behind an apostrophe, which podium reads away.

Many programs compute a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or the end of a line when a
person opens the file, and the author of the text can make it do harm. With an apostrophe before it, as OWASP
advises, it is text. Numbers stay as they are. Text that looks like what this writes gets one more apostrophe,
so that reading gives back every text.

Tables for people: which columns hold numbers, and tables as Markdown.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.files.atomic import replacing
from podium.files.database_addresses import is_database
from podium.files.kinds import WRITTEN_FORMATS, FileKind, kind_of
from podium.files.leftovers import PARTS
from podium.tables.database_tables import write_database
from podium.tables.sources.separators import BY_FORMAT

_FORMULA = r"(?s)'*[=+\-@\t\r\n＝＋－＠].+"
_NUMBER = r"'*[+\-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+\-]?\d+)?%?"
_MARK = "'"
_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def is_formula(text: str) -> bool:
    """Whether a cell begins like a formula, with apostrophes before it or without.

    >>> [is_formula(text) for text in ("=1+1", "@SUM(A1)", "-ann", "'=1+1", "-3.5", "+12", "ann", "-")]
    [True, True, True, True, False, False, False, False]
    """
    return re.fullmatch(_FORMULA, text) is not None and re.fullmatch(_NUMBER, text) is None


def marked(text: str) -> str:
    """A text as CSV has it.

    >>> marked("=1+1"), marked("'=1+1"), marked("-3.5")
    ("'=1+1", "''=1+1", '-3.5')
    """
    return _MARK + text if is_formula(text) else text


def are_marked(texts: pl.Series) -> pl.Series:
    """For each text of a CSV file, whether it has an apostrophe that is only a mark."""
    begins = texts.str.starts_with(_MARK).fill_null(value=False)
    return begins & _are_formulas(texts) if begins.any() else begins


def marked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A table as CSV has it."""
    columns = [column.cast(pl.String) for column in frame if column.dtype in _TEXTS]
    return frame.with_columns(
        pl.select(pl.when(found).then(_MARK + column).otherwise(column).alias(column.name)).to_series()
        for column in columns
        if (found := _are_formulas(column)).any()
    )


def unmarked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A table from CSV as it is meant."""
    columns = [column for column in frame if column.dtype == pl.String]
    return frame.with_columns(
        pl.select(pl.when(found).then(column.str.slice(1)).otherwise(column).alias(column.name)).to_series()
        for column in columns
        if (found := are_marked(column)).any()
    )


def _are_formulas(texts: pl.Series) -> pl.Series:
    found = texts.str.contains(f"^{_FORMULA}$") & ~texts.str.contains(f"^{_NUMBER}$")
    return found.fill_null(value=False)


def write_frames(
    frames: Iterable[pl.DataFrame], path: str | os.PathLike[str], table: str = "results"
) -> None:
    """Write frames one after another into one table; only one is in memory at a time.

    The file appears when it is whole. In a database it is the table of this name, if the address has none.
    """
    if is_database(path):
        write_database(frames, path, table)
        return
    kind = kind_of(path)
    if kind.format not in WRITTEN_FORMATS:
        raise InputError(
            f"podium writes no {kind.format} files",
            hint="write .csv, .tsv, .ndjson (with .gz or .zst) or .parquet",
        )
    with replacing(path) as temporary:
        if kind.format == "parquet":
            _write_parquet(frames, temporary)
        else:
            _write_text(frames, temporary, kind)


def _write_text(frames: Iterable[pl.DataFrame], path: Path, kind: FileKind) -> None:
    """Compressed pieces written one after another are one compressed file, for gzip and zstd alike."""
    packed: Any = kind.compression or "uncompressed"
    with path.open("wb") as file:
        for number, frame in enumerate(frames):
            text = with_text_times(frame)
            if kind.format == "ndjson":
                text.write_ndjson(file, compression=packed)
            else:
                separator = BY_FORMAT[kind.format]
                plain = marked_frame(text)
                plain.write_csv(file, separator=separator, include_header=number == 0, compression=packed)


def _write_parquet(frames: Iterable[pl.DataFrame], path: Path) -> None:
    """Of several pieces each goes to a file of its own first, as a Parquet file cannot be appended to."""
    folder = Path(f"{path}{PARTS}")  # whoever made the path removes the folder with it
    parts: list[Path] = []
    for number, frame in enumerate(frames):
        if number == 1:
            folder.mkdir()
            shutil.copyfile(path, parts[0])
        parts.append(folder / f"{number:06}.parquet")
        frame.write_parquet(parts[-1] if number else path)
    if len(parts) > 1:
        pl.scan_parquet(parts, glob=False).sink_parquet(path, maintain_order=True)


def with_text_times(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace times by ISO text in the form of `to_iso`: a date if it is midnight, else a datetime."""

    def text(name: str) -> pl.Expr:
        moment = pl.col(name)
        forms = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%.6fZ")
        day, second, fraction = (moment.dt.to_string(form) for form in forms)
        midnight, whole = moment.dt.time() == pl.time(0), moment.dt.microsecond() == 0
        return pl.when(midnight).then(day).when(whole).then(second).otherwise(fraction).alias(name)

    timed = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime)]
    return frame.with_columns(text(name) for name in timed)


_WRITTEN_NUMBER = r"^[+−-]?[\d,]+(\.\d+)?%?$"
_MEANINGFUL = re.compile(r"([\\`*_\[\]~|])")
"""Characters that Markdown would take as marks inside a line."""


def number_columns(frame: pl.DataFrame) -> list[bool]:
    """For each column, whether it holds numbers, also written ones such as +12.3 or 45%, and dashes.

    >>> number_columns(pl.DataFrame({"player": ["ann", "bob"], "gain": ["+1.5", "–"], "rank": [1, 2]}))
    [False, True, True]
    """
    return [column.dtype.is_numeric() or _holds_written_numbers(column) for column in frame]


def _holds_written_numbers(column: pl.Series) -> bool:
    if column.dtype != pl.String:
        return False
    said = column.filter(column.is_not_null() & (column != "–"))
    return len(said) > 0 and bool(said.str.contains(_WRITTEN_NUMBER).all())


def markdown_table(frame: pl.DataFrame, *, plain: Collection[str] = ()) -> str:
    """A table as Markdown; a missing value is a dash. Nothing in the columns of `plain` text is a mark of it.

    >>> print(markdown_table(pl.DataFrame({"player": ["*ann*"], "rank": [1]}), plain=["player"]))
    | player | rank |
    | --- | ---: |
    | \\*ann\\* | 1 |
    """
    sides = ["---:" if number else "---" for number in number_columns(frame)]
    lines = [frame.columns, sides]
    for row in frame.iter_rows():
        cells = ["–" if cell is None else str(cell) for cell in row]
        lines.append(
            [
                plain_markdown(cell) if name in plain else cell.replace("|", "\\|")
                for name, cell in zip(frame.columns, cells, strict=True)
            ]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain_markdown(text: str) -> str:
    """A text of one line as Markdown that shows it as it is: names may hold anything.

    >>> print(plain_markdown("a|b <i>*c*"))
    a\\|b &lt;i&gt;\\*c\\*
    """
    one_line = " ".join(text.split())
    escaped = one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MEANINGFUL.sub(r"\\\1", escaped)
