"""What to make of a backtest, in plain sentences: which system to use, how sure that is, and warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.evaluation.block_bootstrap import TOO_FEW
from podium.evaluation.event_predictions import MEAN_PAST_RESULT
from podium.evaluation.metrics import Metric
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.evaluation.metrics.metric_sums import ratio
from podium.evaluation.metrics.pairs_right import PAIRS_RIGHT
from podium.evaluation.verdicts import Verdict, article, find_verdict
from podium.text import counted, listed

if TYPE_CHECKING:
    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.verdicts import Comparison

COIN_LOG_LOSS = math.log(2.0)
"""The log loss of who expects half a point of everybody."""
COIN_PAIRS_RIGHT = 50.0
FEWEST_EVENTS = 100
"""With fewer events to judge there is no advice but the preset: intervals of so few are too narrow."""
WARM_UP = 0.1
"""The part of the events from which systems only learn before there is advice; the rest is judged."""
HOME_MATTERS = 0.005
"""How far from what was expected home sides score where that is told: less costs under 0.0001 of log loss."""
NAMED = 3
"""Of more systems than this, the first are named and the others counted."""


def events_of_advice(events: int) -> int:
    """How many of so many events advice judges.

    >>> events_of_advice(30)
    27
    """
    return events - math.ceil(WARM_UP * events)


@dataclass(frozen=True)
class Conclusions:
    """What to make of a backtest."""

    sentences: tuple[str, ...]
    """Which system to use, and how sure that is; the most important sentence first."""
    warnings: tuple[str, ...]
    """What is wrong with systems; each begins with "warning:"."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences, then the warnings."""
        return self.sentences + self.warnings


def find_conclusions(report: Backtest, metric: Metric) -> Conclusions:
    """What to make of a backtest, where `metric` decides which system is best."""
    found = [find_verdict(report, scope.name, metric) for scope in report.scopes]
    verdicts = [verdict for verdict in found if verdict.best is not None]
    sentences = []
    if verdicts:
        first, *others = verdicts
        sentences = [
            _recommendation(report, first),
            *_against_coin(report, first),
            *_against_means(report, first),
        ]
        sentences += [*_elsewhere(report, first, others), *_about_preset(report, first)]
        sentences += _about_tuning(report, first)
    warnings = [*_worse_than_coin(report), *_worse_than_means(report, verdicts), *_home_sides(report)]
    return Conclusions(tuple(sentences), tuple(f"warning: {words}" for words in warnings))


# ---------------------------------------------------------------------- which system to use


def _recommendation(report: Backtest, verdict: Verdict) -> str:
    best, metric = verdict.best, verdict.metric
    assert best is not None
    number = metric.write(report.result(best, verdict.scope).value(metric))
    value = f"{metric.words} {number}"
    if len(verdict.standings) == 1:
        return (
            f"{best} has {article(metric)} {metric.words} of {number}. There is no other system to compare."
        )
    if verdict.named("not comparable"):
        why = "systems were scored on different rows, so they cannot be compared"
        return f"{best} has the best {value}, but {why}."
    level = verdict.named("level")
    if not level:
        others = "the others are" if len(verdict.standings) > 2 else "the other is"
        return f"Use {best}: it predicts best ({value}), and {others} significantly worse."
    if report.compare(level[0], best, metric=metric.name, scope=verdict.scope).too_few:
        return f"{best} predicts best ({value}), but there are {TOO_FEW}."
    return (
        f"Use {best}: it predicts best ({value}), but {_some(level)} may be as good: the "
        "difference is not significant."
    )


def _against_coin(report: Backtest, verdict: Verdict) -> Iterator[str]:
    """Whether the best system predicts better than a coin."""
    metric, coin = (LOG_LOSS, COIN_LOG_LOSS) if report.two_sided else (PAIRS_RIGHT, COIN_PAIRS_RIGHT)
    low, high = _ends(report, str(verdict.best), verdict.scope, metric)
    if low <= coin if metric.higher_is_better else high >= coin:
        none = "It is not" if len(verdict.standings) == 1 else f"Even {verdict.best} is not"
        yield f"{none} significantly better than a coin flip ({metric.words} {metric.write(coin)})."


def _against_means(report: Backtest, verdict: Verdict) -> Iterator[str]:
    """Whether the best system predicts better than the mean of past results."""
    found = _compared_with_means(report, verdict.best, verdict)
    if found is None or (found.shown and found.winner == verdict.best):
        return
    value = f"{verdict.metric.words} {verdict.metric.write(found.values[1])}"
    none = "It is not" if len(verdict.standings) == 1 else "No system is"
    yield f"{none} significantly better than predicting each side's mean past result ({value})."


def _elsewhere(report: Backtest, first: Verdict, others: Sequence[Verdict]) -> Iterator[str]:
    """Scopes in which the system to use is worse than another by more than noise."""
    for verdict in others:
        if first.best in verdict.named("worse"):
            yield f"Within {verdict.scope}, {verdict.best} is significantly better."


def _about_preset(report: Backtest, verdict: Verdict) -> Iterator[str]:
    preset, metric = report.preset, verdict.metric
    if preset is None or preset not in verdict.standings or len(verdict.standings) == 1:
        return
    usual = f"{preset}, podium's default for these results,"
    standing = verdict.standings[preset]
    if standing == "best":
        yield f"podium's default for these results is {preset}."
    elif standing == "level":
        yield f"{usual} is not significantly worse."
    elif standing == "worse":
        found = report.compare(preset, str(verdict.best), metric=metric.name, scope=verdict.scope)
        yield f"{usual} is significantly worse, by {metric.write(abs(found.difference), 1)}."
        events = None if report.history is None else events_of_advice(len(report.history))
        if events is not None and events < FEWEST_EVENTS:
            yield (
                f"podium advise recommends {preset} all the same: it needs {FEWEST_EVENTS} events after the "
                f"first tenth, and there are {events}. Intervals of so few are too narrow."
            )


