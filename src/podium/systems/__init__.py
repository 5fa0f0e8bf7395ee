"""Rating systems, by name.

Built-in systems are imported when first asked for; a system of your own joins them with `register_system`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from podium.errors import ParameterError, UnsupportedError
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.shares import Shares
from podium.systems.contract.sides import Sides
from podium.systems.contract.state import State
from podium.systems.contract.system import RatingSystem, refuse_unknown

__all__ = [
    "DEFAULT_SYSTEM",
    "Capabilities",
    "RatingSystem",
    "Shares",
    "Sides",
    "State",
    "list_systems",
    "make_system",
    "parameter",
    "register_system",
]

DEFAULT_SYSTEM = "elo-mmr"

BUILT_IN = {
    "elo-mmr": ("podium.systems.elo_mmr.elo_mmr", "EloMMR"),
    "elo-mmx": ("podium.systems.elo_mmr.elo_mmx", "EloMMX"),
    "elo-r": ("podium.systems.elo_mmr.elo_r", "EloR"),
    "elo": ("podium.systems.elo", "Elo"),
    "glicko": ("podium.systems.glicko.glicko", "Glicko"),
    "glicko2": ("podium.systems.glicko.glicko2", "Glicko2"),
    "trueskill": ("podium.systems.trueskill.trueskill", "TrueSkill"),
    "weng-lin": ("podium.systems.weng_lin", "WengLin"),
    "codeforces": ("podium.systems.codeforces.codeforces", "Codeforces"),
    "topcoder": ("podium.systems.topcoder.topcoder", "Topcoder"),
    "luck": ("podium.systems.luck.luck", "Luck"),
    "yuksel": ("podium.systems.yuksel.yuksel", "Yuksel"),
}

ALIASES = {"bar": "weng-lin"}
"""Other names of built-in systems: taken wherever a name is, listed and saved nowhere."""

S = TypeVar("S", bound=type[RatingSystem])
_registered: dict[str, type[RatingSystem]] = {}


def register_system(cls: S) -> S:
    """Make a system known by its name; use it as a decorator."""
    taken = cls.name in BUILT_IN or cls.name in ALIASES
    if taken or _registered.get(cls.name, cls) is not cls:
        raise ParameterError(f"there is a rating system {cls.name!r} already")
    _registered[cls.name] = cls
    return cls


def find_system(name: str) -> type[RatingSystem]:
    """The class of the system called `name`."""
    name = ALIASES.get(name, name)
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name]
        found: type[RatingSystem] = getattr(import_module(module), attribute)
        return found
    if name in _registered:
        return _registered[name]
    raise refuse_unknown(name, [*BUILT_IN, *_registered])


def list_systems() -> dict[str, type[RatingSystem]]:
    """Every system there is: name -> class.

    >>> print(*sorted(list_systems()))
    codeforces elo elo-mmr elo-mmx elo-r glicko glicko2 luck topcoder trueskill weng-lin yuksel
    """
    return {name: find_system(name) for name in (*BUILT_IN, *_registered)}


@contextmanager
def hinting_at_others() -> Iterator[None]:
    """Where a system cannot use something, say which can."""
    try:
        yield
    except UnsupportedError as error:
        if error.evidence is None:
            raise
        able = sorted(name for name, cls in list_systems().items() if getattr(cls.supports, error.evidence))
        hint = "these can: " + ", ".join(able)
        raise UnsupportedError(error.reason, hint=hint, evidence=error.evidence) from None


def make_system(name: str, **parameters: Any) -> RatingSystem:
    """A system by name, as on the command line.

    >>> make_system("elo", k=24).k
    24.0
    """
    return find_system(name).from_parameters(**parameters)
