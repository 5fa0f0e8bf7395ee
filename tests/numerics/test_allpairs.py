"""Sums over all pairs of a contest, against going through all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.allpairs import expected_sums, score_sums, sorted_order


def brute_force(x: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    z = g * (x[:, None] - x[None, :])
    small = np.exp(-np.abs(z))
    sigma = np.where(z >= 0, 1.0, small) / (1.0 + small)
    return (g * sigma).sum(axis=1), (g * g * small / (1.0 + small) ** 2).sum(axis=1)


def contests() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    chance = np.random.default_rng(5)
    two_clusters = np.concatenate([chance.normal(-400, 1, 150), chance.normal(400, 1, 150)])
    return {
        "usual": (chance.normal(0, 2, 400), np.ones(400)),
        "unsure": (chance.normal(0, 2, 400), chance.uniform(0.05, 1, 400)),
        "spread far": (chance.normal(0, 1e5, 400), chance.uniform(0.001, 1, 400)),
        "all equal": (np.zeros(300), np.ones(300)),
        "far outliers": (np.append(chance.normal(0, 1, 300), [5e6, -3e6]), np.full(302, 0.7)),
        "two clusters": (two_clusters, np.ones(300)),
        "one alone": (np.array([3.0]), np.ones(1)),
        "at panel edges": (np.arange(300) * 2.0, np.ones(300)),
    }


@pytest.mark.parametrize("name", contests())
def test_expected_sums(name: str) -> None:
    x, g = contests()[name]
    total, slope = np.empty(len(x)), np.empty(len(x))
    expected_sums(x, g, total, slope)
    right_total, right_slope = brute_force(x, g)
    np.testing.assert_allclose(total, right_total, rtol=0, atol=1e-13 * len(x))
    np.testing.assert_allclose(slope, right_slope, rtol=0, atol=1e-11 * len(x))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=40), st.integers(0, 2**32))
def test_score_sums(ranks: list[int], seed: int) -> None:
    g = np.random.default_rng(seed).uniform(0.1, 1, len(ranks))
    rank = np.array(ranks, float)
    total = np.empty(len(ranks))
    score_sums(rank, g, total)
    score = (rank[:, None] < rank[None, :]) + 0.5 * (rank[:, None] == rank[None, :])
    np.testing.assert_allclose(total, (g * score).sum(axis=1), rtol=0, atol=1e-12)


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 1e300]), max_size=40))
def test_sorted_order_is_stable(keys: list[float]) -> None:
    order = sorted_order(np.array(keys, float))
    assert order.tolist() == sorted(range(len(keys)), key=lambda i: keys[i])
