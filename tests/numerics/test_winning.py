"""Chances to win in many small fields, against integrals of one player at a time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.free_for_all import place_chance
from podium.numerics.leading import top_chances
from podium.numerics.winning import winning_chances

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
@pytest.mark.parametrize(("n", "spread"), [(2, 3000.0), (100, 50.0), (200, 600.0)])
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
