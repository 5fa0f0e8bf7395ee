"""Files imported and ladders exported: what is recorded, what is refused, and that nothing is lost."""

from __future__ import annotations

import csv
import doctest
import gzip
import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from random import Random
from threading import Event as Flag
from threading import Thread
from typing import Any
from unittest.mock import patch
from zipfile import ZIP_DEFLATED, ZipFile

import polars as pl
import pytest
from sqlalchemy import select, update

from podium import Client, Ladder
from podium.errors import InputError
from podium.server.http import arriving_files
from podium.server.http.arriving_files import NOT_ARRIVED, STOPPED, stop_arrival
from podium.server.jobs import import_runs
from podium.server.jobs.imported_pieces import save_ladder, store_imported, store_in_turn
from podium.server.jobs.job_process import JobRunner
from podium.server.storage import tables
from podium.server.storage.backups import back_up, restore
from server.callers import Caller, Plain, called_service, problem
from server.recorded import emptied
from tables.sheet_bytes import xlsx

FILE = {"Content-Type": "application/octet-stream"}
RESULTS = ("1-0", "0-1", "1/2-1/2")


def season(matches: int, *, first_day: int = 1) -> str:
    """A file of matches with times, draws, the side at home, and names of tournaments."""
    lines = ["white,black,result,date,event"]
    for n in range(matches):
        day = f"2026-{1 + n // 600:02}-{first_day + n // 30 % 20:02}"
        lines.append(f"p{n % 17},q{n % 13},{RESULTS[n * 7 % 3]},{day},cup {n % 4}")
    return "\n".join(lines) + "\n"


CONTESTS = """event,time,player,score,weight
round 1,2026-01-01,ann,30,1
round 1,2026-01-01,bob,20,1
round 1,2026-01-01,cat,10,1
round 2,2026-01-02,bob,30,0.5
round 2,2026-01-02,dan,20,0.5
round 2,2026-01-02,ann,20,0.5
"""
TEAMS = """event,time,team,player,rank
1,2026-01-01,red,ann,1
1,2026-01-01,blue,cat,2
1,2026-01-01,red,bob,1
1,2026-01-01,blue,dan,2
2,2026-01-02,red,ann,2
2,2026-01-02,blue,bob,1
"""


def ordered(caller: Caller, content: str | bytes, *, ladder: str = "chess", **asked: Any) -> int:
    """The number of the job that imports a file."""
    raw = content if isinstance(content, bytes) else content.encode()
    asked = {"name": "season.csv", **asked}
    answer = caller.client.post(f"/api/v1/ladders/{ladder}/imports", content=raw, params=asked, headers=FILE)
    assert answer.status_code == 202, answer.text
    return int(answer.json()["number"])


def run_jobs(caller: Caller, write: Callable[..., Any] | None = None) -> None:
    """Do what was ordered, in this process."""
    service = caller.service
    direct = write or (lambda function, *args: function(service, *args))
    runner = JobRunner(service.database, direct, "here")
    while runner.run_next():
        pass


