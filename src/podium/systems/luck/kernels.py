"""Matches between players whose beliefs are masses on a grid (Cowan, section 4).

A match is gone through in steps: find the beliefs (`open_match`), the likelihoods, the posteriors (`weigh`),
growth, and write it all down (`close_match`). The compiled loop here, for smooth luck functions and normal
growth, and the loop in `single_matches.py` for all the others share them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Bools, EventColumns, Floats, Ints, Longs
from podium.numerics.event_sides import days_between, event_weight, is_held, score_between
from podium.numerics.jit import interpreted_as, kernel, summing
from podium.systems.luck import array_sums
from podium.systems.luck.array_sums import LEAST_MASS
from podium.systems.luck.growth import fill_normal_taps, spread
from podium.systems.luck.likelihoods import DRAW, LOSE, WIN, find_kernel, sum_panels

LEAST_VARIANCE = 0.01
"""Of a score, when surprises are measured by it: the most certain result may still surprise a hundredfold."""
LEAST_GROWTH, MOST_GROWTH = 0.25, 4.0
"""How far surprises may change a player's growth."""


class Grid(NamedTuple):
    """The grid of strengths, and the parameters of how beliefs on it change."""

    points: int
    middle: float
    """The rating of the point in the middle."""
    cell: float
    """The distance of two neighbouring points, in rating points."""
    prior: Floats
    """The belief about a newcomer."""
    growth_shares: Floats
    growth: Floats
    """Deviations of κ, in cells."""
    each: bool
    """Whether κ at every point is a probability on the grid (Eq. 6), and not only the result (Eq. 8)."""
    direct: bool
    """Whether to sum over all points, as Eq. (8) is written."""
    per_day: float
    """Deviation, in cells, that each day away adds; variances add up."""
    newcomer_growth: float
    newcomer_events: int
    adapt: float


class LuckColumns(NamedTuple):
    """The columns of a state in the form kernels use."""

    mass: Floats
    unknown: Bools
    """Whether a player still has the newcomer's belief, and the row is empty."""
    surprise: Floats
    events: Ints
    last_time: Longs


class Shown(NamedTuple):
    """The columns of the trace; of length 0 if not wanted."""

    mu_before: Floats
    sigma_before: Floats
    mu: Floats
    sigma: Floats
    expected: Floats
    """The expected scores of both players."""


class Work(NamedTuple):
    """Work space for one match; the first row of each array belongs to the first player."""

    belief: Floats
    """The beliefs before the match, padded with zeros to whole panels."""
    likelihood: Floats
    posterior: Floats
    """The beliefs after the match, before division by their totals."""
    nodes: Floats
    kernel: Floats
    line: Floats
    taps: Floats


@kernel
def rate_matches(
    ev: EventColumns,
    columns: LuckColumns,
    grid: Grid,
    tables: Floats,
    half: Floats,
    outside: bool,
    work: Work,
    trace: Shown,
) -> None:
    """Rate matches of two players in order, in place.

    `tables` holds by venue what `sum_panels` wants, `half` the interpolation of a panel. Venues are: no home
    side, the first player at home, the second; or only one, where home means nothing.
    """
    offsets, held = ev.offsets, ev.held
    posterior, taps, line = work.posterior, work.taps, work.line
    known, reach = -1.0, 0
    for e in range(len(offsets) - 1):
        theta, weight, venue = open_match(e, ev, columns, grid, work, trace)
        table = tables[min(venue, len(tables) - 1)]
        surprise = 0.0
        # The chance of a win, by which a surprise is measured, is not what the likelihood of a draw tells.
        asking = grid.adapt > 0.0 or len(trace.expected) > 0
        before = 1 if asking and 0.0 < theta < 1.0 else 0
        for step in range(before + 1):
            asked = theta if step == before else 1.0
            find_likelihoods(asked, table, half, outside, work)
            if asking and step == 0:
                chance = mean_of(work.belief[0], work.likelihood[0])
                chance = chance if asked == 1.0 else 1.0 - chance
                surprise = squared_surprise(theta, chance)
                note_expected(chance, offsets[e], trace)
        weigh(weight, grid, work)
        for s in range(2):
            row = offsets[e] + s
            if is_held(held, row):
                continue
            factor = growth_factor(ev.player[row], columns, grid, surprise)
            if factor != known or grid.per_day > 0.0:  # absence has other taps
                known = factor
                reach = fill_normal_taps(grid.growth_shares, grid.growth, factor, grid.direct, taps)
            spread(posterior[s], taps, reach, grid.each, line, posterior[s])
        close_match(e, ev, columns, grid, work, trace)


