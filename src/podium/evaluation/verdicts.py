"""Which system is best, and which others are worse by more than noise: as names and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from podium.evaluation.block_bootstrap import TOO_FEW
from podium.evaluation.metrics import Metric
from podium.text import listed, percent

if TYPE_CHECKING:
    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.comparisons import Comparison


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
            parts.append(f"no difference to {listed(level)} is shown")
        if worse:
            who = f"the other {len(worse)} systems" if len(worse) > NAMED_IN_HEADLINE else listed(worse)
            parts.append(f"{who} {'are' if worse[1:] else 'is'} worse by more than noise")
        if apart:
            were = "were" if apart[1:] else "was"
            parts.append(f"{listed(apart)} {were} scored on other rows, which does not tell who is better")
        return f"{self.scope}: {'; '.join(parts)}."


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
        words += "; there is no other to compare"
        return f"{scope}: {words}."
    if (equal := [name for name, other in ranked if other == value])[1:]:
        words = f"{listed(equal)} are equal by {metric.name}, {metric.write(value)}"
        said, named = f"{scope}: {words}.", equal
    else:
        found = report.compare(ranked[1][0], best, metric=metric.name, scope=scope)
        words = f"{best} is best by {metric.name}, {metric.write(value)}; next is {found.first}, "
        words += f"{metric.write(ranked[1][1])}, {_how_sure(found, metric)}"
        said, named = f"{scope}: {words}.", [found.first]
    if level := [name for name, own in standings.items() if own == "level" and name not in named]:
        said += f" Not shown to be worse than {best}: {listed(level)}."
    return said + _others(report, scope, metric, None if equal[1:] else best)


def article(metric: Metric) -> str:
    """The article before its name."""
    return "an" if metric.name[0] in "aeiou" else "a"


def _how_sure(found: Comparison, metric: Metric) -> str:
    """Whether the first is worse than the second by more than noise."""
    if not found.same_rows:
        return (
            f"but other rows were scored ({found.rows[1]:,} of {found.second}, {found.rows[0]:,} of "
            f"{found.first}): that does not tell who is better"
        )
    if found.too_few:
        return f"but there are {TOO_FEW}"
    if not found.shown:
        return (
            "but that may be noise: no difference is shown "
            f"({found.second} is better in {percent(1 - found.better)} of resamples)"
        )
    low, high = sorted((abs(found.low), abs(found.high)))
    return (
        f"worse by {metric.write(abs(found.difference), 1)}, which is more than noise "
        f"(95%: {metric.write(low, 1)} to {metric.write(high, 1)})"
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
    words = [f"the same by {', '.join(same)}"] if same else []
    words += [f"{name} by {', '.join(names)}" for name, names in winners.items()]
    return f" Ahead by other metrics: {'; '.join(words)}." if words else ""
