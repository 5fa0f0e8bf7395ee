"""Pools of a ladder whose predictions are calibrated take their chances from it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from podium import Glicko, Ladder, Matchmaker
from podium.matchmaking.pool.ticks import look_at


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    """Veterans a to d, who beat everybody new."""
    ladder, chance = Ladder(Glicko(calibration="learned")), Random(1)
    for number in range(40):
        ladder.record_match(*chance.sample("abcd", 2))
        ladder.record_match("abcd"[number % 4], f"new {number}")
    assert ladder.calibration is not None
    assert ladder.calibration.experience < -1.0
    return ladder


@pytest.mark.parametrize(
    ("mode", "players"),
    [("1v1", ["a", "new 1"]), ("1v1", ["a", "nobody yet"]), ("2v2", ["a", "b", "new 1", "c"])],
)
def test_chances_of_a_pool_are_those_of_its_ladder(ladder: Ladder, mode: str, players: list[str]) -> None:
    pool = Matchmaker(ladder, mode, unknown="newcomer")
    for name in players:
        pool.join(name, time=0.0)
    (match,) = pool.tick(1e6).matches
    assert match.chances[0] == pytest.approx(ladder.expected_score(*match.sides), abs=1e-9)


def test_wanted_ratings_are_those_of_calibrated_chances(ladder: Ladder) -> None:
    pool = Matchmaker(ladder)
    pool.join("a", time=0.0)
    pool.join("b", time=0.0)
    waiting = look_at(pool._pool, np.arange(2), np.zeros(2), pool._pool.now)
    waiting.wanted = np.array([0.7, 0.3])
    mu, sigma = waiting.mu, waiting.sigma
    assert sigma is not None
    assert waiting.learned is not None
    raw = ladder.system.win_probability(mu, sigma, waiting.wanted_rating, sigma)
    assert waiting.learned.calibration.applied(raw) == pytest.approx([0.7, 0.3], abs=1e-6)
