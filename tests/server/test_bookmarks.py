"""Followers of a log after an older backup was restored: they are told, and skip nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from podium.errors import ParameterError
from podium.server.http.followers import LAST_WORD
from podium.server.log.bookmarks import Bookmark, bookmark_at, read_bookmark
from podium.server.service import Service
from podium.server.storage.backups import back_up, restore
from podium.server.storage.database import Database
from server.callers import Caller, called_service, problem
from server.recorded import executed

WIN, LOSS = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 2, "bob": 1}}
EVENTS = "/api/v1/ladders/chess/events"
STREAM = "/api/v1/ladders/chess/stream"


def restored(caller: Caller, folder: Path, address: str) -> None:
    """Restore what a service has now into another database."""
    back_up(caller.service.database, folder / "older.backup")
    target = Database(address)
    restore(folder / "older.backup", target)
    target.close()


def numbers(answer: Any) -> list[int]:
    assert answer.status_code == 200, answer.text
    return [json.loads(line)["number"] for line in answer.text.splitlines()]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_number_of_the_log_before_a_restored_backup_is_refused(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    target = str(tmp_path / "restored.db")
    if kind == "postgresql":
        target = request.getfixturevalue("postgresql_address")
    with called_service(str(tmp_path / "podium.db")) as caller:
        caller.create()
        for _ in range(3):
            caller.report(WIN)
        restored(caller, tmp_path, target)
        for _ in range(3):
            caller.report(WIN)
        marks = [entry["bookmark"] for entry in caller.log()]
        pages = {order: caller.get("events", order=order, limit=5) for order in ("oldest", "newest")}
        tag = caller.client.get(EVENTS).headers["etag"]
    with called_service(target) as caller:
        caller.service.followers.closed = True  # streams end at once
        for since in ("5", marks[4]):
            assert (
                "ends at 3"
                in problem(caller.client.get(EVENTS, params={"since": since}), 410, "other-log")["detail"]
            )
            problem(caller.client.get(STREAM, headers={"Last-Event-ID": since}), 410, "other-log")
        assert numbers(caller.client.get(EVENTS, params={"since": marks[1]})) == [3]
        for _ in range(4):
            caller.report(LOSS)
        assert numbers(caller.client.get(EVENTS, params={"since": marks[2]})) == [4, 5, 6, 7]
        for mark in marks[3:]:
            told = problem(caller.client.get(EVENTS, params={"since": mark}), 410, "other-log")
            assert "is not the one that you have read" in told["detail"]
            problem(caller.client.get(STREAM, params={"since": mark}), 410, "other-log")
            problem(caller.client.get(STREAM, headers={"Last-Event-ID": mark}), 410, "other-log")
        for path in (EVENTS, STREAM):  # nobody knows which log a plain number is of
            told = problem(caller.client.get(path, params={"since": "4"}), 400, "parameter")
            assert caller.log()[3]["bookmark"] in told["hint"]
        problem(caller.client.get(STREAM, headers={"Last-Event-ID": "4"}), 400, "parameter")
        oldest = {"order": "oldest", "cursor": pages["oldest"]["next"]}
        problem(caller.client.get(EVENTS, params=oldest), 410, "other-log")
        newest = {"cursor": pages["newest"]["next"]}  # which ends at an entry that both logs have
        assert [one["number"] for one in caller.get("events", **newest)["entries"]] == [1]
        assert caller.client.get(EVENTS, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("path", ["leaderboard?", "history?player=ann&", "head-to-head?a=ann&b=bob&"])
def test_a_list_does_not_go_on_in_another_log(tmp_path: Path, path: str) -> None:
    """What it has shown is of entries that this log never had."""
    target, path = str(tmp_path / "restored.db"), f"/api/v1/ladders/chess/{path}limit=1"
    with called_service(str(tmp_path / "podium.db")) as caller:
        caller.create()
        caller.report(WIN)
        caller.report(LOSS)
        shared = caller.client.get(path).json()["next"]
        assert shared is not None
        restored(caller, tmp_path, target)
        caller.report(WIN)
        lost = caller.client.get(path).json()["next"]
        assert caller.client.get(f"{path}&cursor={lost}").status_code == 200
    with called_service(target) as caller:
        for _ in range(2):
            told = problem(caller.client.get(f"{path}&cursor={lost}"), 410, "other-log")
            assert "without a cursor" in told["hint"]
            assert caller.client.get(f"{path}&cursor={shared}").status_code == 200
            caller.report(LOSS)


@pytest.mark.parametrize("path", ["/api/v1/ladders/chess/leaderboard", EVENTS, "/ladders/chess"])
def test_a_reader_of_another_log_with_as_many_entries_has_not_what_there_is(
    tmp_path: Path, path: str
) -> None:
    """Both logs end with an event of the same time."""
    target, time = str(tmp_path / "restored.db"), "2026-05-01"
    with called_service(str(tmp_path / "podium.db")) as caller:
        caller.create()
        restored(caller, tmp_path, target)
        caller.report({**WIN, "time": time})
        tag = caller.client.get(path).headers["etag"]
        assert caller.client.get(path, headers={"If-None-Match": tag}).status_code == 304
    with called_service(target) as caller:
        caller.report({**LOSS, "time": time})
        assert caller.client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_a_stream_ends_when_the_log_goes_back(postgresql_address: str) -> None:
    """As when the database is replaced by an older copy while workers run."""
    with called_service(postgresql_address, follow_seconds=0.05) as caller:
        caller.create()
        for _ in range(3):
            caller.report(WIN)
        asyncio.run(heard_until_it_ends(caller.service, postgresql_address))


@pytest.mark.parametrize("more", [1, 2, 3])
@pytest.mark.parametrize("sent", [WIN, {"void": 3}], ids=["report", "correction"])
def test_a_worker_notices_an_older_backup_though_the_log_is_as_long_again(
    postgresql_address: str, more: int, sent: dict[str, Any]
) -> None:
    """Another worker reports as much as was lost, or more, before this one looks again."""
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        for _ in range(3):
            one.report(WIN)
        before = other.get("leaderboard")["ratings"]
        one.report(LOSS)
        one.report(sent)
        one.client.get(EVENTS)
        for table in ("event", "change", "generation", "checkpoint", "entry_time"):
            condition = "created > 0 AND number > 1" if table == "generation" else "seq > 3"
            executed(postgresql_address, f"DELETE FROM {table} WHERE {condition}")
        row = "head = 3, events = 3, generation = 1, pending = 0"
        executed(postgresql_address, f"UPDATE ladder SET {row}")
        executed(postgresql_address, "UPDATE generation SET replaced = NULL")
        assert other.get("leaderboard")["ratings"] == before
        for _ in range(more):
            other.report({"ranks": {"ann": 1, "dan": 2}})
        assert one.get("leaderboard")["ratings"] == other.get("leaderboard")["ratings"]
        one.report(WIN)
        one.verified()
        assert one.get("leaderboard")["ratings"] == other.get("leaderboard")["ratings"]


def test_nothing_that_was_remembered_of_a_lost_log_is_shown(postgresql_address: str) -> None:
    """Past dates, pages of large events and lists of them: they are kept by generation and number."""
    players = {f"player {number}": 1 + number for number in range(60)}
    swapped = {name: 61 - place for name, place in players.items()}
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        one.report({"ranks": players, "time": "2026-05-01"})
        one.report({"ranks": players, "time": "2026-05-02"})
        past = {"everybody": True, "at": "2026-05-01T12:00:00Z"}
        asked = ["/ladders/chess/events/1", "/ladders/chess/events", "/ladders/chess/players/7"]

        def shown(caller: Caller) -> list[Any]:
            pages = [caller.client.get(path) for path in asked]
            assert [page.status_code for page in pages] == [200] * len(pages), pages
            without_ids = [page.text.partition("<main")[2].partition("</main>")[0] for page in pages]
            return [caller.get("leaderboard", **past)["ratings"], *without_ids]

        before = shown(one)
        for table in ("event", "change", "checkpoint"):
            executed(postgresql_address, f"DELETE FROM {table}")
        executed(postgresql_address, "UPDATE ladder SET head = 0, events = 0, last_time = NULL")
        other.report({"ranks": swapped, "time": "2026-05-01"})
        other.report({"ranks": players, "time": "2026-05-02"})
        found = shown(one)
        assert found == shown(other)
        assert all(new != old for new, old in zip(found, before, strict=True))


async def heard_until_it_ends(service: Service, address: str) -> None:
    with service.ladders.glanced_at("chess") as (connection, look):
        head = bookmark_at(connection, look.row, look.row.head)
    stream = service.followers.sent("chess", Bookmark(0), head)
    assert (await anext(stream)).count(b"event: logged-event") == 3
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    for table in ("event", "change"):
        executed(address, f"DELETE FROM {table} WHERE seq > 1")
    executed(address, "UPDATE ladder SET head = 1, events = 1")
    assert await asyncio.wait_for(waiting, 30) == LAST_WORD
    again = service.followers.sent("chess", Bookmark(0), Bookmark(1))
    assert (await anext(again)).count(b"event: logged-event") == 1


@pytest.mark.parametrize("text", ["", "x", "-1", "1-", "1-xyz", f"{10**18}", "1-0123456789abcdeF", "１"])
def test_what_is_no_place_in_a_log_is_refused(caller: Caller, text: str) -> None:
    with pytest.raises(ParameterError, match="is not a place in a log"):
        read_bookmark(text)
    if text:
        problem(caller.client.get(EVENTS, params={"since": text}), 400, "parameter")
        if text.isascii():
            problem(caller.client.get(STREAM, headers={"Last-Event-ID": text}), 400, "parameter")
