"""Sums Σⱼ ρⱼ K(xᵢ − xⱼ) over a grid for a smooth K, in time linear in its points.

The grid is cut into panels of equal size. Within a panel K(x − ·) is a polynomial as far as double precision
can tell, so that all a panel's mass does elsewhere, it does through as many numbers as there are Chebyshev
nodes: mass is moved to the nodes, nodes act on nodes by K of their differences, and what arrives at a panel's
nodes is interpolated to its points. All panels look alike, and so do their halves but for a sign: one small
table of interpolation serves them all.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.numerics.jit import interpreted_as, summing
from podium.systems.luck import array_sums

PANEL_NODES = 16
"""Of a panel. The compiled loops below are written for this number."""

POINTS_MULTIPLE, LONG_MULTIPLE = 4, 64
"""Points of a panel come in multiples of the first, and long panels in multiples of the second, so that
vectorised loops over halves have no remainder."""


def chebyshev_nodes() -> Floats:
    """The nodes of a panel from −1 to 1: first those above 0, then their mirror images."""
    upper = np.cos(np.pi * (np.arange(PANEL_NODES // 2) + 0.5) / PANEL_NODES)
    return np.concatenate([upper, -upper])


def lagrange(t: Floats) -> Floats:
    """The polynomials that are 1 at one node and 0 at the others, at points `t`: one row for each node."""
    nodes = chebyshev_nodes()
    order = np.argsort(nodes)
    # Barycentric weights of Chebyshev nodes of the first kind, in ascending order, alternate in sign.
    sign = np.where(np.arange(PANEL_NODES) % 2 == 0, 1.0, -1.0)
    weights = np.empty(PANEL_NODES)
    weights[order] = sign * np.sqrt(1.0 - nodes[order] ** 2)
    distance = t[None, :] - nodes[:, None]
    hit = distance == 0.0
    shares = weights[:, None] / np.where(hit, 1.0, distance)
    values: Floats = np.where(hit.any(axis=0), hit, shares / shares.sum(axis=0))
    return values


def half_table(half: int) -> Floats:
    """Even and odd parts of the polynomials at the points of a panel's upper half: even rows, then odd."""
    t = (np.arange(half) + 0.5) / half
    values = lagrange(t)
    upper, lower = values[: PANEL_NODES // 2], values[PANEL_NODES // 2 :]
    return np.ascontiguousarray(np.concatenate([(upper + lower) / 2.0, (upper - lower) / 2.0]))


@interpreted_as(array_sums.to_nodes)
@summing
def to_nodes(belief: Floats, table: Floats, nodes: Floats) -> None:
    """Move the masses of two beliefs to the nodes of their panels: one row for each belief."""
    half = table.shape[1]
    # Even parts of both beliefs, then odd ones.
    parts, products = np.empty((4, half)), np.empty((4, PANEL_NODES // 2))
    for p in range(nodes.shape[1] // PANEL_NODES):
        start = 2 * half * p
        for s in range(2):
            row = belief[s]
            lower, upper = row[start : start + half], row[start + half : start + 2 * half]
            even, odd = parts[s], parts[s + 2]
            for i in range(half):
                mirrored = lower[half - 1 - i]
                even[i] = upper[i] + mirrored
                odd[i] = upper[i] - mirrored
        for k in range(0, PANEL_NODES, 4):
            odd_ones = k // (PANEL_NODES // 2)
            one, two = parts[2 * odd_ones], parts[2 * odd_ones + 1]
            t0, t1, t2, t3 = table[k], table[k + 1], table[k + 2], table[k + 3]
            a0, a1, a2, a3, b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(half):
                a0 += one[i] * t0[i]
                a1 += one[i] * t1[i]
                a2 += one[i] * t2[i]
                a3 += one[i] * t3[i]
                b0 += two[i] * t0[i]
                b1 += two[i] * t1[i]
                b2 += two[i] * t2[i]
                b3 += two[i] * t3[i]
            first, second = products[2 * odd_ones], products[2 * odd_ones + 1]
            at = k % (PANEL_NODES // 2)
            first[at], first[at + 1], first[at + 2], first[at + 3] = a0, a1, a2, a3
            second[at], second[at + 1], second[at + 2], second[at + 3] = b0, b1, b2, b3
        for s in range(2):
            for k in range(PANEL_NODES // 2):
                nodes[s, PANEL_NODES * p + k] = products[s, k] + products[s + 2, k]
                nodes[s, PANEL_NODES * p + PANEL_NODES // 2 + k] = products[s, k] - products[s + 2, k]


@interpreted_as(array_sums.between_nodes)
@summing
def between_nodes(table: Floats, source: Floats, target: Floats) -> None:
    """The sums at all nodes, for two beliefs at once.

    `table` has a row for each node of a panel: K from there to all nodes of the panels from the farthest on
    the left to the farthest on the right. Sources and targets are ordered by belief, panel, node.
    """
    width = target.shape[1]
    one, two = target[0], target[1]
    for i in range(width):
        one[i] = 0.0
        two[i] = 0.0
    for start in range(0, width, PANEL_NODES):
        shift = width - PANEL_NODES - start
        first, second = source[0, start : start + PANEL_NODES], source[1, start : start + PANEL_NODES]
        for a in range(0, PANEL_NODES, 8):
            r0, r1 = table[a, shift : shift + width], table[a + 1, shift : shift + width]
            r2, r3 = table[a + 2, shift : shift + width], table[a + 3, shift : shift + width]
            r4, r5 = table[a + 4, shift : shift + width], table[a + 5, shift : shift + width]
            r6, r7 = table[a + 6, shift : shift + width], table[a + 7, shift : shift + width]
            f0, f1, f2, f3 = first[a], first[a + 1], first[a + 2], first[a + 3]
            f4, f5, f6, f7 = first[a + 4], first[a + 5], first[a + 6], first[a + 7]
            s0, s1, s2, s3 = second[a], second[a + 1], second[a + 2], second[a + 3]
            s4, s5, s6, s7 = second[a + 4], second[a + 5], second[a + 6], second[a + 7]
            for i in range(width):
                one[i] += (f0 * r0[i] + f1 * r1[i] + f2 * r2[i] + f3 * r3[i]) + (
                    f4 * r4[i] + f5 * r5[i] + f6 * r6[i] + f7 * r7[i]
                )
                two[i] += (s0 * r0[i] + s1 * r1[i] + s2 * r2[i] + s3 * r3[i]) + (
                    s4 * r4[i] + s5 * r5[i] + s6 * r6[i] + s7 * r7[i]
                )


@interpreted_as(array_sums.from_nodes)
@summing
def from_nodes(nodes: Floats, table: Floats, out: Floats) -> None:
    """Interpolate the sums from the nodes to all points: one row for each of two beliefs."""
    half = table.shape[1]
    parts, values = np.empty((4, half)), np.empty((2, PANEL_NODES))
    for p in range(nodes.shape[1] // PANEL_NODES):
        for s in range(2):
            for k in range(PANEL_NODES // 2):
                above, below = (
                    nodes[s, PANEL_NODES * p + k],
                    nodes[s, PANEL_NODES * p + PANEL_NODES // 2 + k],
                )
                values[s, k], values[s, PANEL_NODES // 2 + k] = above + below, above - below
        for k in range(0, PANEL_NODES, 8):
            one, two = parts[k // 4], parts[k // 4 + 1]
            t0, t1, t2, t3 = table[k], table[k + 1], table[k + 2], table[k + 3]
            t4, t5, t6, t7 = table[k + 4], table[k + 5], table[k + 6], table[k + 7]
            a, b = values[0, k : k + 8], values[1, k : k + 8]
            a0, a1, a2, a3, a4, a5, a6, a7 = a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
            b0, b1, b2, b3, b4, b5, b6, b7 = b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
            for i in range(half):
                one[i] = (a0 * t0[i] + a1 * t1[i] + a2 * t2[i] + a3 * t3[i]) + (
                    a4 * t4[i] + a5 * t5[i] + a6 * t6[i] + a7 * t7[i]
                )
                two[i] = (b0 * t0[i] + b1 * t1[i] + b2 * t2[i] + b3 * t3[i]) + (
                    b4 * t4[i] + b5 * t5[i] + b6 * t6[i] + b7 * t7[i]
                )
        start = 2 * half * p
        for s in range(2):
            row = out[s]
            lower, upper = row[start : start + half], row[start + half : start + 2 * half]
            even, odd = parts[s], parts[s + 2]
            for i in range(half):
                upper[i] = even[i] + odd[i]
                lower[half - 1 - i] = even[i] - odd[i]
