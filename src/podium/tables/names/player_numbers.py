"""Names of players: tidied as people mean them, told from those that stand for no player, and numbered."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from podium.arrays import Bools, Ints
from podium.history.key_numbers import KeyNumbers
from podium.history.names import BLANKS, Names
from podium.tables.forms.result_words import with_plain, words_of

_AROUND = r"[ \t\-()\[\].,*]*"
_BYES = "|".join(re.escape(form) for word in words_of("nobody") for form in with_plain(word))
_OPEN = r"tbd|tba|tbc|to be (?:decided|determined|announced|confirmed)"
_NOBODY = rf"(?i)^{_AROUND}(?:{_BYES}|{_OPEN}){_AROUND}$|^\s*-\s*$"
_PATTERN = re.compile(_NOBODY)


class UnsettledNamesError(Exception):
    """A table has names such as BYE, and it is not settled yet which of them are players' names."""


def means_nobody(name: str) -> bool:
    """Whether a name usually means that a player had no opponent.

    >>> [means_nobody(name) for name in ("BYE", " (bye)", "-", "tbd", "?", "Bye, Robert")]
    [True, True, True, True, False, False]
    """
    return _PATTERN.search(name) is not None


def mean_nobody(names: pl.Series) -> pl.Series:
    """For each name, whether it usually means nobody."""
    return names.str.contains(_NOBODY)


def of_nobody(codes: Ints, names: Sequence[str], players: Collection[str] = ()) -> Bools:
    """For each code, whether the name it is the number of means nobody; the names of `players` do not.

    >>> of_nobody(np.array([0, 1, 2, -1], np.int32), ["ann", "tbd", "(bye)"]).tolist()
    [False, True, True, False]
    """
    found = mean_nobody(pl.Series(names, dtype=pl.String)).to_numpy()
    if found.any() and players:
        found = found & ~pl.Series(names).is_in(list(players)).to_numpy()
    return np.append(found, False)[codes]  # −1 leads to the last one


# ------------------------------------------------------------------ names that look like mistakes


_EMPTY_CELLS = frozenset(
    form for word in ("None", "Null", "NaN", "N/A", "#N/A") for form in (word, word.lower(), word.upper())
)
"""What programs write for a cell that is empty."""
_TOTALS = (
    *("total", "totals", "grand total", "sum", "average", "mean", "gesamt", "summe"),
    *("stand", "endstand", "zwischenstand", "gesamtstand", "eindstand", "tussenstand", "marcador final"),
    *("schnitt", "durchschnitt", "insgesamt", "total général", "somme", "moyenne", "totale", "somma"),
    *("media", "suma", "promedio", "soma", "média", "totaal", "som", "gemiddelde"),
    *("razem", "średnia", "итого", "всего", "сумма", "среднее", "toplam", "ortalama"),
)


def empty_cell_warnings(names: Sequence[str]) -> list[str]:
    """A warning of each name that looks like an empty cell."""
    return [
        (
            f"{name!r} is rated as a player: leave such rows out, or name the player with --aliases "
            "FILE (aliases=)"
        )
        for name in sorted(_EMPTY_CELLS.intersection(names))
    ]


def is_total(name: str) -> bool:
    """Whether a name is that of a sum of other rows."""
    return name.strip(" :=").casefold() in _TOTALS


def total_warning(name: str) -> str | None:
    """A warning of a last row that looks like the sum of the others."""
    if not is_total(name):
        return None
    return f"{name!r} is rated as a player: if it is the sum of the other rows, leave it out"


_FEW = 1000
"""Names that Python goes through before Polars has planned a query."""


def tidy_names(names: pl.Series) -> pl.Series:
    """A column of text with every name tidied; the column itself where there is nothing to do."""
    stripped = names.str.strip_chars(BLANKS)
    if not are_ascii(stripped):
        stripped = stripped.str.normalize("NFC")
    return names if stripped.equals(names, null_equal=True) else stripped


def are_ascii(names: pl.Series) -> bool:
    """Whether all texts have plain English letters and signs only."""
    if len(names) < _FEW:
        return all(name is None or name.isascii() for name in names.to_list())
    return is_ascii(names).all()


def is_ascii(names: pl.Series) -> pl.Series:
    """For each text, whether it has plain English letters and signs only."""
    return names.str.len_bytes() == names.str.len_chars()


_ROWS_AT_ONCE = 1 << 18
"""Rows numbered at once: their hashes stay in the cache."""


class PlayerNumbers:
    """Numbers cells of names by their position in `names`, to which new names are added.

    Pieces of a table have most of their names in common: what has been met is found by its hash, and only new
    names are looked at letter by letter.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self._keys = KeyNumbers()
        self._texts = pl.Series(dtype=pl.String)
        """The same names as a column."""

    def of(self, columns: Sequence[pl.Series]) -> Ints | None:
        """The numbers of the cells, row by row; None if a cell is anything else than the name of somebody.

        Such are empty cells, names with blanks around them, and BYE. After None the names are of no use.
        """
        if len(self.names) != len(self._keys):  # somebody has added names
            return None
        if any(column.dtype != pl.String or column.null_count() for column in columns):
            return None
        width, height = len(columns), len(columns[0])
        numbers: Ints = np.empty(width * height, np.int32)
        start = 0
        while start < height:
            size = max(_ROWS_AT_ONCE, len(self.names))  # new names cost a copy of all
            codes = self._of_part([column.slice(start, size) for column in columns])
            if codes is None:
                return None
            numbers[width * start : width * (start + size)] = codes
            start += size
        return numbers

    def _of_part(self, columns: list[pl.Series]) -> Ints | None:
        width = len(columns)
        codes, first = self._keys.add(*(column.hash().to_numpy() for column in columns))
        if len(first):
            cells = pl.concat([column.alias("name") for column in columns])
            fresh = cells.gather(first % width * len(columns[0]) + first // width)
            if not are_names(fresh):
                return None
            self._texts = pl.concat([self._texts, fresh], rechunk=True)  # quick to gather from
            self.names.append_all(fresh.to_list())
        for i, column in enumerate(columns):
            # Two names may have one hash, which is a matter of decades.
            numbers = pl.Series(codes[i::width].view(np.uint32))
            if not self._texts.gather(numbers).equals(column, check_names=False):
                return None
        return codes


def are_names(texts: pl.Series) -> bool:
    """Whether every text is the name of somebody, as people write it."""
    return tidy_names(texts) is texts and not (texts == "").any() and not mean_nobody(texts).any()
