"""Names as people mean them: without blanks around them, and each letter written in one way (NFC)."""

from __future__ import annotations

import unicodedata

import polars as pl

INVISIBLE = (
    "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069"
    "\ufeff"
)
"""Signs without width, which web pages and spreadsheets leave at the ends of cells."""
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
    + INVISIBLE
)
_FEW = 1000
"""Names that Python goes through before Polars has planned a query."""


def tidy_name(name: str) -> str:
    """A name without blanks around it, in NFC.

    >>> tidy_name("\\u00a0Zoe\\u0308 ") == "Zo\\u00eb"
    True
    """
    return unicodedata.normalize("NFC", name.strip(BLANKS))


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
