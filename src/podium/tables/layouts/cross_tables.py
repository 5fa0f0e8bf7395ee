"""Cross tables, everybody against everybody: a row and a column for each player.

The columns are called like the players, or are numbered like the rows. A match stands in one cell or in two;
two that contradict each other are refused, unless all of them do: then each is a match with the row's player
at home.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from podium.tables.columns.column_names import plain_name
from podium.tables.forms.result_words import is_draw, is_unplayed, is_walkover
from podium.tables.layouts.grids import Cells, Grid, Laid
from podium.tables.rows.excel_cells import CHANGED, CHANGED_HINT, restored
from podium.text import counted, listed

FEWEST_PLAYERS = 3
_PAIR = re.compile(r"(\d+(?:[.,]5)?|\d*½)\s*[-–—−:/]\s*(\d+(?:[.,]5)?|\d*½)(?:\s*[(\[].*)?")
_SHARE = {"1": 1.0, "0": 0.0, "½": 0.5, "0.5": 0.5, "0,5": 0.5, "1/2": 0.5, "=": 0.5, "1.0": 1.0, "0.0": 0.0}
_TOUCHES = re.compile(r"([VD])\d{1,2}|V", re.IGNORECASE)
"""Fencing: a victory with so many touches, or a defeat."""
_SIGNS = {"+": "+", "-": "-", "–": "-", "−": "-"}
_NOTHING = re.compile(r"[\sx×*#■█▓/\\—–\-.]*", re.IGNORECASE)
_SEVERAL = re.compile(r"[;,|]\s*|\s+(?![-–:])(?<![-–:]\s)")
_BOTH_HINT = "correct one of the two cells, or leave one half of the table empty"


class _Match(NamedTuple):
    """What a cell says of the row's player against the column's."""

    points: float
    against: float
    text: str

    def mirrors(self, other: _Match) -> bool:
        """Whether the other player's cell tells the same match."""
        return (self.points, self.against) == (other.against, other.points)


class _Table(NamedTuple):
    header: int
    names: list[str]
    rows: list[int]
    """The position of each player's row."""
    places: list[int]
    """The position of each player's column."""


def cross_table_as_matches(grid: Grid) -> Laid | None:
    """The matches of a cross table with the columns player_a, player_b, score_a and score_b."""
    table = _found(grid)
    if table is None:
        return None
    repaired: list[str] = []
    read = _cells(grid, table, repaired)
    if read is None or not read[0]:
        return None
    cells, unplayed = read
    pairs = [
        (i, j) for i, j in combinations(range(len(table.names)), 2) if cells.get((i, j)) and cells.get((j, i))
    ]
    mirrored = [(i, j) for i, j in pairs if _mirror(cells[i, j], cells[j, i])]
    is_double = bool(pairs) and 2 * len(mirrored) < len(pairs) and _has_points(cells)
    if len(mirrored) < len(pairs) and not is_double:
        i, j = next(pair for pair in pairs if pair not in mirrored)
        one, other = (" ".join(match.text for match in cells[pair]) for pair in ((i, j), (j, i)))
        a, b = table.names[i], table.names[j]
        raise grid.error(
            f"{a} against {b} is {one!r}, and {b} against {a} is {other!r}", table.rows[i], hint=_BOTH_HINT
        )
    laid = Laid(["player_a", "player_b", "score_a", "score_b"])
    laid.guesses.append(f"a cross table of {len(table.names)} players")
    if repaired:
        laid.guesses.append(f"repaired: {counted(len(repaired), 'cell')} such as {repaired[0]}")
    if is_double:
        laid.columns.append("home")
        laid.guesses.append("each cell is a match with the row's player at home")
    if not is_double:
        unplayed = {
            (i, j): text
            for (i, j), text in unplayed.items()
            if (j, i) not in cells and (i < j or (j, i) not in unplayed)
        }
    for (i, j), text in unplayed.items():
        laid.left_out.append((table.rows[i], f"{table.names[i]} against {table.names[j]}: {text}"))
    if unplayed:
        said = [f"{text} ({counted(rows, 'match')})" for text, rows in Counter(unplayed.values()).items()]
        laid.guesses.append(f"left out: {listed(said)}")
    met = {player for pair in cells for player in pair}
    if without := [name for i, name in enumerate(table.names) if i not in met]:
        laid.guesses.append(f"without a match: {listed(without)}")
    for (i, j), matches in _ordered(cells, is_double=is_double):
        for match in matches:
            home = [table.names[i]] if is_double else []
            row = [table.names[i], table.names[j], f"{match.points:g}", f"{match.against:g}", *home]
            laid.rows.append((table.rows[i], row))
    return laid


def _ordered(
    cells: dict[tuple[int, int], list[_Match]], *, is_double: bool
) -> Iterator[tuple[tuple[int, int], list[_Match]]]:
    """Each match once: by the row of the player who stands first, whichever cell tells it."""
    if is_double:
        yield from sorted(cells.items())
        return
    for i, j in sorted({(min(pair), max(pair)) for pair in cells}):
        matches = cells.get((i, j))
        if matches:
            yield (i, j), matches
        else:
            yield (i, j), [_Match(m.against, m.points, m.text) for m in cells[j, i]]


def _mirror(one: list[_Match], other: list[_Match]) -> bool:
    return len(one) == len(other) and all(a.mirrors(b) for a, b in zip(one, other, strict=True))


def _has_points(cells: dict[tuple[int, int], list[_Match]]) -> bool:
    """Whether cells have the points of both sides, which a match at home and one away may have."""
    return all(_PAIR.fullmatch(match.text) for matches in cells.values() for match in matches)


