"""Text that a spreadsheet would take for a formula: CSV has it behind an apostrophe, which podium reads away.

Many programs compute a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or the end of a line when a
person opens the file, and the author of the text can make it do harm. With an apostrophe before it, as OWASP
advises, it is text. Numbers stay as they are. Text that looks like what this writes gets one more apostrophe,
so that reading gives back every text.
"""

from __future__ import annotations

import re

import polars as pl

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
