"""Matches whose columns disagree on who won: one of them is read, and the other is told of."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from podium.tables.columns.column_choice import LOSER_POINTS, RESULT, WINNER, WINNER_POINTS
from podium.tables.rows import cells
from podium.tables.rows.match_results import points_or_sets


class Contradiction(NamedTuple):
    """The first row in which two columns name different winners."""

    position: int
    read: str
    """podium's name of the column that is read."""
    other: str
    """That of the one which says otherwise."""


def find_contradiction(frame: pl.DataFrame, *, lower_is_better: bool) -> Contradiction | None:
    """The first match of a frame whose winner another column contradicts; draws contradict nothing."""
    read: tuple[str, pl.Series]
    if "loser" in frame.columns and WINNER_POINTS in frame.columns:
        one = pl.repeat(1.0, len(frame), eager=True)
        read, others = ("winner", one), {WINNER_POINTS: _lead(frame, WINNER_POINTS, LOSER_POINTS)}
    elif {"player_a", "player_b"} <= set(frame.columns):
        if "score_b" in frame.columns:
            read = "score_a", _lead(frame, "score_a", "score_b")
        elif "winner" in frame.columns:
            read = "winner", _named(frame, "winner")
        else:
            return None
        others = {WINNER: _named(frame, WINNER)} if WINNER in frame.columns else {}
        if RESULT in frame.columns:
            others[RESULT] = _written(frame[RESULT])
    else:
        return None
    by_points = {"score_a", WINNER_POINTS, RESULT}
    for name, said in others.items():
        turned = lower_is_better and (name in by_points) != (read[0] in by_points)
        opposed = (read[1] * said * (-1.0 if turned else 1.0) < 0.0).fill_null(value=False).arg_true()
        if len(opposed):
            return Contradiction(int(opposed[0]), read[0], name)
    return None


def _lead(frame: pl.DataFrame, first: str, second: str) -> pl.Series:
    """By how much the first side leads, null where that is not known."""
    return plain_numbers(frame[first]) - plain_numbers(frame[second])


def _named(frame: pl.DataFrame, name: str) -> pl.Series:
    """1 where a cell names the first player, −1 where it names the second; else null."""
    winner, first, second = (
        pl.col(column).cast(pl.String, strict=False).str.strip_chars()
        for column in (name, "player_a", "player_b")
    )
    lead = pl.when(winner == first).then(1.0).when(winner == second).then(-1.0)
    return frame.select(lead.alias("lead"))["lead"]


def _written(column: pl.Series) -> pl.Series:
    """By how much the first side leads where a cell has the points or sets of both; else null."""
    text = column.cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
    both = {cell: points_or_sets(cell) for cell in text.drop_nulls().unique()}
    leads = {cell: points[0] - points[1] for cell, points in both.items() if points is not None}
    return text.replace_strict(leads, default=None, return_dtype=pl.Float64)


def plain_numbers(column: pl.Series) -> pl.Series:
    """The numbers in a column, and null for whatever is none."""
    if cells.is_text(column):
        column = column.cast(pl.String).str.strip_chars().str.replace(",", ".", literal=True)
    elif not column.dtype.is_numeric():
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, len(column))
    return column.cast(pl.Float64, strict=False)
