"""Rows that people write between, below and for groups of results: titles, totals, one date for all.

A row that names no players and has no result is none: it is left out and listed. A date, or the name of an
event, that stands only in the first row of each group holds for the rows below it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from podium.tables.columns.column_choice import Shape
from podium.tables.columns.shapes import ROW
from podium.tables.names.player_numbers import is_total
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows.defects import Source
from podium.text import shorten

DAY_CELL = (
    r"^\s*(?:\p{L}{2,10}[,.]?\s+)?(?:\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./-]\s?\d{1,2}[./-]\s?(?:\d{4}|\d{2})|"
    r"\d{1,2}\.?\s*(?:de\s)?\p{L}{3,}\.?\s*(?:de\s)?\d{2,4})\s*$"
)
"""A cell that is a day, perhaps behind the name of the weekday."""
_COMMENT = r"^\s*(?:\*|#|\(|stand\b|note\b|hinweis\b|anmerkung\b|legend)|:|\S+\s+\S+\s+\S+\s+\S+"
"""Text below a table that is no name: a remark begins so, or has four words or more."""
_SIDES = {"matches": (("player_a", "player_b"), ("winner", "loser")), "results": (("player",),)}
_RESULTS = ("rank", "score", "score_a", "score_b", "result")


def without_titles(frame: pl.DataFrame, shape: Shape, source: Source, notes: ReadingNotes) -> pl.DataFrame:
    """The rows that are results, with the date and the event of their group; quick where no cell is empty."""
    sides = next((pair for pair in _SIDES.get(shape, ()) if set(pair) <= set(frame.columns)), None)
    if sides is None or not len(frame) or "adjustment" in frame.columns:
        return frame
    tidy = [name for name in ("time", "event") if name in frame.columns]
    has_total = len(sides) == 1 and is_total(str(frame[sides[0]][-1]))
    if not has_total and not any(frame[name].null_count() for name in (*sides, *tidy)):
        return frame
    if any(frame[name].dtype != pl.String for name in sides):
        return frame
    frame = _with_days_above(frame, sides, notes)
    titles = _titles(frame, sides)
    texts = _texts(frame.filter(titles))
    for name in ("time", "event"):
        if name in frame.columns and frame[name].dtype == pl.String and frame[name].null_count():
            frame = _filled(frame, name, titles, notes)
    for row, text in texts:
        notes.leave_out_row(source.place(row), shorten(text.strip(), 40))
    return frame.filter(~titles) if texts else frame


def _texts(titles: pl.DataFrame) -> list[tuple[int, str]]:
    """The number of each row, and what stands in it."""
    shown = [name for name in titles.columns if name != ROW and titles[name].dtype == pl.String]
    text = pl.concat_str(shown, separator=" ", ignore_nulls=True).fill_null("").alias("text")
    return [(int(row), text) for row, text in titles.select(ROW, text).rows()]


def _titles(frame: pl.DataFrame, sides: tuple[str, ...]) -> pl.Series:
    """The rows that name nobody and have no result, and text below the table."""
    results = [name for name in _RESULTS if name in frame.columns]
    no_result = frame.select(pl.all_horizontal(pl.lit(value=True), *(pl.col(r).is_null() for r in results)))
    empty = no_result.to_series()
    for name in sides:
        empty &= frame[name].is_null()
    complete = frame.select(pl.all_horizontal(pl.col(name).is_not_null() for name in sides)).to_series()
    if len(sides) == 1:
        complete &= ~no_result.to_series()
    found = np.flatnonzero(complete.to_numpy())
    below = pl.Series(np.arange(len(frame)) > (found[-1] if len(found) else 0))
    shown = [name for name in frame.columns if frame[name].dtype == pl.String]
    text = frame.select(pl.concat_str(shown, separator=" ", ignore_nulls=True)).to_series().fill_null("")
    totals = pl.Series(
        [is_total(cell.strip().partition(" ")[0]) for cell in text.to_list()], dtype=pl.Boolean
    )
    remarks = text.str.contains(f"(?i){_COMMENT}") & no_result.to_series()
    empty &= text != ""
    if len(sides) > 1:
        alone = no_result.to_series() & ~complete if results else empty
        of_nobody = frame.select(pl.all_horizontal(pl.col(name).is_null() for name in sides)).to_series()
        empty |= alone | (below & ((~complete & (totals | remarks)) | (of_nobody & (text != ""))))
        return empty
    others = [name for name in ("event", "time") if name in frame.columns]
    empty |= _sums(frame, sides[0], totals)
    bare = frame.select(pl.all_horizontal(pl.lit(value=True), *(pl.col(o).is_null() for o in others)))
    empty |= below & ((bare.to_series() & remarks) | (totals & frame[sides[0]].is_null()))
    return empty


def _sums(frame: pl.DataFrame, player: str, totals: pl.Series) -> pl.Series:
    """The last row, where it is called a total and has the sum of the scores above it."""
    last = pl.Series(np.arange(len(frame)) == len(frame) - 1)
    if "score" not in frame.columns or not bool(totals[-1]) or not is_total(frame[player][-1] or ""):
        return last & False
    scores = frame["score"].cast(pl.Float64, strict=False)
    return last if scores[-1] is not None and scores[:-1].sum() == scores[-1] else last & False


def _with_days_above(frame: pl.DataFrame, sides: tuple[str, ...], notes: ReadingNotes) -> pl.DataFrame:
    """The frame with a column time, where days stand alone in rows above those of their matches."""
    if "time" in frame.columns or len(sides) < 2:
        return frame
    text = frame[sides[0]].str.strip_chars()
    day = (frame[sides[1]].is_null() & text.str.contains(DAY_CELL)).fill_null(value=False)
    if not day.any() or not day[0]:
        return frame
    notes.guess(f"days are in rows above their matches ({int(day.sum())} days)")
    return frame.with_columns(
        text.set(~day, None).fill_null(strategy="forward").alias("time"),
        frame[sides[0]].set(day, None).alias(sides[0]),
    )


def _filled(frame: pl.DataFrame, name: str, titles: pl.Series, notes: ReadingNotes) -> pl.DataFrame:
    """The column with the cell of the first row of each group in all its rows, if it is written so."""
    column = frame[name].str.strip_chars().replace("", None)
    if name == "time":
        column = column.set(titles & ~column.str.contains(DAY_CELL).fill_null(value=False), None)
    else:
        column = column.set(titles, None)
    given = column.drop_nulls()
    known = notes.group_cells.get(name)
    open_rows = int((column.is_null() & ~titles).sum())
    if not open_rows:
        return frame.with_columns(column.alias(name)) if titles.any() else frame
    if known is None:
        starts = column.filter(~titles | column.is_not_null()).is_not_null()
        once = len(given) > 0 and bool(starts[0]) and not (given == given.shift()).any()
        if not once or len(given) > open_rows + int((titles & column.is_not_null()).sum()):
            return frame
        if len(given) == 1 and not (titles & column.is_not_null()).any() and open_rows < 2:
            return frame
    filled = column.fill_null(strategy="forward")
    if known is not None:
        filled = filled.fill_null(known)
    notes.group_cells[name] = filled.drop_nulls()[-1]
    what = "a date" if name == "time" else "an event"
    notes.guess(f"{what} is given once for a group of rows")
    return frame.with_columns(filled.alias(name))
