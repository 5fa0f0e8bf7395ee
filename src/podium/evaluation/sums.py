"""Sums over sides: those of each event, and those of groups of sides or events."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.numerics.jit import kernel

Groups = NDArray[np.int64]
"""The group each side or event belongs to: 0, 1, …"""


def sum_by_event(offsets: Longs, chosen: Bools, values: Floats) -> Floats:
    """The sum of the values over the chosen sides of each event."""
    out = np.zeros(len(offsets) - 1)
    _sum_by_event(offsets, chosen, values, out)
    return out


def sum_by_group(group: Groups, chosen: Bools, values: Floats, groups: int) -> Floats:
    """The sum of the values over the chosen sides of each group."""
    out = np.zeros(groups)
    _sum_by_group(group, chosen, values, out)
    return out


def sum_in_bins(
    offsets: Longs,
    group: Groups,
    groups: int,
    chosen: Bools,
    expected: Floats,
    score: Floats,
    edges: Floats,
) -> Floats:
    """Number of sides, Σp and Σs (last axis) in each bin of p, for each group of events (first axis)."""
    out = np.zeros((groups, len(edges) - 1, 3))
    _sum_in_bins(offsets, group, chosen, expected, score, edges, out)
    return out


def count_events(offsets: Longs, group: Groups, chosen: Bools, groups: int) -> Floats:
    """The number of events in which each group has a chosen side."""
    out = np.zeros(groups)
    _count_events(offsets, group, chosen, out)
    return out


@kernel
def _count_events(offsets: Longs, group: Groups, chosen: Bools, out: Floats) -> None:
    last = np.full(len(out), -1, np.int64)
    for e in range(len(offsets) - 1):
        for i in range(offsets[e], offsets[e + 1]):
            if chosen[i] and last[group[i]] != e:
                last[group[i]] = e
                out[group[i]] += 1.0


@kernel
def _sum_by_event(offsets: Longs, chosen: Bools, values: Floats, out: Floats) -> None:
    for e in range(len(offsets) - 1):
        total = 0.0
        for i in range(offsets[e], offsets[e + 1]):
            if chosen[i]:
                total += values[i]
        out[e] = total


@kernel
def _sum_by_group(group: Groups, chosen: Bools, values: Floats, out: Floats) -> None:
    for i in range(len(group)):
        if chosen[i]:
            out[group[i]] += values[i]


@kernel
def _sum_in_bins(
    offsets: Longs,
    group: Groups,
    chosen: Bools,
    expected: Floats,
    score: Floats,
    edges: Floats,
    out: Floats,
) -> None:
    bins = len(edges) - 1
    for e in range(len(offsets) - 1):
        sums = out[group[e]]
        for i in range(offsets[e], offsets[e + 1]):
            if not chosen[i]:
                continue
            p = expected[i]
            place = min(int(p * bins), bins - 1)  # right at once where bins are of equal width
            while place > 0 and p < edges[place]:
                place -= 1
            while place < bins - 1 and p >= edges[place + 1]:
                place += 1
            sums[place, 0] += 1.0
            sums[place, 1] += p
            sums[place, 2] += score[i]
