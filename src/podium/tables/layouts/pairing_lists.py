"""Pairings of a round with the same header for both players: `No., Name, Result, Name, No.`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podium.tables.columns.column_names import SYNONYMS, plain_name
from podium.tables.layouts.grids import Grid, Laid


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
