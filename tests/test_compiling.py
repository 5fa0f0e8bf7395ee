"""`podium.warmup`: what it compiles, by name, in Python as on the command line."""

from __future__ import annotations

import pytest

import podium
from podium.compiling import names_to_compile


def test_everything_is_every_system_and_what_is_beside_them() -> None:
    assert names_to_compile() == [*podium.list_systems(), "matchmaking", "evaluation", "gumbel-min"]


def test_chosen_systems_by_name_or_value() -> None:
    assert names_to_compile("bar", podium.Glicko(), "matchmaking") == ["weng-lin", "glicko", "matchmaking"]
    seconds = podium.warmup("elo", podium.Glicko(c=10))
    assert list(seconds) == ["elo", "glicko"]
    assert min(seconds.values()) > 0.0


def test_an_unknown_name_is_refused_before_anything_is_compiled() -> None:
    with pytest.raises(podium.ParameterError, match="there is no rating system 'elo2'"):
        podium.warmup("glicko", "elo2")
