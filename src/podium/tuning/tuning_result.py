"""What came of tuning: the parameters found, beside the system as it was given, and a verdict."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import podium
from podium.evaluation.block_bootstrap import TOO_FEW
from podium.notebooks import html_table
from podium.presets import label
from podium.systems import RatingSystem
from podium.systems.system_files import save_system
from podium.text import counted, listed, write_number
from podium.tuning.spaces import Space

if TYPE_CHECKING:
    import polars as pl

DEFAULTS = "the defaults"
BETTER = "better on later events"


def called(system: RatingSystem) -> str:
    """What a system that was given for tuning is called: the defaults, or its label."""
    named = label(system)
    return DEFAULTS if named == system.name else named


@dataclass(frozen=True)
class Outcome:
    """The metric of the best parameters and of the system as it was given, on the same events."""

    metric: str
    events: int
    """Events in which the scope scores somebody; others before them are only rated."""
    defaults: float
    """The value of the system as it was given, with fixed parameters: with the defaults if only named."""
    best: float
    low: float | None = None
    """Lower end of the 95% interval of best − defaults; None if it is not known."""
    high: float | None = None
    reason: str | None = None
    """Why one of the two has no value; it is then nan."""
    too_few: bool = False
    """Whether there are too few events for an interval."""
    given: str = DEFAULTS
    """What the system as it was given is called."""

    @property
    def lack(self) -> str | None:
        """Which of the two has no value, and why if that is known; None if both have one."""
        values = {self.given: self.defaults, "the best parameters": self.best}
        without = [name for name, value in values.items() if not math.isfinite(value)]
        if not without:
            return None
        have = "has" if without == [self.given] and self.given != DEFAULTS else "have"
        said = f"{listed(without)} {have} no {self.metric}"
        return said if self.reason is None else f"{said}: {self.reason}"

    @property
    def difference(self) -> float:
        """The metric's value with the best parameters minus that of the system as it was given."""
        return self.best - self.defaults

    def __str__(self) -> str:
        sure = ""
        if self.low is not None and self.high is not None:
            sure = f", 95% from {write_number(self.low, '+.5g')} to {write_number(self.high, '+.5g')}"
        why = "" if self.lack is None else f"; {self.lack}"
        return (
            f"{self.metric} {write_number(self.best, '.6g')} with the best parameters, "
            f"{write_number(self.defaults, '.6g')} with {self.given} "
            f"({write_number(self.difference, '+.4g')}{sure}; {self.events:,} events{why})"
        )

    def verdict(self, higher_is_better: bool) -> str:
        """A sentence: whether the best parameters beat what was given by more than noise."""
        if not math.isfinite(self.difference):
            return f"not judged: {self.lack}"
        if self.too_few:
            return TOO_FEW
        no_gain = f"no significant gain: {self.given} may do as well"
        worse = f"worse on later events than {self.given}"
        sign = 1.0 if higher_is_better else -1.0
        gain = sign * self.difference
        if self.low is None or self.high is None:
            if gain == 0.0:
                return no_gain
            return f"{(BETTER if gain > 0.0 else worse)} (too few events for an interval)"
        least, most = sorted((sign * self.low, sign * self.high))
        return BETTER if least > 0.0 else worse if most < 0.0 else no_gain


@dataclass(frozen=True, repr=False)
class Tuning:
    """The parameters found, and how well they predict.

    Attributes:
        system: The system with the best parameters. For a rolling split, those of the last fold.
        parameters: The best values of the searched parameters, without those that have no effect.
        defaults: The system it is compared with: as given, with the fixed parameters. A name means its
            defaults.
        metric: The name of the metric that was optimised.
        higher_is_better: Whether a higher value of it is better.
        scope: The name of the rows it was measured on.
        space: The parameters searched, each with its range.
        fitted: On the events used to choose the parameters: how well they fit, not how well they predict.
        judged: On later events, of all folds together. None if all events were used for fitting.
        judged_others: The same within the other usual scopes, such as "experienced", by name.
        folds: One row for each fold: its events, the metric of defaults and best on both parts, the
            parameters.
        trials: One row for each trial: fold, trial, value, seconds, reason (of a failure), each
            parameter.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"] * 20, ["bob", "cat", "cat"] * 20)
    >>> tuning = podium.tune(matches, "elo", search=["k"], trials=3, jobs=1)
    >>> tuning.system.name, tuning.metric, tuning.trials.height
    ('elo', 'log-loss', 3)
    """

    system: RatingSystem
    parameters: Mapping[str, Any]
    defaults: RatingSystem
    metric: str
    higher_is_better: bool
    scope: str
    space: Space
    fitted: Outcome
    judged: Outcome | None
    judged_others: Mapping[str, Outcome]
    folds: pl.DataFrame
    trials: pl.DataFrame

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the best system to a file that every command accepts."""
        save_system(self.system, path, comment=self.comment)

    @property
    def verdict(self) -> str:
        """A sentence: how well the best parameters do on later events."""
        if self.judged is None:
            return "not measured: there are no later events"
        if len(self.folds) == 1 and self.system == self.defaults:
            given = self.judged.given
            return f"no gain: {given} {('are' if given == DEFAULTS else 'is')} the best parameters"
        return self.judged.verdict(self.higher_is_better)

    @property
    def comment(self) -> str:
        """How the parameters were found, as written at the top of the saved file."""
        lines = [f"tuned by podium {podium.__version__}: {len(self.trials)} trials, scope {self.scope}"]
        lines.append(f"fitted: {self.fitted}")
        if self.judged is not None:
            lines.append(f"measured on later events: {self.judged}")
        lines += [f"the same, {scope}: {outcome}" for scope, outcome in self.judged_others.items()]
        return "\n".join([*lines, self.verdict])

    def __str__(self) -> str:
        return self.comment

    def __repr__(self) -> str:
        trials = counted(len(self.trials), "trial")
        return f"<Tuning: {self.system.name}, {trials} of {self.metric}; {self.verdict}>"

    def _repr_html_(self) -> str:
        rows = ((name, getattr(self.defaults, name), value) for name, value in self.parameters.items())
        return html_table(repr(self), ("parameter", "given", "found"), rows, count=len(self.parameters))
