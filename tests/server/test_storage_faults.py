"""A full disk, a database that cannot be written, commits of which nobody knows, clients that vanish."""

from __future__ import annotations

import asyncio
import json
import selectors
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from server.callers import Caller, called_service, problem
from server.service_processes import Nursery, Worker

WIN = {"ranks": {"ann": 1, "bob": 2}}


def pragma(caller: Caller, statement: str) -> Any:
    """Tell something to the one connection of SQLite that writes."""
    database = caller.service.database
    with database._writing, closing(database.writer.raw_connection()) as connection:
        found = connection.cursor().execute(f"PRAGMA {statement}").fetchone()
        return None if found is None else found[0]


def test_a_full_disk_refuses_reports_until_there_is_room(caller: Caller) -> None:
    caller.report({**WIN, "key": "first"})
    pragma(caller, f"max_page_count={pragma(caller, 'page_count')}")
    big = [{"key": f"k{place}", "ranks": {f"p{place}": 1, f"q{place}": 2}} for place in range(300)]
    for atomic in (True, False):
        answer = caller.sent_bulk(big, atomic=atomic)
        found = problem(answer, 503, "unavailable")
        assert "full" in found["detail"]
        assert "nothing was recorded" in found["detail"]
        assert found["hint"]
        assert answer.headers["retry-after"]
        assert caller.get("")["head"] == 1
        caller.verified()
    other = caller.client.post("/api/v1/ladders", json={"slug": "x", "description": "y" * 5000})
    assert other.status_code in (201, 503)
    pragma(caller, "max_page_count=1000000")
    assert caller.bulk(big, atomic=True)["recorded"] == 300
    assert caller.report({**WIN, "key": "first"})["status"] == "known"
    caller.verified()


def test_a_file_that_cannot_be_written_refuses_reports_until_it_can(caller: Caller) -> None:
    caller.report({**WIN, "key": "first"})
    pragma(caller, "query_only=ON")
    found = caller.refused({**WIN, "key": "second"}, 503, "unavailable")
    assert "nothing was recorded" in found["detail"]
    assert caller.report({**WIN, "key": "second"}, dry_run=True)["status"] == "preview"
    for method, path in (("post", ""), ("patch", "/chess")):
        sent = {"slug": "x"} if method == "post" else {"title": "x"}
        problem(caller.client.request(method, f"/api/v1/ladders{path}", json=sent), 503, "unavailable")
    problem(caller.client.post("/api/v1/ladders/chess/rebuild"), 503, "unavailable")
    assert caller.get("rating", player="ann")["events"] == 1
    pragma(caller, "query_only=OFF")
    assert caller.report({**WIN, "key": "second"})["number"] == 2
    caller.verified()


def test_a_postgresql_that_cannot_be_written_refuses_reports_until_it_can(postgresql_address: str) -> None:
    name = make_url(postgresql_address).database
    with called_service(postgresql_address) as caller:
        caller.create()
        caller.report({**WIN, "key": "first"})
        for state in ("on", "off"):
            with psycopg.connect(postgresql_address, autocommit=True) as connection:
                connection.execute("SET default_transaction_read_only = off")
                connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {state}")
            caller.service.database.writer.dispose()  # the setting is for connections from now on
            if state == "on":
                found = caller.refused({**WIN, "key": "second"}, 503, "unavailable")
                assert "nothing was recorded" in found["detail"]
                problem(caller.client.patch("/api/v1/ladders/chess", json={"title": "x"}), 503, "unavailable")
                assert caller.get("rating", player="ann")["events"] == 1
        assert caller.report({**WIN, "key": "second"})["number"] == 2
        caller.verified()


def test_connections_that_break_are_made_anew(postgresql_address: str) -> None:
    with called_service(postgresql_address) as caller:
        caller.create()
        for number in range(1, 4):
            with psycopg.connect(postgresql_address, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            assert caller.report(WIN)["number"] == number
        caller.verified()


# ---------------------------------------------------------------------- commits of which nobody knows


class Proxy:
    """Stands between a service and PostgreSQL, and cuts connections at a COMMIT, before or after it."""

    def __init__(self, folder: str) -> None:
        self._target = f"{folder}/.s.PGSQL.5432"
        self.cuts: list[str] = []
        """What to do with the next commits of somebody who has inserted: "before", "after" or "pass"."""
        self.done = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            threading.Thread(target=self._pump, args=[client, server], daemon=True).start()

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        # Whoever is at the other end may be gone already.
        with suppress(OSError), client, server, selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ)
            selector.register(server, selectors.EVENT_READ)
            has_inserted = is_cut = False
            while True:
                for key, _ in selector.select():
                    if not (data := key.fileobj.recv(1 << 16)):  # type: ignore[union-attr]
                        return
                    if key.fileobj is server:
                        if is_cut:
                            return  # it has committed, and nobody is told
                        client.sendall(data)
                        continue
                    has_inserted |= b"COPY event" in data
                    if has_inserted and b"COMMIT\0" in data and self.cuts:
                        has_inserted = False
                        how = self.cuts.pop(0)
                        self.done += how != "pass"
                        if how == "before":
                            return
                        is_cut = how == "after"
                    server.sendall(data)


@pytest.fixture
def proxy(postgresql_address: str) -> Iterator[Proxy]:
    found = Proxy(str(make_url(postgresql_address).query["host"]))
    yield found
    found.close()


