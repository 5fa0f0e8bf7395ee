"""A match a row with a column for each set: `Satz 1 … Satz 5`, or two columns for each.

The result is the number of sets that each side won. A match that was broken off has none, unless a remark
names who gave up: then the other side won.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.tables.columns.column_names import NamedColumns, plain_name, plain_names, player_pairs
from podium.tables.forms.result_words import NOT_FINISHED, is_retirement, is_unplayed, is_walkover
from podium.tables.layouts.grids import Cells, Grid, Laid

_NOUNS = "|".join(
    sorted(
        plain_names(
            "set, satz, manche, juego, parziale, partial, parcial, jeu, frame, leg, game, map, spel, сет, "
            "партия, seti, oyun, durchgang, runde im match"
        ),
        key=len,
        reverse=True,
    )
)
_ONE = re.compile(rf"(?:(?:{_NOUNS})([1-9])|([1-9])(?:{_NOUNS})|s([1-9]))")
_SIDE = "a|b|1|2|heim|gast|home|away"
_TWO = re.compile(rf"(?:(?:{_NOUNS}|s)([1-9])|([1-9])(?:{_NOUNS}))(?:punkte|points)?({_SIDE})")
_CELL = re.compile(r"\[?(\d{1,3})\s*[-–—−:/]\s*(\d{1,3})\]?\s*(?:\(\d+\))?")
_SECONDS = ("b", "2", "gast", "away")
_ODD_HINT = (
    "write the points of both, such as 11-8. If a player gave up, write who won in a column winner, or the "
    "sets in a column result"
)


def sets_as_result(grid: Grid) -> Laid | None:
    """The table with a column result in place of those of the sets."""
    for header, columns in grid.headers():
        named = NamedColumns(columns)
        if named.pair(player_pairs()) is None:
            continue
        last, columns = _with_sides(grid, header, columns)
        sets = _columns_of_sets(columns)
        if len(sets) > 1:
            return _laid(grid, last, columns, sets)
    return None


def _with_sides(grid: Grid, header: int, columns: Cells) -> tuple[int, Cells]:
    """The last row of the header and its names, where a second row has `A, B, A, B` below the sets."""
    below = grid.rows[header + 1] if header + 1 < len(grid.rows) else []
    width = max(len(columns), len(below))
    names, below = columns + [""] * (width - len(columns)), below + [""] * (width - len(below))
    sides = {place: cell for place, cell in enumerate(below) if cell and cell != names[place]}
    if len(sides) < 4 or not all(re.fullmatch(_SIDE, plain_name(side)) for side in sides.values()):
        return header, columns
    above = ""
    for place, name in enumerate(names):
        above = name or above
        if place in sides:
            names[place] = f"{above} {sides[place]}"
    return header + 1, names


def _columns_of_sets(columns: Sequence[str]) -> list[tuple[int, ...]]:
    """The positions of the column of each set, or of its two columns; counted from set 1."""
    one: dict[int, int] = {}
    two: dict[int, dict[bool, int]] = {}
    for place, column in enumerate(columns):
        name = plain_name(column)
        if (match := _TWO.fullmatch(name)) is not None:
            two.setdefault(int(match[1] or match[2]), {})[match[3] in _SECONDS] = place
        elif (match := _ONE.fullmatch(name)) is not None:
            one.setdefault(int(match[1] or match[2] or match[3]), place)
    found: dict[int, tuple[int, ...]] = {number: (place,) for number, place in one.items()}
    if not found:
        found = {number: (both[False], both[True]) for number, both in two.items() if len(both) == 2}
    counted: list[tuple[int, ...]] = []
    while len(counted) + 1 in found:
        counted.append(found[len(counted) + 1])
    return counted if len(counted) == len(found) else []


def _laid(grid: Grid, header: int, columns: Cells, sets: list[tuple[int, ...]]) -> Laid:
    used = {place for places in sets for place in places}
    kept = [place for place in range(len(columns)) if place not in used]
    first, last = columns[sets[0][0]], columns[sets[-1][-1]]
    laid = Laid(
        [*(columns[place] for place in kept), "result"],
        guesses=[f"the result is the sets won in {first} to {last}"],
    )
    pair = NamedColumns(columns).pair(player_pairs())
    names = [] if pair is None else [columns.index(name) for name in pair[:2]]
    for row, cells in grid.below(header):
        cells = cells + [""] * (len(columns) - len(cells))
        remark = next((cells[place] for place in kept if is_retirement(cells[place])), None)
        sides = tuple(cells[place] for place in names)
        result = _result(grid, row, columns, cells, sets, gave_up=_who_gave_up(remark, sides))
        laid.rows.append((row, [*(cells[place] for place in kept), result]))
    return laid


def _who_gave_up(remark: str | None, sides: Sequence[str]) -> int | None:
    """The number of the player whom a remark names; −1 if it names neither or both, None without one."""
    if remark is None:
        return None
    said = set(map(plain_name, re.findall(r"\w+", remark)))
    named = [bool(said & set(map(plain_name, re.findall(r"\w+", side)))) for side in sides]
    return named.index(True) if sum(named) == 1 else -1


def _result(
    grid: Grid, row: int, columns: Cells, cells: Cells, sets: list[tuple[int, ...]], *, gave_up: int | None
) -> str:
    """The sets that each side won, or the word of a match that was not played; empty if there is none."""
    won = [0, 0]
    played = []
    for places in sets:
        cell = ":".join(cells[place] for place in places) if any(cells[place] for place in places) else ""
        if not cell:
            continue
        if is_walkover(cell.strip(":")) or is_unplayed(cell.strip(":")):
            return cell.strip(":")
        match = _CELL.fullmatch(cell)
        if match is None or (match[1] == match[2] and gave_up is None):
            raise grid.error(f"{columns[places[0]]} is {cell!r}", row, hint=_ODD_HINT)
        played.append(cell)
        if match[1] != match[2]:
            won[int(match[1]) < int(match[2])] += 1
    if gave_up in (0, 1):
        won[1 - gave_up] = max(won[1 - gave_up], won[gave_up] + 1)
    elif played and (gave_up is not None or (won[0] == won[1] and len(played) < len(sets))):
        return f"{' '.join(played)} {NOT_FINISHED}"
    return f"{won[0]}-{won[1]}" if any(won) else ""
