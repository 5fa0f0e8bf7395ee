"""Names that stand for nobody: BYE, TBD, a dash; and names that look like mistakes: NULL, Total."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from podium.arrays import Bools, Ints

_AROUND = r"[ \t\-()\[\].,*]*"
_BYES = r"bye|spielfrei|freilos|exempt|no opponent"
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
_TOTALS = ("total", "totals", "grand total", "sum", "average", "mean", "gesamt", "summe", "total général")


def empty_cell_warnings(names: Sequence[str]) -> list[str]:
    """A warning of each name that looks like an empty cell."""
    return [
        f"{name!r} is rated as a player: leave such rows out, or say who it is with --aliases FILE (aliases=)"
        for name in sorted(_EMPTY_CELLS.intersection(names))
    ]


def total_warning(name: str) -> str | None:
    """A warning of a last row that looks like the sum of the others."""
    if name.strip(" :").casefold() not in _TOTALS:
        return None
    return f"{name!r} is rated as a player: if it is the sum of the other rows, leave it out"
