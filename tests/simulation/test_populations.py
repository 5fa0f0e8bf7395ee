"""Synthetic contests: what they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from podium import ParameterError
from podium.simulation.populations import synthetic_contests


def test_the_papers_numbers() -> None:
    history, skill = synthetic_contests()
    summary = history.summary()
    assert (len(history.players), summary.events, summary.largest_event) == (10_000, 50, 2_500)
    assert len(skill) == history.rows == 125_000
    assert history.players[42] == "p00042"
    assert np.diff(history.time).tolist() == [7 * 86_400 * 1_000_000] * 49
    first, last = skill[:2500], skill[-2500:]
    assert first.mean() == pytest.approx(1500, abs=4 * 350 / 50)
    assert first.std() == pytest.approx(350, rel=0.06)
    assert last.std() == pytest.approx(np.hypot(350, 35 * 7), rel=0.06)  # after 49 steps


def test_every_contest_is_a_ranking_of_different_players() -> None:
    history, _ = synthetic_contests(players=40, contests=6, participants=25)
    for rank, player in zip(history.rank.reshape(6, 25), history.player.reshape(6, 25), strict=True):
        assert sorted(rank) == list(range(1, 26))
        assert len(set(player)) == 25


def test_performances_scatter_around_skills() -> None:
    """Of two players a skill apart by d, the better wins with chance Φ(d / (200 √2))."""
    history, skill = synthetic_contests(2, 6_000, 2, skill_deviation=0, drift=0)
    assert (skill == 1500).all()
    assert (history.rank[history.player == 0] == 1).mean() == pytest.approx(0.5, abs=0.026)
    history, skill = synthetic_contests(2, 6_000, 2, drift=0, seed=4)
    won = (history.rank == 1)[history.player == 0].mean()
    d = float(skill[history.player == 0][0] - skill[history.player == 1][0])
    sampled = np.random.default_rng(0).normal(d, 200 * np.sqrt(2), 200_000) > 0
    assert won == pytest.approx(sampled.mean(), abs=0.026)


def test_everybody_drifts_between_contests() -> None:
    _, skill = synthetic_contests(3000, 2, 3000, skill_deviation=0)
    assert (skill[:3000] == 1500).all()
    assert skill[3000:].std() == pytest.approx(35, rel=0.06)
    _, still = synthetic_contests(50, 4, 50, drift=0)
    assert len(np.unique(still)) == 50


def test_without_any_scatter_everybody_ties() -> None:
    history, _ = synthetic_contests(5, 1, 5, skill_deviation=0, performance_deviation=0)
    assert history.rank.tolist() == [1] * 5


def test_a_seed_gives_the_same_contests() -> None:
    (one, skill), (same, again), (other, _) = (synthetic_contests(50, 3, 20, seed=s) for s in (1, 1, 2))
    assert np.array_equal(one.rank, same.rank)
    assert np.array_equal(one.player, same.player)
    assert np.array_equal(skill, again)
    assert not np.array_equal(one.player, other.player)


def test_many_players_have_longer_names() -> None:
    history, _ = synthetic_contests(100_001, 1, 2)
    assert history.players[7] == "p000007"


@pytest.mark.parametrize(
    "wrong",
    [{"participants": 1}, {"participants": 11}, {"contests": 0}, {"drift": -1.0}, {"drift": float("nan")}],
)
def test_refusals(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        synthetic_contests(**{"players": 10, "contests": 1, "participants": 5, **wrong})
