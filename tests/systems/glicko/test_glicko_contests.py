"""Glicko and Glicko-2 over contests of many: three ways to count all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from conftest import COMPILED
from podium import Glicko, Glicko2, History, Ladder
from podium.simulation.populations import synthetic_contests

PUBLISHED = {
    1.0: {
        "a": (1570.280825967754, 202.73849797202863),
        "b": (1500.0, 247.1838052157913),
        "c": (1438.1824725610045, 202.73849797202863),
        "d": (1491.5367014712417, 202.73849797202863),
    },
    4.0: {
        "a": (1572.2318927198592, 142.59281730726664),
        "b": (1500.0, 247.1838052157913),
        "c": (1458.3570287516836, 142.59281730726664),
        "d": (1469.4110785284572, 142.59281730726664),
    },
}
"""elo-mmr-py 2.0.0 (PyPI), system "glicko" with newcomers at 1500 (350), after two contests with a tie, by
the weight of the second one."""


@pytest.mark.parametrize("weight", PUBLISHED)
def test_one_match_is_the_published_program(weight: float) -> None:
    """Its deviations grow by 35 before every contest, the first one included."""
    system = Glicko(pairs="one-match", c=35, sigma=math.hypot(350, 35), sigma_max=1e6, periods_per_day=0.0)
    ladder = Ladder(system)
    ladder.record(ranks={"a": 1, "b": 2, "c": 2, "d": 4})
    ladder.record(ranks={"d": 1, "a": 2, "c": 3}, weight=weight)
    for player, (mu, sigma) in PUBLISHED[weight].items():
        rating = ladder.rating(player)
        assert rating.mu == pytest.approx(mu, abs=1e-9)
        assert rating.sigma == pytest.approx(sigma, abs=1e-9)


@pytest.mark.parametrize(
    "system", [Glicko(), Glicko2(), Glicko(pairs="one-match"), Glicko2(pairs="one-match")]
)
def test_ratings_settle_in_large_contests(system: Glicko | Glicko2) -> None:
    """With all pairs as matches of their own the single step overshoots, and ratings reach 1e30."""
    players, contests = (800, 40) if COMPILED else (60, 10)
    population = synthetic_contests(players=players, contests=contests, participants=players, seed=3)
    state = system.new_state()
    system.update(state, population.history, trace=False)
    mu = system.ratings(state).mu
    assert np.all(np.abs(mu - 1500.0) < 2500.0)
    last = population.history.player[-players:]  # skills drift; these are the latest
    assert np.corrcoef(mu[last], population.skill[-players:])[0, 1] > 0.9


@pytest.mark.parametrize("cls", [Glicko, Glicko2])
def test_of_two_the_mean_is_the_sum(cls: type[Glicko | Glicko2]) -> None:
    matches = History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"], [1, 0.5, 0])
    one, other = cls(pairs="mean"), cls(pairs="sum")
    states = one.new_state(), other.new_state()
    one.update(states[0], matches)
    other.update(states[1], matches)
    assert states[0] == states[1]
