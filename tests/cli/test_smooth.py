"""`podium smooth`: tables, pictures, JSON, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from cli.command import failed, said_json, succeeded
from podium import EloMMR, read_history, smooth


def test_it_says_what_python_says(results: Path, tmp_path: Path) -> None:
    said = succeeded("smooth", results, "--out", "all.csv", "--top", 3, cwd=tmp_path)
    assert said.startswith("elo-mmr: 320 rows\n")
    assert max(map(len, said.splitlines())) <= 80
    assert said.splitlines()[-1] == "wrote all.csv"
    frame = smooth(read_history(results), EloMMR()).frame
    written = pl.read_csv(tmp_path / "all.csv")
    assert written.columns == frame.columns
    assert written["mu_smoothed"].to_list() == frame["mu_smoothed"].to_list()


def test_players_moments_rounds_and_pictures(results: Path, tmp_path: Path) -> None:
    options = ["smooth", results, "--set", "rho=0.5", "--rounds", 3]
    chosen = smooth(read_history(results), EloMMR(rho=0.5), rounds=3)
    said = said_json(*options, "--player", "player 3", "--chart", "skill.svg", cwd=tmp_path)
    assert [row["mu_smoothed"] for row in said["rows"]] == chosen.player("player 3")["mu_smoothed"].to_list()[
        :20
    ]
    assert said["rounds"] == 3
    assert "Skill of player 3" in (tmp_path / "skill.svg").read_text()
    said = said_json(*options, "--at", "2026-01-20", "--top", 2)
    then = chosen.at("2026-01-20").head(2).to_dicts()
    assert said["rows"] == [{"event": None, "time": None, **row} for row in then]
    assert "player 3 at" not in succeeded(*options, "--at", "2026-01-20", "--top", 0)


def test_nothing_but_names_is_cut(tmp_path: Path) -> None:
    rows = "".join(
        f"2026-01-{day:02d},a match with a long name {day},ann of anywhere,bob\n" for day in range(1, 5)
    )
    (tmp_path / "long.csv").write_text(f"time,event,winner,loser\n{rows}")
    one = succeeded("smooth", "long.csv", "--player", "ann of anywhere", cwd=tmp_path)
    assert "ann of" not in one
    both = succeeded("smooth", "long.csv", cwd=tmp_path)
    narrow = succeeded("smooth", "long.csv", cwd=tmp_path, columns=48)
    for said, columns in ((one, 80), (both, 80), (narrow, 48)):
        tables = [line for line in said.splitlines() if line.startswith(("┃", "│"))]
        assert max(map(len, tables)) <= columns
        assert "2026-01-03" in said
        assert "± smoothed" in said
    assert narrow.count("┃ event") > 1


@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (["--system", "elo"], 1, "elo cannot be smoothed"),
        (["--player", "plaier 3"], 1, "did you mean 'player 3'"),
        (["--chart", "skill.png"], 2, "name them with --player"),
        (["--player", "player 3", "--at", "2026-01-20"], 2, "--at lists all players at one time"),
        (["--at", "yesterday"], 1, "is not a time"),
        (["--rounds", 0], 2, "--rounds"),
        (["--out", "all.png"], 2, "cannot write"),
    ],
)
def test_refusals(options: list[object], status: int, why: str, results: Path, tmp_path: Path) -> None:
    assert why in failed(status, "smooth", results, *options, cwd=tmp_path)
    assert not list(tmp_path.iterdir())