def job(caller: Caller, number: int) -> Plain:
    """A job as the service tells it."""
    answer = caller.client.get(f"/api/v1/jobs/{number}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def imported(caller: Caller, content: str | bytes, **asked: Any) -> Plain:
    """The job of a file that was imported."""
    number = ordered(caller, content, **asked)
    run_jobs(caller)
    found = job(caller, number)
    assert found["status"] == "done", found
    return found


def failed(caller: Caller, content: str | bytes, **asked: Any) -> str:
    """Why a file was not imported."""
    number = ordered(caller, content, **asked)
    run_jobs(caller)
    found = job(caller, number)
    assert found["status"] == "failed", found
    return str(found["reason"])


def ratings(caller: Caller, ladder: str = "chess") -> dict[str, tuple[float, float | None, int]]:
    """Everybody's rating."""
    board = caller.get("leaderboard", ladder=ladder, everybody=True, limit=1000)
    return {one["player"]: (one["mu"], one["sigma"], one["events"]) for one in board["ratings"]}


def rated(system: str, path: Path, *files: str) -> dict[str, tuple[float, float | None, int]]:
    """What an ordinary ladder makes of the same files."""
    ladder = Ladder(system)
    for text in files:
        path.write_text(text)
        ladder.update(path)
    rows = ladder.ratings().iter_rows(named=True)
    return {row["player"]: (row["mu"], row["sigma"], row["events"]) for row in rows}


@pytest.mark.parametrize(
    ("system", "text"),
    [("glicko2", season(700)), ("elo-mmr", CONTESTS), ("weng-lin", TEAMS)],
    ids=["matches", "contests", "teams"],
)
def test_a_file_is_rated_as_an_ordinary_ladder_rates_it(
    any_caller: Caller, tmp_path: Path, system: str, text: str
) -> None:
    any_caller.create("new", system)
    found = imported(any_caller, text, ladder="new")
    assert ratings(any_caller, "new") == rated(system, tmp_path / "season.csv", text)
    assert found["done"] == found["total"] == found["result"]["entries"]
    assert any_caller.verified("new")["checkpoints"] == 1


def test_imported_events_are_as_if_reported(caller: Caller) -> None:
    """Whoever reports one of them with its key, in other words, is told that it is known."""
    imported(caller, season(3))
    entries = caller.log()
    assert [entry["reported_time"] for entry in entries] == ["2026-01-01"] * 3
    for entry in entries:
        event = entry["event"]
        again = {
            "key": entry["key"],
            "scores": {side["players"][0]: side["score"] for side in reversed(event["sides"])},
            "time": event["time"],
            "home": event["home"],
        }
        if event["name"] is not None:
            again["name"] = event["name"]
        assert caller.report(again)["status"] == "known"


def test_a_file_counts_once_unless_that_is_allowed(caller: Caller) -> None:
    imported(caller, season(40))
    assert "already been imported" in failed(caller, season(40))
    assert caller.get("")["head"] == 40
    imported(caller, season(40), allow_repeat=True)
    assert caller.get("")["head"] == 80
    caller.verified()
    caller.create("rounds", "elo-mmr")
    imported(caller, CONTESTS, ladder="rounds")
    longer = CONTESTS + "round 3,2026-01-03,ann,1,1\nround 3,2026-01-03,bob,2,1\n"
    assert "'round 1' of 2026-01-01 is already rated" in failed(caller, longer, ladder="rounds")


def club_sheet(matches: int) -> str:
    """Matches without names, three on a day."""
    pairs = [(a, b) for a in "abcd" for b in "efgh"]
    lines = [f"2026-01-{1 + n // 3:02},{','.join(pairs[n * 5 % 16])},{n % 3},1" for n in range(matches)]
    return "\n".join(["date,player a,player b,score a,score b", *lines]) + "\n"


def test_a_sheet_that_has_grown_is_not_recorded_twice(any_caller: Caller) -> None:
    """All its matches counted again, and the warning told only of their times."""
    imported(any_caller, club_sheet(30))
    for asked in ({}, {"dry_run": True}):
        reason = failed(any_caller, club_sheet(40), **asked)
        assert "30 of 30 events up to the ladder's last one are recorded already" in reason
        assert "allow_repeat=true" in reason
    assert any_caller.get("")["head"] == 30
    new = club_sheet(40).splitlines(keepends=True)
    assert imported(any_caller, new[0] + "".join(new[31:]))["result"]["warnings"] == []
    imported(any_caller, club_sheet(40), allow_repeat=True)
    assert any_caller.get("")["head"] == 80


def test_a_few_matches_may_be_alike(any_caller: Caller) -> None:
    """Two players met again on the same day with the same result, and the second file has that match."""
    imported(any_caller, club_sheet(9))
    header, *lines = club_sheet(9).splitlines(keepends=True)
    (warning,) = imported(any_caller, header + lines[8] + "2026-01-05,a,b,1,0\n")["result"]["warnings"]
    assert warning.startswith("1 event of the file had been recorded before")


def test_a_sheet_without_dates_that_has_grown_is_warned_of(any_caller: Caller) -> None:
    """All its matches counted again in silence: dated ones alone were noticed."""
    undated = ["".join(line.partition(",")[2:]) for line in club_sheet(13).splitlines(keepends=True)]
    assert imported(any_caller, "".join(undated[:10]))["result"]["warnings"] == []
    for asked in ({"dry_run": True}, {}):
        (warning,) = imported(any_caller, "".join(undated), **asked)["result"]["warnings"]
        assert warning.startswith("9 events of the file without a time had been recorded")
        assert "podium counts them as new" in warning
    assert any_caller.get("")["head"] == 22
    fresh = undated[0] + "kim,lea,1,0\n"
    assert imported(any_caller, fresh)["result"]["warnings"] == []


def test_a_file_that_was_taken_back_may_be_imported_again(any_caller: Caller) -> None:
    imported(any_caller, club_sheet(6))
    for number in range(1, 7):
        any_caller.report({"void": number})
    longer = imported(any_caller, club_sheet(7))["result"]
    assert not any("recorded before" in warning for warning in longer["warnings"])


@pytest.mark.parametrize(
    ("text", "asked", "reason"),
    [
        ("winner,loser\nann,bob\nbob,\n", {}, "season.csv, line 3"),
        ("ann\nbob\n", {}, "season.csv"),
        ("winner,loser\nann,bob\nbob,cat\x07\n", {}, "cannot be shown"),
        ("winner,loser\nann,ann\n", {}, "season.csv, line 2"),
        ("", {}, "season.csv"),
        (TEAMS, {}, "teams"),
    ],
)
def test_what_cannot_be_read_or_rated_leaves_nothing(
    caller: Caller, text: str, asked: Plain, reason: str
) -> None:
    caller.create("new", "topcoder")
    said = failed(caller, text, ladder="new", **asked)
    assert reason in said
    assert "/tmp" not in said
    found = caller.get("", ladder="new")
    assert (found["head"], found["players"]) == (0, 0)


WIDE = """note,player,time,event,rank,play
"of two
lines",ann,2026-01-02,round 2,1,1
,bob,2026-01-02,round 2,2,1
,cat,2026-01-01,round 1,1,{play}
,{name},2026-01-01,round 1,2,{play}
"""
"""The first cell holds an end of a line, and the later event comes first."""
MIXED = """adjustment,player,into,mu,time,winner,loser
,,,,2026-01-02,ann,bob
{},2026-01-01,,
"""
AHEAD = [["winner", "loser", "time"], ["ann", "bob", "2026-01-01"], ["bob", "cat", "2931-01-01"]]
GAME = '[White "ann"]\n[Black "bob"]\n[Date "2931.01.01"]\n[Result "1-0"]\n\n1-0\n'
CONTEST = {"name": "may", "time_seconds": 1, "standings": [["ann", 0, 0], ["bob\x07", 1, 1]]}
PLACES: list[tuple[str, str | bytes, str]] = [
    ("a.csv", WIDE.format(name="cat\x07", play=1), "a.csv, line 6: a player's name contains chara"),
    ("a.csv", WIDE.format(name="x" * 301, play=1), "a.csv, line 6: a player's name has at most 300"),
    ("a.csv", WIDE.format(name="dan", play=1).replace("round 1", "\x07"), "a.csv, line 5: an event's name"),
    ("a.csv", WIDE.format(name="dan", play=0.5), "a.csv, line 5: topcoder cannot use players who"),
    ("a.csv", WIDE.format(name="dan", play=1).replace("-02", "-03"), "a.csv, line 2: the event 'round 2'"),
    ("a.csv", MIXED.format("rename,eve,ann,"), "a.csv, line 3: there is no player 'eve'"),
    ("a.csv", MIXED.format("set-rating,\x08,,1"), "a.csv, line 3: a player's name"),
    ("a.csv", "player,mu,time\nann,1,2026-01-01\nbob,2,2931-01-01\n", "a.csv, line 3: the time 2931-01-01"),
    ("a.tsv.gz", gzip.compress(b"winner\tloser\nann\tbob\n\nbob\tc\x07\n"), "a.tsv.gz, line 4: a player's"),
    (
        "a.ndjson",
        '{"winner": "a", "loser": "b"}\n\n{"winner": "a", "loser": "c\\u0007"}\n',
        "a.ndjson, line 3: a",
    ),
    ("a.xlsx", xlsx({"May": AHEAD}), "a.xlsx, sheet 'May', row 3: the time 2931-01-01"),
    ("a.pgn", f"{GAME}\n{GAME}".replace("2931", "2026", 1), "a.pgn, line 8: the time 2931-01-01"),
    ("a.json", json.dumps(CONTEST), "a.json, row 2: a player's name"),
]


def test_what_is_wrong_in_one_row_is_told_with_its_place_in_the_file(caller: Caller) -> None:
    caller.create("new", "topcoder")
    known = {"ranks": {"ann": 1, "bob": 2}, "name": "round 2", "time": "2026-01-03"}
    caller.report(known, ladder="new")
    told = [failed(caller, content, ladder="new", name=name) for name, content, _ in PLACES]
    assert [one[: len(said)] for one, (_, _, said) in zip(told, PLACES, strict=True)] == [
        said for *_, said in PLACES
    ]


def test_options_say_how_to_read(caller: Caller) -> None:
    text = "sieger;verlierer;am\nann;bob;03.04.2026\n;;\n"
    imported(
        caller,
        text,
        columns=json.dumps({"winner": "sieger", "loser": "verlierer", "time": "am"}),
        time_format="%d.%m.%Y",
        separator=";",
        on_bad_row="skip",
    )
    assert [entry["reported_time"] for entry in caller.log()] == ["2026-04-03"]


def test_a_name_that_means_nobody_is_left_out_and_named(caller: Caller) -> None:
    found = imported(caller, "winner,loser\nann,bob\nann,BYE\nbob,TBC\nTBC,ann\n")
    assert found["result"]["notes"] == [
        "TBC has results, so it counts as a player",
        "left out: BYE (1 match)",
    ]
    assert ratings(caller).keys() == {"ann", "bob", "TBC"}


def test_names_that_look_like_players_of_the_ladder_are_warned_of(caller: Caller) -> None:
    caller.report({"ranks": {"Anna Berg": 1, "Bob": 2}})
    (warning,) = imported(caller, "winner,loser\nanna berg,Bob\n")["result"]["warnings"]
    assert warning.startswith("'Anna Berg' of the ladder and 'anna berg' may be one player: ")
    assert imported(caller, "winner,loser\nanna berg,cat\n")["result"]["warnings"] == []  # it is there now


def test_events_before_the_last_one_are_rated_at_its_time(any_caller: Caller, tmp_path: Path) -> None:
    any_caller.report({"ranks": {"p1": 1, "p2": 2}, "time": "2026-01-05"})
    (warning,) = imported(any_caller, season(300))["result"]["warnings"]
    assert "already rated up to 2026-01-05" in warning
    assert "(120 events)" in warning
    times = [(entry["reported_time"], entry["rated_time"]) for entry in any_caller.log()]
    assert times[1] == ("2026-01-01", "2026-01-05")
    assert times[-1] == ("2026-01-10", "2026-01-10")
    any_caller.verified()


def test_adjustments_before_the_last_event_are_counted_in_the_warning(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}, "time": "2026-01-05"})
    reset = "time,adjustment,keep\n2025-08-01,reset,0.5\n"
    assert imported(caller, reset)["result"]["warnings"] == [
        "the ladder is already rated up to 2026-01-05. Earlier times in the file become that time "
        "(1 adjustment). To keep them, import older files first"
    ]
    entry = caller.get("events/2")
    assert (entry["reported_time"], entry["rated_time"]) == ("2025-08-01", "2026-01-05")
    mixed = "time,winner,loser,adjustment,keep\n2025-08-01,,,reset,0.5\n"
    mixed += "2025-09-01,ann,bob,,\n2026-02-01,ann,bob,,\n"
    (warning,) = imported(caller, mixed)["result"]["warnings"]
    assert "(1 event and 1 adjustment)" in warning


