"""Dates as people write them: 13/08/2021, 8/13/2021 8:00 PM, 13.08.21, 3 Apr 2026, April 3, 2026.

Whether the day or the month comes first is decided for a whole column: one number over 12 tells. A column in
which no number tells is refused, as is one whose rows contradict each other. ISO dates and epoch seconds are
read elsewhere (`podium.tables.rows.cells`), at once and without a guess.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import month_name
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import polars as pl

from podium.arrays import SECOND
from podium.errors import InputError, ParameterError
from podium.history.times import LATEST, YEAR_1000, to_micros
from podium.tables.forms.number_formats import UnclearCellError

Order = Literal["day/month/year", "month/day/year"]

FORMAT_HINT = "write for example --time-format %d/%m/%Y or '%d.%m.%y %H:%M' (time_format= in Python)"

_MONTHS = (
    "jan january januar jänner janvier janv enero ene gennaio gen janeiro januari styczeń stycznia sty "
    "январь января янв ocak oca",
    "feb february februar février févr fév febrero febbraio fevereiro fev februari luty lutego lut февраль "
    "февраля фев şubat şub",
    "mar march märz mär mrz mars marzo março maart mrt marzec marca marts март марта мар mart",
    "apr april avril avr abril abr aprile kwiecień kwietnia kwi апрель апреля апр nisan nis",
    "may mai mayo maggio mag maio mei maj maja май мая mayıs",
    "jun june juni juin junio giugno giu junho czerwiec czerwca cze июнь июня июн haziran haz",
    "jul july juli juillet juil julio luglio lug julho lipiec lipca lip июль июля июл temmuz tem",
    "aug august août augusti agosto ago augustus sierpień sierpnia sie август августа авг ağustos ağu",
    "sep sept september septembre septiembre setiembre settembre set setembro wrzesień września wrz сентябрь "
    "сентября сен eylül eyl",
    "oct october oktober okt octobre octubre ottobre ott outubro out październik października paź октябрь "
    "октября окт ekim eki",
    "nov november novembre noviembre novembro listopad listopada lis ноябрь ноября ноя kasım kas",
    "dec december dezember dez décembre déc diciembre dic dicembre dezembro desember des grudzień grudnia "
    "gru декабрь декабря дек aralık ara",
)
"""The names of each month in the languages that podium reads, English first."""
ENGLISH_MONTHS = frozenset(name for names in _MONTHS for name in names.split()[:2]) | {"sept", "september"}


def _plain(word: str) -> str:
    """A word without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


MONTH_NUMBERS = {
    form: str(number)
    for number, names in enumerate(_MONTHS, start=1)
    for name in names.split()
    for form in (name, _plain(name))
}

_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?"
)
_ZONE = r"(?:\s*(?:z|utc|gmt|(?P<zone>[+-][0-9]{2}:?[0-9]{2})))?"
_YEAR = r"[0-9]{4}|[0-9]{2}"
_WEEKDAY = (
    r"(?:(?:mo|tu|we|th|sa|su|di|mi|do|so|lu|ma|me|je|ve|gi|ju|vi|sá|seg|sex|te|qu|wo|vr|za|zo|po|pn|wt|śr|cz|"
    r"pt|ni|nd|пн|вт|ср|чт|пт|сб|вс|пя|су|во|pa|ça|pe|cu|må|ti|on|to|lö|lø|sö|sø)\pL{0,10}|"
    r"fr(?:i|iday|eitag|edag)?)"
)
"""How the days of the week begin in the languages that podium reads."""
_DATE = (
    rf"^(?:{_WEEKDAY}\.?,?\s+)?(?:"
    rf"(?P<one>[0-9]{{1,2}})(?P<sign>[./-])\s?(?P<two>[0-9]{{1,2}})(?P<next>[./-])\s?(?P<year>{_YEAR})|"
    r"(?P<year_first>[0-9]{4})(?P<year_sign>[./-])(?P<month>[0-9]{1,2})[./-](?P<day>[0-9]{1,2})|"
    r"(?P<day_of>[0-9]{1,2})(?:\.|st|nd|rd|th|er|º)?[\s-]*(?:of\s|de\s)?(?P<name>\pL{3,})\.?,?[\s-]*"
    rf"(?:de\s)?(?P<year_of>{_YEAR})|"
    r"(?P<name_first>\pL{3,})\.?[\s-]*(?P<day_after>[0-9]{1,2})(?:st|nd|rd|th)?,?[\s-]+"
    rf"(?P<year_after>{_YEAR})"
    rf")(?:(?:,?\s+|t)(?:at\s)?{_CLOCK}{_ZONE})?$"
)


