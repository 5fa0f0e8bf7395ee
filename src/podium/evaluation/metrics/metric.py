"""What a metric is: a name, how it is computed, and how it is written.

>>> from podium import Elo, History, Metric, evaluate
>>> error = Metric("absolute-error", lambda scored: abs(scored.score - scored.expected), summary="|s − p|")
>>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
>>> report = evaluate(history, Elo(), metrics=["brier", error], scopes="everyone")
>>> report.summary["absolute_error"].round(3).to_list()
[0.477]
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats
from podium.cluster.processes import check_sendable
from podium.errors import ParameterError
from podium.evaluation.metrics.metric_sums import MetricSums, ratio
from podium.evaluation.metrics.scored_sides import Scored
from podium.named import Named
from podium.text import shorten, write_number

NEEDS = ("expected", "ratings", "outcomes")


@dataclass(frozen=True, eq=False, repr=False)
class Metric(Named, kind="metric", own="podium.Metric.register"):
    """A way to judge predictions, by name: one of podium's own, or yours.

    `measure` takes the scored sides of all measured events (`Scored`). It returns one number for each side,
    and the metric is their mean. It may return `scored.mean(values, sides)`, the mean over some sides. With
    `scored.sums(total, weight)`, two numbers for each event, the metric is the ratio of their sums. Groups,
    periods, intervals and comparisons follow from that.

    Attributes:
        name: Letters, digits and "-"; its column in tables has "_" instead.
        measure: Computes the sums of the metric, a row for each event.
        summary: The meaning of the metric, as a sentence.
        higher_is_better: Whether a higher value is better.
        needs: Its input: "expected" scores, the order by "ratings", or the probabilities of "outcomes".
        percent: Whether its values are percentages.
        digits: Number of decimals shown. Default: 2 for percentages, 4 for others.
        short: Its name in narrow tables. Default: its name.
        value: Computes the metric from its sums (last axis). Default: the first divided by the second.
        noise_adds: Whether noise can only make it larger, as for distances. Resampled values are corrected
            for it.

    >>> import podium
    >>> misses = podium.Metric("misses", lambda scored: abs(scored.score - scored.expected) > 0.4)
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"] * 20, ["bob", "cat", "cat"] * 20)
    >>> podium.evaluate(matches, ["elo"], metrics=[misses]).summary["misses"].round(1).to_list()
    [0.1, 0.0]
    """

    name: str
    measure: Callable[[Scored], ArrayLike | MetricSums]
    summary: str = ""
    higher_is_better: bool = False
    needs: Collection[str] = ("expected",)
    percent: bool = False
    digits: int | None = None
    short: str = ""
    value: Callable[[Floats], Floats] = ratio
    noise_adds: bool = False

    def __post_init__(self) -> None:
        if not callable(self.measure):
            raise ParameterError(
                f"the metric {self.name!r} is computed by {shorten(repr(self.measure))}",
                hint="give a function of the scored sides",
            )
        needs = frozenset([self.needs] if isinstance(self.needs, str) else self.needs)
        if unknown := needs.difference(NEEDS):
            raise ParameterError(
                f"the metric {self.name!r} needs {min(unknown)!r}", hint=f"there are {', '.join(NEEDS)}"
            )
        object.__setattr__(self, "needs", needs | {"expected"} if "outcomes" in needs else needs)
        self.check_name()

    # ------------------------------------------------------------------ measuring

    @property
    def needs_expected(self) -> bool:
        """Whether it uses expected scores. Otherwise it uses only ratings."""
        return "expected" in self.needs

    @property
    def needs_outcomes(self) -> bool:
        """Whether it uses the probabilities of win, draw and loss."""
        return "outcomes" in self.needs

    def sums(self, scored: Scored) -> MetricSums:
        """The sums for the scored sides, which can be added over any events."""
        found = self.measure(scored)
        return found if isinstance(found, MetricSums) else scored.mean(found)

    def resampled(self, sums: Floats, known: float) -> Floats:
        """The metric of each resample. `known` is its value for the events themselves."""
        values = self.value(sums)
        there = values[~np.isnan(values)]  # a resample may have drawn nothing that is scored
        if not self.noise_adds or not len(there):
            return values
        back: Floats = values - (there.mean() - known)
        return back

    def check_sendable(self) -> None:
        """Refuse a metric that cannot be sent to another process, such as one with a lambda."""
        for function in (self.measure, self.value):
            check_sendable(function, f"the metric {self.name}")

    def better(self, a: float, b: float) -> bool:
        """Whether value `a` is better than `b`."""
        return a > b if self.higher_is_better else a < b

    # ------------------------------------------------------------------ writing

    @property
    def column(self) -> str:
        """The name of its column in tables."""
        return self.name.replace("-", "_")

    @property
    def words(self) -> str:
        """Its name in prose, with spaces."""
        return self.name.replace("-", " ")

    @property
    def heading(self) -> str:
        """Its name in narrow tables."""
        return self.short or self.words

    @property
    def decimals(self) -> int:
        """Number of decimals shown."""
        return self.digits if self.digits is not None else 2 if self.percent else 4

    def write(self, value: float | None, more: int = 0, *, sign: bool = False) -> str:
        """The value as text with its usual decimals, and `more` of them."""
        return write_number(value, f"{'+' if sign else ''}.{self.decimals + more}f")

    def __repr__(self) -> str:
        return f"<Metric {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle its fields, as another process may not have registered it."""
        return copyreg.__newobj__, (type(self),), self.__dict__  # type: ignore[attr-defined]
