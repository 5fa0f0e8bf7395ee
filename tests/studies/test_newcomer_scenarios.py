"""A newcomer in a settled pool: curves as documented, opponents where they belong, errors as defined."""

from __future__ import annotations

import numpy as np
import pytest

from naive import matchmaking as naive
from podium import Elo, Glicko, Glicko2, ParameterError, RatingSystem, TrueSkill, WengLin, Yuksel
from podium.matchmaking.policies.targets import WinRateTarget
from podium.studies.live_game.newcomer_scenarios import (
    SCENARIOS,
    NewcomerRun,
    Scenario,
    follow_newcomer,
    scenario,
)

SHORT = scenario("short", "a short one", np.linspace(1500.0, 1600.0, 40), thrown=slice(10, 15), change=15)
SYSTEMS = [
    Elo(k=24),
    Glicko(c=0),
    Glicko2(),
    TrueSkill(mu=1500, sigma=350, beta=220, tau=5),
    Yuksel(form="independent"),
]
SYSTEMS += [WengLin(mu=1500, sigma=350, beta=220, tau=5)]


def test_the_papers_curves() -> None:
    skill = {name: one.skill for name, one in SCENARIOS.items()}
    assert all(len(curve) == 1_000 for curve in skill.values())
    assert set(skill["fixed"]) == set(skill["thrown"]) == {2000.0}
    assert (skill["rising"][0], skill["rising"][-1]) == (1500, 2000)
    assert np.ptp(np.diff(skill["rising"])) < 1e-9
    flat = skill["rising-then-flat"]
    assert np.diff(flat[:500]) == pytest.approx(500 / 499)
    assert set(flat[499:]) == {2000.0}
    assert (set(skill["jump"][:500]), set(skill["jump"][500:])) == ({1500.0}, {2000.0})
    assert np.flatnonzero(SCENARIOS["thrown"].thrown).tolist() == list(range(500, 600))
    assert not any(SCENARIOS[name].thrown.any() for name in skill if name != "thrown")
    changes = {name: one.change for name, one in SCENARIOS.items()}
    assert changes == {"fixed": 0, "rising": 0, "rising-then-flat": 500, "jump": 500, "thrown": 600}


def test_ratings_are_those_of_a_slow_elo() -> None:
    run = follow_newcomer(Elo(k=24), SHORT, repetitions=3, seed=1)
    for one in range(3):
        rating = 1500.0
        for game in range(SHORT.games):
            expected = naive.elo_chance(rating, run.opponent[game, one])
            rating += 24 * (run.score[game, one] - expected)
            assert run.rating[game, one] == pytest.approx(rating, abs=1e-8)


def test_opponents_are_in_the_wanted_window() -> None:
    run = follow_newcomer(Elo(k=24), SCENARIOS["fixed"], repetitions=4, seed=3)
    target = WinRateTarget()
    for game in range(1, 200):
        recent = run.score[max(game - 5, 0) : game]
        low, high = target.window(run.rating[game - 1], recent.sum(axis=0), game)
        assert np.all((low <= run.opponent[game]) & (run.opponent[game] <= high))


def test_opponents_come_from_the_pool() -> None:
    """Of the window only what the pool has: at its end the weakest there are, however low the estimate."""
    lost = scenario("lost", "", np.full(60, 1500.0), thrown=slice(0, 60))
    run = follow_newcomer(Elo(k=200), lost, repetitions=3, pool=(1000.0, 1600.0))
    assert run.rating[-1].max() < 500
    assert np.all(run.opponent[-1] == 1000.0)
    assert run.opponent.max() <= 1600.0


def test_near_opponents_are_the_same_for_every_system() -> None:
    one, other = (
        follow_newcomer(system, SHORT, repetitions=50, opponents="near", spread=100, seed=1)
        for system in (Elo(), Glicko())
    )
    assert np.array_equal(one.opponent, other.opponent)
    assert np.array_equal(one.score, other.score)
    distance = one.opponent - SHORT.skill[:, None]
    assert -100 <= distance.min() < -95
    assert 95 < distance.max() <= 100


def test_results_follow_elos_formula_and_thrown_games_are_lost() -> None:
    run = follow_newcomer(Elo(), SHORT, repetitions=2_000, opponents="near", seed=1)
    honest = ~SHORT.thrown
    assert not run.score[~honest].any()
    expected = 1 / (1 + 10 ** (-(SHORT.skill[:, None] - run.opponent) / 400))
    off = (run.score - expected)[honest]
    assert abs(off.mean()) < 4 * 0.5 / np.sqrt(off.size)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_every_system_finds_a_fixed_rating(system: RatingSystem) -> None:
    steady = scenario("steady", "at 1800", np.full(400, 1800.0))
    run = follow_newcomer(system, steady, repetitions=30, seed=2)
    assert abs(run.mean_error(since=201)) < 30
    assert run.rmse(since=201) < 90