def _found(grid: Grid) -> _Table | None:
    for header, columns in grid.headers():
        below = list(grid.below(header))
        found = _by_names(header, columns, below) or _by_numbers(header, columns, below)
        if found is not None:
            return found
    return None


def _by_names(header: int, columns: Cells, below: list[tuple[int, Cells]]) -> _Table | None:
    """Columns that are called like the cells of one column, in which each stands once."""
    places = {plain_name(name): place for place, name in enumerate(columns) if name}
    for place in range(min(3, len(columns))):
        rows: dict[str, tuple[int, str]] = {}
        for row, cells in below:
            name = cells[place]
            if not name or _is_number(name):
                continue
            if places.get(plain_name(name), place) != place:
                if plain_name(name) in rows:
                    rows = {}
                    break
                rows[plain_name(name)] = (row, name)
        if len(rows) >= FEWEST_PLAYERS:
            names = list(rows)
            return _Table(
                header,
                [rows[name][1] for name in names],
                [rows[name][0] for name in names],
                [places[name] for name in names],
            )
    return None


def _by_numbers(header: int, columns: Cells, below: list[tuple[int, Cells]]) -> _Table | None:
    """Columns 1 to n for n rows, in whose diagonal nothing stands."""
    numbers = {int(name): place for place, name in enumerate(columns) if name.strip().isdecimal()}
    size = len(numbers)
    if size < FEWEST_PLAYERS or sorted(numbers) != list(range(1, size + 1)) or len(below) < size:
        return None
    first = min(numbers.values())
    for place in range(first - 1, -1, -1):
        names = [cells[place] for _, cells in below[:size]]
        if len(set(names)) == size and all(name and not _is_number(name) for name in names):
            break
    else:
        return None
    places = [numbers[number] for number in range(1, size + 1)]
    diagonal = all(
        _NOTHING.fullmatch(cells[places[i]]) is not None for i, (_, cells) in enumerate(below[:size])
    )
    return _Table(header, names, [row for row, _ in below[:size]], places) if diagonal else None


def is_pool(grid: Grid) -> bool:
    """Whether a table is a pool of fencers, whose cells are victories and defeats such as V5 and D3."""
    for header, columns in grid.headers():
        found = _by_numbers(header, columns, list(grid.below(header)))
        if found is not None:
            rows = [cells for row, cells in grid.below(header) if row in found.rows]
            told = [
                cells[place]
                for cells in rows
                for place in found.places
                if not _NOTHING.fullmatch(cells[place])
            ]
            return bool(told) and all(_TOUCHES.fullmatch(cell) for cell in told)
    return False


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[\d.,½]+", text.strip()) is not None


def _cells(
    grid: Grid, table: _Table, repaired: list[str]
) -> tuple[dict[tuple[int, int], list[_Match]], dict[tuple[int, int], str]] | None:
    """The matches in each cell, and the words of those that were not played; adds to what was `repaired`.

    None if this is no cross table, as somebody has a result against himself.
    """
    found: dict[tuple[int, int], list[_Match]] = {}
    unplayed: dict[tuple[int, int], str] = {}
    several = None
    for i, row in enumerate(table.rows):
        cells = grid.rows[row] + [""] * len(grid.rows[table.header])
        for j, place in enumerate(table.places):
            cell = cells[place].strip()
            if i == j:
                if _NOTHING.fullmatch(cell) is None:
                    return None
                continue
            if is_walkover(cell) or is_unplayed(cell) or cell == "+":
                unplayed[i, j] = cell
                continue
            if not cell or cell in _SIGNS:
                continue
            if _NOTHING.fullmatch(cell) is not None and cell not in ("½",):
                continue
            was = restored(cell)
            if was is not None:
                repaired.append(f"{was}, which a spreadsheet changed into {cell!r}")
            matches = _matches(was or cell)
            if matches is None and re.fullmatch(CHANGED, cell):
                names = f"{table.names[i]} against {table.names[j]}"
                raise grid.error(f"{names} is {cell!r}: Excel changed this", row, hint=CHANGED_HINT)
            if matches is None:
                hint = "a cell has 1, ½ or 0, or the points of both, such as 3:1"
                names = f"{table.names[i]} against {table.names[j]}"
                raise grid.error(f"{names} is {cell!r}, which is not a result", row, hint=hint)
            several = max(several or 1, len(matches))
            found[i, j] = matches
    return found, unplayed


def _matches(cell: str) -> list[_Match] | None:
    """The results in a cell, of which there are several where two play more than once."""
    whole = _one(cell)
    if whole is not None:
        return [whole]
    if re.fullmatch(r"[01½=]{2,}", cell):
        return [_Match(_SHARE[sign], 1.0 - _SHARE[sign], sign) for sign in cell]
    parts = [_one(part) for part in _SEVERAL.split(cell) if part]
    return None if None in parts or not parts else [part for part in parts if part is not None]


def _one(cell: str) -> _Match | None:
    if cell in _SHARE:
        return _Match(_SHARE[cell], 1.0 - _SHARE[cell], cell)
    if (touches := _TOUCHES.fullmatch(cell)) is not None:
        won = float(touches[0][0] in "Vv")
        return _Match(won, 1.0 - won, cell)
    if is_draw(cell):
        return _Match(0.5, 0.5, cell)
    match = _PAIR.fullmatch(cell)
    return None if match is None else _Match(_points(match[1]), _points(match[2]), cell)


def _points(text: str) -> float:
    if text.endswith("½"):
        return float(text[:-1] or 0) + 0.5
    return float(text.replace(",", "."))
