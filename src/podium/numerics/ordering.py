"""Rows and sides of events from best to worst: their order, their ties, their scores against the others."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Ints, Longs
from podium.numerics.allpairs import sorted_order
from podium.numerics.jit import kernel


@kernel
def best_first(rank: Ints) -> Longs:
    """The stable order of rows by rank; a counting sort unless ranks are much larger than their number."""
    n = len(rank)
    highest = 0
    for k in range(n):
        highest = max(highest, rank[k])
    order = np.empty(n, np.int64)
    if highest > 4 * n + 64:
        keys = np.empty(n)
        for k in range(n):
            keys[k] = rank[k]
        return sorted_order(keys)
    place = np.empty(highest + 2, np.int64)
    for r in range(highest + 2):
        place[r] = 0
    for k in range(n):
        place[rank[k] + 1] += 1
    for r in range(1, highest + 1):
        place[r + 1] += place[r]
    for k in range(n):
        order[place[rank[k]]] = k
        place[rank[k]] += 1
    return order


@kernel
def order_sides(rank: Ints, first: Ints, sides: int, order: Longs, starts: Longs) -> int:
    """Fill the order of sides by rank and the start of each tie, then the end; returns the number of ties."""
    moves = 0
    for i in range(sides):  # by insertion if they are few or nearly sorted, else by counting
        k = i
        while k > 0 and rank[first[order[k - 1]]] > rank[first[i]]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
        moves += i - k
        if moves > 8 * sides + 64:
            counted = best_first(rank[first[:sides]])
            for side in range(sides):  # Numba takes two seconds to compile an assignment of slices
                order[side] = counted[side]
            break
    ties = 0
    for k in range(sides):
        if k == 0 or rank[first[order[k]]] != rank[first[order[k - 1]]]:
            starts[ties] = k
            ties += 1
    starts[ties] = sides
    return ties


@kernel
def reached_places(rank: Ints) -> tuple[Longs, Longs]:
    """For each row, how many were better, and how many were not worse (the last place of its tie)."""
    n = len(rank)
    order = best_first(rank)
    better, upto = np.empty(n, np.int64), np.empty(n, np.int64)
    start = 0
    while start < n:
        stop = start
        while stop < n and rank[order[stop]] == rank[order[start]]:
            stop += 1
        for k in range(start, stop):
            better[order[k]], upto[order[k]] = start, stop
        start = stop
    return better, upto


@kernel
def place_sides(
    offsets: Longs, rank: Ints, share: Floats, better: Ints, score: Floats, order: Ints, tied: Floats
) -> None:
    """Fill the order of each event and its tied pairs, how many are before each side, and its mean score."""
    for e in range(len(offsets) - 1):
        tied[e] = 0.0
        lo, n = offsets[e], offsets[e + 1] - offsets[e]
        if n == 2:  # as most events are; without room for sorting it takes a tenth of the time
            first, second = int(rank[lo] > rank[lo + 1]), int(rank[lo + 1] > rank[lo])
            tied[e] = 1.0 - first - second
            order[lo], order[lo + 1] = first, 1 - first
            better[lo], better[lo + 1] = first, second
            for side, worse in ((lo, second - first), (lo + 1, first - second)):
                score[side] = 0.5 + 0.5 * worse
                if len(share) > 0 and not np.isnan(share[side]):
                    score[side] = share[side]
            continue
        place, by_place = np.empty(n), np.empty(n, np.int64)
        sorted_already = True
        for i in range(n):
            place[i], by_place[i] = rank[lo + i], i
            sorted_already = sorted_already and (i == 0 or place[i - 1] <= place[i])
        if not sorted_already:
            by_place = sorted_order(place)
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and place[by_place[stop]] == place[by_place[start]]:
                stop += 1
            tied[e] += 0.5 * (stop - start) * (stop - start - 1)
            for k in range(start, stop):
                side = lo + by_place[k]
                order[lo + k], better[side] = by_place[k], start
                score[side] = (n - stop + 0.5 * (stop - start - 1)) / (n - 1)
                if len(share) > 0 and not np.isnan(share[side]):
                    score[side] = share[side]
            start = stop
