"""Every metric of a backtest against its twin, on random results with everything in them."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import backtests as naive
from podium import Elo, History, InputError, ParameterError, TrueSkill, UnsupportedError
from podium.checks.random_histories import histories
from podium.evaluation.backtest import evaluate, score
from podium.evaluation.block_bootstrap import sum_in_bins
from podium.evaluation.event_predictions import Predictions
from podium.evaluation.metrics import Metric, Scored, find_metric, find_metrics
from podium.evaluation.metrics.calibration_bins import bin_edges
from podium.evaluation.metrics.metric_sums import SideMeans
from podium.evaluation.metrics.scored_sides import Measured
from podium.evaluation.scopes import Scope, by_experience, by_period, by_rating, measured_part
from podium.evaluation.standings import standings_of
from podium.systems import Capabilities

METRICS = {metric.name: metric for metric in find_metrics(None)}
EVERYTHING = Capabilities(
    many=True, teams=True, ties=True, shares=True, weights=True, time=True, home=True, play=True
)
SCOPES: list[dict[str, Any]] = [
    {},
    {"min_events": 2},
    {"top": 2},
    {"max_sigma": 50.0},
    {"unrated": False},
    {"min_events": 1, "top": 3, "unrated": False},
]
CHANCES = st.one_of(st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.95, 1.0]), st.floats(0, 1))


@st.composite
def predicted(draw: st.DrawFn) -> tuple[History, Predictions, list[naive.Event]]:
    """A history and made-up predictions of it, for podium and for the twin."""
    history = draw(histories(EVERYTHING, adjusted=False, max_events=8))
    standings = standings_of(history)
    n = len(standings.rank)
    columns = {
        "expected": draw(st.lists(CHANCES, min_size=n, max_size=n)),
        "rating": draw(st.lists(st.integers(0, 4).map(float), min_size=n, max_size=n)),
        "sigma": draw(st.lists(st.sampled_from([40.0, 60.0]), min_size=n, max_size=n)),
    }
    happened = draw(st.lists(CHANCES, min_size=len(history), max_size=len(history)))
    events, first = [], 0
    for number, event in enumerate(history):
        m = len(event.sides)
        home = next((i for i, side in enumerate(event.sides) if event.home in side), None)
        events.append(
            {"sides": event.sides, "ranks": event.ranks, "share": event.share, "unrated": event.unrated}
            | {name: column[first : first + m] for name, column in columns.items()}
            | {"home": home, "happened": happened[number]}
        )
        first += m
    two = standings.counts == 2
    found = Predictions(
        standings=standings,
        happened=np.where(two, happened, np.nan),
        draws=True,
        seconds=0.0,
        **{name: np.array(column) for name, column in columns.items()},
    )
    return history, found, events


@given(predicted(), st.sampled_from(SCOPES))
def test_against_the_twin(
    made: tuple[History, Predictions, list[naive.Event]], choice: dict[str, Any]
) -> None:
    _, predictions, events = made
    scored = Measured(predictions).within(Scope("", **choice), Elo())
    right = naive.measure(events, choice)
    assert (np.count_nonzero(scored.count), scored.count.sum()) == (right["events"], right["rows"])
    assert np.count_nonzero((scored.count > 0) & (scored.ordered.decided == 0)) == right["undecided"]
    for name in METRICS:
        np.testing.assert_allclose(value_of(name, scored), right[name], rtol=1e-12, atol=1e-12, err_msg=name)


def value_of(name: str, scored: Scored) -> float:
    """A metric of all scored sides."""
    metric = METRICS[name]
    return float(metric.value(metric.sums(scored).total()))


@given(predicted(), st.integers(0, 4), st.integers(0, 8))
def test_parts_of_a_history(
    made: tuple[History, Predictions, list[naive.Event]], since: int, until: int
) -> None:
    history, predictions, events = made
    since, until = measured_part(history, min(since, until), until)
    sides = slice(int(predictions.standings.offsets[since]), int(predictions.standings.offsets[until]))
    part = Predictions(
        standings=predictions.standings.between(since, until),
        happened=predictions.happened[since:until],
        draws=True,
        seconds=0.0,
        **{name: getattr(predictions, name)[sides] for name in ("expected", "rating", "sigma")},
    )
    scored = Measured(part).within(Scope("", min_events=1), Elo())
    right = naive.measure(events, {"min_events": 1}, since, until)
    for name in ("pairs-right", "log-loss", "accuracy"):
        np.testing.assert_allclose(value_of(name, scored), right[name], rtol=1e-12, atol=1e-12)


@given(predicted())
def test_means_over_sides_are_sums_over_events(made: tuple[History, Predictions, list[naive.Event]]) -> None:
    scored = Measured(made[1]).within(Scope(""), Elo())
    for name in ("pairs-right", "rank-deviation", "log-loss", "brier"):
        sums = METRICS[name].sums(scored)
        assert isinstance(sums, SideMeans)
        value = sums.values[sums.sides].mean() if sums.sides.any() else np.nan
        np.testing.assert_allclose(value_of(name, scored), value, rtol=1e-12)


def test_by_hand() -> None:
    history = History.from_matches(["ann", "ann", "bob"], ["bob", "bob", "ann"], [1, 0.5, 1])
    p = 1 / (1 + 10 ** (-32 / 400))  # after the first match ann is 32 points ahead
    assert score(history, Elo(), "log-loss", until=1) == pytest.approx(np.log(2))
    assert score(history, Elo(), "brier", since=1, until=2) == pytest.approx((p - 0.5) ** 2)
    assert score(history, Elo(), "accuracy") == 25.0  # half of the first, the draw does not count
    assert score(history, Elo(), "accuracy", since=2) == 0.0
    assert score(history, Elo(), "pairs-right") == 25.0
    assert score(history, Elo(), "calibration-error", until=1) == 0.0
    assert score(history, Elo(), "pairs-right", ties="authors", until=1) == 100.0
    with pytest.raises(ParameterError, match="not 'coin'"):
        score(history, Elo(), "brier", ties="coin")


def test_three_ways_need_draws_with_a_chance() -> None:
    history = History.from_matches(["ann", "ann"], ["bob", "bob"], [1, 0.5])
    for system in (Elo(), TrueSkill()):
        with pytest.raises(InputError, match="nothing was measured"):
            score(history, system, "three-way-log-loss")
    value = score(history, Elo(draw_rate=0.3), "three-way-log-loss", until=1)
    assert value == pytest.approx(-np.log(0.35))
    threes = History.from_events([{"ranks": {"a": 1, "b": 2, "c": 3}}])
    with pytest.raises(InputError, match="nothing was measured"):
        score(threes, Elo(draw_rate=0.3), "three-way-log-loss")


def test_bins_of_equal_count() -> None:
    p = np.array([0.1, 0.1, 0.2, 0.3, 0.9, 0.95])
    edges = bin_edges(p, 3, "count")
    sides = np.ones(6, np.bool_)
    bins = sum_in_bins(np.array([0, 3, 6]), np.zeros(2, np.int64), 1, sides, p, 1.0 - p, edges)
    assert bins[0, :, 0].tolist() == [2, 2, 2]
    np.testing.assert_allclose(bins[0, :, 1], [0.2, 0.5, 1.85])
    np.testing.assert_allclose(bins[0, :, 2], 2.0 - bins[0, :, 1])
    assert bin_edges(np.zeros(5), 4, "count").tolist() == [0.0, 1.0]
    with pytest.raises(ParameterError, match="bins is 0"):
        bin_edges(p, 0)
    with pytest.raises(ParameterError, match="not by 'log'"):
        bin_edges(p, 5, "log")


def test_scopes_by_name() -> None:
    assert Scope.of("everyone") == Scope("everyone")
    assert Scope.of("experienced").min_events == 5
    assert Scope.of("experienced:10") == Scope("experienced:10", min_events=10)
    assert Scope.of("top:100").top == 100
    assert Scope.of("sigma:70").max_sigma == 70.0
    with pytest.raises(ParameterError, match="no scope 'experianced'") as error:
        Scope.of("experianced")
    assert "did you mean 'experienced'" in str(error.value)
    for wrong in ("top", "top:many", "top:2.5", "experienced:inf", "everyone:3"):
        with pytest.raises(ParameterError, match="not a scope"):
            Scope.of(wrong)
    with pytest.raises(ParameterError, match="the first 1 of an event"):
        Scope.of("top:1")
    with pytest.raises(ParameterError, match="max_sigma is -1"):
        Scope.of("sigma:-1")
    with pytest.raises(ParameterError, match="min_events is -2"):
        Scope("", min_events=-2)
    with pytest.raises(UnsupportedError, match="elo has no sigma"):
        score(History.from_matches(["a"], ["b"]), Elo(), "brier", scope="sigma:70")


def test_parts_by_number_part_and_time() -> None:
    history = History.from_matches(
        list("aaaa"), list("bbbb"), time=["2020-01-01", "2021-01-01"] * 1 + ["2022-01-01"] * 2
    )
    assert measured_part(history) == (0, 4)
    assert measured_part(history, 1, 3) == (1, 3)
    assert measured_part(history, 0.25, 0.75) == (1, 3)
    assert measured_part(history, "2021-01-01", "2022-01-01") == (1, 2)
    assert measured_part(history, np.float32(0.25), np.int64(3)) == (1, 3)
    assert measured_part(history, "0.25", "3") == (1, 3)
    assert measured_part(history, "20210101") == (1, 4)
    assert measured_part(history, date(2021, 1, 1)) == (1, 4)
    assert measured_part(history, 2021, 2022) == (4, 4)  # a number says what it is
    with pytest.raises(ParameterError, match="since is after until: 3 is event 3, 1 is event 1"):
        measured_part(history, 3, 1)
    with pytest.raises(ParameterError, match="a year, or the number of an event") as error:
        measured_part(history, "2021")
    assert "write 2021-01-01" in str(error.value)
    assert measured_part(history, 100) == (4, 4)
    untimed = History.from_matches(["a"], ["b"])
    assert measured_part(untimed, "2021") == (1, 1)
    for wrong, why in (
        (-1, "from 0"),
        (1.5, "not a fraction"),
        (True, "since is True"),
        ("2020-01-01", "have none"),
        ("soon", "since is 'soon'"),
        ("1.5", "not a fraction"),
        (None, "since is None"),
        (float("nan"), "not a fraction"),
    ):
        with pytest.raises(ParameterError, match=why):
            measured_part(untimed, wrong)


def test_metrics_by_name() -> None:
    assert [metric.name for metric in find_metrics(["brier", "pairs-right"])] == [
        "pairs-right",
        "brier",
    ]
    assert [metric.name for metric in find_metrics("brier")] == ["brier"]
    with pytest.raises(ParameterError, match="no metric 'brire'") as error:
        find_metrics(["brire"])
    assert "did you mean 'brier'" in str(error.value)
    for asked in (find_metrics, [find_metrics]):
        with pytest.raises(ParameterError, match="give metrics by name") as error:
            find_metrics(asked)
        assert "podium.tune takes functions" in str(error.value)
    with pytest.raises(ParameterError, match="name at least one metric"):
        find_metrics([])


def test_groups() -> None:
    day = 86_400_000_000
    assert by_period(np.array([0, 89, 90, 400]) * day, "90d").group.tolist() == [0, 0, 1, 2]
    assert by_period(np.array([0, 400]) * day, "90d").names == ("1970-01-01", "1970-12-27")
    assert by_period(standings_of(History.from_matches(["a"], ["b"])).offsets[:0]).names == ()
    assert by_experience(np.array([0, 1, 9, 10, 49, 50, 1000])).group.tolist() == [0, 1, 2, 3, 4, 5, 5]
    equal = by_rating(np.full(5, 1500.0))
    assert len(set(equal.group.tolist())) == 1
    ratings = np.linspace(-3.2, 7.9, 200)
    found = by_rating(ratings)
    assert 5 <= len(found.names) <= 12
    assert np.all(np.diff(found.group) >= 0)
    assert found.names[0] == "below -2"
    assert by_rating(np.zeros(0)).names == ()


def test_the_name_of_before_is_an_alias() -> None:
    history = History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"])
    assert find_metric("pair-inversion") is find_metric("pairs-right")
    assert "pair-inversion" not in Metric.names()
    assert [metric.name for metric in find_metrics(["pair-inversion", "pairs-right"])] == ["pairs-right"]
    report = evaluate(history, ["elo", "glicko"], metrics="pair-inversion", scopes="everyone", resamples=2)
    assert report.measured_metric("pair-inversion").name == "pairs-right"
    with pytest.raises(ParameterError, match="that podium defines"):
        Metric("pair-inversion", lambda scored: scored.score)
