"""What a metric measured, as sums that can be added up over any events: blocks, periods, all of them.

Whatever is summed up like that has intervals, comparisons and groups for nothing: `Metric.value` makes a
number of the sums, whichever events they are of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from podium.arrays import Bools, Floats
from podium.evaluation.block_bootstrap import Groups, Resampling, sum_by_group


class MetricSums(ABC):
    """The sums that one metric is computed from; the first axis of results is blocks or groups."""

    @abstractmethod
    def by_block(self, resampling: Resampling) -> Floats:
        """The sums of each block of consecutive events."""

    @abstractmethod
    def by_event_group(self, group: Groups, groups: int) -> Floats:
        """The sums of each group of events; `group` is the number of each event's group."""

    def by_side_group(self, group: Groups, groups: int) -> Floats | None:
        """The sums of each group of sides; None if the metric is defined for whole events only."""
        return None

    @abstractmethod
    def total(self) -> Floats:
        """The sums over all events."""


@dataclass(frozen=True)
class EventSums(MetricSums):
    """One number or more for each event: a value and its weight, unless the metric has its own formula."""

    columns: tuple[Floats, ...]

    def by_block(self, resampling: Resampling) -> Floats:
        """The sum of each column over each block of events."""
        return np.stack([resampling.block_sums(column) for column in self.columns], -1)

    def by_event_group(self, group: Groups, groups: int) -> Floats:
        """The sum of each column over each group of events."""
        everything = np.ones(len(group), np.bool_)
        return np.stack([sum_by_group(group, everything, column, groups) for column in self.columns], -1)

    def total(self) -> Floats:
        """The sum of each column over all events."""
        return np.array([column.sum() for column in self.columns])


@dataclass(frozen=True)
class SideMeans(EventSums):
    """A value for each side, whose mean is the metric; the sums are of the value and of the sides."""

    values: Floats
    sides: Bools
    """The sides included in the mean."""

    def by_side_group(self, group: Groups, groups: int) -> Floats:
        """The sum of the values in each group of sides, and the number of sides."""
        parts = self.values, np.ones(len(self.values))
        return np.stack([sum_by_group(group, self.sides, part, groups) for part in parts], -1)


def ratio(sums: Floats) -> Floats:
    """The sum divided by the weight (last axis), or NaN if the weight is 0."""
    with np.errstate(invalid="ignore"):
        values: Floats = sums[..., 0] / np.where(sums[..., 1] > 0.0, sums[..., 1], np.nan)
    return values
