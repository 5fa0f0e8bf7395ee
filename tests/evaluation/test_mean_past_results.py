"""The mean of past results, which systems should beat: against calculations by hand."""

from __future__ import annotations

import pytest

from podium import Elo, History, Metric, Rename, evaluate
from podium.evaluation.event_predictions import MEAN_PAST_RESULT, predict_by_means


def expected(history: History, start: int = 0, stop: int | None = None) -> list[float]:
    return predict_by_means(history, start, len(history) if stop is None else stop).expected.tolist()


def test_two_sides_by_hand() -> None:
    """Of s points in n matches (s + 1)/(n + 2) is the strength: 3/4 and 1/4 after two wins of ann."""
    history = History.from_matches(["ann", "ann", "ann", "bob"], ["bob", "bob", "bob", "cat"], [1, 1, 0.5, 1])
    after_two = 0.75 * 0.75 / (0.75 * 0.75 + 0.25 * 0.25)
    # bob has half a point of three matches, so a strength of 1.5/5, and cat is new
    bob = 0.3 * 0.5 / (0.3 * 0.5 + 0.5 * 0.7)
    by_hand = [0.5, 0.5, 0.8, 0.2, after_two, 1.0 - after_two, bob, 1.0 - bob]
    assert expected(history) == pytest.approx(by_hand)
    assert expected(history, 2, 3) == pytest.approx(
        by_hand[4:6]
    )  # earlier events count, and are not measured


def test_teams_have_the_mean_of_their_members() -> None:
    history = History.from_events(
        [
            {"ranks": {"ann": 1, "bob": 2}},
            {"teams": [["ann", "cat"], ["bob", "dan"]], "ranks": [2, 1]},
            {"ranks": {"cat": 1, "dan": 2}},
        ]
    )
    a, b = (2 / 3 + 1 / 2) / 2, (1 / 3 + 1 / 2) / 2
    teams = a * (1 - b) / (a * (1 - b) + b * (1 - a))
    # the first team lost: cat 1/3, dan 2/3
    assert expected(history)[2:] == pytest.approx([teams, 1 - teams, 0.2, 0.8])


def test_many_sides_meet_the_mean_of_the_others() -> None:
    history = History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}}] * 2)
    # scores 1, 1/2, 0, so strengths 2/3, 1/2, 1/3; the others of ann have 5/12: 2/3·7/12 against 5/12·1/3
    assert expected(history) == pytest.approx([0.5] * 3 + [14 / 19, 1 / 2, 5 / 19])


def test_unrated_rows_do_not_count_and_renames_are_followed() -> None:
    history = History.from_events(
        [
            {"ranks": {"ann": 1, "bob": 2}, "unrated": ["bob"]},
            {"ranks": {"ann": 1, "bob": 2}},
            Rename(player="ann", into="eve"),
            {"ranks": {"eve": 2, "cat": 1}},
        ]
    )
    # ann has one win, bob nothing yet; then eve has both wins of ann
    assert expected(history)[2:] == pytest.approx([2 / 3, 1 / 3, 0.75, 0.25])


def test_it_is_measured_beside_the_systems_and_compared_with_them() -> None:
    history = History.from_matches(["ann", "ann", "ann"], ["bob", "bob", "bob"])
    report = evaluate(history, {"elo": Elo()}, scopes="everyone", since=1)
    (row,) = report.baseline_summary.to_dicts()
    assert row["system"] == MEAN_PAST_RESULT
    assert row["brier"] == pytest.approx((0.2**2 + 0.1**2) / 2)
    assert report.summary["system"].to_list() == ["elo"]  # it is no system
    found = report.compare("elo", MEAN_PAST_RESULT, metric="brier")
    assert found.values == (report.summary["brier"][0], row["brier"])


def test_metrics_of_ones_own_are_not_asked_of_it() -> None:
    own = Metric("own", lambda scored: scored.predictions.sigma)  # which it has none of
    history = History.from_matches(["ann", "bob"], ["bob", "cat"])
    assert evaluate(history, "glicko", metrics=[own], scopes="everyone").baseline is None
    both = evaluate(history, "glicko", metrics=[own, "brier"], scopes="everyone")
    assert both.baseline_summary["own"].to_list() == [None]
    assert both.baseline_summary["brier"].null_count() == 0
