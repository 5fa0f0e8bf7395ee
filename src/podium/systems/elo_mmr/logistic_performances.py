"""Phase one of Elo-MMR and Elo-R with logistic performances: how well everybody played in a contest.

The performance of player i is the zero of (Theorem 3.2, with wⱼ = 1/sⱼ and Fⱼ(x) = σ((x − μⱼ)/sⱼ))

    Qᵢ(x) = − Σ_{better} wⱼ Fⱼ + Σ_{worse} wⱼ (1 − Fⱼ) + Σ_{tied} of a win plus a loss, or half of each

which is a number that depends on i, minus F(x) = Σ_all wⱼ Fⱼ(x), minus the few terms of i's own tie. F is one
function for the whole contest, tabulated once (`podium.numerics.panels`); then everybody's zero is a look or
two at a short polynomial. Exact over all opponents, linear in their number.

A result more than 40 scales away is certain. Where two far clusters balance exactly, Q is then zero on a
whole interval, and the performance is its midpoint.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Ints, Longs
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, interpreted_as, kernel
from podium.numerics.ordering import best_first
from podium.numerics.panels import (
    CELL_NODES,
    CELLS_PER_PANEL,
    CERTAIN_SCALES,
    FLAT_SLOPE_PART,
    PANEL_NODES,
    PANEL_SCALES,
    add_exactly,
    curve_at,
    fill_cell,
    series_zero,
    tabulate_bases,
    tabulate_deviations,
)
from podium.systems.elo_mmr import interpreted_searches


@kernel
def rough_tie(x: float, m: Floats, w: Floats, own: int, own_stop: int) -> float:
    """Σ w F over a tie to within a hundredth, without exponentials."""
    total = 0.0
    for j in range(own, own_stop):
        y = min(max(0.5 * (x - m[j]) * w[j], -3.0), 3.0)
        total += w[j] * (0.5 + 0.5 * y * (27.0 + y * y) / (27.0 + 9.0 * y * y))
    return total


@formula
def tie_series(
    x: float, m: Floats, w: Floats, own: int, own_stop: int, unit: float
) -> tuple[float, float, float, float, float]:
    """Σ w F over a tie, as a sum of whole weights and the rest; its next Taylor coefficients, by `unit`."""
    value, rest, first, second, third = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(own, own_stop):
        z = (x - m[j]) * w[j]
        e = exp(-abs(z))
        share = 1.0 / (1.0 + e)
        lack = e * share
        # Without a branch: whether somebody did better than expected is a guess, for the processor too.
        value, rest = add_exactly(value, rest, w[j] if z >= 0.0 else 0.0)
        rest += math.copysign(w[j] * lack, -z)
        steepness = unit * w[j]
        density = w[j] * lack * share * steepness
        first += density
        second += density * steepness * math.copysign(0.5, -z) * (share - lack)
        third += density * steepness * steepness * (1.0 / 6.0 - lack * share)
    return value, rest, first, second, third


WHOLE_TIES, HALF_TIES, HALF_TIES_BUT_SELF = 0, 1, 2
"""What a tie is: a win plus a loss; half of each, also with oneself; half of each, but whole with oneself."""

DIRECT_UP_TO = 24
"""Contests with up to this number of players are solved without a table."""
PLAYERS_AT_ONCE = 256
ROWS_SOLVED_AT_ONCE, MOST_SOLVED_PARTS = 1024, 16
"""The search for zeros begins anew after so many rows, or after a sixteenth of a larger contest, so that
threads can share them out; in one thread too, as results do not depend on the number of threads."""
LAST_STEP = 8e-3
"""In half-widths of a cell, and so 1e-3 of the smallest scale: a step by three derivatives is off by about a
24th of its fourth power, counted in scales."""
PANEL_ROOM = 8_192
"""There is room for so many panels. A contest spread over more is summed directly: hardly anybody is near to
anybody."""

ROWS, PANELS, PARTS = range(3)
"""Sizes: how much of a field is in use."""
LOWEST, HIGHEST, WIDEST, NARROWEST, TOTAL, LOWEST_EDGE, HIGHEST_EDGE = range(7)
"""Limits: all performances are between the first two, and between the last two to within a panel; the largest
and the smallest scale, and the sum of all weights."""


class LogisticField(NamedTuple):
    """A contest from best to worst, and F of it on panels: work space that threads can fill together."""

    sizes: Longs
    limits: Floats
    order: Longs
    rank: Ints
    m: Floats
    s: Floats
    w: Floats
    centre: Floats
    """The centres of panels; none are in use if there is no table."""
    base: Floats
    base_low: Floats
    coefficients: Floats
    part: Longs
    """Where each part of the rows begins, at the first row of a tie; then the end."""
    worse: Floats
    worse_low: Floats
    """The weight of all rows from there on."""


def empty_logistic_field(rows: int) -> LogisticField:
    """Work space for contests with up to this number of rows."""
    panels = PANEL_ROOM if rows > DIRECT_UP_TO else 0
    m, s, w = np.empty((3, rows))
    centre, base, base_low = np.empty((3, panels))
    worse, worse_low = np.empty((2, MOST_SOLVED_PARTS))
    return LogisticField(
        np.empty(3, np.int64),
        np.empty(7),
        np.empty(rows, np.int64),
        np.empty(rows, np.int32),
        m,
        s,
        w,
        centre,
        base,
        base_low,
        np.empty((panels, PANEL_NODES)),
        np.empty(MOST_SOLVED_PARTS + 1, np.int64),
        worse,
        worse_low,
    )


@kernel
def logistic_performances(
    mu: Floats, scale: Floats, rank: Ints, ties: int, out: Floats, field: LogisticField
) -> None:
    """Fill each row's performance in one contest; the field is work space."""
    tabulate_field(mu, scale, rank, field)
    for part in range(field.sizes[PARTS]):
        solve_rows(field, ties, part, out)


