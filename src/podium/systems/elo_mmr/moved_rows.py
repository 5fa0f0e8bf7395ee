"""What Elo-MMR and Elo-R would make of a row of a contest if it alone stood at another place, compiled.

A performance depends on the others' beliefs and on who of them is better. So the table of the whole contest
(`logistic_performances`) serves every row at every place, and each costs one search and one belief.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import EventColumns, Floats, Longs, TraceColumns
from podium.numerics.jit import kernel
from podium.numerics.panels import CELL_NODES, FLAT_SLOPE_PART, add_exactly
from podium.systems.elo_mmr.beliefs import room_for
from podium.systems.elo_mmr.contest_kernels import (
    EloMMRRules,
    RememberingColumns,
    learn_rows,
)
from podium.systems.elo_mmr.drift import ContestBeliefs, ContestField, DriftAndNewcomers, find_beliefs
from podium.systems.elo_mmr.logistic_performances import (
    HALF_TIES,
    HIGHEST_EDGE,
    LOWEST_EDGE,
    PANELS,
    ROWS,
    TOTAL,
    WIDEST,
    LogisticField,
    search_zero,
    solve_directly,
    tabulate_field,
)


@kernel
def prepare_moves(
    ev: EventColumns,
    beliefs: ContestBeliefs,
    before: DriftAndNewcomers,
    rules: EloMMRRules,
    field: ContestField,
    standings: LogisticField,
    trace: TraceColumns,
) -> None:
    """Fill the field of one contest and its table; newcomers get the belief they start from."""
    n = len(ev.player)
    find_beliefs(ev, 0, 0, n, beliefs, before, field, trace)
    deviation = field.deviation
    for i in range(n):
        deviation[i] *= rules.scale
    tabulate_field(field.prior, deviation, ev.rank, standings)


@kernel
def rate_moved(
    ev: EventColumns,
    columns: RememberingColumns,
    rules: EloMMRRules,
    known: float,
    field: ContestField,
    standings: LogisticField,
    moved: Longs,
    better: Longs,
    trace: TraceColumns,
) -> None:
    """Rate each of the `moved` rows as if it alone stood behind `better` of the others, tied with nobody.

    Event, state, field and trace are those of the moved rows, one by one; `known` is the mean of newcomers.
    """
    count, room = len(moved), columns.memory.room
    shown, sums, longest = np.empty(count), np.empty(3), 0
    for i in range(count):
        longest = max(longest, room[i])
    _solve(standings, rules.ties, moved, better, shown)
    highest, space = math.inf if len(ev.ceiling) == 0 else ev.ceiling[0], room_for(longest)
    learn_rows(ev, 0, 0, count, highest, columns, rules, known, field, shown, trace, space, sums)


@kernel
def _solve(standings: LogisticField, ties: int, moved: Longs, better: Longs, out: Floats) -> None:
    """Fill the performance of each of the moved rows."""
    sizes, limits, order, _, m, s, w, _, _, _, _, _, _, _ = standings
    n, lowest, highest = sizes[ROWS], limits[LOWEST_EDGE], limits[HIGHEST_EDGE]
    place, worse, worse_low = np.empty(n, np.int64), np.empty(n + 1), np.empty(n + 1)
    worse[n] = worse_low[n] = 0.0
    for k in range(n - 1, -1, -1):
        place[order[k]] = k
        worse[k], worse_low[k] = add_exactly(worse[k + 1], worse_low[k + 1], w[k])
    flat = FLAT_SLOPE_PART * limits[TOTAL] / limits[WIDEST]
    curve, rows = np.empty(CELL_NODES), np.empty((3, n))
    cell, middle = -1, 0.5 * (lowest + highest)
    for i in range(len(moved)):
        q, ahead, slope = place[moved[i]], better[i], 0.0
        if sizes[PANELS] > 0:
            behind = ahead + 1 if q < ahead else ahead  # the first row of those behind
            own = 0.5 * w[q] if ties == HALF_TIES else w[q]
            target, target_low = add_exactly(worse[behind], worse_low[behind], own)
            if q >= behind:
                target, target_low = add_exactly(target, target_low, -w[q])
            stop = q if ties == HALF_TIES else q + 1
            found = search_zero(standings, target, target_low, q, stop, cell, middle, curve)
            out[i], slope, cell, middle = found
        if not slope > flat:
            for k in range(n):  # the row is taken from its place and put behind those ahead
                j = q if k == ahead else k
                if q <= k < ahead:
                    j = k + 1
                elif ahead < k <= q:
                    j = k - 1
                rows[0, k], rows[1, k], rows[2, k] = m[j], s[j], w[j]
            stop = ahead if ties == HALF_TIES else ahead + 1
            out[i] = solve_directly(
                rows[0], rows[1], rows[2], ahead, ahead + 1, ahead, stop, ties, lowest, highest
            )
