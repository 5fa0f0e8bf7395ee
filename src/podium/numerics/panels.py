"""Sums over everybody in a contest, tabulated on panels.

F(x) = Σⱼ wⱼ σ((x − μⱼ)/sⱼ), with σ the logistic function, is one smooth function for a whole contest. Its
nearest singularities lie π sⱼ away from the real line. So on panels of half-width h min sⱼ a polynomial
through n Chebyshev nodes has an error like (π/h + √(π²/h² + 1))^−n: about 2e-13 with h = 3 and n = 32.
Narrower panels would need more nodes in all, and wider ones lose digits in the tails.

A panel holds F as *base + deviation*: everybody whose μ lies left of its centre counts in full in the base,
and the deviation is what that is wrong by. In the tails and between far clusters F is nearly constant, and
what matters there, the deviation, keeps its digits. The base is summed in twice the precision: where it
cancels against another sum of the same weights, nothing is left.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.compiler_hints import SUMS_AT_ONCE, opaque
from podium.numerics.exponential import exp, to_bits
from podium.numerics.jit import formula, kernel

PANEL_NODES = 32
NODE_QUADS = PANEL_NODES // 4
"""Nodes come in pairs ±t, and pairs two by two: one division serves four nodes."""
PANEL_SCALES = 3.0
"""The half-width of a panel, in smallest scales."""
KNOWN_STEEPNESSES = 32
"""Exponentials of nodes are kept for so many scales: often many players have the same, as it follows from the
number of events they played."""
CERTAIN_SCALES = 40.0
"""Beyond this number of scales a result is certain: e^−40 vanishes beside 1 in double precision."""
MOST_PANELS = 100_000
"""A field spread over more panels than this is summed directly: hardly anybody is near to anybody."""
FLAT_SLOPE_PART = 1e-8
"""Where less than this part of a sum changes over a scale, its last digits decide: it is solved directly."""
LAST_NEWTON_STEP = 2e-5
"""A Newton step below this many scales, corrected for the curvature, leaves an error of its cube."""

CELLS_PER_PANEL, CELL_NODES = 24, 8
"""Whoever looks at neighbouring places of a panel again and again divides it into cells: in one of these a
polynomial through so few nodes is as exact."""
_CELL_NODE = (0.9807852804032304, 0.8314696123025452, 0.5555702330196022, 0.19509032201612825)
"""Chebyshev nodes, written out as kernels on disk are found by their constants; those below 0 follow."""


def _cell_powers() -> Floats:
    """For each node of a cell, the coefficients of the polynomial that is 1 there and 0 at all others."""
    node = np.array([*_CELL_NODE, *(-t for t in _CELL_NODE)])
    here, before = np.ones(CELL_NODES), node  # T₀ and T₋₁ at the nodes
    power, power_before = np.eye(CELL_NODES)[0], np.eye(CELL_NODES)[1]  # and their coefficients
    powers = np.zeros((CELL_NODES, CELL_NODES))
    for k in range(CELL_NODES):
        powers += np.outer(here, power) * (1.0 if k == 0 else 2.0) / CELL_NODES
        here, before = 2.0 * node * here - before, here
        power, power_before = 2.0 * np.append(0.0, power[:-1]) - power_before, power
    return powers


_CELL_POWERS = _cell_powers()


@kernel
def tabulate(
    mu: Floats, scale: Floats, weight: Floats, centre: Floats, half: float
) -> tuple[Floats, Floats, Floats]:
    """Base (high and low part) and Chebyshev coefficients of the deviation, of panels with ascending centres.

    `half` is the half-width of all panels, at most `PANEL_SCALES` of the smallest scale.
    """
    high, low = np.empty(len(centre)), np.empty(len(centre))
    tabulate_bases(mu, weight, centre, high, low)
    coefficients = np.empty((len(centre), PANEL_NODES))
    tabulate_deviations(mu, scale, weight, centre, half, 0, len(centre), coefficients)
    return high, low, coefficients


@kernel
def tabulate_bases(mu: Floats, weight: Floats, centre: Floats, high: Floats, low: Floats) -> None:
    """Fill the weight of everybody left of each panel's centre, in twice the precision."""
    panels = len(centre)
    for p in range(panels):
        high[p], low[p] = 0.0, 0.0
    for j in range(len(mu) if panels > 0 else 0):
        left = count_below(centre, mu[j])
        if left < panels:
            high[left], low[left] = add_exactly(high[left], low[left], weight[j])
    for p in range(1, panels):
        high[p], low[p] = add_exactly(high[p], low[p] + low[p - 1], high[p - 1])


