"""Tables for people: which columns hold numbers, and tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Collection

import polars as pl

_NUMBER = r"^[+−-]?[\d,]+(\.\d+)?%?$"
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
    return len(said) > 0 and bool(said.str.contains(_NUMBER).all())


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
