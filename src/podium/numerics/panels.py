"""Sums over everybody in a contest, tabulated on panels.

F(x) = Σⱼ wⱼ σ((x − μⱼ)/sⱼ), with σ the logistic function, is one smooth function for a whole contest. Its
nearest singularities lie π sⱼ away from the real line, so on panels of half-width min sⱼ a polynomial through
16 Chebyshev nodes is exact to about 1e-13 (the error falls like (π + √(π² + 1))^−n).

A panel holds F as *base + deviation*: everybody whose μ lies left of its centre counts in full in the base,
and the deviation is what that is wrong by. In the tails and between far clusters F is nearly constant, and
what matters there, the deviation, keeps its digits. The base is summed in twice the precision: where it
cancels against another sum of the same weights, nothing is left.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.compiler_hints import opaque
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel

PANEL_NODES = 16
CERTAIN_SCALES = 40.0
"""Beyond this number of scales a result is certain: e^−40 vanishes beside 1 in double precision."""
MOST_PANELS = 250_000
"""A field spread over more panels than this is summed directly: hardly anybody is near to anybody."""
FLAT_SLOPE_PART = 1e-8
"""Where less than this part of a sum changes over a scale, its last digits decide: it is solved directly."""
LAST_NEWTON_STEP = 2e-5
"""A Newton step below this many scales, corrected for the curvature, leaves an error of its cube."""


@kernel
def tabulate(
    mu: Floats, scale: Floats, weight: Floats, centre: Floats, half: float
) -> tuple[Floats, Floats, Floats]:
    """Base (high and low part) and Chebyshev coefficients of the deviation, of panels with ascending centres.

    `half` is the half-width of all panels, at most the smallest scale.
    """
    high, low = tabulate_bases(mu, weight, centre)
    coefficients = np.empty((len(centre), PANEL_NODES))
    tabulate_deviations(mu, scale, weight, centre, half, 0, len(centre), coefficients)
    return high, low, coefficients


@kernel
def tabulate_bases(mu: Floats, weight: Floats, centre: Floats) -> tuple[Floats, Floats]:
    """The weight of everybody left of each panel's centre, in twice the precision."""
    panels = len(centre)
    high, low = np.empty(panels + 1), np.empty(panels + 1)
    for p in range(panels + 1):
        high[p], low[p] = 0.0, 0.0
    for j in range(len(mu) if panels > 0 else 0):
        left = count_below(centre, mu[j])
        high[left], low[left] = add_exactly(high[left], low[left], weight[j])
    for p in range(1, panels + 1):
        high[p], low[p] = add_exactly(high[p], low[p] + low[p - 1], high[p - 1])
    return high[:panels], low[:panels]


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
    # Nodes come in pairs ±t, and the exponentials of a pair are inverse: one division serves two nodes.
    pairs = opaque(PANEL_NODES // 2)
    node = np.empty(pairs)
    for k in range(pairs):
        node[k] = half * math.cos(math.pi * (k + 0.5) / PANEL_NODES)
    up, down = np.empty(pairs), np.empty(pairs)
    odds = np.empty(end - begin)
    values = np.empty((end - begin, PANEL_NODES))
    for p in range(end - begin):
        for k in range(PANEL_NODES):
            values[p, k] = 0.0
    own = centre[begin:end]
    known = math.nan  # the steepness to which `up` and `down` belong
    for j in range(len(mu) if end > begin else 0):
        m, w, steepness = mu[j], weight[j], 1.0 / scale[j]
        reach = CERTAIN_SCALES * scale[j] + half
        # Mostly all panels are within reach, which is quicker to see than to search.
        first = 0 if own[0] >= m - reach else count_below(own, m - reach)
        left = count_below(own, m)
        last = len(own) if own[-1] < m + reach else count_below(own, m + reach)
        if steepness != known:
            known = steepness
            for k in range(pairs):
                up[k] = exp(-node[k] * steepness)
                down[k] = 1.0 / up[k]
        for p in range(first, last):
            odds[p] = exp((m - own[p]) * steepness)
        for p in range(first, left):  # panels left of the player, who is hardly ever beaten there
            e = odds[p]
            for k in range(pairs):
                a, b = 1.0 + e * up[k], 1.0 + e * down[k]
                share = w / (a * b)
                values[p, k] += share * b
                values[p, k + pairs] += share * a
        for p in range(left, last):  # panels right of the player, who counts as beaten
            e = odds[p]
            for k in range(pairs):
                lost_up, lost_down = e * up[k], e * down[k]
                a, b = 1.0 + lost_up, 1.0 + lost_down
                share = w / (a * b)
                values[p, k] -= share * b * lost_up
                values[p, k + pairs] -= share * a * lost_down
    _chebyshev(values, coefficients[begin:end])


@kernel
def _chebyshev(values: Floats, coefficients: Floats) -> None:
    """From values at the nodes, which come in two halves of opposite sign, to coefficients."""
    if len(values) == 0:  # so it is in every contest of a few players
        return
    basis = np.empty((PANEL_NODES, PANEL_NODES))
    for k in range(PANEL_NODES):
        for i in range(PANEL_NODES // 2):
            t = math.cos(math.pi * k * (i + 0.5) / PANEL_NODES) * (1.0 if k == 0 else 2.0) / PANEL_NODES
            basis[k, i] = t
            basis[k, i + PANEL_NODES // 2] = t if k % 2 == 0 else -t
    for p in range(len(values)):
        for k in range(PANEL_NODES):
            total = 0.0
            for i in range(PANEL_NODES):
                total += basis[k, i] * values[p, i]
            coefficients[p, k] = total


@formula
def chebyshev_sum(coefficients: Floats, p: int, t: float) -> tuple[float, float]:
    """The series of a panel and its derivative at −1 ≤ t ≤ 1 (Clenshaw's scheme).

    What each step waits for, b₁ and d₁ of the step before, goes into one product and sum.
    """
    twice, b1, b2, d1, d2 = 2.0 * t, 0.0, 0.0, 0.0, 0.0
    for k in range(PANEL_NODES - 1, 0, -1):
        d1, d2 = twice * d1 + (2.0 * b1 - d2), d1
        b1, b2 = twice * b1 + (coefficients[p, k] - b2), b1
    return t * b1 + (coefficients[p, 0] - b2), t * d1 + (b1 - d2)


@kernel
def add_exactly(high: float, low: float, x: float) -> tuple[float, float]:
    """high + low + x in twice the precision (Knuth's two-sum)."""
    total = high + x
    part = total - high
    return total, low + ((high - (total - part)) + (x - part))


@kernel
def count_below(ascending: Floats, value: float) -> int:
    """The number of sorted values that are below `value`."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
