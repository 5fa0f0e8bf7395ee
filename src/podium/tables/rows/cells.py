"""Cells of a table as podium's types: names and how they are numbered, numbers, yes or no, moments.

Each parser takes one column as it came out of a file or a dataframe and returns it parsed, null where a
cell cannot be read as what it should be. Whether a null is an error is for others to say; only a column that
holds no such thing at all, as lists where names should be, is refused here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arrays import SECOND, Ints
from podium.errors import InputError
from podium.history.key_numbers import KeyNumbers
from podium.history.ragged import number
from podium.history.times import EARLIEST, LATEST, YEAR_1000, to_micros
from podium.tables.names.player_numbers import tidy_names

_YES = ["1", "true", "yes", "t", "y", "x", "✓", "✔"]
_YES_ELSEWHERE = ["ja", "wahr", "oui", "vrai", "si", "sí", "verdadero", "sim"]
_NO = ["0", "false", "no", "f", "n", "nein", "falsch", "non", "faux", "falso", "não", "nao"]
_RANK = (
    r"^(?:t-?|=|#|p|joint\s)?\s*([0-9]{1,3}(?:[,\s'’][0-9]{3})+|[0-9]+)"
    r"(?:st|nd|rd|th|er|ère|ere|re|e|è|ème|eme|nde?|\.?[ºª°]|\.|\)|=|-?t)?(?:\s?ex(?:\s?[aæ]e?quo|\.)?)?$"
)
"""1st, 2nd, 1., 1er, 2ème, 1º, and the ways to write a tie: T3, =3, 3=, 3e ex."""
_TIME_FORMATS = (
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%S%.fZ",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M",
)
"""What most files hold; other ISO times are read one by one."""
EPOCH_MILLISECONDS = (10**12, 4 * 10**12)
"""Numbers that no file has for seconds: as milliseconds they are the years 2001 to 2096."""
SOME = 100
"""Rows that decide most questions before all rows are looked at."""
_BEGINS_LIKE_ISO = r"^(?:[0-9]{4}-|[0-9]{4}W|-?[0-9]{5})"


def is_text(column: pl.Series) -> bool:
    """Whether the cells are text, as it is or as categories."""
    return column.dtype == pl.String or isinstance(column.dtype, (pl.Categorical, pl.Enum))


def names(column: pl.Series) -> pl.Series:
    """Names as text, from text, categories or whole numbers."""
    kind = column.dtype
    if kind.is_nested() or kind in (pl.Object, pl.Binary):
        raise InputError(f"the column {column.name} holds {kind}, not names")
    if kind.is_float():  # pandas turns integers into floats where one is missing
        return column.set(column != column.round(0), None).cast(pl.Int64, strict=False)
    if isinstance(kind, (pl.Categorical, pl.Enum)) or (
        kind.is_integer() and kind not in (pl.Int128, pl.UInt128)
    ):
        return column
    return column.cast(pl.String)


def numbers(column: pl.Series) -> pl.Series:
    """Numbers as 64-bit floats; not-a-number becomes null, durations become seconds."""
    kind = column.dtype
    if kind == pl.Duration:
        return column.dt.total_microseconds() / SECOND
    if not (is_text(column) or kind.is_numeric() or kind in (pl.Boolean, pl.Null)):
        raise InputError(f"the column {column.name} holds {kind}, not numbers")
    if is_text(column):
        column = column.cast(pl.String)
    parsed = column.cast(pl.Float64, strict=False)
    if is_text(column) and parsed.null_count() > column.null_count():
        parsed = column.str.strip_chars().cast(pl.Float64, strict=False)
    return parsed.fill_nan(None) if parsed.is_nan().any() else parsed


def ranks(column: pl.Series) -> pl.Series:
    """Ranks as 64-bit floats, from numbers and from text such as 1st, T3 or =3.

    >>> ranks(pl.Series("rank", ["1st", "=2", "3e ex", "4.", "last"])).to_list()
    [1.0, 2.0, 3.0, 4.0, None]
    """
    parsed = numbers(column)
    if not (is_text(column) and parsed.null_count()):
        return parsed
    odd = parsed.is_null().arg_true()
    found = column.gather(odd).cast(pl.String).str.strip_chars().str.to_lowercase().str.extract(_RANK)
    return parsed.scatter(odd, found.str.replace_all(r"[^0-9]", "").cast(pl.Float64, strict=False))


def flags(column: pl.Series, yes: Sequence[str] = ()) -> pl.Series:
    """Yes or no as booleans; null if a cell is empty or says neither. The words of `yes` mean yes, too."""
    if column.dtype == pl.Boolean:
        return column
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary):
        raise InputError(f"the column {column.name} holds {column.dtype}, not yes or no")
    text = column.cast(pl.String).str.strip_chars().str.to_lowercase().str.replace(r"\.0$", "")
    affirmed, denied = text.is_in([*_YES, *_YES_ELSEWHERE, *yes]), text.is_in(_NO)
    return affirmed.set(~(affirmed | denied), None)


def times(column: pl.Series) -> pl.Series:
    """Microseconds since 1970 UTC from dates, datetimes, ISO text, epoch seconds or milliseconds."""
    kind = column.dtype
    if isinstance(kind, pl.Datetime):
        if kind.time_zone is not None:
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        parsed = column.dt.epoch("us")
    elif kind == pl.Date:
        parsed = column.cast(pl.Datetime("us")).dt.epoch("us")
    elif kind.is_numeric():
        parsed = _epoch(column)
    elif is_text(column):
        text = column.cast(pl.String).str.strip_chars()
        parsed = _text_times(text.set(text == "", None))
    elif kind == pl.Null:
        parsed = column.cast(pl.Int64)
    else:
        raise InputError(f"the column {column.name} holds {kind}, not times")
    return in_range(parsed)


def in_range(micros: pl.Series) -> pl.Series:
    """The moments, null for those that podium does not count with."""
    inside = micros.is_between(EARLIEST, LATEST)
    return micros if inside.all() else micros.set(~inside, None)


def _epoch(seconds: pl.Series) -> pl.Series:
    """Moments from epoch seconds or milliseconds, or from whole dates written as numbers such as 20260501.

    Numbers that are all years (2019, 2020) are no moments: taken as seconds they would be in January 1970.
    """
    exact = seconds if seconds.dtype.is_integer() else seconds.cast(pl.Float64).fill_nan(None)
    seconds = exact.cast(pl.Int64, strict=False)
    if exact.dtype.is_float() and not (seconds.cast(pl.Float64) == exact).all():
        return (exact * SECOND).round(0).cast(pl.Int64, strict=False)
    if _all_between(seconds, 1800, 2199):
        return seconds.clear(len(seconds))
    if _all_between(seconds, 18_000_101, 21_991_231):
        dates = seconds.cast(pl.String).str.to_date("%Y%m%d", strict=False)
        if dates.null_count() == seconds.null_count():
            return dates.cast(pl.Datetime("us")).dt.epoch("us")
    inside = seconds.is_between(EARLIEST // SECOND, LATEST // SECOND)
    if inside.all():
        return seconds * SECOND
    millis = seconds.set(~seconds.is_between(*EPOCH_MILLISECONDS), None) * 1000
    return (seconds.set(~inside, None) * SECOND).fill_null(millis)


def _all_between(numbers: pl.Series, low: int, high: int) -> bool:
    return numbers.null_count() < len(numbers) and all(
        part.is_between(low, high).all() for part in (numbers.head(SOME), numbers)
    )


def whole_numbers(text: pl.Series) -> pl.Series | None:
    """A column of text as integers; None if a cell is anything else and not empty."""
    return _all_as(pl.Int64, text)


def _all_as(kind: type[pl.DataType], text: pl.Series) -> pl.Series | None:
    """A column of text as numbers of a kind; None if a cell is anything else and not empty."""
    for part in (text.head(SOME), text):
        parsed = part.cast(kind, strict=False)
        if parsed.null_count() > part.null_count():
            return None
    return parsed


def _text_times(text: pl.Series) -> pl.Series:
    """Epoch seconds and the usual formats at compiled speed, what is left one by one."""
    for kind in (pl.Int64, pl.Float64):
        if (seconds := _all_as(kind, text)) is not None:
            return _epoch(seconds)
    first, *others = _by_promise(text.drop_nulls().head(50))
    parsed = _read_by(first, text)
    left = (parsed.is_null() & text.is_not_null()).arg_true()
    if len(left):
        left = left.filter(text.gather(left).str.contains(_BEGINS_LIKE_ISO))
    for pattern in others:
        if left.is_empty():
            return parsed
        found = _read_by(pattern, text.gather(left))
        parsed = parsed.scatter(left, found)
        left = left.filter(found.is_null())
    if left.is_empty():
        return parsed
    odd = text.gather(left)
    table = {value: _one_time(value) for value in odd.unique()}
    return parsed.scatter(left, odd.replace_strict(table, return_dtype=pl.Int64))


def _read_by(pattern: str, text: pl.Series) -> pl.Series:
    found = text.str.to_datetime(pattern, time_unit="us", strict=False).dt.epoch("us")
    early = found < YEAR_1000
    return found.set(early, None) if early.any() else found


def _by_promise(sample: pl.Series) -> list[str]:
    """The formats, those first that read most of a sample."""

    def unread(pattern: str) -> int:
        return sample.str.to_datetime(pattern, time_unit="us", strict=False).null_count()

    return sorted(_TIME_FORMATS, key=unread)


def _one_time(text: str) -> int | None:
    try:
        return to_micros(text)
    except InputError:
        return None


# ------------------------------------------------------------------ names as numbers


def factorize(*columns: pl.Series, tidy: bool = True) -> tuple[Ints, list[str]]:
    """Number the names: the number of each cell, −1 for an empty one, and the list of names.

    Several columns of the same length are taken row by row: the numbers of the first row come first. Columns
    are such as `names` gives. With `tidy`, texts that differ in blanks at their ends or in how a letter is
    composed are one name.

    >>> codes, names = factorize(pl.Series(["b", "a", None, "b"]))
    >>> codes.tolist(), names
    ([0, 1, -1, 0], ['b', 'a'])
    >>> factorize(pl.Series([7, 9]), pl.Series([8, 7]))[0].tolist()
    [0, 1, 2, 0]
    """
    columns = _of_one_kind(columns)
    width, height = len(columns), len(columns[0])
    together = pl.concat([column.alias("name") for column in columns])
    keys = [_keys(column) for column in columns]
    codes, first = KeyNumbers().add(*keys) if _are_text(columns) else number(_interleaved(keys))
    names = together.gather(first % width * height + first // width)
    if names.dtype == pl.String and not _are_names_of(names, codes, columns):
        # Two names with one hash, which is a matter of decades: number the names themselves.
        physical = together.cast(pl.Categorical).to_physical().fill_null(2**32 - 1).to_numpy()
        codes, first = number(_interleaved(np.split(physical, width)))
        names = together.gather(first % width * height + first // width)
    names = names.cast(pl.String)
    if tidy and (tidied := tidy_names(names)) is not names:
        merged, left = factorize(tidied, tidy=False)
        return merged[codes], left
    return _without_blanks(codes, names)


def merge(codes: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """Number names again of which some may be equal; `codes` are numbers of these, −1 for none.

    >>> codes, names = merge(np.array([0, 1, -1, 2], np.int32), ["b", "a", "b"])
    >>> codes.tolist(), names
    ([0, 1, -1, 0], ['b', 'a'])
    """
    index: dict[str, int] = {}
    numbers = [index.setdefault(name, len(index)) for name in names]
    return np.array([*numbers, -1], np.int32)[codes], list(index)


def _of_one_kind(columns: tuple[pl.Series, ...]) -> tuple[pl.Series, ...]:
    """Columns whose keys can be compared: text, unless all are of one type without nulls."""
    kind = columns[0].dtype
    plain = kind.is_integer() or isinstance(kind, (pl.Categorical, pl.Enum))
    if plain and all(column.dtype == kind and not column.null_count() for column in columns):
        return columns
    return tuple(column.cast(pl.String) for column in columns)


def _are_text(columns: tuple[pl.Series, ...]) -> bool:
    return columns[0].dtype == pl.String


def _keys(column: pl.Series) -> NDArray[Any]:
    """Integers that are equal where names are."""
    return (column.hash() if column.dtype == pl.String else column.to_physical()).to_numpy()


def _interleaved(columns: list[NDArray[Any]]) -> NDArray[Any]:
    return columns[0] if len(columns) == 1 else np.column_stack(columns).ravel()


def _are_names_of(names: pl.Series, codes: Ints, columns: tuple[pl.Series, ...]) -> bool:
    """Whether numbers lead back to the names they came from."""
    step = len(columns)
    return all(
        names.gather(codes[i::step]).equals(column, check_names=False) for i, column in enumerate(columns)
    )


def _without_blanks(codes: Ints, names: pl.Series) -> tuple[Ints, list[str]]:
    """Names that are null or nothing but white space are no names."""
    blank = names.is_null() | (names.str.strip_chars() == "").fill_null(value=True)
    if not blank.any():
        return codes, names.to_list()
    named = ~blank.to_numpy()
    renumbered = np.where(named, np.cumsum(named) - 1, -1).astype(np.int32)
    return renumbered[codes], names.filter(pl.Series(named)).to_list()
