"""The same results, rated without naming a system, have the same numbers at every door."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import podium
from cli.command import said_json, succeeded
from server.callers import Caller
from server.test_imports import imported

MATCHES = "winner,loser\nann,bob\ncat,ann\nbob,dan\n"
RACES = "event,player,rank\n" + "".join(
    f"heat {heat},{name},{1 + (heat + place) % 4}\n"
    for heat in range(3)
    for place, name in enumerate(["ann", "bob", "cat", "dan"])
)
MIXED = "event,team,player,rank\n" + "".join(
    [
        f"round {event},{name}{event},{name},{1 + place}\n"
        for event in (1, 2)
        for place, name in enumerate("abcdef")
    ]
    + [
        f"relay,{team},{name},{1 + (team == 'y')}\n"
        for team, names in (("x", "abc"), ("y", "def"))
        for name in names
    ]
)
Numbers = dict[str, tuple[float, float, float]]


def numbers(rows: Iterable[dict[str, Any]]) -> Numbers:
    return {row["player"]: (row["mu"], row["sigma"], row["display"]) for row in rows}


def served(caller: Caller, ladder: str) -> Numbers:
    return numbers(caller.get("leaderboard", ladder=ladder, everybody=True)["ratings"])


@pytest.mark.parametrize(
    ("preset", "text"),
    [("matches", MATCHES), ("races", RACES), ("races", MIXED)],
    ids=["two", "many", "mixed"],
)
def test_every_door_has_the_same_numbers(caller: Caller, tmp_path: Path, preset: str, text: str) -> None:
    path = tmp_path / "season.csv"
    path.write_text(text)
    run = podium.rate(path)
    assert repr(run).startswith(f"<Run: {preset}, ")
    wanted = numbers(run.ratings.iter_rows(named=True))

    told = said_json("rate", path)
    assert told["system"] == preset
    assert numbers(told["ratings"]) == wanted

    assert f"season: {preset}, " in succeeded("site", path, "--out", tmp_path / "site")
    table = next((tmp_path / "site").rglob("ratings.parquet"))
    assert numbers(pl.read_parquet(table).iter_rows(named=True)) == wanted

    assert caller.create("named", preset)["system"] == preset
    assert imported(caller, text, ladder="named")["result"]["warnings"] == []
    assert served(caller, "named") == wanted


@pytest.mark.parametrize("text", [MATCHES, RACES], ids=["two", "many"])
def test_a_ladder_made_before_its_results(caller: Caller, tmp_path: Path, text: str) -> None:
    """The same in Python and over HTTP; an import says if podium would have chosen another preset."""
    path = tmp_path / "season.csv"
    path.write_text(text)
    ladder = podium.Ladder()
    ladder.update(path)
    made = caller.client.post("/api/v1/ladders", json={"slug": "unnamed"})
    assert made.json()["system"] == "matches" == ladder.system.label
    warnings = imported(caller, text, ladder="unnamed")["result"]["warnings"]
    assert served(caller, "unnamed") == numbers(ladder.ratings().iter_rows(named=True))
    assert ["such a file by races" in one for one in warnings] == ([True] if text is RACES else [])


def test_a_preset_and_its_system_are_two_ladders(caller: Caller) -> None:
    assert caller.create("one", "contests")["system"] == "contests"
    assert caller.create("two", "elo-mmr")["system"] == "elo-mmr"
    assert caller.client.post("/api/v1/ladders", json={"slug": "one", "system": "elo-mmr"}).status_code == 409
