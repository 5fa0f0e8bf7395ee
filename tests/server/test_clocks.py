"""Clocks that run ahead: what is refused, and that what followed gets its own time back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest import mock
from zipfile import ZipFile

import polars as pl
import pytest
from sqlalchemy import select, update

from cli.command import succeeded
from podium import Ladder
from podium.history import Reset, SetRating
from podium.history.times import to_datetime, to_micros
from podium.server import machine
from podium.server.correcting.amendments import Amendments
from podium.server.correcting.generation_cleaning import clean_generations
from podium.server.log.log_entries import entry_of
from podium.server.storage import tables
from server.callers import Caller, Plain, called_service
from server.corrected_model import CorrectedModel
from server.ladder_model import iso
from server.test_correcting import NEAR, built
from server.test_imports import exported, failed, imported
from server.test_report_pages import HERE

FUTURE = "2031-01-01T12:00:00Z"
MAY = [f"2026-05-{day:02}T12:00:00Z" for day in range(1, 9)]


@contextmanager
def server_clock(at: str) -> Iterator[None]:
    """The server's clock goes on from another time than it is."""
    real = machine.now_micros
    ahead = to_micros(at) - real()
    with mock.patch.object(machine, "now_micros", side_effect=lambda: real() + ahead):
        yield


def game(day: int, winner: str, loser: str, **more: Any) -> Plain:
    return {"ranks": {winner: 1, loser: 2}, "time": MAY[day], **more}


SEASON: list[Plain] = [
    game(0, "ann", "bob"),
    game(1, "bob", "cat"),
    {"ranks": {"ann": 1, "cat": 2}, "time": FUTURE},
    game(2, "cat", "ann"),
    {"adjustment": "set-rating", "player": "eve", "mu": 1700.0, "sigma": 60.0, "time": MAY[3]},
    game(3, "eve", "bob", rated=False),
    game(4, "bob", "eve"),
]
AHEAD = 3
"""The entry of the season that is of the future."""


def begun(caller: Caller) -> CorrectedModel:
    """A season with an event of the future, by a system to which times matter, and its judge."""
    caller.create("timed", system="glicko")
    model = CorrectedModel("glicko")
    with server_clock(FUTURE):
        for sent in SEASON:
            caller.report(sent, ladder="timed")
            model.add(sent)
    return model


def shown(caller: Caller) -> list[Plain]:
    found: list[Plain] = caller.get("leaderboard", ladder="timed", min_events=0)["ratings"]
    return found


def times(caller: Caller) -> list[str | None]:
    return [entry["rated_time"] for entry in caller.log("timed")]


def assert_judged(caller: Caller, model: CorrectedModel) -> None:
    """The service and the judge agree on all ratings and times, whoever looks."""
    assert shown(caller) == model.ratings()
    found = times(caller)
    for number, rated in model.rated_times().items():
        assert found[number - 1] == iso(to_datetime(rated)), number
    caller.verified("timed")
    caller.service.ladders.drop("timed")
    assert shown(caller) == model.ratings()


# ---------------------------------------------------------------------- generations


@pytest.mark.parametrize("is_near", [True, False], ids=["near", "far"])
def test_a_void_gives_what_followed_its_own_times_back(any_caller: Caller, is_near: bool) -> None:
    caller, model = any_caller, begun(any_caller)
    assert times(caller) == [*MAY[:2], *[FUTURE] * 5]
    assert_judged(caller, model)
    void = {"void": AHEAD}
    expected = caller.report(void, ladder="timed", dry_run=True)
    before = {row["player"]: row["display"] for row in shown(caller)}
    with nullcontext() if is_near else mock.patch(NEAR, -1):
        caller.report(void, ladder="timed")
    model.add(void)
    if not is_near:
        built(caller)
    assert_judged(caller, model)
    assert times(caller)[3:] == [*MAY[2:4], MAY[3], MAY[4], None]
    fresh = Ladder("glicko")
    for number, sent in enumerate(SEASON, start=1):
        if "adjustment" in sent:
            fresh.adjust(SetRating(player="eve", mu=1700.0, sigma=60.0), time=sent["time"])
        elif number != AHEAD and sent.get("rated", True):
            fresh.record(ranks=sent["ranks"], time=sent["time"])
    after = {row["player"]: row["display"] for row in shown(caller)}
    assert after == {name: fresh.rating(name).display for name in after}
    gains = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert {row["player"]: row["gain"] for row in expected["players"]} == gains
    active = caller.get("leaderboard", ladder="timed", active_since="1d", min_events=0)["ratings"]
    assert {row["player"] for row in active} == {"bob", "eve"}
    assert {row["player"] for row in caller.get("leaderboard", ladder="timed")["ratings"]} >= {"ann"}
    for looked in ("history", "explanation"):
        told = caller.get(looked, ladder="timed", player="bob")
        assert FUTURE not in str(told), looked
        assert MAY[4] in str(told), looked
    assert FUTURE not in str(caller.get("head-to-head", ladder="timed", a="bob", b="eve"))
    page = caller.client.get("/ladders/timed/players/1").text
    assert not re.search(r"\b2031\b", page)
    again = {"void": len(model.log)}
    caller.report(again, ladder="timed")
    model.add(again)
    assert_judged(caller, model)
    assert times(caller)[3:7] == [FUTURE] * 4


