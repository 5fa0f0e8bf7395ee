"""Two systems by one metric on the same resampled events, and whether a difference is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

from podium.evaluation.block_bootstrap import TOO_FEW
from podium.text import html_table, percent, write_number


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems compared by one metric on the same events."""

    first: str
    second: str
    metric: str
    scope: str
    values: tuple[float, float]
    difference: float
    """The first system's value minus the second's."""
    low: float
    """In 95% of resamples the difference lies between this and `high`; NaN if there are too few events."""
    high: float
    better: float
    """The share of resamples in which the first system is better; ties count half."""
    rows: tuple[int, int]
    """Number of scored sides of each system."""
    same_rows: bool
    """Whether these are the same sides; a scope by deviation chooses others for each system."""
    higher_is_better: bool = False
    """Whether a higher value of the metric is better."""

    @property
    def shown(self) -> bool:
        """Whether the difference is more than noise: same sides, and an interval without 0."""
        return self.same_rows and (self.low > 0.0 or self.high < 0.0)

    @property
    def too_few(self) -> bool:
        """Whether there are too few events to tell."""
        return math.isnan(self.low)

    @property
    def winner(self) -> str | None:
        """The better system; None if the difference may be noise."""
        if not self.shown:
            return None
        return self.first if (self.difference > 0.0) == self.higher_is_better else self.second

    def _repr_html_(self) -> str:
        rows = [(self.first, self.values[0]), (self.second, self.values[1]), ("difference", self.difference)]
        return html_table(str(self), ("system", self.metric), rows, count=len(rows))

    def __str__(self) -> str:
        values = (
            f"{self.metric} of {self.scope}: {self.first} {self.values[0]:.4f}, {self.second} "
            f"{self.values[1]:.4f}"
        )
        if not self.same_rows:
            return (
                f"{values}: not comparable, as other rows are scored ({self.rows[0]:,} and {self.rows[1]:,})"
            )
        if self.too_few:
            return f"{values}; {write_number(self.difference, '+.4f')}: {TOO_FEW}"
        said = "no difference shown" if self.winner is None else f"{self.winner} is better"
        difference, low, high = (write_number(x, "+.4f") for x in (self.difference, self.low, self.high))
        return (
            f"{values}; {difference} [{low}, {high}]: "
            f"{said} (the first is better in {percent(self.better)} of resamples)"
        )
