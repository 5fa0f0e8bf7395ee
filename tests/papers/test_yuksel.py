"""Yuksel: what stands beside the paper is computed as told; the quick form shows the claims that are safe."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from podium.simulation.arena import true_points
from podium_papers import Setting
from podium_papers.yuksel import published
from podium_papers.yuksel.contenders import ELO_CURVE, NEWCOMER, OURS, POPULATION, SCALED, trueskill
from podium_papers.yuksel.figures_1_to_3_newcomers import JUMP, NEAR, THROWN, pool_ends, short_of
from podium_papers.yuksel.figures_4_and_5_populations import (
    MATCHED,
    RANDOM,
    Size,
    errors_after,
    figure_5,
    runs_of,
)
from podium_papers.yuksel.followed_newcomer import (
    Runs,
    first_counted,
    how_often,
    newcomer,
    quartered,
    win_chance,
)
from podium_papers.yuksel.glicko_sums import glicko_sums, sums, win_probability

QUICK = Setting(quick=True)


def test_contenders() -> None:
    assert list(POPULATION) == ["Yuksel", "Yuksel, s = 0.95", "Elo", "Glicko", "TrueSkill"]
    assert trueskill(60.0).sigma == pytest.approx(500.0)
    assert true_points(trueskill(ELO_CURVE)) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("points", "percent"), [(20, 2.9), (46, 6.6), (54, 7.7), (125, 17.3), (200, 26.0)])
def test_errors_as_chances(points: float, percent: float) -> None:
    """Elo's formula between equals."""
    assert 100 * (win_chance(points) - 0.5) == pytest.approx(percent, abs=0.1)
    assert points in dict(published.ERRORS)


def test_medians_with_those_who_never_get_there() -> None:
    assert quartered(np.array([5.0] * 10 + [np.nan] * 2)) == "5 (5 to never)"
    assert quartered(np.array([np.nan, np.nan])) == "never"
    assert quartered(np.arange(1.0, 102.0)) == "51 (6 to 96)"


def test_how_often_a_run_is_as_the_one_in_the_paper() -> None:
    values = np.array([10.0, 26.0, 61.0, np.nan])
    assert how_often(values, published.BELOW["Elo"]) == "at most 26 in 50% of runs"
    assert how_often(values, published.BELOW["Yuksel"]) == "over 60 in 50% of runs"


def test_without_matchmaking_all_systems_see_the_same_games() -> None:
    scores = [newcomer(name, NEAR, 5, 0, 10).score for name in NEWCOMER]
    assert all(np.array_equal(scores[0], other) for other in scores)


def test_a_thinned_scenario_keeps_its_shape() -> None:
    run = newcomer("Elo", THROWN, 5, 0, 10)
    assert run.scenario.games == 100
    assert run.scenario.thrown.sum() == 10
    assert run.scenario.change == 60
    assert not run.score[50:60].any()
    assert first_counted(run) == 11


def test_the_actual_rating_has_a_gap_where_games_are_thrown() -> None:
    """In every picture of a half all systems are drawn on one scale."""
    runs = Runs(QUICK, (JUMP, THROWN))
    frame = runs._rating_frame(runs.of("Elo", THROWN))
    actual = frame.filter(what="actual rating").sort("game")
    assert actual.filter(actual["rating"].is_null())["game"].to_list() == list(range(51, 61))
    assert frame.filter(what="estimate")["rating"].null_count() == 0
    drawn = json.dumps(runs._ratings(THROWN).to_dict())
    assert len(set(re.findall(r'"domain": \[-?\d+\.\d, \d+\.\d\]', drawn))) == 1


@pytest.mark.parametrize(
    ("gap", "deviation", "chance"), [(100.0, 30.0, 0.639), (-50.0, 100.0, 0.432), (-200.0, 300.0, 0.303)]
)
def test_glickos_win_probability_is_glickmans(gap: float, deviation: float, chance: float) -> None:
    """The example of "The Glicko system", 1999: 1500 against 1400 ± 30, 1550 ± 100 and 1700 ± 300."""
    assert win_probability(np.array([gap]), np.array([deviation]))[0] == pytest.approx(chance, abs=5e-4)


def test_glickos_probabilities_sum_to_less_or_more_than_one() -> None:
    """Who is ahead and better known: less; ahead and less known: more; equally well known: 1."""
    gap, known, unknown = np.array([200.0]), np.array([50.0]), np.array([350.0])
    assert sums(gap, known, unknown)[0] < 0.95
    assert sums(gap, unknown, known)[0] > 1.05
    assert sums(gap, unknown, unknown)[0] == pytest.approx(1.0, abs=1e-12)
    numbers = {number.published: number.remark for number in glicko_sums(QUICK).numbers}
    assert numbers["f_G(a, b) + f_G(b, a) < 1"] == "not so here"


def test_how_far_one_is_short_when_another_is_back() -> None:
    """Counted where the other is ever back, at the game in which it is."""
    run = newcomer("TrueSkill", THROWN, 5, 0, 10)
    short = short_of(run, np.array([np.nan, 3.0, np.nan, 40.0, np.nan]))
    assert short == pytest.approx(2000.0 - np.array([run.rating[62, 1], run.rating[99, 3]]))


def test_games_counted_stand_beside_the_paper_only_where_as_many_are_played() -> None:
    printed = published.BACK["Elo"]
    quick, whole = (Runs(Setting(quick=quick), (JUMP, THROWN)) for quick in (True, False))
    assert quick.beside(printed, "games", "24").published == ""
    assert whole.beside(printed, "games", "270").published == "266"
    assert whole.beside(printed, "games", "270").place == printed.place


def test_what_the_pools_end_does() -> None:
    ends = pool_ends(Runs(QUICK, (JUMP, THROWN)))
    assert ends["weakest opponent"].to_list() == ["−1000", "0", "500", "1000"]
    assert ends.columns[1:3] == ["Yuksel until below 1500", "Yuksel until back at 2000"]


def test_populations() -> None:
    """The new system is the quickest to find the range; at random it is worse than with matchmaking."""
    size = Size(100, 100, (0,))
    after = {name: errors_after(runs_of(POPULATION[name], size, MATCHED), 100)[0] for name in POPULATION}
    assert after[OURS] < after["Glicko"] < after["Elo"]
    assert errors_after(runs_of(POPULATION[OURS], size, RANDOM), 100)[0] > after[OURS]
    assert after[SCALED] == pytest.approx(after[OURS], abs=40.0)


def test_figure_5_names_what_is_reached() -> None:
    result = figure_5(QUICK)
    numbers = {number.what: number for number in result.numbers}
    assert numbers["Yuksel after 10 rounds"].published == "below 200"
    assert "Yuksel after 10,000 rounds" not in numbers  # which the quick form never plays
    assert not any("is best after" in what for what in numbers)
    assert next(iter(result.tables.values()))["system"].to_list() == list(POPULATION)
