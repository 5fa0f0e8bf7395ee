"""The chance of everybody to be among the first k, in a field of any size.

It is ∫ fᵢ(x) P(fewer than k others are above x) dx. The count of those above x is far below k or far above it
except on a short stretch, for all players the same: left of it nobody is among the first k, right of it
everybody is, and only the stretch needs quadrature. With few chances between none and one at a node, their
count is added up exactly; with many, its distribution comes from power sums of the chances. Everybody's own
chance is taken out of the count again.

The error is below 1e-10: tests compare it with the whole matrix, and with closed forms for large fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from podium.arrays import Bools, Floats
from podium.numerics.free_for_all.counts import (
    NO_CHANCE,
    POWERS,
    RARE_CHANCE,
    add_chances,
    count_rare,
    cumulate_many,
    power_sums,
    reach,
)
from podium.numerics.free_for_all.noise import FAMILIES, chances_above, densities
from podium.numerics.free_for_all.quadrature import closed_up, moments, panels
from podium.numerics.jit import kernel
from podium.numerics.threads import in_threads

SMOOTH_FROM_VARIANCE = 100.0
"""A count of more variance than this is distributed so smoothly that twelve differences tell all of it."""
DIFFERENCES = 12
COUNTS_PER_SIDE = 240
"""Counts on either side of k that are kept where the variance is lower; there are no more."""
PLAYERS_PER_JOB = 4096
"""Players a thread does at a time."""
NODES_PER_JOB = 4
"""Nodes a thread does at a time: a quarter of a panel."""
_CERTAIN_LOG = -34.0  # e^−34 = 2e-15


@kernel
def _count_near(
    family: int, location: Floats, scale: Floats, k: int, nodes: Floats, rows: Floats, many: Bools
) -> None:
    """Fill, for each node, what `_integrate` needs about the number of players above it.

    Where the variance is large: the differences, of order 0 to 12, of the distribution function C of the
    count, backward from k − 1 and forward from k. Elsewhere: C itself, from k − 1 − 240 to k − 1 + 240.
    """
    n = len(location)
    z, p, part = np.empty(n), np.empty(n), np.empty(n)
    pmf, spare = np.empty(n + COUNTS_PER_SIDE), np.empty(n + COUNTS_PER_SIDE)
    powers = np.empty((2, POWERS))
    cdf = np.empty(2 * DIFFERENCES + 2)
    for node in range(len(nodes)):
        for j in range(n):
            z[j] = (nodes[node] - location[j]) / scale[j]
        chances_above(family, z, p)
        mean, variance, highs = 0.0, 0.0, 0.0
        for j in range(n):
            mean += p[j]
            variance += p[j] * (1.0 - p[j])
            highs += 1.0 if p[j] > 0.5 else 0.0
        row = rows[node]
        many[node] = variance > SMOOTH_FROM_VARIANCE
        if many[node]:
            for half in range(2):
                for j in range(n):
                    chance = p[j] if half == 0 else 1.0 - p[j]
                    part[j] = chance if (p[j] > 0.5) == (half == 1) else 0.0
                power_sums(part, powers[half])
            cumulate_many(powers[0], powers[1], highs, mean, variance, cdf, k - 1 - DIFFERENCES)
            _differences(cdf, row)
            continue
        # If most are above, count those who are not.
        below = mean > 0.5 * n
        if below:
            for j in range(n):
                p[j] = 1.0 - p[j]
        sure, middling, mean, variance = 0, 0, 0.0, 0.0
        for j in range(n):
            part[j] = 0.0
            if p[j] <= RARE_CHANCE:
                part[j] = p[j] / (1.0 - p[j])
                mean += p[j]
                variance += p[j] * (1.0 - p[j])
            elif 1.0 - p[j] < NO_CHANCE:
                sure += 1
            else:
                p[middling] = p[j]
                middling += 1
        power_sums(part, powers[0])
        high = min(n, math.ceil(mean + reach(variance))) + 1
        count_rare(powers[0], pmf[:high])
        low, high = add_chances(p[:middling], pmf, spare, high, mean, variance)
        for c in range(low + 1, high):
            pmf[c] += pmf[c - 1]
        for i in range(2 * COUNTS_PER_SIDE + 1):
            m = k - 1 - COUNTS_PER_SIDE + i
            c = (n - 1 - m if below else m) - sure
            chance = 0.0 if c < low else 1.0 if c >= high else pmf[c]
            row[i] = 1.0 - chance if below else chance


@kernel
def _differences(cdf: Floats, row: Floats) -> None:
    """Differences of C(k − 13), … C(k + 12): backward from k − 1, then forward from k."""
    for r in range(DIFFERENCES + 1):
        row[r], row[DIFFERENCES + 1 + r] = cdf[DIFFERENCES], cdf[DIFFERENCES + 1]
        for i in range(DIFFERENCES, r, -1):
            cdf[i] -= cdf[i - 1]
        for i in range(DIFFERENCES + 1, 2 * DIFFERENCES + 1 - r):
            cdf[i] = cdf[i + 1] - cdf[i]


@kernel
def _others(p: float, row: Floats, many: bool) -> float:
    """P(fewer than k others are above), from the count of all players and one's own probability p.

    With O of the others and C of everybody, C(m) = (1 − p) O(m) + p O(m − 1); solved from the end where it
    is stable.
    """
    q, value = 1.0 - p, 0.0
    if many:
        if p <= 0.5:
            for r in range(DIFFERENCES, -1, -1):
                value = row[r] + p * value
        else:
            for r in range(2 * DIFFERENCES + 1, DIFFERENCES, -1):
                value = row[r] - q * value
        return float(min(max(value, 0.0), 1.0))
    # What it starts from is forgotten by a factor a step.
    factor, left, steps = min(p, q) / max(p, q), 1.0, 0
    while left > 1e-17 and steps < COUNTS_PER_SIDE:
        left *= factor
        steps += 1
    if p <= 0.5:
        value = row[COUNTS_PER_SIDE - steps]
        for m in range(COUNTS_PER_SIDE - steps + 1, COUNTS_PER_SIDE + 1):
            value = (row[m] - p * value) / q
    else:
        value = row[COUNTS_PER_SIDE + steps]
        for m in range(COUNTS_PER_SIDE + steps, COUNTS_PER_SIDE, -1):
            value = (row[m] - q * value) / p
    return float(min(max(value, 0.0), 1.0))


@kernel
def _integrate(
    family: int,
    location: Floats,
    scale: Floats,
    last: float,
    lines: tuple[Floats, Floats, Floats, Bools],
    out: Floats,
) -> None:
    """Fill the chance of each player: above `last`, or within the stretch and with fewer than k above."""
    nodes, weights, rows, many = lines
    n = len(location)
    z, p, density = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        z[i] = (last - location[i]) / scale[i]
    chances_above(family, z, out)
    for node in range(len(nodes)):
        row, smooth, weight = rows[node], many[node], weights[node]
        for i in range(n):
            z[i] = (nodes[node] - location[i]) / scale[i]
        chances_above(family, z, p)
        densities(family, z, density)
        for i in range(n):
            mass = weight * density[i] / scale[i]
            if mass > NO_CHANCE:
                out[i] += mass * _others(p[i], row, smooth)


def top_chances(family: str, location: Floats, scale: Floats, k: int) -> Floats:
    """The probability of each player to have rank k or better.

    >>> top_chances("gumbel", np.log([2.0, 1.0, 1.0]), np.ones(3), 1).round(12).tolist()
    [0.5, 0.25, 0.25]
    """
    number, n = FAMILIES[family], len(location)
    if k >= n:
        return np.ones(n)
    location, *ends = closed_up(number, location, scale)
    first, last = _stretch(number, location, scale, k, *ends)
    points, weights = panels(number, location, scale, first, last)
    nodes = points.ravel()
    rows, many = np.empty((len(nodes), 2 * COUNTS_PER_SIDE + 1)), np.empty(len(nodes), np.bool_)
    in_threads(
        _count_near,
        [
            (number, location, scale, k, nodes[a:b], rows[a:b], many[a:b])
            for a, b in pairwise(range(0, len(nodes) + 1, NODES_PER_JOB))
        ],
    )
    lines, out = (nodes, weights.ravel(), rows, many), np.empty(n)
    edges = [*range(0, n, PLAYERS_PER_JOB), n]
    in_threads(
        _integrate,
        [(number, location[a:b], scale[a:b], last, lines, out[a:b]) for a, b in pairwise(edges)],
    )
    return np.minimum(out, 1.0)


def _stretch(
    family: int, location: Floats, scale: Floats, k: int, start: float, end: float
) -> tuple[float, float]:
    """Before its first point at least k others are above, for certain, and after its last one fewer."""
    work, spread = (np.empty(len(location)), np.empty(len(location))), float(np.median(scale))

    def halve(low: float, high: float, is_before: Callable[[float, float], bool]) -> tuple[float, float]:
        """Bisect for the point where a condition stops holding, to the precision needed."""
        for _ in range(60):
            x = 0.5 * (low + high)
            mean, variance, rate = moments(family, x, location, scale, *work)
            low, high = (x, high) if is_before(mean, variance) else (low, x)
            if (high - low) * max(rate, 1.0 / spread) < (variance + 1.0) ** 0.5:
                break
        return low, high

    first, _ = halve(
        start, end, lambda mean, variance: _log_tail(mean, variance, k, below=True) < _CERTAIN_LOG
    )
    _, last = halve(
        first, end, lambda mean, variance: _log_tail(mean, variance, k, below=False) > _CERTAIN_LOG
    )
    return first, last


def _log_tail(mean: float, variance: float, k: int, *, below: bool) -> float:
    """A bound of log P(count ≤ k) where `below`, else of log P(count ≥ k): Chernoff's or Bernstein's."""
    distance = mean - k if below else k - mean
    if distance <= 0.0:
        return 0.0
    chernoff = k - mean + k * math.log(max(mean, 1e-300) / k)
    return min(chernoff, -(distance**2) / (2.0 * variance + 2.0 * distance / 3.0))
