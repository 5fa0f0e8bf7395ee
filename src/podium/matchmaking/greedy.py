"""Pairs in no time: the heaviest edge first.

Manne and Halappanavar's suitors: everybody proposes to the best of those who have no better suitor yet, and
whoever is displaced proposes again. That is the matching one gets by taking edges from the heaviest on,
without sorting them.
"""

from __future__ import annotations

import numpy as np

from podium.history.core import Floats, Longs
from podium.numerics.jit import kernel


@kernel
def match_greedily(offsets: Longs, other: Longs, edge: Longs, weight: Floats) -> tuple[Longs, float]:
    """Partners, and a bound of the weight of all matchings."""
    players = len(offsets) - 1
    suitor = np.full(players, -1, np.int64)
    courted = np.zeros(players)
    through = np.full(players, -1, np.int64)
    bound = 0.0
    for start in range(players):
        i = start
        while i >= 0:
            best, best_weight, best_edge = -1, 0.0, -1
            for k in range(offsets[i], offsets[i + 1]):
                j, w, e = other[k], weight[k], edge[k]
                if (w > best_weight or (w == best_weight and e > best_edge)) and (
                    w > courted[j] or (w == courted[j] and e > through[j])
                ):
                    best, best_weight, best_edge = j, w, e
            if best < 0:
                break
            displaced = suitor[best]
            suitor[best], courted[best], through[best] = i, best_weight, best_edge
            i = displaced
        heaviest = 0.0
        for k in range(offsets[start], offsets[start + 1]):
            heaviest = max(heaviest, weight[k])
        bound += heaviest / 2.0
    return suitor, bound
