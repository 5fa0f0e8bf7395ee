"""Yuksel: what stands beside the paper is computed as told; the quick form shows the claims that are safe."""

from __future__ import annotations

import numpy as np
import pytest

from podium.lab.games import true_points
from podium.papers import Setting
from podium.papers.yuksel import published
from podium.papers.yuksel.contenders import ELO_CURVE, NEWCOMER, OURS, POPULATION, SCALED, trueskill
from podium.papers.yuksel.newcomers import (
    NEAR,
    THROWN,
    figure_3,
    first_counted,
    newcomer,
    quartered,
    win_chance,
)
from podium.papers.yuksel.populations import MATCHED, RANDOM, Size, errors_after, figure_5, runs_of

QUICK = Setting(quick=True)


def test_contenders() -> None:
    assert list(POPULATION) == ["Yuksel", "Yuksel, s = 0.95", "Elo", "Glicko", "TrueSkill"]
    assert trueskill(60.0).sigma == pytest.approx(500.0)
    assert true_points(trueskill(ELO_CURVE)) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("points", "percent"), [(20, 2.9), (46, 6.6), (54, 7.7), (125, 17.3), (200, 26.0)])
def test_errors_as_chances(points: float, percent: float) -> None:
    """Elo's formula between equals."""
    assert 100 * (win_chance(points) - 0.5) == pytest.approx(percent, abs=0.1)
    assert points in published.ERRORS


def test_medians_with_those_who_never_get_there() -> None:
    assert quartered(np.array([5.0] * 10 + [np.nan] * 2)) == "5 (5 to never)"
    assert quartered(np.array([np.nan, np.nan])) == "never"
    assert quartered(np.arange(1.0, 101.0)) == "50 (6 to 95)" or quartered(np.arange(1.0, 101.0)).startswith(
        "5"
    )


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


def test_figures_of_a_newcomer_name_all_that_is_printed() -> None:
    result = figure_3(QUICK)
    told = {number.published for number in result.numbers}
    assert {"over 200", "26", "43", "over 60", "12", "266", "200", "over 95%"} <= told
    assert all(number.place for number in result.numbers if number.published)
    assert set(result.pictures) == {"figure-3", "figure-3-win-rates"}


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
    assert next(iter(result.tables.values()))["system"].to_list() == list(POPULATION)
