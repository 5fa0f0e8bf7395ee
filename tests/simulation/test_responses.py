"""What results change: the numbers that closed formulas and single matches give."""

from __future__ import annotations

import numpy as np
import pytest

from podium import Elo, EloMMX, Glicko, Ladder, Luck, ParameterError, TrueSkill
from podium.simulation.responses import all_systems, responses_to_change, responses_to_opponents


def test_elo_moves_by_its_formula() -> None:
    frame = responses_to_opponents({"elo": Elo(k=20)}, gaps=[-300, 0, 150], matches=7)
    expected = 1.0 / (1.0 + 10.0 ** (np.array([-300.0, 0, 150]) / 400.0))
    assert frame.filter(result="win")["change"].to_list() == pytest.approx(20 * (1 - expected))
    assert frame.filter(result="loss")["change"].to_list() == pytest.approx(-20 * expected)


def test_a_newcomer_moves_as_on_a_ladder() -> None:
    """With no match before, it is what two newcomers' first match changes, on any scale."""
    for system, points in ((Glicko(), 1.0), (TrueSkill(), 400.0 / 7.86911)):
        ladder = Ladder(system)
        gain = points * ladder.preview(ranks={"ann": 1, "bob": 2})[0].gain
        frame = responses_to_opponents({"it": system}, gaps=[0.0], matches=0)
        assert frame["change"].to_list() == pytest.approx([gain, -gain], rel=1e-4)


def test_a_coin_makes_upsets_count_for_little() -> None:
    """Cowan's Figure 3.1: with a coin the change has a top and falls again, without it never falls."""
    gaps = [0.0, 200, 1000]
    frame = responses_to_opponents({"0.8": Luck(beta=0.8), "1": Luck(beta=1.0)}, gaps=gaps, matches=10)
    won = frame.filter(result="win").partition_by("system", as_dict=True)
    with_coin, without = (won[name,]["change"].to_numpy() for name in ("0.8", "1"))
    assert with_coin[2] < 0.3 * with_coin[1]
    assert without[0] < without[1] < without[2]


def test_who_is_suddenly_better_is_found() -> None:
    systems = {"elo": Elo(k=200), "mmx": EloMMX()}
    frame = responses_to_change(systems, jump=400.0, before=10, after=30, field=49)
    for name in systems:
        rating = frame.filter(system=name)["rating"].to_numpy()
        assert frame.filter(system=name)["contest"].to_list() == list(range(-9, 31))
        assert rating[9] == pytest.approx(1500, abs=3)
        assert (np.diff(rating[9:]) > -1e-9).all()
        assert rating[-1] == pytest.approx(1900, abs={"elo": 15, "mmx": 50}[name])  # mmx keeps some prior
    with pytest.raises(ParameterError, match="luck rates matches of two"):
        responses_to_change({"luck": Luck()})
    with pytest.raises(ParameterError, match="name at least one system"):
        responses_to_opponents({})


def test_every_system_is_there_with_its_defaults() -> None:
    made = all_systems()
    assert made["yuksel"].describe()["parameters"]["form"] == "independent"
    assert all(type(system)() == system for name, system in made.items() if name != "yuksel")
