"""Chances of every place in a free-for-all, from independent performances.

Given player i's performance x, everyone else is above x or not independently of each other, so the number of
those above has a Poisson-binomial distribution; integrating over x gives the chance of each place. One
distribution per quadrature node holds everybody, and each player's own factor is divided out again; both stay
within the window where the count can be. Ties of performances have no mass.

The whole costs nodes × n × window, where nodes and window both grow like √n. The error is below 1e-10 in any
place's chance; tests compare it with closed forms, with a twin, and with itself on finer panels. Only where
scales differ by more than a million can rounding exceed that: it is of the order of 1e-16 times their ratio.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.free_for_all.counts import NO_CHANCE, add_chances, reach
from podium.numerics.free_for_all.noise import FAMILIES, chances_above, densities
from podium.numerics.free_for_all.quadrature import closed_up, panels
from podium.numerics.jit import kernel
from podium.numerics.threads import in_threads

PLAYERS_AT_ONCE = 64
"""Players whose rows are worked on together: they fit the processor's cache, and its vectors are full."""
NODES_PER_JOB = 32
"""Nodes a thread does at a time."""


@kernel
def _count_above(
    family: int, location: Floats, scale: Floats, nodes: Floats, pmf: Floats, window: Longs
) -> None:
    """The distribution of how many are above each node: a row, from one count to before another."""
    n = len(location)
    z, chances = np.empty(n), np.empty(n)
    work, spare = np.empty(n + 2), np.empty(n + 2)
    for node in range(len(nodes)):
        for j in range(n):
            z[j] = (nodes[node] - location[j]) / scale[j]
        chances_above(family, z, chances)
        sure = 0
        for j in range(n):
            if 1.0 - chances[j] < NO_CHANCE:
                sure += 1
                chances[j] = 0.0
        work[0] = 1.0
        low, high = add_chances(chances, work, spare, min(n, 1), 0.0, 0.0)
        for k in range(low, high):
            pmf[node, k - low] = work[k]
        window[node, 0], window[node, 1] = low + sure, high + sure


@kernel
def _divide_out(
    family: int, location: Floats, scale: Floats, lines: tuple[Floats, Floats, Floats, Longs], out: Floats
) -> None:
    """Add up the rows of some players over all nodes: ``out[k, i]`` is the chance of k others above i.

    Dividing by (1 − p) + p·z is a recurrence that is stable from the lower end where p < ½ and from the upper
    one elsewhere; players are the inner loop, because each step waits for the one before.
    """
    nodes, weights, pmf, window = lines
    n = len(location)
    z, p, mass = np.empty(n), np.empty(n), np.empty(n)
    carry, factor, back = np.empty(n), np.empty(n), np.empty(n)
    for node in range(len(nodes)):
        low, high = window[node, 0], window[node, 1]
        for i in range(n):
            z[i] = (nodes[node] - location[i]) / scale[i]
        chances_above(family, z, p)
        densities(family, z, mass)
        for upper in range(2):
            total = 0.0
            for i in range(n):
                mine = (p[i] >= 0.5) == (upper == 1)
                share = weights[node] * mass[i] / scale[i] if mine else 0.0
                near = 1.0 / max(p[i], 1.0 - p[i])
                factor[i], back[i] = share * near, min(p[i], 1.0 - p[i]) * near
                carry[i] = 0.0
                total += share
            if total < NO_CHANCE:
                continue
            # What is carried is the chance times the share, which is the same for all counts.
            for step in range(high - low):
                k = high - 1 - step if upper == 1 else low + step
                value = pmf[node, k - low]
                place = k - 1 if upper == 1 else k
                if place < 0 or place >= len(out):
                    continue
                row = out[place]
                for i in range(n):
                    carry[i] = value * factor[i] - back[i] * carry[i]
                    row[i] += carry[i]


def rank_probabilities(family: str, location: Floats, scale: Floats) -> Floats:
    """The probability that player i has rank k + 1, in row i and column k.

    >>> rank_probabilities("gumbel", np.zeros(2), np.ones(2)).round(12).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    number, n = FAMILIES[family], len(location)
    location, first, last = closed_up(number, location, scale)
    points, weights = panels(number, location, scale, first, last)
    nodes = points.ravel()
    pmf = np.empty((len(nodes), min(n + 1, 2 * math.ceil(reach(n / 4)) + 4)))
    window = np.empty((len(nodes), 2), np.int64)
    edges = [*range(0, len(nodes), NODES_PER_JOB), len(nodes)]
    in_threads(
        _count_above,
        [(number, location, scale, nodes[a:b], pmf[a:b], window[a:b]) for a, b in pairwise(edges)],
    )
    # Neighbours meet the same nodes, and from the same end.
    order = np.argsort(location, kind="stable")
    location, scale = location[order], scale[order]
    lines = (nodes, weights.ravel(), pmf, window)
    edges = [*range(0, n, PLAYERS_AT_ONCE), n]
    blocks = [np.zeros((n, b - a)) for a, b in pairwise(edges)]
    in_threads(
        _divide_out,
        [
            (number, location[a:b], scale[a:b], lines, out)
            for (a, b), out in zip(pairwise(edges), blocks, strict=True)
        ],
    )
    out = np.empty((n, n))
    out[order] = np.maximum(np.concatenate([block.T for block in blocks]), 0.0)
    out /= out.sum(axis=1, keepdims=True)
    return out
