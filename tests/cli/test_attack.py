"""`podium attack`: tables, pictures, pages, JSON, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from cli.command import failed, said_json, succeeded
from podium import Elo, History, Topcoder
from podium.simulation.populations import synthetic_contests
from podium.studies.attacks import ATTACKS, DEFENCES, Farming, SimulatedContests, attack

SHORT = ["--set", "farming.honest=8", "--set", "farming.farming=8", "--set", "farming.after=4"]
SMALL = ["attack", "--system", "elo", "--system", "topcoder", "--attack", "farming", *SHORT]
SMALL += ["--players", 20, "--seeds", 6]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    history = synthetic_contests(12, 22, 12, seed=1).history
    history.to_frame().write_csv(tmp_path / "results.csv")
    return tmp_path / "results.csv"


def test_tables_pictures_and_a_page(tmp_path: Path) -> None:
    files = ["--out", "t.csv", "--chart", "c.svg", "--report", "r.html", "--jobs", 1]
    said = succeeded(*SMALL, *files, cwd=tmp_path)
    lines = said.splitlines()
    assert lines[0].startswith("20 contests of 20 players")
    assert lines[1].endswith("cheats; seeds 0 to 5")
    assert max(map(len, lines)) <= 80
    assert re.findall(r"^│ (\w+)", said, re.MULTILINE) == ["elo", "topcoder"]
    assert lines[-1] == "wrote t.csv, c.svg, r.html"
    frame = pl.read_csv(tmp_path / "t.csv")
    world = SimulatedContests(players=20, contests=20)
    report = attack(["elo", "topcoder"], [Farming(8, 8, 4)], seeds=6, world=world, jobs=1)
    assert frame["gain"].to_list() == report.summary["gain"].to_list()
    page = (tmp_path / "r.html").read_text()
    assert "Attack: farming" in page
    assert all(words.split(".")[0] in page for words in report.verdicts.values())
    assert "own event (number)" in (tmp_path / "c.svg").read_text()


def test_searched_attacks_stand_beside_scripted_ones(tmp_path: Path) -> None:
    short = [*SHORT[:-1], "farming.after=2", "--players", 12, "--seeds", 2, "--jobs", 1]
    options = [
        "--system",
        "topcoder",
        "--attack",
        "farming",
        *short,
        "--search",
        "--report",
        "r.html",
        "--seed",
        5,
    ]
    said = said_json("attack", *options, cwd=tmp_path)
    kinds = [(row["attack"], row["kind"]) for row in said["summary"]]
    assert kinds == [
        ("farming", "scripted"),
        ("patterns of 10", "hindsight"),
        ("fixed pattern", "searched"),
        ("policy", "searched"),
    ]
    hindsight, fixed, policy = said["summary"][1:]
    assert "of 2 seeds" in hindsight["verdict"]
    assert [hindsight[name] for name in ("low", "high", "pays")] == [None] * 3
    assert "seeds held out" in fixed["verdict"]
    assert "held out, 9 to 10" in policy["verdict"]
    parameters = said["policies"]["topcoder"]
    assert policy["found"].startswith(f"farming (honest={parameters['honest']}, ")
    page = (tmp_path / "r.html").read_text()
    assert "Searched: patterns of 10" in page
    assert policy["found"] in page
    assert "seeds 5 to 6" in page
    assert (said["cases"], said["named"]) == ("seeds", ["5", "6"])
    assert policy["found"] in said["verdicts"]["topcoder"]


def test_where_nothing_is_better_it_is_said() -> None:
    short = [*SHORT[:-1], "farming.after=2", "--players", 12, "--seeds", 2, "--jobs", 1]
    said = " ".join(succeeded("attack", "--system", "elo", "--attack", "farming", *short, "--search").split())
    assert said.count("nothing better than honest play was found") == 2
    assert re.search(r"│ elo +│ +\S+ │ +none │ +none │ +none │", said)


def test_real_results_and_json(results: Path) -> None:
    here = ["attack", results, *SMALL[1:-4], "--jobs", 1]
    said = said_json(*here, "--threshold", 1600, "--watch", "topcoder")
    history = History.from_frame(pl.read_csv(results))
    strategy = Farming(8, 8, 4, threshold=1600)
    report = attack({"elo": Elo(), "topcoder": Topcoder()}, [strategy], history, watch=Topcoder(), jobs=1)
    assert [row["gain"] for row in said["summary"]] == report.summary["gain"].to_list()
    assert said["cases"] == "players"
    assert said["attacks"]["farming"]["threshold"] == 1600
    assert said["verdicts"] == report.verdicts
    assert "too few to tell from chance" in " ".join(succeeded(*here, "--player", "p00003").split())


def test_matches_and_the_list() -> None:
    short = ["--attack", "farming", *SHORT, "--seeds", 2, "--players", 20, "--jobs", 2]
    said = said_json("attack", "--matches", "--system", "yuksel", *short)
    assert said["summary"][0]["runs"] == 2
    said = succeeded("attack", "--list")
    assert re.findall(r"^│ ([\w-]+) +│ (?:higher|lower)", said, re.MULTILINE) == list(ATTACKS)
    assert all(f"│ {name} " in said for name in DEFENCES)


def test_defences_stand_beside_the_system_alone(tmp_path: Path) -> None:
    options = ["--set", "resting.honest=4", "--set", "resting.after=4", "--set", "resting.margin=-1000"]
    options += ["--defence", "recent-play", "--set", "recent-play.events=2", "--players", 10, "--seeds", 2]
    attacked = ["attack", "--system", "elo", "--attack", "resting", *options, "--jobs", 1]
    said = said_json(*attacked)
    label = "elo, recent-play (events=2)"
    assert list(said["systems"]) == list(said["verdicts"]) == ["elo", label]
    assert said["defended"][label]["parameters"] == {"events": 2}
    assert [row["gain"] is None for row in said["summary"]] == [False, True]
    shown = " ".join(succeeded(*attacked, "--report", "r.html", cwd=tmp_path).split())
    assert DEFENCES["recent-play"].summary in (tmp_path / "r.html").read_text()
    assert re.search(r"│ elo, recent-play \(events=2\) │ +– │", shown)
    assert "– the leaderboard displays no rating." in shown


@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (["--attack", "farmin"], 2, "did you mean 'farming'"),
        (["--attack", "farming", "--attack", "farming"], 2, "given twice"),
        (["--defence", "min-event"], 2, "did you mean 'min-events'"),
        (["--defence", "min-events", "--defence", "min-events"], 2, "given twice"),
        (["--set", "min-events.events=3"], 2, "belongs to no attack, defence or system of this run"),
        (["--system", "elos"], 2, "did you mean 'elo'"),
        (["--systems", "topcoder,elos"], 2, "did you mean 'elo'"),
        (["--systems", "topcoder, elo", "--system", "elo"], 2, "a system is given twice"),
        (["--system", "luck"], 1, "luck cannot use events of more than two sides"),
        (["--set", "farming.hones=3"], 2, "did you mean 'honest'"),
        (["--set", "farmin.honest=3"], 2, "Did you mean 'farming'"),
        (["--attack", "streak", "--threshold", 5], 2, "only the attack farming has a threshold"),
        (["--player", "ann"], 2, "simulated results choose"),
        (["--report", "page.pdf"], 2, "must end in .html"),
        (["results.csv", "--players", 20], 2, "is for simulated results"),
        (["results.csv", "--seeds", 20], 2, "is for simulated results"),
        (["results.csv", "--seed", 0], 2, "is for simulated results"),
        (["--set", "farming.margin=none"], 2, "farming: margin is 'none'"),
        (["--set", "farming.deep=-1"], 2, "farming: deep is -1"),
        (["--set", "farming.honest=999999999999"], 2, "from 0 to 100,000"),
        (["--players", 11, "--matches"], 2, "an even number"),
        (["results.csv"], 1, "no player has 105 rated events"),
        (
            ["results.csv", "--attack", "tanking", "--set", "tanking.after=5", "--player", "x"],
            1,
            "is not a player",
        ),
    ],
)
def test_what_is_refused(results: Path, options: list[object], status: int, why: str) -> None:
    assert why in failed(status, "attack", *options, cwd=results.parent)
