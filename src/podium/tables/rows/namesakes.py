"""Players whose names usually mean nobody, such as BYE: their results show that they are players.

Nobody never wins, scores nothing, and has no rank among three or more. A name is a player's in the whole
table if one row of it shows that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from podium.arrays import Bools, Floats, Ints
from podium.tables.columns.shapes import Shape
from podium.tables.rows.checked_columns import CheckedColumns
from podium.tables.rows.match_rows import match_scores, ranks_of, side_columns
from podium.tables.rows.result_cells import is_lower_better, places


def namesakes(table: CheckedColumns, shape: Shape) -> set[str]:
    """The names in a table that usually mean nobody, and are players' names there."""
    return _among_matches(table) if shape == "matches" else _among_results(table)


def _among_matches(table: CheckedColumns) -> set[str]:
    """Those who have won a match, or a part of its points."""
    codes, names = table.player_labels(*side_columns(table))
    odd = table.may_be_nobody(codes, names).reshape(-1, 2)
    if not odd.any():
        return set()
    player = codes.reshape(-1, 2)
    score, other = match_scores(table, player, names)
    lower = bool(table.options.lower_is_better) and other is not None
    rank = ranks_of(score, other, lower_is_better=lower)
    shown = rank < rank[:, ::-1]
    if not lower:
        shown |= np.column_stack((score, 1.0 - score if other is None else other)) > 0.0
    has_opponent = ~odd[:, ::-1] & (player[:, ::-1] >= 0)
    return _named(player[shown & odd & has_opponent], names)


def _among_results(table: CheckedColumns) -> set[str]:
    """Those who have a rank among three or more, have beaten a player, or have scored."""
    event, _ = table.labels("event")
    player, names = table.player_labels("player")
    odd = table.may_be_nobody(player, names)
    if not odd.any():
        return set()
    finished, _, rank, score = places(table)
    if rank is not None:
        return _named(player[odd & _shown_by_ranks(event, rank, finished, odd)], names)
    assert score is not None
    lower = is_lower_better(table.options, table.notes)
    better = -score if lower else score
    shown = better > _worst(event, better, finished & ~odd)
    shown |= _others(event, odd) > 1 if lower else score > 0.0
    return _named(player[odd & finished & ~np.isnan(score) & shown], names)


def _named(codes: Ints, names: Sequence[str]) -> set[str]:
    return {names[code] for code in np.unique(codes).tolist()}


def _shown_by_ranks(event: Ints, rank: Floats, finished: Bools, odd: Bools) -> Bools:
    ranked = finished & ~np.isnan(rank)
    return ranked & ((_others(event, odd) > 1) | (-rank >= _worst(event, -rank, ranked & ~odd)))


def _others(event: Ints, odd: Bools) -> Ints:
    """For each row the number of rows of its event that are certainly players'."""
    number = np.bincount(event[~odd & (event >= 0)], minlength=int(event.max(initial=-1)) + 1)
    return np.append(number, 0)[event].astype(np.int32)


def _worst(event: Ints, better: Floats, counted: Bools) -> Floats:
    """For each row the worst result in its event of the rows counted, infinite if there are none."""
    worst = np.full(int(event.max(initial=-1)) + 2, np.inf)
    counted = counted & ~np.isnan(better)
    np.minimum.at(worst, event[counted], better[counted])
    return worst[event]
