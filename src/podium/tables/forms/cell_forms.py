"""How the cells of one table are written: what its first rows tell holds for the rows after them.

A table may come in pieces. What a piece tells of the order of day and month, of the sign before decimals, or
of scores that are durations is kept for the next ones; a piece that contradicts it is refused.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from podium.arrays import SECOND
from podium.tables.forms.date_formats import Order, read_by_format, read_dates
from podium.tables.forms.number_formats import (
    DecimalSign,
    UnclearCellError,
    check_points,
    numbers_with,
    read_numbers,
    tidied,
)
from podium.tables.rows import cells

_COLONS = (
    r"^(?:(?P<hours>[0-9]+):(?P<minutes>[0-5]?[0-9])|(?P<only_minutes>[0-9]+))"
    r"""[:'′’](?P<seconds>[0-5][0-9])(?:[.,"″”](?P<fraction>[0-9]+))?["″”]?$"""
)
_SIGNS = r"""^(?P<seconds>[0-9]+)["″”](?P<fraction>[0-9]+)?$"""
_UNITS = (
    r"^(?:(?P<hours>[0-9]+)\s*h(?:ours?|rs?)?\s*)?(?:(?P<only_minutes>[0-9]+)\s*m(?:in(?:utes?|s)?)?\s*)?"
    r"(?:(?P<seconds>[0-9]+)(?:[.,](?P<fraction>[0-9]+))?\s*s(?:ec(?:onds?|s)?)?)?$"
)
_GAP = r"^\+\s*[0-9]"


def read_durations(text: pl.Series) -> pl.Series:
    """Seconds from durations, null for anything else, plain numbers included.

    >>> read_durations(pl.Series(["1:23.45", "1h02m03s", '58"40', "83.2"])).to_list()
    [83.45, 3723.0, 58.4, None]
    """
    if not text.str.contains(r"[0-9]\s*[:'′’\"″”hmsHMS]").any():
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, len(text))
    lower = text.str.strip_chars().str.to_lowercase()
    colons = lower.str.extract_groups(_COLONS).struct.unnest().select(_seconds("minutes").alias("seconds"))
    units = lower.str.extract_groups(_UNITS).struct.unnest().select(_seconds().alias("seconds"))
    signs = lower.str.extract_groups(_SIGNS).struct.unnest()
    signs = signs.with_columns(hours=None, only_minutes=None).select(_seconds().alias("seconds"))
    return colons["seconds"].fill_null(units["seconds"]).fill_null(signs["seconds"])


def _seconds(*more_minutes: str) -> pl.Expr:
    parts = [
        (pl.col("hours"), 3600.0),
        *((pl.col(name), 60.0) for name in ("only_minutes", *more_minutes)),
        (pl.concat_str(pl.col("seconds"), pl.lit("."), pl.col("fraction").fill_null("0")), 1.0),
    ]
    given = pl.any_horizontal(*(text.is_not_null() for text, _ in parts))
    return pl.when(given).then(pl.sum_horizontal(*(text.cast(pl.Float64) * unit for text, unit in parts)))


def with_minutes_and_seconds(text: pl.Series) -> pl.Series:
    """For each cell, whether it is of the form m:ss, which people mix with plain seconds below a minute."""
    return text.str.contains(r"^\s*[0-9]+[:'′’][0-9][0-9](?:[.,\"″”][0-9]+)?[\"″”]?\s*$").fill_null(
        value=False
    )


def are_gaps(text: pl.Series) -> pl.Series:
    """For each cell, whether it is written as a gap to the winner, such as +0.532 or +1 lap."""
    return text.str.contains(_GAP).fill_null(value=False)


DAY_NUMBERS = (20_000, 60_000)
"""Spreadsheets count days from 1900: these are the years 1954 to 2064."""

_POINTS = ("score", "score_a", "score_b")
_EVEN = ("e", "even", "even par")
_FROM_PAR = r"^\s*(?:[+\-−–]\s?[0-9]+|0)\s*$"
_NUMBER = r"^\s*-?[0-9]+(?:\.[0-9]+)?\s*$"
_DAY_NUMBERS_HINT = (
    "write dates as dates, such as 2026-05-01. If it is a running number, sort the rows by it and leave it "
    "out: --column time= (columns={'time': None} in Python)"
)
_GAPS_HINT = (
    "write each player's own time. Where there are ranks, leave the scores out: --column score= "
    "(columns={'score': None} in Python)"
)
_DURATIONS_HINT = "write all of them alike, such as 1:23.45 and 0:59.80"


