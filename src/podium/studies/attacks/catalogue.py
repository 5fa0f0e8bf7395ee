"""All strategies by name."""

from __future__ import annotations

from collections.abc import Iterable

from podium.errors import ParameterError
from podium.named import Registry
from podium.parameters import ParameterInput
from podium.studies.attacks.collusion import Accomplices, Ring
from podium.studies.attacks.strategy import Strategy
from podium.studies.attacks.throwing import (
    Alternating,
    Farming,
    Leaving,
    Resting,
    Sandbagging,
    Streak,
    Tanking,
)
from podium.studies.attacks.trading import BestAccount, FreshAccount, Smurf

_OWN = (
    Farming,
    Alternating,
    Streak,
    Tanking,
    Ring,
    Accomplices,
    FreshAccount,
    BestAccount,
    Resting,
    Leaving,
    Sandbagging,
    Smurf,
)
ATTACKS: Registry[type[Strategy]] = Registry("attack", {cls.name: cls for cls in _OWN})
"""Those that want a higher rating first."""


def make_attack(name: str, **parameters: ParameterInput) -> Strategy:
    """A strategy by its name, as on the command line.

    >>> make_attack("farming", threshold=2975).events
    105
    """
    return ATTACKS.find(name).from_parameters(**parameters)


def strategies_of(attacks: Iterable[str | Strategy] | None) -> list[Strategy]:
    """Strategies by name or as they are, all of them where none is given."""
    given = list(ATTACKS) if attacks is None else [attacks] if isinstance(attacks, str) else list(attacks)
    made = [make_attack(one) if isinstance(one, str) else one for one in given]
    if not made:
        raise ParameterError("no attack is named", hint="there are " + ", ".join(ATTACKS))
    if len({one.label for one in made}) < len(made):
        raise ParameterError("an attack is given twice", hint="those with other parameters have other labels")
    return made
