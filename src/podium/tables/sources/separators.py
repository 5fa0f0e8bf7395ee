"""The sign between the cells of a text table: what a file's suffix says, unless its first lines disagree."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import BinaryIO

from podium.errors import ParameterError

BY_FORMAT = {"csv": ",", "tsv": "\t", "txt": ","}
WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
"""The signs that are recognised, and their names."""
LINES_LOOKED_AT = 20
LONGEST_LINE = 1 << 22
"""Bytes of a line that are looked at."""


def chosen_separator(given: str) -> str:
    """The separator that somebody asked for; `tab` and the two signs backslash and t mean a tab."""
    separator = "\t" if given in ("tab", "\\t") else given
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
        raise ParameterError(
            f"the separator must be one character, not {given!r}",
            hint="for example ';' or '|', or the word tab",
        )
    return separator


_TOLD = re.compile(rb'(?:\xef\xbb\xbf)?"?sep=([^"\r\n])"?\r?\n')


def told_separator(stream: BinaryIO) -> str | None:
    """The separator that a file names in a line above its header, `sep=;`, as Excel writes and reads it."""
    told = _TOLD.fullmatch(stream.readline(20))
    return None if told is None else chosen_separator(told[1].decode("latin-1"))


def separator_of(stream: BinaryIO, usual: str) -> str:
    """The separator in the first lines of a UTF-8 file: `usual` unless the lines fit another one better.

    A sign fits if it divides the header into two cells or more, and the lines below into as many. Of several
    that fit, the one with most cells is taken.

    >>> import io
    >>> separator_of(io.BytesIO(b'winner;loser;margin\\n"ann; a";bob;1,5\\n'), ",")
    ';'
    """
    lines = [stream.readline(LONGEST_LINE) for _ in range(LINES_LOOKED_AT)]
    text = [line.decode("utf-8-sig", "replace") for line in lines if line.strip()]
    counts = {
        sign: _cells(text, sign, whole=not lines[-1]) for sign in sorted(WORDS, key=lambda s: s != usual)
    }
    fitting = {sign: cells[0] for sign, cells in counts.items() if len(set(cells)) == 1 and cells[0] > 1}
    if not fitting:  # a broken table: the header alone decides, and the usual sign if it divides it at all
        fitting = {sign: cells[0] for sign, cells in counts.items() if cells}
        if fitting.get(usual, 0) > 1:
            return usual
    return max(fitting, key=fitting.__getitem__, default=usual)


def _cells(lines: Sequence[str], separator: str, *, whole: bool) -> list[int]:
    """The number of cells of each record; a last one that may go on below the lines looked at is left out."""
    csv.field_size_limit(2**31 - 1)
    try:
        records = [len(cells) for cells in csv.reader(lines, delimiter=separator) if cells]
    except csv.Error:
        return []
    return records if whole or len(records) < 3 else records[:-1]
