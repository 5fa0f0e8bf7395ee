"""Tables with the same header side by side, with an empty column between, or one below another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from podium.tables.columns.column_names import SYNONYMS, NamedColumns, player_pairs, winner_pairs
from podium.tables.layouts.grids import Cells, Grid, Laid
from podium.tables.names.player_numbers import is_total


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


def one_below_another(grid: Grid, is_table: Callable[[Sequence[str]], bool]) -> Laid | None:
    """The tables below each header as one; the line above it names the event, where rows have none."""
    for header, columns in grid.headers():
        starts = [row for row, cells in grid.below(header) if cells[: len(columns)] == columns]
        if not starts or not is_table(columns):
            continue
        named = NamedColumns(columns)
        of_players = named.first((*SYNONYMS["event"], *SYNONYMS["time"])) is None
        of_players &= named.pair((*player_pairs(), *winner_pairs())) is None
        laid = Laid([*columns, "event"] if of_players else columns)
        laid.guesses.append(f"{len(starts) + 1} tables with the same columns, one below another")
        titles = {start: _title(grid, start) for start in (header, *starts)}
        names = {start: title or str(part) for part, (start, title) in enumerate(titles.items(), start=1)}
        totals = {row: cells[0] for row, cells in grid.below(header) if is_total(cells[0])}
        laid.left_out = [(row, f"{title!r} is a total") for row, title in totals.items()]
        left_out = set(totals) | {
            row for start, title in titles.items() for row in ((start, start - 1) if title else (start,))
        }
        if not of_players:
            laid.left_out += [
                (start - 1, f"{title!r} is a title") for start, title in titles.items() if title
            ]
        start = header
        for row, cells in grid.below(header):
            start = row if row in starts else start
            if row not in left_out:
                laid.rows.append((row, [*cells[: len(columns)], *([names[start]] if of_players else [])]))
        return laid
    return None


def _title(grid: Grid, header: int) -> str:
    """The only cell of the row above a header."""
    found = [cell for cell in grid.rows[header - 1] if cell] if header else []
    return found[0] if len(found) == 1 else ""


def _blocks(columns: Cells) -> list[tuple[int, int]]:
    """Where runs of columns with names begin and end."""
    found, at = [], 0
    for has_name, run in groupby(columns, bool):
        size = len(list(run))
        if has_name:
            found.append((at, at + size))
        at += size
    return found