@pytest.mark.parametrize("cut", ["before", "after"])
@pytest.mark.parametrize("key", [{}, {"key": "game 1"}], ids=["without a key", "with a key"])
def test_a_commit_of_which_nobody_knows_is_settled_by_keys(
    proxy: Proxy, postgresql_address: str, cut: str, key: dict[str, str]
) -> None:
    name = make_url(postgresql_address).database
    with called_service(f"postgresql://postgres@127.0.0.1:{proxy.port}/{name}") as caller:
        caller.create()
        caller.report(WIN)
        proxy.cuts += [cut]
        outcome = caller.report({**WIN, **key})
        assert proxy.done == 1
        assert outcome["status"] == ("known" if cut == "after" else "recorded")
        assert outcome["number"] == 2
        assert caller.report(WIN)["number"] == 3
        proxy.cuts += [cut, cut]  # also the second attempt is cut
        answer = caller.sent({**WIN, "key": "last"})
        if answer.status_code == 503:
            assert "may or may not be recorded" in problem(answer, 503, "unavailable")["detail"]
        proxy.cuts.clear()
        assert caller.report({**WIN, "key": "last"})["number"] == 4
        assert caller.get("")["head"] == 4
        caller.verified()


# ---------------------------------------------------------------------- clients


@contextmanager
def begun_request(
    worker: Worker, path: str, length: int, kind: str = "application/json"
) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", worker.port), timeout=30) as client:
        head = f"POST /api/v1/ladders/chess/{path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\n"
        client.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode())
        yield client


def test_a_client_that_hangs_up_in_the_middle_records_nothing_or_all(
    nursery: Nursery, sqlite_address: str
) -> None:
    worker = nursery.worker(sqlite_address)
    worker.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    sent = [{"key": f"k{place}", "ranks": {"ann": 1, f"p{place}": 2}} for place in range(500)]
    raw = json.dumps(sent).encode()
    for part in (len(raw) // 2, len(raw) - 1):
        with begun_request(worker, "events/bulk?atomic=true", len(raw)) as client:
            client.sendall(raw[:part])
    assert worker.api("GET", "/ladders/chess")["head"] == 0
    with begun_request(worker, "events/bulk?atomic=true", len(raw)) as client:
        client.sendall(raw)  # all of it, and nobody waits for the answer
    found = worker.api("POST", "/ladders/chess/events/bulk?atomic=true", sent)
    assert found["recorded"] + found["known"] == 500
    assert [one["number"] for one in found["outcomes"]] == list(range(1, 501))
    assert worker.api("GET", "/ladders/chess")["head"] == 500
    assert worker.api("POST", "/ladders/chess/verify")["clean"]
    worker.kill()


@pytest.mark.parametrize("path, kind", [("events", "application/json"), ("imports", "text/csv")])
def test_a_body_that_trickles_is_refused(sqlite_address: str, path: str, kind: str) -> None:
    with called_service(sqlite_address, body_seconds=0.2) as caller:
        caller.create()
        app = caller.client.app
        scope = {
            "type": "http",
            "method": "POST",
            "path": f"/api/v1/ladders/chess/{path}",
            "query_string": b"name=results.csv" if path == "imports" else b"",
            "headers": [(b"content-type", kind.encode())],
        }
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0.05)
            return {"type": "http.request", "body": b" ", "more_body": True}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
        assert sent[0]["status"] == 408
        assert (b"content-type", b"application/problem+json") in sent[0]["headers"]
        assert json.loads(sent[1]["body"])["type"] == "urn:podium:problem:too-slow"
        assert caller.get("")["head"] == 0


def test_large_and_deep_bodies_are_refused(sqlite_address: str) -> None:
    with called_service(sqlite_address, body_bytes=5000, reports_at_once=10) as caller:
        caller.create()
        kind = {"Content-Type": "application/json"}
        where = "/api/v1/ladders/chess/events"
        problem(caller.client.post(where, content=b" " * 5001, headers=kind), 413, "too-large")
        parts = iter([b" " * 3000, b" " * 3000])
        problem(caller.client.post(where, content=parts, headers=kind), 413, "too-large")
        problem(caller.sent_bulk([WIN] * 11), 413, "too-large")
        for deep in (b"[" * 33 + b"]" * 33, b"[" * 5000, b'{"\\"]":' * 33 + b"1" + b"}" * 33):
            answer = caller.client.post(f"{where}/bulk", content=deep, headers=kind)
            assert "nested more than 32 levels deep" in problem(answer, 400, "input")["detail"]
        named = b'[{"ranks": {"' + b"[" * 40 + b'": 1, "ann": 2}}]'
        assert caller.client.post(f"{where}/bulk", content=named, headers=kind).json()["recorded"] == 1
        problem(
            caller.client.post(where, content=b"{}", headers={"Content-Type": "text/plain"}),
            415,
            "media-type",
        )
        problem(caller.client.post(where, content=b"{}"), 415, "media-type")
        problem(caller.client.post(where, content=b"\xff", headers=kind), 400, "input")
        problem(caller.client.post(where, content=b"", headers=kind), 400, "input")
        assert caller.get("")["head"] == 1


def test_more_readers_than_connections_do_not_stop_reports(postgresql_address: str) -> None:
    with called_service(postgresql_address) as caller, ThreadPoolExecutor(60) as threads:
        caller.create()
        caller.report(WIN)
        paths = ["leaderboard", "rating?player=ann", "history?player=ann", "events", "explanation?player=ann"]
        asked = [
            threads.submit(caller.client.get, f"/api/v1/ladders/chess/{paths[n % 5]}") for n in range(200)
        ]
        told = []
        for number in range(20):
            if number % 5 == 0:
                caller.service.ladders.drop("chess")
            told.append(threads.submit(caller.report, {**WIN, "key": str(number)}))
        assert {one.result().status_code for one in asked} == {200}
        assert {one.result()["status"] for one in told} == {"recorded"}
        caller.verified()
