"""Pairs in no time: the heaviest edge first, then small changes that gain.

Manne and Halappanavar's suitors (2014): everybody proposes to the best of those who have no better suitor
yet, and whoever is displaced proposes again. That is the matching one gets by taking edges from the heaviest
on, without sorting them. Then, a few times over, whoever is alone takes somebody's partner if that one finds
another, and two pairs change partners where both together gain.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.jit import kernel


@kernel
def match_greedily(offsets: Longs, other: Longs, weight: Floats) -> Longs:
    """Partners; of edges that weigh the same, that of the players with the lowest numbers goes first."""
    players = len(offsets) - 1
    suitor, courted = np.full(players, -1, np.int64), np.zeros(players)
    for start in range(players):
        i = start
        while i >= 0:
            best, best_weight = -1, 0.0
            for k in range(offsets[i], offsets[i + 1]):
                j, w = other[k], weight[k]
                if w < best_weight or w < courted[j]:
                    continue
                if w == best_weight and best >= 0 and _goes_first(i, best, i, j):
                    continue
                if w == courted[j] and (suitor[j] == i or _goes_first(suitor[j], j, i, j)):
                    continue
                best, best_weight = j, w
            if best < 0:
                break
            i, suitor[best], courted[best] = suitor[best], i, best_weight
    for i in range(players):
        if suitor[i] >= 0 and suitor[suitor[i]] != i:
            suitor[i] = -1
    return suitor


@kernel
def _goes_first(a: int, b: int, c: int, d: int) -> bool:
    """Whether, of two edges that weigh the same, the first one counts."""
    low, lower = min(a, b), min(c, d)
    return low < lower or (low == lower and max(a, b) <= max(c, d))


@kernel
def improve_pairs(
    partner: Longs, offsets: Longs, other: Longs, weight: Floats, heaviest: Floats, rounds: int
) -> None:
    """Change partners, in place, if that gains weight; at most `rounds` rounds."""
    players = len(partner)
    held = np.zeros(players)
    for i in range(players):
        if partner[i] >= 0:
            held[i] = _between(offsets, other, weight, i, partner[i])
    for _ in range(rounds):
        changes = 0
        for i in range(players):
            if partner[i] < 0:
                changes += _place(partner, held, offsets, other, weight, i)
            else:
                changes += _exchange(partner, held, offsets, other, weight, heaviest, i)
        if changes == 0:
            break


@kernel
def heaviest_edges(offsets: Longs, weight: Floats) -> Floats:
    """The weight of each player's heaviest edge; half their sum bounds any matching."""
    heaviest = np.zeros(len(offsets) - 1)
    for i in range(len(heaviest)):
        for k in range(offsets[i], offsets[i + 1]):
            heaviest[i] = max(heaviest[i], weight[k])
    return heaviest


@kernel
def _between(offsets: Longs, other: Longs, weight: Floats, i: int, j: int) -> float:
    """The heaviest edge between two; 0 where there is none."""
    found = 0.0
    for k in range(offsets[i], offsets[i + 1]):
        if other[k] == j:
            found = max(found, weight[k])
    return found


@kernel
def _place(partner: Longs, held: Floats, offsets: Longs, other: Longs, weight: Floats, i: int) -> int:
    """Find somebody alone a partner, whose own may go to somebody else who is alone."""
    best, taken, to, taken_weight, to_weight = 0.0, -1, -1, 0.0, 0.0
    for k in range(offsets[i], offsets[i + 1]):
        j = other[k]
        left = partner[j]
        gain, free, free_weight = weight[k] - held[j], -1, 0.0
        if left >= 0:
            for m in range(offsets[left], offsets[left + 1]):
                if partner[other[m]] < 0 and other[m] != i and weight[m] > free_weight:
                    free, free_weight = other[m], weight[m]
        if gain + free_weight > best:
            best, taken, to, taken_weight, to_weight = gain + free_weight, j, free, weight[k], free_weight
    if taken < 0:
        return 0
    left = partner[taken]
    if left >= 0:
        partner[left], held[left] = to, to_weight
    if to >= 0:
        partner[to], held[to] = left, to_weight
    partner[i], partner[taken], held[i], held[taken] = taken, i, taken_weight, taken_weight
    return 1


@kernel
def _exchange(
    partner: Longs,
    held: Floats,
    offsets: Longs,
    other: Longs,
    weight: Floats,
    heaviest: Floats,
    i: int,
) -> int:
    """Pair somebody with one who holds as much or more, where the two left behind make that a gain."""
    mine, own = partner[i], held[i]
    most = heaviest[mine]
    if heaviest[i] + most <= 2.0 * own:
        return 0
    for k in range(offsets[i], offsets[i + 1]):
        j = other[k]
        before = own + held[j]
        if weight[k] + most <= before or held[j] < own or j == mine:  # what decides most often comes first
            continue
        theirs = partner[j]
        if weight[k] + heaviest[theirs] <= before:
            continue
        rest = _between(offsets, other, weight, mine, theirs)
        if weight[k] + rest > before * (1.0 + 1e-12):
            partner[i], partner[j], held[i], held[j] = j, i, weight[k], weight[k]
            partner[mine], partner[theirs] = (theirs, mine) if rest > 0.0 else (-1, -1)
            held[mine], held[theirs] = rest, rest
            return 1
    return 0
