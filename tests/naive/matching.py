"""The best matching of a small graph, by trying everything."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache


def best_weight(players: int, edges: Sequence[tuple[int, int, float]]) -> float:
    """The greatest weight of a matching: the first player left is alone, or with one of the others left."""
    between = {}
    for i, j, weight in edges:
        pair = (min(i, j), max(i, j))
        between[pair] = max(weight, between.get(pair, 0.0))

    @cache
    def best(left: int) -> float:
        """Of the players whose bits are set."""
        if not left:
            return 0.0
        i = (left & -left).bit_length() - 1
        rest = left & ~(1 << i)
        found = best(rest)
        for j in range(i + 1, players):
            if rest >> j & 1 and between.get((i, j), 0.0) > 0.0:
                found = max(found, between[i, j] + best(rest & ~(1 << j)))
        return found

    return best((1 << players) - 1)
