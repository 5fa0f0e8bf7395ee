"""`podium advise`: words, files, JSON, and a next command that works."""

from __future__ import annotations

import shlex
from pathlib import Path
from random import Random

import pytest

from cli.command import failed, said_json, succeeded
from podium import load_system


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance, path = Random(1), tmp_path_factory.mktemp("advise") / "games.csv"
    lines = ["player_a,player_b,score_a"]
    for _ in range(400):
        a, b = chance.sample(range(9), 2)
        lines.append(f"p{a},p{b},{int(chance.random() < 1 / (1 + 3 ** (b - a)))}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_next_command_works(games: Path) -> None:
    said = succeeded("advise", games)
    assert "each of the last 360 events" in " ".join(said.split())
    command = shlex.split(next(line for line in said.splitlines() if line.startswith("Next: ")))
    assert command[1:3] == ["podium", "rate"]
    assert "p8" in succeeded(*command[2:])


def test_files_and_json(games: Path, tmp_path: Path) -> None:
    out, report, picture = tmp_path / "best.toml", tmp_path / "advice.html", tmp_path / "advice.svg"
    said = succeeded("advise", games, "--out", out, "--report", report, "--chart", picture, "--top", 2)
    assert f"--system {out}" in said
    assert "Which system suits games.csv" in report.read_text()
    assert "<svg" in picture.read_text()
    told = said_json("advise", games)
    assert told["kind"] == "advice"
    assert told["recommended"]["system"] == (load_system(out).preset or load_system(out).name)
    assert [one["standing"] for one in told["candidates"]].count("best") == 1


def test_what_it_refuses(games: Path, tmp_path: Path) -> None:
    assert "must end in .toml" in failed(2, "advise", games, "--out", tmp_path / "best.json")
    assert "must end in .html" in failed(2, "advise", games, "--report", tmp_path / "page.txt")
