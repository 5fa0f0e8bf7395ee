"""Discrete measures: exact where weights are, refused where they make no sense, points of each other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import ParameterError
from podium_papers.luck_model import Measure, dirac, dirac_only, is_dirac_only, mixture

weights = st.dictionaries(st.integers(-5, 5), st.integers(0, 9), min_size=1).filter(
    lambda given: any(given.values())
)


def test_weights_are_normalised_and_fractions_stay_exact() -> None:
    rho = Measure({2: 9, 5: 3, 13: 8})
    assert [rho[x] for x in (2, 5, 13, 4)] == [Fraction(9, 20), Fraction(3, 20), Fraction(2, 5), 0]
    assert rho.points == (2, 5, 13)
    assert rho.mean == Fraction(9 * 2 + 3 * 5 + 8 * 13, 20)
    assert rho.variance == sum(m * (x - rho.mean) ** 2 for x, m in rho.items())
    assert rho.chance(lambda x: x > 4) == Fraction(11, 20)


@pytest.mark.parametrize("weight", [0.25, np.float64(0.25), np.float32(0.25)])
def test_one_float_makes_floats(weight: Any) -> None:
    rho = Measure({"a": weight, "b": Fraction(3, 4)})
    assert [type(mass) for _, mass in rho.items()] == [float, float]
    assert rho["b"] == 0.75


def test_integers_of_numpy_are_exact_too() -> None:
    largest = np.int64(2**62)
    assert Measure({"a": largest, "b": largest, "c": largest})["a"] == Fraction(1, 3)


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1.0, 1e308])
def test_floats_of_any_size(scale: float) -> None:
    rho = Measure({0: scale, 1: scale, 2: scale})
    assert rho[1] == pytest.approx(1 / 3)
    assert rho.mean == pytest.approx(1.0)


def test_points_named_twice_have_both_weights() -> None:
    assert Measure([("a", 1), ("b", 1), ("a", 2)]) == Measure({"a": 3, "b": 1})
    assert Measure.uniform("abca")["a"] == Fraction(1, 2)
    assert Measure(Measure.uniform("ab")) == Measure.uniform("ab")


def test_points_without_mass_are_none() -> None:
    rho = Measure({"a": 1, "b": 0})
    assert rho == dirac("a")
    assert hash(rho) == hash(dirac("a"))
    assert "b" not in rho
    assert len(rho) == 1


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"a": 1, "b": -0.5}, "the weight of 'b' is -0.5"),
        ({"a": float("nan")}, "the weight of 'a' is nan"),
        ({"a": float("inf")}, "the weight of 'a' is inf"),
        ({"a": "much"}, "the weight of 'a' is not a number: 'much'"),
        ({"a": 0, "b": 0.0}, "no mass at all"),
        ({}, "no mass at all"),
        ([1, 2], "1 is not a point with its weight"),
        ([("a", 1, 2)], "is not a point with its weight"),
        ([([3, 3, 3], 1)], "a point of several numbers is a tuple"),
    ],
)
def test_refusals(given: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        Measure(given)


@given(weights, weights, st.integers(1, 9))
def test_beliefs_are_measures_on_measures(a: dict[int, int], b: dict[int, int], share: int) -> None:
    one, other = Measure(a), Measure(b)
    nu = Measure([(one, share), (other, 10 - share)])
    mixed = mixture(nu)
    for x in range(-5, 6):
        assert mixed[x] == Fraction(share, 10) * one[x] + Fraction(10 - share, 10) * other[x]
    assert is_dirac_only(nu) == (len(one) == len(other) == 1)


@given(weights)
def test_a_dirac_only_belief_is_a_measure_on_strengths(given: dict[int, int]) -> None:
    rho = Measure(given)
    assert is_dirac_only(dirac_only(rho))
    assert mixture(dirac_only(rho)) == rho
    assert dirac_only(rho)[dirac(rho.points[0])] == rho[rho.points[0]]


def test_a_belief_is_not_a_measure_on_strengths() -> None:
    with pytest.raises(ParameterError, match=r"a belief is a measure on measures, not Measure\(\{1: 1\}\)"):
        mixture(dirac(1))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no mean: Measure"):
        _ = dirac(dirac(1)).mean
    with pytest.raises(ParameterError, match="no mean: 'a' is not a number"):
        _ = Measure({"a": 1}).variance


def test_long_ones_are_shown_in_part() -> None:
    assert repr(Measure({"a": 0.5, "b": 1.5})) == "Measure({'a': 0.25, 'b': 0.75})"
    assert repr(Measure.uniform(range(100))).endswith("6: 1/100, … 93 more})")
