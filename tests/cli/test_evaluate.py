"""`podium evaluate`: tables, the verdict, the report, JSON, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cli.command import Terminal, failed, said_json, succeeded
from podium import Elo, EloMMR, evaluate, evaluate_tuned, read_history
from podium.documents import backtest_document
from podium.evaluation.backtest_results import Backtest

PAIR = ["--systems", "elo-mmr,elo"]


def test_a_table_a_scope_and_a_verdict(results: Path) -> None:
    said = succeeded("evaluate", results, *PAIR)
    lines = said.splitlines()
    assert max(map(len, lines)) <= 80
    document = said_json("evaluate", results, *PAIR)
    assert document["conclusions"][0].startswith("Use elo")
    concluded = [*document["conclusions"], *document["warnings"]]
    assert " ".join(said.split()).startswith(f"{' '.join(concluded)} everyone: 320 rows of 40 events scored ")
    assert any(
        re.match(r"experienced: [\d,]+ rows of \d+ events scored, \d+ left out", line) for line in lines
    )
    assert len(re.findall(r"^│ (?:≈ )?elo(?:-mmr)? ", said, re.MULTILINE)) == 4
    assert len(re.findall(r"^│ mean past result ", said, re.MULTILINE)) == 2
    assert re.search(r"^everyone: elo(-mmr)? is best by rank-deviation, \d\d\.\d\d\.", said, re.MULTILINE)
    assert "the difference is not significant" in " ".join(said.split())
    assert "3-way" not in said  # nobody gives draws a chance
    assert succeeded("evaluate", results, *PAIR) == said


def test_lists_have_commas_or_several_options(results: Path) -> None:
    commas = [*PAIR, "--metrics", "brier,log-loss", "--scopes", "everyone,top:3"]
    several = ["--systems", "elo-mmr", "--systems", "elo", "--metrics", "brier", "--metrics", "log-loss"]
    several += ["--scopes", "everyone", "--scopes", "top:3"]
    said = succeeded("evaluate", results, *commas)
    assert succeeded("evaluate", results, *several) == said
    assert "top:3" in said


def test_it_says_what_python_says(results: Path, tmp_path: Path) -> None:
    options = [*PAIR, "--set", "elo.k=24", "--scopes", "experienced:2,top:3", "--since", 0.25, "--seed", 3]
    options += ["--metrics", "log-loss,accuracy", "--order-by", "mu", "--resamples", 50]
    said = said_json("evaluate", results, *options, "--out", "all.csv", cwd=tmp_path)
    judge = evaluate(
        read_history(results),
        {"elo-mmr": EloMMR(), "elo with k=24": Elo(k=24)},
        metrics=["log-loss", "accuracy"],
        scopes=["experienced:2", "top:3"],
        since=0.25,
        order_by="mu",
        resamples=50,
        seed=3,
    )
    for row in said["summary"]:
        for name, metric in row.pop("metrics").items():
            column = name.replace("-", "_")
            row |= {column: metric["value"], f"{column}_low": metric["low"], f"{column}_high": metric["high"]}
    assert [{**row, "seconds": 0} for row in said["summary"]] == [
        {**row, "seconds": 0} for row in judge.summary.to_dicts()
    ]
    assert said["differences"] == judge.differences.to_dicts()
    assert said["systems"]["elo with k=24"]["parameters"]["k"] == 24
    written = pl.read_csv(tmp_path / "all.csv")
    assert written["log_loss_low"].to_list() == judge.summary["log_loss_low"].to_list()


def test_verdicts_are_in_json(results: Path, tmp_path: Path) -> None:
    for name, k in (("near", 31.9), ("far", 400.0)):
        (tmp_path / f"{name}.toml").write_text(f'system = "elo"\n[parameters]\nk = {k}\n')
    options = ["--systems", "elo,near.toml,far.toml", "--metrics", "brier,log-loss", "--scopes", "everyone"]
    (verdict,) = said_json("evaluate", results, *options, cwd=tmp_path)["verdicts"]
    printed = " ".join(succeeded("evaluate", results, *options, cwd=tmp_path).split())
    assert verdict["text"] in printed
    assert (verdict["scope"], verdict["metric"]) == ("everyone", "brier")  # the first of --metrics decides
    assert sorted([verdict["best"], *verdict["level"]]) == ["elo", "near"]
    assert verdict["worse"] == ["far"]
    assert verdict["not_comparable"] == []


def test_a_report_in_one_file_with_systems_of_files(results: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('system = "elo"\n[parameters]\nk = 17\n')
    options = ["--systems", "elo,mine.toml", "--set", "mine.scale=300", "--report", "report.html"]
    said = succeeded("evaluate", results, *options, cwd=tmp_path)
    assert said.splitlines()[-1] == "wrote report.html"
    assert re.search(r"^│ (?:≈ )?mine ", said, re.MULTILINE)
    text = (tmp_path / "report.html").read_text()
    assert "<script" not in text
    assert text.count("<svg") >= 6
    for words in (
        "How well systems predict results.csv",
        "320 rows of 40 events are scored",
        "Verdict",
        "Every metric, experienced",
        "Differences to the best",
        "Calibration",
        "By period",
        "By experience",
        "By rating",
        "How to read this",
        "Parameters of mine",
        "300.0",
    ):
        assert words in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.toml", "report.html"]


def test_who_cannot_is_left_out_with_the_reason(tmp_path: Path) -> None:
    rows = "event,player,team,rank\n" + "".join(
        f"{event},{name},{team},{1 + (team != 'red')}\n"
        for event in range(6)
        for name, team in (("ann", "red"), ("bob", "red"), ("cat", "blue"), ("dan", "blue"))
    )
    (tmp_path / "teams.csv").write_text(rows)
    said = succeeded("evaluate", "teams.csv", "--systems", "elo,topcoder", cwd=tmp_path)
    assert "topcoder was left out: topcoder cannot use teams" in said
    assert re.search(r"^│ elo ", said, re.MULTILINE)
    why = failed(1, "evaluate", "teams.csv", "--systems", "topcoder", cwd=tmp_path)
    assert "cannot use teams" in why


@pytest.mark.compiled
def test_jobs_change_nothing(results: Path) -> None:
    assert succeeded("evaluate", results, *PAIR, "--jobs", 2) == succeeded("evaluate", results, *PAIR)


def test_at_a_narrow_terminal_nothing_is_cut(results: Path) -> None:
    said = succeeded("evaluate", results, *PAIR, "--metrics", "all", "--scopes", "everyone", columns=44)
    assert max(map(len, said.splitlines())) <= 44
    assert said.count("┃ system") == 2
    wide = succeeded("evaluate", results, *PAIR, "--scopes", "everyone")
    numbers = re.compile(r"\d+\.\d+(?= +[│])")
    assert sorted(numbers.findall(said)) == sorted(numbers.findall(wide))
    assert "pairs: pairs-right, ranks: rank-deviation" in wide


def test_who_is_level_with_the_best_is_marked(results: Path, tmp_path: Path) -> None:
    for name, k in (("near", 31.9), ("far", 400.0)):
        (tmp_path / f"{name}.toml").write_text(f'system = "elo"\n[parameters]\nk = {k}\n')
    options = ["--systems", "elo,near.toml,far.toml", "--scopes", "everyone", "--metrics", "log-loss"]
    said = succeeded("evaluate", results, *options, cwd=tmp_path)
    assert len(re.findall(r"^│ ≈ (?:elo|near) ", said, re.MULTILINE)) == 1
    assert "≈ far" not in said
    assert "≈: not significantly worse than the best by log-loss" in said
    (tmp_path / "near.toml").rename(tmp_path / f"{'very' * 12}-near.toml")
    options[1] = f"elo,{'very' * 12}-near.toml"
    narrow = succeeded("evaluate", results, *options, cwd=tmp_path, columns=40)
    assert len(re.findall(r"^│ ≈ (?:elo|very)", narrow, re.MULTILINE)) == 1


def test_rows_that_depend_on_the_system_are_counted(results: Path) -> None:
    said = succeeded("evaluate", results, "--systems", "elo,elo-mmr,glicko", "--scopes", "everyone,sigma:150")
    counts = re.search(r"sigma:150: ([\d,]+) to ([\d,]+) rows of \d+ to \d+ events scored, different", said)
    assert counts is not None
    for number in counts.groups():
        assert re.search(rf"^│ (?:elo-mmr|glicko) +│ +{number} │", said, re.MULTILINE)
    assert "elo, sigma:150 was left out: elo has no sigma" in " ".join(said.split())


def test_why_there_is_no_three_way_loss(results: Path) -> None:
    said = succeeded("evaluate", results, "--systems", "elo", "--metrics", "three-way-log-loss")
    assert "elo has no three-way-log-loss, because it gives draws probability 0" in said
    assert "--set elo.draw_rate=… does" in " ".join(said.split())
    assert "┃ system" not in said


def test_processes_are_podiums_own(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those it makes anew when one dies; and none where nothing is said."""
    asked = []

    def spying(*given: Any, jobs: int | None = None, **options: Any) -> Backtest:
        asked.append((jobs, options["dask"]))
        return evaluate(*given, **options)

    monkeypatch.setattr("podium.evaluation.backtest.evaluate", spying)
    for options in ([], ["--jobs", 2], ["--jobs", 9]):
        succeeded("evaluate", results, *PAIR, *options)
    assert asked == [(None, None), (2, None), (2, None)]


