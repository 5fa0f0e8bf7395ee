"""Rating systems, by name.

Built-in systems (`podium.inventory`) are imported when first asked for; a system of your own joins them with
`register_system`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from podium.errors import ParameterError, UnsupportedError
from podium.history import History
from podium.inventory import INVENTORY, SYSTEM_ALIASES
from podium.named import Registry
from podium.parameters import ParameterInput, parameter
from podium.presets import DEFAULT_PRESET, PRESETS, choose_preset
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.explained_ratings import Shares
from podium.systems.contract.sides import Sides
from podium.systems.contract.state import State
from podium.systems.contract.system import RatingSystem
from podium.text import known_names, shorten

__all__ = [
    "Capabilities",
    "RatingSystem",
    "Shares",
    "Sides",
    "State",
    "System",
    "list_systems",
    "make_system",
    "parameter",
    "register_system",
    "simple_system",
    "system_meant",
]

System = RatingSystem | str
"""A system, or the name of one with its default parameters."""

SYSTEMS: Registry[type[RatingSystem]] = Registry(
    "rating system", {name: entry.home for name, entry in INVENTORY.items()}, aliases=SYSTEM_ALIASES
)

S = TypeVar("S", bound=type[RatingSystem])


def register_system(cls: S) -> S:
    """Register a system under its name, for the command line, files and `make_system`. Use it as a decorator.

    Args:
        cls: The class of the system, with a `name`.

    Returns:
        The same class.

    >>> import podium
    >>> from dataclasses import dataclass
    >>> @podium.register_system
    ... @dataclass(frozen=True, kw_only=True)
    ... class ClubElo(podium.Elo):
    ...     name = "club-elo"
    >>> podium.make_system("club-elo", k=20.0).k
    20.0
    """
    SYSTEMS.register(cls.name, cls)
    return cls


def simple_system(cls: type) -> type[RatingSystem]:
    """Make a rating system of an ordinary class with `rate` and `predict`. Use it as a decorator.

    The class's annotated fields become parameters, its name the system's: `TinyElo` is `tiny-elo`.

    Args:
        cls: The class. ``rate(event)`` returns the players' new ratings, and ``predict(a, b)`` the expected
            score of the first.

    Returns:
        A class of rating systems.

    >>> @simple_system
    ... class TinyElo:
    ...     k: float = 20.0
    ...
    ...     def rate(self, event):
    ...         a, b = event.players
    ...         gain = self.k * (a.score(b) - self.predict(a.rating, b.rating))
    ...         return [a.rating.mu + gain, b.rating.mu - gain]
    ...
    ...     def predict(self, a, b):
    ...         return 1 / (1 + 10 ** ((b.mu - a.mu) / 400))
    >>> from podium import Ladder
    >>> [change.gain for change in Ladder(TinyElo(k=40)).record_match("ann", "bob")]
    [20.0, -20.0]
    """
    from podium.systems.contract.simple_system import authored_class

    return register_system(authored_class(cls))


def find_system(name: str) -> type[RatingSystem]:
    """The class of the system with this name."""
    return SYSTEMS.find(name)


def find_preset(name: str) -> tuple[type[RatingSystem], dict[str, ParameterInput]]:
    """The class of the system or preset with this name, and the parameters that a preset has."""
    if name in SYSTEMS:
        return SYSTEMS[name], {}
    if name not in PRESETS:
        raise ParameterError(
            f"there is no rating system {name!r}", hint=known_names(name, [*SYSTEMS, *PRESETS])
        )
    return SYSTEMS[PRESETS[name].system], dict(PRESETS[name].parameters)


def list_systems() -> dict[str, type[RatingSystem]]:
    """All registered systems: name -> class.

    >>> print(*list_systems())  # doctest: +NORMALIZE_WHITESPACE
    elo-mmr elo-mmx elo-r elo glicko glicko2 trueskill weng-lin codeforces topcoder luck yuksel
    lichess atcoder fide uscf dwz egf auto
    """
    return dict(SYSTEMS)


@contextmanager
def hinting_at_others() -> Iterator[None]:
    """If a system cannot use something inside the block, name the systems that can."""
    try:
        yield
    except UnsupportedError as error:
        if error.evidence is None:
            raise
        able = sorted(name for name, cls in list_systems().items() if getattr(cls.supports, error.evidence))
        hint = "these can: " + ", ".join(able)
        raise UnsupportedError(error.reason, hint=hint, evidence=error.evidence) from None


def make_system(name: str, **parameters: ParameterInput) -> RatingSystem:
    """A system by name, as on the command line, or the one of a preset.

    Args:
        name: The name of a system or preset, such as "elo-mmr" or "races".
        parameters: Parameters that differ from the defaults, also those of named constructors.

    Returns:
        The system.

    Raises:
        ParameterError: The name or a parameter is unknown, or a value is not allowed.

    >>> make_system("elo", k=24).k
    24.0
    >>> make_system("matches", tau=0.3).label
    'matches with tau=0.3'
    """
    cls, preset = find_preset(name)
    if not preset:
        return cls.from_parameters(**parameters)
    return cls.from_parameters(**preset).changed(**parameters)


def system_for(given: System | None, *histories: History) -> RatingSystem:
    """The system that is given; if none is, the preset for the histories together."""
    return make_system(choose_preset(histories).preset.name) if given is None else system_meant(given)


def system_meant(given: System | None) -> RatingSystem:
    """The system that is given, as a value or by its name; for None the preset of a ladder without results.

    >>> system_meant("elo").label, system_meant(None).label
    ('elo', 'matches')
    """
    if isinstance(given, RatingSystem):
        return given
    if given is None or isinstance(given, str):
        return make_system(DEFAULT_PRESET if given is None else given)
    hint = f"with its parameters: {given.__name__}()" if isinstance(given, type) else 'a name, such as "elo"'
    raise ParameterError(f"{shorten(repr(given))} is not a rating system", hint=hint)
