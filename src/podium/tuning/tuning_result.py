"""What came of tuning: the parameters found, beside the defaults, and a verdict."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import podium
from podium.systems import RatingSystem
from podium.systems.system_files import save_system
from podium.text import write_number
from podium.tuning.spaces import Space

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Outcome:
    """What a metric says of the best parameters found, beside the defaults, on some events."""

    metric: str
    events: int
    defaults: float
    best: float
    low: float | None = None
    """The difference best − defaults is in this interval at 95%, where that can be told."""
    high: float | None = None
    reason: str | None = None
    """Why one of the two has no value, which is nan then."""

    @property
    def difference(self) -> float:
        """How much higher the metric is with the best parameters."""
        return self.best - self.defaults

    def __str__(self) -> str:
        sure = ""
        if self.low is not None and self.high is not None:
            sure = f", 95% from {write_number(self.low, '+.5g')} to {write_number(self.high, '+.5g')}"
        why = "" if self.reason is None else f"; {self.reason}"
        return (
            f"{self.metric} {write_number(self.best, '.6g')} with the best parameters, "
            f"{write_number(self.defaults, '.6g')} with the defaults "
            f"({write_number(self.difference, '+.4g')}{sure}; {self.events:,} events{why})"
        )

    def verdict(self, higher_is_better: bool) -> str:
        """Whether the best are better than the defaults, and not only by luck."""
        if not math.isfinite(self.difference):
            return "not judged: " + (self.reason or f"{self.metric} has no value on later events")
        sign = 1.0 if higher_is_better else -1.0
        gain = sign * self.difference
        if self.low is None or self.high is None:
            if gain == 0.0:
                return NO_GAIN
            return f"{BETTER if gain > 0.0 else WORSE}; how sure that is cannot be told"
        least, most = sorted((sign * self.low, sign * self.high))
        return BETTER if least > 0.0 else WORSE if most < 0.0 else NO_GAIN


BETTER = "better on later events"
NO_GAIN = "no gain shown: the defaults may do as well"
WORSE = "worse on later events than the defaults"


@dataclass(frozen=True, repr=False)
class Tuning:
    """The parameters found, and what they are worth."""

    system: RatingSystem
    """With the best parameters; of a rolling split, those of the last fold."""
    parameters: Mapping[str, Any]
    """The best values of what was searched; without those that mean nothing beside the others."""
    defaults: RatingSystem
    """What it is compared with: the defaults of what was searched, and the rest as it was given."""
    metric: str
    higher_is_better: bool
    scope: str
    space: Space
    fitted: Outcome
    """On the events that the parameters were chosen on: how well they fit, not how well they predict."""
    judged: Outcome | None
    """On later events, of all folds; None where everything was fitted."""
    folds: pl.DataFrame
    """Each fold: its events, the metric of the defaults and of the best on both parts, what was found."""
    trials: pl.DataFrame
    """Each trial: fold, trial, value, seconds, reason (of a failure), and a column a parameter."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the best system as a file that every command takes."""
        save_system(self.system, path, comment=self.comment)

    @property
    def verdict(self) -> str:
        """What the best parameters are worth on later events, in a few words."""
        if self.judged is None:
            return "nothing is judged: there are no later events"
        if len(self.folds) == 1 and self.system == self.defaults:
            return "no gain: the defaults are the best that was found"
        return self.judged.verdict(self.higher_is_better)

    @property
    def comment(self) -> str:
        """How it was found, as it stands on top of a file."""
        lines = [f"tuned by podium {podium.__version__}: {len(self.trials)} trials, scope {self.scope}"]
        lines.append(f"fitted: {self.fitted}")
        if self.judged is not None:
            lines.append(f"judged on later events: {self.judged}")
        return "\n".join([*lines, self.verdict])

    def __str__(self) -> str:
        return self.comment

    def __repr__(self) -> str:
        return f"<Tuning: {self.system.name}, {len(self.trials)} trials of {self.metric}; {self.verdict}>"
