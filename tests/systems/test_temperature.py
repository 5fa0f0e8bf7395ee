"""Temperature: predictions on a wider scale, from the same ratings."""

from __future__ import annotations

import math

import pytest

from podium import Elo, Glicko, Glicko2, History, RatingSystem, make_system, rate

SYSTEMS = ["elo", "glicko", "glicko2"]
HISTORY = History.from_matches(
    ["a", "b", "c", "a"], ["b", "c", "a", "c"], [1, 0.5, 0, 1], time=[0, 86_400, 172_800, 900_000]
)


def ladder_of(system: RatingSystem):
    return rate(HISTORY, system).ladder


@pytest.mark.parametrize("name", SYSTEMS)
def test_log_odds_are_divided_by_it_and_ratings_stay(name: str) -> None:
    usual, careful = (ladder_of(make_system(name, temperature=t)) for t in (1.0, 1.6))
    for player in "abc":
        assert usual.rating(player).mu == careful.rating(player).mu
        assert usual.rating(player).sigma == careful.rating(player).sigma
    p, q = usual.expected_score("a", "b"), careful.expected_score("a", "b")
    assert 0.5 < q < p
    assert math.log(q / (1 - q)) == pytest.approx(math.log(p / (1 - p)) / 1.6)


@pytest.mark.parametrize("name", SYSTEMS)
def test_free_for_alls_of_two_agree_with_matches(name: str) -> None:
    ladder = ladder_of(make_system(name, temperature=0.8))
    expected = ladder.expected_ranks(["a", "b"])
    assert expected[0] == pytest.approx(2.0 - ladder.expected_score("a", "b"), abs=1e-6)


@pytest.mark.parametrize("curve", ["logistic", "fide", "linear", "normal"])
def test_the_opponent_of_a_chance_is_found(curve: str) -> None:
    system = Elo(curve=curve, temperature=1.5)
    opponent = system.opponent_rating(0.7, mu=1500)
    assert float(system.win_probability(1500, None, opponent, None)) == pytest.approx(0.7, abs=1e-9)


def test_worked_by_hand() -> None:
    """400 points are odds of ten to one at temperature 1, and of √10 at 2."""
    assert float(Elo(temperature=2.0).win_probability(1900, None, 1500, None)) == pytest.approx(
        math.sqrt(10) / (1 + math.sqrt(10))
    )
    for system in (Glicko(temperature=2.0), Glicko2(temperature=2.0)):
        assert float(system.win_probability(1900, 0.0, 1500, 0.0)) == pytest.approx(
            math.sqrt(10) / (1 + math.sqrt(10))
        )


def test_it_is_shown_and_no_other_system() -> None:
    assert Elo(temperature=1.3).same_beliefs(Elo())
    assert not Elo(temperature=1.3, k=20).same_beliefs(Elo())
