"""Parameters of simulations: frozen dataclasses whose fields are checked, in Python and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from numbers import Real
from typing import Any

from podium.errors import ParameterError
from podium.named import Named
from podium.text import known_names

Limits = Mapping[str, tuple[float, float, str]]
"""By the name of a parameter: the least and the most it may be, and a hint for what it is not."""

POSITIVE = (1e-6, 1e9, "a number above 0")
CHANCE = (0.0, 1.0, "a part, from 0 to 1")
POINTS = (-1e6, 1e6, "points")
DEVIATION = (0.0, 1e5, "points, 0 or more")
EVENTS = (1, 10_000_000_000, "one or more")
TURNOUT = (1e-6, 1.0, "a part, above 0 and up to 1")
_OTHERS = (0.0, 1e9, "a number from 0")


def check_numbers(given: Any, limits: Limits) -> None:
    """Refuse a number of a frozen dataclass beyond its limits; whole ones become integers."""
    for field in fields(given):
        if field.type not in ("int", "float"):
            continue
        low, high, hint = limits.get(field.name, _OTHERS)
        value: Any = getattr(given, field.name)
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            raise ParameterError(f"{field.name} is {value!r}", hint=hint)
        if field.type == "int":
            if value != int(value):
                raise ParameterError(f"{field.name} is {value!r}", hint="a whole number")
            object.__setattr__(given, field.name, int(value))


def check_choice(given: Any, name: str, choices: Sequence[str]) -> None:
    """Refuse a word that is none of the choices."""
    value = getattr(given, name)
    if value not in choices:
        raise ParameterError(f"{name} is {value!r}", hint=known_names(str(value), choices))


def find_named(given: Any, name: str, family: type[Named]) -> None:
    """Let a parameter that is a function be given by its name; from here on it is the function."""
    value = getattr(given, name)
    try:
        found = family.find(value) if isinstance(value, str) else value
    except ParameterError as error:
        # Who gives a parameter knows its name, and not what the family is called in Python.
        reason = f"{name}: {error.reason}" if family.knows(value) else f"{name} is {value!r}"
        raise ParameterError(reason, hint=error.hint) from None
    if not isinstance(found, family):
        raise ParameterError(
            f"{name} is {value!r}", hint=f"one of {', '.join(family.forms())}, or a {family.__name__}"
        )
    object.__setattr__(given, name, found)


def parse_settings(kinds: Sequence[type], settings: Mapping[str, str], what: str) -> list[dict[str, Any]]:
    """Parameters given as text, for each of the dataclasses; they have no name in common."""
    known = {field.name: (number, field.type) for number, kind in enumerate(kinds) for field in fields(kind)}
    parsed: list[dict[str, Any]] = [{} for _ in kinds]
    for name, text in settings.items():
        if name not in known:
            raise ParameterError(f"{what} has no parameter {name!r}", hint=known_names(name, known))
        number, kind = known[name]
        try:
            parsed[number][name] = float(text) if kind in ("int", "float") else text
        except ValueError:
            raise ParameterError(f"{name} is {text!r}", hint="a number") from None
    return parsed


def described(given: Any) -> dict[str, Any]:
    """All parameters as plain values: numbers, and names of what is a function."""
    values = {field.name: getattr(given, field.name) for field in fields(given)}
    return {name: value.name if isinstance(value, Named) else value for name, value in values.items()}
