"""Columns of a text file that Polars reads as numbers at once, where that says the same as their text.

Reading text first and numbers from it afterwards takes longer and more memory. But what a number is may
depend on how it is written: 12.500 beside 850 is refused, and +45000 is not a spreadsheet's day. So the first
rows of a column decide, as text, whether nothing of that kind can happen, and every frame of numbers is
looked at again: one that holds anything unusual is read as text, and so are all after it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import polars as pl

from podium.tables.columns.shapes import ReadOptions
from podium.tables.forms.number_formats import has_certain_points

NumberTypes = dict[str, type[pl.DataType]]
Sample = Callable[[Sequence[str]], pl.DataFrame]

LARGE_BYTES = 1 << 20
"""Files from this size on are worth a look at their first rows."""
_WHOLE = r"^-?[0-9]+$"
_SECONDS = r"^[1-9][0-9]{8,9}$"
_FIRST_SECOND, _LAST_SECOND = 10**8, 10**11
"""Epoch seconds of the years 1973 to 5138: no other way to count days or moments has such numbers."""


def number_types(sample: Sample, wanted: Mapping[str, str], options: ReadOptions) -> NumberTypes:
    """The types of the columns that can be read as numbers, by the text of their first rows.

    `wanted` has podium's names of the columns of a file, and the file's own, by which `sample` gives the
    first rows.

    >>> rows = pl.DataFrame({"goals": ["0.5", "1"], "against": ["1.250", "2"], "day": ["2019", "2020"]})
    >>> number_types(rows.select, {"score_a": "goals", "score_b": "against", "time": "day"}, ReadOptions())
    {'goals': Float64}
    """
    names = _number_columns(wanted, options)
    rows = sample([wanted[name] for name in names]) if names else pl.DataFrame()
    if rows.is_empty():
        return {}
    found = {wanted[name]: _number_type(name, rows[wanted[name]].drop_nulls()) for name in names}
    return {theirs: kind for theirs, kind in found.items() if kind is not None}


def _number_columns(names: Collection[str], options: ReadOptions) -> list[str]:
    """The columns of matches that are numbers in most files, unless somebody says how they are written."""
    if not {"score_a", "loser"} & set(names) or "adjustment" in names or options.decimal is not None:
        return []
    columns = ["score_a", "score_b"] if options.time_format is not None else ["score_a", "score_b", "time"]
    return [name for name in columns if name in names]


def _number_type(name: str, text: pl.Series) -> type[pl.DataType] | None:
    if text.is_empty():
        return None
    if name == "time":
        return pl.Int64 if text.str.contains(_SECONDS).all() else None
    if text.str.contains(_WHOLE).all():
        return pl.Int64
    # One point that can stand before decimals only tells what the others are.
    are_numbers = text.cast(pl.Float64, strict=False).is_finite().fill_null(value=False).all()
    return pl.Float64 if are_numbers and has_certain_points(text) else None


def are_usual(frame: pl.DataFrame) -> bool:
    """Whether columns that were read as numbers hold nothing else, as not-a-number or a moment of old."""
    for column in frame:
        if column.name == "time" and column.dtype == pl.Int64:
            if not column.is_between(_FIRST_SECOND, _LAST_SECOND).all():  # which leaves empty cells out
                return False
        elif column.dtype == pl.Float64 and column.is_nan().any():
            return False
    return True
