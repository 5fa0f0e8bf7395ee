"""The threads of a worker outlive whatever happens to them, and what is asked for leaves nothing behind."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import aclosing
from threading import Event
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from podium.server.http import followers as follower_module
from podium.server.http.followers import Followers, Piece
from podium.server.log.appending import Appender
from podium.server.log.bookmarks import Bookmark
from podium.server.log.reports import report_of
from podium.server.log.submissions import Submission
from server.callers import Caller, called_service, problem

WIN = {"ranks": {"ann": 1, "bob": 2}}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Appending waits until this is set."""
    found, usual = Event(), Appender.append

    def append(self: Appender, *given: Any) -> Any:
        found.wait(30)
        return usual(self, *given)

    monkeypatch.setattr(Appender, "append", append)
    return found


def submission(key: str) -> Submission:
    return Submission([report_of({**WIN, "key": key})])


def test_callers_who_give_up_do_not_end_the_thread_that_appends(caller: Caller, gate: Event) -> None:
    committer = caller.service.committer
    running = committer.submit("chess", submission("running"))
    while not running.running():
        time.sleep(0.001)
    waiting = committer.submit("chess", submission("waiting"))
    assert not running.cancel()
    assert waiting.cancel()
    gate.set()
    running.result(30)
    assert caller.report({**WIN, "key": "next"})["number"] == 2
    assert [entry["key"] for entry in caller.log()] == ["running", "next"]


