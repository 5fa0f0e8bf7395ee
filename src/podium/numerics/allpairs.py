"""All pairs of a large contest in time linear in its size.

What everyone expects against everyone else, F(x) = Σⱼ gⱼ σ(gⱼ(x − xⱼ)) with σ the logistic function, is one
smooth function of x for the whole contest. Its nearest singularities lie at imaginary distance π/gⱼ ≥ π, so
on panels of half-width 1 a polynomial through 18 Chebyshev nodes is exact to about 1e-14 of the sum (the
error falls like (π + √(π² + 1))^−n). Tabulate F where players are, then read off each player's sum and its
derivative Σ gⱼ² σ(1 − σ), which is the information of Glicko.
"""

from __future__ import annotations

import math

import numpy as np

from podium.history.core import Floats, Longs
from podium.numerics.jit import kernel

MANY = 256
"""Contests of more sides than this are tabulated; below, going through all pairs is as fast."""

NODES = 18
SATURATED = 40.0
"""Beyond this σ is 0 or 1 to double precision."""


@kernel
def expected_sums(x: Floats, g: Floats, total: Floats, slope: Floats) -> None:
    """Fill Σⱼ gⱼ σ(gⱼ(xᵢ − xⱼ)) and Σⱼ gⱼ² σ(1 − σ), oneself included; 0 < g ≤ 1."""
    n = len(x)
    order = sorted_order(x)
    panel_of = np.empty(n, np.int64)
    centre = np.empty(n)
    panels = 0
    for position in range(n):
        i = order[position]
        if panels == 0 or x[i] > centre[panels - 1] + 1.0:
            centre[panels] = x[i] + 1.0  # a panel starts at the first player it has to serve
            panels += 1
        panel_of[i] = panels - 1
    centre = centre[:panels]
    values = _tabulate(x, g, centre)
    basis = np.empty((NODES, NODES))  # from values at the nodes to Chebyshev coefficients
    for k in range(NODES):
        for node in range(NODES):
            basis[k, node] = math.cos(math.pi * k * (node + 0.5) / NODES) * (1.0 if k == 0 else 2.0) / NODES
    coefficients = np.zeros((panels, NODES))
    for p in range(panels):
        for k in range(NODES):
            for node in range(NODES):
                coefficients[p, k] += basis[k, node] * values[p, node]
    for i in range(n):
        p = panel_of[i]
        total[i], slope[i] = _clenshaw(coefficients[p], x[i] - centre[p])


@kernel
def _tabulate(x: Floats, g: Floats, centre: Floats) -> Floats:
    """F at the nodes of every panel."""
    panels = len(centre)
    node = np.empty(NODES)
    for k in range(NODES):
        node[k] = math.cos(math.pi * (k + 0.5) / NODES)
    values = np.zeros((panels, NODES))
    certain = np.zeros(panels + 1)  # from which panel on a player is beaten for certain
    factor = np.empty(NODES)
    for j in range(len(x)):
        reach = SATURATED / g[j] + 1.0
        first = _count_below(centre, x[j] - reach)
        last = _count_below(centre, x[j] + reach)
        certain[last] += g[j]
        for k in range(NODES):
            factor[k] = math.exp(-g[j] * node[k])
        for p in range(first, last):
            e = math.exp(-g[j] * (centre[p] - x[j]))
            for k in range(NODES):
                values[p, k] += g[j] / (1.0 + e * factor[k])
    beaten = 0.0
    for p in range(panels):
        beaten += certain[p]
        for k in range(NODES):
            values[p, k] += beaten
    return values


@kernel
def _clenshaw(c: Floats, t: float) -> tuple[float, float]:
    """A Chebyshev series and its derivative."""
    b1, b2, d1, d2 = 0.0, 0.0, 0.0, 0.0
    for k in range(NODES - 1, 0, -1):
        d1, d2 = 2.0 * t * d1 - d2 + 2.0 * b1, d1
        b1, b2 = 2.0 * t * b1 - b2 + c[k], b1
    return t * b1 - b2 + c[0], b1 + t * d1 - d2


@kernel
def score_sums(rank: Floats, g: Floats, total: Floats) -> None:
    """Fill Σⱼ gⱼ sᵢⱼ, where s is 1 against the worse, ½ against equals and oneself, 0 against the better."""
    n = len(rank)
    order = sorted_order(rank)
    worse = 0.0
    for j in range(n):
        worse += g[j]
    start = 0
    while start < n:
        stop = start
        level = 0.0
        while stop < n and rank[order[stop]] == rank[order[start]]:
            level += g[order[stop]]
            stop += 1
        worse -= level
        for position in range(start, stop):
            total[order[position]] = worse + 0.5 * level
        start = stop


@kernel
def sorted_order(keys: Floats) -> Longs:
    """The stable order that sorts keys: a merge sort, which compiles in a tenth of the time of NumPy's."""
    n = len(keys)
    order, spare = np.empty(n, np.int64), np.empty(n, np.int64)
    key, spare_key = keys.copy(), np.empty(n)
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or key[i] <= key[j]):
                    spare[k], spare_key[k] = order[i], key[i]
                    i += 1
                else:
                    spare[k], spare_key[k] = order[j], key[j]
                    j += 1
        order, spare = spare, order
        key, spare_key = spare_key, key
        width *= 2
    return order


@kernel
def _count_below(ascending: Floats, value: float) -> int:
    """How many of the sorted numbers are below a value."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
