"""One trial of a search: some parameters, and what the metric says of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.parameters import plain


@dataclass(frozen=True)
class Trial:
    """One set of parameters and its value by the metric."""

    number: int
    parameters: Mapping[str, Any]
    """The parameters that are searched."""
    value: float | None
    """The metric on the events used for fitting; None if the trial failed."""
    seconds: float
    reason: str | None = None
    """Why it failed."""


def best_of(trials: Sequence[Trial], higher_is_better: bool) -> Trial | None:
    """The best trial, the first of equals; None if all failed."""
    done = [trial for trial in trials if trial.value is not None]
    sign = -1.0 if higher_is_better else 1.0
    return min(done, key=lambda trial: (sign * (trial.value or 0.0), trial.number), default=None)


def parameters_in_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a study's file returns them: functions by name, tuples as lists."""
    held: dict[str, Any] = json.loads(json.dumps({name: plain(value) for name, value in parameters.items()}))
    return held
