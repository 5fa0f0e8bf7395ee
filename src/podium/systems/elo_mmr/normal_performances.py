"""Phase one of Elo-MMχ: performances in a contest where they are normal.

With h the hazard of the normal distribution and zⱼ = (x − μⱼ)/δⱼ, the performance of i is the zero of

    Qᵢ(x) = Σ_{better} −h(zⱼ)/δⱼ + Σ_{worse} h(−zⱼ)/δⱼ + Σ_{tied} −zⱼ/δⱼ          (Theorem 3.2)

Wins and losses are different functions here, so no single table serves everybody. Performances fall from
the best to the worst (Theorem 5.2): go down the standings with the two sums tabulated on the *current* panel
only, moving everybody from the worse to the better as they are passed, and step to the next panel below where
a zero leaves this one. Each panel costs a pass over everybody; there are a dozen or two.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats, Ints
from podium.numerics.compiler_hints import opaque
from podium.numerics.jit import kernel
from podium.numerics.normal import hazard
from podium.numerics.ordering import best_first
from podium.numerics.panels import LAST_NEWTON_STEP, PANEL_NODES
from podium.systems.elo_mmr.logistic_performances import DIRECT_UP_TO, WHOLE_TIES


@kernel
def gaussian_performances(mu: Floats, delta: Floats, rank: Ints, ties: int, out: Floats) -> None:
    """Fill each row's performance in one contest; ties count whole, or half, then also with oneself."""
    n = len(mu)
    order = best_first(rank)
    m, d = np.empty(n), np.empty(n)
    lowest, highest, widest, narrowest = math.inf, -math.inf, 0.0, math.inf
    for k in range(n):
        m[k], d[k] = mu[order[k]], delta[order[k]]
        lowest, highest = min(lowest, m[k]), max(highest, m[k])
        widest, narrowest = max(widest, d[k]), min(narrowest, d[k])
    # Above everyone by so much, all wins together weigh less than a tie with oneself.
    margin = widest * (3.0 + math.sqrt(2.0 * math.log(n * widest / narrowest)))
    lowest, highest = lowest - margin, highest + margin
    half = narrowest  # of a panel: the hazard is smooth up to 2.8 δ away from the real line
    nodes = opaque(PANEL_NODES)
    node, barycentric, values = (
        np.empty(PANEL_NODES),
        np.empty(PANEL_NODES),
        np.empty(PANEL_NODES),
    )
    for k in range(PANEL_NODES):
        angle = math.pi * (k + 0.5) / PANEL_NODES
        node[k] = half * math.cos(angle)
        barycentric[k] = math.sin(angle) * (1.0 if k % 2 == 0 else -1.0)
    centre = math.inf  # no panel yet
    x = 0.5 * (lowest + highest)
    start = 0
    while start < n:
        stop = start
        while stop < n and rank[order[stop]] == rank[order[start]]:
            stop += 1
        if n <= DIRECT_UP_TO:
            x = _solve_directly(x, m, d, start, stop, ties, lowest, highest)
        else:
            if centre < math.inf:
                _add(values, node, centre, m, d, start, stop, -1.0, -1.0, nodes)  # no longer worse
            found = centre < math.inf
            if found:
                x, found = _solve(x, values, node, barycentric, centre, half, m, d, start, stop, ties)
            adjacent = centre < math.inf
            while not found:
                if adjacent:
                    centre -= 2.0 * half
                else:  # far below, or the first: find it without a panel
                    x = _solve_directly(x, m, d, start, stop, ties, lowest, highest)
                    centre = x - 0.9 * half
                for k in range(PANEL_NODES):
                    values[k] = 0.0
                _add(values, node, centre, m, d, 0, start, 1.0, -1.0, nodes)
                _add(values, node, centre, m, d, stop, n, -1.0, 1.0, nodes)
                x, found = _solve(x, values, node, barycentric, centre, half, m, d, start, stop, ties)
                found = found or not adjacent
                adjacent = False
            _add(values, node, centre, m, d, start, stop, 1.0, -1.0, nodes)  # now among the better
        for k in range(start, stop):
            out[order[k]] = x
        start = stop