@pytest.mark.parametrize("when", [1, 4])
def test_reports_that_come_meanwhile_are_all_counted(any_caller: Caller, when: int) -> None:
    """They make a piece that was rated before them useless: it is rated again behind them."""
    reports, pieces = 0, 0
    service = any_caller.service

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal reports, pieces
        if store_imported in args or store_in_turn in args:
            pieces += 1
            if pieces in (when, when + 1, when + 3):
                reports += 1
                any_caller.report({"ranks": {"ann": 1, "p1": 2}, "key": f"r{reports}"})
        return function(service, *args)

    number = ordered(any_caller, season(300))
    with patch.multiple(import_runs, ROWS_PER_PIECE=100, ROWS_IN_TURN=60, HELD_SECONDS=0.05):
        run_jobs(any_caller, write)
    assert job(any_caller, number)["status"] == "done"
    keys = [entry["key"] for entry in any_caller.log()]
    assert reports > 1
    assert len(keys) == len(set(keys)) == 300 + reports
    assert [key for key in keys if key[0] == "i"] == sorted(key for key in keys if key[0] == "i")
    any_caller.verified()


def test_a_cancelled_import_leaves_a_log_that_can_be_continued(caller: Caller, tmp_path: Path) -> None:
    pieces = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        if store_imported in args:
            pieces += 1
            if pieces == 3:
                caller.client.delete(f"/api/v1/jobs/{number}")
        return function(caller.service, *args)

    number = ordered(caller, season(400))
    with patch.object(import_runs, "ROWS_PER_PIECE", 100):
        run_jobs(caller, write)
    assert job(caller, number)["status"] == "cancelled"
    assert caller.get("")["head"] == 100
    caller.verified()
    imported(caller, season(400))
    assert ratings(caller) == rated("elo", tmp_path / "season.csv", season(400))