def _about_tuning(report: Backtest, verdict: Verdict) -> Iterator[str]:
    """Whether the best system would have been found without tuning."""
    if report.tuned is None:
        return
    first = counted(report.first_event, "event")
    yield f"Parameters were tuned on the first {first}, and all systems measured on the later ones."
    given = [name for name in verdict.standings if name not in report.tuned]
    if as_they_were := [n for n in given if n in report.searched and n not in report.tuned.values()]:
        yield f"Tuning found nothing better for {_some(as_they_were)}."
    best = str(verdict.best)
    if report.tuned.get(best, best) != given[0]:
        yield f"Defaults alone mislead: without tuning, {given[0]} looks best."
    elif len(given) > 1:
        yield f"{given[0]} is also the best of those that were not tuned."


# ---------------------------------------------------------------------- warnings


def _worse_than_coin(report: Backtest) -> Iterator[str]:
    named: set[tuple[str, str]] = set()
    for scope in report.scopes:
        for metric, coin, cure in (
            (
                LOG_LOSS,
                COIN_LOG_LOSS,
                "do not use these chances directly: calibration=learned or tuning corrects them",
            ),
            (PAIRS_RIGHT, COIN_PAIRS_RIGHT, "the ratings order players the wrong way round"),
        ):
            worse = []
            for result in report.results if metric in report.metrics else ():
                low, high = _ends(report, result.name, scope.name, metric)
                is_worse = high < coin if metric.higher_is_better else low > coin
                if is_worse and (result.name, metric.name) not in named:
                    worse.append(result.name)
            named |= {(name, metric.name) for name in worse}
            if worse:
                who = _values(report, worse, scope.name, metric)
                yield (
                    f"within {scope.name}, {who} predicted significantly worse than a coin flip "
                    f"({metric.words} {metric.write(coin)}): {cure}."
                )


def _worse_than_means(report: Backtest, verdicts: Sequence[Verdict]) -> Iterator[str]:
    named: set[str] = set()
    for verdict in verdicts:
        worse = []
        for name in verdict.standings:
            found = _compared_with_means(report, name, verdict)
            if found is not None and found.winner == MEAN_PAST_RESULT and name not in named:
                worse.append(name)
        named |= set(worse)
        if worse:
            metric = verdict.metric
            who = _values(report, worse, verdict.scope, metric)
            value = metric.write(report.result(MEAN_PAST_RESULT, verdict.scope).value(metric))
            yield (
                f"within {verdict.scope}, {who} predicted significantly worse than each side's mean past "
                f"result ({metric.words} {value})."
            )


def _home_sides(report: Backtest) -> Iterator[str]:
    """Systems that expect too little or too much of the side at home, within the first scope."""
    if report.notes:  # winners named first are no home sides
        return
    too_low, too_high = [], []
    score = 0.0
    for result in report.results:
        for scope in result.scopes[:1]:
            matches, p, s = scope.home.sum(axis=0).tolist()
            if matches == 0.0 or abs(s - p) < HOME_MATTERS * matches:
                continue
            drawn, score = report.resampling.resampled(scope.home), s / matches
            apart = ratio(drawn[:, [2, 0]]) - ratio(drawn[:, [1, 0]])
            low, high = report.resampling.interval(apart, scope.home)
            said = f"{p / matches:.3f} ({result.name})"
            too_low += [said] if low > 0.0 else []
            too_high += [said] if high < 0.0 else []
    for wrong, how_often, cure in (
        (too_low, "more", "a home_advantage"),
        (too_high, "less", "a lower home_advantage, which may be negative,"),
    ):
        if wrong:
            yield (
                f"the home side wins significantly {how_often} often than predicted: its mean score is "
                f"{score:.3f}, and {_some(wrong)} was expected. To correct this, use {cure} or "
                "calibration=learned. Tuning finds the amount."
            )


# ---------------------------------------------------------------------- helpers


def _compared_with_means(report: Backtest, name: str | None, verdict: Verdict) -> Comparison | None:
    """A system and the mean of past results; None where one of them was not measured."""
    scopes = () if report.baseline is None else report.baseline.scopes
    own = [scope for scope in scopes if scope.scope.name == verdict.scope]
    if name is None or not own or math.isnan(own[0].value(verdict.metric)):
        return None
    return report.compare(name, MEAN_PAST_RESULT, metric=verdict.metric.name, scope=verdict.scope)


def _ends(report: Backtest, system: str, scope: str, metric: Metric) -> tuple[float, float]:
    """The interval of a metric; not numbers where the system is not scored in the scope."""
    if f"{system}, {scope}" in report.refused:
        return math.nan, math.nan
    return report.interval_of(system, report.result(system, scope), metric)


def _values(report: Backtest, names: Sequence[str], scope: str, metric: Metric) -> str:
    """Systems with their values, as words."""
    return _some([f"{name} ({metric.write(report.result(name, scope).value(metric))})" for name in names])


def _some(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - NAMED
    return listed([*names[:NAMED], f"{more} more"] if more > 0 else names)
