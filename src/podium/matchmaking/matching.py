"""The best pairs of a graph: as much weight as possible, nobody in two pairs.

>>> matching = best_matching(4, [0, 1, 2], [1, 2, 3], [5.0, 8.0, 5.0], effort="exact")
>>> matching.partner.tolist(), matching.weight
([1, 0, 3, 2], 10.0)
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import InputError, ParameterError
from podium.history.core import Floats, Longs
from podium.matchmaking.greedy import match_greedily
from podium.numerics.jit import kernel

Effort = Literal["exact", "near", "quick"]
EFFORTS: tuple[Effort, ...] = ("exact", "near", "quick")


class Matching(NamedTuple):
    """Who is paired with whom."""

    partner: Longs
    """Of each player; −1 where there is none."""
    weight: float
    """Of all pairs together."""
    bound: float
    """No matching of the graph weighs more."""


class Neighbours(NamedTuple):
    """A graph by its players: those next to player i are `other[offsets[i]:offsets[i + 1]]`."""

    offsets: Longs
    other: Longs
    edge: Longs
    """The number of each of these edges."""
    weight: Floats


def best_matching(
    players: int, first: ArrayLike, second: ArrayLike, weight: ArrayLike, *, effort: Effort = "near"
) -> Matching:
    """Pair players, numbered from 0, along edges between `first` and `second`.

    Edges that weigh nothing or less are never used.
    """
    if effort not in EFFORTS:
        raise ParameterError(f"an effort of {effort!r}", hint="one of " + ", ".join(map(repr, EFFORTS)))
    a, b, w = np.asarray(first, np.int64), np.asarray(second, np.int64), np.asarray(weight, np.float64)
    if not a.shape == b.shape == w.shape or a.ndim != 1:
        raise InputError(f"edges from {a.size} players to {b.size}, with {w.size} weights")
    if len(a) and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= players or np.any(a == b)):
        raise InputError(f"edges are between two of the players 0 to {players - 1}")
    if not np.isfinite(w).all():
        raise InputError("weights are finite numbers")
    graph = Neighbours(*_neighbours(players, a, b, w))
    partner, bound = match_greedily(*graph)
    return Matching(partner, _weigh(partner, *graph), bound)


@kernel
def _neighbours(
    players: int, first: Longs, second: Longs, weight: Floats
) -> tuple[Longs, Longs, Longs, Floats]:
    """Edges of positive weight, from both of their ends."""
    offsets = np.zeros(players + 1, np.int64)
    for e in range(len(first)):
        if weight[e] > 0.0:
            offsets[first[e] + 1] += 1
            offsets[second[e] + 1] += 1
    for i in range(players):
        offsets[i + 1] += offsets[i]
    place = offsets[:-1].copy()
    other, edge = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    heavy = np.empty(offsets[-1], np.float64)
    for e in range(len(first)):
        if weight[e] > 0.0:
            i, j = first[e], second[e]
            other[place[i]], edge[place[i]], heavy[place[i]] = j, e, weight[e]
            other[place[j]], edge[place[j]], heavy[place[j]] = i, e, weight[e]
            place[i] += 1
            place[j] += 1
    return offsets, other, edge, heavy


@kernel
def _weigh(partner: Longs, offsets: Longs, other: Longs, edge: Longs, weight: Floats) -> float:
    """What all pairs weigh; of several edges between two, the heaviest counts."""
    total = 0.0
    for i in range(len(partner)):
        if partner[i] > i:
            best = 0.0
            for k in range(offsets[i], offsets[i + 1]):
                if other[k] == partner[i]:
                    best = max(best, weight[k])
            total += best
    return total