@kernel
def tabulate_deviations(
    mu: Floats,
    scale: Floats,
    weight: Floats,
    centre: Floats,
    half: float,
    begin: int,
    end: int,
    coefficients: Floats,
) -> None:
    """Fill the coefficients of the panels from `begin` to `end`, which depend on no other panel."""
    if begin == end:  # so it is in every contest of a few players
        return
    pairs, quads, eight = opaque(PANEL_NODES // 2), opaque(NODE_QUADS), opaque(SUMS_AT_ONCE)
    cosine, node = _cosines(), np.empty(pairs)
    for k in range(pairs):
        node[k] = -half * cosine[2 * k + 1]
    up, down = np.empty((KNOWN_STEEPNESSES, pairs)), np.empty((KNOWN_STEEPNESSES, pairs))
    known = np.empty(KNOWN_STEEPNESSES)
    for k in range(KNOWN_STEEPNESSES):
        known[k] = 0.0
    # Exponentials of eight panels at a time, also where fewer are left: odd ends of loops are slow.
    room = (end - begin + SUMS_AT_ONCE - 1) // SUMS_AT_ONCE * SUMS_AT_ONCE
    place, odds = np.empty(room), np.empty(room)
    for p in range(room):
        place[p] = centre[min(begin + p, end - 1)]
    values = np.empty((end - begin, PANEL_NODES))
    for p in range(end - begin):
        for k in range(PANEL_NODES):
            values[p, k] = 0.0
    own = centre[begin:end]
    for j in range(len(mu)):
        m, w, steepness = mu[j], weight[j], 1.0 / scale[j]
        reach = CERTAIN_SCALES * scale[j] + half
        # Mostly all panels are within reach, which is quicker to see than to search.
        first = 0 if own[0] >= m - reach else count_below(own, m - reach)
        left = count_below(own, m)
        last = len(own) if own[-1] < m + reach else count_below(own, m + reach)
        bits = to_bits(steepness)
        slot = (bits ^ bits >> 15 ^ bits >> 30) % KNOWN_STEEPNESSES
        if steepness != known[slot]:
            known[slot] = steepness
            for k in range(pairs):
                up[slot, k] = exp(node[k] * steepness)
                down[slot, k] = 1.0 / up[slot, k]
        for p in range(first // SUMS_AT_ONCE * SUMS_AT_ONCE, last, SUMS_AT_ONCE):
            for k in range(eight):
                odds[p + k] = exp((m - place[p + k]) * steepness)
        for p in range(first, left):  # panels left of the player, who is hardly ever beaten there
            e = odds[p]
            for k in range(quads):
                a, b = 1.0 + e * up[slot, k], 1.0 + e * down[slot, k]
                c, d = 1.0 + e * up[slot, k + NODE_QUADS], 1.0 + e * down[slot, k + NODE_QUADS]
                ab, cd = a * b, c * d
                both = w / (ab * cd)
                share, other = both * cd, both * ab
                values[p, k] += share * b
                values[p, k + NODE_QUADS] += other * d
                values[p, k + 2 * NODE_QUADS] += share * a
                values[p, k + 3 * NODE_QUADS] += other * c
        for p in range(left, last):  # panels right of the player, who counts as beaten
            e = odds[p]
            for k in range(quads):
                lost_a, lost_b = e * up[slot, k], e * down[slot, k]
                lost_c, lost_d = e * up[slot, k + NODE_QUADS], e * down[slot, k + NODE_QUADS]
                a, b, c, d = 1.0 + lost_a, 1.0 + lost_b, 1.0 + lost_c, 1.0 + lost_d
                ab, cd = a * b, c * d
                both = w / (ab * cd)
                share, other = both * cd, both * ab
                values[p, k] -= share * b * lost_a
                values[p, k + NODE_QUADS] -= other * d * lost_c
                values[p, k + 2 * NODE_QUADS] -= share * a * lost_b
                values[p, k + 3 * NODE_QUADS] -= other * c * lost_d
    _chebyshev(values, cosine, coefficients[begin:end])


@kernel
def _cosines() -> Floats:
    """cos(πk/2n) for a whole turn, with n the number of nodes."""
    cosine = np.empty(4 * PANEL_NODES)
    for k in range(PANEL_NODES + 1):
        c = math.cos(math.pi * k / (2 * PANEL_NODES))
        cosine[k], cosine[2 * PANEL_NODES - k] = c, -c
        if k > 0:
            cosine[4 * PANEL_NODES - k], cosine[2 * PANEL_NODES + k] = c, -c
    return cosine


@kernel
def _chebyshev(values: Floats, cosine: Floats, coefficients: Floats) -> None:
    """From values at the nodes, which come in two halves of opposite sign, to coefficients."""
    basis = np.empty((PANEL_NODES, PANEL_NODES))
    for i in range(PANEL_NODES // 2):
        for k in range(PANEL_NODES):
            t = cosine[k * (2 * i + 1) % (4 * PANEL_NODES)] * (1.0 if k == 0 else 2.0) / PANEL_NODES
            basis[i, k] = t
            basis[i + PANEL_NODES // 2, k] = t if k % 2 == 0 else -t
    for p in range(len(values)):
        for k in range(PANEL_NODES):
            coefficients[p, k] = 0.0
        for i in range(PANEL_NODES):
            value = values[p, i]
            for k in range(PANEL_NODES):
                coefficients[p, k] += basis[i, k] * value


@formula
def chebyshev_sum(coefficients: Floats, p: int, t: float) -> tuple[float, float]:
    """The series of a panel and its derivative at −1 ≤ t ≤ 1.

    Clenshaw's scheme for even and odd terms apart, both of which are series in u = T₂(t): half as many steps
    wait for each other. What each waits for, b₁ and d₁ of the step before, goes into one product and sum.
    """
    twice = 4.0 * t * t - 2.0
    b1, b2, d1, d2, o1, o2, q1, q2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(PANEL_NODES - 2, 0, -2):
        q1, q2 = twice * q1 + (2.0 * o1 - q2), q1
        o1, o2 = twice * o1 + (coefficients[p, k + 1] - o2), o1
        d1, d2 = twice * d1 + (2.0 * b1 - d2), d1
        b1, b2 = twice * b1 + (coefficients[p, k] - b2), b1
    q1, q2 = twice * q1 + (2.0 * o1 - q2), q1
    o1, o2 = twice * o1 + (coefficients[p, 1] - o2), o1
    u, odd = 0.5 * twice, o1 - o2
    even_slope, odd_slope = u * d1 + (b1 - d2), q1 - q2
    value = u * b1 + (coefficients[p, 0] - b2) + t * odd
    return value, 4.0 * t * (even_slope + t * odd_slope) + odd


@kernel
def fill_cell(coefficients: Floats, cell: int, curve: Floats) -> None:
    """Fill the coefficients of a cell's polynomial in −1 ≤ t ≤ 1; cells count from the first panel on."""
    p, place = cell // CELLS_PER_PANEL, cell % CELLS_PER_PANEL
    middle = (2.0 * place + 1.0) / CELLS_PER_PANEL - 1.0
    for k in range(CELL_NODES):
        curve[k] = 0.0
    for i in range(CELL_NODES):
        node = _CELL_NODE[i % len(_CELL_NODE)] * (1.0 if i < len(_CELL_NODE) else -1.0)
        value, _ = chebyshev_sum(coefficients, p, middle + node / CELLS_PER_PANEL)
        for k in range(CELL_NODES):
            curve[k] += _CELL_POWERS[i, k] * value


@formula
def curve_at(curve: Floats, t: float) -> tuple[float, float, float, float]:
    """The first four coefficients of a cell's polynomial around t."""
    value, first, second, third = 0.0, 0.0, 0.0, 0.0
    for k in range(CELL_NODES - 1, -1, -1):
        third = third * t + second
        second = second * t + first
        first = first * t + value
        value = value * t + curve[k]
    return value, first, second, third


@formula
def series_zero(value: float, first: float, second: float, third: float) -> float:
    """The zero near 0 of value + first t + second t² + third t³, to an error of the order t⁴."""
    newton, a, b = -value / first, second / first, third / first
    return newton / (1.0 + newton * (a + newton * (b - a * a)))


@kernel
def add_exactly(high: float, low: float, x: float) -> tuple[float, float]:
    """high + low + x in twice the precision (Knuth's two-sum)."""
    total = high + x
    part = total - high
    return total, low + ((high - (total - part)) + (x - part))


@kernel
def count_below(ascending: Floats, value: float) -> int:
    """The number of sorted values that are below `value`."""
    low, size = 0, len(ascending)
    while size > 0:  # as many steps for any value: the processor need not guess where a search ends
        half = (size + 1) // 2
        low += half if ascending[low + half - 1] < value else 0
        size -= half
    return low
