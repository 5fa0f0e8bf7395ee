"""What a result says of two players whose strengths lie on a grid (Cowan, Eq. 1 and 7).

With K(x − y) the chance of the result where strengths are x and y, one player's likelihood is
Σⱼ ρⱼ K(xᵢ − xⱼ) over the opponent's belief ρ, and the opponent's is Σᵢ ρᵢ K(xᵢ − xⱼ). Seen in a mirror the
second sum is like the first. There are several ways to these sums, and each suits other functions K.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.jit import interpreted_as, kernel, summing
from podium.systems.luck import array_sums
from podium.systems.luck.chebyshev_sums import PANEL_NODES, between_nodes, from_nodes, to_nodes
from podium.systems.luck.growth import laplace_chances

WIN, LOSE, DRAW, LOG_WIN, LOG_LOSE = range(5)
"""What a table holds of every entry: Λ, 1 − Λ, √(Λ (1 − Λ)) and the logarithms of the first two."""


def _all_entries(theta: float, table: Floats, out: Floats) -> None:
    out[:] = np.exp(theta * table[LOG_WIN] + (1.0 - theta) * table[LOG_LOSE])


@interpreted_as(_all_entries)
@kernel
def find_kernel(theta: float, table: Floats, out: Floats) -> None:
    """K = Λ^θ (1 − Λ)^(1 − θ), entry by entry (Eq. 1), for a score between 0 and 1."""
    won, lost = table[LOG_WIN], table[LOG_LOSE]
    for i in range(len(out)):
        out[i] = math.exp(theta * won[i] + (1.0 - theta) * lost[i])


@kernel
def sum_panels(table: Floats, half: Floats, belief: Floats, nodes: Floats, likelihood: Floats) -> None:
    """For smooth functions: by panels. The table is that of `between_nodes`, flattened."""
    source, target = nodes[:2], nodes[2:4]
    to_nodes(belief, half, source)
    _mirror_nodes(source[0])  # the second player looks from the other side
    between_nodes(table.reshape(PANEL_NODES, len(table) // PANEL_NODES), source, target)
    _mirror_nodes(target[0])
    _swap(target)
    from_nodes(target, half, likelihood)


@kernel
def _swap(rows: Floats) -> None:
    """What arrives from the second player is the first one's, and the other way round."""
    one, two = rows[0], rows[1]
    for i in range(len(one)):
        one[i], two[i] = two[i], one[i]


@kernel
def _mirror_nodes(nodes: Floats) -> None:
    """Panels in reverse order, and in each the two mirror images of its nodes exchanged: in place."""
    half = PANEL_NODES // 2
    for i in range(len(nodes) // 2):
        start = i // half * half
        there = len(nodes) - half - start + (i - start)
        nodes[i], nodes[there] = nodes[there], nodes[i]


@interpreted_as(array_sums.sum_pairs)
@summing
def sum_pairs(entries: Floats, one: Floats, other: Floats, out_one: Floats, out_other: Floats) -> None:
    """For any function of the difference: Σⱼ K(i − j) ρⱼ of two beliefs over all pairs of points.

    Entries are K from the highest difference to the lowest.
    """
    n = len(one)
    for i in range(n):
        row = entries[n - 1 - i : 2 * n - 1 - i]
        first, second = 0.0, 0.0
        for j in range(n):
            first += row[j] * one[j]
            second += row[j] * other[j]
        out_one[i], out_other[i] = first, second


@interpreted_as(array_sums.sum_matrix)
@summing
def sum_matrix(matrix: Floats, belief: Floats, likelihood: Floats) -> None:
    """For any function of two strengths: over all pairs of points (Eq. 7)."""
    n = len(matrix)
    mine, theirs, second = belief[0], belief[1], likelihood[1]
    for i in range(n):
        second[i] = 0.0
    for i in range(n):
        row, held, total = matrix[i], mine[i], 0.0
        for j in range(n):
            total += row[j] * theirs[j]
            second[j] += row[j] * held
        likelihood[0, i] = total


@interpreted_as(array_sums.sum_steps)
@kernel
def sum_steps(entries: Floats, runs: Longs, row: Floats, totals: Floats, out: Floats) -> None:
    """For functions that are constant in runs: differences of running totals (as Algorithm 4.3).

    Totals run from both ends, and each run takes the smaller: a tail keeps its digits on either side. A run
    of zeros adds nothing at all: what cannot be stays impossible to the last bit.
    """
    n = len(row)
    below, above = totals[0], totals[1]
    below[0] = above[n] = 0.0
    for i in range(n):
        below[i + 1] = below[i] + row[i]
        above[n - 1 - i] = above[n - i] + row[n - 1 - i]
        out[i] = 0.0
    for r in range(len(runs) - 1):
        level = entries[runs[r]] if runs[r] < runs[r + 1] else 0.0
        if level == 0.0:
            continue
        for i in range(n):
            # Entry e is K at the difference n − 1 − e, and so of opponents at j = i − (n − 1) + e.
            start = min(max(runs[r] + i - (n - 1), 0), n)
            stop = min(max(runs[r + 1] + i - (n - 1), 0), n)
            if below[stop] <= above[start]:
                out[i] += level * (below[stop] - below[start])
            else:
                out[i] += level * (above[start] - above[stop])


@kernel
def sum_laplace(
    shares: Floats,
    widths: Floats,
    ahead: float,
    beta: float,
    cells: Floats,
    row: Floats,
    places: Floats,
    part: Floats,
    out: Floats,
) -> None:
    """For mixtures of Laplace curves: the probability to win, `ahead` cells ahead (Algorithm 4.6)."""
    total = 0.0
    for i in range(len(row)):
        total += row[i]
        places[i] = cells[i] + ahead
    for i in range(len(row)):
        out[i] = 0.5 * (1.0 - beta) * total
    for j in range(len(shares)):
        laplace_chances(cells, row, places, widths[j], part)
        for i in range(len(row)):
            out[i] += beta * shares[j] * part[i]
