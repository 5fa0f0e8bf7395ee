"""Where to search: a space of parameters, from what a system declares and what a history can tell.

A parameter is searched where its system says, on a scale that suits the range: by factors where it spans a
factor of ten or more, with finer steps near nothing where it begins at 0. It is left alone where the history
has nothing that it is about, such as hosts for a home advantage.

>>> import podium
>>> history = podium.History.from_matches(["ann", "bob"], ["bob", "cat"])
>>> for dimension in make_space(podium.Elo(), history).dimensions:
...     print(dimension)
k from 4 to 256, by factors
newcomer_k from 8 to 400, by factors, or none
newcomer_events from 5 to 50, by factors, whole
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import ParameterError
from podium.evaluation.standings import WINNER_FIRST, home_always_won, standings_of
from podium.evaluation.verdicts import is_two_sided
from podium.history import History
from podium.parameters import Parameter, check_names, plain
from podium.systems import RatingSystem

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

BY_FACTORS = 10.0
"""A range that spans such a factor is searched by factors."""
GIVEN = "{}: given"
"""What Optuna calls the choice whether a parameter that may be none is given."""

Ranges = Mapping[str, tuple[float, float] | list[Any] | None]
"""Where to search by name: a range, a list of choices, or None for the range its system declares."""


class NothingToSearchError(ParameterError):
    """Raised when a system has no parameter that a history could tell anything about."""


@dataclass(frozen=True)
class Dimension:
    """One parameter to search: a range of numbers, or choices."""

    name: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    may_be_none: bool = False
    beside: str | None = None
    choices: tuple[Any, ...] = ()

    @property
    def scale(self) -> Literal["factors", "cubes", "steps"]:
        """How the numbers are spaced: by factors, finer near 0, or evenly."""
        if self.low > 0.0 and self.high / self.low >= BY_FACTORS:
            return "factors"
        return "cubes" if self.low == 0.0 and not self.whole else "steps"

    def distribution(self) -> BaseDistribution:
        """The dimension as an Optuna distribution."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

        if self.choices:
            return CategoricalDistribution([_label(choice) for choice in self.choices])
        log = self.scale == "factors"
        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=log)
        return FloatDistribution(self._raw(self.low), self._raw(self.high), log=log)

    def _raw(self, value: float) -> float:
        return float(np.cbrt(value)) if self.scale == "cubes" else value

    def value(self, raw: Any) -> Any:
        """The value of the parameter for a raw value drawn by Optuna."""
        if self.choices:
            return next(choice for choice in self.choices if _label(choice) == raw)
        return min(raw**3, self.high) if self.scale == "cubes" else raw

    def draw(self, trial: Trial) -> Any:
        """Let Optuna choose the parameter's next value."""
        if self.may_be_none and not trial.suggest_categorical(GIVEN.format(self.name), [False, True]):
            return None
        if self.choices:
            return self.value(trial.suggest_categorical(self.name, [_label(one) for one in self.choices]))
        log = self.scale == "factors"
        if self.whole:
            return trial.suggest_int(self.name, int(self.low), int(self.high), log=log)
        return self.value(trial.suggest_float(self.name, self._raw(self.low), self._raw(self.high), log=log))

    def place(self, value: Any) -> dict[str, tuple[Any, BaseDistribution]] | None:
        """The raw values Optuna would have drawn for a value; None if the value is outside."""
        from optuna.distributions import CategoricalDistribution

        given: dict[str, tuple[Any, BaseDistribution]] = {}
        if self.may_be_none:
            given[GIVEN.format(self.name)] = value is not None, CategoricalDistribution([False, True])
            if value is None:
                return given
        if self.choices:
            labels = [_label(choice) for choice in self.choices]
            return (
                {**given, self.name: (_label(value), self.distribution())}
                if _label(value) in labels
                else None
            )
        if value is None or not self.low <= value <= self.high:
            return None
        return {**given, self.name: (int(value) if self.whole else self._raw(value), self.distribution())}

    def __str__(self) -> str:
        if self.choices:
            return f"{self.name} of {', '.join(map(str, map(plain, self.choices)))}"
        how = {"factors": ", by factors", "cubes": ", finer near 0", "steps": ""}[self.scale]
        how += (", whole" if self.whole else "") + (", or none" if self.may_be_none else "")
        return f"{self.name} from {self.low:g} to {self.high:g}{how}"


@dataclass(frozen=True)
class Space:
    """The parameters to search, and the values of the others."""

    system: RatingSystem
    """The system with the fixed parameters; everything not searched keeps its value."""
    dimensions: tuple[Dimension, ...]
    left: Mapping[str, str] = field(default_factory=dict)
    """Parameters that have a range but are not searched, with the reason."""

    def defaults(self) -> RatingSystem:
        """The system with the searched parameters at their defaults."""
        known = {**self.system.declared(), **self.system.limits}
        return self.system.changed(**{d.name: known[d.name].default for d in self.dimensions})

    def draw(self, trial: Trial) -> dict[str, Any]:
        """Let Optuna choose the next value of each searched parameter."""
        drawn: dict[str, Any] = {}
        for dimension in self.dimensions:
            if dimension.beside is None or self._value(drawn, dimension.beside) is not None:
                drawn[dimension.name] = dimension.draw(trial)
        return drawn

    def place(self, system: RatingSystem) -> tuple[dict[str, Any], dict[str, BaseDistribution]] | None:
        """The raw values Optuna would have drawn for a system; None if it is outside the space."""
        raw: dict[str, Any] = {}
        distributions: dict[str, BaseDistribution] = {}
        for dimension in self.dimensions:
            if dimension.beside is not None and getattr(system, dimension.beside) is None:
                continue
            placed = dimension.place(getattr(system, dimension.name))
            if placed is None:
                return None
            raw |= {name: value for name, (value, _) in placed.items()}
            distributions |= {name: distribution for name, (_, distribution) in placed.items()}
        return raw, distributions

    def _value(self, drawn: Mapping[str, Any], name: str) -> Any:
        return drawn[name] if name in drawn else getattr(self.system, name)

    def describe(self) -> list[str]:
        """The dimensions as text, which a saved study is compared by."""
        return [str(dimension) for dimension in self.dimensions]