@kernel
def find_standings(mu: Floats, scale: Floats, rank: Ints, field: LogisticField) -> None:
    """Fill in rows in order, and where their performances can be."""
    sizes, limits, order, place, m, s, w, _, _, _, _, _, _, _ = field
    n, sorted_rows = len(mu), best_first(rank)
    sizes[ROWS] = n
    # Plain loops: array expressions and methods would be the larger part of the compiler's work.
    lowest, highest, widest, narrowest, total = math.inf, -math.inf, 0.0, math.inf, 0.0
    for k in range(n):
        i = sorted_rows[k]
        if k + ROWS_AHEAD < n:
            prefetch(mu, sorted_rows[k + ROWS_AHEAD])
            prefetch(scale, sorted_rows[k + ROWS_AHEAD])
        order[k], place[k], m[k], s[k] = i, rank[i], mu[i], scale[i]
        w[k] = 1.0 / s[k]
        lowest, highest = min(lowest, m[k]), max(highest, m[k])
        widest, narrowest = max(widest, s[k]), min(narrowest, s[k])
        total += w[k]
    margin = _margin(widest, total)
    limits[LOWEST], limits[HIGHEST] = lowest - margin, highest + margin
    limits[LOWEST_EDGE], limits[HIGHEST_EDGE] = limits[LOWEST], limits[HIGHEST]
    limits[WIDEST], limits[NARROWEST], limits[TOTAL] = widest, narrowest, total


@kernel
def _margin(widest: float, total: float) -> float:
    """Points beyond which Q has one sign: above everyone, all wins weigh less than a tie with oneself."""
    return widest * (2.0 + math.log(4.0 * total * widest))


@kernel
def find_edge(field: LogisticField, side: int) -> None:
    """Below (0) or above (1) which no performance is, to within a panel; for where there is a table."""
    limits, n = field.limits, field.sizes[ROWS]
    m, w, total, width = field.m[:n], field.w[:n], limits[TOTAL], 2.0 * limits[NARROWEST]
    # At a zero, ties balance at least half of somebody's weight: F is that far from both its limits.
    # Where the weakest is rated it is that far already, and so it is where the strongest is.
    value, margin = 0.5 / limits[WIDEST], _margin(limits[WIDEST], total)
    if side == 1:
        highest = limits[HIGHEST]
        limits[HIGHEST_EDGE] = _narrowed(m, w, total - value, highest - margin, highest, width)[1]
    else:
        lowest = limits[LOWEST]
        limits[LOWEST_EDGE] = _narrowed(m, w, value, lowest, lowest + margin, width)[0]


