"""Sides of an event from best to worst, and where ties begin."""

from __future__ import annotations

from podium.history.core import Ints, Longs
from podium.numerics.jit import kernel
from podium.numerics.performances import best_first


@kernel
def order_sides(rank: Ints, first: Ints, sides: int, order: Longs, starts: Longs) -> int:
    """Fill the order of sides by rank and where each tie begins in it, then an end; the number of ties."""
    moves = 0
    for i in range(sides):  # by insertion if they are few or nearly sorted, else by counting
        k = i
        while k > 0 and rank[first[order[k - 1]]] > rank[first[i]]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
        moves += i - k
        if moves > 8 * sides + 64:
            order[:sides] = best_first(rank[first[:sides]])
            break
    ties = 0
    for k in range(sides):
        if k == 0 or rank[first[order[k]]] != rank[first[order[k - 1]]]:
            starts[ties] = k
            ties += 1
    starts[ties] = sides
    return ties