def test_an_import_saves_the_ladder_on_its_way(caller: Caller) -> None:
    """After so many rows, and never with a piece that was refused because of a report."""
    saved: list[int] = []
    pieces = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        if store_imported in args:
            pieces += 1
            if pieces == 4:  # of the six; with it a ladder is due to be saved
                caller.report({"ranks": {"yan": 1, "zoe": 2}})
        if save_ladder in args:
            saved.append(args[-1][2].number)
        return function(caller.service, *args)

    ordered(caller, season(300))
    with patch.multiple(import_runs, ROWS_PER_PIECE=100, ROWS_PER_CHECKPOINT=200, ROWS_IN_TURN=100):
        run_jobs(caller, write)
    assert saved == [100, 201, 301]
    assert caller.get("")["head"] == 301
    caller.verified()


@pytest.mark.parametrize("meets", [False, True], ids=["alone", "with reports in between"])
def test_an_import_does_not_go_on_in_a_restored_log_of_the_same_length(
    any_caller: Caller, tmp_path: Path, meets: bool
) -> None:
    """Nor does it save there what it made of the entries that are lost."""
    caller, service, backup = any_caller, any_caller.service, tmp_path / "older.backup"
    pieces = 0

    def restored() -> None:
        """An older backup is restored, with the job still held as a dump has it; as many entries follow."""
        there = caller.get("")["head"]
        with service.database.writing() as connection:
            held = connection.execute(select(tables.job.c.holder)).scalar_one()
        emptied(service.database)
        restore(backup, service.database)
        with service.database.writing() as connection:
            values = {"status": "running", "holder": held, "held_until": 2**60}
            connection.execute(update(tables.job).values(values))
        new = range(there - caller.get("")["head"])
        caller.bulk([{"ranks": {"p1": 1, "q2": 2}, "key": f"new {n}"} for n in new])

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        is_piece = store_imported in args or store_in_turn in args
        pieces += is_piece
        if is_piece and pieces == 2:
            back_up(service.database, backup)
            if meets:
                caller.report({"ranks": {"yan": 1, "zoe": 2}})
        answer = function(service, *args)
        if is_piece and pieces == 4:
            restored()
        return answer

    number = ordered(caller, season(400))
    sizes = {"ROWS_PER_PIECE": 100, "ROWS_IN_TURN": 100, "ROWS_PER_CHECKPOINT": 200}
    with patch.multiple(import_runs, **sizes):
        run_jobs(caller, write)
    assert job(caller, number)["status"] == "done"
    keys = [entry["key"] for entry in caller.log()]
    assert len([key for key in keys if key[:3] == "new"]) > 50
    assert len([key for key in keys if key[:3] == "imp"]) == 400
    assert pieces > 8
    caller.verified()
    served = ratings(caller)
    service.ladders.drop("chess")
    assert ratings(caller) == served


RENAMES = """event,time,player,rank,adjustment,into
1,2026-01-02,ann,1,,
1,2026-01-02,bob,2,,
,2026-01-03,ann,,rename,anna
2,2026-01-04,anna,1,,
2,2026-01-04,bob,2,,
,2026-01-05,bob,,rename,ann
3,2026-01-06,ann,1,,
3,2026-01-06,anna,2,,
"""


@pytest.mark.parametrize("meets", [False, True], ids=["alone", "with reports in between"])
def test_an_import_renames_players_whom_the_ladder_has(caller: Caller, tmp_path: Path, meets: bool) -> None:
    """A name that was given up is taken by another. A report makes every second piece useless."""
    before = "event,time,player,rank\n0,2026-01-01,ann,2\n0,2026-01-01,bob,1\n"
    caller.report({"ranks": {"bob": 1, "ann": 2}, "time": "2026-01-01"})
    pieces = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        if store_imported in args:
            pieces += 1
            if meets and pieces % 2:
                caller.report({"ranks": {"yan": 1, "zoe": 2}})
        return function(caller.service, *args)

    number = ordered(caller, RENAMES)
    with patch.object(import_runs, "HELD_SECONDS", 0.05):
        run_jobs(caller, write)
    assert job(caller, number)["status"] == "done"
    assert pieces == (10 if meets else 5)
    found, right = ratings(caller), rated("elo", tmp_path / "season.csv", before, RENAMES)
    assert right.keys() == {"ann", "anna"}
    assert {player: found.pop(player) for player in right} == right
    assert found.keys() == ({"yan", "zoe"} if meets else set())
    caller.verified()


