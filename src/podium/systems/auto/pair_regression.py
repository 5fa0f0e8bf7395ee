"""A logistic regression on all pairs of sides of contests, learned contest by contest: the kernels.

The chance that i is before j is σ(a (sᵢ − sⱼ)), where s = θ·x is a side's score, a = (wᵢ² + wⱼ² − 1)^−½ and
w = (1 + c deviation²)^½ ≥ 1 is its width, c being `WIDTH_OF_DEVIATION`. What is learned is one array:

    row 0           θ: the weight of each input
    the other rows  Λ: the inverse of their covariance

If k is the part that is kept, and an event of n sides counts for f n/2 matches, with sums over all pairs

    Λ ← k Λ + (1 − k) Λ₀ + f/(n − 1) Σ a² p (1 − p) (xᵢ − xⱼ)(xᵢ − xⱼ)ᵀ
    θ ← θ + Λ⁻¹ ((1 − k) Λ₀ (θ₀ − θ) + f/(n − 1) Σ a (result − p) (xᵢ − xⱼ))

Pairs say nothing about the level of all scores, which is the weight of an input that is always 1. It moves so
that the mean score of the event's sides stays what it was: scores found by earlier weights can then be
compared with later ones.

Scores and logarithms of widths are spread over a grid, each over the two nodes around it in proportion, and
pairs of nodes are added up in place of pairs of sides. In effect a pair's numbers are read off a table by
linear interpolation. All of it is continuous in the scores, so that the order of rows changes nothing but
rounding.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.numerics.jit import interpreted_as, kernel
from podium.numerics.ordering import best_first

MATCHES_PER_SIDE = 1.5
"""The matches that each side of a small event counts for."""
LARGE_EVENT = 100.0
"""Sides of an event whose sides count half as much. The results of a contest have much in common: none counts
for more than 150 matches."""
FORGOTTEN = 1e-5
"""The part of what is known that each match replaces by the start. In an earlier form of the score a fifth or
five times as much changed next to nothing; it was not tried again."""
WIDTH_OF_DEVIATION = 16.0 * 3.0 / math.pi**2
"""What a squared deviation of 1 adds to a squared width. The variance of a logistic distribution of scale 1
is π²/3; 16 times the variance was a little better than 8 and 32. 1 and 4 were worse in an earlier form of the
score only."""
LARGEST_WEIGHT = 10.0
"""The largest weights, up or down."""
LARGEST_LEVEL = 1000.0
"""And the largest level."""
LEVEL, DEVIATION = -6, -1
"""Where these inputs are."""

STEP = 0.5
"""The distance of nodes for scores, in log odds."""
LARGEST_SCORE = 40.0
"""Scores beyond share the last node: e^−40 vanishes beside 1 in double precision."""
SCORE_NODES = int(2.0 * LARGEST_SCORE / STEP) + 1
WIDTH_NODES = 4
"""Nodes for widths: 1, 2, 4 and 8."""


class PairTables(NamedTuple):
    """What a pair of nodes says, by both widths and by the difference of the scores' nodes."""

    expected: Floats
    """a σ(a (s − s'))."""
    information: Floats
    """a² σ (1 − σ)."""
    pull: Floats
    """a, by both widths alone."""


@cache
def pair_tables() -> PairTables:
    """The tables, which are the same for all contests."""
    width = 2.0 ** np.arange(WIDTH_NODES)
    pull = 1.0 / np.sqrt(width[:, None] ** 2 + width**2 - 1.0)
    a = pull[..., None]
    chance = 1.0 / (1.0 + np.exp(-a * STEP * np.arange(1 - SCORE_NODES, SCORE_NODES)))
    return PairTables(a * chance, a * a * chance * (1.0 - chance), pull)


def _sum_pairs_by_arrays(
    expected: Floats,
    information: Floats,
    pull: Floats,
    score: Floats,
    rank: Ints,
    inputs: Floats,
    gradient: Floats,
    curvature: Floats,
) -> None:
    """`_sum_pairs` where kernels are interpreted."""
    place = (np.clip(score, -LARGEST_SCORE, LARGEST_SCORE) + LARGEST_SCORE) / STEP
    wide = np.minimum(0.5 * np.log2(1.0 + WIDTH_OF_DEVIATION * inputs[:, DEVIATION] ** 2), WIDTH_NODES - 1.0)
    node = np.arange(int(place.min()), min(int(place.max()) + 2, SCORE_NODES))
    by_score = np.maximum(1.0 - np.abs(place - node[:, None]), 0.0)
    by_width = np.maximum(1.0 - np.abs(wide - np.arange(WIDTH_NODES)[:, None]), 0.0)
    spread = (by_width[:, None] * by_score).reshape(-1, len(rank))
    apart = node[:, None] - node + SCORE_NODES - 1
    size = len(spread)
    chances, rates = (
        table[..., apart].swapaxes(1, 2).reshape(size, size) for table in (expected, information)
    )
    here, sums = spread.sum(axis=1), spread @ inputs
    _, level = np.unique(rank, return_inverse=True)
    equal = np.stack([np.bincount(level, part) for part in by_width])
    beaten = (equal.sum(axis=1)[:, None] - np.cumsum(equal, axis=1) + 0.5 * equal)[:, level]
    won = (by_width * (pull @ beaten)).sum(axis=0)
    gradient[:] = won @ inputs - (chances @ here) @ sums
    half = 0.5 * ((inputs.T * ((rates @ here) @ spread)) @ inputs - sums.T @ (rates @ sums))
    curvature[:] = half + half.T


