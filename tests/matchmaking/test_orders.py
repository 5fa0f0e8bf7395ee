"""Many numbers in ascending order, as Python sorts them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from podium.arrays import Floats
from podium.matchmaking.graphs.candidates import ascending_order

EXTREMES = [0.0, -0.0, 5e-324, -5e-324, 1.0, -1.0, math.inf, -math.inf, 1.7e308, -1.7e308]


def columns() -> dict[str, Floats]:
    chance = np.random.default_rng(4)
    return {
        "none": np.zeros(0),
        "equal": np.full(40, 1500.0),
        "ratings": chance.normal(0.0, 300.0, 700),
        "ties": chance.normal(0.0, 3.0, 700).round(),
        "any size": chance.normal(size=700) * 10.0 ** chance.integers(-300, 300, 700),
        "extremes": chance.choice(EXTREMES, 700),
    }


@pytest.mark.parametrize("name", columns())
def test_equals_keep_their_order(name: str) -> None:
    """Zero and minus zero are equal; Python's sort is stable."""
    values = columns()[name]
    expected = sorted(range(len(values)), key=values.tolist().__getitem__)
    assert ascending_order(values).tolist() == expected
