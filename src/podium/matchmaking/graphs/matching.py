"""The best pairs of a graph: as much weight as possible, nobody in two pairs.

>>> matching = best_matching(4, [0, 1, 2], [1, 2, 3], [5.0, 8.0, 5.0], effort="exact")
>>> matching.partner.tolist(), matching.weight
([1, 0, 3, 2], 10.0)

Pairs in no time: the heaviest edge first, then small changes that gain.

Manne and Halappanavar's suitors (2014): everybody proposes to the best of those who have no better suitor
yet, and whoever is displaced proposes again. That is the matching one gets by taking edges from the heaviest
on, without sorting them. Then, a few times over, whoever is alone takes somebody's partner if that one finds
another, and two pairs change partners where both together gain.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats, Longs
from podium.errors import InputError, ParameterError
from podium.matchmaking.graphs.exact import match_by_prices
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


Effort = Literal["exact", "near", "quick"]
EFFORTS: tuple[Effort, ...] = ("exact", "near", "quick")

WEIGHT_BITS = 39
"""Of the heaviest weight in whole numbers; a million prices of twice that still add up."""
LABELS_EXACT, LABELS_NEAR = 2**62, 1280
"""How many nodes a search may label."""
PLAYERS_A_BLOCK = 16_384
"""Players whose part of the graph a processor holds at once."""
IMPROVING_ROUNDS = 4
"""How often small changes go through everybody."""


class Matching(NamedTuple):
    """The pairs of a graph, their weight, and an upper bound on it."""

    partner: Longs
    """The partner of each player; −1 for none."""
    weight: float
    """The total weight of all pairs."""
    bound: float
    """An upper bound: no matching of the graph weighs more."""


class Neighbours(NamedTuple):
    """A graph by its players: those next to player i are `other[offsets[i]:offsets[i + 1]]`."""

    offsets: Longs
    other: Longs
    weight: Floats


def best_matching(
    players: int, first: ArrayLike, second: ArrayLike, weight: ArrayLike, *, effort: Effort = "near"
) -> Matching:
    """Pair players, numbered from 0, along edges between `first` and `second`.

    Edges that weigh nothing or less are never used.
    """
    if effort not in EFFORTS:
        raise ParameterError(f"an effort of {effort!r}", hint="one of " + ", ".join(map(repr, EFFORTS)))
    a, b = np.ascontiguousarray(first, np.int64), np.ascontiguousarray(second, np.int64)
    w = np.ascontiguousarray(weight, np.float64)
    if not a.shape == b.shape == w.shape or a.ndim != 1:
        raise InputError(f"edges from {a.size} players to {b.size}, with {w.size} weights")
    if len(a) and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= players or np.any(a == b)):
        raise InputError(f"an edge must connect two of the players 0 to {players - 1}")
    if not np.isfinite(w).all():
        raise InputError("weights must be finite numbers")
    graph = Neighbours(*both_ends(players, a, b, w, 0.0))
    partner, bound = match_neighbours(graph, effort)
    return Matching(partner, _weigh(partner, *graph), bound)


def match_neighbours(graph: Neighbours, effort: Effort) -> tuple[Longs, float]:
    """The partner of each player of a graph whose weights are above 0, and the bound: see `Matching`."""
    if effort == "quick":
        return _quick(graph)
    place = _walk(graph.offsets, graph.other)
    partner, bound = _by_prices(
        Neighbours(*_renumbered(place, *graph)), LABELS_EXACT if effort == "exact" else LABELS_NEAR
    )
    found: Longs = np.append(np.argsort(place), -1)[partner][place]
    return found, bound


def _quick(graph: Neighbours) -> tuple[Longs, float]:
    """Greedily, then better by small changes."""
    heaviest = heaviest_edges(graph.offsets, graph.weight)
    partner = match_greedily(*graph)
    improve_pairs(partner, graph.offsets, graph.other, graph.weight, heaviest, 1)
    return partner, float(heaviest.sum()) / 2.0


def _by_prices(graph: Neighbours, most: int) -> tuple[Longs, float]:
    """By prices in whole numbers; whoever is alone where searches gave up is placed by small changes.

    Weights become even multiples of a power of two, at least 2³⁹ of them up to the heaviest. What rounding
    took from a pair at most is added to the bound for every pair there can be.
    """
    offsets, other, weight = graph
    players = len(offsets) - 1
    if len(weight) == 0:
        return np.full(players, -1, np.int64), 0.0
    shift = WEIGHT_BITS - math.frexp(weight.max())[1]
    steps = np.rint(np.ldexp(weight, shift))
    lost = float(np.max(weight - np.ldexp(steps, -shift)))
    # Searches in a random order, so that prices do not pile up; block by block, to stay near in memory.
    order = np.argsort(np.random.default_rng(0).random(players) + np.arange(players) // PLAYERS_A_BLOCK)
    partner, bound = match_by_prices(offsets, other, 2 * steps.astype(np.int64), order, most)
    if most < LABELS_EXACT:
        improve_pairs(partner, offsets, other, weight, heaviest_edges(offsets, weight), IMPROVING_ROUNDS)
    return partner, math.ldexp(bound, -shift - 1) + max(lost, 0.0) * (players // 2)


@kernel
def _walk(offsets: Longs, other: Longs) -> Longs:
    """The place of each player in a walk from neighbour to neighbour, the nearest first.

    With these numbers neighbours in the graph are near each other in memory.
    """
    players = len(offsets) - 1
    place, queue = np.full(players, -1, np.int64), np.empty(players, np.int64)
    done, seen = 0, 0
    for start in range(players):
        if place[start] < 0:
            place[start], queue[seen] = seen, start
            seen += 1
        while done < seen:
            i = queue[done]
            done += 1
            for k in range(offsets[i], offsets[i + 1]):
                j = other[k]
                if place[j] < 0:
                    place[j], queue[seen] = seen, j
                    seen += 1
    return place


@kernel
def _renumbered(place: Longs, offsets: Longs, other: Longs, weight: Floats) -> tuple[Longs, Longs, Floats]:
    """The graph in which every player has the number of its place."""
    begin = np.zeros(len(offsets), np.int64)
    for i in range(len(place)):
        begin[place[i] + 1] = offsets[i + 1] - offsets[i]
    for i in range(len(place)):
        begin[i + 1] += begin[i]
    moved, moved_weight = np.empty(len(other), np.int64), np.empty(len(other))
    for i in range(len(place)):
        here = begin[place[i]] - offsets[i]
        for k in range(offsets[i], offsets[i + 1]):
            moved[here + k], moved_weight[here + k] = place[other[k]], weight[k]
    return begin, moved, moved_weight


@kernel
def _weigh(partner: Longs, offsets: Longs, other: Longs, weight: Floats) -> float:
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
