"""Reports of backtests: what the verdict says, and never says, and what stands on the page."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from podium import Elo, Glicko, History, ParameterError, RatingSystem, evaluate
from podium.charts import picture_files
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import find_metric
from podium.evaluation.report import (
    about_draws,
    describe_scope,
    report_page,
    summary_frame,
    verdict_frame,
    verdicts,
    write_report,
)
from podium.evaluation.scopes import Scope
from podium.evaluation.verdicts import find_verdict
from podium.simulation.populations import synthetic_contests

LOSS = find_metric("log-loss")


@pytest.fixture(scope="module")
def history() -> History:
    return synthetic_contests(players=80, contests=24, participants=20, seed=4).history


def measured(history: History, systems: dict[str, RatingSystem], **options: object) -> Backtest:
    return evaluate(history, systems, scopes=["everyone"], resamples=200, **options)


def test_a_difference_is_called_noise_or_more(history: History) -> None:
    near = {"a": Elo(k=32.0), "b": Elo(k=32.0), "c": Elo(k=1.0)}
    (said,) = verdicts(measured(history, near), LOSS)
    assert said.startswith("everyone: a and b are equal by log-loss, 0.")
    (said,) = verdicts(measured(history, {"a": Elo(k=450.0), "b": Elo(k=500.0)}), LOSS)
    assert said.startswith("everyone: b is best by log-loss, ")
    assert "Next is a" in said
    assert "may be chance: the difference is not significant" in said
    (said,) = verdicts(measured(history, {"a": near["a"], "c": near["c"]}), LOSS)
    assert "Next is c" in said
    assert "significantly worse, by " in said


def test_who_is_ahead_by_other_metrics_is_named(history: History) -> None:
    report = measured(history, {"elo": Elo(), "glicko": Glicko()}, metrics=["log-loss", "brier", "accuracy"])
    (said,) = verdicts(report, LOSS)
    best = {m: max(report.summary.iter_rows(named=True), key=lambda r: r[m])["system"] for m in ("accuracy",)}
    assert f"glicko is best by log-loss, {report.summary['log_loss'][1]:.4f}" in said
    named = "the same (brier and accuracy)" if best["accuracy"] == "glicko" else "elo (accuracy)"
    assert named in said


def test_one_system_and_one_event(history: History) -> None:
    (said,) = verdicts(measured(history, {"elo": Elo()}), LOSS)
    assert "with no other system to compare" in said
    (said,) = verdicts(measured(history, {"elo": Elo(), "k": Elo(k=99.0)}, since=5, until=6), LOSS)
    assert "but there are too few events for an interval" in said


def test_the_best_comes_first_and_others_are_told_from_it_by_the_interval(history: History) -> None:
    systems = {"still": Elo(k=1.0), "near": Elo(k=450.0), "best": Elo(k=500.0), "slow": Elo(k=2.0)}
    report = measured(history, systems)
    verdict = find_verdict(report, "everyone", LOSS)
    ends = {
        row["system"]: (row["low"], row["high"])
        for row in report.differences.filter(metric="log-loss").iter_rows(named=True)
    }
    assert list(verdict.standings) == ["best", "near", "slow", "still"]
    assert ends["near"][0] < 0.0 < ends["near"][1]
    assert min(ends["slow"][0], ends["still"][0]) > 0.0
    assert list(verdict.standings.values()) == ["best", "level", "worse", "worse"]
    assert verdict.headline() == (
        "everyone: best is best by log loss, the difference to near is not significant, "
        "slow and still are significantly worse."
    )
    short = verdict_frame(report, verdict)
    assert short["verdict"].to_list() == ["best", "≈ best", "worse", "worse", "baseline"]
    assert short.columns[:3] == ["system", "verdict", "log loss"]
    shown = summary_frame(report, verdict)["system"].to_list()
    assert shown == ["best", "near ≈", "slow", "still", "mean past result"]
    by_pairs = find_verdict(report, "everyone", find_metric("accuracy"))
    assert list(by_pairs.standings) == [
        name for name, _ in report.ranked("everyone", find_metric("accuracy"))
    ]


def test_all_who_are_level_with_the_best_are_named(history: History) -> None:
    report = measured(history, {f"k{k}": Elo(k=k) for k in (450.0, 475.0, 500.0)})
    verdict = find_verdict(report, "everyone", LOSS)
    last = list(verdict.standings)[2]
    assert f". Not significantly worse than {verdict.best}: {last}." in verdict.text
    many = measured(history, {f"k{k}": Elo(k=k) for k in (1.0, 2.0, 3.0, 4.0, 500.0)}, metrics=["log-loss"])
    headline = find_verdict(many, "everyone", LOSS).headline()
    assert headline == "everyone: k500.0 is best by log loss, the other 4 systems are significantly worse."


def test_who_is_scored_on_other_rows_is_not_compared(history: History) -> None:
    systems: dict[str, RatingSystem] = {"a": Glicko(), "b": Glicko(sigma=150.0)}
    report = evaluate(history, systems, scopes=["sigma:200"], resamples=50, metrics=["log-loss"])
    verdict = find_verdict(report, "sigma:200", LOSS)
    assert sorted(verdict.standings.values()) == ["best", "not comparable"]
    assert verdict.headline().endswith("was scored on other rows, so they cannot be compared.")
    assert verdict_frame(report, verdict)["verdict"].to_list() == ["best", "scored on other rows"]


def test_a_page_begins_with_the_verdict_and_folds_the_details(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_files, "_svg", lambda chart: "<svg/>")  # which is what takes the time
    systems = {"far": Elo(k=1.0), "near": Elo(k=450.0), "best": Elo(k=500.0)}
    report = evaluate(history, systems, resamples=50, metrics=["log-loss"])
    page = report_page(report, about="Ours.", systems=systems)
    first, second = re.findall("<h2>(.*?)</h2>\n<p>(.*?)</p>", page)[:2]
    assert first == ("Conclusion", report.conclusions.sentences[0])
    assert second == ("The comparison", "Ours.")
    seen, *folds = page.split("<details>")
    assert [seen.count(tag) for tag in ("<table>", "<svg")] == [1, 1]
    assert find_verdict(report, "everyone", LOSS).headline() in seen
    assert re.findall(r'<tr class="(\w+)"><td>(\w+)', seen) == [("best", "best"), ("level", "near")]
    headings = [re.findall("<h2>(.*?)</h2>", fold) for fold in folds]
    assert [heading for (heading,) in headings] == [
        "The verdict in full",
        "Every metric, everyone",
        "Every metric, experienced",
        "Differences to the best",
        "By period",
        "By experience",
        "By rating",
        "How to read this",
        "Parameters",
    ]
    assert page.count("</details>") == len(folds)


def test_what_was_left_out_is_named_at_the_top_and_explained_below(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_files, "_svg", lambda chart: "<svg/>")
    report = measured(history, {"elo": Elo()}, metrics=["log-loss"])
    page = report_page(replace(report, refusals={"chess": "it cannot use contests"}))
    seen, folded = page.split("<details>", 1)
    assert "Left out, with the reasons below: chess." in seen
    assert "it cannot use contests" not in seen
    assert "it cannot use contests" in folded
    assert "Left out" not in report_page(report)
    assert "<td>best</td>" not in page  # nobody is compared


def test_what_one_system_alone_has_crowns_nobody() -> None:
    matches = History.from_matches(list("abcabc"), list("bcacab"), [1, 0.5, 0, 1, 1, 0.5])
    both = measured(matches, {"plain": Elo(), "draws": Elo(draw_rate=0.3)})
    assert "three-way-log-loss" not in both.verdict()
    assert both.verdict(metric="three-way-log-loss").startswith(
        "everyone: draws has a three-way-log-loss of "
    )
    with pytest.raises(ParameterError, match="plain has no three-way-log-loss within 'everyone'"):
        both.compare("draws", "plain", metric="three-way-log-loss")


def test_a_metric_that_was_not_measured_is_refused(history: History, tmp_path: Path) -> None:
    report = measured(history, {"elo": Elo()}, metrics=["accuracy"])
    with pytest.raises(ParameterError, match="brier was not measured"):
        write_report(report, tmp_path / "page.html", metric="brier")
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        write_report(report, tmp_path / "page.html", metric="acuracy")
    assert not list(tmp_path.iterdir())
    assert "elo has an accuracy of" in report.verdict()


def test_hopeless_draws_are_said() -> None:
    """A system that calls draws next to impossible is told so, and how to change that."""
    matches = History.from_matches(list("abcabc"), list("bcacab"), [1, 0.5, 0, 1, 1, 0.5])
    systems = {"plain": Elo(), "some": Elo(draw_rate=0.3), "few": Elo(draw_rate=1e-9)}
    said = about_draws(measured(matches, systems), LOSS, systems)
    assert said == [
        "plain has no three-way-log-loss, because it gives draws probability 0: --set plain.draw_rate=… does."
    ]
    assert not about_draws(measured(matches, {"plain": Elo()}), LOSS, systems)
    assert said[0] in report_page(measured(matches, systems), systems=systems)
    both = {"a with b=1": Elo(), "some": Elo(draw_rate=0.3)}  # whose name --set does not take
    assert about_draws(measured(matches, both), LOSS, both) == [
        "a with b=1 has no three-way-log-loss, because it gives draws probability 0."
    ]
    decided = measured(History.from_matches(list("abcabc"), list("bcacab")), systems)
    assert not about_draws(decided, LOSS, systems)  # nothing was drawn
    assert about_draws(decided, find_metric("three-way-log-loss"), systems) == said


def test_scopes_in_words() -> None:
    assert describe_scope(Scope.of("everyone")) == "all players"
    assert describe_scope(Scope.of("experienced")) == (
        "players with 5 or more earlier rated events, in events with two or more such sides"
    )
    words = describe_scope(Scope("mine", top=3, max_sigma=70.0, unrated=False))
    assert words == (
        "the first 3 of each event, including ties, chosen by outcome and "
        "players with a sigma of at most 70, but for unrated rows, in events with two or more such sides"
    )


def test_the_page_holds_what_was_measured_and_no_more(history: History, tmp_path: Path) -> None:
    untimed = History.from_matches(["a", "b", "a", "c"] * 6, ["b", "c", "c", "a"] * 6)
    report = measured(untimed, {"<elo>": Elo(k=17.0), "glicko": Glicko()}, metrics=["log-loss"])
    page = report_page(report, title="Ours & theirs", about="Four who play.", systems={"<elo>": Elo(k=17.0)})
    for words in ("Ours &amp; theirs", "Four who play.", "&lt;elo&gt;", "17.0", "48 rows of 24 events"):
        assert words in page
    for missing in ("<elo>", "<script", "By period", "Calibration<"):
        assert missing not in page
    frame = summary_frame(report, find_verdict(report, "everyone", LOSS))
    assert frame.columns == ["system", "events", "rows", "log loss", "seconds"]
    write_report(report, tmp_path / "page.html", title="Ours & theirs")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
