"""What a backtest found about one system: sums of the metrics, by block of events and by group."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from podium.arrays import Floats
from podium.evaluation.block_bootstrap import Resampling
from podium.evaluation.metrics import Metric
from podium.evaluation.metrics.calibration_error import CALIBRATION_ERROR
from podium.evaluation.scopes import Scope
from podium.text import brief_repr


@dataclass(frozen=True, repr=False)
class GroupSums:
    """For each group of events or sides: its name, counts and sums of the metrics."""

    __repr__ = brief_repr

    names: tuple[str, ...]
    events: Floats
    """Number of events with a scored side in the group."""
    rows: Floats
    """Number of scored sides."""
    sums: Mapping[str, Floats]
    """The sums of each group, by metric."""

    def values(self, metric: Metric) -> Floats | None:
        """The metric of each group; None if the metric is not defined for groups."""
        return metric.value(self.sums[metric.name]) if metric.name in self.sums else None


@dataclass(frozen=True, repr=False)
class ScopeResult:
    """The results of one system within one scope."""

    __repr__ = brief_repr

    scope: Scope
    events: int
    rows: int
    """Number of scored sides, counted once in every event."""
    left_out: int
    """Number of sides in the measured events that are not scored."""
    chosen: bytes
    """A hash of which sides are scored, to see whether two systems share them."""
    undecided: int
    """Number of events in which all scored sides tied, which say nothing about an order."""
    clipped: int
    """Number of expected scores too close to 0 or 1 for the logarithm."""
    sums: Mapping[str, Floats]
    """The sums of each block of events, by metric."""
    edges: Floats
    """The edges of the bins of the calibration error; empty if it was not measured."""
    periods: GroupSums
    experience: GroupSums
    bands: GroupSums
    home: Floats
    """Of each block of events: matches with a home side, and its expected and actual scores, summed."""

    def value(self, metric: Metric) -> float:
        """The value of a metric; NaN if nothing was measured."""
        if metric.name not in self.sums:
            return math.nan
        return float(metric.value(self.sums[metric.name].sum(axis=0)))

    @property
    def bins(self) -> Floats | None:
        """Number of sides, Σp and Σs in each bin of p for each block; None without calibration."""
        return self.sums.get(CALIBRATION_ERROR.name)

    def resampled(self, metric: Metric, resampling: Resampling) -> Floats:
        """The value of a metric in each resample."""
        return metric.resampled(resampling.resampled(self.sums[metric.name]), self.value(metric))


@dataclass(frozen=True, repr=False)
class SystemResult:
    """The results of one system within each scope."""

    __repr__ = brief_repr

    name: str
    scopes: tuple[ScopeResult, ...]
    seconds: float
    """Seconds that rating took."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Scopes that the system cannot be scored in, with the reason."""