@contextmanager
def jobs_done(caller: Caller) -> Iterator[None]:
    """A thread that does what is ordered, for the time of the block."""
    over = Flag()

    def work() -> None:
        while not over.wait(0.05):
            run_jobs(caller)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_client_imports_and_exports(caller: Caller, tmp_path: Path) -> None:
    file, other = tmp_path / "season.csv", tmp_path / "bad.csv"
    file.write_text("sieger,loser\nann,bob\nbob,cat\n")
    other.write_text("winner,loser\nann,\n")
    caller.create("copy")
    told: list[int] = []
    with (
        jobs_done(caller),
        Client("http://127.0.0.1", ladder="chess", http=caller.client) as chess,
        Client("http://127.0.0.1", ladder="copy", http=caller.client) as copy,
    ):
        columns = {"winner": "sieger"}
        done = chess.import_file(file, columns=columns, progress=lambda done, total: told.append(done))
        assert (done["status"], told[-1], done["done"]) == ("done", 2, 2)
        with pytest.raises(InputError, match=r"bad\.csv, line 2"):
            chess.import_file(other)
        copy.import_file(chess.export(tmp_path / "chess.zip", format="csv"))
        assert copy.ratings().equals(chess.ratings())
        assert [job["status"] for job in chess.jobs()] == ["done", "failed", "done"]
        waiting = chess.import_file(file, columns=columns, wait=False)
        assert chess.cancel_job(waiting["number"])["number"] == chess.job(waiting["number"])["number"]
        with pytest.raises(InputError, match="no file"):
            chess.import_file(tmp_path / "nothing.csv")


def test_ratings_age_from_their_date_though_the_ladder_is_further(caller: Caller) -> None:
    """They are set now, and are as sure as they were then: as if the player had last played on that day."""
    caller.create("club", "glicko2")
    caller.report({"ranks": {"bob": 1, "cat": 2}, "time": "2026-05-01"}, ladder="club")
    listed = "name,elo,RD,games,last played\nann,1850,60,120,2024-01-01\n"
    imported(caller, listed, ladder="club", name="club.csv")
    assert ratings(caller, "club")["ann"] == (1850, 60, 120)
    ann = caller.get("rating", ladder="club", player="ann", at="2026-05-02")
    assert ann["last_time"] == "2024-01-01"
    periods = 0.05 * (date(2026, 5, 2) - date(2024, 1, 1)).days  # of Glicko-2
    assert ann["sigma"] == pytest.approx(math.sqrt(60**2 + periods * (0.06 * 400 / math.log(10)) ** 2))
    caller.verified()


PAGE = Path(__file__).parents[2] / "docs" / "service-jobs.md"


