"""Matches with the same header for both sides.

`No., Name, Result, Name, No.` are pairings of a round; a column `Partner` may be behind each player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podium.tables.columns.column_names import SYNONYMS, plain_name
from podium.tables.columns.partner_columns import PARTNERS
from podium.tables.layouts.grids import Grid, Laid


def partners_behind(grid: Grid, is_table: Callable[[Sequence[str]], bool]) -> Laid | None:
    """The table with the columns partner_a and partner_b, where both are called alike."""
    for header, columns in grid.headers():
        places = [place for place, column in enumerate(columns) if plain_name(column) in PARTNERS]
        if len(places) != 2 or 0 in places or places[1] == places[0] + 1:
            continue
        named = list(columns)
        named[places[0]], named[places[1]] = "partner_a", "partner_b"
        if is_table(named):
            laid = Laid(named, guesses=[f"{columns[places[0]]} is behind each player"])
            width = len(columns)
            laid.rows = [(row, cells[:width]) for row, cells in grid.below(header)]
            return laid
    return None


def pairing_list(grid: Grid, is_table: Callable[[Sequence[str]], bool]) -> Laid | None:
    """The table with the columns player_a, result and player_b, and those whose names stand in it once."""
    for header, columns in grid.headers():
        names = [plain_name(column) for column in columns]
        twice = [name for name in SYNONYMS["player"] if names.count(name) == 2]
        if len(twice) != 1:
            continue
        first, second = (place for place, name in enumerate(names) if name == twice[0])
        between = [place for place in range(first + 1, second) if names[place] in SYNONYMS["result"]]
        if len(between) != 1 or names.count(names[between[0]]) > 1:
            continue
        called = {first: "player_a", between[0]: "result", second: "player_b"}
        kept = [
            place for place, name in enumerate(names) if place in called or (name and names.count(name) == 1)
        ]
        laid = Laid([called.get(place, columns[place]) for place in kept])
        if not is_table(laid.columns):
            continue
        laid.guesses.append(
            f"{columns[first]} is before and behind {columns[between[0]]}: the first player and the second"
        )
        laid.rows = [(row, [cells[place] for place in kept]) for row, cells in grid.below(header)]
        return laid
    return None