@kernel
def find_likelihoods(theta: float, table: Floats, half: Floats, outside: bool, work: Work) -> None:
    """Fill the likelihoods of both players for a score of `theta` of the first."""
    belief, likelihood, _, nodes, entries, _, _ = work
    split = outside and 0.0 < theta < 1.0  # powers of two means instead of the mean of a product
    lost = np.empty_like(likelihood) if split else likelihood
    for step in range(2 if split else 1):
        if theta == 0.5 and not split:
            entries = table[DRAW]
        elif theta == 1.0 or (split and step == 1):
            entries = table[WIN]
        elif theta == 0.0 or split:
            entries = table[LOSE]
        else:
            find_kernel(theta, table, entries)
        sum_panels(entries, half, belief, nodes, likelihood)
        if split:
            for s in range(2):
                for i in range(likelihood.shape[1]):
                    if step == 0:
                        lost[s, i] = likelihood[s, i] ** (1.0 - theta)
                    else:
                        likelihood[s, i] = likelihood[s, i] ** theta * lost[s, i]


@kernel
def open_match(
    e: int, ev: EventColumns, columns: LuckColumns, grid: Grid, work: Work, trace: Shown
) -> tuple[float, float, int]:
    """Find the beliefs of both players before the match; returns the first one's score, weight and venue."""
    player, home, lo = ev.player, ev.home, ev.offsets[e]
    for s in range(2):
        find_belief(player[lo + s], ev.time[e], columns, grid, work.line, work.taps, work.belief[s])
        if len(trace.mu_before) > 0:
            trace.mu_before[lo + s], trace.sigma_before[lo + s] = shown(work.belief[s], grid)
    venue = 0
    if len(home) > 0 and home[e] >= 0:
        venue = 1 if home[e] == player[lo] else 2 if home[e] == player[lo + 1] else 0
    return score_between(ev.rank, ev.share, lo, lo + 1), event_weight(ev.weight, e), venue


@kernel
def find_belief(
    player: int, time: int, columns: LuckColumns, grid: Grid, line: Floats, taps: Floats, out: Floats
) -> None:
    """A player's belief at a time, widened by the days away."""
    row = grid.prior if columns.unknown[player] else columns.mass[player]
    n = grid.points
    days = days_between(columns.last_time[player], time) if grid.per_day > 0.0 else 0.0
    if days > 0.0:
        one = np.ones(1)
        reach = fill_normal_taps(one, one, grid.per_day * math.sqrt(days), grid.direct, taps)
        spread(row, taps, reach, grid.each, line, out[:n])
        normalise(out[:n], out)
    else:
        for i in range(n):
            out[i] = row[i]


@kernel
def weigh(weight: float, grid: Grid, work: Work) -> None:
    """The posteriors of both players, before division by their totals.

    Evidence that is impossible whatever the strengths changes nothing.
    """
    belief, likelihood, posterior = work.belief, work.likelihood, work.posterior
    for s in range(2):
        if weight != 1.0:
            _to_power(weight, belief[s], likelihood[s])
        total = _multiply(belief[s], likelihood[s], posterior[s])
        if not total > 1e-100:  # nothing is left, or hardly anything
            for i in range(grid.points):
                posterior[s, i] = posterior[s, i] / total if total > 0.0 else belief[s, i]


@kernel
def _to_power(weight: float, belief: Floats, likelihood: Floats) -> None:
    """A likelihood to the power of the event's weight, at most 1 where the belief has mass."""
    top = 0.0
    for i in range(len(belief)):
        if belief[i] > 0.0:
            top = max(top, likelihood[i])
    if top > 0.0:
        for i in range(len(belief)):
            likelihood[i] = (min(max(likelihood[i], 0.0), top) / top) ** weight


@interpreted_as(array_sums.multiply)
@summing
def _multiply(belief: Floats, likelihood: Floats, out: Floats) -> float:
    total = 0.0
    for i in range(len(out)):
        product = belief[i] * max(likelihood[i], 0.0)  # rounding may leave less than nothing
        out[i] = product
        total += product
    return total


@interpreted_as(array_sums.mean_of)
@summing
def mean_of(belief: Floats, values: Floats) -> float:
    """Σ ρᵢ vᵢ: the mean of values under a belief."""
    total = 0.0
    for i in range(len(belief)):
        total += belief[i] * values[i]
    return total


