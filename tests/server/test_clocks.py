"""Clocks that run ahead: what is refused, and that what followed gets its own time back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest import mock

import pytest
from sqlalchemy import select, update

from podium import Ladder
from podium.history import SetRating
from podium.history.times import to_datetime, to_micros
from podium.server.correcting.amendments import Amendments
from podium.server.log.log_entries import entry_of
from podium.server.storage import tables
from server.callers import Caller, Plain
from server.corrected_model import CorrectedModel
from server.ladder_model import iso
from server.test_correcting import NEAR, built
from server.test_imports import exported, imported

FUTURE = "2031-01-01T12:00:00Z"
MAY = [f"2026-05-{day:02}T12:00:00Z" for day in range(1, 9)]


@contextmanager
def server_clock(at: str) -> Iterator[None]:
    """The server's clock goes on from another time than it is."""
    real = time.time_ns
    ahead = to_micros(at) * 1_000 - real()
    with mock.patch("time.time_ns", side_effect=lambda: real() + ahead):
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
    assert "2031" not in page
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
    assert "2031" not in month


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


def test_an_export_takes_its_times_along(caller: Caller) -> None:
    model = begun(caller)
    caller.report({"void": AHEAD}, ladder="timed")
    model.add({"void": AHEAD})
    caller.report(game(5, "ann", "eve"), ladder="timed")
    model.add(game(5, "ann", "eve"))
    whole = exported(caller, "timed", "parquet")
    caller.create("copy")
    imported(caller, whole, ladder="copy", name="timed.zip")
    caller.verified("copy")
    assert [one["rated_time"] for one in caller.log("copy")] == times(caller)
    assert caller.get("leaderboard", ladder="copy")["ratings"] == model.ratings()
