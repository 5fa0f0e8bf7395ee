"""Sums by panels against sums over all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from podium.systems.luck.chebyshev_sums import PANEL_NODES, chebyshev_nodes, half_table, lagrange
from podium.systems.luck.likelihoods import DRAW, LOSE, WIN, find_kernel, sum_panels
from podium.systems.luck.luck_functions import LOGISTIC, normal
from podium.systems.luck.prepared_tables import LuckGame, panel_size, prepare


def test_polynomials_through_the_nodes() -> None:
    nodes = chebyshev_nodes()
    np.testing.assert_allclose(lagrange(nodes), np.eye(PANEL_NODES), rtol=0, atol=1e-15)
    t = np.linspace(-1, 1, 31)
    degrees = np.arange(PANEL_NODES)  # every polynomial of so low a degree comes out as it is
    powers = nodes[:, None] ** degrees
    np.testing.assert_allclose(lagrange(t).T @ powers, t[:, None] ** degrees, rtol=0, atol=1e-13)


def test_half_a_table_is_enough() -> None:
    half = 8
    whole = lagrange((np.arange(2 * half) - half + 0.5) / half)
    even, odd = np.split(half_table(half), 2)
    np.testing.assert_allclose(whole[: PANEL_NODES // 2, half:], even + odd, rtol=0, atol=1e-15)
    np.testing.assert_allclose(whole[: PANEL_NODES // 2, half - 1 :: -1], even - odd, rtol=0, atol=1e-14)


@pytest.mark.parametrize("luck", [LOGISTIC, normal()], ids=str)
@pytest.mark.parametrize("points", [161, 201])
@pytest.mark.parametrize("beta", [0.8, 1.0])
def test_sums(luck: object, points: int, beta: float) -> None:
    game = LuckGame(luck, beta, points, 4.0, None, 0.3)  # type: ignore[arg-type]
    prepared = prepare(game, "panels", "here")
    assert prepared.panels * panel_size(points, prepared.panels) == prepared.width >= points
    chance = np.random.default_rng(points)
    belief = np.zeros((2, prepared.width))
    belief[:, :points] = chance.random((2, points)) ** 9
    belief /= belief.sum(axis=1, keepdims=True)
    x = game.strengths
    nodes, out = np.empty((4, prepared.panels * PANEL_NODES)), np.empty_like(belief)
    for venue in range(3):
        won, lost = game.chances(x[:, None], x[None, :], venue)
        for theta in (1.0, 0.0, 0.5, 0.3):
            table = prepared.tables[venue]
            entries = table[{1.0: WIN, 0.0: LOSE, 0.5: DRAW}.get(theta, WIN)].copy()
            if theta == 0.3:
                find_kernel(theta, table, entries)
            sum_panels(entries, prepared.half, belief, nodes, out)
            kernel = won**theta * lost ** (1 - theta)
            np.testing.assert_allclose(out[0, :points], kernel @ belief[1, :points], rtol=0, atol=1e-13)
            np.testing.assert_allclose(out[1, :points], belief[0, :points] @ kernel, rtol=0, atol=1e-13)
