"""Systems as files: what is written is read back, and what cannot be is refused by name."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import (
    Elo,
    EloMMR,
    InputError,
    Luck,
    LuckFunction,
    ParameterError,
    list_systems,
    load_system,
    save_system,
)
from podium.systems.system_files import from_toml, to_toml


@pytest.mark.parametrize("name", list(list_systems()))
def test_defaults_come_back(name: str, tmp_path: Path) -> None:
    system = list_systems()[name]()
    save_system(system, tmp_path / "system.toml", comment="first line\nsecond line")
    text = (tmp_path / "system.toml").read_text(encoding="utf-8")
    assert text.startswith(f'# first line\n# second line\nsystem = "{name}"\n')
    assert load_system(tmp_path / "system.toml") == system


@given(st.floats(0.0, 1e6), st.floats(1e-3, 1e6), st.lists(st.floats(1e-3, 1e3), max_size=3))
def test_numbers_come_back_exactly(k: float, sigma: float, weights: list[float]) -> None:
    for system in (Elo(k=k, newcomer_k=None), EloMMR(sigma=sigma, rho=math.inf, newcomer_weights=weights)):
        assert from_toml(to_toml(system)) == system


def test_functions_are_held_by_name(tmp_path: Path) -> None:
    system = Luck(luck="margin(0.25)", home_luck=None)
    assert 'luck = "margin(0.25)"' in to_toml(system)
    assert from_toml(to_toml(system)) == system
    mine = LuckFunction("mine", lambda x, y: 0.5 + 0.0 * (x - y))
    with pytest.raises(ParameterError, match="luck: luck: a file cannot hold the LuckFunction 'mine'"):
        save_system(Luck(luck=mine), tmp_path / "mine.toml")
    assert not (tmp_path / "mine.toml").exists()


def test_limits_are_taken_instead_of_beta_and_gamma() -> None:
    text = 'system = "elo-mmr"\n[parameters]\nsigma_limit = 100\nweight_limit = 0.1\nrho = inf\n'
    assert from_toml(text) == EloMMR.from_limits(100, 0.1, rho=math.inf)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "mine.toml: no system is named\n  hint: it begins with a line such as"),
        ("system = 3", "mine.toml: system is a name, not 3"),
        (
            'system = "glicko-2"',
            "mine.toml: there is no rating system 'glicko-2'\n  hint: did you mean 'glicko2'?",
        ),
        ('system = "elo"\nk = 3', "mine.toml: a file of a system has no 'k'\n  hint: parameters stand below"),
        ('sytem = "elo"', "a file of a system has no 'sytem'\n  hint: did you mean 'system'?"),
        ('system = "elo"\nparameters = 3', "mine.toml: parameters are a table"),
        ('system = "elo"\n[parameters]\nsigm = 3', "mine.toml: elo has no parameter 'sigm'"),
        ('system = "elo"\n[parameters]\nname = "x"', "mine.toml: elo has no parameter 'name'"),
        ('system = "elo"\n[parameters]\ncls = 1', "mine.toml: elo has no parameter 'cls'"),
        ('system = "elo"\n[parameters]\nk = -3', "mine.toml: elo: k goes from 0 to 1,000,000, not -3"),
        ('system = "elo"\n[parameters]\nk = 1979-05-27', "mine.toml: elo: k is a number, not"),
        ("system = ", "mine.toml: Invalid value"),
    ],
)
def test_what_is_wrong_is_said(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(text)
    with pytest.raises(ParameterError) as raised:
        load_system("mine.toml")
    assert reason in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        load_system(tmp_path / "none.toml")
    with pytest.raises(ParameterError, match="Is a directory"):
        load_system(tmp_path)


def test_single_parameters_are_changed() -> None:
    system = EloMMR.from_limits(100, 0.1, rho=2)
    assert system.changed(rho="inf") == EloMMR.from_limits(100, 0.1, rho=math.inf)
    narrower = system.changed(sigma_limit=50)
    assert narrower.sigma_limit == pytest.approx(50, rel=1e-12)
    assert narrower.weight_limit == pytest.approx(0.1, rel=1e-12)
    assert narrower.rho == 2
    drifting = system.changed(weight_limit=0.2, drift_per_day=30)
    assert (drifting.sigma_limit, drifting.weight_limit) == pytest.approx((100, 0.2), rel=1e-12)
    with pytest.raises(ParameterError, match="by beta and gamma or by its limits"):
        system.changed(sigma_limit=50, beta=3)