class CellForms:
    """Reads columns of times, numbers and scores; what podium decides by their looks goes to `guess`."""

    def __init__(self, guess: Callable[[str], None]) -> None:
        self._guess = guess
        self._order: Order | None = None
        self._counted_in_seconds = False
        self._decimals: dict[str, DecimalSign] = {}
        self._durations: bool | None = None
        """Whether scores are durations; None before the first score."""
        self._longer_forms = False
        """Whether some durations are not m:ss, such as 1:02:03 or 83.2s."""
        self._plain_seconds = False
        self.to_par: bool | None = None
        """Whether scores are strokes above or below par, as in golf; None before the first score."""

    # ------------------------------------------------------------------ times

    def times(self, column: pl.Series, time_format: str | None) -> pl.Series:
        """Microseconds since 1970 UTC, null where a cell is empty or no time."""
        if time_format is not None and not column.dtype.is_temporal():
            return read_by_format(column, time_format)
        whole = cells.whole_numbers(column) if column.dtype == pl.String else None
        self._check_day_numbers(column, whole)
        micros = cells.times(column if whole is None else whole)
        odd, text = _unread(column, micros)
        if odd.is_empty():
            return micros
        try:
            dates = read_dates(text, self._order)
        except UnclearCellError as error:
            raise error.at(odd) from error
        self._order = dates.order
        for guess in dates.guesses:
            self._guess(guess)
        return micros.scatter(odd, cells.in_range(dates.micros))

    def _check_day_numbers(self, column: pl.Series, whole: pl.Series | None) -> None:
        """Refuse the day numbers of spreadsheets: taken as seconds they would all be on one day of 1970.

        `whole` is a column of text as integers, if they are that.
        """
        if self._counted_in_seconds:
            return
        if not column.dtype.is_numeric():
            if column.dtype != pl.String or not column.drop_nulls().head(1).str.contains(_NUMBER).any():
                return  # the first cell tells that these are no numbers
            column = column.str.strip_chars() if whole is None else whole
        days = column if column.dtype == pl.Int64 else column.cast(pl.Float64, strict=False)
        if all(
            part.is_between(*DAY_NUMBERS).all() for part in (days.head(cells.SOME), days)
        ) and days.null_count() < len(days):
            first = int(days.is_not_null().arg_max() or 0)
            date = np.datetime64("1899-12-30") + np.timedelta64(int(days[first]), "D")
            raise UnclearCellError(
                f"time is {days[first]:g}, which looks like a spreadsheet's number for {date}",
                first,
                hint=_DAY_NUMBERS_HINT,
            )
        if days.is_between(*cells.EPOCH_MILLISECONDS).any():
            self._guess("times are epoch milliseconds")
        self._counted_in_seconds = True

    # ------------------------------------------------------------------ numbers

    def numbers(self, name: str, column: pl.Series, decimal: DecimalSign | None) -> pl.Series:
        """The numbers of a column, null where a cell is empty or no number."""
        return self._numbers(name, column, cells.numbers(column), decimal)

    def _numbers(
        self, name: str, column: pl.Series, values: pl.Series, decimal: DecimalSign | None
    ) -> pl.Series:
        """The same, where `values` are the numbers that could be read at once."""
        if not cells.is_text(column):
            if column.dtype.is_float():  # later pieces may be text, with the same sign
                self._decimals.setdefault(name, ".")
            return values
        sign = decimal or self._decimals.get(name)
        if sign != ",":
            odd, text = _unread(column, values)
            text = tidied(text)
            if decimal is not None or not text.str.contains(r",|\..*\.").any():
                if sign is None and _have_points(column.cast(pl.String)):
                    if name in _POINTS and not self._durations:
                        check_points(column.cast(pl.String))
                    self._decimals[name] = "."
                return values.scatter(odd, numbers_with(text, ".")) if len(odd) else values
        text = column.cast(pl.String).str.strip_chars()
        if decimal is not None:
            return numbers_with(tidied(text), decimal)
        numbers = read_numbers(text, sign)
        if numbers.sign is not None:
            self._decimals[name] = numbers.sign
        for guess in numbers.guesses:
            self._guess(guess)
        return numbers.values

    # ------------------------------------------------------------------ scores

    @property
    def durations(self) -> bool:
        """Whether the scores read so far are durations."""
        return bool(self._durations)

    def scores(self, column: pl.Series, decimal: DecimalSign | None, finished: pl.Series) -> pl.Series:
        """Scores: numbers, or seconds where they are durations; null where a cell is empty or neither.

        What stands in the cells of those who have not `finished` is no reason to refuse the column.
        """
        if column.dtype in (pl.Duration, pl.Time):
            self._durations = True
            return column.cast(pl.Duration("us")).dt.total_microseconds() / SECOND
        values = cells.numbers(column)
        odd, cells_left = _unread(column, values)
        seconds = read_durations(cells_left)
        durations = odd.filter(seconds.is_not_null())
        if durations.is_empty() and not self._durations:
            values = self._to_par(column, self._numbers("score", column, values, decimal))
            if values.null_count() < len(values):
                self._durations = False
            return values
        text = column.cast(pl.String).str.strip_chars()
        if self._durations is False:
            raise UnclearCellError(
                f"score is {text[durations[0]]!r}, a duration, but the rows before are plain numbers",
                durations[0],
                hint=_DURATIONS_HINT,
            )
        self._durations = True
        gaps = are_gaps(text)
        if len(gap := (gaps & finished).arg_true()):
            reason = f"score is {text[gap[0]]!r}, a gap to another player's time"
            raise UnclearCellError(reason, gap[0], hint=_GAPS_HINT)
        plain = self.numbers("score", text.set(gaps, None).scatter(durations, None), decimal)
        self._check_plain_seconds(text, plain.set(~finished, None), durations)
        return plain.scatter(durations, seconds.drop_nulls())

    def _to_par(self, column: pl.Series, values: pl.Series) -> pl.Series:
        """The scores, with 0 for E where the others are like -12 or +3: golf counts strokes from par."""
        if self.to_par is None and values.null_count() == len(values):
            return values
        odd, text = _unread(column, values)
        even = odd.filter(text.str.to_lowercase().is_in(_EVEN))
        if self.to_par is None:
            self.to_par = False
            if len(even):
                given = column.gather(values.is_not_null().arg_true()).cast(pl.String)
                self.to_par = bool(given.str.contains(_FROM_PAR).all())
        return values.scatter(even, 0.0) if self.to_par and len(even) else values

    def _check_plain_seconds(self, text: pl.Series, plain: pl.Series, durations: pl.Series) -> None:
        """Beside m:ss, as 1:02.3, people write 59.8 for less than a minute; other mixtures are refused."""
        unlike = durations.filter(~with_minutes_and_seconds(text.gather(durations)))
        numbers = plain.is_not_null().arg_true()
        self._longer_forms |= len(unlike) > 0
        self._plain_seconds |= len(numbers) > 0
        wrong = numbers if self._longer_forms else (~plain.is_between(0, 60, closed="left")).arg_true()
        if len(wrong):
            reason = f"score is {text[wrong[0]]!r}, a plain number among durations"
            raise UnclearCellError(reason, wrong[0], hint=_DURATIONS_HINT)
        if self._longer_forms and self._plain_seconds:
            reason = f"score is {text[unlike[0]]!r}, but rows before are plain seconds"
            raise UnclearCellError(reason, unlike[0], hint=_DURATIONS_HINT)


def _have_points(text: pl.Series) -> bool:
    """Whether a cell has a decimal point, or another one."""
    return any(part.str.contains(".", literal=True).any() for part in (text.head(cells.SOME), text))


def _unread(column: pl.Series, values: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The cells of a column of text that are not empty, though no value was read: positions, and content."""
    if values.null_count() == column.null_count() or not cells.is_text(column):
        return pl.Series(dtype=pl.UInt32), pl.Series(dtype=pl.String)
    positions = (values.is_null() & column.is_not_null()).arg_true()
    text = column.gather(positions).cast(pl.String).str.strip_chars()
    return positions.filter(text != ""), text.filter(text != "")