@kernel
def squared_surprise(theta: float, expected: float) -> float:
    """The squared difference of score and expectation, in units of the variance of a win or loss."""
    return (theta - expected) ** 2 / max(expected * (1.0 - expected), LEAST_VARIANCE)


@kernel
def note_expected(chance: float, row: int, trace: Shown) -> None:
    """Store the expected scores of both players in the trace, if it has room."""
    if len(trace.expected) > 0:
        trace.expected[row] = min(max(chance, 0.0), 1.0)
        trace.expected[row + 1] = 1.0 - trace.expected[row]


@kernel
def growth_factor(player: int, columns: LuckColumns, grid: Grid, surprise: float) -> float:
    """The factor on a player's growth: above 1 for newcomers and for players with surprising results."""
    factor = grid.newcomer_growth if columns.events[player] < grid.newcomer_events else 1.0
    if grid.adapt > 0.0:
        columns.surprise[player] += grid.adapt * (surprise - columns.surprise[player])
        factor *= min(max(math.sqrt(columns.surprise[player]), LEAST_GROWTH), MOST_GROWTH)
    return factor


@kernel
def close_match(e: int, ev: EventColumns, columns: LuckColumns, grid: Grid, work: Work, trace: Shown) -> None:
    """Store the new beliefs of both players, and fill the trace."""
    lo, time = ev.offsets[e], ev.time[e]
    for s in range(2):
        p = ev.player[lo + s]
        held = is_held(ev.held, lo + s)
        if not held:
            normalise(work.posterior[s], columns.mass[p])
            columns.unknown[p] = False
            columns.events[p] += 1
            if time != NO_TIME:
                columns.last_time[p] = time
        if len(trace.mu) > 0:
            trace.mu[lo + s], trace.sigma[lo + s] = trace.mu_before[lo + s], trace.sigma_before[lo + s]
            if not held:
                trace.mu[lo + s], trace.sigma[lo + s] = shown(columns.mass[p], grid)


@interpreted_as(array_sums.normalise)
@summing
def normalise(row: Floats, out: Floats) -> None:
    """Divide masses by their sum."""
    total = 0.0
    for i in range(len(row)):
        total += row[i]
    factor = 1.0 / total
    for i in range(len(row)):
        share = row[i] * factor
        out[i] = share if share > LEAST_MASS else 0.0


@interpreted_as(array_sums.moments)
@summing
def _moments(row: Floats, points: int) -> tuple[float, float]:
    """Mean and variance in cells, the mean from the middle."""
    middle = 0.5 * (points - 1)
    mean = 0.0
    for i in range(points):
        mean += (i - middle) * row[i]
    variance = 0.0
    for i in range(points):
        away = i - middle - mean
        variance += away * away * row[i]
    return mean, variance


@kernel
def shown(row: Floats, grid: Grid) -> tuple[float, float]:
    """Mean and deviation in rating points; the deviation is never below what the grid can resolve."""
    mean, variance = _moments(row, grid.points)
    return grid.middle + mean * grid.cell, grid.cell * math.sqrt(max(variance, 1.0 / 12.0))


@kernel
def view_beliefs(
    players: Longs,
    at: int,
    columns: LuckColumns,
    grid: Grid,
    line: Floats,
    taps: Floats,
    mu: Floats,
    sigma: Floats,
) -> None:
    """Mean and deviation of players at a time."""
    belief = np.zeros(grid.points)
    for i in range(len(players)):
        find_belief(players[i], at, columns, grid, line, taps, belief)
        mu[i], sigma[i] = shown(belief, grid)


@kernel
def expect_scores(
    pairs: Longs,
    venue: Longs,
    at: int,
    columns: LuckColumns,
    grid: Grid,
    tables: Floats,
    half: Floats,
    work: Work,
    out: Floats,
) -> None:
    """The expected score of the first of each pair against the second, over both beliefs (Model 2.1)."""
    for i in range(len(pairs)):
        for s in range(2):
            find_belief(pairs[i, s], at, columns, grid, work.line, work.taps, work.belief[s])
        table = tables[min(venue[i], len(tables) - 1)]
        find_likelihoods(1.0, table, half, False, work)
        out[i] = min(max(mean_of(work.belief[0], work.likelihood[0]), 0.0), 1.0)
