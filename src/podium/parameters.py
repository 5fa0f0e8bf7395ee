"""Parameters of systems, terms, seasons, attacks: declared once, validated when the value is made.

A parameter is a field of a frozen dataclass that derives from `Declared`, declared with `parameter`: its
default, what it means, what it may be, and, where tuning makes sense, where to search. The command line, the
documentation and the tuner all read this declaration.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Integral, Real
from types import UnionType
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

import numpy as np

from podium.errors import ParameterError
from podium.named import Named
from podium.text import did_you_mean

Need = Literal["home", "time", "scores", "ties", "two", "many", "teams", "display", "expected", "outcomes"]
"""What a parameter may need to matter: of results, hosts, times, scores, ties, two sides in every event, more
than two in some, teams; of a measure, that it looks at displayed ratings, at expected scores, or at the
chances of a win, a draw and a loss."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a system, or of another declared value."""

    name: str
    default: Any
    meaning: str
    low: float
    high: float
    search: tuple[float, float] | None
    kind: Any = float
    """Its type, as annotated: float, int, str, a choice of names, a tuple of floats, or a named function."""
    needs: tuple[Need, ...] = ()
    """What there has to be for it to matter; the tuner leaves it alone elsewhere."""
    beside: str | None = None
    """The parameter beside which it matters only: where that one is none, this one says nothing."""
    hint: str | None = None
    """What a number has to be, in words, for errors; without it they say the range."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The names it may take, where it is a choice or a function; of functions there may be more."""
        if self.is_function:
            return tuple(self.kind.names())
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def is_function(self) -> bool:
        """Whether it is a function with a name."""
        return isinstance(self.kind, type) and issubclass(self.kind, Named)

    def check(self, value: Any, owner: str) -> Any:
        """The value as the system keeps it; refused by name where it makes no sense."""
        if value is None and self.default is None:
            return None
        if self.is_function:
            return self._function(value, owner)
        if self.choices:
            if value not in self.choices:
                raise ParameterError(
                    f"{owner}: {self.name} is one of {', '.join(self.choices)}, not {value!r}",
                    hint=did_you_mean(value, self.choices) if isinstance(value, str) else None,
                )
            return value
        if self.kind is str:
            if not isinstance(value, str):
                raise ParameterError(f"{owner}: {self.name} is text, not {value!r}")
            return value
        if get_origin(self.kind) is tuple:
            if not isinstance(value, (tuple, list, np.ndarray)):
                raise ParameterError(f"{owner}: {self.name} is a list of numbers, not {value!r}")
            return tuple(self._number(item, owner) for item in value)
        return self._number(value, owner)

    def _function(self, value: Any, owner: str) -> Any:
        if not isinstance(value, (str, self.kind)):
            raise ParameterError(
                f"{owner}: {self.name} is a {self.kind.__name__} or the name of one, not {value!r}",
                hint=f"one of {', '.join(self.kind.forms())}",
            )
        try:
            if isinstance(value, str):
                return self.kind.find(value)
            value.check_name()
        except ParameterError as error:
            raise ParameterError(f"{owner}: {self.name}: {error.reason}", hint=error.hint) from None
        return value

    def _number(self, value: Any, owner: str) -> float:
        if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
            raise self._refusal(value, owner, "is a number")
        number = float(value)
        if not self.low <= number <= self.high:
            raise self._refusal(value, owner, f"goes from {self.low:g} to {self.high:g}")
        if self.kind is int and not number.is_integer():
            raise self._refusal(value, owner, "is a whole number", "a whole number")
        return int(number) if self.kind is int else number

    def _refusal(self, value: object, owner: str, what: str, hint: str | None = None) -> ParameterError:
        """The error for a number it cannot be: in the words of its hint, where it has one."""
        if self.hint is None:
            return ParameterError(f"{owner}: {self.name} {what}, not {value!r}")
        return ParameterError(f"{owner}: {self.name} is {value!r}", hint=hint or self.hint)

    def parse(self, text: str, owner: str) -> Any:
        """The value written on a command line."""
        if self.default is None and text.lower() == "none":
            return None
        if self.choices or self.kind is str:
            return self.check(text, owner)
        several = get_origin(self.kind) is tuple
        listed = text.strip().removeprefix("(").removesuffix(")").strip().removesuffix(",")
        items = [text] if not several else listed.split(",") if listed else []
        try:
            numbers = [float(item) for item in items]
        except ValueError:
            what = "is numbers with commas between" if several else "is a number"
            raise self._refusal(text, owner, what) from None
        if self.kind is int and numbers[0].is_integer():
            return self.check(int(numbers[0]), owner)  # as it was written, for errors
        return self.check(numbers if several else numbers[0], owner)