def test_only_the_newcomer_is_rated() -> None:
    """Glicko by hand, against opponents who are certain and stay so."""
    run = follow_newcomer(Glicko(c=0), SHORT, repetitions=1, opponents="near", seed=1)
    mu, variance, q = 1500.0, 350.0**2, np.log(10) / 400
    for game in range(SHORT.games):
        expected = naive.elo_chance(mu, run.opponent[game, 0])
        variance = 1 / (1 / variance + q**2 * expected * (1 - expected))
        mu += q * variance * (run.score[game, 0] - expected)
        assert run.rating[game, 0] == pytest.approx(mu, abs=1e-5)


def made_run(rating: list[list[float]], score: list[list[float]], one: Scenario) -> NewcomerRun:
    return NewcomerRun(Elo(), one, np.array(rating), np.zeros((len(rating), 2)), np.array(score))


def test_measures_by_hand() -> None:
    three = scenario("three", "", [1500, 1600, 1600, 1700], thrown=slice(2, 3))
    run = made_run(
        [[1500, 1530], [1560, 1600], [0, 0], [1690, 1720]], [[1, 0], [1, 0], [0, 0], [1, 1]], three
    )
    assert run.error.tolist() == [[0, 30], [-40, 0], [-1600, -1600], [-10, 20]]
    assert run.rmse() == pytest.approx(np.sqrt((30**2 + 40**2 + 10**2 + 20**2) / 6))
    assert run.mean_error(since=2) == pytest.approx((-40 - 10 + 20) / 4)
    assert run.mean_error(since=1, until=2) == pytest.approx((30 - 40) / 4)
    assert run.win_rates(2).tolist() == [[1, 0], [0.5, 0], [0.5, 0.5]]
    assert run.longest_streak(True).tolist() == [2, 1]
    assert run.longest_streak(False).tolist() == [1, 3]
    assert run.longest_streak(False, since=2, until=3).tolist() == [1, 2]
    assert run.games_until(1690, rising=True).tolist() == [4, 4]
    assert run.games_until(1600, rising=True, since=2).tolist() == [3, 1]
    up, down = run.games_until(1720, rising=True), run.games_until(1510, rising=False, since=2)
    assert np.isnan(up[0])
    assert up[1] == 4
    assert down.tolist() == [2, 2]
    with pytest.raises(ParameterError, match="thrown"):
        run.rmse(since=3, until=3)


def test_a_seed_gives_the_same_games() -> None:
    one, same, other = (follow_newcomer(Elo(), SHORT, repetitions=5, seed=s) for s in (1, 1, 2))
    assert np.array_equal(one.rating, same.rating)
    assert not np.array_equal(one.rating, other.rating)


def test_time_between_games_widens_beliefs() -> None:
    """Each event is a period for Glicko; with 50 more of them a day it follows a jump."""
    system = Glicko(c=1.0, periods_per_day=50.0)
    jump = scenario("jump", "", np.where(np.arange(200) < 150, 1500.0, 2000.0), change=150)
    still, moving = (follow_newcomer(system, jump, repetitions=20, interval=i) for i in (None, "10d"))
    assert abs(moving.mean_error(since=190)) < 0.3 * abs(still.mean_error(since=190))


def test_table_and_progress() -> None:
    seen: list[int] = []
    run = follow_newcomer(Elo(), SHORT, repetitions=3, progress=seen.append)
    assert seen == [6] * 40
    frame = run.to_frame()
    assert frame.columns == ["game", "repetition", "skill", "thrown", "opponent", "score", "rating"]
    second = frame.filter(repetition=2)
    assert second["rating"].to_list() == run.rating[:, 1].tolist()
    assert second["thrown"].sum() == 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"repetitions": 0},
        {"opponents": "far"},
        {"spread": -1.0},
        {"interval": "soon"},
        {"pool": (1500.0, 1500.0)},
    ],
)
def test_refusals(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        follow_newcomer(Elo(), SHORT, **wrong)


def test_scenarios_and_measures_that_make_no_sense_are_refused() -> None:
    for skill, named in (([], {}), ([np.nan], {}), ([[1.0]], {}), ([1.0], {"change": 1})):
        with pytest.raises(ParameterError):
            scenario("wrong", "", skill, **named)
    run = follow_newcomer(Elo(), SHORT, repetitions=1)
    for call in (lambda: run.rmse(since=0), lambda: run.rmse(since=1, until=41), lambda: run.win_rates(0)):
        with pytest.raises(ParameterError):
            call()


def test_a_scenario_may_be_named() -> None:
    named = follow_newcomer(Elo(), "jump", repetitions=2, seed=3)
    given = follow_newcomer(Elo(), SCENARIOS["jump"], repetitions=2, seed=3)
    assert np.array_equal(named.rating, given.rating)
    with pytest.raises(ParameterError, match="no scenario 'jumping'"):
        follow_newcomer(Elo(), "jumping")
