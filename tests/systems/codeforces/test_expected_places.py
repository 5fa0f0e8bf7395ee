"""Expected places in a field, against going through everybody; and the rating for a place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import COMPILED
from podium.numerics.ordering import reached_places
from podium.numerics.panels import MOST_PANELS
from podium.systems.codeforces.expected_places import DIRECT_UP_TO, level_for, standing, survey

Floats = np.ndarray
SIZE = 400 if COMPILED else 40


def fields() -> dict[str, Floats]:
    chance = np.random.default_rng(6)
    two = np.concatenate([chance.normal(-400, 1, SIZE // 4), chance.normal(400, 2, SIZE)])
    return {
        "two": np.array([8.0, 9.5]),
        "few": chance.normal(8, 2, DIRECT_UP_TO),
        "one more": chance.normal(8, 2, DIRECT_UP_TO + 1),
        "usual": chance.normal(8, 2, SIZE),
        "all equal": np.full(SIZE, 8.0),
        "two clusters": two,
        "clusters as far as results reach": np.where(np.arange(SIZE) % 3 == 0, 0.0, 81.0),
        "spread": chance.normal(0, 1e3, SIZE),
        "spread too far for a table": np.arange(MOST_PANELS // 39) * 1e4 if COMPILED else np.arange(30) * 1e7,
        "far outliers": np.append(chance.normal(0, 1, SIZE), [5e6, -3e6]),
    }


def places(x: float, z: Floats) -> tuple[float, float]:
    """How many beat x and are beaten, to the last digit."""
    small = np.exp(-np.abs(x - z))
    win, loss = 1.0 / (1.0 + small), small / (1.0 + small)
    return math.fsum(np.where(z > x, win, loss)), math.fsum(np.where(z > x, loss, win))


def slope(x: float, z: Floats) -> float:
    small = np.exp(-np.abs(x - z))
    return math.fsum(small / (1.0 + small) ** 2)


@pytest.mark.parametrize("name", fields())
def test_standing(name: str) -> None:
    z = np.sort(fields()[name])
    centre, beaten, deviation, _ = survey(z)
    assert len(centre) <= MOST_PANELS
    for x in (*z[:: max(1, len(z) // 20)], z[0] - 3.0, z[-1] + 3.0, 0.5 * (z[0] + z[-1])):
        above, below, _ = standing(x, z, centre, beaten, deviation)
        right = places(x, z)
        assert above == pytest.approx(right[0], rel=1e-11, abs=1e-15)
        assert below == pytest.approx(right[1], rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("name", fields())
def test_level_for_a_place(name: str) -> None:
    """The rating has the place; and whoever has a place has their rating back."""
    z = np.sort(fields()[name])
    table = survey(z)
    n = len(z)
    for place in (0.5, 0.7, *np.linspace(0.6, n - 0.6, 23), n - 0.5):
        x = level_for(place, z, *table)
        # Panels are exact to about 1e-13 of what is uncertain; where hardly anything is, the place decides.
        wrong = abs(places(x, z)[0] - place)
        assert wrong <= 2e-12 * slope(x, z) * (1.0 + 1e-3 * abs(x)) + 2e-14 * place
    for x in z[:: max(1, n // 20)]:
        above = standing(x, z, *table[:3])[0]
        assert level_for(above, z, *table) == pytest.approx(x, rel=1e-13, abs=1e-11)


def test_where_no_rating_differs_from_another_the_middle_is_taken() -> None:
    """Between far clusters everybody has the same place."""
    for size in (4, SIZE):
        z = np.repeat([-1000.0, 1000.0], size)
        assert level_for(float(size), z, *survey(z)) == pytest.approx(0.0, abs=1e-9)
        for place in (size * (1.0 - 2e-16), size * (1.0 + 3e-16)):  # a last digit more or less
            assert level_for(place, z, *survey(z)) == pytest.approx(0.0, abs=0.05)


def test_a_table_covers_only_where_somebody_is_near() -> None:
    chance = np.random.default_rng(7)
    near = np.sort(chance.normal(0, 2, SIZE))
    far = np.sort(np.concatenate([near, near + 1e9]))
    assert len(survey(far)[0]) < 4 * len(survey(near)[0]) + 100


@given(st.lists(st.integers(1, 9) | st.integers(1, 10**6), min_size=1, max_size=30))
def test_reached_places(ranks: list[int]) -> None:
    better, upto = reached_places(np.array(ranks, np.int32))
    assert better.tolist() == [sum(r < rank for r in ranks) for rank in ranks]
    assert upto.tolist() == [sum(r <= rank for r in ranks) for rank in ranks]
