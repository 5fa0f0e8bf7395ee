"""What a trial measures: a metric, or a function of a history and a system; as processes take it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from podium.cluster.processes import check_sendable
from podium.errors import ParameterError, PodiumError
from podium.evaluation.backtest import SCOPES, score
from podium.evaluation.metrics import Metric, find_metric
from podium.evaluation.scopes import Scope
from podium.evaluation.standings import standings_of
from podium.history import History
from podium.systems import RatingSystem
from podium.text import shorten
from podium.tuning.fingerprints import of_code

Judge = Metric | str | Callable[..., float]
"""A metric, its name, or a function of a history and a system; see `tune`."""


class NoNumberError(ParameterError):
    """Raised when a user's function does not return a number; not a trial that failed."""


@dataclass(frozen=True)
class TrialMetric:
    """What trials are measured by: a metric in a scope, or a function of the user."""

    name: str
    metric: Metric | None
    function: Callable[..., float] | None
    """The user's function, if there is no metric."""
    takes_since: bool
    scope: Scope
    higher_is_better: bool
    seen: frozenset[str]
    """What the metric uses, in the terms of `Need`; unknown for a function."""

    @classmethod
    def of(cls, given: Judge, scope: Scope | str, higher_is_better: bool | None) -> TrialMetric:
        """Make one from the arguments of `tune`."""
        where = Scope.of(scope)
        if where.max_sigma is not None:
            raise ParameterError(
                f"the scope {where.name!r} depends on sigma, so each trial would choose different rows",
                hint="use everyone, experienced or top, which choose the same rows for all trials",
            )
        if isinstance(given, (str, Metric)):
            metric = find_metric(given)
            if higher_is_better is not None:
                raise ParameterError(f"{metric.name} already defines which direction is better")
            seen = {"display" if need == "ratings" else need for need in metric.needs}
            return cls(metric.name, metric, None, True, where, metric.higher_is_better, frozenset(seen))
        if not callable(given):
            raise ParameterError(
                f"a metric is a name or a function, not {given!r}", hint="or a podium.Metric"
            )
        if where != Scope.of("everyone"):
            raise ParameterError("your own metric chooses its players itself", hint="without scope=")
        name = getattr(given, "__qualname__", type(given).__qualname__)
        takes_since = "since" in inspect.signature(given).parameters
        return cls(name, None, given, takes_since, where, bool(higher_is_better), frozenset())

    @property
    def judged_scopes(self) -> tuple[Scope, ...]:
        """The scopes that the result is judged in: the searched one, then the usual ones."""
        usual = [Scope.of(name) for name in SCOPES]
        return self.scope, *(one for one in usual if replace(one, name=self.scope.name) != self.scope)

    def scored_events(self, history: History, scope: Scope, since: int, until: int) -> int:
        """The events from `since` to `until` in which the scope scores somebody; a function sees all."""
        if self.metric is None:
            return until - since
        standings = standings_of(history).between(since, until)
        met = np.logical_or.reduceat(scope.scored(standings), standings.offsets[:-1])
        return int(np.count_nonzero(met))

    def value(self, history: History, system: RatingSystem, since: int, until: int) -> float:
        """The metric's value for the events from `since` to `until`."""
        if self.metric is not None:
            return score(history, system, self.metric, scope=self.scope, since=since, until=until)
        assert self.function is not None
        if self.takes_since:
            found = self.function(history[:until], system, since=since)
        else:
            found = self.function(history[since:until], system)
        try:
            return float(found)
        except (TypeError, ValueError):
            raise NoNumberError(
                f"the metric {self.name} is {shorten(repr(found))} with {system}", hint="return a number"
            ) from None

    @property
    def code(self) -> str | None:
        """A hash of the user's code; None for podium's own metrics."""
        if self.metric is None:
            assert self.function is not None
            return of_code(self.function)
        if Metric.is_built_in(self.metric.name):
            return None
        return f"{of_code(self.metric.measure)} {of_code(self.metric.value)}"

    def check_sendable(self) -> None:
        """Refuse a function that cannot be sent to another process."""
        if self.metric is None:
            check_sendable(self.function, f"the metric {self.name}")
        else:
            self.metric.check_sendable()


def measure_trial(
    history: History, system: RatingSystem, metric: TrialMetric, since: int, until: int
) -> tuple[float | None, float, str | None]:
    """Done by a worker: the value, the seconds it took, and the reason if there is no value."""
    start = time.perf_counter()
    try:
        value, reason = metric.value(history, system, since, until), None
        if not np.isfinite(value):
            reason = f"the metric is {value}"
    except NoNumberError:
        raise
    except (PodiumError, ArithmeticError) as error:
        value, reason = np.nan, str(error)
    return None if reason else value, time.perf_counter() - start, reason
