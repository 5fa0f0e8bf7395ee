"""Cells that Excel changed: it takes 3-1 for the first of March, and 3:1 for a minute past three.

A result is repaired where the column leaves no doubt, and each repair is listed. Any other is refused: from a
date alone nobody knows whether 3-1 or 1-3 was written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from podium.tables.columns.shapes import ROW
from podium.tables.forms.date_formats import ENGLISH_MONTHS, MONTH_NUMBERS
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows import cells
from podium.tables.rows.defects import Source

CHANGED = (
    r"^\s*(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.0+)?)?|\d{1,2}:\d\d:00|"
    r"\d{1,2}[.\-/ ]{1,2}[^\W\d_]{3,}\.?|[^\W\d_]{3,}\.?[- ]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4})\s*$"
)
"""A cell that is a day or a time of day, as Excel writes them into a file."""
_CLOCK = re.compile(r"(\d{1,2}):(\d\d):00")
_LONG_CLOCK = re.compile(r"1900-01-(\d\d)[T ](\d\d):(\d\d):00(?:\.0+)?")
_ISO = re.compile(r"\d{4}-(\d\d)-(\d\d)(?:[T ]00:00:00(?:\.0+)?)?")
_GERMAN_DAY = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?\d{4}")
_SLASHED_DAY = re.compile(r"(\d{1,2})/(\d{1,2})/\d{4}")
_MONTH = re.compile(r"(\d{1,2})(\.?[\- /]?)\s?([^\W\d_]{3,})\.?|([^\W\d_]{3,})\.?[\- ](\d{1,2})")
CHANGED_HINT = (
    "give the column the format Text in the spreadsheet and write these results again, or add a column "
    "winner. "
    "To leave such rows out: --on-bad-row skip (on_bad_row='skip')"
)
_NUMBER_HINT = "give the column the format Text in the spreadsheet, and write these numbers again"


class _Changed(NamedTuple):
    """What a cell may have been: two numbers in this order, or in either."""

    first: int
    second: int
    is_certain: bool


def repaired_results(frame: pl.DataFrame, source: Source, notes: ReadingNotes, *, skip: bool) -> pl.DataFrame:
    """The frame with the results that Excel took for dates or times as they were written."""
    for name in ("score_a", "score_b", "score", "rank"):
        if name in frame.columns and frame[name].dtype == pl.String and not skip:
            _check_numbers(frame, name, source)
    if "result" not in frame.columns or not cells.is_text(frame["result"]):
        return frame
    text = frame["result"].cast(pl.String).str.strip_chars()
    odd = text.str.contains(CHANGED).fill_null(value=False)
    if not odd.any():
        return frame
    plain = [cell for cell in text.filter(~odd).drop_nulls().unique().to_list() if cell]
    places = odd.arg_true().to_list()
    read = {place: found for place in places if (found := _changed(text[place])) is not None}
    fixed: dict[int, str] = {}
    for place, one in read.items():
        if (result := _result(one, plain)) is not None:
            fixed[place] = result
    unsure = next((place for place in places if place not in fixed), None)
    if unsure is not None and not skip:
        row = int(frame[ROW][unsure])
        raise source.error(_reason(text[unsure], read.get(unsure)), row=row, hint=CHANGED_HINT)
    for place, result in fixed.items():
        notes.repair(source.place(int(frame[ROW][place])), text[place], result)
    if not fixed:
        return frame
    return frame.with_columns(text.scatter(list(fixed), list(fixed.values())).alias("result"))


def restored(cell: str) -> str | None:
    """The result that Excel changed into a day or a time of day, if there is no doubt.

    >>> restored("03:01:00"), restored("2026-03-01"), restored("3:1")
    ('3-1', None, None)
    """
    found = _changed(cell)
    return None if found is None or not found.is_certain else _result(found, ())


def _reason(cell: str, one: _Changed | None) -> str:
    if one is None:
        return f"result is {cell!r}: Excel changed this"
    either = f"{one.first}-{one.second}"
    if not one.is_certain:
        either += f" or {one.second}-{one.first}"
    return f"result is {cell!r}: Excel changed this, and it was {either}"


def _check_numbers(frame: pl.DataFrame, name: str, source: Source) -> None:
    """Refuse a number that Excel took for a date, such as 1.5 for the first of May."""
    text = frame[name]
    days = text.str.contains(r"^\s*(?:\d{4}-\d\d-\d\d(?:[T ]00:00:00.*)?|\d{1,2}[.\-][ ]?\p{L}{3,}\.?)\s*$")
    days = days.fill_null(value=False)
    if days.any() and not days.all():
        place = int(days.arg_true()[0])
        raise source.error(
            f"{name} is {text[place].strip()!r}: Excel changed this into a date",
            row=int(frame[ROW][place]),
            hint=_NUMBER_HINT,
        )


def _changed(cell: str) -> _Changed | None:
    """What two numbers a cell may have been; None if it is something else."""
    if (match := _CLOCK.fullmatch(cell)) is not None:
        return _Changed(int(match[1]), int(match[2]), is_certain=True)
    if (match := _LONG_CLOCK.fullmatch(cell)) is not None:
        return _Changed(24 * int(match[1]) + int(match[2]), int(match[3]), is_certain=True)
    if (match := _ISO.fullmatch(cell)) is not None:
        return _Changed(int(match[1]), int(match[2]), is_certain=match[1] == match[2])
    if (match := _GERMAN_DAY.fullmatch(cell)) is not None:
        return _Changed(int(match[1]), int(match[2]), is_certain=True)
    if (match := _SLASHED_DAY.fullmatch(cell)) is not None:
        return _Changed(int(match[1]), int(match[2]), is_certain=match[1] == match[2])
    if (match := _MONTH.fullmatch(cell)) is not None:
        name = (match[3] or match[4]).casefold()
        if (month := MONTH_NUMBERS.get(name)) is None:
            return None
        day = int(match[1] or match[5])
        # Only Excel in English writes the month's name first or a dash; elsewhere the day comes first.
        day_first = name not in ENGLISH_MONTHS or (match[2] or "").startswith(".")
        return _Changed(day, int(month), is_certain=day_first or day == int(month))
    return None


def _result(one: _Changed, plain: Sequence[str]) -> str | None:
    """The result that a cell was; None if it may have been another."""
    if one.is_certain:
        return f"{one.first}-{one.second}"
    if {one.first, one.second} == {1, 2} and plain and all(_is_of_chess(cell) for cell in plain):
        return "1/2"
    return None


def _is_of_chess(cell: str) -> bool:
    return cell in ("1", "0", "½", "0.5", "0,5", "1/2")
