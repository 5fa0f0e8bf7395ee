"""Tables with the same header side by side, with an empty column between: one table in several blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from podium.tables.layouts.grids import Cells, Grid, Laid


def stacked(grid: Grid, is_table: Callable[[Sequence[str]], bool]) -> Laid | None:
    """The tables one below the other."""
    for header, columns in grid.headers():
        blocks = _blocks(columns)
        names = [columns[start:stop] for start, stop in blocks]
        if len(blocks) < 2 or any(other != names[0] for other in names) or not is_table(names[0]):
            continue
        laid = Laid(names[0], guesses=[f"{len(blocks)} tables side by side, with the same columns"])
        below = list(grid.below(header))
        for start, stop in blocks:
            laid.rows += [(row, cells[start:stop]) for row, cells in below if any(cells[start:stop])]
        return laid
    return None


def _blocks(columns: Cells) -> list[tuple[int, int]]:
    """Where runs of columns with names begin and end."""
    found, at = [], 0
    for has_name, run in groupby(columns, bool):
        size = len(list(run))
        if has_name:
            found.append((at, at + size))
        at += size
    return found
