"""Growth on a grid against matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.systems.luck.growth import fill_normal_taps, line_length, spread, spread_laplace, taps_length


def grown(
    row: np.ndarray, shares: list[float], deviations: list[float], *, each: bool, whole: bool
) -> np.ndarray:
    taps, line = np.zeros(taps_length(len(row))), np.zeros(line_length(len(row)))
    reach = fill_normal_taps(np.array(shares), np.array(deviations), 1.0, whole, taps)
    out = np.empty(len(row))
    spread(row, taps, reach, each, line, out)
    return out


def kernel(points: int, shares: list[float], deviations: list[float], family: str) -> np.ndarray:
    d = np.abs(np.subtract.outer(np.arange(points), np.arange(points))).astype(float)
    wide = np.arange(1, 20_000)
    total = np.zeros_like(d)
    for share, s in zip(shares, deviations, strict=True):
        if s == 0:
            total += share * (d == 0)
        elif family == "normal" and s < 0.86:  # three points that have its variance
            total += share * ((1 - s * s) * (d == 0) + 0.5 * s * s * (d == 1))
        elif family == "normal":
            total += share * np.exp(-(d**2) / (2 * s * s)) / (1 + 2 * np.exp(-(wide**2) / (2 * s * s)).sum())
        else:
            b = s / np.sqrt(2)
            total += share * np.exp(-d / b) / (1 + 2 * np.exp(-wide / b).sum())
    return total


mixtures = st.sampled_from(
    [([1.0], [2.14]), ([1.0], [0.0]), ([0.3, 0.7], [0.0, 0.4]), ([0.5, 0.5], [1.0, 30.0]), ([1.0], [300.0])]
)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("whole", [False, True])
@given(mixture=mixtures, points=st.integers(3, 80), seed=st.integers(0, 99))
def test_normal(mixture: tuple, points: int, seed: int, each: bool, whole: bool) -> None:
    row = np.random.default_rng(seed).random(points)
    matrix = kernel(points, *mixture, "normal")
    if each:
        matrix = matrix / matrix.sum(axis=0)
    expected = matrix @ row
    np.testing.assert_allclose(grown(row, *mixture, each=each, whole=whole), expected, rtol=0, atol=1e-13)
    if each:
        assert expected.sum() == pytest.approx(row.sum(), rel=1e-13)


@given(mixture=mixtures, points=st.integers(3, 80), seed=st.integers(0, 99))
def test_laplace(mixture: tuple, points: int, seed: int) -> None:
    row = np.random.default_rng(seed).random(points)
    out, part = np.empty(points), np.empty(points)
    cells = np.arange(points, dtype=float)
    spread_laplace(row, np.array(mixture[0]), np.array(mixture[1]), 1.0, cells, part, out)
    np.testing.assert_allclose(out, kernel(points, *mixture, "laplace") @ row, rtol=0, atol=1e-13)