@kernel
def _add(
    values: Floats,
    node: Floats,
    centre: float,
    m: Floats,
    d: Floats,
    start: int,
    stop: int,
    side: float,
    sign: float,
    nodes: int,
) -> None:
    """Add sign · h(side · z)/δ of these players at every node."""
    for j in range(start, stop):
        steepness = side / d[j]
        shift, weight = (centre - m[j]) * steepness, sign / d[j]
        for k in range(nodes):
            values[k] += weight * hazard(shift + node[k] * steepness)


@kernel
def _solve(
    x: float,
    values: Floats,
    node: Floats,
    barycentric: Floats,
    centre: float,
    half: float,
    m: Floats,
    d: Floats,
    start: int,
    stop: int,
    ties: int,
) -> tuple[float, bool]:
    """The zero of a tie group's Q on the current panel, and whether it is there: below, it may not be."""
    low, high = centre - half, centre + half
    known = False  # whether the zero is above the panel's lower edge
    x = min(max(x, low), high)
    for _ in range(100):
        surplus, slope = _surplus(x, values, node, barycentric, centre, m, d, start, stop, ties)
        if surplus > 0.0:
            low, known = x, True
        else:
            high = x
        step = surplus / slope if slope > 0.0 else math.inf
        if not known and not x + step > low:
            if x == low:
                return x, False
            x = low
            continue
        if abs(step) < 0.2 * LAST_NEWTON_STEP * half or not low < high:
            return x + step, True
        x = x + step if low < x + step < high else 0.5 * (low + high)
    return x, True


@kernel
def _surplus(
    x: float,
    values: Floats,
    node: Floats,
    barycentric: Floats,
    centre: float,
    m: Floats,
    d: Floats,
    start: int,
    stop: int,
    ties: int,
) -> tuple[float, float]:
    """Q and −Q' of a tie group: the panel's sums by the barycentric formula, plus the group's own terms."""
    t = x - centre
    total, weights = 0.0, 0.0
    for k in range(PANEL_NODES):
        if t == node[k]:
            t += 1e-12 * node[0]
    for k in range(PANEL_NODES):
        w = barycentric[k] / (t - node[k])
        total += w * values[k]
        weights += w
    value = total / weights
    rate = 0.0
    for k in range(PANEL_NODES):
        inverse = 1.0 / (t - node[k])
        rate += barycentric[k] * inverse * inverse * (value - values[k])
    own, own_slope = _own_part(x, m, d, start, stop, ties)
    return value + own, own_slope - rate / weights


@kernel
def _own_part(x: float, m: Floats, d: Floats, start: int, stop: int, ties: int) -> tuple[float, float]:
    """The terms of a tie, and minus their derivative."""
    value, slope = 0.0, 0.0
    for j in range(start, stop):
        z = (x - m[j]) / d[j]
        if ties == WHOLE_TIES:
            value -= z / d[j]
            slope += 1.0 / (d[j] * d[j])
        else:
            lost, won = hazard(z), hazard(-z)
            value += 0.5 * (won - lost) / d[j]
            slope += 0.5 * (lost * (lost - z) + won * (won + z)) / (d[j] * d[j])
    return value, slope


@kernel
def _solve_directly(
    x: float, m: Floats, d: Floats, start: int, stop: int, ties: int, low: float, high: float
) -> float:
    """The zero of a tie group's Q by going through everybody."""
    before = high - low
    for _ in range(200):
        surplus, slope = _own_part(x, m, d, start, stop, ties)
        for j in range(len(m)):
            if start <= j < stop:
                continue
            side = 1.0 if j < start else -1.0
            z = side * (x - m[j]) / d[j]
            h = hazard(z)
            surplus -= side * h / d[j]
            slope += h * (h - z) / (d[j] * d[j])
        if surplus > 0.0:
            low = x
        else:
            high = x
        step = surplus / slope if slope > 0.0 else math.inf
        if abs(step) <= 1e-15 * abs(x) or abs(step) < 1e-12 or not low < high:
            return x + step
        if low < x + step < high and abs(step) < 0.5 * before:
            before, x = abs(step), x + step
        else:
            before, x = high - low, 0.5 * (low + high)
    return x