@dataclass(frozen=True)
class Dates:
    """Cells read as moments, and how they were understood."""

    micros: pl.Series
    """Microseconds since 1970 UTC; null for what is no date."""
    order: Order | None
    """What is known of dates with slashes or dashes; None if none of them told."""
    guesses: tuple[str, ...]
    """How the dates are written, in words."""


def read_dates(text: pl.Series, order: Order | None) -> Dates:
    """Moments from text that is neither empty nor an ISO time; `order` is what earlier rows have told.

    >>> read_dates(pl.Series(["03/04/2026", "13/04/2026"]), None).guesses
    ('dates are day/month/year',)
    """
    values = text.unique(maintain_order=True)
    parts = values.str.to_lowercase().str.extract_groups(_DATE).struct.unnest()
    slashed = (pl.col("sign") == pl.col("next")) & (pl.col("sign") != ".")
    parts = parts.with_columns(slashed.alias("slashed"), pl.col("one", "two").cast(pl.Int32))
    order = _order(text, values, parts, order)
    day_first = ~pl.col("slashed") | pl.lit(order != "month/day/year")
    numeric = pl.col("sign") == pl.col("next")
    year, month, day = (
        pl.coalesce(pl.when(numeric).then(number).cast(pl.String), *others)
        for number, *others in (
            (pl.col("year"), "year_first", "year_of", "year_after"),
            (pl.when(day_first).then("two").otherwise("one"), "month", _month("name"), _month("name_first")),
            (pl.when(day_first).then("one").otherwise("two"), "day", "day_of", "day_after"),
        )
    )
    century = pl.when(year.str.len_chars() == 4).then(pl.lit("")).when(year < "69").then(pl.lit("20"))
    iso = pl.concat_str(century.otherwise(pl.lit("19")), year, pl.lit("-"), month, pl.lit("-"), day)
    midnight = iso.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us")).dt.epoch("us")
    clock = pl.when(pl.col("hour").is_null()).then(0).otherwise(_clock_micros())
    moments = parts.select(
        *("slashed", "sign", "year_sign"),
        (midnight + clock - _zone_micros()).alias("micros"),
        (year.str.len_chars() == 2).alias("short"),
    )
    return Dates(
        text.replace_strict(values, moments["micros"], return_dtype=pl.Int64),
        order,
        _guesses(moments.drop_nulls("micros"), order),
    )


def _month(column: str) -> pl.Expr:
    return pl.col(column).replace_strict(MONTH_NUMBERS, default=None, return_dtype=pl.String)


def _clock_micros() -> pl.Expr:
    """The time of day in microseconds; null if there is no such time."""
    hour, minute, second = (pl.col(name).cast(pl.Int64) for name in ("hour", "minute", "second"))
    half = pl.col("half")
    fits = pl.when(half.is_null()).then(hour < 24).otherwise(hour.is_between(1, 12))
    fits &= (minute < 60) & (second.fill_null(0) < 60)
    hour = (
        pl.when(half.is_null()).then(hour).otherwise(hour % 12 + pl.when(half == "p").then(12).otherwise(0))
    )
    fraction = pl.col("fraction").str.pad_end(6, "0").str.head(6).cast(pl.Int64)
    whole = (hour * 60 + minute) * 60 + second.fill_null(0)
    return pl.when(fits).then(whole * SECOND + fraction.fill_null(0))


