"""Chances from a table miss the exact ones by no more than is said, and pools read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from podium import Luck, Matchmaker, Policy
from podium.arrays import Floats
from podium.systems.luck.grid_beliefs import TABLE_ERROR


@pytest.mark.parametrize("beta", [0.8, 1.0])
def test_the_error_is_as_stated(beta: float) -> None:
    """At random pairs, near and far, certain and as uncertain as Luck's grid can hold."""
    system, chance = Luck(beta=beta), np.random.default_rng(3)
    mu_a, mu_b = chance.normal(1500, 500, (2, 1_000))
    sigma_a, sigma_b = chance.uniform(0, 1, (2, 1_000)) ** 2 * 1_200 * (chance.random(1_000) < 0.9)
    exact = system.win_probability(mu_a, sigma_a, mu_b, sigma_b)
    near = system.near_win_probability(mu_a, sigma_a, mu_b, sigma_b)
    assert 0.0 < np.abs(near - exact).max() <= TABLE_ERROR


@pytest.mark.parametrize(
    ("luck", "mu", "sigma"), [("heaviside", 1600.0, 80.0), ("logistic", 9e3, 80.0), ("logistic", 1600.0, 5e3)]
)
def test_what_no_table_has_is_exact(luck: str, mu: float, sigma: float) -> None:
    """A luck function with a step, a rating far away, a deviation that is very wide."""
    system, one = Luck(luck=luck), np.array([1500.0])
    given = one, np.array([sigma]), np.array([mu]), np.array([80.0])
    assert system.near_win_probability(*given) == system.win_probability(*given)


def test_pairs_that_no_table_reaches_leave_the_others_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deviations from 1 to 600 points are in the table; one that is very wide is integrated alone."""
    system, chance = Luck(), np.random.default_rng(7)
    mu_a, mu_b = chance.normal(1500, 300, (2, 200))
    sigma_a, sigma_b = chance.uniform(1, 600, (2, 200))
    sigma_a[17] = 5_000
    integrated, exactly = [], Luck.win_probability

    def counted(*given: Any) -> Floats:
        integrated.append(len(given[1]))
        return exactly(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Luck, "win_probability", counted)
        near = system.near_win_probability(mu_a, sigma_a, mu_b, sigma_b)
    assert integrated == [1]
    assert near == pytest.approx(system.win_probability(mu_a, sigma_a, mu_b, sigma_b), abs=TABLE_ERROR)


def test_pools_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of tickets have thousands of pairs, none of which is integrated once there is a table."""
    system, chance = Luck(), np.random.default_rng(5)
    mu, sigma = chance.normal(1500, 200, 400), chance.uniform(50, 150, 400)
    system.near_win_probability(mu[:1], sigma[:1], mu[:1], sigma[:1])
    maker = Matchmaker(system, policy=Policy(tolerance=0.5))
    maker.join_many([f"p{i}" for i in range(400)], mu=mu, sigma=sigma, time=0)
    with monkeypatch.context() as patched:
        patched.setattr(Luck, "win_probability", None)
        matches = list(maker.tick(time=1).matches)
    assert len(matches) == 200
    for match in matches[:20]:
        a, b = (int(side[0][1:]) for side in match.sides)
        exact = float(system.win_probability(mu[a], sigma[a], mu[b], sigma[b]))
        assert match.chances[0] == pytest.approx(exact, abs=TABLE_ERROR)
