"""`podium tune`: what it prints and writes, what it refuses, and that Ctrl-C loses nothing that was kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.command import Terminal, failed, podium_here, said_json, succeeded
from podium import evaluate, load_system, read_history, tune
from podium.tuning.study_log import count_kept

QUICK = ["--system", "elo", "--trials", 6, "--jobs", 1]


def test_the_best_is_printed_and_written(results: Path, tmp_path: Path) -> None:
    best, table = tmp_path / "best.toml", tmp_path / "trials.csv"
    said = succeeded("tune", results, *QUICK, "--out", best, "--table", table)
    assert said.startswith("elo: 6 trials; rank-deviation (lower is better), everyone\n")
    assert "│ fitted │     20 │" in said
    assert "│ judged │     20 │" in said
    assert "│ k " in said
    tuning = tune(read_history(results), "elo", trials=6, jobs=1)
    assert said.endswith(f"\n{tuning.verdict}\nwrote {best}, {table}\n")
    assert "┃ 95% low ┃" in said
    assert re.search(r"^on later events, experienced: \d+\.\d{4} with the defaults, ", said, re.MULTILINE)
    assert load_system(best) == tuning.system
    assert len(table.read_text().splitlines()) == 7
    rated = said_json("rate", results, "--system", best)
    assert rated["parameters"]["k"] == tuning.parameters["k"]


def test_as_json(results: Path) -> None:
    said = said_json(
        "tune", results, *QUICK, "--metric", "accuracy", "--scope", "experienced:2", "--since", 0.6
    )
    assert said["system"] == "elo"
    assert (said["metric"], said["scope"]) == ("accuracy", "experienced:2")
    assert len(said["trials"]) == 6
    counted = evaluate(results, "elo", metrics=["accuracy"], scopes="experienced:2", until=24, resamples=2)
    assert said["fitted"]["events"] == counted.summary["events"][0] == 20
    assert said["fitted"]["best"] == max(trial["value"] for trial in said["trials"])
    assert said["left_alone"]["home_advantage"] == "no event has a home side"
    assert list(said["judged_others"]) == ["everyone", "experienced"]
    assert any(line.startswith("k from 4 to 256") for line in said["searched"])


def test_what_is_searched_and_what_is_fixed(results: Path) -> None:
    asked = ["--search", "mu=1000:2000", "--search", "pairs=mean,sum", "--fix", "k=20", "--fix", "newcomer_k"]
    said = said_json("tune", results, *QUICK, *asked)
    assert said["searched"] == ["mu from 1000 to 2000", "pairs of mean, sum"]
    assert set(said["found"]) == {"mu", "pairs"}
    assert said["parameters"]["k"] == 20
    limits = said_json(
        "tune", results, "--trials", 2, "--jobs", 1, "--search", "sigma_limit", "--fix", "rho=inf"
    )
    assert limits["searched"][-1] == "sigma_limit from 20 to 300, by factors"
    assert limits["left_alone"]["beta"] == "its limits are given"
    rolling = said_json("tune", results, *QUICK, "--split", "rolling:2:0.5")
    assert [fold["fitted_events"] for fold in rolling["folds"]] == [20, 30]
    dated = said_json("tune", results, *QUICK, "--since", "2026-01-11")
    earlier = said_json("tune", results, *QUICK, "--split", "2026-01-11")  # the name before 0.2
    assert earlier["judged"] == dated["judged"]
    assert dated["fitted"]["events"] == 10


def test_rolling_fits_a_terminal(results: Path) -> None:
    said = succeeded("tune", results, *QUICK, "--since", "rolling:2")
    assert "┃ fold ┃ fitted ┃ judged ┃" in said
    assert "…" not in said
    assert "-" not in said.partition("\n")[2]  # minus signs are such, and a dash stands for nothing


def test_nothing_to_judge_is_said(results: Path) -> None:
    answer = podium_here("tune", results, *QUICK, "--since", "2040-01-01")
    assert (
        "no event comes after 2040-01-01, so the result cannot be measured on later events" in answer.stderr
    )
    assert answer.stdout.endswith("not measured: there are no later events\n")
    assert "no event comes after" not in podium_here("tune", results, *QUICK, "--since", "1.0").stderr


@pytest.mark.parametrize(
    "status, options, reason",
    [
        (2, ["--system", "eloo"], "there is no rating system 'eloo'"),
        (2, ["--metric", "log-los"], "did you mean 'log-loss'?"),
        (2, ["--scope", "experts"], "there is no scope 'experts'"),
        (2, ["--search", "k=4:x"], "'4:x' must be a range"),
        (2, ["--search", "k", "--search", "k"], "'k' is given twice"),
        (2, ["--search", "kk=1:2"], "elo has no parameter 'kk'"),
        (2, ["--search", "k=9:1"], "k from 9 to 1 is not a range"),
        (2, ["--search", "mu"], "elo has no search range for mu"),
        (2, ["--search", "k", "--fix", "k=3"], "k is both searched and fixed"),
        (2, ["--since", "rolling:x"], "'rolling:x' must have the form rolling:4:0.4"),
        (2, ["--since", "soon"], "a split is 'soon'"),
        (1, ["--since", "0.01"], "40 events cannot be split after 0"),
        (2, ["--out", "best.json"], "the name of 'best.json' must end in .toml"),
        (2, ["--dask", "tcp://x:1"], "a Dask cluster has its own workers"),
        (1, ["--study", "no/study.log"], "there is no folder no"),
        (2, ["--three", "3"], "No such option"),
    ],
)
def test_what_makes_no_sense_is_refused(
    status: int, options: list[str], reason: str, results: Path, tmp_path: Path
) -> None:
    said = failed(status, "tune", results, *QUICK, *options, cwd=tmp_path)
    assert reason in " ".join(said.split())
    assert not list(tmp_path.iterdir())


def test_interrupted_and_gone_on(results: Path, tmp_path: Path) -> None:
    """Ctrl-C at a terminal stops at once, says what is kept, and the same command goes on."""
    study = tmp_path / "study.log"
    command = ["tune", results, "--system", "elo", "--study", study, "--seed", 3]
    with Terminal(*command, "--trials", 100_000, "--jobs", 2, cwd=tmp_path) as terminal:
        terminal.wait_for(lambda: study.exists() and study.read_text().count('"number"') > 12)
        terminal.wait_for(lambda: "best rank-deviation" in terminal.screen)
        terminal.type(b"\x03")
        assert terminal.finish() == 130, terminal.screen
        said = " ".join(terminal.screen.split())
        assert f"kept in {study}: the same command continues from there" in said
        assert "best so far, not measured on later events: rank-deviation" in said
        assert count_kept(study) == study.read_text().count('"number"')
        assert f"interrupted: {count_kept(study):,} trials kept" in said
        assert "Traceback" not in terminal.screen
    kept = count_kept(study)
    resumed = podium_here(*command, "--trials", 20, "--jobs", 1, "--json")
    assert resumed.stderr == f"continuing from {kept:,} trials in {study}\n"
    again = json.loads(resumed.stdout)
    numbers = re.findall(r'"number":(\d+)', study.read_text())
    assert len(numbers) == len(set(numbers))  # nothing was done twice
    alone = said_json("tune", results, "--system", "elo", "--trials", 20, "--jobs", 1, "--seed", 3)
    for one in (*again["trials"], *alone["trials"]):
        del one["seconds"]
    assert again["trials"] == alone["trials"]
    answer = podium_here(*command, "--trials", 20, "--jobs", 1, "--metric", "brier")
    assert "the study belongs to another metric: rank-deviation, not brier" in answer.stderr


def test_interrupted_without_a_study(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best so far is said and written."""
    counted: list[int] = []

    def stop_after_three(*given: object, **options: object) -> float:
        counted.append(1)
        if len(counted) > 3:
            raise KeyboardInterrupt
        return 3.0 - len(counted)

    monkeypatch.setattr("podium.tuning.trial_metric.score", stop_after_three)
    best = tmp_path / "best.toml"
    answer = podium_here("tune", results, *QUICK, "--fix", "newcomer_k=none", "--out", best)
    assert answer.returncode == 130
    assert "interrupted: after 3 trials (to keep trials" in answer.stderr
    assert "best so far, not measured on later events: rank-deviation 0 with k=" in answer.stderr
    assert load_system(best).k != 32.0  # type: ignore[attr-defined]
    assert best.read_text().startswith("# interrupted; best so far, not measured")


def test_code_of_ones_own_is_imported_by_the_processes_too(results: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\nimport podium\n\n\n"
        "@podium.register_system\n@dataclass(frozen=True, kw_only=True)\nclass Mine(podium.Elo):\n"
        "    name = 'mine'\n"
    )
    from cli.command import podium

    said = succeeded(
        *("--import", "mine.py", "tune", results, "--system", "mine", "--trials", 3, "--jobs", 2, "--json"),
        cwd=tmp_path,
        run=podium,
    )
    assert len(json.loads(said)["trials"]) == 3
