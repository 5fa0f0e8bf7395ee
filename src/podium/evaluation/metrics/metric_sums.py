"""What a metric measured, as sums that can be added up over any events: blocks, periods, all of them.

Whatever is summed up like that has intervals, comparisons and groups for nothing: `Metric.value` makes a
number of the sums, whichever events they are of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from podium.arrays import Bools, Floats
from podium.evaluation.block_bootstrap import Resampling
from podium.evaluation.sums import Groups, sum_by_group


class MetricSums(ABC):
    """Sums of one metric; the first axis of what is returned are blocks or groups."""

    @abstractmethod
    def by_block(self, resampling: Resampling) -> Floats:
        """The sums of each block of consecutive events."""

    @abstractmethod
    def by_event_group(self, group: Groups, groups: int) -> Floats:
        """The sums of each group of events; `group` says which one each event is of."""

    def by_side_group(self, group: Groups, groups: int) -> Floats | None:
        """The sums of each group of sides; None where a metric is of whole events."""
        return None

    @abstractmethod
    def total(self) -> Floats:
        """The sums of all events."""


@dataclass(frozen=True)
class EventSums(MetricSums):
    """Some numbers an event, a column each: a sum and its weight, unless the metric has another formula."""

    columns: tuple[Floats, ...]

    def by_block(self, resampling: Resampling) -> Floats:
        """The columns' sums over each block."""
        return np.stack([resampling.block_sums(column) for column in self.columns], -1)

    def by_event_group(self, group: Groups, groups: int) -> Floats:
        """The columns' sums over each group of events."""
        everything = np.ones(len(group), np.bool_)
        return np.stack([sum_by_group(group, everything, column, groups) for column in self.columns], -1)

    def total(self) -> Floats:
        """The columns' sums over all events."""
        return np.array([column.sum() for column in self.columns])


@dataclass(frozen=True)
class SideMeans(EventSums):
    """A value a side, of which the metric is the mean; the columns are their sum and the number of sides."""

    values: Floats
    sides: Bools
    """The sides it is the mean of."""

    def by_side_group(self, group: Groups, groups: int) -> Floats:
        """The values' sums over each group of sides, and how many sides there are."""
        parts = self.values, np.ones(len(self.values))
        return np.stack([sum_by_group(group, self.sides, part, groups) for part in parts], -1)


def ratio(sums: Floats) -> Floats:
    """Sum over weight, the last axis; NaN where there is no weight."""
    with np.errstate(invalid="ignore"):
        values: Floats = sums[..., 0] / np.where(sums[..., 1] > 0.0, sums[..., 1], np.nan)
    return values
