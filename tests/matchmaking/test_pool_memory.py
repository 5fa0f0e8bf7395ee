"""What a pool remembers, and what it looks up: recent games, opponents, ratings that are wanted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium import InputError
from podium.matchmaking.policies.meetings import wanted_ratings
from podium.matchmaking.policies.targets import RecentScores
from podium.matchmaking.pool.player_memory import Opponents, parse_recent


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0])))
def test_letters_say_what_scores_say(scores: list[float]) -> None:
    text = "".join({1.0: "W", 0.5: "D", 0.0: "L"}[score] for score in scores)
    assert parse_recent(text) == parse_recent(text.lower()) == parse_recent(scores) == scores


def test_results_nobody_can_read() -> None:
    assert parse_recent(None) == []
    for wrong in ("WXL", "W L", "10", [2], [float("nan")], [None], 5, ["W"]):
        with pytest.raises(InputError):
            parse_recent(wrong)  # type: ignore[arg-type]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=6)), max_size=8)
)
def test_recent_games_can_be_replaced(told: list[tuple[int, list[float]]]) -> None:
    recent, naive = RecentScores(1, 3), {}
    recent.grow(6)
    recent.record([0, 5], [1, 1])
    naive = {0: [1.0], 5: [1.0]}
    for player, games in told:
        recent.replace(np.array([player]), [games])
        naive[player] = games
    for player, games in naive.items():
        assert recent.played[player] == len(games)
        assert recent.wins[player] == sum(games[-3:])


@given(
    st.integers(1, 3),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda p: p[0] != p[1])),
)
def test_the_last_opponents_are_remembered(games: int, met: list[tuple[int, int]]) -> None:
    memory, naive = Opponents(games), {player: [] for player in range(5)}
    for a, b in met:
        memory.remember(np.array([a, b]), np.array([[b], [a]]))
        naive[a].append(b)
        naive[b].append(a)
    memory.reserve(5)
    for player, others in naive.items():
        remembered = sorted(memory.met[player][memory.met[player] >= 0].tolist())
        assert remembered == sorted(others[-games:])


@pytest.mark.parametrize("name", ["elo-mmr", "luck", "trueskill", "glicko", "elo"])
def test_wanted_ratings_leave_nearly_the_wanted_chances(name: str) -> None:
    """Interpolated, they are off by a hundredth of a percent; it only matters where to look."""
    system, chance = podium.make_system(name), np.random.default_rng(1)
    unit = 1.0 if name == "trueskill" else 50.0
    mu, sigma = chance.normal(30 * unit, 6 * unit, 5_000), chance.uniform(0.3 * unit, 7 * unit, 5_000)
    outer = [] if name == "luck" else [0.05, 0.9]  # which its coin leaves to nobody
    wanted = chance.choice([0.25, 0.4, 0.6, *outer], 5_000)
    deviation = sigma if system.has_sigma else None
    found = wanted_ratings(system, wanted, mu, deviation)
    left = system.win_probability(mu, deviation, found, deviation)
    np.testing.assert_allclose(left, wanted, rtol=0, atol=1e-4)
