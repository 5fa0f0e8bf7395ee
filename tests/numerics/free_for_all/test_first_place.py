"""Chances to win in many small fields, against integrals of one player at a time."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED
from naive.free_for_all import place_chance
from podium.numerics.free_for_all.first_place import winning_chances
from podium.numerics.free_for_all.top_chances import top_chances

compiled = pytest.mark.compiled
FAMILIES = ["gumbel", "normal", "logistic"]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_chances_to_win(family: str, seed: int, sizes: list[int]) -> None:
    chance = np.random.default_rng(seed)
    offsets = np.cumsum([0, *sizes])
    location, scale = chance.normal(0, 3, offsets[-1]), chance.uniform(0.5, 2, offsets[-1])
    found = winning_chances(family, location, scale, offsets)
    for a, b in pairwise(offsets):
        players = list(zip(location[a:b].tolist(), scale[a:b].tolist(), strict=True))
        expected = [place_chance(family, players, i, 1) for i in range(b - a)]
        assert found[a:b] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("n", "spread"),
    [
        (2, 3000.0),
        pytest.param(100, 50.0, marks=pytest.mark.compiled),
        pytest.param(200, 600.0, marks=pytest.mark.compiled),
    ],
)
def test_large_fields(family: str, n: int, spread: float) -> None:
    chance = np.random.default_rng(n)
    location, scale = chance.normal(1500, spread, n), chance.uniform(20, 300, n)
    found = winning_chances(family, location, scale, np.array([0, n]))
    assert found == pytest.approx(top_chances(family, location, scale, 1), abs=1e-10)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


def test_one_scale_of_gumbel_is_a_closed_form() -> None:
    location = np.log([6.0, 3.0, 1.0]) * 170 + 1500
    found = winning_chances("gumbel", location, np.full(3, 170.0), np.array([0, 3]))
    assert found == pytest.approx([0.6, 0.3, 0.1], abs=1e-14)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("narrow", [*(pytest.param(x, marks=compiled) for x in (1.0, 0.01, 1e-4)), 1e-6])
@pytest.mark.parametrize("n", [3, pytest.param(50, marks=compiled)])
def test_one_much_narrower_than_the_others(family: str, narrow: float, n: int) -> None:
    """Steps of the narrowest would be billions."""
    location = 1500.0 + 50.0 * np.cos(np.arange(n))
    scale = np.full(n, 400.0)
    scale[:2] = narrow, 300.0
    found = winning_chances(family, location, scale, np.array([0, n]))
    assert found == pytest.approx(top_chances(family, location, scale, 1), abs=1e-11)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(5 if COMPILED else 1))
def test_scales_of_all_sizes(family: str, seed: int) -> None:
    n = 12 if COMPILED else 4
    chance = np.random.default_rng(seed)
    location, scale = chance.normal(1500, 200, n), 10.0 ** chance.uniform(-2, 2.6, n)
    found = winning_chances(family, location, scale, np.array([0, n]))
    assert found == pytest.approx(top_chances(family, location, scale, 1), abs=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
def test_who_does_not_scatter_is_a_point(family: str) -> None:
    """Beside one other: the chance that the other one is above the point."""
    other = {
        "normal": 0.5 * math.erfc(0.25 / math.sqrt(2.0)),
        "logistic": 1.0 / (1.0 + math.exp(0.25)),
        "gumbel": 1.0 - math.exp(-math.exp(-0.25)),
    }[family]
    found = winning_chances(family, np.array([1600.0, 1500.0]), np.array([0.0, 400.0]), np.array([0, 2]))
    assert found == pytest.approx([1.0 - other, other], abs=1e-11)
    alike = winning_chances(family, np.array([1600.0, 1600, 1500]), np.array([0.0, 0, 400]), np.array([0, 3]))
    assert alike == pytest.approx([0.5 * (1.0 - other), 0.5 * (1.0 - other), other], abs=2e-6)
    offsets = np.array([0, 3, 3, 4])
    nobody = winning_chances(family, np.array([1500.0, 1400, 1500, 0]), np.zeros(4), offsets)
    assert nobody.tolist() == [0.5, 0.0, 0.5, 1.0]


@pytest.mark.parametrize("family", FAMILIES)
def test_far_below_and_narrow(family: str) -> None:
    """Somebody without a chance does not cost the others their digits."""
    location, scale = np.array([-1e15, 1500.0, 1600.0]), np.array([1e-3, 300.0, 0.1])
    found = winning_chances(family, location, scale, np.array([0, 3]))
    assert found[0] < 1e-15
    assert found[1:] == pytest.approx(top_chances(family, location[1:], scale[1:], 1), abs=1e-11)
