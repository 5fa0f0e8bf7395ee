"""In words: which system is best, and whether the next is worse by more than noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.evaluation.metrics import Metric

if TYPE_CHECKING:
    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.comparisons import Comparison


def verdict(report: Backtest, scope: str, metric: Metric) -> str:
    """A sentence on which system is best in a scope by a metric; empty if no system has it."""
    ranked = report.ranked(scope, metric)
    if not ranked:
        return ""
    best, value = ranked[0]
    if len(ranked) == 1:
        article = "an" if metric.name[0] in "aeiou" else "a"
        words = f"{best} has {article} {metric.name} of {metric.write(value)}"
        words += "; there is no other to compare"
        return f"{scope}: {words}."
    if (equal := [name for name, other in ranked if other == value])[1:]:
        names = f"{', '.join(equal[:-1])} and {equal[-1]}"
        words = f"{names} are equal by {metric.name}, {metric.write(value)}"
        return f"{scope}: {words}.{_others(report, scope, metric, None)}"
    found = report.compare(ranked[1][0], best, metric=metric.name, scope=scope)
    words = f"{best} is best by {metric.name}, {metric.write(value)}; next is {found.first}, "
    words += f"{metric.write(ranked[1][1])}, {_how_sure(found, metric)}"
    return f"{scope}: {words}.{_others(report, scope, metric, best)}"


def level_with_best(report: Backtest, scope: str, metric: Metric) -> set[str]:
    """The systems that are not worse than the best one by more than noise, on the same rows."""
    ranked = [name for name, _ in report.ranked(scope, metric)]
    found = [report.compare(name, ranked[0], metric=metric.name, scope=scope) for name in ranked[1:]]
    return {one.first for one in found if one.same_rows and not one.shown}


def _how_sure(found: Comparison, metric: Metric) -> str:
    """Whether the first is worse than the second by more than noise."""
    if not found.same_rows:
        return (
            f"but other rows were scored ({found.rows[1]:,} of {found.second}, {found.rows[0]:,} of "
            f"{found.first}): that does not tell who is better"
        )
    if found.low != found.low:
        return "and one block of events cannot say how sure that is"
    if not found.shown:
        return (
            "but that may be noise: no difference is shown "
            f"({found.second} is better in {100 * (1 - found.better):.0f}% of resamples)"
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
