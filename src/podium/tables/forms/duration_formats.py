"""Durations as people write them: 59:12, 1:23.45, 1:02:03.4, 1'23.45, 1h02m03s, 83.2s."""

from __future__ import annotations

import polars as pl

_COLONS = (
    r"^(?:(?P<hours>[0-9]+):(?P<minutes>[0-5]?[0-9])|(?P<only_minutes>[0-9]+))"
    r"""[:'′’](?P<seconds>[0-5][0-9])(?:[.,](?P<fraction>[0-9]+))?["″”]?$"""
)
_UNITS = (
    r"^(?:(?P<hours>[0-9]+)\s*h(?:ours?|rs?)?\s*)?(?:(?P<only_minutes>[0-9]+)\s*m(?:in(?:utes?|s)?)?\s*)?"
    r"(?:(?P<seconds>[0-9]+)(?:[.,](?P<fraction>[0-9]+))?\s*s(?:ec(?:onds?|s)?)?)?$"
)
_GAP = r"^\+\s*[0-9]"


def read_durations(text: pl.Series) -> pl.Series:
    """Seconds from durations, null for anything else, plain numbers included.

    >>> read_durations(pl.Series(["1:23.45", "1h02m03s", "83.2"])).to_list()
    [83.45, 3723.0, None]
    """
    if not text.str.contains(r"[0-9]\s*[:'′’hmsHMS]").any():
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, len(text))
    lower = text.str.strip_chars().str.to_lowercase()
    colons = lower.str.extract_groups(_COLONS).struct.unnest().select(_seconds("minutes").alias("seconds"))
    units = lower.str.extract_groups(_UNITS).struct.unnest().select(_seconds().alias("seconds"))
    return colons["seconds"].fill_null(units["seconds"])


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
    return text.str.contains(r"^\s*[0-9]+[:'′’][0-9][0-9](?:[.,][0-9]+)?[\"″”]?\s*$").fill_null(value=False)


def are_gaps(text: pl.Series) -> pl.Series:
    """For each cell, whether it is written as a gap to the winner, such as +0.532 or +1 lap."""
    return text.str.contains(_GAP).fill_null(value=False)
