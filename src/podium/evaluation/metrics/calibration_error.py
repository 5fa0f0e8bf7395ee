"""The calibration error: how far scores are from expected ones of the same height, the mean over bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium.arrays import Bools, Floats
from podium.evaluation.block_bootstrap import Groups, Resampling, sum_in_bins
from podium.evaluation.metrics.calibration_bins import bin_edges, calibrated_sides, calibration_error
from podium.evaluation.metrics.metric import Metric
from podium.evaluation.metrics.metric_sums import MetricSums
from podium.evaluation.metrics.scored_sides import Scored
from podium.evaluation.standings import Standings


@dataclass(frozen=True)
class BinSums(MetricSums):
    """Sums for the calibration error: number of sides, Σp and Σs (last axis) for each bin of p."""

    standings: Standings
    expected: Floats
    sides: Bools
    """Which sides are in the bins."""
    edges: Floats
    """The edges of the bins."""

    def by_block(self, resampling: Resampling) -> Floats:
        """The sums of each bin for each block of events."""
        return self.by_event_group(resampling.block_of_event, resampling.blocks)

    def by_event_group(self, group: Groups, groups: int) -> Floats:
        """The sums of each bin for each group of events."""
        standings = self.standings
        return sum_in_bins(
            standings.offsets, group, groups, self.sides, self.expected, standings.score, self.edges
        )

    def total(self) -> Floats:
        """The sums of each bin over all events."""
        everything: Floats = self.by_event_group(np.zeros(len(self.standings), np.int64), 1)[0]
        return everything


def _measure(scored: Scored) -> BinSums:
    sides, measured = calibrated_sides(scored.standings, scored.sides), scored.measured
    edges = bin_edges(scored.expected[sides], measured.bins, measured.spacing)
    return BinSums(scored.standings, scored.expected, sides, edges)


CALIBRATION_ERROR = Metric(
    "calibration-error",
    _measure,
    "difference between mean scores and mean expected scores",
    short="calib.",
    value=calibration_error,
    noise_adds=True,
)
