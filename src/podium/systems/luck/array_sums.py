"""The sums of the compiled loops by whole arrays: what stands in for them where kernels are interpreted.

A belief has a thousand points, so that a loop over them in plain Python takes milliseconds, and NumPy
microseconds. Each function has the arguments of the loop it stands for, which says what they mean.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Longs

LEAST_MASS = 1e-280
"""Masses below are none: they mean nothing beside 1, and numbers without all their digits are slow."""


def multiply(belief: Floats, likelihood: Floats, out: Floats) -> float:
    """A belief times what a result says, and the sum of that."""
    n = len(out)
    out[:] = belief[:n] * np.maximum(likelihood[:n], 0.0)  # rounding may leave less than nothing
    return float(out.sum())


def mean_of(belief: Floats, values: Floats) -> float:
    """Σ ρᵢ vᵢ."""
    return float(belief @ values)


def normalise(row: Floats, out: Floats) -> None:
    """Masses divided by their sum."""
    shares = row * (1.0 / row.sum())
    out[: len(row)] = np.where(shares > LEAST_MASS, shares, 0.0)


def moments(row: Floats, points: int) -> tuple[float, float]:
    """Mean and variance in cells, the mean from the middle."""
    away, mass = np.arange(points) - 0.5 * (points - 1), row[:points]
    mean = float(away @ mass)
    return mean, float((away - mean) ** 2 @ mass)


def stencil(line: Floats, first: int, taps: Floats, reach: int, out: Floats) -> None:
    """A belief with zeros on both sides, spread by symmetric taps."""
    both = np.concatenate([taps[reach:0:-1], taps[: reach + 1]])
    out[:] = np.convolve(line[first - reach : first + len(out) + reach], both, "valid")


def to_nodes(belief: Floats, table: Floats, nodes: Floats) -> None:
    """Masses moved to the Chebyshev nodes of their panels."""
    width, half = table.shape
    panels = nodes.shape[1] // width
    points = belief[:, : 2 * half * panels].reshape(2, panels, 2, half)
    lower, upper = points[:, :, 0, ::-1], points[:, :, 1]
    even = (upper + lower) @ table[: width // 2].T
    odd = (upper - lower) @ table[width // 2 :].T
    nodes[:] = np.concatenate([even + odd, even - odd], axis=2).reshape(nodes.shape)


def between_nodes(table: Floats, source: Floats, target: Floats) -> None:
    """The sums at all nodes."""
    step, width = len(table), target.shape[1]
    target[:] = 0.0
    for start in range(0, width, step):
        shift = width - step - start
        target += source[:, start : start + step] @ table[:, shift : shift + width]


def from_nodes(nodes: Floats, table: Floats, out: Floats) -> None:
    """The sums at the nodes, interpolated to all points."""
    width, half = table.shape
    panels = nodes.shape[1] // width
    values = nodes.reshape(2, panels, 2, width // 2)
    above, below = values[:, :, 0], values[:, :, 1]
    even = (above + below) @ table[: width // 2]
    odd = (above - below) @ table[width // 2 :]
    points = np.concatenate([(even - odd)[:, :, ::-1], even + odd], axis=2)
    out[:, : 2 * half * panels] = points.reshape(2, 2 * half * panels)


def sum_pairs(entries: Floats, one: Floats, other: Floats, out_one: Floats, out_other: Floats) -> None:
    """Σⱼ K(i − j) ρⱼ of two beliefs."""
    out_one[:] = np.correlate(entries, one, "valid")[::-1]
    out_other[:] = np.correlate(entries, other, "valid")[::-1]


def sum_matrix(matrix: Floats, belief: Floats, likelihood: Floats) -> None:
    """Σ ρ K over all pairs of points, for both players."""
    n = len(matrix)
    likelihood[0, :n] = matrix @ belief[1, :n]
    likelihood[1, :n] = belief[0, :n] @ matrix


def sum_steps(entries: Floats, runs: Longs, row: Floats, totals: Floats, out: Floats) -> None:
    """Σⱼ K(i − j) ρⱼ where K is constant in runs, by running totals from both ends."""
    n = len(row)
    below, above = totals[0], totals[1]
    below[0] = above[n] = 0.0
    np.cumsum(row, out=below[1 : n + 1])
    above[:n] = np.cumsum(row[::-1])[::-1]
    out[:n] = 0.0
    shift = np.arange(n) - (n - 1)
    for begin, end in zip(runs[:-1].tolist(), runs[1:].tolist(), strict=True):
        level = entries[begin] if begin < end else 0.0
        if level != 0.0:
            start, stop = np.clip(begin + shift, 0, n), np.clip(end + shift, 0, n)
            smaller = below[stop] <= above[start]
            out[:n] += level * np.where(smaller, below[stop] - below[start], above[start] - above[stop])
