"""Whether a table has another layout than a row for each match or player, and which."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from podium.tables.columns.column_names import plain_name
from podium.tables.columns.round_columns import day_columns, round_columns
from podium.tables.columns.shapes import ReadOptions
from podium.tables.layouts.cross_tables import FEWEST_PLAYERS, cross_table_as_matches, is_pool
from podium.tables.layouts.grids import Grid, Laid
from podium.tables.layouts.pairing_lists import pairing_list, partners_behind
from podium.tables.layouts.place_columns import places_as_rows
from podium.tables.layouts.player_columns import days_as_events, players_as_rows
from podium.tables.layouts.set_columns import sets_as_result
from podium.tables.layouts.side_by_side import one_below_another, stacked
from podium.tables.layouts.swiss_tables import swiss_table_as_matches
from podium.tables.layouts.two_row_headers import with_one_header


def may_have_layout(
    columns: Sequence[str],
    sample: Callable[[Sequence[str]], pl.DataFrame],
    is_table: Callable[[Sequence[str]], bool],
) -> bool:
    """Whether the cells of a table must be looked through; quick for a table that is as it should be."""
    if not is_table(columns):
        return True
    if len(columns) <= FEWEST_PLAYERS:
        return False
    return _may_be_crossed(columns, sample)


def _may_be_crossed(columns: Sequence[str], sample: Callable[[Sequence[str]], pl.DataFrame]) -> bool:
    """Whether columns are called after rounds, or three like cells of one of the first columns."""
    if (
        round_columns(columns)
        or day_columns(columns)
        or sum(column.strip().isdecimal() for column in columns) >= FEWEST_PLAYERS
    ):
        return True
    names = {plain_name(column) for column in columns if column}
    rows = sample([column for column in dict.fromkeys(columns[:3]) if column])
    return any(
        len(names.intersection(map(plain_name, column.drop_nulls().unique().to_list()))) >= FEWEST_PLAYERS
        for column in rows
        if column.dtype == pl.String
    )


def laid_out(grid: Grid, options: ReadOptions, is_table: Callable[[Sequence[str]], bool]) -> Laid | None:
    """The table written again as a row for each match or player, None if it has no layout that is known."""
    found = None
    if not options.columns:
        found = (None if is_pool(grid) else swiss_table_as_matches(grid)) or cross_table_as_matches(grid)
        found = found or days_as_events(grid, lower_is_better=options.lower_is_better)
    if found is None and (places := places_as_rows(grid, options.teams_split)) is not None:
        found = places if is_table(places.columns) else None
    if found is None and (sets := sets_as_result(grid)) is not None:
        found = sets if is_table(sets.columns) else None
    if found is None:
        found = (
            pairing_list(grid, is_table)
            or partners_behind(grid, is_table)
            or stacked(grid, is_table)
            or one_below_another(grid, is_table)
            or with_one_header(grid, is_table)
        )
    if found is None and options.columns.keys() <= {"player"}:
        given = options.columns.get("player")
        found = players_as_rows(grid, given, lower_is_better=options.lower_is_better)
    return found