def test_without_names_the_preset_is_compared_too(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.systems.list_systems", lambda: {"elo": Elo})
    said = said_json("evaluate", results, "--scopes", "everyone", "--set", "races.beta=150")
    assert list(said["systems"]) == [
        "races with beta=150",
        "races with beta=150 and calibration=off",
        "elo",
    ]
    assert said["systems"]["races with beta=150"]["parameters"]["beta"] == 150
    assert any("races" in words for words in said_json("evaluate", results)["conclusions"])


def test_only_what_was_searched_is_said_to_have_nothing_better(tmp_path: Path) -> None:
    rows = [f"{'abcd'[i % 4]},{'bcda'[i % 4 if i % 3 else (i + 1) % 4]}" for i in range(60)]
    (tmp_path / "m.csv").write_text("\n".join(["winner,loser", *(row for row in rows if row[0] != row[2])]))
    for trials in (1, 4):
        options = ["--systems", "matches", "--tune", "--trials", trials, "--scopes", "everyone"]
        said = said_json("evaluate", tmp_path / "m.csv", *options)["conclusions"]
        told = [
            words for words in said if "Tuning found nothing better" in words or "also the best of" in words
        ]
        assert trials > 1 or told[0] == "Tuning found nothing better for matches."
        assert not any("calibration=off" in words for words in told if "Nothing" in words)
        assert not any(words.startswith("tuned ") for words in told)


def test_tuned_beside_the_defaults(results: Path) -> None:
    options = ["--systems", "elo,luck", "--tune", "--trials", 3, "--scopes", "everyone"]
    said = said_json("evaluate", results, *options)
    judge = evaluate_tuned(read_history(results), ["elo", "luck"], trials=3, scopes="everyone")
    assert [row["metrics"] for row in said["summary"]] == [
        row["metrics"] for row in backtest_document(judge)["summary"]
    ]
    assert said["conclusions"] == list(judge.conclusions.sentences)
    assert any(
        words.startswith("Parameters were tuned on the first 20 events") for words in said["conclusions"]
    )
    later = said_json("evaluate", results, *options, "--since", 30)
    assert {row["events"] for row in later["summary"]} == {10}


def test_ctrl_c_while_tuning_leaves_nothing(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("podium.tuning.tuned_comparison.tune", interrupted)
    options = ["--tune", "--out", "all.csv", "--report", "report.html"]
    assert "podium: interrupted" in failed(130, "evaluate", results, *PAIR, *options, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (["--systems", "elos"], 2, "did you mean 'elo'"),
        (["--systems", "elo,elo"], 2, "write a FILE.toml"),
        (["--systems", ","], 2, "name at least one system"),
        ([*PAIR, "--set", "k=3"], 2, "must have the form system.name"),
        ([*PAIR, "--set", "elos.k=3"], 2, "Did you mean 'elo'"),
        ([*PAIR, "--set", "elo.q=3"], 2, "no parameter 'q'"),
        ([*PAIR, "--metrics", "log-lass"], 2, "did you mean 'log-loss'"),
        ([*PAIR, "--scopes", "top"], 2, "top:100"),
        ([*PAIR, "--since", "yesterday"], 2, "--since is 'yesterday'"),
        ([*PAIR, "--since", "2", "--until", "1"], 2, "since is after until"),
        ([*PAIR, "--order-by", "sigma"], 2, "must be display or mu"),
        ([*PAIR, "--by", "sigma"], 2, "must be display or mu"),
        ([*PAIR, "--report", "report.png"], 2, "must end in .html"),
        ([*PAIR, "--report", "report.pdf"], 2, "must end in .html"),
        ([*PAIR, "--every", "often"], 2, "'often'"),
        ([*PAIR, "--out", "all.png"], 2, "cannot write"),
        ([*PAIR, "--jobs", 2, "--dask", "tcp://host:8786"], 2, "its own workers"),
    ],
)
def test_refusals(options: list[object], status: int, why: str, results: Path, tmp_path: Path) -> None:
    assert why in failed(status, "evaluate", results, *options, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.compiled
def test_a_bar_and_ctrl_c_at_a_terminal(large: Path, tmp_path: Path) -> None:
    options = ["--systems", "elo,glicko2,luck", "--report", "report.html", "--out", "all.csv"]
    with Terminal("evaluate", large, *options, cwd=tmp_path) as terminal:
        bar = re.compile(r"evaluating .* of 6,000,000 rows .*\d:\d\d left")
        terminal.wait_for(lambda: bar.search(terminal.screen) is not None)
        assert terminal.interrupt() == 130
    assert "podium: interrupted" in terminal.screen
    assert list(tmp_path.iterdir()) == []


def test_names_of_before_are_taken(results: Path) -> None:
    now = said_json("evaluate", results, *PAIR, "--metrics", "pairs-right", "--order-by", "mu")
    before = said_json("evaluate", results, *PAIR, "--metrics", "pair-inversion", "--by", "mu")
    for said in (now, before):
        for row in (*said["summary"], *said["baseline"]):
            row["seconds"] = 0.0
    assert before == now
    assert "pairs-right" in now["summary"][0]["metrics"]
    assert "--by" not in succeeded("evaluate", "--help")
