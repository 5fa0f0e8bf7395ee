"""Sums Σⱼ ρⱼ K(xᵢ − xⱼ) over a grid for a smooth K, in time linear in its points.

The grid is cut into panels of equal size. Within a panel K(x − ·) is a polynomial as far as double precision
can tell, so that all a panel's mass does elsewhere, it does through as many numbers as there are Chebyshev
nodes: mass is moved to the nodes, nodes act on nodes by K of their differences, and what arrives at a panel's
nodes is interpolated to its points. All panels look alike, and so do their halves but for a sign: one small
table of interpolation serves them all.
"""

from __future__ import annotations

import numpy as np

from podium.history.core import Floats
from podium.numerics.jit import summing

NODES = 16
"""Of a panel. The compiled loops below are written for this number."""

LANES = 16
"""Points of a panel come in multiples of this, so that vectorised loops have no remainder."""


def chebyshev_nodes() -> Floats:
    """The nodes of a panel from −1 to 1: first those above 0, then their mirror images."""
    upper = np.cos(np.pi * (np.arange(NODES // 2) + 0.5) / NODES)
    return np.concatenate([upper, -upper])


def lagrange(t: Floats) -> Floats:
    """The polynomials that are 1 at one node and 0 at the others, at points `t`: a row a node."""
    nodes = chebyshev_nodes()
    order = np.argsort(nodes)
    # Barycentric weights of Chebyshev nodes of the first kind, in ascending order, alternate in sign.
    sign = np.where(np.arange(NODES) % 2 == 0, 1.0, -1.0)
    weights = np.empty(NODES)
    weights[order] = sign * np.sqrt(1.0 - nodes[order] ** 2)
    distance = t[None, :] - nodes[:, None]
    hit = distance == 0.0
    shares = weights[:, None] / np.where(hit, 1.0, distance)
    values: Floats = np.where(hit.any(axis=0), hit, shares / shares.sum(axis=0))
    return values


def half_table(half: int) -> Floats:
    """Even and odd parts of the polynomials at the points of a panel's upper half: rows even, then odd."""
    t = (np.arange(half) + 0.5) / half
    values = lagrange(t)
    upper, lower = values[: NODES // 2], values[NODES // 2 :]
    return np.ascontiguousarray(np.concatenate([(upper + lower) / 2.0, (upper - lower) / 2.0]))


@summing
def to_nodes(belief: Floats, table: Floats, nodes: Floats) -> None:
    """Move the mass of a belief to the nodes of its panels."""
    half = table.shape[1]
    even, odd = np.empty(half), np.empty(half)
    for p in range(len(nodes) // NODES):
        here = nodes[NODES * p : NODES * (p + 1)]
        lower = belief[2 * half * p : 2 * half * p + half]
        upper = belief[2 * half * p + half : 2 * half * (p + 1)]
        for i in range(half):
            mirrored = lower[half - 1 - i]
            even[i] = upper[i] + mirrored
            odd[i] = upper[i] - mirrored
        for k in range(0, NODES // 2, 2):
            e0, e1, o0, o1 = table[k], table[k + 1], table[k + 8], table[k + 9]
            a0, a1, b0, b1 = 0.0, 0.0, 0.0, 0.0
            for i in range(half):
                a0 += even[i] * e0[i]
                a1 += even[i] * e1[i]
                b0 += odd[i] * o0[i]
                b1 += odd[i] * o1[i]
            here[k] = a0 + b0
            here[k + 1] = a1 + b1
            here[k + 8] = a0 - b0
            here[k + 9] = a1 - b1


@summing
def between_nodes(table: Floats, source: Floats, target: Floats) -> None:
    """What arrives at all nodes, for two beliefs at once.

    `table` has a row for each node of a panel: K from there to all nodes of the panels from the farthest on
    the left to the farthest on the right. Sources and targets are ordered by belief, panel, node.
    """
    width = target.shape[1]
    one, two = target[0], target[1]
    for i in range(width):
        one[i] = 0.0
        two[i] = 0.0
    for start in range(0, width, NODES):
        shift = width - NODES - start
        first, second = source[0, start : start + NODES], source[1, start : start + NODES]
        for a in range(0, NODES, 8):
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


@summing
def from_nodes(nodes: Floats, table: Floats, out: Floats) -> None:
    """Interpolate what arrived at the nodes to all points."""
    half = table.shape[1]
    t0, t1, t2, t3, t4, t5, t6, t7 = (
        table[0],
        table[1],
        table[2],
        table[3],
        table[4],
        table[5],
        table[6],
        table[7],
    )
    u0, u1, u2, u3, u4, u5, u6, u7 = (
        table[8],
        table[9],
        table[10],
        table[11],
        table[12],
        table[13],
        table[14],
        table[15],
    )
    for p in range(len(nodes) // NODES):
        value = nodes[NODES * p : NODES * (p + 1)]
        e0, e1, e2, e3 = value[0] + value[8], value[1] + value[9], value[2] + value[10], value[3] + value[11]
        e4, e5, e6, e7 = (
            value[4] + value[12],
            value[5] + value[13],
            value[6] + value[14],
            value[7] + value[15],
        )
        o0, o1, o2, o3 = value[0] - value[8], value[1] - value[9], value[2] - value[10], value[3] - value[11]
        o4, o5, o6, o7 = (
            value[4] - value[12],
            value[5] - value[13],
            value[6] - value[14],
            value[7] - value[15],
        )
        lower = out[2 * half * p : 2 * half * p + half]
        upper = out[2 * half * p + half : 2 * half * (p + 1)]
        for i in range(half):
            even = e0 * t0[i] + e1 * t1[i] + e2 * t2[i] + e3 * t3[i]
            even += e4 * t4[i] + e5 * t5[i] + e6 * t6[i] + e7 * t7[i]
            odd = o0 * u0[i] + o1 * u1[i] + o2 * u2[i] + o3 * u3[i]
            odd += o4 * u4[i] + o5 * u5[i] + o6 * u6[i] + o7 * u7[i]
            upper[i] = even + odd
            lower[half - 1 - i] = even - odd
