"""Places to expect of normal performances, against going through all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from conftest import COMPILED
from podium.systems.topcoder.normal_places import DIRECT_UP_TO, normal_places

Floats = np.ndarray
SIZE = 3000 if COMPILED else 150
LOOKED_AT = 40


def fields() -> dict[str, tuple[Floats, Floats]]:
    """Ratings and volatilities."""
    chance = np.random.default_rng(7)
    usual, volatility = chance.normal(1500, 350, SIZE), chance.uniform(80, 400, SIZE)
    far = np.where(np.arange(SIZE) % 3 == 0, 1e9, 0.0)
    steps = np.arange(SIZE)
    return {
        "two": (np.array([1500.0, 1650.0]), np.array([300.0, 90.0])),
        "few": (usual[:DIRECT_UP_TO], volatility[:DIRECT_UP_TO]),
        "one more": (usual[: DIRECT_UP_TO + 1], volatility[: DIRECT_UP_TO + 1]),
        "usual": (usual, volatility),
        "newcomers": (np.full(SIZE, 1500.0), np.full(SIZE, 350.0)),
        "volatilities from 1 to 3000": (usual, np.geomspace(1, 3000, SIZE)),
        "volatilities from 1e-9 to 1e9": (usual, np.geomspace(1e-9, 1e9, SIZE)),
        "one wild among the steady": (usual, np.append(chance.uniform(1, 2, SIZE - 1), 1e9)),
        "one steady among the wild": (usual, np.append(volatility[1:], 1e-6)),
        "steady": (usual, chance.uniform(0.01, 0.05, SIZE)),
        "far clusters": (usual + far, volatility),
        "far clusters, unlike": (usual + far, np.where(far > 0, 1.0, 2000.0)),
        "closer than the last digit": (1e11 * (steps // 2), np.full(SIZE, 1e-8)),
        "a chain": (2000.0 * steps, np.full(SIZE, 350.0)),
        "a dense chain": (20.0 * steps, np.full(SIZE, 350.0)),
        "upside down": (-20.0 * steps, volatility),
        "spread": (chance.normal(0, 1e6, SIZE), volatility),
    }


@pytest.mark.parametrize("name", fields())
def test_normal_places(name: str) -> None:
    """To 1e-11 of the place, counted from the nearer end."""
    x, v = fields()[name]
    n = len(x)
    out = np.empty(n)
    normal_places(x, v, out)
    order = np.argsort(x, kind="stable")
    for i in {*order[:5], *order[-5:], *order[:: max(1, n // LOOKED_AT)], *np.argsort(v)[[0, -1]]}:
        z = (x[i] - x) / (np.hypot(v[i], v) * math.sqrt(2.0))
        right = math.fsum(0.5 * math.erfc(u) for u in z.tolist())
        assert abs(out[i] - right) <= 1e-11 * min(right, n - right), i


@pytest.mark.parametrize("name", fields())
def test_places_add_up(name: str) -> None:
    """Of two one wins: the places of n players sum to n²/2."""
    x, v = fields()[name]
    out = np.empty(len(x))
    normal_places(x, v, out)
    assert math.fsum(out) == pytest.approx(0.5 * len(x) ** 2, rel=1e-13)
    assert out.min() >= 0.5 - 1e-11
    assert out.max() <= len(x) - 0.5 + 1e-11


def test_order_does_not_matter() -> None:
    x, v = fields()["volatilities from 1 to 3000"]
    shuffled = np.random.default_rng(8).permutation(len(x))
    here, there = np.empty(len(x)), np.empty(len(x))
    normal_places(x, v, here)
    normal_places(x[shuffled], v[shuffled], there)
    np.testing.assert_allclose(there, here[shuffled], rtol=1e-13)
