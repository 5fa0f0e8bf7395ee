"""The metrics of a backtest, as sums over events.

Every metric but the calibration error is a sum divided by a weight, and both are added up event by event:
parts of a history, periods, intervals and comparisons all come from the same two numbers of each event.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Ints
from podium.errors import ParameterError
from podium.evaluation.event_predictions import Predictions
from podium.evaluation.order_accuracy import Ordered, Ties, falling_order, order_sides
from podium.evaluation.scopes import Scope
from podium.evaluation.score_losses import brier_scores, calibrated_sides, clipped, log_losses, surprisals
from podium.evaluation.sums import Groups, sum_by_event, sum_in_bins
from podium.systems import RatingSystem
from podium.text import known_names


@dataclass(frozen=True, slots=True)
class Metric:
    """A way to judge predictions."""

    name: str
    higher_is_better: bool
    summary: str
    needs_expected: bool = True
    """Whether it takes expected scores; else ratings alone."""
    needs_outcomes: bool = False
    """Whether it takes the chances of win, draw and loss."""
    percent: bool = False
    """Whether its values are percentages."""

    @property
    def column(self) -> str:
        """What its column is called in tables."""
        return self.name.replace("-", "_")

    def better(self, a: float, b: float) -> bool:
        """Whether a value is better than another."""
        return a > b if self.higher_is_better else a < b


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "pair-inversion",
            True,
            "percent of pairs in which the higher rating won or tied",
            needs_expected=False,
            percent=True,
        ),
        Metric(
            "rank-deviation",
            False,
            "percent that places are off those by rating",
            needs_expected=False,
            percent=True,
        ),
        Metric("log-loss", False, "−s ln p − (1 − s) ln(1 − p) of the expected score p"),
        Metric("brier", False, "(s − p)² of the expected score p"),
        Metric("accuracy", True, "percent of decided pairs that the higher p won", percent=True),
        Metric("calibration-error", False, "how far scores are from expected ones of the same height"),
        Metric("three-way-log-loss", False, "−ln p of win, draw or loss", needs_outcomes=True),
    )
}
"""All metrics, by name."""


def find_metric(name: str) -> Metric:
    """The metric called so."""
    if callable(name):
        raise ParameterError("evaluate takes metrics by name", hint="podium.tune takes functions")
    if name not in METRICS:
        raise ParameterError(f"there is no metric {name!r}", hint=known_names(str(name), METRICS))
    return METRICS[name]


def find_metrics(names: Collection[str] | None) -> list[Metric]:
    """The metrics called so, in the order of `METRICS`; all of them where nothing is said."""
    if isinstance(names, str) or callable(names):
        names = [names]
    chosen = list(METRICS.values()) if names is None else [find_metric(name) for name in names]
    if not chosen:
        raise ParameterError("no metric is asked for", hint=f"there are {', '.join(METRICS)}")
    return [metric for metric in METRICS.values() if metric in chosen]


class Sums(NamedTuple):
    """A metric's sum and weight, an event."""

    total: Floats
    weight: Floats

    @property
    def value(self) -> float:
        """The metric of all events; NaN where nothing was measured."""
        weight = float(self.weight.sum())
        return float(self.total.sum()) / weight if weight else np.nan


class Measured:
    """Predictions and what is known of them whatever the scope, found when it is needed."""

    def __init__(self, predictions: Predictions, ties: Ties = "fair") -> None:
        self.predictions, self.ties = predictions, ties
        self.standings = predictions.standings

    @cached_property
    def losses(self) -> Floats:
        """The log loss of each side."""
        return log_losses(self.standings.score, self.predictions.expected)

    @cached_property
    def briers(self) -> Floats:
        """The Brier score of each side."""
        return brier_scores(self.standings.score, self.predictions.expected)

    @cached_property
    def by_strength(self) -> Ints:
        """The sides of each event in the order of their strength."""
        return falling_order(self.standings, self.predictions.strength)

    @cached_property
    def by_expected(self) -> Ints:
        """The sides of each event in the order of what was expected of them."""
        return falling_order(self.standings, self.predictions.expected)

    def within(self, scope: Scope, system: RatingSystem) -> Scored:
        """The sides of a scope."""
        return Scored(self, scope, scope.scored(self.standings, system, self.predictions.sigma))


@dataclass(frozen=True)
class Scored:
    """What was measured within a scope."""

    measured: Measured
    scope: Scope
    sides: Bools
    """The sides that are scored."""

    @cached_property
    def count(self) -> Floats:
        """Scored sides, an event."""
        return self._per_event(self._ones, self.sides)

    @cached_property
    def ordered_sides(self) -> Bools:
        """Scored sides of events in which somebody was before somebody else."""
        return self.sides & np.repeat(self.ordered.decided > 0.0, self.measured.standings.counts)

    @cached_property
    def clipped(self) -> int:
        """Scored sides whose expected score was too near to 0 or 1."""
        return int(np.count_nonzero(clipped(self.measured.predictions.expected) & self.sides))

    @cached_property
    def ordered(self) -> Ordered:
        """Standings beside the order by strength."""
        measured = self.measured
        strength = measured.predictions.strength
        return order_sides(measured.standings, strength, self.sides, measured.ties, measured.by_strength)

    @cached_property
    def ordered_by_expected(self) -> Ordered:
        """Standings beside the order by expected scores."""
        measured = self.measured
        expected = measured.predictions.expected
        if measured.standings.teams.all():
            return self.ordered  # by the same strengths
        return order_sides(measured.standings, expected, self.sides, "fair", measured.by_expected)

    def sums(self, metric: str) -> Sums:
        """A metric's sum and weight in each event."""
        if (found := self.side_values(metric)) is not None:
            values, sides = found
            weight = self.count if sides is self.sides else self._per_event(self._ones, sides)
            return Sums(self._per_event(values, sides), weight)
        if metric == "accuracy":
            return Sums(100.0 * self.ordered_by_expected.foretold, self.ordered_by_expected.decided)
        return self._three_way()

    def side_values(self, metric: str) -> tuple[Floats, Bools] | None:
        """A metric's value for each side and the sides it is the mean of; None if it is of whole events."""
        if metric == "log-loss":
            return self.measured.losses, self.sides
        if metric == "brier":
            return self.measured.briers, self.sides
        if metric == "pair-inversion":
            return 100.0 * self.ordered.correct, self.ordered_sides
        if metric == "rank-deviation":
            return 100.0 * self.ordered.distance, self.ordered_sides
        return None

    def _three_way(self) -> Sums:
        """Only where draws have a chance: elsewhere it would be the log loss with draws called impossible."""
        happened = self.measured.predictions.happened
        weight = ((self.count == 2.0) & ~np.isnan(happened)).astype(np.float64)
        if not self.measured.predictions.draws:
            weight[:] = 0.0
        return Sums(np.where(weight > 0.0, surprisals(happened), 0.0), weight)

    def bins(self, edges: Floats, group: Groups, groups: int) -> Floats:
        """Sides, Σp and Σs by the height of p, for each group of events."""
        standings = self.measured.standings
        return sum_in_bins(
            standings.offsets,
            group,
            groups,
            calibrated_sides(standings, self.sides),
            self.measured.predictions.expected,
            standings.score,
            edges,
        )

    @property
    def _ones(self) -> Floats:
        return np.ones(len(self.sides))

    def _per_event(self, values: Floats, sides: Bools) -> Floats:
        return sum_by_event(self.measured.standings.offsets, sides, values)
