"""Backtests: systems side by side, what is left out, comparisons, and any executor."""

from __future__ import annotations

import pickle
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import podium
from podium import (
    Elo,
    EloMMR,
    Glicko,
    History,
    InputError,
    Luck,
    ParameterError,
    UnsupportedError,
    evaluate,
    list_systems,
)
from podium.evaluation import block_bootstrap
from podium.evaluation.backtest import score
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.block_bootstrap import FEWEST_BLOCKS
from podium.evaluation.metrics import find_metrics
from podium.evaluation.order_accuracy import accuracy
from podium.evaluation.scopes import Scope
from podium.simulation.populations import synthetic_contests

METRICS = {metric.name: metric for metric in find_metrics(None)}
SCOPES = ("everyone", "experienced:3", "top:10", "sigma:250")


@pytest.fixture(scope="module")
def history() -> History:
    return synthetic_contests(players=60, contests=12, participants=20, seed=1).history


@pytest.fixture(scope="module")
def report(history: History) -> Backtest:
    return evaluate(
        history, {"elo": "elo", "wild": Elo(k=300), "glicko": Glicko()}, scopes=SCOPES, resamples=200
    )


def test_the_summary_has_the_scores(history: History, report: Backtest) -> None:
    systems = {"elo": Elo(), "wild": Elo(k=300), "glicko": Glicko()}
    assert report.summary.select("system", "scope").rows() == [
        (name, scope)
        for name, system in systems.items()
        for scope in SCOPES
        if system.has_sigma or scope != "sigma:250"
    ]
    assert report.summary["three_way_log_loss"].null_count() == len(report.summary)
    for number, row in enumerate(report.summary.iter_rows(named=True)):
        for name in list(METRICS)[number % 3 : -1 : 3]:  # each metric with some systems and scopes
            metric, value = METRICS[name], row[METRICS[name].column]
            assert value == pytest.approx(score(history, systems[row["system"]], name, scope=row["scope"]))
            low, high = row[f"{metric.column}_low"], row[f"{metric.column}_high"]
            assert low < value < high if row["events"] >= FEWEST_BLOCKS else (low, high) == (None, None)
        assert row["rows"] + row["left_out"] == history.rows


def test_the_same_numbers_as_of_the_accuracy_of_ratings(history: History, report: Backtest) -> None:
    mu = podium.rate(history, Elo(), trace=True).trace["mu_before"]
    for row, right in zip(
        report.summary.rows(named=True),
        (accuracy(history, mu), accuracy(history, mu, min_events=3)),
        strict=False,
    ):
        assert row["pairs_right"] == pytest.approx(right.pairs_right)
        assert row["rank_deviation"] == pytest.approx(right.rank_deviation)


def test_what_was_left_out_is_said(history: History, report: Backtest) -> None:
    assert report.refused == {
        f"{name}, sigma:250": "elo has no sigma, and the scope 'sigma:250' needs one"
        for name in ("elo", "wild")
    }
    other = evaluate(history, [Luck(points=61), Elo()], metrics=["rank-deviation"], resamples=10)
    assert list(other.refused) == ["luck with points=61"]
    assert "more than two sides" in other.refused["luck with points=61"]
    assert "luck with points=61 was left out" in str(other)
    with pytest.raises(UnsupportedError, match="more than two sides"):
        evaluate(history, "luck")


def test_comparisons(report: Backtest) -> None:
    found = report.compare("elo", "wild", metric="log-loss")
    back = report.compare("wild", "elo", metric="log-loss")
    assert found.difference == -back.difference
    assert (found.low, found.high) == pytest.approx((-back.high, -back.low))
    assert found.better == pytest.approx(1.0 - back.better)
    assert found.low <= found.difference <= found.high
    assert found.winner == back.winner
    assert report.compare("elo", "elo").winner is None
    assert "no significant difference" in str(report.compare("elo", "elo"))
    assert report.compare("elo", "elo").better == 0.5
    with pytest.raises(ParameterError, match="no system 'elho'") as error:
        report.compare("elho", "elo")
    assert "did you mean 'elo'" in str(error.value)
    with pytest.raises(ParameterError, match="elo has no scope 'top:3'"):
        report.compare("elo", "glicko", scope="top:3")
    with pytest.raises(ParameterError, match="elo has no scope 'sigma:250'") as error:
        report.compare("elo", "glicko", scope="sigma:250")
    assert "elo has no sigma" in str(error.value)
    with pytest.raises(ParameterError, match="there is no metric"):
        report.compare("elo", "glicko", metric="loss")


