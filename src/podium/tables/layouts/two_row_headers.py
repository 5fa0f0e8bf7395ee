"""Headers of two rows: the first has names over several columns, `Team A` over `Player 1, Player 2`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podium.tables.columns.column_names import NUMBERED, SYNONYMS, plain_name
from podium.tables.layouts.grids import Cells, Grid, Laid

_PLAYERS = (*SYNONYMS["player"], *NUMBERED)


def with_one_header(grid: Grid, is_table: Callable[[Sequence[str]], bool]) -> Laid | None:
    """The table with the names of both rows in one."""
    for row, top in grid.headers():
        if row + 1 >= len(grid.rows):
            return None
        below = grid.rows[row + 1]
        if sum(map(bool, below)) < 2:
            continue
        for columns in _joined(top, below):
            if is_table(columns):
                names = [name for name in dict.fromkeys(top) if name and name not in below]
                laid = Laid(
                    columns, guesses=[f"a header of two rows, with {', '.join(names)} above the names"]
                )
                width = len(columns)
                laid.rows = [(at, (cells + [""] * width)[:width]) for at, cells in grid.below(row + 1)]
                return laid
    return None


def _joined(top: Cells, below: Cells) -> list[list[str]]:
    """The ways to join two rows of names: the name above stands over all columns up to the next one."""
    width = max(len(top), len(below))
    top, below = top + [""] * (width - len(top)), below + [""] * (width - len(below))
    over: list[str] = []
    for above, name in zip(top, below, strict=True):
        goes_on = not above and bool(name) and bool(over)
        over.append(over[-1] if goes_on else above)
    pairs = list(zip(over, below, strict=True))
    return [
        [_one(above, name, f"{above} {name}") for above, name in pairs],
        [_one(above, name, f"{name} {above}") for above, name in pairs],
        [
            above if plain_name(name) in _PLAYERS else _one(above, name, f"{above} {name}")
            for above, name in pairs
        ],
        [name or above for above, name in pairs],
    ]


def _one(above: str, name: str, both: str) -> str:
    return both if above and name and above != name else name or above
