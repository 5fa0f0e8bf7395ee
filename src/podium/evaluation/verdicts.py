"""Which system is best, and which others are worse by more than noise: as names and in words.

Which metric decides where nobody names one: the same for a history in backtests, reports and tuning.

Two systems by one metric on the same resampled events, and whether a difference is shown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from podium.evaluation.block_bootstrap import TOO_FEW
from podium.evaluation.metrics import Metric
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.evaluation.metrics.rank_deviation import RANK_DEVIATION
from podium.history import History
from podium.notebooks import html_table
from podium.text import listed, percent, write_number

if TYPE_CHECKING:
    from podium.evaluation.backtest_results import Backtest


Standing = Literal["best", "level", "worse", "not comparable"]
"""How a system stands against the best: itself the best, not shown to be worse, shown to be worse, or scored
on other rows."""

STANDING_WORDS: dict[Standing, str] = {
    "best": "best",
    "level": "≈ best",
    "worse": "worse",
    "not comparable": "scored on other rows",
}
"""What tables and pictures say of a standing."""
NAMED_IN_HEADLINE = 3
"""If more systems than this are worse than the best, a headline counts them instead of naming them."""


@dataclass(frozen=True)
class Verdict:
    """The systems of a backtest against the best one, within one scope and by one metric."""

    scope: str
    metric: Metric
    standings: dict[str, Standing]
    """The systems that have the metric, best first."""
    text: str
    """The same as a sentence; empty if no system has the metric."""

    @property
    def best(self) -> str | None:
        """The system with the best value, the first of several with the same; None if no system has one."""
        return next(iter(self.standings), None)

    def named(self, standing: Standing) -> list[str]:
        """The systems that stand like this, best first."""
        return [name for name, own in self.standings.items() if own == standing]

    def headline(self) -> str:
        """A short sentence: the best system, those that are level with it, and how many are worse."""
        if self.best is None:
            return ""
        level, worse, apart = (self.named(kind) for kind in ("level", "worse", "not comparable"))
        one = len(self.standings) == 1
        parts = [f"{self.best} is {'the only one measured' if one else 'best'} by {self.metric.words}"]
        if level:
            parts.append(f"the difference to {listed(level)} is not significant")
        if worse:
            who = f"the other {len(worse)} systems" if len(worse) > NAMED_IN_HEADLINE else listed(worse)
            parts.append(f"{who} {('are' if worse[1:] else 'is')} significantly worse")
        if apart:
            were = "were" if apart[1:] else "was"
            parts.append(f"{listed(apart)} {were} scored on other rows, so they cannot be compared")
        return f"{self.scope}: {', '.join(parts)}."


def find_verdict(report: Backtest, scope: str, metric: Metric) -> Verdict:
    """How each system stands against the best, by the intervals of their differences."""
    ranked = [name for name, _ in report.ranked(scope, metric)]
    standings: dict[str, Standing] = dict.fromkeys(ranked[:1], "best")
    for name in ranked[1:]:
        found = report.compare(name, ranked[0], metric=metric.name, scope=scope)
        standings[name] = "not comparable" if not found.same_rows else "worse" if found.shown else "level"
    return Verdict(scope, metric, standings, _sentence(report, scope, metric, standings))


def _sentence(report: Backtest, scope: str, metric: Metric, standings: dict[str, Standing]) -> str:
    """Which system is best, and whether the next is worse by more than noise; empty if no system is there."""
    ranked = report.ranked(scope, metric)
    if not ranked:
        return ""
    best, value = ranked[0]
    if len(ranked) == 1:
        words = f"{best} has {article(metric)} {metric.name} of {metric.write(value)}"
        words += ", with no other system to compare"
        return f"{scope}: {words}."
    if (equal := [name for name, other in ranked if other == value])[1:]:
        words = f"{listed(equal)} are equal by {metric.name}, {metric.write(value)}"
        said, named = f"{scope}: {words}.", equal
    else:
        found = report.compare(ranked[1][0], best, metric=metric.name, scope=scope)
        words = f"{best} is best by {metric.name}, {metric.write(value)}. Next is {found.first}, "
        words += f"{metric.write(ranked[1][1])}, {_how_sure(found, metric)}"
        said, named = f"{scope}: {words}.", [found.first]
    if level := [name for name, own in standings.items() if own == "level" and name not in named]:
        said += f" Not significantly worse than {best}: {listed(level)}."
    return said + _others(report, scope, metric, None if equal[1:] else best)


def article(metric: Metric) -> str:
    """The article before its name."""
    return "an" if metric.name[0] in "aeiou" else "a"


def _how_sure(found: Comparison, metric: Metric) -> str:
    """Whether the first is worse than the second by more than noise."""
    if not found.same_rows:
        return (
            f"but other rows were scored ({found.rows[1]:,} of {found.second}, {found.rows[0]:,} of "
            f"{found.first}), so they cannot be compared"
        )
    if found.too_few:
        return f"but there are {TOO_FEW}"
    if not found.shown:
        return (
            f"but this may be chance: the difference is not significant ({found.second} is better in "
            f"{percent(1 - found.better)} of resamples)"
        )
    low, high = sorted((abs(found.low), abs(found.high)))
    return (
        f"significantly worse, by {metric.write(abs(found.difference), 1)} (95%: "
        f"{metric.write(low, 1)} to {metric.write(high, 1)})"
    )


def _others(report: Backtest, scope: str, metric: Metric, best: str | None) -> str:
    """Who is ahead by the other metrics, whether by more than noise or not."""
    winners: dict[str, list[str]] = {}
    for other in report.metrics:
        ranked = report.ranked(scope, other)
        # A metric that one system alone has, or in which two are equal, puts nobody ahead.
        if other != metric and len(ranked) > 1 and ranked[0][1] != ranked[1][1]:
            winners.setdefault(ranked[0][0], []).append(other.name)
    same = [] if best is None else winners.pop(best, [])
    words = [f"the same ({listed(same)})"] if same else []
    words += [f"{name} ({listed(names)})" for name, names in winners.items()]
    return f" First by other metrics: {listed(words)}." if words else ""


def is_two_sided(history: History) -> bool:
    """Whether every event has two sides.

    >>> is_two_sided(History.from_matches(["ann"], ["bob"]))
    True
    """
    return not bool(np.any(history.sides_per_event > 2))


def leading_metric(two_sided: bool) -> Metric:
    """The log loss of matches, whose chances people use; of contests the order, which they look at."""
    return LOG_LOSS if two_sided else RANK_DEVIATION


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems compared by one metric on the same events.

    Attributes:
        first: The first system's name.
        second: The second system's name.
        metric: The metric's name.
        scope: The name of the rows it was measured on.
        values: The metric of the first and of the second system.
        difference: The first system's value minus the second's.
        low: The lower end of the difference's 95% confidence interval. NaN if there are too few events.
        high: The upper end of that interval.
        better: The share of resamples in which the first system is better. Ties count half.
        rows: Number of scored sides of each system.
        same_rows: Whether these are the same sides. A scope by deviation chooses others for each system.
        higher_is_better: Whether a higher value of the metric is better.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"] * 20, ["bob", "cat", "cat"] * 20)
    >>> found = podium.evaluate(matches, ["elo", "glicko2"]).compare("elo", "glicko2")
    >>> found.first, found.second, found.metric, found.scope
    ('elo', 'glicko2', 'log-loss', 'everyone')
    """

    first: str
    second: str
    metric: str
    scope: str
    values: tuple[float, float]
    difference: float
    low: float
    high: float
    better: float
    rows: tuple[int, int]
    same_rows: bool
    higher_is_better: bool = False

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
        """The better system. None if the difference may be noise."""
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
            return f"{values}. Difference {write_number(self.difference, '+.4f')}: {TOO_FEW}"
        said = "no significant difference" if self.winner is None else f"{self.winner} is better"
        difference, low, high = (write_number(x, "+.4f") for x in (self.difference, self.low, self.high))
        return (
            f"{values}. Difference {difference} [{low}, {high}]: {said} (the first is better in "
            f"{percent(self.better)} of resamples)"
        )
