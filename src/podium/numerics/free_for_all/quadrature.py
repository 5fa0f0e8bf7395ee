"""Where to look at a field of performances, so that sums over few points are integrals.

Everything about a free-for-all is an integral over a line x: of somebody's density times what the count of
those above x does. As functions of x, densities change over their players' scales, and the distribution of
the count over the time it takes its mean to move by a standard deviation. Panels of 16 Gaussian nodes follow
both, wherever they are: narrow ones where somebody narrow is or where a crowd passes, wide ones elsewhere.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.numerics.free_for_all.noise import MASS_BETWEEN, PANEL_WIDTH, chances_above, densities
from podium.numerics.jit import kernel

PANEL_NODES = 16
GAUSS = np.polynomial.legendre.leggauss(PANEL_NODES)
"""Nodes and weights on [−1, 1]: exact for polynomials of degree 31."""
DEVIATIONS_PER_PANEL = 5.0
"""Standard deviations by which the mean of a count may move over a panel."""
WIDTH_PER_DISTANCE = 0.5
"""A panel may be wider by so much of its distance from a player, whose tail is as smooth as it is far."""
_SAMPLE_SIZE = 10_000
"""Of a larger field every second, third, … is asked how fast the count changes."""
_MOST_PARTS = 8
"""A panel is divided into at most this number of parts at a time, so that parts can differ."""


@kernel
def moments(
    family: int, x: float, location: Floats, scale: Floats, z: Floats, work: Floats
) -> tuple[float, float, float]:
    """Mean and variance of the number of players above x, and the slope at which the mean falls."""
    n = len(location)
    for j in range(n):
        z[j] = (x - location[j]) / scale[j]
    chances_above(family, z[:n], work)
    mean, variance, rate = 0.0, 0.0, 0.0
    for j in range(n):
        mean += work[j]
        variance += work[j] * (1.0 - work[j])
    densities(family, z[:n], work)
    for j in range(n):
        rate += work[j] / scale[j]
    return mean, variance, rate


def closed_up(family: int, location: Floats, scale: Floats) -> tuple[Floats, float, float]:
    """Locations without the gaps that nobody's performance reaches, and the range of performances.

    Between far-apart clusters of players everything is certain: nothing but their order counts, and all
    digits are left for what happens inside of them. The narrowest, who needs most digits, is at 0.
    """
    low, high = MASS_BETWEEN[family]
    order = np.argsort(location + low * scale, kind="stable")
    there, spread = location[order], scale[order]
    ends = np.maximum.accumulate(there + high * spread)
    heads = np.r_[0, np.flatnonzero((there + low * spread)[1:] > ends[:-1]) + 1]
    sizes = np.diff(np.r_[heads, len(order)])
    there = there - np.repeat(there[heads], sizes)
    first = np.minimum.reduceat(there + low * spread, heads)
    widths = np.maximum.reduceat(there + high * spread, heads) - first
    stops = np.cumsum(widths)
    closed = np.empty(len(order))
    closed[order] = there + np.repeat(stops - widths - first, sizes)
    origin = closed[np.argmin(scale)]
    return closed - origin, float(-origin), float(stops[-1] - origin)


def panels(family: int, location: Floats, scale: Floats, first: float, last: float) -> tuple[Floats, Floats]:
    """Nodes and their weights from `first` to `last`; one row for each panel."""
    low, high = MASS_BETWEEN[family]
    start, stop = location + low * scale, location + high * scale
    everyone = np.argsort(location, kind="stable")
    done: list[tuple[float, float]] = []
    waiting = [(first, last, everyone)]
    while waiting:
        a, b, field = waiting.pop()
        field = field[(start[field] < b) & (stop[field] > a)]
        if not len(field):
            continue
        away = np.maximum(np.maximum(a - location[field], location[field] - b), 0.0)
        limit = float((PANEL_WIDTH[family] * scale[field] + WIDTH_PER_DISTANCE * away).min())
        some = field[:: len(field) // _SAMPLE_SIZE + 1]
        here, spread, share = location[some], scale[some], len(field) / len(some)
        z, work = np.empty(len(some)), np.empty(len(some))
        if b - a <= 64.0 * limit:  # else there is no doubt, and nobody need be asked
            for x in np.linspace(a, b, 5).tolist():
                _, variance, rate = moments(family, x, here, spread, z, work)
                limit = min(
                    limit, DEVIATIONS_PER_PANEL * (share * variance + 1.0) ** 0.5 / max(share * rate, 1e-300)
                )
        parts = int(min(np.ceil((b - a) / limit), _MOST_PARTS))
        edges = np.linspace(a, b, parts + 1).tolist()
        if parts == 1 or not edges[0] < edges[1]:
            done.append((a, b))
        else:
            waiting += [(u, v, field) for u, v in zip(edges[-2::-1], edges[:0:-1], strict=True)]
    edges = np.array(done).reshape(-1, 2)
    half = np.diff(edges, axis=1) / 2.0
    return edges.mean(axis=1, keepdims=True) + half * GAUSS[0], half * GAUSS[1]
