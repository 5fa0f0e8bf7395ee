"""Standings of a Swiss tournament: a row for each player, and in each round's cell the opponent's number.

Cells are written `12w1` (against number 12, white, won), `+12`, `W 12` or `12+`. Each match stands in two
rows, which must agree. Numbers are those of the column in which they do: the place or the starting number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from podium.tables.columns.column_names import SYNONYMS, NamedColumns, plain_name
from podium.tables.columns.round_columns import round_columns
from podium.tables.forms.result_words import is_unplayed, is_walkover, words_of
from podium.tables.layouts.grids import Cells, Grid, Laid

FEWEST_PLAYERS = 3
_SHARES = {
    **dict.fromkeys(("1", "+", "w", "s", "g", "v"), 1.0),
    **dict.fromkeys(("½", "0.5", "0,5", "1/2", "=", "d", "t", "r", "u"), 0.5),
    **dict.fromkeys(("0", "-", "–", "−", "l", "n", "p"), 0.0),
}
_RESULT = r"1/2|0[.,]5|[01½=+\-–−]"
_NUMBER_FIRST = re.compile(rf"(?P<opponent>\d+)(?P<colour>[a-zа-я])(?P<result>{_RESULT})(?P<forfeit>[fk]?)")
_SIGN_FIRST = re.compile(
    r"(?P<result>[+=\-–−]|[wdltxfsnurgvp])[:.]?(?P<before>[wbsnzcбч]?)(?P<opponent>\d+)(?P<colour>[wbsnzcбч]?)"
)
_SIGN_LAST = re.compile(r"(?P<opponent>\d+)(?P<result>[+=\-–−])(?P<forfeit>!?)(?:/(?P<colour>[wb])?\d*)?")
_FORMS = (_NUMBER_FIRST, _SIGN_FIRST, _SIGN_LAST)
_FORFEITS = {"x": 1.0, "f": 0.0}
_ALONE = re.compile(rf"[a-z]?[-–—−*x.]+|{_RESULT}|[bhuz]|[+=\-–−]0|0[+=\-–−w]?[01½]?|exe|[+=\-–−]bye")
"""A round without an opponent: a bye, a point without a game, or absence."""
_POINTS_ALONE = re.compile(rf"[-–−]({_RESULT})")
"""The same where numbers stand first; elsewhere -1 is a loss against number 1."""
_NOBODY = frozenset(words_of("nobody").values())
_BLACK = {"s": "w", "n": "b", "z": "w", "c": "b", "ч": "б"}
"""The letter for black -> the letter for white in the same languages; English has b and w."""
_HINT = "each match is in the rows of both players, with the same result: copy the whole table"

_CELL_HINT = "a cell has the opponent's number and the result, such as 12w1 or +12, or nothing for a bye"

Fate = Literal["played", "forfeit"]


class _Cell(NamedTuple):
    """What one player's row has for a round."""

    opponent: int
    points: float
    colour: str
    fate: Fate
    text: str


class _Table(NamedTuple):
    header: int
    columns: Cells
    rows: list[tuple[int, Cells]]
    rounds: list[int]
    name: int


def swiss_table_as_matches(grid: Grid) -> Laid | None:
    """The matches of all rounds with the columns player_a, player_b, score_a, score_b and perhaps home."""
    table = next(_tables(grid), None)
    if table is None:
        return None
    cells = _cells(grid, table)
    numbers = _numbers(grid, table, cells)
    white = _white(cells)
    laid = Laid(["player_a", "player_b", "score_a", "score_b", *([] if white is None else ["home"])])
    rounds = f"{table.columns[table.rounds[0]]} to {table.columns[table.rounds[-1]]}"
    laid.guesses.append(f"standings of {len(table.rows)} players with their opponents in {rounds}")
    names = [row[table.name] for _, row in table.rows]
    for place in range(len(table.rounds)):
        for player, row in enumerate(cells):
            cell = row[place]
            if cell is None or (other := numbers[cell.opponent]) < player:
                continue
            if cell.fate == "forfeit":
                where = table.columns[table.rounds[place]]
                laid.left_out.append(
                    (table.rows[player][0], f"{where}: {cell.text} against {names[other]} was not played")
                )
                continue
            home = [] if white is None else [names[player] if cell.colour == white else names[other]]
            points = [f"{cell.points:g}", f"{1.0 - cell.points:g}"]
            laid.rows.append((table.rows[player][0], [names[player], names[other], *points, *home]))
    if laid.left_out:
        laid.guesses.append(f"left out: {len(laid.left_out)} without a game, such as {laid.left_out[0][1]}")
    return laid if laid.rows else None


def _tables(grid: Grid) -> Iterator[_Table]:
    """The table below each header with columns of rounds, most of whose cells name an opponent."""
    for header, columns in grid.headers():
        rounds = round_columns(columns)
        if not rounds:
            continue
        named = NamedColumns(columns).first(SYNONYMS["player"], {columns[place] for place in rounds})
        rows = list(grid.below(header))
        name = columns.index(named) if named is not None else _unlike(rows, rounds[0])
        if name is None:
            continue
        rows = [(row, cells) for row, cells in rows if cells[name] and any(cells[place] for place in rounds)]
        told = [cells[place] for _, cells in rows for place in rounds if cells[place]]
        if len(rows) >= FEWEST_PLAYERS and 2 * sum(_is_game(cell) for cell in told) > len(told):
            yield _Table(header, columns, rows, rounds, name)


