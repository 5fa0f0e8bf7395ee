"""`podium simulate game`: tables, pictures, JSON, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from cli.command import Terminal, failed, podium, said_json, succeeded
from conftest import COMPILED
from podium import Elo
from podium.lab.comparing import compare_games
from podium.lab.live import Game
from podium.lab.matchers import MATCHERS

SMALL = ["simulate", "game", "--system", "elo", "--players", 60, "--days", 0.5, "--game", "sessions=6"]
SMALL += ["--game", "tick=120"]
GAME = Game(players=60, days=0.5, sessions=6, tick=120)


def test_a_table_of_all_matchers() -> None:
    said = succeeded(*SMALL)
    lines = said.splitlines()
    assert lines[0].startswith("12 hours of a game with 61 accounts, rated by elo: about ")
    assert max(map(len, lines)) <= 80
    assert "…" not in said
    assert re.findall(r"^│ (\w+)", said, re.MULTILINE) == list(MATCHERS)
    assert succeeded(*SMALL) == said
    assert succeeded(*SMALL, "--seed", 5) != said


@pytest.mark.parametrize("columns", [74, 140])
def test_the_table_fits_the_terminal(columns: int) -> None:
    said = succeeded(*SMALL, "--system", "glicko2", "--matcher", "random", columns=columns)
    assert max(len(line) for line in said.splitlines() if line[0] in "│┃┏┡└") <= columns
    assert re.findall(r"^│ (\w+) +│ random", said, re.MULTILINE) == ["elo", "glicko2"]
    assert "…" not in said


def test_json_says_what_python_says() -> None:
    options = ["--matcher", "random", "--matcher", "nearest", "--seed", 1, "--seed", 2, "--since", 0.1]
    said = said_json(*SMALL, *options, "--set", "k=24")
    compared = compare_games({"elo": Elo(k=24)}, ["random", "nearest"], GAME, seeds=[1, 2], since=0.1)
    assert said["game"]["players"] == 60
    assert said["systems"]["elo"]["parameters"]["k"] == 24
    assert said["seeds"] == [1, 2]
    for name in ("wait", "gap", "near_half", "rmse", "games"):
        assert [row[name] for row in said["summary"]] == compared.summary[name].to_list()
    assert said["waits"] == compared.waits.to_dicts()
    assert {row["kind"] for row in said["kinds"]} >= {"regular", "thrower"}


def test_tables_and_pictures(tmp_path: Path) -> None:
    said = succeeded(*SMALL, "--out", "all.csv", "--chart", "game.svg", cwd=tmp_path)
    assert said.splitlines()[-1] == "wrote all.csv, game.svg"
    frame = pl.read_csv(tmp_path / "all.csv")
    assert frame["matcher"].to_list() == list(MATCHERS)
    assert frame["wait_p95"].min() > 0
    assert "true skill (percentile)" in (tmp_path / "game.svg").read_text()


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
        (["--system", "glicko", "--set", "k=3"], 2, "one --system"),
        (["--set", "q=3"], 2, "no parameter 'q'"),
        (["--game", "tolerence=1"], 2, "did you mean 'tolerance'"),
        (["--game", "tolerance=much"], 2, "tolerance is 'much'"),
        (["--game", "tolerance"], 2, "not name=value"),
        (["--players", 1], 2, "two or more"),
        (["--days", -1], 2, "days is -1.0"),
        (["--since", 3], 2, "from day 3.0 on"),
        (["--seed", -1], 2, "seed"),
        (["--chart", "game.tiff"], 2, "written as .tiff"),
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
    for command in (["simulate"], ["simulate", "game"]):
        said = succeeded(*command, "--help")
        assert max(map(len, said.splitlines())) <= 80


@pytest.mark.skipif(not COMPILED, reason="takes minutes without the compiler")
def test_a_bar_and_ctrl_c_at_a_terminal(tmp_path: Path) -> None:
    options = ["--players", 3000, "--days", 300, "--system", "elo", "--out", "out.csv"]
    with Terminal("simulate", "game", *options, cwd=tmp_path) as terminal:
        terminal.wait_for(lambda: re.search(r"[1-9]\d* of [\d,]+ ticks", terminal.screen) is not None)
        terminal.type(b"\x03")
        assert terminal.finish() == 130
    assert "podium: interrupted" in terminal.screen
    assert list(tmp_path.iterdir()) == []
