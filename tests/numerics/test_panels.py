"""Sums over a contest on panels and their cells, against the sum itself."""

from __future__ import annotations

import numpy as np
import pytest

from podium.numerics.panels import (
    CELL_NODES,
    CELLS_PER_PANEL,
    PANEL_SCALES,
    chebyshev_sum,
    count_below,
    curve_at,
    fill_cell,
    series_zero,
    tabulate,
)

MU = np.random.default_rng(1).normal(0.0, 5.0, 40)
SCALE = np.random.default_rng(2).uniform(1.0, 2.0, 40)
CENTRE = np.arange(-12.0, 13.0, 2.0 * PANEL_SCALES)
BASE, BASE_LOW, COEFFICIENTS = tabulate(MU, SCALE, 1.0 / SCALE, CENTRE, PANEL_SCALES)


def beaten(x: float) -> tuple[float, float]:
    """Σ w σ((x − μ)/s), and its derivative."""
    share = 1.0 / (1.0 + np.exp((MU - x) / SCALE))
    return float((share / SCALE).sum()), float((share * (1.0 - share) / SCALE**2).sum())


@pytest.mark.parametrize("t", [-1.0, -0.6, 0.0, 0.3, 1.0])
def test_panels(t: float) -> None:
    for p, centre in enumerate(CENTRE.tolist()):
        value, slope = chebyshev_sum(COEFFICIENTS, p, t)
        found = BASE[p] + (BASE_LOW[p] + value), slope / PANEL_SCALES
        assert found == pytest.approx(beaten(centre + PANEL_SCALES * t), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("t", [-1.0, -0.6, 0.0, 0.3, 1.0])
def test_cells(t: float) -> None:
    """In each cell the short polynomial is the panel's series, and its coefficients are derivatives of it."""
    curve, half = np.empty(CELL_NODES), PANEL_SCALES / CELLS_PER_PANEL
    for cell in range(CELLS_PER_PANEL * len(CENTRE)):
        p = cell // CELLS_PER_PANEL
        fill_cell(COEFFICIENTS, cell, curve)
        x = CENTRE[0] - PANEL_SCALES + half * (2 * cell + 1 + t)
        value, first, second, third = curve_at(curve, t)
        assert BASE[p] + (BASE_LOW[p] + value) == pytest.approx(beaten(x)[0], rel=1e-12)
        assert first == pytest.approx(half * beaten(x)[1], rel=1e-9)
        step = 1e-3
        beside = [curve_at(curve, t + side * step) for side in (-1.0, 1.0)]
        assert 2.0 * second == pytest.approx((beside[1][1] - beside[0][1]) / (2.0 * step), rel=1e-4, abs=1e-7)
        assert 3.0 * third == pytest.approx((beside[1][2] - beside[0][2]) / (2.0 * step), rel=1e-3, abs=1e-6)


def test_zeros_of_series() -> None:
    """Of ln(1 + t) − ln(1 + x), whose zero is x: the error is of fourth order."""
    errors = [abs(series_zero(-np.log1p(x), 1.0, -0.5, 1.0 / 3.0) - x) for x in (0.1, 0.01)]
    assert errors[0] < 1e-5
    assert errors[1] < 2e-4 * errors[0]


def test_counting() -> None:
    ascending = np.array([1.0, 2.0, 2.0, 5.0])
    for count in range(5):
        part = ascending[:count]
        for value in (0.0, 1.0, 2.0, 3.0, 5.0, 6.0):
            assert count_below(part, value) == int((part < value).sum())