def test_a_correction_of_the_time_gives_what_followed_its_own_times_back(caller: Caller) -> None:
    model = begun(caller)
    fix = {"correct": AHEAD, "ranks": {"ann": 1, "cat": 2}, "time": MAY[1]}
    again = {"correct": AHEAD, "ranks": {"ann": 1, "cat": 1}}  # which keeps the time as it was corrected
    for sent in (fix, again):
        caller.report(sent, ladder="timed")
        model.add(sent)
        assert_judged(caller, model)
    assert times(caller)[1:5] == [MAY[1], MAY[1], MAY[2], MAY[3]]
    undone = {"correct": AHEAD, "ranks": {"ann": 1, "cat": 2}, "rated": False, "time": FUTURE}
    with server_clock(FUTURE):
        caller.report(undone, ladder="timed")
    model.add(undone)
    assert_judged(caller, model)
    assert times(caller)[1:5] == [MAY[1], FUTURE, MAY[2], MAY[3]]
    month = caller.client.get("/ladders/timed").text
    assert not re.search(r"\b2031\b", month)


def test_a_late_event_is_placed_by_the_times_of_now(caller: Caller) -> None:
    model = begun(caller)
    for sent in ({"void": AHEAD}, {**game(2, "dan", "ann"), "late": True}):
        caller.report(sent, ladder="timed")
        model.add(sent)
        assert_judged(caller, model)
    assert caller.log("timed")[-1]["place"] == 4


def test_what_an_older_version_rated_again_is_so_once_more_with_the_next_amendment(caller: Caller) -> None:
    """It kept the times of the log: that is no damage, and a later amendment gives them back."""

    def at_row_times(self: Amendments, stored: Any, name_of: Any) -> Any:
        return self.in_force(entry_of(stored, name_of), name_of)

    model = begun(caller)
    with mock.patch.object(Amendments, "rateable", at_row_times):
        caller.report({"void": AHEAD}, ladder="timed")
    model.add({"void": AHEAD})
    with caller.service.database.writing() as connection:
        assert connection.execute(select(tables.entry_time)).all() == []
        connection.execute(update(tables.generation).values(own_times=False))
    caller.service.ladders.drop("timed")
    assert times(caller)[3:7] == [FUTURE] * 4
    caller.verified("timed")
    played = game(5, "ann", "eve")
    assert caller.report(played, ladder="timed")["rated_time"] == FUTURE
    caller.verified("timed")
    model.add(played)
    void = {"void": 9}
    expected = caller.report(void, ladder="timed", dry_run=True)
    caller.report(void, ladder="timed")
    model.add(void)
    assert_judged(caller, model)
    assert times(caller)[3:7] == [*MAY[2:4], MAY[3], MAY[4]]
    moved = {row["player"]: row["display"] for row in expected["players"]}
    assert moved == {row["player"]: row["display"] for row in shown(caller) if row["player"] in moved}


def test_a_damaged_time_is_found_and_rebuilt_and_old_ones_are_cleaned(caller: Caller) -> None:
    model = begun(caller)
    for sent in ({"void": AHEAD}, {"void": len(SEASON) + 1}, {"void": len(SEASON) + 2}):
        caller.report(sent, ladder="timed")
        model.add(sent)
    table = tables.entry_time
    with caller.service.database.writing() as connection:
        found = connection.execute(select(table.c.seq, table.c.generation)).all()
        assert len(found) == 3 * 4  # four entries follow, in each generation
        connection.execute(update(table).where(table.c.seq == 4).values(rated_time=to_micros(FUTURE) + 1))
        past = to_micros("2020-01-01")
        connection.execute(
            update(tables.generation).where(tables.generation.c.number < 4).values(replaced=past)
        )
    told = caller.client.post("/api/v1/ladders/timed/verify").json()
    assert [(one["number"], one["what"]) for one in told["findings"]] == [(4, "rated_time")]
    caller.client.post("/api/v1/ladders/timed/rebuild")
    assert_judged(caller, model)
    clean_generations(caller.service)
    with caller.service.database.reading() as connection:
        assert len(connection.execute(select(table)).all()) == 4 + 1  # the rebuilt one, and the one before it
    assert_judged(caller, model)


