"""Edges from both of their ends: a graph by its nodes, for kernels that go from neighbour to neighbour."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.jit import kernel


@kernel
def both_ends(
    nodes: int, first: Longs, second: Longs, value: Floats, above: float
) -> tuple[Longs, Longs, Floats]:
    """Edges whose value is above this one: where each node's begin and end, with whom, and their values."""
    offsets = np.zeros(nodes + 1, np.int64)
    for e in range(len(first)):
        if value[e] > above:
            offsets[first[e] + 1] += 1
            offsets[second[e] + 1] += 1
    for i in range(nodes):
        offsets[i + 1] += offsets[i]
    place = offsets[:-1].copy()
    other, kept = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.float64)
    for e in range(len(first)):
        if value[e] > above:
            i, j = first[e], second[e]
            here, there = place[i], place[j]
            place[i], place[j] = here + 1, there + 1
            other[here], kept[here] = j, value[e]
            other[there], kept[there] = i, value[e]
    return offsets, other, kept
