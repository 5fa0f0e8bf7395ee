"""What a backtest says first: which system to use, how sure that is, and what is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from podium import Elo, Glicko2, History, RatingSystem, advise, evaluate, make_system
from podium.evaluation.backtest import usual_systems
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import find_metric, find_metrics
from podium.evaluation.report import shown_columns, summary_frame, verdict_frame
from podium.evaluation.verdicts import find_verdict, is_two_sided, leading_metric
from podium.simulation.populations import synthetic_contests


def matches(spread: float, *, home: float = 0.0, n: int = 400) -> History:
    """Matches of ten players whose skills are `spread` apart, with the better chances for the home side."""
    chance = np.random.default_rng(1)
    skill = chance.normal(0.0, spread, 10)
    a = chance.integers(0, 10, n)
    b = (a + chance.integers(1, 10, n)) % 10
    won = chance.random(n) < 1.0 / (1.0 + 10.0 ** ((skill[b] - skill[a] - home) / 400.0))
    return History.from_matches(a.tolist(), b.tolist(), won.astype(float), home="a" if home else None)


def measured(history: History, **systems: RatingSystem) -> Backtest:
    return evaluate(history, systems, scopes="everyone", resamples=100)


def test_the_system_to_use_comes_first() -> None:
    report = measured(matches(400.0), fast=Elo(k=400.0), good=Elo(k=40.0), near=Elo(k=41.0))
    best, other = (name for name, _ in report.ranked("everyone", report.leading)[:2])
    value = f"{report.summary.filter(system=best)['log_loss'][0]:.4f}"
    said = report.conclusions.sentences[0]
    sure = f"but {other} may be as good: the difference is not significant."
    assert said == f"Use {best}: it predicts best (log loss {value}), {sure}"
    clear = measured(matches(400.0), fast=Elo(k=400.0), good=Elo(k=40.0))
    said = clear.conclusions.sentences[0]
    assert said.startswith("Use good: it predicts best (log loss 0.")
    assert said.endswith("), and the other is significantly worse.")
    assert str(clear).startswith(said)
    alone = measured(matches(400.0), good=Elo(k=40.0)).conclusions.sentences
    assert alone[0].startswith("good has a log loss of 0.")


def test_worse_than_a_coin_is_said_loudly() -> None:
    """Results are pure luck: whoever believes them is worse than a coin, and worse than the mean result."""
    report = measured(matches(0.0), wild=Elo(k=300.0), calm=Elo(k=1.0))
    loss = {row["system"]: f"{row['log_loss']:.4f}" for row in report.summary.iter_rows(named=True)}
    coin, means = report.conclusions.warnings
    assert coin.startswith(
        f"warning: within everyone, wild ({loss['wild']}) predicted significantly worse than a coin flip "
        "(log loss 0.6931): "
    )
    assert means.startswith(
        f"warning: within everyone, wild ({loss['wild']}) predicted significantly worse than each side's mean"
    )
    assert (
        "Even calm is not significantly better than a coin flip (log loss 0.6931)."
        in report.conclusions.sentences
    )
    assert "No system is significantly better than predicting each side's mean past result" in " ".join(
        measured(matches(0.0), wild=Elo(k=300.0), fast=Elo(k=200.0)).conclusions.sentences
    )


def test_an_order_that_is_the_wrong_way_round_is_said_loudly() -> None:
    there, back = (dict(zip("abc", order, strict=True)) for order in ((1, 2, 3), (3, 2, 1)))
    history = History.from_events([{"ranks": ranks} for ranks in [there, back] * 20])
    report = evaluate(
        history, {"elo": Elo(k=400.0)}, metrics=["pairs-right"], scopes="everyone", resamples=100
    )
    assert report.summary["pairs_right"][0] < 30.0
    (said,) = (line for line in report.conclusions.warnings if "coin" in line)
    assert said.startswith("warning: within everyone, elo (")
    assert "predicted significantly worse than a coin flip (pairs right 50.00): " in said


@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_few_matches_show_nothing(n: int) -> None:
    report = measured(
        History.from_matches(["ann"] * n, ["bob"] * n, home="a"), slow=Elo(k=1.0), fast=Elo(k=400.0)
    )
    assert "noise" not in str(report)
    assert report.conclusions.sentences[0].endswith(", but there are too few events for an interval.")
    assert not report.conclusions.warnings
    assert not report.differences["shown"].any()
    assert str(report.compare("slow", "fast")).endswith(": too few events for an interval")


@pytest.mark.parametrize(("home", "word"), [(150.0, "more"), (-150.0, "less")])
def test_a_home_side_that_wins_unlike_predicted(home: float, word: str) -> None:
    history = matches(100.0, home=home)
    blind, right = Elo(k=20.0), Elo(k=20.0, home_advantage=home)
    report = measured(history, blind=blind, right=right)
    won = history.rank.reshape(-1, 2)[:, 0] == 1
    (said,) = (line for line in report.conclusions.warnings if "home" in line)
    assert said.startswith(f"warning: the home side wins significantly {word} often than predicted: ")
    assert f"its mean score is {won.mean():.3f}, and 0." in said
    assert "(blind)" in said
    assert "(right)" not in said
    assert "home_advantage" in said
    assert not any("home side" in line for line in measured(matches(100.0), blind=blind).conclusions.warnings)


def test_other_scopes_and_other_leaders() -> None:
    history = matches(400.0)
    report = evaluate(
        history, {"a": Elo(k=40.0), "b": Elo(k=400.0)}, scopes=["everyone", "experienced"], resamples=50
    )
    turned = replace(
        report,
        results=tuple(
            replace(one, scopes=(one.scopes[0], other.scopes[1]))
            for one, other in zip(report.results, report.results[::-1], strict=True)
        ),
    )
    assert "Within experienced, b is significantly better." in turned.conclusions.sentences


def test_the_preset_is_compared_where_no_system_is_named() -> None:
    history = matches(400.0)
    named = usual_systems(history)
    assert next(iter(named)) == "matches"
    assert named["matches"] == make_system("matches")
    assert set(named) >= {"elo", "glicko2", "luck"}
    report = measured(history, usual=make_system("matches"), wild=Elo(k=400.0))
    assert report.preset == "usual"
    assert report.conclusions.sentences[-1] == "podium's default for these results is usual."
    worse = replace(report, preset="wild").conclusions.sentences[-1]
    apart = report.compare("wild", "usual").difference
    assert worse.startswith(
        f"wild, podium's default for these results, is significantly worse, by {apart:.5f}"
    )
    assert measured(history, other=Glicko2(), wild=Elo()).preset is None


def test_what_is_said_of_tuning() -> None:
    report = measured(matches(400.0), a=Elo(k=300.0), b=Elo(k=400.0), better=Elo(k=40.0))
    report = replace(report, searched=("a", "b"))
    misled = replace(report, tuned={"better": "b"}, first_event=7).conclusions.sentences
    assert misled[-3:] == (
        "Parameters were tuned on the first 7 events, and all systems measured on the later ones.",
        "Tuning found nothing better for a.",
        "Defaults alone mislead: without tuning, a looks best.",
    )
    assert replace(report, tuned={"better": "a"}).conclusions.sentences[-2:] == (
        "Tuning found nothing better for b.",
        "a is also the best of those that were not tuned.",
    )
    unsearched = replace(report, tuned={"better": "b"}, searched=("b",)).conclusions.sentences
    assert not any("Tuning found nothing better" in sentence for sentence in unsearched)


def test_one_metric_leads_in_a_kind_of_history() -> None:
    contests = synthetic_contests(players=20, contests=4, participants=5, seed=1).history
    for history, leader in ((contests, "rank-deviation"), (matches(100.0, n=20), "log-loss")):
        assert leading_metric(is_two_sided(history)).name == leader
        assert measured(history, elo=Elo()).leading.name == leader


def test_columns_that_say_the_same_are_shown_once() -> None:
    report = measured(matches(400.0), a=Elo(k=40.0), b=Elo(k=400.0))
    shown = shown_columns(report, report.leading)
    assert [metric.name for metric in shown.metrics] == ["log-loss", "brier", "accuracy", "calibration-error"]
    assert shown.footnote == (
        "Not shown: pairs-right (nearly the same as accuracy) and "
        "rank-deviation (nearly the same as 100 − accuracy)."
    )
    table = verdict_frame(report, find_verdict(report, "everyone", report.leading))
    assert table.columns == ["system", "verdict", "log loss", "brier", "accuracy", "calibration error"]
    assert table["system"].to_list()[-1] == "mean past result"
    everything = summary_frame(report, find_verdict(report, "everyone", report.leading))
    assert "pairs right" in everything.columns  # the table in full
    by_pairs = shown_columns(report, find_metric("pairs-right"))  # which decides
    assert by_pairs.left_out == {"accuracy": "pairs-right", "rank-deviation": "100 − pairs-right"}


def test_columns_are_alike_by_their_numbers() -> None:
    """A home side decides who is expected to win, not who has the higher rating; so the two differ."""
    at_home = measured(matches(400.0, home=100.0), a=Elo(k=40.0, home_advantage=100.0))
    assert shown_columns(at_home, at_home.leading).left_out == {"rank-deviation": "100 − pairs-right"}
    for rate, left_out in ((0.3, False), (0.0001, True)):  # where there are no draws
        drawing = measured(matches(400.0), a=Elo(draw_rate=rate), b=Elo())
        loss, three_way = (
            drawing.summary.row(0, named=True)["log_loss"],
            drawing.summary["three_way_log_loss"],
        )
        assert (abs(three_way[0] - loss) <= 0.0005) == left_out
        hidden = shown_columns(drawing, drawing.leading).left_out
        assert ("three-way-log-loss" in hidden) == left_out


def test_equal_numbers_are_shown_once_and_named_metrics_always() -> None:
    contests = synthetic_contests(players=20, contests=4, participants=5, seed=1).history
    report = measured(contests, elo=Elo())
    result = report.results[0]
    sums = {**result.scopes[0].sums, "accuracy": result.scopes[0].sums["pairs-right"]}
    equal = replace(report, results=(replace(result, scopes=(replace(result.scopes[0], sums=sums),)),))
    assert shown_columns(equal, report.leading).left_out == {"accuracy": "pairs-right"}
    unlike = {**sums, "accuracy": sums["accuracy"] * [0.99, 1.0]}
    other = replace(report, results=(replace(result, scopes=(replace(result.scopes[0], sums=unlike),)),))
    assert shown_columns(other, report.leading).left_out == {}
    named = replace(equal, metrics=tuple(find_metrics(["accuracy", "pairs-right"])))
    assert len(shown_columns(named, named.metrics[0]).metrics) == 2


def test_a_preset_that_few_events_show_to_be_worse_is_what_advise_keeps() -> None:
    """`advise` recommended what `evaluate` called significantly worse, and neither gave a reason."""
    history = History.from_events(
        [{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": f"round {n}"} for n in range(30)]
    )
    systems = {"usual": make_system("races"), "elo": Elo(k=400.0)}
    report = evaluate(history, systems, metrics=["log-loss"], scopes="everyone", resamples=100)
    worse, why = report.conclusions.sentences[-2:]
    assert "usual, podium's default for these results, is significantly worse" in worse
    assert why.startswith(
        "podium advise recommends usual all the same: it needs 100 events after the first tenth, and there"
    )
    assert advise(history).recommended == systems["usual"]