@kernel
def lay_panels(field: LogisticField) -> None:
    """Fill in panels without their coefficients, and the parts of the rows."""
    sizes, limits, _, rank, m, _, w, centre, base, base_low, _, part, worse, worse_low = field
    n, lowest, highest = sizes[ROWS], limits[LOWEST_EDGE], limits[HIGHEST_EDGE]
    panels, half = 0, PANEL_SCALES * limits[NARROWEST]
    if n > DIRECT_UP_TO:
        panels = int(min((highest - lowest) / (2.0 * half), float(PANEL_ROOM))) + 1
    if panels > PANEL_ROOM:
        panels = 0
    for p in range(panels):
        centre[p] = lowest + (2.0 * p + 1.0) * half
    tabulate_bases(m[:n], w[:n], centre[:panels], base, base_low)
    parts = min(max(n // ROWS_SOLVED_AT_ONCE, 1), MOST_SOLVED_PARTS)
    left, left_low = 0.0, 0.0
    for k in range(n):
        left, left_low = add_exactly(left, left_low, w[k])
    begun = 0
    for k in range(n):
        if begun == parts:
            break
        if k == 0 or rank[k] != rank[k - 1]:
            while begun < parts and k * parts >= begun * n:
                part[begun], worse[begun], worse_low[begun] = k, left, left_low
                begun += 1
        left, left_low = add_exactly(left, left_low, -w[k])
    for i in range(begun, parts + 1):
        part[i] = n
    sizes[PANELS], sizes[PARTS] = panels, parts


@kernel
def fill_panels(field: LogisticField, begin: int, end: int) -> None:
    """Fill the coefficients of the panels from `begin` to `end`."""
    n, panels, half = field.sizes[ROWS], field.sizes[PANELS], PANEL_SCALES * field.limits[NARROWEST]
    m, s, w = field.m[:n], field.s[:n], field.w[:n]
    tabulate_deviations(m, s, w, field.centre[:panels], half, begin, end, field.coefficients)


@kernel
def solve_rows(field: LogisticField, ties: int, part: int, out: Floats) -> None:
    """Fill the performances of one part of the rows."""
    sizes, limits, order, rank, m, s, w, _, _, _, _, _, _, _ = field
    n, lowest, highest = sizes[ROWS], limits[LOWEST_EDGE], limits[HIGHEST_EDGE]
    m, s, w = m[:n], s[:n], w[:n]
    cells = CELLS_PER_PANEL * sizes[PANELS]
    worse, worse_low = field.worse[part], field.worse_low[part]
    start, end = field.part[part], field.part[part + 1]
    flat = FLAT_SLOPE_PART * limits[TOTAL] / limits[WIDEST]
    curve = np.empty(CELL_NODES)
    cell, middle = -1, 0.5 * (lowest + highest)  # the cell of `curve` and its centre
    while start < end:
        stop = start
        level, level_low = 0.0, 0.0
        while stop < end and rank[stop] == rank[start]:
            worse, worse_low = add_exactly(worse, worse_low, -w[stop])
            level, level_low = add_exactly(level, level_low, w[stop])
            stop += 1
        for k in range(start, stop if ties == HALF_TIES_BUT_SELF else start + 1):
            # What counts twice is the own tie, as a win and a loss; what counts once is in F already.
            own, own_stop, tied, tied_low = start, stop, level, level_low
            if ties == HALF_TIES:
                own_stop, tied, tied_low = start, 0.5 * level, 0.5 * level_low
            elif ties == HALF_TIES_BUT_SELF:
                own, own_stop, tied, tied_low = k, k + 1, 0.5 * (level + w[k]), 0.5 * level_low
            x, slope = middle, 0.0
            if cells > 0:
                target, target_low = add_exactly(worse, worse_low + tied_low, tied)
                found = search_zero(field, target, target_low, own, own_stop, cell, middle, curve)
                x, slope, cell, middle = found
            if not slope > flat:
                x = solve_directly(m, s, w, start, stop, own, own_stop, ties, lowest, highest)
            out[order[k]] = x
        if ties != HALF_TIES_BUT_SELF:
            for k in range(start + 1, stop):
                out[order[k]] = x
        start = stop


@kernel
def search_zero(
    field: LogisticField,
    target: float,
    target_low: float,
    own: int,
    own_stop: int,
    cell: int,
    middle: float,
    curve: Floats,
) -> tuple[float, float, int, float]:
    """Where F and the own tie reach a target, by the table; begun at the cell of the last search, if any.

    Returns it, the slope there, and the cell of `curve` now with its centre.
    """
    sizes, limits, _, _, m, _, w, _, base, base_low, coefficients, _, _, _ = field
    n, lowest, highest = sizes[ROWS], limits[LOWEST_EDGE], limits[HIGHEST_EDGE]
    m, w = m[:n], w[:n]
    cells, half = CELLS_PER_PANEL * sizes[PANELS], PANEL_SCALES * limits[NARROWEST] / CELLS_PER_PANEL
    x, slope, low, high, p = middle, 0.0, lowest, highest, max(cell, 0) // CELLS_PER_PANEL
    if cell >= 0 and curve[1] > 0.0:
        # From the centre of the last zero's cell, not from that zero: nothing waits for it.
        over = base[p] + curve[0] + rough_tie(x, m, w, own, own_stop) - target
        guess = x + half * series_zero(over, curve[1], curve[2], curve[3])
        x = guess if lowest < guess < highest else x
    for _ in range(100):
        new_cell = min(max(int((x - lowest) / (2.0 * half)), 0), cells - 1)
        if new_cell != cell:
            cell, p = new_cell, new_cell // CELLS_PER_PANEL
            middle = lowest + (2 * cell + 1) * half
            fill_cell(coefficients, cell, curve)
        value, first, second, third = curve_at(curve, (x - middle) / half)
        won, rest, own_first, own_second, own_third = tie_series(x, m, w, own, own_stop, half)
        surplus, more = add_exactly(target, target_low, -base[p])
        surplus, more = add_exactly(surplus, more - base_low[p], -won)
        surplus += more - value - rest
        first += own_first
        slope = first / half
        if surplus > 0.0:
            low = x
        else:
            high = x
        step = surplus / first if first > 0.0 else math.inf
        if abs(step) < LAST_STEP:
            x += half * series_zero(-surplus, first, second + own_second, third + own_third)
            break
        x = x + half * step if low < x + half * step < high else 0.5 * (low + high)
    return x, slope, cell, middle


@kernel
def tabulate_field(mu: Floats, scale: Floats, rank: Ints, field: LogisticField) -> None:
    """Fill in a contest and its table, with what solving its rows needs."""
    find_standings(mu, scale, rank, field)
    if len(mu) > DIRECT_UP_TO:
        find_edge(field, 0)
        find_edge(field, 1)
    lay_panels(field)
    fill_panels(field, 0, field.sizes[PANELS])


@kernel
def _narrowed(
    m: Floats, w: Floats, value: float, low: float, high: float, width: float
) -> tuple[float, float]:
    """An interval of about this width in which F takes this value."""
    buffer = np.empty(PLAYERS_AT_ONCE)
    while high - low > width:
        x = 0.5 * (low + high)
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for block in range(0, len(m), PLAYERS_AT_ONCE):
            size = min(PLAYERS_AT_ONCE, len(m) - block)
            for i in range(size):
                j = block + i
                buffer[i] = w[j] / (1.0 + exp((m[j] - x) * w[j]))
            for i in range(size, PLAYERS_AT_ONCE):
                buffer[i] = 0.0
            for i in range(0, PLAYERS_AT_ONCE, 4):  # four sums at a time; one would wait for itself
                a, b, c, d = a + buffer[i], b + buffer[i + 1], c + buffer[i + 2], d + buffer[i + 3]
        if a + b + c + d < value:
            low = x
        else:
            high = x
    return low, high


@interpreted_as(interpreted_searches.performance)
@kernel
def solve_directly(
    m: Floats,
    s: Floats,
    w: Floats,
    start: int,
    stop: int,
    own: int,
    own_stop: int,
    ties: int,
    low: float,
    high: float,
) -> float:
    """The zero of one tie group's Q by going through everybody, to the last digits; Q(low) > 0 > Q(high)."""
    x = 0.5 * (low + high)
    before = high - low
    for _ in range(200):
        surplus, slope = _surplus(x, m, s, w, start, stop, own, own_stop, ties)
        if surplus == 0.0:
            break
        if surplus > 0.0:
            low = x
        else:
            high = x
        step = surplus / slope if slope > 0.0 else math.inf
        if low < x + step < high and abs(step) < 0.5 * before:
            before, x = abs(step), x + step
        else:
            before, x = high - low, 0.5 * (low + high)
        if before <= 1e-15 * abs(x) or before < 1e-12:
            return x
    # Q is zero here, and perhaps all around: the middle between where it is positive and where negative.
    middle = 0.0
    for side in (1.0, -1.0):
        outside, inside = low if side > 0.0 else high, x
        for _ in range(200):
            between = 0.5 * (outside + inside)
            if between in (outside, inside):  # no number lies between
                break
            if side * _surplus(between, m, s, w, start, stop, own, own_stop, ties)[0] > 0.0:
                outside = between
            else:
                inside = between
        middle += 0.5 * inside
    return middle


@kernel
def _surplus(
    x: float, m: Floats, s: Floats, w: Floats, start: int, stop: int, own: int, own_stop: int, ties: int
) -> tuple[float, float]:
    """Q and −Q' of a tie group, from everybody.

    What a result would be if it were certain, and what it lacks to that, are summed apart: where certain
    results cancel, the rest keeps its digits.
    """
    certain, certain_low, rest, slope, largest = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(len(m)):
        z = (x - m[j]) / s[j]
        e = 0.0 if abs(z) > CERTAIN_SCALES else math.exp(-abs(z))
        share = 1.0 / (1.0 + e)
        lack = w[j] * e * share
        if z < 0.0:
            lack = -lack
        density = abs(lack) * share / s[j]
        sign = 1.0 if z < 0.0 else -1.0
        counted = 0.0
        if j < start:
            counted = sign if z >= 0.0 else 0.0
        elif j >= stop:
            counted = sign if z < 0.0 else 0.0
        elif ties == WHOLE_TIES or own <= j < own_stop:
            counted = sign
            lack, density = 2.0 * lack, 2.0 * density
        else:
            counted = 0.5 * sign
        certain, certain_low = add_exactly(certain, certain_low, counted * w[j])
        rest += lack
        slope += density
        largest = max(largest, w[j])
    surplus = certain + certain_low
    if abs(surplus) < 1e-25 * largest:
        surplus = 0.0
    return surplus + rest, slope
