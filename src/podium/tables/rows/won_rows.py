"""Rows of players with Win or Loss where a score would stand, as games write them: 1, ½ or 0 of a match.

Such words say who won only where one side of each event did, or where all drew. A column of yes and no, such
as `is winner`, says the same.
"""

from __future__ import annotations

import polars as pl

from podium.tables.columns.column_names import WON_MARKS, plain_name
from podium.tables.columns.shapes import ROW
from podium.tables.forms.result_words import is_draw, is_loss, is_unplayed, is_win
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows import cells
from podium.tables.rows.defects import Source
from podium.tables.rows.match_results import plain_numbers
from podium.text import shorten

_LETTERS = {"w": 1.0, "d": 0.5, "t": 0.5, "l": 0.0}
_FLAGS = {"true": 1.0, "yes": 1.0, "1": 1.0, "1.0": 1.0, "false": 0.0, "no": 0.0, "0": 0.0, "0.0": 0.0}
_TEAM_HINT = (
    "if several players won together, add a column team that is alike for those who played together "
    "(--column team=… reads it)"
)
_COUNT_HINT = "write a row for each player and event, with the columns event, player and rank or score"
_ODD_HINT = "write win, draw or loss. To leave such rows out: --on-bad-row skip (on_bad_row='skip')"
_WRONG_HINT = "in each event one side wins and the others lose, or all sides draw"


def with_won_points(
    frame: pl.DataFrame, source: Source, notes: ReadingNotes, *, skip: bool = False
) -> pl.DataFrame:
    """The frame with numbers in its column score, where that has such words; events are named by now.

    Rows with another word are left out if they were not played, or if somebody wants to `skip` bad rows.
    """
    if "score" not in frame.columns or notes.columns is None or "rank" in frame.columns:
        return frame
    theirs = notes.columns.theirs.get("score", "score")
    is_mark = plain_name(theirs) in WON_MARKS
    if not is_mark and not cells.is_text(frame["score"]):
        return frame
    text = frame["score"].cast(pl.String).str.strip_chars().str.to_lowercase()
    different = text.drop_nulls().unique(maintain_order=True).to_list()
    read = {cell: won for cell in different if (won := _points(cell, is_mark=is_mark)) is not None}
    others = [cell for cell in different if cell not in read]
    if read and others and not plain_numbers(pl.Series(others)).is_not_null().any():
        odd = next((cell for cell in others if not (skip or is_unplayed(cell))), None)
        places = text.is_in(others if odd is None else [odd]).fill_null(value=False)
        if odd is not None:
            row = int(frame[ROW].filter(places)[0])
            reason = f"{shorten(theirs)!r} is {odd!r}, and others mark who won"
            raise source.error(reason, row=row, hint=_ODD_HINT)
        for row, cell in zip(frame[ROW].filter(places), text.filter(places), strict=True):
            notes.list_row(source.place(int(row)), f"{theirs} is {cell}")
        counts = text.filter(places).value_counts()
        notes.leave_out_rows({f"{theirs}: {cell}": rows for cell, rows in counts.rows()}, "row")
        frame, text, different = frame.filter(~places), text.filter(~places), list(read)
    if not different or len(read) < len(different):
        if is_mark:
            odd = next(cell for cell in different if cell not in read) if different else ""
            reason = f"{shorten(theirs)!r} is {odd!r}, and does not mark a winner"
            raise source.error(reason, hint=_COUNT_HINT)
        return frame
    points = text.replace_strict(read, default=None, return_dtype=pl.Float64)
    side = frame["team"] if "team" in frame.columns else frame["player"]
    _check(frame.select(ROW, "event").with_columns(points.alias("points"), side.alias("side")), source)
    notes.guess(f"{shorten(theirs)} marks the winners")
    return frame.with_columns(points.alias("score"))


def _points(cell: str, *, is_mark: bool) -> float | None:
    if is_mark and cell in _FLAGS:
        return _FLAGS[cell]
    if is_draw(cell):
        return 0.5
    return 1.0 if is_win(cell) else 0.0 if is_loss(cell) else _LETTERS.get(cell)


def _check(rows: pl.DataFrame, source: Source) -> None:
    """Refuse an event whose winners are several, or that nobody has won."""
    sides = (
        rows.drop_nulls()
        .group_by("event", "side", maintain_order=True)
        .agg(pl.col(ROW).first(), pl.col("points").first())
    )
    events = sides.group_by("event", maintain_order=True).agg(
        pl.col(ROW).first(),
        pl.len().alias("sides"),
        (pl.col("points") == 1.0).sum().alias("won"),
        (pl.col("points") == 0.5).sum().alias("drew"),
    )
    decided = (pl.col("won") == 1) & (pl.col("drew") == 0)
    drawn = (pl.col("won") == 0) & (pl.col("drew") == pl.col("sides"))
    wrong = events.filter(~(decided | drawn) & (pl.col("sides") > 1))
    if not len(wrong):
        return
    row, won = int(wrong[ROW][0]), int(wrong["won"][0])
    event = str(wrong["event"][0])
    if won > 1:
        raise source.error(f"{won} sides have won event {shorten(event)!r}", row=row, hint=_TEAM_HINT)
    reason = "no side has won" if not won else "one side has won and another drew"
    raise source.error(f"{reason} in event {shorten(event)!r}", row=row, hint=_WRONG_HINT)
