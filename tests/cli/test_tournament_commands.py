"""`podium tournament`: a small cup from the first command to the last, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import PATIENCE, failed, succeeded
from podium.files.locks import file_lock


def test_a_cup_from_start_to_end(tmp_path: Path) -> None:
    file = str(tmp_path / "cup.jsonl")
    assert succeeded("tournament", "new", file, "--format", "knockout").startswith("cup: knockout.")
    assert "4 entrants" in succeeded("tournament", "join", file, "ann", "bob", "cat", "dan")
    assert "ann – dan" in succeeded("tournament", "pair", file)
    assert "1 match without a result" in succeeded("tournament", "result", file, "dan", "3:1")
    kept = Path(file).read_bytes()
    assert "round 1 has no result yet for bob – cat" in failed(1, "tournament", "pair", file)
    assert "the result is already 1:3" in failed(1, "tournament", "result", file, "1", "3:1")
    assert "did you mean 'dan'" in failed(1, "tournament", "leave", file, "dann")
    assert Path(file).read_bytes() == kept
    succeeded("tournament", "result", file, "2", "0:2")
    said = json.loads(succeeded("tournament", "pair", file, "--json"))
    assert [game["sides"] for game in said["rounds"][1]["games"]] == [[["dan"], ["cat"]]]
    succeeded("tournament", "result", file, "cat", "5:4")
    assert "knockout: finished" in succeeded("tournament", "standings", file)
    chances = json.loads(succeeded("tournament", "chances", file, "--json"))
    assert chances["entrants"][0] == {"player": "cat", "places": [1.0, 0.0, 0.0, 0.0]}
    assert "taken back: round 2, match 1 " in succeeded("tournament", "undo", file)
    assert "dan – cat\n" in succeeded("tournament", "rounds", file)


def test_files_that_are_no_tournament(tmp_path: Path) -> None:
    file = tmp_path / "cup.jsonl"
    assert "create it with podium tournament new" in failed(1, "tournament", "pair", str(file))
    file.write_text("player,rank\n")
    assert "line 1 is not a JSON object" in failed(1, "tournament", "pair", str(file))
    assert "exists already" in failed(1, "tournament", "new", str(file))
    assert "unknown tournament format 'league'" in failed(
        2, "tournament", "new", str(tmp_path / "new.jsonl"), "--format", "league"
    )
    assert not (tmp_path / "new.jsonl").exists()


def test_commands_that_change_one_file_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "cup.jsonl"
    succeeded("tournament", "new", str(file), "--format", "evening")
    names = [f"player {number}" for number in range(6)]
    commands = [
        subprocess.Popen([sys.executable, "-m", "podium", "tournament", "join", str(file), name])
        for name in names
    ]
    assert [command.wait(PATIENCE) for command in commands] == [0] * len(names)
    said = json.loads(succeeded("tournament", "rounds", str(file), "--json"))
    assert sorted(entrant["player"] for entrant in said["entrants"]) == names
    assert [path.name for path in tmp_path.iterdir()] == ["cup.jsonl"]


def test_a_file_that_another_command_keeps_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cup.jsonl"
    succeeded("tournament", "new", str(file))
    monkeypatch.setattr("podium.cli.tournament_commands.WAIT_SECONDS", 0.05)
    with file_lock(tmp_path / "cup.jsonl.lock", AssertionError("it is free")):
        assert "another command is changing it" in failed(1, "tournament", "join", str(file), "ann")
    assert "1 entrant" in succeeded("tournament", "join", str(file), "ann")
    assert "cup has ended" in succeeded("tournament", "close", str(file))
    assert "has ended" in failed(1, "tournament", "pair", str(file))


def test_pairings_and_standings_are_explained(tmp_path: Path) -> None:
    file = str(tmp_path / "cup.jsonl")
    succeeded("tournament", "new", file, "--format", "swiss:2")
    succeeded("tournament", "join", file, "ann", "bob", "cat", "dan")
    succeeded("tournament", "pair", file)
    succeeded("tournament", "result", file, "ann", "2:1")
    succeeded("tournament", "result", file, "bob", "2:1")
    succeeded("tournament", "pair", file)
    assert "both have 0 points" in succeeded("tournament", "explain", file, "1", "--round", "1")
    assert "Points 1 = 1 against cat" in succeeded("tournament", "explain", file, "ann", "--standing")
