"""Reading the log: pages, histories, meetings, everything since a bookmark, streams, tags."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from typing import Any

import pytest
from sqlalchemy.event import listen

from podium.server.log.log_reading import events_of_player
from server.callers import Caller, Plain, called_service, problem
from server.service_processes import Nursery, Worker

WIN = {"ranks": {"ann": 1, "bob": 2}}


def fill(caller: Caller, number: int) -> None:
    sent = [
        {"key": f"k{place}", "ranks": {"ann": 1 + place % 2, f"p{place % 3}": 1}} for place in range(number)
    ]
    assert caller.bulk(sent)["recorded"] == number


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_pages_of_the_log_hold_every_entry_once(any_caller: Caller, order: str) -> None:
    fill(any_caller, 11)
    page = any_caller.get("events", limit=4, order=order)
    numbers = [one["number"] for one in page["entries"]]
    while page["next"]:
        page = any_caller.get("events", limit=4, order=order, cursor=page["next"])
        numbers += [one["number"] for one in page["entries"]]
    expected = list(range(1, 12))
    assert numbers == (expected if order == "oldest" else expected[::-1])


def test_everything_since_a_bookmark_comes_as_lines(any_caller: Caller) -> None:
    fill(any_caller, 7)
    any_caller.report({"adjustment": "rename", "player": "p1", "into": "pia"})
    lines = any_caller.log()
    assert [one["number"] for one in lines] == list(range(1, 9))
    for line in lines:
        assert line == any_caller.get(f"events/{line['number']}")
    assert "pia" in {change["player"] for line in lines for change in line["changes"]}
    answer = any_caller.client.get(f"/api/v1/ladders/chess/events?since={lines[5]['bookmark']}")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert [json.loads(line)["number"] for line in answer.text.splitlines()] == [7, 8]
    last = lines[-1]["bookmark"]
    assert any_caller.client.get(f"/api/v1/ladders/chess/events?since={last}").text == ""
    problem(any_caller.client.get("/api/v1/ladders/chess/events?since=99"), 410, "other-log")
    problem(any_caller.client.get("/api/v1/ladders/chess/events/99"), 404, "unknown-event")
    problem(any_caller.client.get("/api/v1/ladders/chess/events?key=no"), 404, "unknown-event")


def test_a_history_has_every_event_of_a_player(any_caller: Caller) -> None:
    fill(any_caller, 9)
    page = any_caller.get("history", player="ann", limit=4)
    events = list(page["events"])
    while page["next"]:
        page = any_caller.get("history", player="ann", limit=4, cursor=page["next"])
        events += page["events"]
    assert [one["number"] for one in events] == list(range(9, 0, -1))
    displays = [one["display"] for one in reversed(events)]
    assert displays[:-1] == [one["display_before"] for one in reversed(events)][1:]
    assert displays[-1] == any_caller.get("rating", player="ann")["display"]


def test_two_players_and_their_meetings(any_caller: Caller) -> None:
    for ranks in (
        {"ann": 1, "bob": 2},
        {"ann": 2, "bob": 1},
        {"ann": 1, "bob": 1},
        {"bob": 3, "cat": 2, "ann": 1},
    ):
        any_caller.report({"ranks": ranks})
    any_caller.report({"ranks": {"ann": 1, "cat": 2}})
    for _ in range(2):
        found = any_caller.get("head-to-head", a="ann", b="bob", limit=3)
        assert (found["wins"], found["draws"], found["losses"]) == (2, 1, 1)
        assert [one["number"] for one in found["meetings"]] == [4, 3, 2]
        rest = any_caller.get("head-to-head", a="ann", b="bob", limit=3, cursor=found["next"])
        assert [(one["number"], one["rank_a"], one["rank_b"]) for one in rest["meetings"]] == [(1, 1, 2)]
        turned = any_caller.get("head-to-head", a="bob", b="ann")
        assert (turned["wins"], turned["losses"]) == (1, 2)
        any_caller.client.post("/api/v1/ladders/chess/rebuild")


def test_old_statistics_of_postgresql_make_no_join_of_two_generations(postgresql_address: str) -> None:
    """A join by statistics from before a generation was written takes it for empty, and minutes."""
    asked: dict[str, Any] = {}

    def note(_: Any, __: Any, statement: str, given: Any, ___: Any, ____: bool) -> None:
        if "FROM change" in statement:
            asked[statement] = given

    with called_service(postgresql_address) as caller:
        caller.create()
        for winner, loser in (("ann", "bob"), ("bob", "cat"), ("cat", "ann")):
            caller.report({"ranks": {winner: 1, loser: 2}})
        caller.client.post("/api/v1/ladders/chess/rebuild")
        with caller.service.database.reading() as connection:
            listen(connection.engine, "before_cursor_execute", note)
        assert caller.get("head-to-head", a="ann", b="bob")["generation"] == 2
        for path in ("history?player=ann", "events", "events?since=0", "explanation?player=ann&event=1"):
            assert caller.client.get(f"/api/v1/ladders/chess/{path}").status_code == 200
        for path in ("", "players/0", "events", "events/1", "compare?player=0&player=1"):
            assert caller.client.get(f"/ladders/chess/{path}").status_code == 200
        caller.verified()
        plans = []
        with caller.service.database.reading() as connection:
            for statement, given in list(asked.items()):
                plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", given).scalar_one()
                plans.append(json.dumps(plan))
    assert len(plans) > 5
    assert [plan for plan in plans if '"Anti"' in plan or '"Semi"' in plan] == []


def test_a_reader_who_has_it_all_is_told_so(any_caller: Caller) -> None:
    any_caller.report(WIN)
    paths = ["", "/events", "/events/1", "/rating?player=ann", "/leaderboard", "/history?player=ann"]
    paths += ["/explanation?player=ann", "/head-to-head?a=ann&b=bob", "/events?key=nothing"]
    for path in paths[:-1]:
        tags = []
        for change in (None, WIN, {"title": f"after {path}"}):
            if change is not None and "title" in change:
                any_caller.client.patch("/api/v1/ladders/chess", json=change)
            elif change is not None:
                any_caller.report(change)
            first = any_caller.client.get(f"/api/v1/ladders/chess{path}")
            tags.append(first.headers["etag"])
            again = any_caller.client.get(
                f"/api/v1/ladders/chess{path}", headers={"If-None-Match": f'"x", {tags[-1]}'}
            )
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == tags[-1]
            other = any_caller.client.get(f"/api/v1/ladders/chess{path}", headers={"If-None-Match": '"x"'})
            assert other.status_code == 200
        assert len(set(tags)) == 3


# ---------------------------------------------------------------------- streams


class Stream:
    """Server-sent events, as a browser gets them."""

    def __init__(self, worker: Worker, asked: str = "", last: int | str | None = None) -> None:
        self._connection = HTTPConnection("127.0.0.1", worker.port, timeout=30)
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        self._connection.request("GET", f"/api/v1/ladders/chess/stream{asked}", headers=headers)
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200
        assert self._answer.getheader("content-type", "").startswith("text/event-stream")
        assert self._answer.readline() == b": podium\n"
        assert self._answer.readline() == b"\n"

    def next(self) -> Plain:
        """The next event."""
        found: dict[str, str] = {}
        while line := self._answer.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            found[name] = value
        assert found["event"] == "logged-event"
        entry: Plain = json.loads(found["data"])
        assert entry["bookmark"] == found["id"]
        return entry

    def close(self) -> None:
        self._connection.close()


def test_streams_follow_the_log_on_every_worker_and_resume(nursery: Nursery, postgresql_address: str) -> None:
    one, other = nursery.worker(postgresql_address), nursery.worker(postgresql_address)
    one.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    for _ in range(3):
        one.api("POST", "/ladders/chess/events", WIN)
    near, far, all_of_it = Stream(one), Stream(other), Stream(other, "?since=0")
    first = [all_of_it.next() for _ in range(3)]
    assert [entry["number"] for entry in first] == [1, 2, 3]
    resumed = Stream(one, "?since=0", last=first[1]["bookmark"])
    assert resumed.next()["number"] == 3
    for number in (4, 5):
        sent = one.api("POST", "/ladders/chess/events", WIN)
        for stream in (near, far, all_of_it, resumed):
            entry = stream.next()
            assert entry["number"] == number
            assert entry["changes"] == sent["changes"]
    for stream in (near, far, all_of_it, resumed):
        stream.close()
    one.kill()
    other.kill()


def test_a_stream_of_a_ladder_that_is_not_there_is_refused(caller: Caller) -> None:
    problem(caller.client.get("/api/v1/ladders/none/stream"), 404, "unknown-ladder")
    problem(caller.client.get("/api/v1/ladders/chess/stream?since=-1"), 400, "parameter")


def test_settings_changed_by_one_worker_are_seen_by_the_other(postgresql_address: str) -> None:
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        assert other.get("")["title"] == ""
        one.client.patch("/api/v1/ladders/chess", json={"title": "Club", "archived": True})
        assert other.get("")["title"] == "Club"
        other.refused(WIN, 409, "archived")


def test_one_players_changes_are_found_by_their_index(sqlite_address: str) -> None:
    """Without sizes SQLite would read all changes of the ladder once something was corrected."""
    with called_service(sqlite_address) as caller:
        caller.create()
        fill(caller, 3)
        caller.report({"void": 1})
        asked: list[str] = []
        with caller.service.database.reading() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            driver.set_trace_callback(asked.append)
            with caller.service.ladders.glanced_at("chess", "ann") as (_, look):
                assert look.player is not None
                events_of_player(connection, look, look.player, limit=10)
            (query,) = [one for one in asked if "JOIN event" in one]
            driver.set_trace_callback(None)
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all()
        assert "change_of_player" in plan[0][3]
