"""The searches that interpreted kernels use find what the compiled ones do, and take few steps for it.

With the compiler off, the tests of performances and beliefs compare the same searches with the naive twins.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from podium.systems.elo_mmr import beliefs, interpreted_searches, logistic_performances
from podium.systems.elo_mmr.beliefs import room_for
from podium.systems.elo_mmr.logistic_performances import (
    HALF_TIES_BUT_SELF,
    HIGHEST,
    LOWEST,
    WHOLE_TIES,
    empty_logistic_field,
    find_standings,
)

pytestmark = pytest.mark.compiled

AS_COMPILED = {"rel": 1e-14, "abs": 1e-10}
"""The compiled search of ratings stops at an error of 3e-13 τ."""


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Where the functions are looked at whose zeros are searched."""
    places: list[float] = []
    newton = interpreted_searches._newton

    def counting(look: Any, *given: float) -> Any:
        def counted(x: float) -> tuple[float, float]:
            places.append(x)
            found: tuple[float, float] = look(x)
            return found

        return newton(counted, *given)

    monkeypatch.setattr(interpreted_searches, "_newton", counting)
    return places


def standings(mu: list[float], scale: list[float]) -> Any:
    """Players from best to worst, and the bounds of their performances."""
    ranks = np.arange(len(mu), dtype=np.int32)
    field = empty_logistic_field(len(mu))
    find_standings(np.array(mu), np.array(scale), ranks, field)
    return field.m, field.s, field.w, *field.limits[[LOWEST, HIGHEST]].tolist()


def test_performances_are_the_compiled_ones_after_a_few_looks(looks: list[float]) -> None:
    chance = np.random.default_rng(3)
    for n in (2, 2, 2, 3, 10, 24):
        mu, scale = chance.normal(1500, 350, n).tolist(), chance.uniform(110, 220, n).tolist()
        m, s, w, low, high = standings(mu, scale)
        for k in range(n):
            alone = (k, k + 1, k, k + 1, WHOLE_TIES)
            looks.clear()
            found = interpreted_searches.performance(m, s, w, *alone, low, high)
            assert found == pytest.approx(
                logistic_performances.solve_directly(m, s, w, *alone, low, high), **AS_COMPILED
            )
            assert len(looks) <= 8
            tied = (0, n, k, k + 1, HALF_TIES_BUT_SELF)
            assert interpreted_searches.performance(m, s, w, *tied, low, high) == pytest.approx(
                logistic_performances.solve_directly(m, s, w, *tied, low, high), **AS_COMPILED
            )


def test_between_far_clusters_the_performance_is_in_the_middle() -> None:
    """Whoever beat the far better one and lost to the far worse one: anything in between fits."""
    m, s, w, low, high = standings([0.0, 20_000.0], [100.0, 100.0])
    assert interpreted_searches.performance(m, s, w, 0, 1, 0, 1, WHOLE_TIES, low, high) == pytest.approx(
        logistic_performances.solve_directly(m, s, w, 0, 1, 0, 1, WHOLE_TIES, low, high), rel=1e-12
    )


@pytest.mark.parametrize("pull", [0.0, 0.01, -0.01])
def test_ratings_are_the_compiled_ones_after_a_few_looks(looks: list[float], pull: float) -> None:
    chance = np.random.default_rng(4)
    for n in range(30):
        p, w = chance.normal(1500, 220, n + 2), 200.0**-2 * 0.7 ** np.arange(n + 2)
        tau = 220.0 * np.exp(chance.normal(0, 0.3, n + 2))
        given = (1480.0, pull, 1500.0, 120.0**-2, 1, n, p, w, tau, math.pi**2 / 6)
        looks.clear()
        found = interpreted_searches.mode(*given, np.empty(0))
        assert found == pytest.approx(beliefs.mode(*given, room_for(n)), **AS_COMPILED)
        assert len(looks) <= (5 if pull == 0.0 else 7)


@pytest.mark.parametrize("added", [1e-9, 0.01, 0.2, 50.0, 1e5])
def test_fancy_noise_is_the_compiled_one(added: float) -> None:
    chance = np.random.default_rng(2)
    for n in range(1, 20):
        p, tau = chance.normal(1500, 300, n), 250 * 1.1 ** np.arange(n - 1, -1, -1)
        p[0] = 1500.0  # at the rating itself
        w = tau**-2
        variance = 1 / (w.sum() + 350.0**-2)
        compiled = w.copy(), tau.copy()
        kept = interpreted_searches.add_fancy_noise(
            variance, added * variance, 1500.0, 350.0**-2, 0, n, p, w, tau
        )
        assert kept == pytest.approx(
            beliefs.add_fancy_noise(variance, added * variance, 1500.0, 350.0**-2, 0, n, p, *compiled),
            rel=2e-14,
        )
        assert (w, tau) == (
            pytest.approx(compiled[0], rel=2e-14, abs=0),
            pytest.approx(compiled[1], rel=2e-14, abs=0),
        )
