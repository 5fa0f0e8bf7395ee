"""Presets: which one suits which history, and what it promises of predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import podium
from podium import History
from podium.evaluation.backtest import score
from podium.presets import PRESETS, preset_for
from podium.systems.system_files import from_toml

LN2 = float(np.log(2.0))


def many(sides: int) -> dict[str, Any]:
    return {"ranks": {f"p{number}": number + 1 for number in range(sides)}}


DUEL = {"ranks": {"ann": 1, "bob": 2}}
TEAMS = {"teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2]}


@pytest.mark.parametrize(
    "events, preset",
    [
        ([DUEL], "matches"),
        ([{**DUEL, "share": 0.7}, TEAMS], "matches"),
        ([DUEL, TEAMS], "teams"),
        ([{**TEAMS, "play": {"ann": 0.5}}], "teams"),
        ([many(3)], "races"),
        ([many(99)], "races"),
        ([many(100)], "contests"),
        ([DUEL, many(300)], "contests"),
        ([DUEL, many(3)], "races"),
    ],
)
def test_the_shape_of_a_history_decides(events: list[dict[str, Any]], preset: str) -> None:
    history = History.from_events(events)
    assert preset_for(history).name == preset
    podium.make_system(preset).check(history)  # it can use all evidence there is


def test_nothing_yet_may_become_matches() -> None:
    assert preset_for(History.from_events([DUEL])[:0]).name == "matches"


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_calibrated_systems_by_name(name: str) -> None:
    system = podium.make_system(name)
    assert system.name == PRESETS[name].system
    assert system.parameters()["calibration"] == "learned"
    assert podium.Ladder(name).system == system
    assert podium.make_system(name, mu=1000).parameters()["mu"] == 1000.0


def test_limits_replace_the_parameters_they_stand_for() -> None:
    races, system = podium.make_system("races"), podium.make_system("races", sigma_limit=90.0)
    assert isinstance(races, podium.EloMMR)
    assert isinstance(system, podium.EloMMR)
    assert system.sigma_limit == pytest.approx(90.0)
    assert system.weight_limit == pytest.approx(races.weight_limit)
    assert system.distribution is not None
    with pytest.raises(podium.ParameterError, match="not by both"):
        podium.make_system("races", sigma_limit=90.0, beta=100.0)


def test_names_that_are_nearly_those_of_presets() -> None:
    with pytest.raises(podium.ParameterError, match="did you mean 'matches'"):
        podium.make_system("mathces")


def test_a_file_can_name_a_preset() -> None:
    assert from_toml('system = "races"\n') == podium.make_system("races")
    changed = from_toml('system = "matches"\n[parameters]\nsigma = 300\n')
    assert changed == podium.make_system("matches", sigma=300)
    with pytest.raises(podium.ParameterError, match="glicko2 has no parameter 'simga'"):
        from_toml('system = "matches"\n[parameters]\nsimga = 300\n')


def test_the_first_of_several_histories_decides() -> None:
    pieces = [History.from_events([DUEL]), History.from_events([many(3)])]
    for given in (pieces, iter(pieces), tuple(pieces)):
        assert podium.rate(given).ladder.system == podium.make_system("matches")
    assert podium.Ladder().system == podium.EloMMR()


def test_both_versions_of_a_corrected_history_have_one_system() -> None:
    history = History.from_events([{**DUEL, "name": "one"}, {**many(300), "name": "two"}])
    found = podium.what_if(history, without="two")  # what is left is a match
    assert found.before.ladder.system == found.after.ladder.system == podium.make_system("contests")


def test_luck_alone_is_predicted_as_well_as_by_a_coin() -> None:
    """Glicko-2 with its published parameters is far too sure of a game of mere luck; its preset is not."""
    chance = np.random.default_rng(3)
    pairs = np.array([chance.choice(60, 2, replace=False) for _ in range(3000)])
    history = History.from_matches(
        *(pairs[:, side].astype(str) for side in (0, 1)), chance.integers(0, 2, 3000)
    )
    published = score(history, podium.Glicko2(), "log-loss", since=0.5)
    preset = score(history, podium.make_system("matches"), "log-loss", since=0.5)
    assert published > LN2 + 0.01
    assert preset < LN2 + 0.002
