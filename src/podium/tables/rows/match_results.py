"""The result of a match in one cell: 3-1, 6-4 6-3, 1/2-1/2, H, D or A, or the name of who won.

Each form reads a cell as the points of both sides, or as the first side's part of the point. Cells are few
different ones, so each different cell is read once.

Matches whose columns disagree on who won: one of them is read, and the other is told of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from podium.arrays import Floats, Ints
from podium.history.names import Names
from podium.tables.columns.column_choice import LOSER_POINTS, RESULT, WINNER, WINNER_POINTS, sides_hint
from podium.tables.columns.column_names import is_white, plain_name
from podium.tables.forms.result_words import NOT_FINISHED, is_draw, is_loss, is_unplayed, is_win
from podium.tables.rows import cells
from podium.tables.rows.checked_columns import UNPLAYED, CheckedColumns

UNPLAYED_HINT = 'to leave out matches that have no result (yet), use --on-bad-row skip (on_bad_row="skip")'
_NUMBER = r"(\d+(?:[.,]\d+)?|\d*½|1/2)"
_BETWEEN = "[-–—−:x×]"
_PAIR = rf"{_NUMBER}\s*{_BETWEEN}\s*{_NUMBER}"
_POINTS = re.compile(_PAIR)
_EXTRA = (
    r"(?:f/)?(?:\d?\s?ot|so|s\.o\.|et|aet|a\.e\.t\.?|after extra time|pso|pens?|penalties|on penalties|"
    r"n\.?\s?v\.?|n\.?\s?e\.?|i\.?\s?e\.?|n\.?\s?p\.?|dts|a\.?p\.?|p)"
)
"""Over-time and shoot-outs: 2-1 OT, 3-2 (SO), 2:1 n.V., 2-1 aet, 5:4 n.E."""
_LOSERS = r"\(\s*[-+–−]?\d+(?:\s*[,;]\s*[-+–−]?\d+)+\s*\)"
"""The points of the loser of each set, with a minus where the first side lost it: (8, -9, 7, 5)."""
_POINTS_AND_MORE = re.compile(
    rf"{_PAIR}\s*(?P<more>(?=[(\[]|[,;]?\s*[a-z]|\d\s?ot)"
    rf"(?:[\s,;()\[\]]|{_PAIR}|{_LOSERS}|(?P<extra>\b{_EXTRA}(?=[\s,;()\[\]]|$)))+)"
)
_SET = rf"\[?(\d+)\s*{_BETWEEN}\s*(\d+)\]?(?:\s*\(\d+\))?"
_SETS = re.compile(rf"{_SET}(?:[\s,;]+{_SET})*")
_WORDS_FORM = "win, draw and loss"
"""The words of `podium.tables.forms.result_words`."""
_SHARES: Mapping[str, Mapping[str, float]] = {
    "H, D and A": {"h": 1.0, "d": 0.5, "a": 0.0},
    "1, X and 2": {"1": 1.0, "x": 0.5, "2": 0.0},
    "1, N and 2": {"1": 1.0, "n": 0.5, "2": 0.0},
    "W, D and L": {"w": 1.0, "d": 0.5, "t": 0.5, "l": 0.0},
    _WORDS_FORM: {},
    "home, draw and away": {"home": 1.0, "draw": 0.5, "tie": 0.5, "away": 0.0},
    "white, draw and black": {"white": 1.0, "draw": 0.5, "black": 0.0},
    "1, 0.5 and 0": {
        "1": 1.0,
        "1.0": 1.0,
        "0.5": 0.5,
        "0,5": 0.5,
        "½": 0.5,
        "1/2": 0.5,
        "0": 0.0,
        "0.0": 0.0,
    },
}
"""What cells say of the first side, in forms of which a table uses one."""
_POINTS_FORM = "points of both, such as 3-1"
_SETS_FORM = "sets, such as 6-4 6-3"
_BY_ORDER = (_POINTS_FORM, _SETS_FORM, "W, D and L", _WORDS_FORM, "1, 0.5 and 0")
"""The forms that speak of the side which comes first, whatever it is called."""
_GAMES = ((1.0, 0.0), (0.0, 1.0))
_ONE_POINT = (*_GAMES, (0.5, 0.5))
"""The results of chess, in which White comes first wherever the columns stand."""
_FIRST_WON = ("home", "white", "red")
_SECOND_WON = ("away", "black", "blue")
_FIRST_NUMBERED = ("player1", "team1", "playera", "teama", "p1", "1")
_SECOND_NUMBERED = ("player2", "team2", "playerb", "teamb", "p2", "2")
_ODD_HINT = (
    'write it like the others. To leave out rows without a result: --on-bad-row skip (on_bad_row="skip")'
)
_FORMS_HINT = "write the points of both, such as 3-1 or 1-0, or win, draw and loss of the first player"
_GAVE_UP = re.compile(rf"\(?\d+\s*{_BETWEEN}\s*\d+.*[^\W\d_].*")
_GAVE_UP_HINT = (
    "if a player gave up, write who won in a column winner, or write the result as it counts, such as "
    "6-2 6-0. To leave out such rows: --on-bad-row skip (on_bad_row='skip')"
)
_DRAW_IN_WORDS_HINT = "write the points of the draw like the others, such as 1-1"
_DECIDED_LATER_HINT = (
    "a draw, followed by a decision: write the score that counts, such as 5-3 or 1-1. To "
    'leave such rows out: --on-bad-row skip (on_bad_row="skip")'
)


def result_cells(table: CheckedColumns) -> tuple[Floats, Floats | None]:
    """The column result: the points of both sides, or the first side's part of the point and None.

    The form is one for the whole table. A piece of it is read in a form that read all pieces before it.
    """
    column = table.frame["result"]
    text = (
        (column if column.dtype == pl.String else column.cast(pl.String)).str.strip_chars().str.to_lowercase()
    )
    text = text.replace("", None)
    different = text.drop_nulls().unique().to_list()
    is_later = table.notes.result_forms is not None
    possible = table.notes.result_forms or (_POINTS_FORM, _SETS_FORM, *_SHARES)
    unread = {form: sum(_read(form, cell) is None for cell in different) for form in possible}
    if _POINTS_FORM in unread and 2 * unread[_POINTS_FORM] < len(different):
        unread.pop(_SETS_FORM, None)  # a single 6-4 is a set only where most results are several
    form = min(unread, key=unread.__getitem__)
    fitting = tuple(one for one, odd in unread.items() if not odd)
    table.notes.result_forms = fitting or (form,)
    if different:
        table.notes.guess(f"results are {form}")
        if form in (_POINTS_FORM, _SETS_FORM):  # 6-4 alone would be both
            table.notes.result_forms = (form,)
    read = {cell: found for cell in different if (found := _read(form, cell)) is not None}
    if form == _POINTS_FORM and read and all(points in _ONE_POINT for points in read.values()):
        read |= {cell: (0.5, 0.5) for cell in different if cell not in read and is_draw(cell)}
    if form in _BY_ORDER and table.notes.columns is not None and table.notes.columns.second_first:
        _check_order(table, text, read, points=form in (_POINTS_FORM, _SETS_FORM))
    first, second = (
        text.replace_strict(
            {cell: found[i] for cell, found in read.items()}, default=None, return_dtype=pl.Float64
        )
        for i in (0, 1)
    )
    table.check(text.is_null().to_numpy(), "result is empty", UNPLAYED_HINT)
    wrong = (first.is_null() & text.is_not_null()).to_numpy()
    if wrong.any():
        tells = is_later or any(one != other for one, other in read.values())
        drawn = [cell for cell in different if cell not in read and _POINTS_AND_MORE.fullmatch(cell)]

        def unlike(position: int) -> str:
            others = f", and others are {form}" if tells else ""
            return f"result is {table.shown('result', position)}{others}"

        unplayed = [cell for cell in different if cell in UNPLAYED or is_unplayed(cell)]
        in_words = [cell for cell in different if is_draw(cell)]
        gave_up = [
            cell
            for cell in different
            if cell.endswith(NOT_FINISHED)
            or (form == _SETS_FORM and cell not in read and _GAVE_UP.fullmatch(cell))
        ]
        for cells, hint in (
            (unplayed, UNPLAYED_HINT),
            (gave_up, _GAVE_UP_HINT),
            (drawn, _DECIDED_LATER_HINT),
            (in_words, _DRAW_IN_WORDS_HINT),
        ):
            table.check(wrong & text.is_in(cells).fill_null(value=False).to_numpy(), unlike, hint)
        table.check(wrong, unlike, _ODD_HINT if tells else _FORMS_HINT)
    score, other = (side.fill_null(np.nan).to_numpy() for side in (first, second))
    return (score, other) if form in (_POINTS_FORM, _SETS_FORM) else (score, None)


def _check_order(
    table: CheckedColumns, text: pl.Series, read: Mapping[str, tuple[float, float]], *, points: bool
) -> None:
    """Refuse results of which nobody knows whose they are: Away stands before Home, and a cell says 5-3."""
    assert table.notes.columns is not None
    columns = table.notes.columns
    home, away = columns.theirs["player_a"], columns.theirs["player_b"]
    is_chess = points and is_white(home)
    unclear = [c for c, both in read.items() if both[0] != both[1] and not (is_chess and both in _GAMES)]
    if not unclear:
        return
    row = int(text.is_in(unclear).arg_true()[0])
    one, other = read[text[row]]
    if points:
        may_be = f"{home} {one:g} and {away} {other:g}, or {away} {one:g} and {home} {other:g}"
    else:
        words = {1.0: "won", 0.0: "lost"}
        may_be = f"that {home} {words[one]}, or that {away} {words[one]}"
    raise table.source.error(
        f"{table.shown('result', row)} may {'be' if points else 'mean'} {may_be}",
        row=int(table.rows[row]),
        hint=sides_hint(home, away, at_home=not columns.neutral),
    )


def _read(form: str, cell: str) -> tuple[float, float] | None:
    """A cell in lower case; of a share the second number is the rest of the point."""
    if form == _POINTS_FORM:
        return _points(cell)
    if form == _SETS_FORM:
        return _sets(cell)
    share = _SHARES[form].get(cell)
    if share is None and is_draw(cell):
        share = 0.5
    if share is None and form == _WORDS_FORM:
        share = 1.0 if is_win(cell) else 0.0 if is_loss(cell) else None
    return None if share is None else (share, 1.0 - share)


def _points(cell: str) -> tuple[float, float] | None:
    """The points of both, from 3-1 or with more behind it, such as 3-1 (11-9, 8-11) or 2:1 n.V.

    >>> _points("3-1 (11-9, 8-11, 11-4, 11-7)"), _points("2:1 n.v."), _points("1:1 (4:2 i.e.)")
    ((3.0, 1.0), (2.0, 1.0), None)
    """
    match = _POINTS.fullmatch(cell) or _POINTS_AND_MORE.fullmatch(cell)
    if match is None:
        return None
    first, second = _number(match[1]), _number(match[2])
    more = match.groupdict()
    if first == second and more:
        # Behind a draw may stand what decided it. One pair is the score at half-time if it can be.
        pairs = [(_number(a), _number(b)) for a, b in _POINTS.findall(more["more"])]
        if more["extra"] is not None or (len(pairs) == 1 and max(pairs[0]) > first):
            return None
    if more and not _agree(first, second, more["more"]):
        return None
    return first, second


def _agree(first: float, second: float, behind: str) -> bool:
    """Whether the sets behind the result of a match, if there are as many as it says, were won so."""
    if (short := re.search(_LOSERS, behind)) is not None:
        signs = re.findall(r"([-–−]?)\d+", short[0])
        return (signs.count(""), len(signs) - signs.count("")) == (first, second)
    pairs = [(_number(a), _number(b)) for a, b in _POINTS.findall(behind)]
    if len(pairs) < 2 or len(pairs) != first + second or any(a == b for a, b in pairs):
        return True
    return sum(a > b for a, b in pairs) == first


def _sets(cell: str) -> tuple[float, float] | None:
    """How many sets each side won, from the games or points of each. The result may stand before them.

    >>> _sets("6-4, 3-6, 7-6(5)"), _sets("6-4"), _sets("2:1 11:9 8:11 11:7")
    ((2.0, 1.0), (1.0, 0.0), (2.0, 1.0))
    """
    if _SETS.fullmatch(cell) is None:
        return None
    games = [(int(a), int(b)) for a, b in re.findall(_SET, cell)]
    if len(games) > 2 and _sets_won(games[1:]) == games[0]:
        games = games[1:]
    first, second = _sets_won(games)
    return float(first), float(second)


def _sets_won(games: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(a > b for a, b in games), sum(a < b for a, b in games)


def points_or_sets(cell: str) -> tuple[float, float] | None:
    """What a cell in lower case says of both sides: points such as 3-1, or the sets of 6-4 6-3; else None."""
    return _points(cell) or _sets(cell)


def _number(text: str) -> float:
    if text == "1/2":
        return 0.5
    if text.endswith("½"):
        return float(text[:-1] or 0) + 0.5
    return float(text.replace(",", "."))


def says_draw(cell: str) -> bool:
    """Whether the cell of a result says that nobody won: draw, ½-½, 2-2; x may mark anything."""
    both = _read(_POINTS_FORM, cell.strip().lower())
    if both is not None:
        return both[0] == both[1]
    return is_draw(cell)


def same_names(table: CheckedColumns, column: str, names: Sequence[str]) -> Ints:
    """A column of optional players as numbers of `names`: −1 for an empty cell, −2 for another name."""
    codes, found = table.player_labels(column)
    number = Names.of(names).index_of
    numbers = np.array([*(number.get(name, -2) for name in found), -1], np.int32)
    return numbers[codes]  # −1 leads to the last one


def winner_cells(table: CheckedColumns, player: Ints, names: Sequence[str]) -> Floats:
    """The first side's part of the point, where the column winner names one of the two or says it was a draw.

    Some tables name the side instead: home, White, Red, or the column that the winner stands in.
    """
    winner = same_names(table, "winner", names)
    empty = winner == -1
    share = np.full(len(winner), np.nan)
    share[~empty & (winner == player[:, 1])] = 0.0
    share[~empty & (winner == player[:, 0])] = 1.0
    by_name = not np.isnan(share).all()
    odd = np.flatnonzero(np.isnan(share) & ~empty)
    if len(odd):
        said = table.frame["winner"].gather(odd).cast(pl.String)
        sides = {cell: _named_side(table, cell, draws_only=by_name) for cell in said.unique().to_list()}
        share[odd] = said.replace_strict(sides, return_dtype=pl.Float64).to_numpy()
    share[table.flags("draw", default=False, empty=False)] = 0.5
    table.check(empty & np.isnan(share), "winner is empty", f"write draw for a draw. {UNPLAYED_HINT}")
    table.check(
        np.isnan(share),
        lambda p: f"winner is {table.shown('winner', p)}, who does not play in this match",
        f"winner must be one of the two players, or draw. {UNPLAYED_HINT}",
    )
    return share


def _named_side(table: CheckedColumns, cell: str, *, draws_only: bool) -> float:
    """The first side's part of the point, from a cell that says which side won or that neither did; else NaN.

    A table that names players names no sides: there a cell says draw at most.
    """
    said = plain_name(cell.strip())
    theirs = {} if table.notes.columns is None else table.notes.columns.theirs
    if said == "x" or is_draw(cell):
        return 0.5
    if draws_only:
        return np.nan
    if table.notes.columns is None or not table.notes.columns.second_first:
        if said in _FIRST_NUMBERED:
            return 1.0
        if said in _SECOND_NUMBERED:
            return 0.0
    if said in _FIRST_WON or said == plain_name(theirs.get("player_a", "player_a")):
        return 1.0
    if said in _SECOND_WON or said == plain_name(theirs.get("player_b", "player_b")):
        return 0.0
    return np.nan


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
    elif "loser" in frame.columns and RESULT in frame.columns:
        said = _written(frame[RESULT])
        if 4 * int((said < 0.0).sum()) >= int((said != 0.0).sum()):
            return None  # results that do not begin with the winner's points
        read, others = ("winner", pl.repeat(1.0, len(frame), eager=True)), {RESULT: said}
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