def test_what_follows_a_commit_may_fail(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(slug: str) -> None:
        raise OperationalError("SELECT", {}, Exception("the database is away"))

    monkeypatch.setattr(caller.service.checkpoints, "consider", fail)
    assert [caller.report(WIN)["number"] for _ in range(3)] == [1, 2, 3]
    assert "the database is away" in caplog.text


def test_what_is_wrong_with_one_callers_report_is_not_the_others(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, gate: Event
) -> None:
    usual = Appender.append

    def append(self: Appender, slug: str, submissions: Any) -> Any:
        if any(report.key == "bad" for one in submissions for report in one.reports):
            raise ArithmeticError("nobody has foreseen this")
        return usual(self, slug, submissions)

    monkeypatch.setattr(Appender, "append", append)
    futures = [caller.service.committer.submit("chess", submission(key)) for key in ("a", "b", "bad", "c")]
    gate.set()
    assert [type(future.exception(30)) for future in futures] == [
        type(None),
        type(None),
        ArithmeticError,
        type(None),
    ]
    assert [entry["key"] for entry in caller.log()] == ["a", "b", "c"]
    answer = caller.sent({**WIN, "key": "bad"})
    problem(answer, 500, "failure")


def test_a_thread_that_saves_ladders_outlives_errors(
    sqlite_address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with called_service(sqlite_address, checkpoint_rows=10) as caller:
        caller.create()
        writer, written = caller.service.checkpoints, Event()
        usual = writer.write
        errors: list[BaseException] = [MemoryError("too large"), OperationalError("x", {}, Exception("away"))]

        def write(slug: str) -> None:
            if errors:
                raise errors.pop()
            usual(slug)
            written.set()

        monkeypatch.setattr(writer, "write", write)
        for _ in range(3):
            caller.bulk([WIN] * 6)
        assert written.wait(30)
        assert "no checkpoint" in caplog.text
        assert caller.verified()["checkpoints"] == 1


def test_a_service_ends_when_its_database_is_away(
    sqlite_address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with called_service(sqlite_address) as caller:
        caller.create()
        caller.bulk([WIN] * 600)

        def fail() -> Any:
            raise OperationalError("BEGIN", {}, Exception("disk I/O error"))

        monkeypatch.setattr(caller.service.database, "writing", fail)
        monkeypatch.setattr(caller.service.database, "reading", fail)
    assert "no checkpoint" in caplog.text


def test_a_damaged_checkpoint_is_passed_over_and_found(any_caller: Caller) -> None:
    any_caller.report(WIN)
    any_caller.service.checkpoints.write("chess")
    any_caller.report(WIN)
    any_caller.service.checkpoints.write("chess")
    before = any_caller.get("leaderboard")
    with any_caller.service.database.writing() as connection:
        connection.execute(text("UPDATE checkpoint SET content = digest WHERE seq = 2"))
    any_caller.service.ladders.drop("chess")
    assert any_caller.get("leaderboard") == before
    found = any_caller.client.post("/api/v1/ladders/chess/verify").json()
    assert (found["clean"], found["damaged"]) == (False, 1)
    assert any_caller.client.post("/api/v1/ladders/chess/rebuild").status_code == 200
    any_caller.verified()


def test_numbers_of_another_version_are_told_from_the_work_of_a_disk(any_caller: Caller) -> None:
    any_caller.report(WIN)
    with any_caller.service.database.writing() as connection:
        connection.execute(text("UPDATE change SET mu = mu + 1"))
    found = any_caller.client.post("/api/v1/ladders/chess/verify").json()
    assert (found["clean"], found["warnings"]) == (False, [])
    with any_caller.service.database.writing() as connection:
        connection.execute(text("UPDATE engine SET description = 'podium 0.1.0, numba 0.61'"))
    found = any_caller.client.post("/api/v1/ladders/chess/verify").json()
    assert not found["clean"]
    (warning,) = found["warnings"]
    assert "entries from 0 on may have been rated by podium 0.1.0" in warning
    assert any_caller.client.post("/api/v1/ladders/chess/rebuild").status_code == 200
    any_caller.verified()


def test_a_damaged_log_is_named_and_nothing_is_made_of_it(any_caller: Caller) -> None:
    any_caller.report(WIN)
    any_caller.report(WIN)
    with any_caller.service.database.writing() as connection:
        connection.execute(text("UPDATE event SET payload = replace(payload, '1', '2') WHERE seq = 2"))
    found = any_caller.client.post("/api/v1/ladders/chess/verify").json()
    assert not found["clean"]
    assert "entry 2" in str(found["findings"])
    any_caller.service.ladders.drop("chess")
    found = problem(any_caller.client.get("/api/v1/ladders/chess/leaderboard"), 500, "damaged")
    assert "entry 2" in found["detail"]
    problem(any_caller.sent(WIN), 500, "damaged")


def test_names_that_are_none_leave_nothing_in_memory(caller: Caller) -> None:
    for number in range(50):
        problem(caller.client.get(f"/api/v1/ladders/no-{number}/leaderboard"), 404, "unknown-ladder")
        caller.refused(WIN, 404, "unknown-ladder", ladder=f"no-{number}")
    ladders, committer = caller.service.ladders, caller.service.committer
    assert set(ladders._loading) <= {"chess"}
    assert not any(committer._queues.values())
    assert len(committer._queues) <= 1
    assert committer._waiting == 0


def test_who_listens_no_more_is_forgotten(caller: Caller) -> None:
    followers = caller.service.followers

    async def listen() -> bytes:
        stream = followers.sent("chess", Bookmark(0), Bookmark(0))
        async with asyncio.timeout(30), aclosing(stream):
            asyncio.get_running_loop().run_in_executor(None, caller.report, WIN)
            return await anext(stream)

    assert asyncio.run(listen()).startswith(b"id: 1-")
    assert not followers._feeds


def test_listeners_share_what_is_read_once(any_caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty listeners hear each entry once, in order; one that begins earlier reads what it has missed."""
    followers, read = any_caller.service.followers, Followers._read
    firsts: list[int] = []

    def counted(self: Followers, slug: str, after: Bookmark) -> Piece | None:
        piece = read(self, slug, after)
        firsts.extend([after.number + 1] if piece is not None else [])
        return piece

    monkeypatch.setattr(Followers, "_read", counted)
    for _ in range(3):
        any_caller.report(WIN)

    async def listen(last: int, head: int, ready: asyncio.Semaphore) -> list[int]:
        heard: list[int] = []
        ready.release()
        async with aclosing(followers.sent("chess", Bookmark(last), Bookmark(head))) as stream:
            async for content in stream:
                heard += [int(number) for number in re.findall(rb"^id: (\d+)-", content, re.MULTILINE)]
                if heard and heard[-1] == 8:
                    return heard
        raise AssertionError("the stream has ended")

    async def everybody() -> list[list[int]]:
        ready = asyncio.Semaphore(0)
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            near = [group.create_task(listen(3, 3, ready)) for _ in range(20)]
            late = group.create_task(listen(1, 3, ready))
            for _ in range(21):
                await ready.acquire()
            for _ in range(5):
                await asyncio.to_thread(any_caller.report, WIN)
        return [task.result() for task in (*near, late)]

    *near, late = asyncio.run(everybody())
    assert near == [[4, 5, 6, 7, 8]] * 20
    assert late == [2, 3, 4, 5, 6, 7, 8]
    assert sorted(number for number in firsts if number > 3) == sorted({*firsts} - {2})  # each once, by one
    assert firsts.count(2) == 1


def test_listeners_that_are_too_slow_read_for_themselves(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left out when the pieces that are kept have gone on."""
    monkeypatch.setattr(follower_module, "MOST_PIECES", 1)
    followers = caller.service.followers

    async def listen() -> list[int]:
        heard: list[int] = []
        async with asyncio.timeout(30), aclosing(followers.sent("chess", Bookmark(0), Bookmark(0))) as stream:
            await asyncio.to_thread(caller.report, WIN)
            async for content in stream:
                heard += [int(number) for number in re.findall(rb"^id: (\d+)-", content, re.MULTILINE)]
                if heard[-1] == 1:
                    for _ in range(6):
                        await asyncio.to_thread(caller.report, WIN)
                if heard[-1] == 7:
                    return heard
        raise AssertionError("the stream has ended")

    assert asyncio.run(listen()) == [1, 2, 3, 4, 5, 6, 7]


def test_a_log_that_cannot_be_read_now_is_read_later(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    followers, read = caller.service.followers, Followers._read
    followers._seconds = 0.01
    failures = [OperationalError("SELECT", {}, Exception("away")) for _ in range(3)]

    def sometimes(self: Followers, slug: str, after: Bookmark) -> Piece | None:
        if failures:
            raise failures.pop()
        return read(self, slug, after)

    monkeypatch.setattr(Followers, "_read", sometimes)

    async def listen() -> bytes:
        async with asyncio.timeout(30), aclosing(followers.sent("chess", Bookmark(0), Bookmark(0))) as stream:
            asyncio.get_running_loop().run_in_executor(None, caller.report, WIN)
            return await anext(stream)

    assert asyncio.run(listen()).startswith(b"id: 1-")
    assert caplog.text.count("cannot be followed now: away") == 1
