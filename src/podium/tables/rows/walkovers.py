"""Matches that were won without being played: no results, so their rows are left out and said."""

from __future__ import annotations

from collections import Counter
from functools import partial

import polars as pl

from podium.tables.columns.column_choice import (
    LOSER_POINTS,
    PLAYED,
    REMARK,
    RESULT,
    STATUS,
    WINNER_POINTS,
)
from podium.tables.columns.shapes import ROW
from podium.tables.forms.result_words import is_unplayed, is_walkover, is_walkover_of, names_absent
from podium.tables.reading_notes import MOST_LISTED, ReadingNotes
from podium.tables.rows import cells
from podium.tables.rows.defects import Source
from podium.tables.rows.match_results import plain_numbers

_NO_NUMBER = r"[^\d\s.,½]"
_TEXT_OF_RESULTS = ("result", RESULT, REMARK, STATUS, "score_a", "score_b")
MOST_NAMES_LOOKED_AT = 100_000
"""Rows of a club's file: in larger ones nobody writes w.o. behind a name."""


def without_walkovers(frame: pl.DataFrame, source: Source, notes: ReadingNotes) -> pl.DataFrame:
    """The matches that were played, by the cells of their results and by remarks such as `forfait`."""
    has_text = any(map(partial(_is_text, frame), (*_TEXT_OF_RESULTS, "winner")))
    if not has_text and PLAYED not in frame.columns and len(frame) > MOST_NAMES_LOOKED_AT:
        return frame
    said = pl.Series([None], dtype=pl.String).new_from_index(0, len(frame))
    for name in ("result", RESULT, REMARK, STATUS):
        if name in frame.columns and cells.is_text(frame[name]):
            text = frame[name].cast(pl.String)
            different = text.drop_nulls().unique().to_list()
            found = [cell for cell in different if is_walkover(cell) or names_absent(cell)]
            if name in (REMARK, STATUS) and (idle := [cell for cell in different if is_unplayed(cell)]):
                unplayed = text.is_in(idle).fill_null(value=False) & _without_points(frame)
                said = said.fill_null(text.set(~unplayed, None))
                notes.use_beside(name)
            if found:
                if name != "result":
                    notes.use_beside(name)
                said = said.fill_null(text.set(~text.is_in(found).fill_null(value=False), None))
    said = said.fill_null(_not_played(frame, notes))
    said = said.fill_null(_of_points(frame)).fill_null(_of_winners(frame)).fill_null(_disqualified(frame))
    for name in ("winner", "loser", "player_a", "player_b"):
        if _is_text(frame, name) and len(frame) <= MOST_NAMES_LOOKED_AT:
            said = said.fill_null(_behind_names(frame[name].cast(pl.String)))
    if said.null_count() == len(frame):
        return frame
    left_out = Counter(cell.strip() for cell in said.drop_nulls().to_list())
    notes.leave_out_rows({f"{cell} (not played)": rows for cell, rows in left_out.items()}, "match")
    for place in said.is_not_null().arg_true().head(MOST_LISTED).to_list():
        notes.list_row(source.place(int(frame[ROW][place])), f"{said[place].strip()}: not played")
    return frame.filter(said.is_null())


def _not_played(frame: pl.DataFrame, notes: ReadingNotes) -> pl.Series:
    """The cells other than yes of a column played, if it has yes or no, and no numbers of matches."""
    none = pl.Series([None], dtype=pl.String).new_from_index(0, len(frame))
    if (
        PLAYED not in frame.columns
        or frame[PLAYED].dtype not in (pl.String, pl.Boolean)
        or notes.columns is None
    ):
        return none
    played = cells.flags(frame[PLAYED])
    text = frame[PLAYED].cast(pl.String).str.strip_chars().replace("", None)
    is_count = (plain_numbers(text) > 1.0).any()
    said = (f"{notes.columns.beside[PLAYED]}: " + text).set(played.fill_null(value=False), None)
    if is_count or played.null_count() == len(frame) or said.null_count() == len(frame):
        return none
    notes.use_beside(PLAYED)
    return said


def _without_points(frame: pl.DataFrame) -> pl.Series:
    """The matches whose result is empty or 0:0."""
    if "result" in frame.columns:
        return frame["result"].cast(pl.String).fill_null("").str.contains(r"^[\s0:\-–]*$")
    points = [
        plain_numbers(frame[name]).fill_null(0.0) for name in ("score_a", "score_b") if name in frame.columns
    ]
    return (
        (points[0] == 0.0) & (points[-1] == 0.0)
        if points
        else pl.repeat(value=False, n=len(frame), eager=True)
    )


def _behind_names(names: pl.Series) -> pl.Series:
    """Names with a word such as w.o. in brackets behind them."""
    odd = names.str.ends_with(")") & names.str.contains("(", literal=True)
    if not odd.any():
        return names.clear(len(names))
    cells = [cell for cell in names.filter(odd).unique() if is_walkover(cell.rpartition("(")[2].rstrip(") "))]
    return names.set(~names.is_in(cells).fill_null(value=False), None)


def _of_points(frame: pl.DataFrame) -> pl.Series:
    """What the columns with the points of both sides say: + and -, or w.o. in one of them."""
    said = pl.Series([None], dtype=pl.String).new_from_index(0, len(frame))
    texts = [frame[name].cast(pl.String) for name in ("score_a", "score_b") if _is_text(frame, name)]
    odd = [text.str.contains(_NO_NUMBER).fill_null(value=False) for text in texts]
    if not any(column.any() for column in odd):
        return said
    places = (odd[0] | odd[-1]).arg_true()
    one, other = (text.gather(places).fill_null("").to_list() for text in (texts[0], texts[-1]))
    found = {
        place: f"{a}:{b}" if len(texts) == 2 and a.strip() and b.strip() else a or b
        for place, a, b in zip(places.to_list(), one, other, strict=True)
        if is_walkover_of(a, b if len(texts) == 2 else "")
    }
    return said.scatter(list(found), list(found.values())) if found else said


def _disqualified(frame: pl.DataFrame) -> pl.Series:
    """Matches of 0 to -1, which is how tournament programs write that a player did not come."""
    said = pl.Series([None], dtype=pl.String).new_from_index(0, len(frame))
    for names in (("score_a", "score_b"), (WINNER_POINTS, LOSER_POINTS)):
        if set(names) <= set(frame.columns):
            one, other = (plain_numbers(frame[name]) for name in names)
            absent = ((one == -1.0) & (other == 0.0)) | ((one == 0.0) & (other == -1.0))
            if absent.any() and absent.sum() == ((one < 0.0) | (other < 0.0)).sum():
                said = said.set(absent.fill_null(value=False), "0:-1")
    return said


def _is_text(frame: pl.DataFrame, name: str) -> bool:
    return name in frame.columns and cells.is_text(frame[name])


def _of_winners(frame: pl.DataFrame) -> pl.Series:
    """What a column winner says that names neither player: nobody won by playing."""
    none = pl.Series([None], dtype=pl.String).new_from_index(0, len(frame))
    if "player_a" not in frame.columns or "winner" not in frame.columns or not cells.is_text(frame["winner"]):
        return none
    text = frame["winner"].cast(pl.String)
    played = (text == frame["player_a"].cast(pl.String)) | (text == frame["player_b"].cast(pl.String))
    odd = text.set(played.fill_null(value=True), None)
    walked = [cell for cell in odd.drop_nulls().unique() if is_walkover(cell)]
    return odd.set(~odd.is_in(walked).fill_null(value=False), None) if walked else none