def parameter(
    default: Any,
    meaning: str,
    *,
    low: float = 0.0,
    high: float = 1e9,
    search: tuple[float, float] | None = None,
    needs: Need | tuple[Need, ...] = (),
    beside: str | None = None,
    hint: str | None = None,
) -> Any:
    """Declare a field of a `Declared` as a parameter; what the options mean is said at `Parameter`."""
    declared = {"meaning": meaning, "low": low, "high": high, "search": search, "beside": beside}
    declared["needs"] = (needs,) if isinstance(needs, str) else needs
    return field(default=default, metadata={**declared, "hint": hint})


def parameters_of(cls: type) -> dict[str, Parameter]:
    """The parameters a class declares, by name, in order."""
    hints = get_type_hints(cls)
    return {
        f.name: Parameter(name=f.name, default=f.default, kind=_plain(hints[f.name]), **f.metadata)
        for f in fields(cls)
        if f.metadata
    }


@dataclass(frozen=True)
class Declared:
    """A value whose fields are declared parameters, checked when it is made."""

    name: ClassVar[str]
    """What it is called on the command line and in files."""

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse a parameter it does not have, with the one that may be meant."""
        check_names([f.name for f in fields(cls)], given, cls.name)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, declared in self.declared().items():
            object.__setattr__(self, name, declared.check(getattr(self, name), self.name))

    @classmethod
    def declared(cls) -> dict[str, Parameter]:
        """Its parameters, by name."""
        return parameters_of(cls)

    @classmethod
    def from_parameters(cls, **given: Any) -> Self:
        """The value with these parameters; text is parsed as on the command line."""
        return cls(**parse_parameters(cls.declared(), given, cls.name))

    def changed(self, **given: Any) -> Self:
        """The same with some parameters changed; text is parsed as on the command line.

        >>> from podium import Elo
        >>> Elo(k=24).changed(mu="1200") == Elo(k=24, mu=1200)
        True
        """
        return replace(self, **parse_parameters(self.declared(), given, self.name))

    def parameters(self) -> dict[str, Any]:
        """The values of all parameters."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def plain_parameters(self) -> dict[str, Any]:
        """The values of all parameters as files and JSON hold them."""
        return {name: plain(value) for name, value in self.parameters().items()}


def check_whole(name: str, value: object, least: int) -> int:
    """The value as a whole number; refused where it is none, or below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} is {value!r}", hint=f"a whole number, from {least}")
    return int(value)


def plain(value: Any) -> Any:
    """The value as files and JSON hold it: a function by its name."""
    return value.name if isinstance(value, Named) else value


def parse_parameters(known: Mapping[str, Parameter], given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The values given, each of a known parameter; text is parsed as on the command line."""
    check_names(known, given, owner)
    return {
        name: known[name].parse(value, owner) if isinstance(value, str) else value
        for name, value in given.items()
    }


def check_names(known: Iterable[str], given: Iterable[str], owner: str) -> None:
    """Refuse a parameter nobody declared, and guess what was meant."""
    names = list(known)
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names) or "it has " + ", ".join(names)
            raise ParameterError(f"{owner} has no parameter {name!r}", hint=hint)


def _plain(hint: Any) -> Any:
    """The type itself where None is allowed too."""
    if isinstance(hint, UnionType):
        return next(arg for arg in get_args(hint) if arg is not type(None))
    return hint
