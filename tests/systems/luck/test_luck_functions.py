"""Luck functions: what each of them says, that they are fair, and that names find them again."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import ParameterError
from podium.systems.luck import (
    BRADLEY_TERRY,
    FAIR_COIN,
    FIDE,
    HEAVISIDE,
    LOGISTIC,
    MAJORITY,
    LaplaceMixture,
    LuckFunction,
    Sigmoid,
    coin_flip,
    laplace,
    margin,
    normal,
)
from podium.systems.luck.luck import Luck

SIGMOIDS = [LOGISTIC, HEAVISIDE, FIDE, normal(), normal(0.5), margin(), margin(2.0), laplace(), laplace(0.5)]
SIGMOIDS += [laplace(0.25, 0.5, 0.75, 2.0)]
finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("luck", SIGMOIDS, ids=str)
@given(x=finite, y=finite)
def test_sigmoids_are_fair_and_rise(luck: Sigmoid, x: float, y: float) -> None:
    assert 0.0 <= luck(x, y) <= 1.0
    assert luck(x, y) + luck(y, x) == pytest.approx(1.0, abs=1e-12)
    assert luck(x + 1.0, y) >= luck(x, y) - 1e-15


@pytest.mark.parametrize("luck", SIGMOIDS, ids=str)
def test_arrays_fractions_and_numbers_agree(luck: Sigmoid) -> None:
    x, y = np.linspace(-3, 3, 7), np.array([0.5])
    single = [luck(float(item), 0.5) for item in x]
    assert luck(x, y).tolist() == single
    assert [luck(Fraction(float(item)), Fraction(1, 2)) for item in x] == single
    assert all(isinstance(value, float) for value in single)


@pytest.mark.parametrize("luck", SIGMOIDS, ids=str)
def test_names_find_them_again(luck: Sigmoid) -> None:
    again = LuckFunction.find(str(luck))
    assert again == luck
    assert [again(d, 0.0) for d in (-1.0, 0.3, 2.5)] == [luck(d, 0.0) for d in (-1.0, 0.3, 2.5)]


def test_values_worked_out_by_hand() -> None:
    assert LOGISTIC(math.log(3), 0.0) == pytest.approx(3 / 4)
    assert normal(2.0)(2.0, 0.0) == pytest.approx(0.8413447460685429)
    assert laplace(2.0)(2 * math.log(2), 0.0) == pytest.approx(3 / 4)
    assert laplace(0.25, 1.0, 0.75, 2.0)(-math.log(4), 0.0) == pytest.approx(0.25 / 8 + 0.75 / 4)
    assert [margin(0.5)(d, 0.0) for d in (-0.6, -0.5, 0.5, 0.6)] == [0.0, 0.5, 0.5, 1.0]
    assert FIDE(9.0, 0.0) == pytest.approx(10 / 11)
    assert BRADLEY_TERRY(np.int64(1), 2) == Fraction(1, 3)
    assert BRADLEY_TERRY(np.array([1.0, 3.0]), 1.0).tolist() == [0.5, 0.75]
    assert MAJORITY((1, 1), (0, 0)) == 1.0


def test_nearest_normal_is_near() -> None:
    d = np.linspace(-12, 12, 4001)
    assert np.abs(normal().curve(d) - LOGISTIC.curve(d)).max() == pytest.approx(0.0095, abs=1e-4)


def test_a_coin_shrinks_towards_a_half() -> None:
    game = coin_flip(LOGISTIC, 0.8)
    assert game(50.0, 0.0) == pytest.approx(0.9)
    assert game(-50.0, 0.0) == pytest.approx(0.1)
    assert game.name == "logistic+coin(0.8)"
    assert coin_flip(BRADLEY_TERRY, Fraction(1, 2))(3, 1) == Fraction(5, 8)


def test_a_fair_coin_has_a_name_too() -> None:
    assert LuckFunction.find("fair-coin") is FAIR_COIN


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("logistic(3)", "logistic takes no numbers"),
        ("normal(1,2)", r"normal is written normal\(width\)"),
        ("margin(wide)", "'wide' is not a number"),
        ("laplace(1,2,3)", "share, width, share, width"),
    ],
)
def test_numbers_that_make_no_sense(text: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        LuckFunction.find(text)


@pytest.mark.parametrize("curve", [lambda d: math.exp(d), lambda d: {0.5: 1.0}["0.5"], lambda d: d.nothing])
def test_a_curve_that_takes_no_arrays_is_named(curve: Callable[[Any], Any]) -> None:
    own = Sigmoid("own", curve)
    with pytest.raises(ParameterError, match=r"own fails on an array of differences: .*Error"):
        own(np.zeros(3), 0.0)
    with pytest.raises(ParameterError, match="luck: luck=own cannot be used on the line: own fails"):
        Luck(luck=own)


@pytest.mark.parametrize("name", ["logistic", "fair-coin", "normal", "normal(2)", "laplace(1)"])
def test_a_built_in_has_its_name_to_itself(name: str) -> None:
    with pytest.raises(ParameterError, match=r"home_luck: .* that podium defines, and this one differs"):
        Luck(home_luck=Sigmoid(name, LOGISTIC.curve))
    Luck(home_luck=LuckFunction.find(name))


def test_refusals() -> None:
    for make in (
        lambda: normal(0.0),
        lambda: margin(-0.1),
        lambda: laplace(1.0, 2.0, 3.0),
        lambda: laplace(0.4, 1.0, 0.4, 2.0),
        lambda: LaplaceMixture([1.0], [-1.0]),
        lambda: coin_flip(LOGISTIC, 1.1),
        lambda: BRADLEY_TERRY(0, 1),
        lambda: LuckFunction.find("logisitc"),
    ):
        with pytest.raises(ParameterError):
            make()