def test_the_examples_of_the_page_run(
    sqlite_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    for _, argument, text in found:
        if file := re.search(r"name=(\S+)", argument):
            Path(file[1]).write_text(text)
    examples = "".join(text for kind, argument, text in found if kind == "python")
    with called_service(sqlite_address) as caller, jobs_done(caller):
        monkeypatch.setattr("podium.Client", partial(Client, http=caller.client))
        test = doctest.DocTestParser().get_doctest(examples, {}, PAGE.name, None, 0)
        runner = doctest.DocTestRunner()
        runner.run(test)
    assert (runner.failures, runner.tries > 8) == (0, True)


# ---------------------------------------------------------------------- exports


def exported(caller: Caller, ladder: str, form: str) -> bytes:
    """The file of an export."""
    answer = caller.client.post(f"/api/v1/ladders/{ladder}/exports", json={"format": form})
    assert answer.status_code == 202, answer.text
    run_jobs(caller)
    found = job(caller, answer.json()["number"])
    assert found["status"] == "done", found
    file = caller.client.get(found["output"])
    assert len(file.content) == int(file.headers["content-length"]) == found["result"]["bytes"]
    return bytes(file.content)


EVERYTHING = [
    {"ranks": {"ann": 1, "bob": 2, "cat": 2}, "time": "2026-05-01T10:00:00Z", "name": "round, 1"},
    {"scores": {"ann": 1.5, "bob": 2.25}, "disqualified": ["bob"], "key": 'a "key"', "weight": 0.5},
    {"teams": [["ann", "dan"], ["bob", "cat"]], "ranks": [2, 1], "play": {"dan": 0.25}, "unrated": ["cat"]},
    {"ranks": {"ann": 1, "eve": 2}, "home": "eve", "rated": False},
    {"ranks": {"ann": 1, "eve": 2}, "home": "eve", "ceiling": 40.0},
    {"adjustment": "rename", "player": "ann", "into": "Ännchen, die Große"},
    {"adjustment": "merge", "player": "eve", "into": "bob"},
    {"adjustment": "set-rating", "player": "dan", "mu": 31.5},
    {"adjustment": "reset", "keep": 0.5},
    {"ranks": {"bob": 1, "dan": 1}, "time": "2020-01-01", "key": "late"},
    {"ranks": {"bob": 1, "ann": 2}},
    {"adjustment": "set-rating", "player": "eve", "display": 30, "sigma": 2, "volatility": 0.05, "events": 7},
]


def test_an_export_holds_no_formulas_and_gives_every_text_back(caller: Caller) -> None:
    caller.create("old", "elo")
    for report in FORMULAS:
        caller.report(report, ladder="old")
    content = exported(caller, "old", "csv")
    with ZipFile(BytesIO(content)) as archive:
        texts = [
            archive.read(name).decode() for name in ("players.csv", "ratings.csv", "log.csv", "changes.csv")
        ]
    cells = [cell for text in texts for row in csv.reader(StringIO(text)) for cell in row]
    assert "'=1+1" in cells
    assert not [cell for cell in cells if cell[:1] in set("=+@-") and not is_number(cell)]
    imported(caller, content, ladder="chess", name="old.zip")
    assert [entry["event"] for entry in caller.log()] == [entry["event"] for entry in caller.log("old")]
    assert [entry["key"] for entry in caller.log()] == ["+key", "'-key"]
    assert ratings(caller) == ratings(caller, "old")


FORMULAS = [
    {"ranks": {"=1+1": 1, "'@x": 2}, "key": "+key", "name": "-final"},
    {"ranks": {"@SUM(1)": 1, "-5": 2}, "key": "'-key"},
]


def is_number(text: str) -> bool:
    """Whether a cell is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_an_export_imports_again_into_an_equal_ladder(any_caller: Caller, form: str) -> None:
    any_caller.create("old", "weng-lin", title="Old, but gold", min_events=2, private=True)
    for report in EVERYTHING:
        any_caller.report(report, ladder="old")
    content = exported(any_caller, "old", form)
    found = imported(any_caller, content, ladder="chess", name="old.zip")
    assert found["result"]["entries"] == len(EVERYTHING)
    assert any_caller.log("chess") != []
    old, new = any_caller.log("old"), any_caller.log("chess")
    for entry in old + new:
        del entry["generation"], entry["bookmark"]  # which is of another log
    assert new == old
    assert ratings(any_caller) == ratings(any_caller, "old")
    told = [any_caller.get("", ladder=ladder) for ladder in ("old", "chess")]
    for one in told:
        for key in ("slug", "generation", "created"):
            del one[key]
    assert told[0] == told[1]
    any_caller.verified()
    assert any_caller.report(EVERYTHING[9])["status"] == "known"
    assert "an empty ladder" in failed(any_caller, content, name="old.zip")


AMENDED = [
    {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01", "name": "one"},
    {"ranks": {"bob": 1, "cat": 2}, "time": "2026-05-03"},
    {"ranks": {"cat": 1, "ann": 2, "dan": 3}, "time": "2026-05-05"},
    {"void": 1},
    {"correct": 2, "ranks": {"bob": 2, "eve": 1}},
    {"ranks": {"dan": 1, "bob": 2}, "time": "2026-05-02", "late": True},
    {"disqualify": ["dan"], "event": 3},
    {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-06", "name": "one"},
    {"void": 4},
    {"void": 7},
]


def test_corrections_travel_too(any_caller: Caller) -> None:
    any_caller.create("old", "elo")
    for report in AMENDED:
        any_caller.report(report, ladder="old")
    check_travels(any_caller)
    tasks = [one["task"] for one in any_caller.client.get("/api/v1/jobs").json()["jobs"]]
    assert tasks == ["rerate", "import", "export"]


VOIDED_MERGE = [
    {"ranks": {"ann": 1, "bob": 2}, "time": "2026-01-01"},
    {"ranks": {"cat": 1, "dan": 2}, "time": "2026-01-02"},
    {"adjustment": "merge", "player": "bob", "into": "cat"},
    {"void": 3},
    {"ranks": {"ann": 1, "bob": 2}, "time": "2026-01-03"},
    {"adjustment": "set-rating", "player": "bob", "display": 1600},
    {"adjustment": "merge", "player": "bob", "into": "eve"},
    {"void": 7},
    {"ranks": {"bob": 1, "dan": 2}, "time": "2026-01-04"},
]


def test_an_account_whose_merge_is_void_travels_with_what_it_did_since(any_caller: Caller) -> None:
    any_caller.create("old", "elo")
    for report in VOIDED_MERGE:
        any_caller.report(report, ladder="old")
    check_travels(any_caller)


def check_travels(caller: Caller) -> None:
    """An export of the ladder `old` is imported into an equal one."""
    imported(caller, exported(caller, "old", "csv"), name="old.zip")
    assert ratings(caller) == ratings(caller, "old")
    old, new = caller.log("old"), caller.log("chess")
    for entry in old + new:
        del entry["generation"], entry["bookmark"]  # which is of another log
    assert new == old
    caller.verified()


def test_what_was_changed_in_an_export_is_refused(caller: Caller) -> None:
    caller.create("old", "elo")
    caller.bulk([{"ranks": {"ann": 1, "bob": 2}} for _ in range(3)], ladder="old")
    content = exported(caller, "old", "csv")

    def changed(name: str, old: str, new: str) -> bytes:
        made = BytesIO()
        with ZipFile(BytesIO(content)) as source, ZipFile(made, "w") as target:
            for one in source.namelist():
                text = source.read(one).decode()
                assert old in text or one != name
                target.writestr(one, text.replace(old, new) if one == name else text)
        return made.getvalue()

    damaged = failed(caller, changed("log.csv", "[1, 2]", "[2, 1]"), name="x.zip")
    assert damaged.startswith("x.zip: entry 1 of the log: ")
    assert "checksum" in damaged
    unshown = failed(caller, changed("players.csv", "bob", "b\x07b"), name="x.zip")
    assert unshown.startswith("x.zip: player 1: a player's name contains chara")
    assert "missing" in failed(caller, changed("log.csv", "\n2,", "\n7,"), name="x.zip")
    assert "same name" in failed(caller, changed("players.csv", "bob", "ann"), name="x.zip")
    assert "newer" in failed(caller, changed("ladder.json", '"format": 2', '"format": 9'), name="x.zip")
    assert "the format" in failed(caller, changed("ladder.json", '"ladder"', '"ladders"'), name="x.zip")
    assert "the format" in failed(caller, changed("log.csv", "payload", "load"), name="x.zip")
    assert caller.get("")["head"] == 0


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_damaged_export_is_refused_as_one(caller: Caller, form: str) -> None:
    """One byte is changed, in many places."""
    caller.create("old", "elo")
    caller.report({"ranks": {"ann": 1, "bob": 2}}, ladder="old")
    content, chance = exported(caller, "old", form), Random(7)
    for _ in range(60):
        damaged = bytearray(content)
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        number = ordered(caller, bytes(damaged), name="x.zip", dry_run=True)
        run_jobs(caller)
        reason = job(caller, number)["reason"]
        assert reason is None or "podium has failed" not in reason


@pytest.mark.parametrize("taken", [1, 5, 6, 10])
def test_an_import_whose_keys_are_taken_is_refused_whole(any_caller: Caller, taken: int) -> None:
    """It skipped what came before them in silence, or failed on the way."""
    content = "winner,loser\n" + "".join(f"ann,player {number}\n" for number in range(10))
    any_caller.create("other")
    imported(any_caller, content, ladder="other")
    keys = [entry["key"] for entry in any_caller.log("other")]
    any_caller.report({"key": keys[taken - 1], "ranks": {"bob": 1, "cat": 2}})
    if taken == 1:  # as if an import had begun
        assert imported(any_caller, content)["result"]["entries"] == 10
        return
    reason = failed(any_caller, content)
    assert "have idempotency keys of this file, but not those of its first entries" in reason
    assert any_caller.get("")["head"] == 1
    imported(any_caller, content, allow_repeat=True)
    assert any_caller.get("")["head"] == 11


def test_files_have_limits(sqlite_address: str) -> None:
    with called_service(sqlite_address, import_bytes=1000) as caller:
        caller.create("chess")
        check_limits(caller)


def test_jobs_of_a_ladder_that_wait_and_their_files_have_limits(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may report must not keep out the jobs of other ladders, nor fill the disk."""
    monkeypatch.setattr(arriving_files, "MOST_WAITING", 3)
    for number in range(3):
        ordered(any_caller, f"winner,loser\nann,player {number}\n", dry_run=True)
    imports = "/api/v1/ladders/{}/imports?name=a.csv"
    content = b"winner,loser\nann,bob\n"
    refused = any_caller.client.post(imports.format("chess"), content=content, headers=FILE)
    assert "3 jobs of this ladder are waiting" in problem(refused, 429, "too-many-requests")["detail"]
    assert refused.headers["Retry-After"] == "60"
    any_caller.create("other")
    ordered(any_caller, content, ladder="other")
    run_jobs(any_caller)
    monkeypatch.setattr(arriving_files, "PIECE_BYTES", any_caller.service.settings.import_bytes)
    monkeypatch.setattr(arriving_files, "MOST_FILES", 3)
    refused = any_caller.client.post(imports.format("chess"), content=content, headers=FILE)
    assert "files of this ladder's jobs" in problem(refused, 429, "too-many-requests")["detail"]
    assert any_caller.client.post(imports.format("other"), content=content, headers=FILE).status_code == 202


def test_what_a_small_file_holds_has_limits(sqlite_address: str) -> None:
    """Rows that compress to nothing, one endless line, workbooks, a Parquet file of equal cells."""
    rows = "winner,loser\n" + "ann,bob\n" * 400_000
    line = "winner,loser\n" + "a" * 2_500_000
    sheet, table = BytesIO(), BytesIO()
    with ZipFile(sheet, "w", ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(4_000_000))
    lying = bytearray(sheet.getvalue())
    size = lying.rfind(b"PK\x01\x02") + 24  # in the directory at the end
    lying[size : size + 4] = (1_000).to_bytes(4, "little")
    pl.DataFrame({"winner": ["ann"] * 300_000, "loser": ["bob"] * 300_000}).write_parquet(table)
    with called_service(sqlite_address, unpacked_bytes=3_000_000, line_bytes=1_000_000) as caller:
        caller.create("chess")
        held = "holds more than 3 MB after decompression"
        for name, content in (
            ("x.csv.gz", gzip.compress(rows.encode())),
            ("x.csv", rows.encode()),
            ("x.xlsx", sheet.getvalue()),
            ("lying.xlsx", bytes(lying)),
            ("x.parquet", table.getvalue()),
        ):
            assert failed(caller, content, name=name).startswith(f"{name} {held}"), name
        for name, content in (("x.csv.gz", gzip.compress(line.encode())), ("x.ndjson", line.encode())):
            assert failed(caller, content, name=name).startswith(f"{name} has a line of more than 1 MB")
        imported(caller, gzip.compress(rows[:800_000].rpartition("\n")[0].encode()), name="x.csv.gz")


def check_limits(caller: Caller) -> None:
    send = caller.client.post
    where = "/api/v1/ladders/chess/imports"
    problem(send(where, content=b"a", headers={"Content-Type": "text/plain"}), 415, "media-type")
    problem(send(where, content=b"a", headers=FILE, params={"columns": "{"}), 400, "parameter")
    problem(send(where, content=b"a", headers=FILE, params={"teams": "all"}), 400, "parameter")
    problem(send("/api/v1/ladders/none/imports", content=b"a", headers=FILE), 404, "unknown-ladder")
    problem(send(where, content=bytes(1001), headers=FILE), 413, "too-large")
    run_jobs(caller)
    (found,) = caller.client.get("/api/v1/jobs").json()["jobs"]
    assert (found["status"], found["reason"]) == ("cancelled", "the file has not arrived yet")
    problem(caller.client.get(f"/api/v1/jobs/{found['number']}/output"), 404, "unknown-job")
    problem(caller.client.get("/api/v1/jobs/77"), 404, "unknown-job")
    assert caller.client.get("/api/v1/jobs", params={"status": "done"}).json()["jobs"] == []


def test_an_import_that_is_cancelled_while_its_file_arrives_records_nothing(caller: Caller) -> None:
    path, asked = "/api/v1/ladders/chess/imports", {"name": "season.csv"}

    def arriving() -> Iterator[bytes]:
        yield b"winner,loser\n"
        with caller.service.database.writing() as connection:
            assert stop_arrival(connection, 1)
        yield b"ann,bob\n"

    answer = caller.client.post(path, content=arriving(), params=asked, headers=FILE)
    assert "was cancelled before its file" in problem(answer, 400, "input")["detail"]
    run_jobs(caller)
    assert caller.get("")["events"] == 0
    assert job(caller, 1)["reason"] == "it was cancelled before its file had arrived"

    with caller.service.database.writing() as connection:  # as while another file arrives
        connection.execute(update(tables.job).values(reason=NOT_ARRIVED))
    assert caller.client.delete("/api/v1/jobs/1").json()["reason"] == STOPPED
    assert [one["action"] for one in caller.client.get("/api/v1/audit").json()["entries"]][:1] == [
        "import cancelled"
    ]


def test_what_was_read_is_kept_and_can_be_seen_first(caller: Caller) -> None:
    content = 'date,winner,loser,remarks\n2026-05-01,Hans Müller,Ann Lee,\n,Bob Ray,"Mueller, Hans",w.o.\n'
    content = content.replace("\n,Bob", "\n2026-05-02,Bob") + '2026-05-03,Bob Ray,"Mueller, Hans",\n'
    looked = imported(caller, content, dry_run=True)["result"]
    assert looked["entries"] == 0
    assert looked["reading"]["events"] == 2
    assert looked["reading"]["names"][0]["alias"] == "Mueller, Hans"
    (file,) = looked["reading"]["files"]
    assert "/" not in file["source"]
    assert file["left_out"] == [{"place": "line 3", "reason": "w.o.: not played"}]
    found = imported(caller, content)["result"]
    assert found["entries"] == 2
    assert found["reading"] == looked["reading"]


def test_a_dry_run_shows_the_board_that_the_import_would_give(caller: Caller) -> None:
    first = "date,winner,loser\n2026-05-01,Ann Lee,Bob Ray\n2026-05-02,Ann Lee,Cid Orr\n"
    looked = imported(caller, first, dry_run=True)["result"]
    assert caller.get("")["events"] == 0
    assert imported(caller, first)["result"]["entries"] == 2
    board = caller.get("leaderboard", everybody=True)["ratings"]
    assert [(row["player"], row["display"], row["events"]) for row in looked["board"]] == [
        (row["player"], pytest.approx(row["display"]), row["events"]) for row in board
    ]
    assert looked["system"]
    assert looked["players"] == 3

    again = "date,winner,loser\n2026-05-03,Bob Ray,Ann Leé\n2026-04-01,Cid Orr,Bob Ray\n"
    looked = imported(caller, again, dry_run=True)["result"]
    assert {
        "alias": "Ann Leé",
        "player": "Ann Lee",
        "why": "a player of the ladder is or was called so",
    } in looked["reading"]["names"]
    assert "(1 event)" in "".join(looked["warnings"])
    found = imported(caller, again)["result"]
    assert found["warnings"][-1] == looked["warnings"][-1]
    board = caller.get("leaderboard", everybody=True)["ratings"]
    assert [(row["player"], row["display"]) for row in looked["board"]] == [
        (row["player"], pytest.approx(row["display"])) for row in board
    ]
    assert "already been imported" in failed(caller, again, dry_run=True)


def test_an_import_warns_of_names_that_were_merged(caller: Caller) -> None:
    """The next sheet of a club often has the old spelling again: it would make a new player in silence."""
    imported(caller, "date,winner,loser\n2026-05-01,A. Berg,Bob Ray\n2026-05-02,Anna Berg,Bob Ray\n")
    caller.report({"adjustment": "merge", "player": "A. Berg", "into": "Anna Berg"})
    caller.report({"adjustment": "merge", "player": "Anna Berg", "into": "Bob Ray"})
    later = "date,winner,loser\n2026-06-01,A. Berg,Cid Orr\n"
    looked = imported(caller, later, dry_run=True)["result"]
    why = "a player of the ladder is or was called so"
    assert looked["reading"]["names"] == [{"alias": "A. Berg", "player": "Bob Ray", "why": why}]
    said = imported(caller, later)["result"]["warnings"]
    assert said[0].startswith(
        "'Bob Ray' of the ladder and 'A. Berg' may be one player: merge them in the file"
    )
