"""`podium simulate`: games, contests, matches and teams: tables, pictures, JSON, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from cli.command import Terminal, failed, podium, podium_here, said_json, succeeded
from podium import Elo, read_history
from podium.documents.plain_data import plain_parameters
from podium.simulation import Contests, Matches, People, Simulation, Teams
from podium.studies.live_game.comparison import compare_games
from podium.studies.live_game.game import Game
from podium.studies.live_game.matchers import MATCHERS

SMALL = ["simulate", "game", "--system", "elo", "--players", 60, "--days", 0.5, "--game", "sessions=6"]
SMALL += ["--game", "tick=120"]
GAME = Game(players=60, days=0.5, sessions=6, tick=120)

SEASONS = {"contests": Contests, "matches": Matches, "teams": Teams}
FEW = {
    "contests": ["--players", 50, "--contests", 6, "--participants", 20, "--drift", 0],
    "matches": ["--players", 50, "--matches", 80, "--draw-rate", 0.3, "--home-advantage", 50, "--drift", 0],
    "teams": ["--players", 50, "--matches", 20, "--size", 3, "--lineups", "balanced", "--drift", 0],
}
FEW_IN_PYTHON = {
    "contests": Contests(contests=6, participants=20, interval="2d"),
    "matches": Matches(matches=80, draw_rate=0.3, home_advantage=50, interval="2d"),
    "teams": Teams(matches=20, size=3, lineups="balanced", interval="2d"),
}


def test_a_table_of_all_matchers() -> None:
    said = succeeded(*SMALL)
    lines = said.splitlines()
    assert lines[0].startswith("12 hours of a game with 61 accounts, rated by elo: about ")
    assert max(map(len, lines)) <= 80
    assert "…" not in said
    assert re.findall(r"^│ (\w+)", said, re.MULTILINE) == list(MATCHERS)
    assert succeeded(*SMALL) == said


def test_a_seed_is_another_game() -> None:
    one, other = (said_json(*SMALL, "--matcher", "random", "--seed", seed) for seed in (0, 5))
    assert one["summary"] != other["summary"]


@pytest.mark.parametrize("columns", [74, 140])
def test_the_table_fits_the_terminal(columns: int) -> None:
    said = succeeded(*SMALL, "--system", "glicko2", "--matcher", "random", columns=columns)
    assert max(len(line) for line in said.splitlines() if line[0] in "│┃┏┡└") <= columns
    assert re.findall(r"^│ (\w+) +│ random", said, re.MULTILINE) == ["elo", "glicko2"]
    assert "…" not in said


def test_json_says_what_python_says_from_any_number_of_processes() -> None:
    options = ["--matcher", "random", "--matcher", "nearest", "--seed", 1, "--seed", 2, "--since", 0.1]
    said = said_json(*SMALL, *options, "--set", "k=24", "--jobs", 2)
    compared = compare_games(
        {"elo with k=24": Elo(k=24)}, ["random", "nearest"], GAME, seeds=[1, 2], since=0.1
    )
    assert said["game"]["players"] == 60
    assert said["systems"]["elo with k=24"]["parameters"]["k"] == 24
    assert said["seeds"] == [1, 2]
    for name in ("wait", "gap", "near_half", "rmse", "games"):
        assert [row[name] for row in said["summary"]] == compared.summary[name].to_list()
        assert [row[name] for row in said["deviations"]] == compared.deviations[name].to_list()
    assert said["waits"] == compared.waits.to_dicts()
    assert {row["kind"] for row in said["kinds"]} >= {"regular", "thrower"}


def test_tables_and_pictures(tmp_path: Path) -> None:
    said = succeeded(*SMALL, "--out", "all.csv", "--chart", "game.svg", cwd=tmp_path)
    assert said.splitlines()[-1] == "wrote all.csv, game.svg"
    frame = pl.read_csv(tmp_path / "all.csv")
    assert frame["matcher"].to_list() == list(MATCHERS)
    assert frame["wait_p95"].min() > 0
    assert "true skill (percentile)" in (tmp_path / "game.svg").read_text()


def test_several_seeds_have_deviations(tmp_path: Path) -> None:
    said = succeeded(
        *SMALL, "--matcher", "random", "--seed", 1, "--seed", 2, "--out", "all.csv", cwd=tmp_path
    )
    assert "These are means of 2 seeds. The standard deviations between seeds:\n" in said
    shown = [line.split("│")[2:-1] for line in said.splitlines() if line.startswith("│ random")]
    means, deviations = ([float(cell) for cell in row] for row in shown)
    (row,) = pl.read_csv(tmp_path / "all.csv").to_dicts()
    assert (means[0], means[-1]) == (round(row["wait"]), round(row["rmse"]))
    assert deviations[0] == pytest.approx(row["wait_deviation"], abs=0.051)
    assert deviations[2] == pytest.approx(100 * row["true_gap_deviation"], abs=0.051)


def test_every_parameter_of_a_game_can_be_set() -> None:
    said = said_json(*SMALL, "--matcher", "random", "--game", "tolerance=0.25", "--smurfs", 0.5)
    assert (said["game"]["tolerance"], said["game"]["smurfs"]) == (0.25, 0.5)


@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (["--system", "elos"], 2, "did you mean 'elo'"),
        (["--matcher", "neerest"], 2, "did you mean 'nearest'"),
        (["--matcher", "paper", "--matcher", "paper"], 2, "given twice"),
        (["--system", "elo"], 2, "given twice"),
        (["--systems", "glicko,elos"], 2, "did you mean 'elo'"),
        (["--system", "glicko", "--set", "k=3"], 2, "one --system"),
        (["--set", "q=3"], 2, "no parameter 'q'"),
        (["--game", "tolerence=1"], 2, "did you mean 'tolerance'"),
        (["--game", "tolerance=much"], 2, "tolerance is 'much'"),
        (["--game", "tolerance"], 2, "must have the form name=value"),
        (["--players", 1], 2, "two or more"),
        (["--days", -1], 2, "days is -1.0"),
        (["--since", 3], 2, "from day 3.0 on"),
        (["--seed", -1], 2, "seed"),
        (["--seed", 1, "--seed", 1], 2, "a seed is given twice"),
        (["--jobs", 0], 2, "jobs"),
        (["--chart", "game.tiff"], 2, "write a picture as .tiff"),
        (["--out", "game.png"], 2, "cannot write 'game.png'"),
        (["--out", "nowhere/game.csv"], 1, "no folder nowhere"),
    ],
)
def test_refusals(options: list[object], status: int, why: str, tmp_path: Path) -> None:
    assert why in failed(status, *SMALL, *options, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


def test_no_command_is_a_question() -> None:
    answer = podium("simulate")
    assert answer.returncode == 2
    assert "Usage: podium simulate" in answer.stdout + answer.stderr
    for command in (["simulate"], *(["simulate", name] for name in ("game", *SEASONS))):
        said = succeeded(*command, "--help")
        assert max(map(len, said.splitlines())) <= 80


@pytest.mark.compiled
def test_a_bar_and_ctrl_c_at_a_terminal(tmp_path: Path) -> None:
    options = ["--players", 3000, "--days", 300, "--system", "elo", "--out", "out.csv"]
    with Terminal("simulate", "game", *options, cwd=tmp_path) as terminal:
        terminal.wait_for(lambda: re.search(r"[1-9]\d* of [\d,]+ ticks", terminal.screen) is not None)
        assert terminal.interrupt() == 130
    assert "podium: interrupted" in terminal.screen
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ contests, matches, teams


@pytest.mark.parametrize("kind", SEASONS)
def test_a_season_is_written_and_rated(kind: str, tmp_path: Path) -> None:
    options = [*FEW[kind], "--set", "interval=2d", "--set", "growth_events=9", "--growth", 50, "--seed", 7]
    season = Simulation(People(players=50, drift=0, growth=50, growth_events=9), FEW_IN_PYTHON[kind], seed=7)
    shape = season.season.shape
    for file, more in (("season.parquet", ["--truth"]), ("season.csv.gz", [])):
        said = succeeded("simulate", kind, *options, *more, "--out", file, cwd=tmp_path)
        assert said == f"{season.history().summary()}\nwrote {file}\n"
        assert read_history(tmp_path / file).to_frame(shape).equals(season.history().to_frame(shape))
        answer = podium_here("rate", file, "--system", "elo", "--top", 0, cwd=tmp_path)
        counts = f"{season.history().summary().players} players, {len(season.history())} events"
        assert (answer.returncode, answer.stdout) == (0, f"elo: {counts}\n")
        assert ("not used: skill" in answer.stderr) == bool(more)
    assert "skill" in " ".join(pl.read_parquet(tmp_path / "season.parquet").columns)
    printed = succeeded("simulate", kind, *options, "--out", "-")
    (tmp_path / "printed.csv").write_text(printed)
    assert read_history(tmp_path / "printed.csv").to_frame(shape).equals(season.history().to_frame(shape))
    said = said_json("simulate", kind, *options)
    assert said["people"] == plain_parameters(season.people.parameters())
    assert said["season"] == kind
    assert said["parameters"] == plain_parameters(season.season.parameters())
    assert (said["seed"], said["summary"]["rows"]) == (7, season.history().rows)


@pytest.mark.parametrize("kind", SEASONS)
def test_without_a_file_the_first_rows_are_shown(kind: str) -> None:
    said = succeeded("simulate", kind, *FEW[kind], "--truth")
    assert len(re.findall(r"^│ .*p000", said, re.MULTILINE)) >= 10
    assert said.endswith("These are the first rows. --out FILE writes all rows.\n")
    assert max(len(line) for line in said.splitlines() if line[0] in "│┃┏┡└") <= 80


@pytest.mark.parametrize("kind", SEASONS)
def test_help_says_the_defaults(kind: str) -> None:
    said = " ".join(succeeded("simulate", kind, "--help-all").split())
    shown = re.findall(r"--([a-z-]+) (?:N|POINTS) (?:(?! --[a-z]).)*?Default: (\d+)\.", said)
    assert len(shown) >= 4
    usual = plain_parameters(SEASONS[kind].usual_people.parameters() | SEASONS[kind]().parameters())
    assert {name: float(number) for name, number in shown} == {
        name: usual[name.replace("-", "_")] for name, _ in shown
    }


@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (["contests", "--participants", 60], 2, "contests of 60 among 50 players"),
        (["contests", "--skills", "student(1)"], 2, "skills: 'student(1)'"),
        (["contests", "--set", "unevn=1"], 2, "did you mean 'uneven'"),
        (["contests", "--set", "uneven=much"], 2, "uneven is 'much'"),
        (["contests", "--set", "players=3"], 2, "'players' is given twice"),
        (["contests", "--set", "interval=soon"], 2, "interval: 'soon' is not a duration"),
        (["contests", "--set", "start=soon"], 2, "start: 'soon' is not a time"),
        (["matches", "--set", "interval=2000000d"], 2, "no more years"),
        (["matches", "--luck", "fare-coin"], 2, "did you mean 'fair-coin'"),
        (["matches", "--beta", 2], 2, "beta is 2.0"),
        (["matches", "--set", "uneven=1"], 2, "a simulation of matches has no parameter 'uneven'"),
        (["teams", "--strength", "max"], 2, "strength is one of sum, mean, not 'max'"),
        (["teams", "--out", "season.pgn"], 2, "cannot write 'season.pgn'"),
        (["teams", "--out", "nowhere/season.csv"], 1, "no folder nowhere"),
        (["teams", "--out", "-", "--json"], 2, "--json prints a summary"),
    ],
)
def test_refused_seasons(options: list[object], status: int, why: str, tmp_path: Path) -> None:
    kind = str(options[0])
    assert why in failed(status, "simulate", kind, *FEW[kind], *options[1:], cwd=tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_interrupted_season_leaves_no_file(tmp_path: Path) -> None:
    options = ["--matches", 500_000_000, "--out", "season.parquet"]
    with Terminal("simulate", "matches", *options, cwd=tmp_path) as terminal:
        terminal.wait_for(lambda: re.search(r"[1-9][\d,]* of [\d,]+ events", terminal.screen) is not None)
        assert terminal.interrupt() == 130
    assert "podium: interrupted" in terminal.screen
    assert list(tmp_path.iterdir()) == []
