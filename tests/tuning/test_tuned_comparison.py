"""Systems as they come and tuned, compared on events that no parameter was chosen on."""

from __future__ import annotations

import pytest

from podium import Elo, History, evaluate, evaluate_tuned, tune
from podium.evaluation.backtest import score
from podium.simulation.populations import synthetic_contests
from podium.tuning.study_log import Trial


@pytest.fixture(scope="module")
def history() -> History:
    return synthetic_contests(players=40, contests=24, participants=10, seed=2).history


def test_what_is_tuned_on_earlier_events_is_measured_on_later_ones(history: History) -> None:
    done: list[Trial] = []
    systems = {"mine": Elo(k=1.0), "luck": "luck"}  # which cannot use contests
    report = evaluate_tuned(history, systems, trials=6, scopes="everyone", progress=done.append, resamples=10)
    assert len(done) == 6
    assert report.tuned == {"tuned mine": "mine"}
    assert list(report.refused) == ["luck"]
    assert report.first_event == 12
    found = tune(history[:12], Elo(k=1.0), trials=6, since=1.0, jobs=1)
    assert report.systems["tuned mine"] == found.system
    for row in report.summary.iter_rows(named=True):
        system = report.systems[row["system"]]
        assert row["rank_deviation"] == score(history, system, "rank-deviation", since=12)
    assert report.compare("tuned mine", "mine").metric == "rank-deviation"


def test_what_cannot_be_bettered_is_there_once(history: History) -> None:
    report = evaluate_tuned(
        history, "elo", trials=1, since=0.25, metric="brier", scopes="everyone", resamples=10
    )
    assert (report.tuned, list(report.systems), report.first_event) == ({}, ["elo"], 6)


def test_both_scopes_are_judged_and_the_searched_one_first(history: History) -> None:
    for searched, other in (("experienced", "everyone"), ("everyone", "experienced")):
        tuning = tune(history, "elo", trials=3, scope=searched, jobs=1)
        assert tuning.judged is not None
        assert list(tuning.judged_others) == [other]
        for scope, outcome in ((searched, tuning.judged), (other, tuning.judged_others[other])):
            for system, value in ((tuning.system, outcome.best), (tuning.defaults, outcome.defaults)):
                assert value == pytest.approx(score(history, system, "rank-deviation", scope=scope, since=12))
        assert f"the same, {other}: rank-deviation " in str(tuning)


def test_one_metric_leads_in_evaluating_and_tuning(history: History) -> None:
    matches = History.from_matches(["a", "b", "c", "a"], ["b", "c", "a", "c"])
    for events, split in ((history, 0.5), (matches, 1.0)):
        tuning = tune(events, "elo", trials=1, since=split, jobs=1)
        assert tuning.metric == evaluate(events, "elo", scopes="everyone", resamples=2).leading.name
