"""How sure a metric is: resampling blocks of consecutive events.

Events near each other are of the same players, in the same form, under the same rules: they are not
independent. So a resample draws, with replacement, as many blocks of consecutive events as there are, and a
metric is computed anew from the sums of the blocks drawn. The same draws serve all systems: the difference of
two comes from the same events, and what is hard about them cancels.

Sums over sides: those of each event, and those of groups of sides or events.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.numerics.jit import kernel
from podium.parameters import check_whole

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


BLOCKS = 200
RESAMPLES = 1_000
CONFIDENCE_LEVEL = 0.95
"""What an interval covers."""
FEWEST_BLOCKS = 10
"""With fewer blocks there is no interval. For differences that are pure noise, that of 10 leaves 0 out in 10%
of histories, that of 3 in 25% and that of 2 in 50%."""
TOO_FEW = "too few events for an interval"
"""What is said of a difference without an interval."""


@dataclass(frozen=True)
class Resampling:
    """Draws random samples of blocks of consecutive events, with replacement."""

    events: int
    resamples: int = RESAMPLES
    seed: int = 0
    most_blocks: int = BLOCKS

    def __post_init__(self) -> None:
        check_whole("resamples", self.resamples, 1)
        check_whole("blocks", self.most_blocks, 1)
        check_whole("seed", self.seed, 0)

    @cached_property
    def edges(self) -> Longs:
        """The first event of each block, and the end; with few events each is a block."""
        blocks = min(self.events, self.most_blocks)
        return np.linspace(0, self.events, blocks + 1).astype(np.int64)

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self.edges) - 1

    @cached_property
    def block_of_event(self) -> Groups:
        """The number of the block that each event belongs to."""
        return np.repeat(np.arange(self.blocks), np.diff(self.edges))

    @cached_property
    def draws(self) -> Longs:
        """The blocks drawn for each resample: one row for each resample."""
        chance = np.random.default_rng(self.seed)
        return chance.integers(0, max(self.blocks, 1), (self.resamples, self.blocks))

    @cached_property
    def counts(self) -> Floats:
        """How often each block was drawn (columns) in each resample (rows)."""
        key = self.draws + self.blocks * np.arange(self.resamples)[:, None]
        counts = np.bincount(key.ravel(), minlength=self.resamples * self.blocks)
        return counts.reshape(self.resamples, self.blocks).astype(np.float64)

    def block_sums(self, per_event: Floats) -> Floats:
        """The sum of a value of each event over each block."""
        return np.add.reduceat(per_event, self.edges[:-1]) if self.blocks else np.zeros(0)

    def resampled(self, block_sums: Floats) -> Floats:
        """The sums over each resample from those of each block; the first axis becomes resamples."""
        flat = block_sums.reshape(self.blocks, -1)
        # Not a product of matrices: how a library splits that among threads would show in the last digits.
        sums: Floats = np.einsum("rb,bk->rk", self.counts, flat)
        return sums.reshape(self.resamples, *block_sums.shape[1:])

    def interval(self, values: Floats, *block_sums: Floats) -> tuple[float, float]:
        """The interval of resampled values; NaN if too few blocks have something in their sums."""
        for sums in block_sums:
            if np.count_nonzero(sums.reshape(self.blocks, -1).any(axis=1)) < FEWEST_BLOCKS:
                return np.nan, np.nan
        return interval(values)


def share_interval(low: float, high: float, share: float, rows: int) -> tuple[float, float]:
    """The resampled interval of a share of `rows`, with the exact far end where all rows are alike.

    Rows that are all 0 are all 0 in each resample. Clopper and Pearson (1934): the far end is the share of
    which so many rows would be alike with a chance of 2.5%.

    >>> [round(end, 3) for end in share_interval(0.0, 0.0, 0.0, 55)], share_interval(0.4, 0.6, 0.5, 55)
    ([0.0, 0.065], (0.4, 0.6))
    """
    alike = ((1.0 - CONFIDENCE_LEVEL) / 2.0) ** (1.0 / rows)
    if share <= 0.0:
        return low, 1.0 - alike + 0.0 * high  # NaN stays
    return (alike + 0.0 * low, high) if share >= 1.0 else (low, high)


def interval(values: Floats, level: float = CONFIDENCE_LEVEL) -> tuple[float, float]:
    """The interval that contains the middle `level` of resampled values; NaN for fewer than two values.

    >>> [round(end, 6) for end in interval(np.arange(101.0))]
    [2.5, 97.5]
    """
    known = values[~np.isnan(values)]
    if len(known) < 2:
        return np.nan, np.nan
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0]).tolist()
    return low, high
