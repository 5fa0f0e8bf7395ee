"""The cheapest way to pair entrants so that as few as possible are left over."""

from __future__ import annotations

from podium.arrays import Floats, Longs
from podium.matchmaking.graphs.matching import best_matching

Pair = tuple[int, int]


def cheapest_pairs(size: int, first: Longs, second: Longs, cost: Floats) -> tuple[list[Pair], list[int]]:
    """As many of the given pairs as possible, of these the cheapest set, and the entrants left over.

    An additional pair weighs more than all differences of cost together, so no entrant is left over to save
    cost.

    >>> import numpy as np
    >>> first, second = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3])
    >>> cheapest_pairs(4, first, second, np.array([5.0, 0.0, 0.0, 9.0]))
    ([(0, 2), (1, 3)], [])
    """
    if len(first) == 0:
        return [], list(range(size))
    above = cost - cost.min()
    weight = size / 2.0 + 1.0 - above / (float(above.max()) or 1.0)
    partner = best_matching(size, first, second, weight, effort="exact").partner.tolist()
    pairs = [(i, other) for i, other in enumerate(partner) if other > i]
    return pairs, [i for i, other in enumerate(partner) if other < 0]
