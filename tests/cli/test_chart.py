"""`podium chart`: the ratings of chosen players, drawn."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from cli.command import failed, said_json, succeeded
from podium import Elo, Glicko, Ladder, rate, read_history


def drawn(path: Path) -> str:
    """The words in a picture."""
    return " ".join(ElementTree.parse(path).getroot().itertext())


def test_chosen_players(results: Path, tmp_path: Path) -> None:
    path = tmp_path / "two.svg"
    said = succeeded("chart", results, "player 3", "player 1", "--system", "glicko", "--out", path)
    assert said == f"glicko: player 3, player 1\nwrote {path}\n"
    words = drawn(path)
    assert "line: rating after each event · band: mu ± 2σ" in words
    assert words.index("player 3") < words.index("player 1")


def test_the_best_five_if_nobody_is_named(results: Path, tmp_path: Path) -> None:
    best = rate(read_history(results), Elo()).leaderboard(top=5, min_events=12)["player"].to_list()
    said = succeeded("chart", results, "--system", "elo", "--min-events", 12, "--out", tmp_path / "best.svg")
    assert said.startswith(f"elo: {', '.join(best)}\n")
    assert "± 2σ" not in drawn(tmp_path / "best.svg")  # elo has no sigma
    nobody = failed(1, "chart", results, "--min-events", 100, "--out", tmp_path / "none.svg")
    assert nobody.startswith("podium: No player has 100 rated events\n")


def test_json_holds_the_trace(results: Path) -> None:
    said = said_json("chart", results, "player 3", "--system", "glicko")
    trace = rate(read_history(results), Glicko(), trace=True).trace.filter(pl.col("player") == "player 3")
    assert [player["player"] for player in said["players"]] == ["player 3"]
    events = said["players"][0]["events"]
    for name in ("event", "rank", "performance", "mu", "sigma", "display"):
        assert [event[name] for event in events] == trace[name].to_list()
    assert re.fullmatch(r"2026-\d\d-\d\d", events[0]["time"])
    later = said_json("chart", results, "player 3", "--system", "glicko", "--since", events[2]["time"])
    assert later["players"][0]["events"] == events[2:]


def test_a_player_who_was_renamed(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text(
        "event,player,rank,adjustment,into\n1,ann,1,,\n1,bob,2,,\n,ann,,rename,anna\n2,anna,1,,\n2,bob,2,,\n"
    )
    said = said_json("chart", "games.csv", "anna", cwd=tmp_path)
    assert [event["event"] for event in said["players"][0]["events"]] == ["1", "2"]


def test_refusals(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "chart.svg"
    asked = ("chart", results, "--out", path)
    assert "choose a picture file, for example --out" in " ".join(failed(2, "chart", results).split())
    assert "cannot write a picture as .gif" in failed(2, "chart", results, "--out", tmp_path / "chart.gif")
    assert "'nobody' is in no event" in failed(1, *asked, "nobody")
    assert "at most 7 players" in failed(2, *asked, *(f"player {n}" for n in range(8)))
    assert "'soon' is not a time" in failed(2, *asked, "--since", "soon")
    assert "there is no event since 2030-01-01" in failed(1, *asked, "--since", "2030-01-01")
    Ladder().save(tmp_path / "league.podium")
    assert "holds no events" in failed(2, "chart", tmp_path / "league.podium", "--out", path)
    monkeypatch.setitem(sys.modules, "altair", None)
    assert "pip install 'podium[charts]'" in failed(2, *asked)
    assert not path.exists()