def test_both_systems_see_the_same_resampled_events(report: Backtest) -> None:
    one, other = (report.results[i].scopes[0].sums["log-loss"] for i in (0, 1))
    apart = []
    for drawn in report.resampling.draws.tolist():
        a, b = ([sum(sums[block, k] for block in drawn) for k in (0, 1)] for sums in (one, other))
        apart.append(a[0] / a[1] - b[0] / b[1])
    found = report.compare("elo", "wild", metric="log-loss")
    np.testing.assert_allclose([found.low, found.high], np.quantile(apart, [0.025, 0.975]), rtol=1e-9)
    assert found.better == np.mean([difference < 0 for difference in apart])


def test_a_clear_difference_is_shown_and_a_tiny_one_is_not() -> None:
    history = synthetic_contests(players=100, contests=30, participants=40, seed=2).history
    systems = {"good": Elo(k=100), "alike": Elo(k=101), "blind": Elo(k=0.01)}
    report = evaluate(history, systems, metrics=["log-loss"], scopes="everyone", since=5, resamples=300)
    assert report.compare("good", "blind").winner == "good"
    assert report.compare("blind", "good").winner == "good"
    shown = report.differences.select("best", "system", "shown").rows()
    assert [row[2] for row in shown if row[1] == "blind"] == [True]
    assert report.differences["difference"].min() > 0.0


def test_other_rows_are_not_compared(history: History) -> None:
    systems = {
        "glicko": Glicko(),
        "elo-mmr": EloMMR(),
        "again": Glicko(draw_rate=0.1),
        "doubt": Glicko(sigma=340),
    }
    report = evaluate(history, systems, scopes="sigma:250", metrics=["log-loss"], resamples=50)
    rows = dict(report.summary.select("system", "rows").iter_rows())
    found = report.compare("glicko", "elo-mmr")
    assert rows["glicko"] != rows["elo-mmr"]
    assert (found.rows, found.same_rows, found.shown, found.winner) == (
        (rows["glicko"], rows["elo-mmr"]),
        False,
        False,
        None,
    )
    assert f"not comparable, as other rows are scored ({rows['glicko']} and {rows['elo-mmr']})" in str(found)
    assert "cannot be compared" in report.verdict()
    assert report.compare("glicko", "again").same_rows
    # As many, and yet not the same: who is certain enough depends on all that was played.
    mixed = replace(report.results[0].scopes[0], chosen=b"others")
    alike = replace(report, results=(replace(report.results[0], scopes=(mixed,)), *report.results[1:]))
    assert alike.compare("glicko", "again").rows == report.compare("glicko", "again").rows
    assert not alike.compare("glicko", "again").same_rows


def test_the_leading_metric_and_the_verdict(history: History, report: Backtest) -> None:
    assert report.compare("elo", "wild").metric == report.leading.name == "rank-deviation"
    without = evaluate(history, "elo", metrics=["accuracy", "log-loss"], resamples=5)
    assert without.leading.name == "log-loss"  # the first in the order of tables
    assert repr(report) == "<Backtest: 3 systems, 4 scopes, 12 events>"
    assert str(report).splitlines()[-4:] == [report.verdict(scope) for scope in SCOPES]
    assert report.verdict().startswith("everyone: glicko is best by rank-deviation, ")
    assert "wild is best by brier" in report.verdict(metric="brier")


def test_a_resample_that_drew_nothing_scored_leaves_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_bootstrap, "FEWEST_BLOCKS", 2)
    history = History.from_matches(["a"] * 3 + ["b"], ["b"] * 3 + ["a"])
    report = evaluate(history, "elo", metrics=["calibration-error"], scopes="experienced:2", resamples=400)
    row = report.summary.row(0, named=True)
    assert row["events"] == 2
    assert row["calibration_error_low"] < row["calibration_error_high"]


def test_calibration_adds_up(report: Backtest) -> None:
    for (system, scope), part in report.calibration.group_by("system", "scope"):
        row = report.summary.filter(pl.col("system") == system, pl.col("scope") == scope).row(0, named=True)
        assert part["rows"].sum() == row["rows"]
        gaps = (part["score"] - part["expected"]).abs()
        assert (gaps * part["rows"]).sum() / row["rows"] == pytest.approx(row["calibration_error"])
        assert ((part["from"] <= part["expected"]) & (part["expected"] <= part["to"])).all()
        assert (part["score_low"] <= part["score"] + 1e-9).all()


