"""Every law for every registered system: one that is added later is tested the day it is registered."""

from __future__ import annotations

import pytest

from checks.twins import twin_of
from checks.variants import DEFAULTS, SINGLE_CHOICES, VARIANTS, label
from conftest import COMPILED
from podium.checks import Law, laws
from podium.systems import RatingSystem

TRIES, TRIES_OF_VARIANTS = (6, 3) if COMPILED else (3, 2)
"""How many histories each law is tried on: with a system's defaults, and with each of its other choices."""


def check(law: Law, system: RatingSystem) -> None:
    tries = TRIES if system in DEFAULTS else TRIES_OF_VARIANTS
    law.check(system, examples=tries, twin=twin_of(system) if law.needs_twin else None)


@pytest.mark.parametrize("system", VARIANTS if COMPILED else DEFAULTS, ids=label)
@pytest.mark.parametrize("law", laws(), ids=str)
def test_law(law: Law, system: RatingSystem) -> None:
    check(law, system)


@pytest.mark.parametrize("system", [*VARIANTS, *(SINGLE_CHOICES if COMPILED else [])], ids=label)
@pytest.mark.parametrize("law", [law for law in laws(twin=True) if law.needs_twin], ids=str)
def test_law_of_mathematics(law: Law, system: RatingSystem) -> None:
    """Compiled or not, in all variants; compiled also with one choice at a time."""
    check(law, system)
