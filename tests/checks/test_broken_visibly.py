"""What people would see is wrong with a system, some law catches."""

from __future__ import annotations

import pytest

from checks.broken_visibly import CAUGHT
from podium.checks import BrokenLawError, laws
from podium.errors import UnsupportedError
from podium.systems import RatingSystem

BY_NAME = {law.name: law for law in laws()}
TRIES = 30
"""Histories until a law must have noticed; most need one."""


@pytest.mark.parametrize("cls", CAUGHT, ids=lambda cls: cls.__name__)
def test_what_a_user_could_notice_is_caught(cls: type[RatingSystem]) -> None:
    law = BY_NAME[CAUGHT[cls]]
    with pytest.raises(BrokenLawError, match=law.name) as caught:
        law.check(cls(), examples=TRIES)
    found = caught.value.__cause__  # not because the system does not work at all
    assert isinstance(found, AssertionError | UnsupportedError)


def test_there_are_many_and_the_systems_they_were_made_from_are_right() -> None:
    assert len(CAUGHT) >= 45
    for law in set(CAUGHT.values()):
        for right in {cls.__base__ for cls, broken in CAUGHT.items() if broken == law}:
            assert right is not None
            BY_NAME[law].check(right(), examples=3)