@kernel
def _spread(score: Floats, inputs: Floats, node: Longs, part: Floats) -> None:
    """Fill the four nodes around each side, and its parts in them."""
    for i in range(len(score)):
        place = (min(max(score[i], -LARGEST_SCORE), LARGEST_SCORE) + LARGEST_SCORE) / STEP
        wide = 0.5 * math.log2(1.0 + WIDTH_OF_DEVIATION * inputs[i, DEVIATION] * inputs[i, DEVIATION])
        wide = min(wide, WIDTH_NODES - 1.0)
        low, thin = min(int(place), SCORE_NODES - 2), min(int(wide), WIDTH_NODES - 2)
        up, broad = place - low, wide - thin
        for corner in range(4):
            higher, wider = corner // 2, corner % 2
            node[i, corner] = (low + higher) * WIDTH_NODES + thin + wider
            part[i, corner] = (up if higher else 1.0 - up) * (broad if wider else 1.0 - broad)


@kernel
def _sum_results(
    pull: Floats, rank: Ints, node: Longs, part: Floats, inputs: Floats, gradient: Floats
) -> None:
    """Fill the sum over all sides of x times what it won: a for each side behind, a/2 for each equal one."""
    sides, width = inputs.shape
    order = best_first(rank)
    behind, equal, beaten = np.zeros(WIDTH_NODES), np.zeros(WIDTH_NODES), np.empty(WIDTH_NODES)
    for i in range(sides):
        for corner in range(4):
            behind[node[i, corner] % WIDTH_NODES] += part[i, corner]
    for x in range(width):
        gradient[x] = 0.0
    start = 0
    while start < sides:
        stop = start
        for c in range(WIDTH_NODES):
            equal[c] = 0.0
        while stop < sides and rank[order[stop]] == rank[order[start]]:
            for corner in range(4):
                equal[node[order[stop], corner] % WIDTH_NODES] += part[order[stop], corner]
            stop += 1
        for c in range(WIDTH_NODES):
            behind[c] -= equal[c]
            beaten[c] = behind[c] + 0.5 * equal[c]
        for position in range(start, stop):
            i = order[position]
            won = 0.0
            for corner in range(4):
                for c in range(WIDTH_NODES):
                    won += part[i, corner] * pull[node[i, corner] % WIDTH_NODES, c] * beaten[c]
            for x in range(width):
                gradient[x] += won * inputs[i, x]
        start = stop


@interpreted_as(_sum_pairs_by_arrays)
@kernel
def _sum_pairs(
    expected: Floats,
    information: Floats,
    pull: Floats,
    score: Floats,
    rank: Ints,
    inputs: Floats,
    gradient: Floats,
    curvature: Floats,
) -> None:
    """Fill the sums over all pairs of an event's sides, which are those of the formulas above."""
    sides, width = inputs.shape
    node, part = np.empty((sides, 4), np.int64), np.empty((sides, 4))
    _spread(score, inputs, node, part)
    _sum_results(pull, rank, node, part, inputs, gradient)
    weight = np.zeros(SCORE_NODES * WIDTH_NODES)
    for i in range(sides):
        for corner in range(4):
            weight[node[i, corner]] += part[i, corner]
    number, used = np.empty(len(weight), np.int64), np.empty(len(weight), np.int64)
    count = 0
    for k in range(len(weight)):
        if weight[k] > 0.0:
            number[k], used[count] = count, k
            count += 1
    sums, rate, met = np.zeros((count, width)), np.empty(count), np.empty(width)
    for i in range(sides):
        for corner in range(4):
            if part[i, corner] > 0.0:
                k = number[node[i, corner]]
                for x in range(width):
                    sums[k, x] += part[i, corner] * inputs[i, x]
    for x in range(width):
        for y in range(width):
            curvature[x, y] = 0.0
    for k in range(count):
        chance = rate[k] = 0.0
        for x in range(width):
            met[x] = 0.0
        for m in range(count):
            one, other = used[k], used[m]
            apart = one // WIDTH_NODES - other // WIDTH_NODES + SCORE_NODES - 1
            chance += weight[other] * expected[one % WIDTH_NODES, other % WIDTH_NODES, apart]
            certain = information[one % WIDTH_NODES, other % WIDTH_NODES, apart]
            rate[k] += weight[other] * certain
            for x in range(width):
                met[x] += certain * sums[m, x]
        for x in range(width):
            gradient[x] -= chance * sums[k, x]
            for y in range(x + 1):
                curvature[x, y] -= sums[k, x] * met[y]
    for i in range(sides):
        own = 0.0
        for corner in range(4):
            if part[i, corner] > 0.0:
                own += part[i, corner] * rate[number[node[i, corner]]]
        for x in range(width):
            for y in range(x + 1):
                curvature[x, y] += own * inputs[i, x] * inputs[i, y]
    for x in range(width):
        for y in range(x):
            curvature[y, x] = curvature[x, y]