def test_an_export_takes_its_times_along(caller: Caller) -> None:
    model = begun(caller)
    caller.report({"void": AHEAD}, ladder="timed")
    model.add({"void": AHEAD})
    caller.report(game(5, "ann", "eve"), ladder="timed")
    model.add(game(5, "ann", "eve"))
    whole = exported(caller, "timed", "parquet")
    with ZipFile(BytesIO(whole)) as archive:
        log = pl.read_parquet(archive.read("log.parquet"))
    counted = [None if one is None else iso(to_datetime(one)) for one in log["counted_time"]]
    assert counted == times(caller)
    caller.create("copy")
    imported(caller, whole, ladder="copy", name="timed.zip")
    caller.verified("copy")
    assert [one["rated_time"] for one in caller.log("copy")] == times(caller)
    assert caller.get("leaderboard", ladder="copy")["ratings"] == model.ratings()


# ---------------------------------------------------------------------- what is refused


def test_times_ahead_of_the_server_are_refused_wherever_they_are_reported(caller: Caller) -> None:
    """With the time, the clock and the setting, and nothing changes; a few minutes are no matter."""
    caller.report(game(0, "ann", "bob"))
    before = [caller.get(""), caller.log()]
    ahead = {"ranks": {"ann": 1, "bob": 2}, "time": FUTURE}
    for sent in (
        ahead,
        {**ahead, "late": True},
        {**ahead, "correct": 1},
        {"adjustment": "reset", "keep": 0.5, "time": FUTURE},
        {"adjustment": "rename", "player": "ann", "into": "anna", "time": FUTURE},
    ):
        for asked in ({}, {"dry_run": True}):
            found = caller.refused(sent, 422, "time-ahead", **asked)
            assert FUTURE in found["detail"]
            assert "300 seconds" in found["detail"]
            assert f"clock, {time.gmtime().tm_year}-" in found["detail"]
    good = game(1, "bob", "cat", key="good")
    told = caller.bulk([ahead, good], dry_run=True)["outcomes"]
    assert [one["problem"] for one in told] == ["time-ahead", None]
    together = caller.sent_bulk([good, ahead], atomic=True)
    assert "report 2 of 2: the time 2031" in together.json()["detail"]
    form = {"what": "standings", "lines": "ann\nbob", "time": FUTURE}
    page = caller.client.post("/ladders/chess/admin", data=form, headers=HERE)
    assert (page.status_code, "300 seconds ahead" in page.text) == (422, True)
    assert [caller.get(""), caller.log()] == before
    assert caller.ask("preview", ahead).status_code == 200  # which records nothing
    told = caller.bulk([ahead, good])["outcomes"]
    assert [one["status"] for one in told] == ["refused", "recorded"]
    soon = to_datetime((time.time_ns() // 1_000_000_000 + 240) * 1_000_000)
    assert caller.report({**ahead, "time": iso(soon)})["status"] == "recorded"


def test_a_file_with_times_ahead_of_the_server_is_refused_by_its_row(caller: Caller) -> None:
    reason = failed(
        caller, "white,black,result,date\nann,bob,1-0,2026-01-01\ncat,dan,0-1,2031-01-01\n", name="old.csv"
    )
    assert reason.startswith("old.csv, line 3: the time 2031-01-01, of cat and dan, is ")
    assert "300 seconds ahead" in reason
    adjusted = "adjustment,player,mu,time\nset-rating,eve,1700,2031-01-01\n"
    assert "eve" in failed(caller, adjusted, name="ratings.csv")
    assert caller.get("")["head"] == 0
    with server_clock("2031-01-02"):
        imported(caller, adjusted, name="ratings.csv")
    assert caller.get("")["last_time"] == "2031-01-01"


def test_a_log_is_taken_as_it_is(caller: Caller) -> None:
    """A log with times ahead is loaded, rated again, exported and imported as ever."""
    model = begun(caller)
    caller.client.post("/api/v1/ladders/timed/rebuild")
    assert_judged(caller, model)
    caller.create("copy")
    imported(caller, exported(caller, "timed", "csv"), ladder="copy", name="timed.zip")
    assert [one["rated_time"] for one in caller.log("copy")] == times(caller)
    with called_service(
        caller.service.settings.database.replace(".db", "2.db"), clock_tolerance=1e9
    ) as lenient:
        lenient.create()
        lenient.report({"ranks": {"ann": 1, "bob": 2}, "time": FUTURE})


# ---------------------------------------------------------------------- a clock of the server that ran ahead


def run_ahead(caller: Caller) -> None:
    """Entry 2 to 4 came while the clock of the server was years ahead, and the others at the right time."""
    caller.create("timed", system="glicko")
    caller.report(game(0, "ann", "bob"), ladder="timed")
    with server_clock(FUTURE):
        caller.report({"ranks": {"bob": 1, "cat": 2}}, ladder="timed")
        caller.report({"adjustment": "reset", "keep": 0.5}, ladder="timed")
        caller.report({"ranks": {"ann": 1, "cat": 2}}, ladder="timed")
    caller.report({"ranks": {"cat": 1, "bob": 2}}, ladder="timed")
    caller.report({"ranks": {"cat": 1, "ann": 2}}, ladder="timed")


def test_a_clock_that_ran_ahead_is_noticed(sqlite_address: str, caplog: pytest.LogCaptureFixture) -> None:
    with called_service(sqlite_address) as caller:
        caller.create()
        caller.report(game(0, "ann", "bob"))
        assert "ahead of" not in caplog.text
        assert "ahead of" not in caller.client.get("/ladders/chess/admin").text
        run_ahead(caller)
        assert caplog.text.count("rebuild timed --repair-clock") == 1  # not with each report
        caplog.clear()
        (warning,) = caller.verified("timed")["warnings"]
        assert "--repair-clock" in warning
        assert caller.verified("chess")["warnings"] == []
        assert "--repair-clock" in caller.client.get("/ladders/timed/admin").text
        caller.service._looked_ahead = -1e9
        assert "1 ladder " in caller.client.get("/readyz").json()["warnings"][0]
        assert "timed" not in caller.client.get("/readyz").text  # which may be private
    with called_service(sqlite_address):
        assert caplog.text.count("rebuild timed --repair-clock") == 1


def test_a_clock_that_ran_ahead_is_repaired_by_one_command(any_caller: Caller) -> None:
    """What came meanwhile counts as the time of the next entry, and everything after at its own time."""
    caller = any_caller
    run_ahead(caller)
    old = caller.log("timed")
    assert [entry["rated_time"].startswith("2031") for entry in old] == [False, *[True] * 5]
    answer = caller.client.post("/api/v1/ladders/timed/rebuild", params={"repair_clock": True})
    assert (answer.status_code, answer.json()["clock_repair"]) == (200, 7), answer.text
    new = caller.log("timed")
    assert new[6]["entry"] == "clock"
    received = [entry["received"] for entry in new]
    assert received[:6] == [entry["received"] for entry in old]
    assert times(caller) == [MAY[0], *[received[4]] * 4, received[5], None]
    judge = Ladder("glicko")
    judge.record(ranks={"ann": 1, "bob": 2}, time=MAY[0])
    judge.record(ranks={"bob": 1, "cat": 2}, time=received[4])
    judge.adjust(Reset(keep=0.5), time=received[4])
    judge.record(ranks={"ann": 1, "cat": 2}, time=received[4])
    judge.record(ranks={"cat": 1, "bob": 2}, time=received[4])
    judge.record(ranks={"cat": 1, "ann": 2}, time=received[5])
    expected = {name: (judge.rating(name).mu, judge.rating(name).sigma) for name in ("ann", "bob", "cat")}
    assert {row["player"]: (row["mu"], row["sigma"]) for row in shown(caller)} == expected
    assert caller.verified("timed")["warnings"] == []
    again = caller.client.post("/api/v1/ladders/timed/rebuild", params={"repair_clock": True})
    assert (again.status_code, again.json()["clock_repair"], again.json()["changed"]) == (200, None, 0)
    assert caller.report({"ranks": {"bob": 1, "ann": 2}}, ladder="timed")["rated_time"] < FUTURE
    caller.create("copy")
    imported(caller, exported(caller, "timed", "parquet"), ladder="copy", name="timed.zip")
    caller.verified("copy")
    assert [one["rated_time"] for one in caller.log("copy")] == times(caller)
    assert "ahead of the clock" in caller.client.get("/ladders/timed/events/7").text
    caller.report({"void": 7}, ladder="timed")  # the repair can be taken back, too
    caller.verified("timed")
    assert times(caller)[1:6] == [entry["rated_time"] for entry in old[1:]]


def test_the_command_repairs_a_wrong_time_of_a_caller(tmp_path: Path) -> None:
    """Such as an older version has taken: nothing happens after it was received."""
    address = str(tmp_path / "podium.db")
    with called_service(address, clock_tolerance=1e9) as caller:
        caller.create("timed", system="glicko")
        for sent in SEASON:
            caller.report(sent, ladder="timed")
        received = caller.log("timed")[AHEAD - 1]["received"]
    assert "--repair-clock" in succeeded("verify", "timed", "--database", address)
    told = succeeded("rebuild", "timed", "--repair-clock", "--database", address)
    assert "entry 8 repairs the clock" in told
    assert "--repair-clock" not in succeeded("verify", "timed", "--database", address)
    with called_service(address) as caller:
        assert times(caller) == [*MAY[:2], *[received] * 5, None]
