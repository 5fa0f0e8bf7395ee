"""Whole distributions: what they say of a rating, and that every system that has a deviation has one."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import (
    Distribution,
    Elo,
    EloMMR,
    Glicko,
    Ladder,
    ParameterError,
    TrueSkill,
    UnknownPlayerError,
    UnsupportedError,
)

NORMAL = NormalDist(1500, 100)
DICE = Distribution(np.arange(1.0, 7.0), np.full(6, 3.0))


def test_the_normal_one_is_normal() -> None:
    belief = Distribution.normal(1500, 100)
    assert belief.mean == pytest.approx(1500, abs=1e-9)
    assert belief.deviation == pytest.approx(100, abs=1e-9)
    for rating in np.linspace(1000, 2000, 77):
        assert belief.chance_above(rating) == pytest.approx(1 - NORMAL.cdf(rating), abs=1e-5)
    for p in (0.001, 0.025, 0.3, 0.5, 0.975):
        assert belief.quantile(p) == pytest.approx(NORMAL.inv_cdf(p), abs=0.01)
    assert belief.interval(0.95) == pytest.approx((1304.0036, 1695.9964), abs=0.01)
    assert belief.density[512] == pytest.approx(NORMAL.pdf(1500))


def test_values_worked_out_by_hand() -> None:
    """A die whose faces are spread over a unit each: even on [0.5, 6.5]."""
    assert DICE.probability.tolist() == pytest.approx([1 / 6] * 6)
    assert DICE.mean == pytest.approx(3.5)
    assert DICE.deviation == pytest.approx((35 / 12) ** 0.5)
    assert DICE.edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert DICE.quantile(0.25) == pytest.approx(2.0)
    assert DICE.interval(1.0) == pytest.approx((0.5, 6.5))
    assert [DICE.chance_above(x) for x in (0, 0.5, 2, 6.5, 7)] == pytest.approx([1, 1, 0.75, 0, 0])
    assert DICE.to_frame()["chance_below"].to_list() == pytest.approx([k / 6 - 1 / 12 for k in range(1, 7)])


def test_points_need_not_be_even_nor_all_have_mass() -> None:
    belief = Distribution(np.array([0.0, 1.0, 2.0, 4.0, 9.0]), np.array([0.0, 1.0, 0.0, 1.0, 0.0]))
    assert belief.edges.tolist() == [-0.5, 0.5, 1.5, 3.0, 6.5, 11.5]
    assert belief.quantile(0.0) == 0.5
    assert belief.quantile(1.0) == 6.5
    assert belief.chance_above(2.0) == pytest.approx(0.5)
    assert belief.chance_above(4.75) == pytest.approx(0.25)
    assert belief.density.tolist() == pytest.approx([0, 0.5, 0, 0.5 / 3.5, 0])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30).filter(any), st.floats(0, 1))
def test_quantiles_and_chances_are_each_others_inverse(mass: list[float], p: float) -> None:
    belief = Distribution(np.cumsum(1.0 + np.arange(len(mass)) % 3), np.array(mass))
    assert belief.chance_above(belief.quantile(p)) == pytest.approx(1 - p, abs=1e-9)
    assert belief.probability.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("sigma", [0.0, 1e-30])
def test_what_is_known_for_sure(sigma: float) -> None:
    belief = Distribution.normal(1500, sigma)
    assert belief.interval() == (1500, 1500)
    assert (belief.mean, belief.deviation) == (1500, 0)
    assert [belief.chance_above(x) for x in (1499, 1500, 1501)] == [1.0, 0.5, 0.0]
    assert str(belief) == "1500 ± 0: between 1500 and 1500 with a chance of 95%"


@pytest.mark.parametrize("sigma", [1e-300, 1e-6, 1e300])
def test_any_scale(sigma: float) -> None:
    belief = Distribution.normal(0.0, sigma)
    assert belief.deviation == pytest.approx(sigma, rel=1e-9)
    assert belief.chance_above(sigma) == pytest.approx(0.158655, abs=1e-5)
    assert str(belief)


def test_words() -> None:
    assert str(Distribution.normal(1500, 100, "ann")) == (
        "ann: 1500 ± 100: between 1304 and 1696 with a chance of 95%"
    )
    assert str(Distribution.normal(25, 8.333)) == (
        "25.00 ± 8.33: between 8.67 and 41.33 with a chance of 95%"
    )


def test_it_is_a_value_that_nobody_changes() -> None:
    points = np.array([1.0, 2.0])
    belief = Distribution(points, np.array([1.0, 1.0]))
    points[0] = 0.0
    assert belief.points.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        belief.probability[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        belief.player = "ann"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("points", "mass", "reason"),
    [
        ([1, 2], [1], "a probability for each"),
        ([], [], "a probability for each"),
        ([2, 1], [1, 1], "numbers that rise"),
        ([1, float("inf")], [1, 1], "numbers that rise"),
        ([1, 2], [-1, 2], "0 or more"),
        ([1, 2], [0, 0], "not all of them 0"),
        ([1, 2], [float("nan"), 1], "0 or more"),
    ],
)
def test_refusals(points: Any, mass: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        Distribution(points, mass)


def test_chances_are_chances() -> None:
    for ask in (DICE.quantile, DICE.interval):
        with pytest.raises(ParameterError, match=r"from 0 to 1, not 1\.5"):
            ask(1.5)
    with pytest.raises(ParameterError, match="no normal distribution"):
        Distribution.normal(1500, -1.0)


@pytest.mark.parametrize("system", [Glicko(periods_per_day=0.1), EloMMR(), TrueSkill()], ids=lambda s: s.name)
def test_a_ladder_has_those_of_its_players(system: Any) -> None:
    ladder = Ladder(system)
    ladder.record_match("ann", "bob", time="2026-01-01")
    for at in (None, "2026-03-01"):
        rating, belief = ladder.rating("ann", at=at), ladder.distribution("ann", at=at)
        assert belief.player == "ann"
        assert belief.mean == pytest.approx(rating.mu)
        assert belief.deviation == pytest.approx(rating.sigma)
    with pytest.raises(UnknownPlayerError, match="no player 'cat'"):
        ladder.distribution("cat")


def test_a_system_without_deviations_has_none() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    with pytest.raises(UnsupportedError, match="elo has no sigma, and so no distributions"):
        ladder.distribution("ann")


def test_a_table() -> None:
    frame = Distribution.normal(1500, 100, "ann").to_frame()
    assert frame.columns == ["player", "rating", "probability", "density", "chance_below"]
    assert frame["probability"].sum() == pytest.approx(1.0)
    assert set(frame["player"]) == {"ann"}
    assert json.loads(frame.head(1).write_json())[0]["rating"] == 700.0