def _unlike(rows: list[tuple[int, Cells]], end: int) -> int | None:
    """The first column before the rounds in which each row has another text."""
    for place in range(end):
        found = [cells[place] for _, cells in rows if cells[place]]
        if len(found) >= FEWEST_PLAYERS and len(set(found)) == len(found) and not any(map(_is_number, found)):
            return place
    return None


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[\d.,½]+", text.strip()) is not None


def _plain(cell: str) -> str:
    return re.sub(r"\s+", "", cell.casefold())


def _is_game(cell: str) -> bool:
    return _cell(_plain(cell), cell, is_number_first=False) is not None


def _cells(grid: Grid, table: _Table) -> list[list[_Cell | None]]:
    """The cells of all rounds by row; None for a round without an opponent."""
    plain = [[_plain(cells[place]) for place in table.rounds] for _, cells in table.rows]
    firsts = [match["result"] for row in plain for text in row if (match := _NUMBER_FIRST.fullmatch(text))]
    by_sign = re.compile(r"\d+[a-zа-я][+\-–−]") if any(result not in "+-–−=" for result in firsts) else None
    found: list[list[_Cell | None]] = []
    for (row, cells), texts in zip(table.rows, plain, strict=True):
        line: list[_Cell | None] = []
        for place, text in zip(table.rounds, texts, strict=True):
            cell = _cell(text, cells[place], is_number_first=bool(firsts))
            if cell is not None and by_sign is not None and by_sign.fullmatch(text):
                cell = cell._replace(fate="forfeit")
            if cell is None and not _is_nobody(text, cells[place]):
                where = f"{table.columns[place]} of {cells[table.name]}"
                raise grid.error(
                    f"{where} is {cells[place]!r}, which names no opponent", row, hint=_CELL_HINT
                )
            line.append(cell)
        found.append(line)
    return found


def _is_nobody(text: str, cell: str) -> bool:
    if (
        any(form.fullmatch(text) for form in (_ALONE, _POINTS_ALONE))
        or is_walkover(cell)
        or is_unplayed(cell)
    ):
        return True
    return not text or plain_name(cell.strip("+-=0½1 ")) in _NOBODY


def _cell(text: str, shown: str, *, is_number_first: bool) -> _Cell | None:
    if _ALONE.fullmatch(text) or (is_number_first and _POINTS_ALONE.fullmatch(text)):
        return None
    for form in _FORMS:
        if (match := form.fullmatch(text)) is None:
            continue
        parts = match.groupdict()
        result = parts["result"]
        fate: Fate = "forfeit" if parts.get("forfeit") or result in _FORFEITS else "played"
        points = _FORFEITS[result] if result in _FORFEITS else _SHARES[result]
        colour = parts.get("colour") or parts.get("before") or ""
        return _Cell(int(parts["opponent"]), points, colour, fate, shown)
    return None


def _white(cells: list[list[_Cell | None]]) -> str | None:
    """The letter of those who had white; None where some cells have no colour, or letters are unknown."""
    colours = {cell.colour for row in cells for cell in row if cell is not None and cell.fate == "played"}
    blacks = [letter for letter in _BLACK if letter in colours]
    if blacks and colours <= {blacks[0], _BLACK[blacks[0]]}:
        return _BLACK[blacks[0]]
    return "w" if colours == {"w", "b"} else None


def _numbers(grid: Grid, table: _Table, cells: list[list[_Cell | None]]) -> dict[int, int]:
    """The row of each number, by the column in which the rows agree with each other."""
    candidates: list[dict[int, int]] = []
    for place in range(len(table.columns)):
        numbers = [cells_of[place].strip().rstrip(".") for _, cells_of in table.rows]
        if place not in table.rounds and all(number.isdecimal() for number in numbers):
            by_number = {int(number): row for row, number in enumerate(numbers)}
            if len(by_number) == len(numbers) and by_number not in candidates:
                candidates.append(by_number)
    candidates.append({row + 1: row for row in range(len(table.rows))})
    faults = [_faults(table, cells, numbers) for numbers in candidates]
    best = min(range(len(candidates)), key=lambda one: len(faults[one]))
    if faults[best]:
        row, reason = faults[best][0]
        raise grid.error(reason, table.rows[row][0], hint=_HINT)
    return candidates[best]


def _faults(table: _Table, cells: list[list[_Cell | None]], numbers: dict[int, int]) -> list[tuple[int, str]]:
    """The rows, and what is wrong, where two players' cells do not tell the same match."""
    found: list[tuple[int, str]] = []
    names = [row[table.name] for _, row in table.rows]
    number_of = {row: number for number, row in numbers.items()}
    for place in range(len(table.rounds)):
        where = table.columns[table.rounds[place]]
        for player, row in enumerate(cells):
            if (cell := row[place]) is None:
                continue
            if (other := numbers.get(cell.opponent)) is None:
                found.append(
                    (
                        player,
                        f"{where} of {names[player]} is {cell.text!r}: no row has number {cell.opponent}",
                    )
                )
                continue
            theirs = cells[other][place]
            is_same = theirs is not None and theirs.opponent == number_of[player] and player != other
            if not is_same or theirs is None or not _agree(cell, theirs):
                against = "nothing" if theirs is None else repr(theirs.text)
                found.append(
                    (player, f"{where} of {names[player]} is {cell.text!r}, and of {names[other]} {against}")
                )
    return found


def _agree(one: _Cell, other: _Cell) -> bool:
    """Whether two cells have one result; a match that was not played may be lost by both."""
    if "forfeit" in (one.fate, other.fate):
        return one.fate == other.fate and one.points + other.points <= 1.0
    return one.points + other.points == 1.0 and (not one.colour or one.colour != other.colour)
