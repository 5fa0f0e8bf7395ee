"""Presets: which one suits which history, and what it promises of predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import podium
from podium import History
from podium.documents import system_document
from podium.evaluation.backtest import score
from podium.presets import PRESETS, choose_preset, preset_for
from podium.systems import RatingSystem
from podium.systems.system_files import from_toml, to_toml

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
        ([DUEL, DUEL, many(3)], "matches"),
        ([DUEL, DUEL, TEAMS], "teams"),
        ([many(300), TEAMS], "contests"),
        ([many(99), many(100)], "contests"),
        ([many(3), TEAMS, *[many(4)] * 9], "races"),
        ([many(300), {**DUEL, "share": 0.7}], "matches"),
        ([many(300), {**TEAMS, "play": {"ann": 0.5}}], "teams"),
        ([many(300), {**TEAMS, "play": {"ann": 1.0}}], "contests"),
    ],
)
def test_the_kind_that_most_rows_are_of_decides(events: list[dict[str, Any]], preset: str) -> None:
    history = History.from_events(events)
    assert preset_for(history).name == preset
    podium.make_system(preset).check(history)  # it can use all evidence there is
    assert podium.rate(history).ladder.n_events == len(events)


@pytest.mark.parametrize(
    "events, sentence",
    [
        ([many(300)], "contests: elo-mmr tuned for large contests"),
        (
            [many(1500), TEAMS, many(3)],
            "contests: elo-mmr tuned for large contests (1,500 of 1,507 rows). In matches of teams (4 rows) "
            "a team performs as the mean of its members. Small contests (3 rows) are rated alike",
        ),
        (
            [many(300), {**DUEL, "share": 0.7}],
            "matches: glicko2 tuned for matches of two players (2 of 302 rows). Rows with shares of a "
            "point: 2. Other presets do not accept them. Large contests (300 rows) are rated alike",
        ),
    ],
)
def test_what_each_kind_gets_is_said(events: list[dict[str, Any]], sentence: str) -> None:
    assert choose_preset([History.from_events(events)]).sentence == sentence


def test_nothing_yet_may_become_matches() -> None:
    assert preset_for(History.from_events([DUEL])[:0]).name == "matches"


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_calibrated_systems_by_name(name: str) -> None:
    system = podium.make_system(name)
    assert system.name == PRESETS[name].system
    assert system.label == system.preset == name
    assert to_toml(system).startswith(f'system = "{name}"')
    assert from_toml(to_toml(system)) == system
    assert system_document(system)["system"] == name
    assert repr(podium.Ladder(name)).startswith(f"<Ladder: {name}, ")
    assert podium.make_system(PRESETS[name].system).label == PRESETS[name].system
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


def test_pieces_are_chosen_for_together_unless_they_are_read_one_by_one() -> None:
    pieces = [History.from_events([DUEL]), History.from_events([many(3)])]
    for given in (pieces, tuple(pieces)):
        assert podium.rate(given).ladder.system == podium.make_system("races")
    assert podium.rate(iter(pieces)).ladder.system == podium.make_system("matches")
    by_name = {"one": pieces[0], "two": pieces[1], "three": pieces[0], "four": pieces[0]}
    assert podium.rate_ladders(by_name, jobs=1)["two"].ladder.system == podium.make_system("matches")


def test_a_ladder_without_results_is_for_matches_and_says_so() -> None:
    assert repr(podium.Ladder()) == "<Ladder: matches, 0 players, 0 events>"
    assert podium.Ladder().system == podium.make_system("matches")


@pytest.mark.parametrize(
    "system, label",
    [
        (podium.EloMMR(), "elo-mmr"),
        (podium.EloMMR(rho=2.0), "elo-mmr with rho=2"),
        (podium.make_system("contests", display_k=0), "contests with display_k=0"),
        (podium.Elo(k=24, mu=1000), "elo with mu=1000 and k=24"),
        (podium.Elo(k=24, mu=1000, scale=200), "elo with 3 changed parameters"),
        (podium.EloMMR(newcomer_weights=(0.4, 0.7)), "elo-mmr with newcomer_weights=0.4/0.7"),
    ],
)
def test_labels_say_what_differs_and_hold_no_comma(system: RatingSystem, label: str) -> None:
    assert system.label == label
    assert system.preset is None


def test_each_version_of_a_corrected_history_has_the_system_that_rating_it_would_take() -> None:
    history = History.from_events([{**DUEL, "name": "one"}, {**many(300), "name": "two"}])
    found = podium.what_if(history, without="two")  # what is left is a match
    assert found.before.ladder.system == podium.make_system("contests")
    assert found.after.ladder.system == podium.make_system("matches")
    assert "By default, contests rates the results and matches rates the corrected results" in repr(found)
    named = podium.what_if(history, "contests", without="two")
    assert named.before.ladder.system == named.after.ladder.system == podium.make_system("contests")


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