def _solve_by_arrays(matrix: Floats, vector: Floats) -> None:
    """`_solve` where kernels are interpreted."""
    vector[:] = np.linalg.solve(matrix, vector)


@interpreted_as(_solve_by_arrays)
@kernel
def _solve(matrix: Floats, vector: Floats) -> None:
    """Solve matrix · y = vector into `vector`, by the Cholesky factor of a positive definite matrix."""
    n = len(vector)
    factor = matrix.copy()
    for i in range(n):
        for j in range(i + 1):
            rest = factor[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            factor[i, j] = math.sqrt(rest) if i == j else rest / factor[j, j]
    for i in range(n):
        for k in range(i):
            vector[i] -= factor[i, k] * vector[k]
        vector[i] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            vector[i] -= factor[k, i] * vector[k]
        vector[i] /= factor[i, i]


def _score_by_arrays(weights: Floats, inputs: Floats, score: Floats) -> None:
    """`score_sides` where kernels are interpreted."""
    score[:] = inputs @ weights


@interpreted_as(_score_by_arrays)
@kernel
def score_sides(weights: Floats, inputs: Floats, score: Floats) -> None:
    """Fill θ·x of each side."""
    for i in range(len(score)):
        score[i] = 0.0
        for x in range(len(weights)):
            score[i] += weights[x] * inputs[i, x]


@kernel
def score_events(offsets: Longs, weights: Floats, inputs: Floats, score: Floats) -> None:
    """The same for each event with weights of its own."""
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        score_sides(weights[e], inputs[lo:hi], score[lo:hi])


@kernel
def _learn(
    learned: Floats,
    start: Floats,
    precision: Floats,
    inputs: Floats,
    score: Floats,
    gradient: Floats,
    curvature: Floats,
) -> None:
    """Move weights by one step of Newton's method, given an event's scores and the sums over its pairs."""
    sides, level = len(inputs), len(start) + LEVEL
    matches = MATCHES_PER_SIDE * sides / (1.0 + sides / LARGE_EVENT)
    kept, share = (1.0 - FORGOTTEN) ** matches, 2.0 * matches / (sides * (sides - 1.0))
    for x in range(len(start)):
        gradient[x] = share * gradient[x] + (1.0 - kept) * precision[x] * (start[x] - learned[0, x])
        for y in range(len(start)):
            learned[1 + x, y] = kept * learned[1 + x, y] + share * curvature[x, y]
        learned[1 + x, x] += (1.0 - kept) * precision[x]
    _solve(learned[1:], gradient)
    for x in range(len(start)):
        if x != level:
            learned[0, x] = min(max(learned[0, x] + gradient[x], -LARGEST_WEIGHT), LARGEST_WEIGHT)
    risen = np.empty(sides)
    score_sides(learned[0], inputs, risen)
    learned[0, level] += (score.sum() - risen.sum()) / sides
    learned[0, level] = min(max(learned[0, level], -LARGEST_LEVEL), LARGEST_LEVEL)


@kernel
def learn_contests(
    learned: Floats,
    start: Floats,
    precision: Floats,
    expected: Floats,
    information: Floats,
    pull: Floats,
    offsets: Longs,
    rank: Ints,
    teaches: Bools,
    inputs: Floats,
    score: Floats,
    weights: Floats,
) -> None:
    """Score the sides of consecutive events by the weights before each, and learn from the events that teach.

    The tables are those of `pair_tables`. `weights` takes the weights after each event. The last input is the
    deviation.
    """
    gradient, curvature = np.empty(len(start)), np.empty((len(start), len(start)))
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        score_sides(learned[0], inputs[lo:hi], score[lo:hi])
        if teaches[e]:
            _sum_pairs(
                expected, information, pull, score[lo:hi], rank[lo:hi], inputs[lo:hi], gradient, curvature
            )
            _learn(learned, start, precision, inputs[lo:hi], score[lo:hi], gradient, curvature)
        for x in range(len(start)):
            weights[e, x] = learned[0, x]
