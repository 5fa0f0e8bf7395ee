"""What a metric is computed from: predictions, what happened, and whose predictions are scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Bools, Floats, Ints
from podium.errors import ParameterError
from podium.evaluation.block_bootstrap import sum_by_event
from podium.evaluation.event_predictions import Predictions
from podium.evaluation.metrics.calibration_bins import BINS, Spacing
from podium.evaluation.metrics.metric_sums import EventSums, SideMeans
from podium.evaluation.order_accuracy import Ordered, Ties, falling_order, order_sides
from podium.evaluation.scopes import Scope
from podium.evaluation.standings import Standings
from podium.systems import RatingSystem


class Measured:
    """Predictions, and values derived from them that all scopes share; computed when first used."""

    def __init__(
        self, predictions: Predictions, ties: Ties = "fair", bins: int = BINS, spacing: Spacing = "width"
    ) -> None:
        self.predictions, self.ties = predictions, ties
        self.bins, self.spacing = bins, spacing
        self.standings = predictions.standings
        self._found: dict[Callable[[Predictions], Floats], Floats] = {}

    def once(self, values: Callable[[Predictions], Floats]) -> Floats:
        """The function's value for the predictions, computed once for all scopes."""
        if values not in self._found:
            self._found[values] = values(self.predictions)
        return self._found[values]

    @cached_property
    def by_strength(self) -> Ints:
        """The sides of each event ordered by strength."""
        return falling_order(self.standings, self.predictions.strength)

    @cached_property
    def by_expected(self) -> Ints:
        """The sides of each event ordered by expected score."""
        return falling_order(self.standings, self.predictions.expected)

    def within(self, scope: Scope, system: RatingSystem | None) -> Scored:
        """The predictions with the sides that a scope scores."""
        return Scored(self, scope, scope.scored(self.standings, system, self.predictions.sigma))


@dataclass(frozen=True)
class Scored:
    """Predictions within a scope: the argument of every metric.

    Arrays have one number for each side, unless their description says one for each event. They include the
    sides that are not scored; `sides` says which are.
    """

    measured: Measured
    scope: Scope
    sides: Bools
    """For each side, whether it is scored."""

    # ------------------------------------------------------------------ what was predicted, what happened

    @property
    def predictions(self) -> Predictions:
        """The predictions for all sides, scored or not."""
        return self.measured.predictions

    @property
    def standings(self) -> Standings:
        """The results of all sides, scored or not."""
        return self.measured.standings

    @property
    def score(self) -> Floats:
        """Each side's mean score against the other sides: 1, ½, 0 or the share of a point."""
        return self.standings.score

    @property
    def expected(self) -> Floats:
        """Each side's expected mean score; for metrics that need "expected"."""
        return self._asked_for("expected", self.predictions.expected, len(self.sides))

    @property
    def happened(self) -> Floats:
        """The predicted probability of each event's result; NaN unless two sides. Needs "outcomes"."""
        return self._asked_for("outcomes", self.predictions.happened, len(self.standings))

    @property
    def rating(self) -> Floats:
        """The rating of each side before the event; for a team the mean of its members."""
        return self.predictions.rating

    @cached_property
    def count(self) -> Floats:
        """The number of scored sides in each event."""
        return self.sum_by_event(np.ones(len(self.sides)))

    @cached_property
    def ordered_sides(self) -> Bools:
        """The scored sides of events that were not a tie of all scored sides."""
        return self.sides & np.repeat(self.ordered.decided > 0.0, self.standings.counts)

    @cached_property
    def ordered(self) -> Ordered:
        """The results compared with the order by rating."""
        measured = self.measured
        strength = measured.predictions.strength
        return order_sides(measured.standings, strength, self.sides, measured.ties, measured.by_strength)

    @cached_property
    def ordered_by_expected(self) -> Ordered:
        """The results compared with the order by expected score."""
        measured, predictions = self.measured, self.predictions
        if measured.standings.teams.all() or (
            predictions.rating is predictions.expected and measured.ties == "fair"
        ):
            return self.ordered  # by the same strengths
        return order_sides(measured.standings, self.expected, self.sides, "fair", measured.by_expected)

    # ------------------------------------------------------------------ what a metric makes of it

    def once(self, values: Callable[[Predictions], Floats]) -> Floats:
        """The function's value for the predictions, computed once for all scopes."""
        return self.measured.once(values)

    def sum_by_event(self, values: Floats, sides: Bools | None = None) -> Floats:
        """The sum of a value over the scored sides of each event, or over `sides` of them."""
        return sum_by_event(self.standings.offsets, self.sides if sides is None else sides, values)

    def mean(self, values: ArrayLike, sides: Bools | None = None) -> SideMeans:
        """A metric that is the mean of a value of each side, over the scored sides or over `sides`."""
        found = _column(values, len(self.sides), "sides")
        chosen = self.sides if sides is None else sides
        weight = self.count if sides is None else self.sum_by_event(np.ones(len(found)), chosen)
        return SideMeans((self.sum_by_event(found, chosen), weight), found, chosen)

    def sums(self, *columns: ArrayLike) -> EventSums:
        """A metric from columns of one number per event: value and weight, or what `Metric.value` uses."""
        return EventSums(tuple(_column(column, len(self.standings), "events") for column in columns))

    def _asked_for(self, need: str, values: Floats, length: int) -> Floats:
        if len(values) != length:
            raise ParameterError(
                f"the metric uses {need!r} without declaring it", hint=f'give it needs=("{need}",)'
            )
        return values


def _column(values: ArrayLike, length: int, what: str) -> Floats:
    found = np.ascontiguousarray(values, np.float64)
    if found.shape != (length,):
        raise ParameterError(
            f"a metric measured an array of shape {found.shape} for {length:,} {what}",
            hint="return one number per side, or scored.sums of numbers per event",
        )
    return found
