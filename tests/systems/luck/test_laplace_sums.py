"""Walks over Laplace curves against the sums they stand for, on any supports."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from podium.systems.luck.growth import laplace_chances, laplace_densities

places = st.lists(st.floats(-20, 20), min_size=1, max_size=30).map(lambda x: np.array(sorted(x)))


@given(xs=places, ys=places, width=st.floats(0.01, 50), seed=st.integers(0, 99))
@example(xs=np.arange(9.0), ys=np.arange(9.0), width=2.0, seed=1)
@example(xs=np.array([1.0, 1.0, 3.0]), ys=np.array([1.0, 1.0, 2.0]), width=0.5, seed=2)
def test_any_points(xs: np.ndarray, ys: np.ndarray, width: float, seed: int) -> None:
    mass = np.random.default_rng(seed).random(len(xs))
    mass /= mass.sum()
    d = ys[:, None] - xs[None, :]
    density = np.exp(-np.abs(d) / width) / (2 * width)
    chance = np.where(d < 0, 0.5 * np.exp(-np.abs(d) / width), 1 - 0.5 * np.exp(-np.abs(d) / width))
    out = np.empty(len(ys))
    laplace_densities(xs, mass, ys, width, out)
    np.testing.assert_allclose(out, density @ mass, rtol=1e-12, atol=1e-300)
    laplace_chances(xs, mass, ys, width, out)
    np.testing.assert_allclose(out, chance @ mass, rtol=0, atol=1e-14)


def test_far_points_neither_overflow_nor_lose_the_tail() -> None:
    """What Cowan warns of after Algorithm 4.5: a single walk would need far more digits."""
    xs, ys, mass = np.array([0.0, 5000.0]), np.array([-2.0, 2500.0, 5002.0]), np.array([0.25, 0.75])
    out = np.empty(3)
    laplace_densities(xs, mass, ys, 1.0, out)
    np.testing.assert_allclose(out, [0.125 * np.exp(-2.0), 0.0, 0.375 * np.exp(-2.0)], rtol=1e-14)
    laplace_chances(xs, mass, ys, 1.0, out)
    np.testing.assert_allclose(out, [0.125 * np.exp(-2.0), 0.25, 1 - 0.375 * np.exp(-2.0)], rtol=1e-14)
