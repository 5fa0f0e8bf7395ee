"""A text file gone through record by record, which is slow and tells which line is wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import TextIO

from podium.errors import InputError

NULL_CELLS = ("", r"\N", r"\\N")
"""What a text file has for a cell without a value; databases write the second."""

_DAMAGE = re.compile("[\ud800-\udfff]")


class UnreadableError(InputError):
    """A record that cannot be split into cells; nothing after it can be read."""


def records(text: TextIO, name: str, separator: str, lines_above: int) -> Iterator[tuple[int, list[str]]]:
    """Records from the header on, each with the line it starts on."""
    csv.field_size_limit(2**31 - 1)
    above = [text.readline() for _ in range(lines_above)]
    reader = csv.reader(text, delimiter=separator, strict=True)
    start = 1 + len(above)
    begun = False
    try:
        for cells in reader:
            begun = begun or bool(cells)  # blank lines before the header are nothing
            if begun:
                yield start, cells
            start = reader.line_num + 1 + len(above)
    except csv.Error as error:
        raise UnreadableError(
            f"the record cannot be read: {error}",
            source=name,
            line=start,
            hint="is a quote never closed?",
        ) from error
    if not begun:
        raise InputError("the file is empty", source=name)


def split_line(line: str, separator: str) -> list[str]:
    """The cells of a line; none if it is not a whole record."""
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def is_damaged(cell: str) -> bool:
    """Whether a cell holds bytes that are not UTF-8, or half a character."""
    return not cell.isascii() and _DAMAGE.search(cell) is not None