def test_a_bin_whose_rows_are_alike_is_not_certain() -> None:
    history = History.from_matches(["strong"] * 40, ["weak"] * 40)
    report = evaluate(history, "elo", metrics=["calibration-error"], scopes="everyone", resamples=50)
    sure = report.calibration.filter(pl.col("rows") >= 10)
    assert sorted(set(sure["score"].to_list())) == [0.0, 1.0]
    for rows, share, low, high in sure.select("rows", "score", "score_low", "score_high").rows():
        # The share whose rows would all be alike with a chance of 2.5%: Clopper and Pearson's interval.
        assert (high if share == 0.0 else 1.0 - low) == pytest.approx(1.0 - 0.025 ** (1 / rows))
        assert (low if share == 0.0 else high) == share


@pytest.mark.parametrize("table", ["periods", "experience", "bands"])
def test_groups_add_up(history: History, report: Backtest, table: str) -> None:
    frame = getattr(report, table)
    for (system, scope), part in frame.group_by("system", "scope"):
        row = report.summary.filter(pl.col("system") == system, pl.col("scope") == scope).row(0, named=True)
        assert part["rows"].sum() == row["rows"]
        for column in ("log_loss", "brier", "pairs_right", "rank_deviation"):
            whole = (part[column] * part["rows"]).sum() / part["rows"].sum()
            assert whole == pytest.approx(row[column])


def test_periods_may_be_of_any_length(history: History) -> None:
    report = evaluate(history, "elo", metrics=["brier", "calibration-error"], every="30d", resamples=5)
    assert report.periods["period"][0] == "2020-01-06"
    assert report.periods.columns[-2:] == ["brier", "calibration_error"]
    with pytest.raises(ParameterError, match="not a duration"):
        evaluate(history, "elo", every="month")
    untimed = evaluate(History.from_matches(["a", "b"], ["b", "a"]), "elo", scopes="everyone", resamples=5)
    assert untimed.periods.is_empty()


class Elsewhere(ThreadPoolExecutor):
    """Whatever goes there and comes back is copied, as between processes."""

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        copy = pickle.dumps((function, arguments, options))
        return super().submit(_run_copied, copy)


def _run_copied(copy: bytes) -> Any:
    function, arguments, options = pickle.loads(copy)
    return pickle.loads(pickle.dumps(function(*arguments, **options)))


def test_any_executor_gives_the_same(history: History) -> None:
    done: list[int] = []
    systems = ["glicko", "elo", "luck"]
    with Elsewhere(2) as executor:
        spread = evaluate(history, systems, executor=executor, resamples=20, progress=done.append)
    alone: list[int] = []
    here = evaluate(history, systems, resamples=20, progress=alone.append)
    assert spread.summary.drop("seconds").equals(here.summary.drop("seconds"))
    assert spread.refused == here.refused
    assert sum(done) == 3 * history.rows
    assert sum(alone) == 2 * history.rows  # a system that refuses has rated nothing


def test_only_part_is_rated_and_measured(history: History) -> None:
    report = evaluate(history, "elo", scopes="everyone", since=0.5, until=9, resamples=5)
    row = report.summary.row(0, named=True)
    assert (row["events"], row["rows"]) == (3, 60)
    assert row["log_loss"] == pytest.approx(score(history, "elo", "log-loss", since=6, until=9))
    one = evaluate(history, "elo", scopes="everyone", since=3, until=4, resamples=5).summary
    assert one["brier"][0] is not None
    assert one["brier_low"][0] is None  # one event says nothing about how far others may be


def test_names_of_systems(history: History) -> None:
    report = evaluate(
        history[:3],
        [
            "elo-mmr",
            "contests",
            Elo(),
            Elo(k=24),
            *(EloMMR(beta=beta, rho=2, gamma=3) for beta in (300, 400)),
        ],
        metrics=["rank-deviation"],
        scopes="everyone",
        resamples=5,
    )
    assert report.summary["system"].to_list() == [
        "elo-mmr",
        "contests",
        "elo",
        "elo with k=24",
        "elo-mmr with beta=300 and gamma=3 and rho=2",
        "elo-mmr with beta=400 and gamma=3 and rho=2",
    ]
    assert "log_loss" not in report.summary.columns
    with pytest.raises(ParameterError, match="given twice"):
        evaluate(history[:3], [Elo(), "elo"])


def test_a_winner_who_is_always_named_first_is_told_of() -> None:
    winners, losers = list("abc") * 20, list("bca") * 20
    draw = [0.5 if i % 10 == 0 else 1.0 for i in range(60)]
    for home in ("a", "b"):
        results = draw if home == "a" else [1.0 - score for score in draw]
        suspicious = History.from_matches(winners, losers, results, home=home)
        report = evaluate(suspicious, "elo", metrics=["brier"], resamples=5)
        assert report.notes == ("the home side always won: does the table name the winner first?",)
        assert str(report).endswith(report.notes[0])
    for fine in (
        History.from_matches(winners, losers, draw),
        History.from_matches(winners, losers, draw, home="b"),
        History.from_matches(winners, losers, [0.0, 0.0, *draw[2:]], home="a"),
        suspicious[:50],  # 45 of them decided
    ):
        assert evaluate(fine, "elo", metrics=["brier"], resamples=5).notes == ()


