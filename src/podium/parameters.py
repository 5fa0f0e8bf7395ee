"""Parameters of systems, terms, seasons, attacks: declared once, validated when the value is made.

A parameter is a field of a frozen dataclass that derives from `Declared`, declared with `parameter`: its
default, what it means, what it may be, and, where tuning makes sense, where to search. The command line, the
documentation and the tuner all read this declaration.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from inspect import cleandoc
from numbers import Integral, Real
from types import MappingProxyType, UnionType
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

import numpy as np

from podium.errors import ParameterError
from podium.named import Named
from podium.text import did_you_mean, shorten

ParameterInput = str | float | bool | Sequence[float] | Named | None
"""What a parameter is given as: its value, or text as on the command line."""

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
    """What the history or the measure must have for it to matter; otherwise the tuner does not vary it."""
    beside: str | None = None
    """The parameter without which this one has no effect: ignored where that one is none."""
    hint: str | None = None
    """The allowed numbers in words, for errors; default: the range."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The names it may take if it is a choice or a named function; more functions can be registered."""
        if self.is_function:
            return tuple(self.kind.names())
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def is_function(self) -> bool:
        """Whether its value is a named function, such as a win curve."""
        return isinstance(self.kind, type) and issubclass(self.kind, Named)

    def check(self, value: Any, owner: str) -> Any:
        """The value as the system stores it; an invalid one raises an error that names the parameter."""
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
        if isinstance(value, bool) or not isinstance(value, Real):
            raise self._refusal(value, owner, "is a number")
        number = as_float(value)
        if math.isnan(number):
            raise self._refusal(value, owner, "is a number")
        if not self.low <= number <= self.high:
            raise self._refusal(value, owner, f"goes from {self.low:,.10g} to {self.high:,.10g}")
        if self.kind is int and not number.is_integer():
            raise self._refusal(value, owner, "is a whole number", "a whole number")
        return int(number) if self.kind is int else number

    def _refusal(self, value: object, owner: str, what: str, hint: str | None = None) -> ParameterError:
        """The error for a number it cannot be: in the words of its hint, where it has one."""
        said = shorten(repr(value))
        if self.hint is None:
            return ParameterError(f"{owner}: {self.name} {what}, not {said}")
        return ParameterError(f"{owner}: {self.name} is {said}", hint=hint or self.hint)

    def parse(self, text: str, owner: str) -> Any:
        """The value from text, as written on a command line."""
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
            what = "must be numbers separated by commas" if several else "is a number"
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
    """Declare a field of a `Declared` as a parameter; `Parameter` explains the options."""
    declared = {"meaning": meaning, "low": low, "high": high, "search": search, "beside": beside}
    declared["needs"] = (needs,) if isinstance(needs, str) else needs
    return field(default=default, metadata={**declared, "hint": hint})


@cache
def parameters_of(cls: type) -> Mapping[str, Parameter]:
    """The parameters a class declares, by name, in order."""
    hints = get_type_hints(cls)
    declared = {
        f.name: Parameter(name=f.name, default=f.default, kind=_plain(hints[f.name]), **f.metadata)
        for f in fields(cls)
        if f.metadata
    }
    return MappingProxyType(declared)


@dataclass(frozen=True)
class Declared:
    """A value whose fields are declared parameters, checked when it is made."""

    name: ClassVar[str]
    """Its name on the command line and in files."""

    def __init_subclass__(cls, **options: Any) -> None:
        """List the parameters in the docstring, so that `help` shows them."""
        super().__init_subclass__(**options)
        listed: dict[str, Field[Any]] = {}
        for base in reversed(cls.__mro__):
            listed |= getattr(base, "__dataclass_fields__", {})
        listed |= {name: one for name, one in vars(cls).items() if isinstance(one, Field)}
        meanings = [
            f"    {name}: {one.metadata['meaning']} (default: {one.default})"
            for name, one in listed.items()
            if one.metadata
        ]
        if cls.__doc__ and meanings:
            words, example, code = cleandoc(cls.__doc__).partition(">>> ")
            cls.__doc__ = "\n".join([words.rstrip(), "", "Args:", *meanings, "", example + code]).rstrip()

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse an unknown parameter; the error suggests the closest one."""
        check_names([f.name for f in fields(cls)], given, cls.name)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, declared in self.declared().items():
            object.__setattr__(self, name, declared.check(getattr(self, name), self.name))

    @classmethod
    def declared(cls) -> Mapping[str, Parameter]:
        """The declared parameters by name."""
        return parameters_of(cls)  # type: ignore[arg-type]  # mypy takes the hash of an instance

    @classmethod
    def from_parameters(cls, **given: ParameterInput) -> Self:
        """Make a system with these parameters. Text is parsed as on the command line."""
        return cls(**parse_parameters(cls.declared(), given, cls.name))

    def changed(self, **given: ParameterInput) -> Self:
        """A copy with some parameters changed. Text is parsed as on the command line.

        >>> from podium import Elo
        >>> Elo(k=24).changed(mu="1200") == Elo(k=24, mu=1200)
        True
        """
        return replace(self, **parse_parameters(self.declared(), given, self.name))

    def parameters(self) -> dict[str, Any]:
        """The values of all parameters, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def as_float(number: Any) -> float:
    """A number as a float; a whole number too large for one, of hundreds of digits, is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def check_whole(name: str, value: object, least: int) -> int:
    """The value as an int; refused if it is not a whole number or is below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} is {value!r}", hint=f"a whole number, from {least}")
    return int(value)


def plain(value: Any) -> Any:
    """The value in the form used by files and JSON: named functions by their names."""
    return value.name if isinstance(value, Named) else value


def parse_parameters(known: Mapping[str, Parameter], given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Parse values by parameter name, text as on the command line; unknown names are refused."""
    check_names(known, given, owner)
    return {
        name: known[name].parse(value, owner) if isinstance(value, str) else value
        for name, value in given.items()
    }


def check_names(known: Iterable[str], given: Iterable[str], owner: str) -> None:
    """Refuse unknown parameter names; the error suggests the closest one."""
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