def _zone_micros() -> pl.Expr:
    """How far the zone is ahead of UTC."""
    digits = pl.col("zone").str.replace(":", "").str.tail(4).cast(pl.Int64)
    seconds = (digits // 100 * 60 + digits % 100) * 60
    return (
        pl.when(pl.col("zone").str.starts_with("-")).then(-seconds).otherwise(seconds).fill_null(0) * SECOND
    )


def _order(text: pl.Series, values: pl.Series, parts: pl.DataFrame, known: Order | None) -> Order | None:
    """Whether day or month comes first in dates with slashes or dashes; refused where it cannot be told."""
    dates = parts.with_columns(values.alias("cell")).filter("slashed")
    one_is_day, two_is_day = pl.col("one").is_between(13, 31), pl.col("two").is_between(13, 31)
    told: dict[Order, pl.Series] = {
        "day/month/year": dates.filter(one_is_day & ~two_is_day)["cell"],
        "month/day/year": dates.filter(two_is_day & ~one_is_day)["cell"],
    }
    positions = {order: _position(text, cells[0]) for order, cells in told.items() if len(cells)}
    if known is None and len(positions) == 2:
        (first, position), (second, other) = sorted(positions.items(), key=lambda item: item[1], reverse=True)
        raise UnclearCellError(
            f"{text[position]!r} is {first}, but {text[other]!r} ({{other}}) is {second}",
            position,
            other=other,
            hint=_order_hint(dates),
        )
    order = known or next(iter(positions), None)
    for told_order, position in positions.items():
        if told_order != order:
            raise UnclearCellError(
                f"{text[position]!r} is {told_order}, but the rows before are {order}",
                position,
                hint=_order_hint(dates),
            )
    unclear = dates.filter((pl.col("one") != pl.col("two")) & (pl.max_horizontal("one", "two") <= 12))
    if order is None and len(unclear):
        position = _position(text, unclear["cell"][0])
        raise UnclearCellError(
            f"{text[position]!r} may be {_both_readings(unclear.row(0, named=True))}",
            position,
            hint=_order_hint(unclear),
        )
    if known is None and order == "day/month/year":
        _check_year_last(text, dates)
    return order


def _check_year_last(text: pl.Series, dates: pl.DataFrame) -> None:
    """Refuse dates such as 21-08-13, 21-08-14: where the last numbers change most, they may be days."""
    dates = dates.filter(pl.col("one").is_between(13, 31), pl.col("two").is_between(1, 12))
    lasts = dates["year"].cast(pl.Int32)
    if (lasts > 31).any() or lasts.n_unique() <= dates["one"].n_unique():
        return
    date = dates.row(0, named=True)
    position, month = _position(text, date["cell"]), month_name[date["two"]]
    raise UnclearCellError(
        f"{text[position]!r} may be {date['one']} {month} {_four_digits(date['year'])} "
        f"or {lasts[0]} {month} {_four_digits(str(date['one']))}",
        position,
        hint=_format_hint(date, ("%d", "%m", "%y"), ("%y", "%m", "%d")),
    )


def _four_digits(year: str) -> str:
    return year if len(year) == 4 else ("20" if year < "69" else "19") + year


def _position(text: pl.Series, value: str) -> int:
    position = text.index_of(value)
    assert position is not None
    return position


def _both_readings(date: Mapping[str, Any]) -> str:
    """Both meanings of a date, such as 3 April or 4 March 2026."""
    one, two = date["one"], date["two"]
    return f"{one} {month_name[two]} or {two} {month_name[one]} {_four_digits(date['year'])}"


def _order_hint(dates: pl.DataFrame) -> str:
    """What to write so that dates such as the first of these are read."""
    date = dates.row(0, named=True)
    year = "%Y" if len(date["year"]) == 4 else "%y"
    return _format_hint(date, ("%d", "%m", year), ("%m", "%d", year))


def _format_hint(date: Mapping[str, Any], *orders: tuple[str, str, str]) -> str:
    """What to write so that a date is read in one of two orders of day, month and year."""
    clock = ""
    if date["hour"] is not None:
        clock = " %I:%M" if date["half"] else " %H:%M"
        clock += (":%S" if date["second"] else "") + (" %p" if date["half"] else "")
    one, two = (f"'{date['sign'].join(order)}{clock}'" for order in orders)
    return (
        f"give the format of dates: --time-format {one} or --time-format {two} (in Python "
        f"time_format={one} or time_format={two})"
    )


def _guesses(moments: pl.DataFrame, order: Order | None) -> tuple[str, ...]:
    """How the dates that could be read are written, in words."""
    forms: dict[str, None] = {}
    signs = moments.select("slashed", "sign", "year_sign").unique(maintain_order=True)
    for slashed, sign, year_sign in signs.rows():
        if sign is not None:
            words = order if slashed and order is not None else "day/month/year"
            form = words.replace("/", sign)
        elif year_sign is not None:
            form = f"year{year_sign}month{year_sign}day"
        else:
            form = "written with the month's name"
        forms[form] = None
    guesses = [f"dates are {' and '.join(forms)}"] if forms else []
    if moments["short"].any():
        guesses.append("years of two digits are 1969 to 2068")
    return tuple(guesses)


# ------------------------------------------------------------------ times of day


def read_clocks(column: pl.Series) -> pl.Series:
    """Times of day in microseconds, from text such as 20:00 or 8:00 PM; null for anything else."""
    if column.dtype == pl.Time:
        return column.cast(pl.Int64) // 1000
    parts = column.cast(pl.String).str.strip_chars().str.to_lowercase().str.extract_groups(f"^{_CLOCK}$")
    return parts.struct.unnest().select(_clock_micros().alias("clock"))["clock"]


# ------------------------------------------------------------------ formats given by people


def check_time_format(time_format: str) -> None:
    """Refuse a format by which no date can be read."""
    sample = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
    try:
        if not re.search("%[yYGcx]", time_format):
            raise ValueError("it has no year, %Y or %y")
        datetime.strptime(sample.strftime(time_format), time_format)
    except ValueError as error:
        raise ParameterError(
            f"time_format {time_format!r} is not a date format: {error}", hint=FORMAT_HINT
        ) from error


_COMPILED = re.compile(r"(?:[^%]|%[dmYHMS])*")
"""Formats that Polars reads as Python does."""


def read_by_format(column: pl.Series, time_format: str) -> pl.Series:
    """Moments from cells written in a format of `datetime.strptime`, null for those that do not fit it."""
    if column.dtype.is_float():
        column = column.cast(pl.Int64, strict=False)
    text = column.cast(pl.String).str.strip_chars()
    if _COMPILED.fullmatch(time_format) and all(word in time_format for word in ("%d", "%m", "%Y")):
        micros = text.str.to_datetime(time_format, time_unit="us", strict=False).dt.epoch("us")
        micros = micros.set(~micros.is_between(YEAR_1000, LATEST), None)
        left = (micros.is_null() & text.is_not_null() & (text != "")).arg_true()
    else:
        micros = pl.Series([None], dtype=pl.Int64).new_from_index(0, len(text))
        left = (text.is_not_null() & (text != "")).arg_true()
    odd = text.gather(left)
    table = {value: _one_by_format(value, time_format) for value in odd.unique()}
    return micros.scatter(left, odd.replace_strict(table, return_dtype=pl.Int64)) if table else micros


def _one_by_format(text: str, time_format: str) -> int | None:
    try:
        return to_micros(datetime.strptime(text, time_format))
    except (ValueError, InputError):
        return None
