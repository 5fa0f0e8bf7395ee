"""The same results, rated without naming a system, have the same numbers at every door."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import podium
from cli.command import podium_here, said_json, succeeded
from podium.presets import choose_preset
from podium.server.jobs.adopted_systems import adopt_preset
from podium.server.jobs.imported_pieces import save_ladder, store_imported
from podium.server.jobs.job_leases import settle_death
from server.callers import Caller
from server.test_imports import imported, job, jobs_done, ordered, run_jobs

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


class KilledError(BaseException):
    """The end of a process that does a job."""


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


@pytest.mark.parametrize("text", [MATCHES, RACES, MIXED], ids=["two", "many", "mixed"])
def test_the_first_file_chooses_the_system(any_caller: Caller, tmp_path: Path, text: str) -> None:
    """A ladder made without naming a system has the numbers of `podium.rate`, and says what it took."""
    path = tmp_path / "season.csv"
    path.write_text(text)
    run = podium.rate(path)
    made = unnamed(any_caller)
    assert made["system"] == "matches"
    assert made["system_note"] == "No system was given. Without results podium chooses matches"
    assert served(any_caller, "unnamed") == {}  # the worker has it in memory, with this system
    result = imported(any_caller, text, ladder="unnamed")["result"]
    assert served(any_caller, "unnamed") == numbers(run.ratings.iter_rows(named=True))
    there = any_caller.get("", ladder="unnamed")
    assert there["system"] == run.ladder.system.label
    choice = choose_preset([podium.read_history(path)])
    why = f"No system was given. For the first imported events podium chose {choice.sentence}"
    assert there["system_note"] == why
    assert (result["warnings"], result["notes"][-1]) == ([], why)
    assert unnamed(any_caller, 200) == there
    any_caller.verified("unnamed")


def test_imported_ratings_choose_no_system(any_caller: Caller, tmp_path: Path) -> None:
    """They hold no events. The first file that does chooses, and both count as if they came at once."""
    ratings = "player,rating,games,date\nann,1800,40,2024-01-01\neve,1600,9,2024-01-01\n"
    paths = tmp_path / "old.csv", tmp_path / "season.csv"
    dated = RACES.replace("event,", "time,event,").replace("heat", "2026-01-01,heat")
    for path, text in zip(paths, (ratings, dated), strict=True):
        path.write_text(text)
    unnamed(any_caller)
    notes = imported(any_caller, ratings, ladder="unnamed")["result"]["notes"]
    assert not [one for one in notes if "No system" in one]
    assert any_caller.get("", ladder="unnamed")["system_note"].endswith(
        "Without results podium chooses matches"
    )
    result = imported(any_caller, dated, ladder="unnamed")["result"]
    there, told = (
        any_caller.get("", ladder="unnamed"),
        json.loads(podium_here("rate", *paths, "--json").stdout),
    )
    assert there["system"] == told["system"] == "races"
    assert result["notes"][-1] == there["system_note"]
    assert served(any_caller, "unnamed") == numbers(told["ratings"])
    any_caller.verified("unnamed")


@pytest.mark.parametrize("when", [adopt_preset, store_imported, save_ladder])
def test_an_import_that_is_killed_chooses_once(
    any_caller: Caller, tmp_path: Path, when: Callable[..., Any]
) -> None:
    """It is killed after each step in turn, and run again from its start."""
    path = tmp_path / "season.csv"
    path.write_text(RACES)
    unnamed(any_caller)
    number = ordered(any_caller, RACES, ladder="unnamed")
    service = any_caller.service

    def write(function: Callable[..., Any], *args: Any) -> Any:
        answer = function(service, *args)
        if when in args:
            raise KilledError
        return answer

    with pytest.raises(KilledError):
        run_jobs(any_caller, write)
    settle_death(service.database, "here/1", "its process was ended by SIGKILL", is_of_job=False)
    generation = any_caller.get("", ladder="unnamed")["generation"]
    run_jobs(any_caller)
    there, done = any_caller.get("", ladder="unnamed"), job(any_caller, number)
    assert (there["system"], there["generation"]) == ("races", generation)
    assert done["result"]["notes"][-1] == there["system_note"]
    assert served(any_caller, "unnamed") == numbers(podium.rate(path).ratings.iter_rows(named=True))
    any_caller.verified("unnamed")


def test_a_report_that_comes_first_decides(caller: Caller) -> None:
    """What is rated already is not rated otherwise because of a file."""
    unnamed(caller)
    caller.report({"ranks": {"ann": 1, "bob": 2}}, ladder="unnamed")
    result = imported(caller, RACES, ladder="unnamed")["result"]
    assert caller.get("", ladder="unnamed")["system"] == "matches"
    assert not [one for one in result["notes"] if "system" in one]


def test_a_system_that_is_chosen_before_the_first_file_stays(caller: Caller) -> None:
    """Also the one that the ladder has: its admin has named it now."""
    unnamed(caller)
    answer = caller.ask("system", {"system": "matches"}, ladder="unnamed")
    assert answer.status_code == 202, answer.text
    run_jobs(caller)
    assert caller.get("", ladder="unnamed")["system_note"] is None
    imported(caller, RACES, ladder="unnamed")
    assert caller.get("", ladder="unnamed")["system"] == "matches"


def test_a_client_names_a_system_only_if_it_is_given_one(caller: Caller, tmp_path: Path) -> None:
    path = tmp_path / "season.csv"
    path.write_text(RACES)
    with jobs_done(caller), podium.Client("http://127.0.0.1", ladder="club", http=caller.client) as club:
        assert club.create_ladder("named", "matches").system_note is None
        made = club.create_ladder("club")
        assert made.system_note is not None
        assert club.system.label == made.system == "matches"
        club.import_file(path)
        assert club.system.label == club.ladder().system == "races"


@pytest.mark.parametrize("text", [MATCHES, RACES], ids=["two", "many"])
@pytest.mark.parametrize("is_named_later", [False, True], ids=["at once", "later"])
def test_a_system_that_was_named_stays(
    caller: Caller, tmp_path: Path, text: str, is_named_later: bool
) -> None:
    path = tmp_path / "season.csv"
    path.write_text(text)
    if is_named_later:
        unnamed(caller)
    made = unnamed(caller, 200 if is_named_later else 201, system="matches")
    assert made["system_note"] is None
    warnings = imported(caller, text, ladder="unnamed")["result"]["warnings"]
    assert caller.get("", ladder="unnamed")["system"] == "matches"
    run = podium.rate(path, "matches")
    assert served(caller, "unnamed") == numbers(run.ratings.iter_rows(named=True))
    assert ["would choose races" in one for one in warnings] == ([True] if text is RACES else [])


def unnamed(caller: Caller, status: int = 201, **settings: Any) -> dict[str, Any]:
    made = caller.client.post("/api/v1/ladders", json={"slug": "unnamed", **settings})
    assert made.status_code == status, made.text
    return made.json()


def test_a_preset_and_its_system_are_two_ladders(caller: Caller) -> None:
    assert caller.create("one", "contests")["system"] == "contests"
    assert caller.create("two", "elo-mmr")["system"] == "elo-mmr"
    assert caller.client.post("/api/v1/ladders", json={"slug": "one", "system": "elo-mmr"}).status_code == 409