def test_certain_predictions_are_clipped_and_counted() -> None:
    history = History.from_matches(["a"] * 60, ["b"] * 60)
    report = evaluate(history, Elo(k=10_000), metrics=["log-loss"], scopes="everyone", resamples=5)
    row = report.summary.row(0, named=True)
    assert row["clipped"] == 2 * 59
    assert np.isfinite(row["log_loss"])


def test_refusals(history: History) -> None:
    for taker in (evaluate, lambda *given: score(*given, "brier")):
        with pytest.raises(ParameterError, match="takes a history, not int"):
            taker(7, "elo")
    for wrong in ({"seed": -1}, {"resamples": 10.5}, {"blocks": True}, {"bins": 2.5}):
        with pytest.raises(ParameterError, match=f"{next(iter(wrong))} is {next(iter(wrong.values()))}"):
            evaluate(history, "elo", **wrong)
    with pytest.raises(ParameterError, match="no system to evaluate"):
        evaluate(history, [])
    with pytest.raises(ParameterError, match="not a rating system"):
        evaluate(history, [Elo])
    with pytest.raises(ParameterError, match="no metric 'los'"):
        evaluate(history, "elo", metrics=["los"])
    with pytest.raises(ParameterError, match="name at least one scope"):
        evaluate(history, "elo", scopes=[])
    with pytest.raises(ParameterError, match="two scopes have one name"):
        evaluate(history, "elo", scopes=["everyone", Scope("everyone", min_events=2)])
    with pytest.raises(ParameterError, match="not 'random'"):
        evaluate(history, "elo", ties="random")
    with pytest.raises(InputError, match=r"no event lies between since and until.*\n.*has 12 events, "):
        evaluate(history, "elo", since=12)
    with pytest.raises(
        InputError, match="nothing was measured: from event 0 to 12 no players met within 'experienced:99'"
    ):
        evaluate(history, "elo", scopes="experienced:99")
    with pytest.raises(InputError, match="nothing was measured"):
        score(history, Elo(), "brier", scope="experienced:99")


@pytest.mark.parametrize("system", list(list_systems()))
def test_who_is_named_first_does_not_matter(system: str) -> None:
    """Newcomers who meet, and draws between equals, too: nothing may be read from the order of two rows."""
    first, second = list("acabeghaib"), list("bdcdfaibjf")
    score_first = np.array([1, 0.5, 1, 0, 0.5, 0, 0.5, 1, 1, 0.5])
    draws = list_systems()[system].supports.ties
    results = score_first if draws else np.where(score_first == 0.5, 0.0, score_first)
    here, there = (
        evaluate(history, system, scopes="everyone", resamples=2).summary.row(0, named=True)
        for history in (
            History.from_matches(first, second, results),
            History.from_matches(second, first, 1.0 - results),
        )
    )
    for metric in METRICS.values():
        a, b = here[metric.column], there[metric.column]
        assert a is b is None or a == pytest.approx(b, rel=1e-9), metric.name


def test_a_scope_that_no_system_has_is_said() -> None:
    """And not that nobody met."""
    history = History.from_matches(["ann"] * 3, ["bob"] * 3)
    with pytest.raises(InputError) as refused:
        evaluate(history, ["elo"], scopes=["sigma:70"])
    assert refused.value.hint == "elo has no sigma, and the scope 'sigma:70' needs one"


def test_calibrated_systems_are_shown_before_and_after() -> None:
    """A calibrated preset beside the same system without: ratings are equal, chances are not."""
    chance = np.random.default_rng(5)
    pairs = [chance.choice(20, 2, replace=False).astype(str) for _ in range(400)]
    history = History.from_matches([a for a, _ in pairs], [b for _, b in pairs], chance.integers(0, 2, 400))
    table = podium.evaluate(history, scopes=["everyone"], resamples=2).summary
    rows = {row["system"]: row for row in table.iter_rows(named=True)}
    after, before = rows["matches"], rows["matches with calibration=off"]
    assert after["pairs_right"] == before["pairs_right"]
    assert after["log_loss"] < before["log_loss"]
    assert after["calibration_error"] < before["calibration_error"]