def make_space(
    system: RatingSystem,
    history: History,
    *,
    search: Ranges | Sequence[str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    seen: Collection[str] = (),
) -> Space:
    """Choose which parameters of a system to search for a history.

    `search` overrides ranges or adds parameters: a range, a list of choices, or None for the range declared.
    What is `fixed` is not searched. `seen` is what the measure looks at: "display", "expected",
    "outcomes".
    """
    wanted: Ranges = dict.fromkeys(search or ()) if not isinstance(search, Mapping) else search
    stays = dict(fixed or {})
    known = {**system.declared(), **system.limits}
    check_names(known, {**wanted, **stays}, system.name)
    if both := wanted.keys() & stays.keys():
        raise ParameterError(f"{system.name}: {min(both)} is both searched and fixed")
    base = system.changed(**stays) if stays else system
    by_limits = bool({*wanted, *stays} & system.limits.keys())
    there = available(history) | set(seen)
    dimensions, left = [], {}
    for name, parameter in known.items():
        if name in wanted:
            dimensions.append(_asked_for(parameter, wanted[name], system.name))
        elif parameter.search is None or name in stays or name in system.limits:
            continue
        elif by_limits and name in system.limited:
            left[name] = "its limits are given"
        elif missing := [need for need in parameter.needs if need not in there]:
            leaks = missing[0] == "home" and _has_home(history)
            left[name] = WINNER_FIRST if leaks else _WHY_NOT[missing[0]]
        else:
            dimensions.append(_ranged(parameter, *parameter.search))
    if not dimensions:
        raise NothingToSearchError(
            f"{system.name} has no parameters to search here",
            hint='search={"mu": (1000, 1500)} names something',
        )
    known_names = {dimension.name for dimension in dimensions}
    useful = tuple(
        d
        for d in dimensions
        if d.beside is None or d.beside in known_names or getattr(base, d.beside) is not None
    )
    left |= {d.name: f"without {d.beside}" for d in dimensions if d not in useful}
    return Space(base, useful, left)


def _has_home(history: History) -> bool:
    return history.home is not None and bool(np.any(history.home >= 0))


def available(history: History) -> set[str]:
    """What a history contains besides who won, in the terms of `Need`."""
    times = history.time[history.time != NO_TIME]
    there = {
        "home": _has_home(history) and not home_always_won(standings_of(history)),
        "time": len(times) > 0 and bool(times.min() < times.max()),
        "scores": history.score is not None and not bool(np.isnan(history.score).all()),
        "ties": bool(history.tied.any()),
        "two": is_two_sided(history),
        "many": not is_two_sided(history),
        "teams": bool(np.any(history.sides_per_event < history.sizes)),
    }
    return {name for name, is_there in there.items() if is_there}


_WHY_NOT = {
    "home": "no event has a home side",
    "time": "events have no times",
    "scores": "there are no scores",
    "ties": "there are no ties",
    "two": "events are of more than two sides",
    "many": "all events are of two sides",
    "teams": "there are no teams",
    "display": "the metric does not use displayed ratings",
    "expected": "the metric does not use expected scores",
    "outcomes": "the metric does not use the chance of a draw",
}


def _asked_for(parameter: Parameter, asked: Any, owner: str) -> Dimension:
    """A dimension as the caller wants it."""
    name = parameter.name
    if asked is None:
        if parameter.search is not None:
            return _ranged(parameter, *parameter.search)
        if parameter.choices and not parameter.is_function:
            return Dimension(name, choices=parameter.choices)
        raise ParameterError(
            f"{owner} has no search range for {name}", hint=f'say it: search={{"{name}": (low, high)}}'
        )
    if isinstance(asked, list):
        choices = tuple(dict.fromkeys(_checked(parameter, choice, owner) for choice in asked))
        if not choices:
            raise ParameterError(f"{owner}: {name} has nothing to choose from")
        return Dimension(name, choices=choices)
    if parameter.kind not in (int, float):
        raise ParameterError(f"{owner}: {name} is not a number", hint="give a list to choose from")
    try:
        low, high = (float(edge) for edge in asked)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{owner}: podium searches {name} in {asked!r}",
            hint="a range (low, high) or a list to choose from",
        ) from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError(f"{owner}: {name} from {low:g} to {high:g} is not a range")
    for edge in (low, high):
        parameter.check(edge, owner)
    return _ranged(parameter, low, high)


def _checked(parameter: Parameter, choice: Any, owner: str) -> Any:
    return parameter.parse(choice, owner) if isinstance(choice, str) else parameter.check(choice, owner)


def _ranged(parameter: Parameter, low: float, high: float) -> Dimension:
    return Dimension(
        parameter.name,
        float(low),
        float(high),
        whole=parameter.kind is int,
        may_be_none=parameter.default is None,
        beside=parameter.beside,
    )


def _label(choice: Any) -> Any:
    """A choice as Optuna holds it: text, a number or nothing."""
    value = plain(choice)
    return str(value) if isinstance(value, tuple) else value
