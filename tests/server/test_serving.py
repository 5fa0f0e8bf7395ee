"""The processes of a service: how they begin, how they end, and what becomes of those that die."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from cli.command import PATIENCE, said_json
from podium.errors import InputError
from podium.server.http.followers import LAST_WORD
from podium.server.http.http_server import handled_signals
from podium.server.operations.service_logs import logging_to_stderr
from podium.server.processes import worker_processes
from podium.server.processes.service_processes import listening_socket
from podium.server.processes.worker_processes import WorkerProcesses
from podium.server.settings import ServerSettings
from podium.server.storage.database_locks import TakenError, held_database, lock_file
from server.processes import ServiceProcess, free_port, until
from server.recorded import executed

MATCHES = 3_000


# ---------------------------------------------------------------------- one process


def test_a_server_ends_in_order(tmp_path: Path) -> None:
    """A stream ends, a bulk report that is under way is answered and recorded, a checkpoint is written."""
    path = tmp_path / "league.db"
    with ServiceProcess(path) as service:
        service.create("chess")
        with urlopen(f"{service.address}/api/v1/ladders/chess/stream?since=0", timeout=PATIENCE) as stream:
            assert stream.readline() == b": podium\n"
            answers: list[Any] = []
            reports = [{"key": f"game {game}", "ranks": {"ann": 1, f"p{game}": 2}} for game in range(MATCHES)]
            address = "/api/v1/ladders/chess/events/bulk?changes=false"
            bulk = threading.Thread(target=lambda: answers.append(service.post(address, reports)))
            bulk.start()
            until(
                lambda: service.get("/api/v1/ladders/chess")["head"] or not bulk.is_alive() or _is_busy(path)
            )
            assert service.end(signal.SIGTERM) == 0
            bulk.join(PATIENCE)
            (status, said) = answers[0]
            assert status == 200, said
            assert said["recorded"] == MATCHES
            heard = stream.read()
            assert b"keep-alive" not in heard
            assert heard.endswith(LAST_WORD)
        assert service.complained == ""
    assert executed(path, "SELECT seq FROM checkpoint") == [MATCHES]
    found = said_json("verify", "chess", "--database", path)
    assert (found["clean"], found["head"], found["checkpoints"]) == (True, MATCHES, 1)


def _is_busy(path: Path) -> bool:
    """Whether something is being written to a database."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 100_000


def test_only_this_machine_is_served(tmp_path: Path) -> None:
    """A page of another site can neither read nor order anything, by a name of its own or by ours."""
    from starlette.testclient import TestClient

    from podium.server.http.http_server import ServedHosts

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    client = TestClient(ServedHosts(app, ServerSettings()), base_url="http://127.0.0.1:8000")
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"Host": "localhost:9999"}).status_code == 200
    assert client.get("/", headers={"Host": "[::1]:8000"}).status_code == 200
    assert client.get("/", headers={"Origin": "https://evil.example"}).status_code == 200  # it cannot read it
    assert client.post("/", headers={"Origin": "http://127.0.0.1:8000"}).status_code == 200
    for headers in ({"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example:8000"}, {"Host": "[x"}):
        refused = client.get("/", headers=headers)
        assert refused.status_code == 403
        assert refused.json()["type"] == "urn:podium:problem:foreign"
    for origin in (
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://127.0.0.1:3000",  # another program of this machine
        "http://127.0.0.1",
        "http://127.0.0.1:x",
        "http://localhost:8000",
        "https://127.0.0.1:8000",
    ):
        assert client.post("/", headers={"Origin": origin}).status_code == 403, origin


def test_ignored_signals_stay_ignored() -> None:
    """As nohup leaves the one that comes when a terminal is closed."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    heard: list[int] = []
    try:
        with handled_signals(lambda number, _: heard.append(number)):
            for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
                signal.raise_signal(number)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert heard == [signal.SIGTERM, signal.SIGINT]


# ---------------------------------------------------------------------- locks


def test_one_process_for_a_file(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    lock_file(path).write_text("{")  # left by a process that was killed while it wrote
    with held_database(path, "http://127.0.0.1:8000") as secret:
        assert json.loads(lock_file(path).read_text()) == {
            "pid": os.getpid(),
            "address": "http://127.0.0.1:8000",
            "secret": secret,
        }
        assert lock_file(path).stat().st_mode & 0o777 == 0o600
        with pytest.raises(TakenError) as caught, held_database(path, None):
            raise AssertionError("two have the lock")
        assert caught.value.holder == (os.getpid(), "http://127.0.0.1:8000", secret)
    with held_database(path, None):
        pass
    assert not lock_file(path).exists()


def test_a_lock_that_says_nothing_is_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.server.storage.database_locks.PATIENCE_SECONDS", 0.05)
    path = tmp_path / "league.db"
    with held_database(path, None):
        lock_file(path).write_text("")
        with pytest.raises(TakenError, match="in use by another process"), held_database(path, None):
            raise AssertionError("two have the lock")


# ---------------------------------------------------------------------- several workers


def test_workers_share_a_database_and_are_replaced(postgresql_address: str) -> None:
    """Kill one: another takes its place. Rebuild beside them: they go on. Kill their keeper: they end."""
    with ServiceProcess(postgresql_address, "--workers", "2") as service:
        until(lambda: service.said.count("all 2 workers are ready") == 1)
        service.create("chess")
        numbers = [service.report("chess", f"game {game}", ann=1, bob=2) for game in range(10)]
        assert numbers == list(range(1, 11))
        until(lambda: _recorded(service) == 10)  # of both workers, whichever is asked

        before = service.workers()
        os.kill(before[0], signal.SIGKILL)
        numbers = [_reported(service, f"later {game}") for game in range(10)]
        assert numbers == list(range(11, 21))
        until(lambda: service.said.count("all 2 workers are ready") == 2)
        assert (
            f"podium: worker 1 (process {before[0]}) ended by SIGKILL. Starting another worker"
            in service.complained
        )
        after = service.workers()
        assert len(after) == 2
        assert set(after) & set(before) == {before[1]}

        executed(postgresql_address, "UPDATE change SET mu = mu + 1 WHERE seq = 4 AND player = 0")
        assert said_json("rebuild", "chess", "--database", postgresql_address)["changed"] == 1
        numbers = [service.report("chess", f"last {game}", bob=1, ann=2) for game in range(10)]
        assert numbers == list(range(21, 31))
        until(lambda: _recorded(service) == 30)  # also by the one that was killed
        found = said_json("verify", "chess", "--database", postgresql_address)
        assert (found["clean"], found["head"], found["generation"]) == (True, 30, 2)

        number = service.post("/api/v1/ladders/chess/exports", {"format": "csv"})[1]["number"]
        until(lambda: service.get(f"/api/v1/jobs/{number}")["status"] == "done")  # by a third process
        tasks = Path(f"/proc/{service.process.pid}/task").glob("*/children")  # a thread has started it
        after = [int(process) for task in tasks for process in task.read_text().split()]
        assert len(after) == 3
        service.end(signal.SIGKILL)
        until(lambda: not any(_is_alive(worker) for worker in after))


def _recorded(service: ServiceProcess) -> float:
    """Reports that were recorded, as the metrics count them."""
    with urlopen(f"{service.address}/metrics", timeout=PATIENCE) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    return sum(
        sample.value
        for family in families
        for sample in family.samples
        if (sample.name, sample.labels.get("outcome")) == ("podium_reports_total", "recorded")
    )


def _reported(service: ServiceProcess, key: str) -> int:
    """Report a match as often as it takes: the connection may be one of a worker that was killed."""
    while True:
        try:
            return service.report("chess", key, ann=1, bob=2)
        except OSError:
            time.sleep(0.02)


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


# A worker that speaks as a real one does, and needs no second to start.
SPEAKER = """
import json, os, signal, sys, time
start = json.loads(sys.stdin.readline())
count = start["settings"]["database"] + "." + str(os.getppid())
with open(count, "a") as file:
    file.write("x")
begun = os.path.getsize(count)
def tell(*said):
    print(json.dumps(said), flush=True)
def end(*_):
    with open(count + ".ended", "a") as file:
        file.write("x")
    os._exit(0)
signal.signal(signal.SIGTERM, end)
"""


def kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, behaviour: str, then: Callable[[list[str]], Any]
) -> list[str]:
    """What a keeper of two such workers says, `then` being called with it all along; signals as usual."""
    monkeypatch.setattr(worker_processes, "PROGRAM", SPEAKER + behaviour)
    monkeypatch.setattr(worker_processes, "FIRST_PAUSE_SECONDS", 0.01)
    settings = ServerSettings(database=str(tmp_path / "count"), port=free_port(), workers=2)
    heard: list[str] = []

    def told(what: str, done: int, total: int) -> None:
        heard.append(f"{what} {done} of {total}")

    def ready(address: str, ladders: int) -> None:
        heard.append(f"{address == settings.address} {ladders}")

    watching = threading.Thread(target=then, args=(heard,))
    with logging_to_stderr(settings), listening_socket(settings) as listener:
        watching.start()
        WorkerProcesses(settings, listener, told, ready).run()
    watching.join(PATIENCE)
    return heard


def _end_when(
    tmp_path: Path, workers: int, number: signal.Signals = signal.SIGTERM
) -> Callable[[list[str]], None]:
    """Send this process a signal when so many workers have begun."""
    count = tmp_path / f"count.{os.getpid()}"

    def watch(_: list[str]) -> None:
        until(lambda: count.exists() and count.stat().st_size >= workers)
        time.sleep(0.1)
        os.kill(os.getpid(), number)

    return watch


def test_a_signal_ends_all_workers_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    behaviour = 'tell("told", "loading kernels", 1, 2)\ntell("ready", 5)\ntime.sleep(600)'
    heard = kept(monkeypatch, tmp_path, behaviour, _end_when(tmp_path, 2))
    assert heard == ["loading kernels 1 of 2", "True 5"]
    assert (tmp_path / f"count.{os.getpid()}.ended").read_text() == "xx"


def test_workers_that_cannot_begin_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The second worker fails three times, and is tried again each time."""
    behaviour = """
if 2 <= begun <= 4:
    tell("failed", "the database is away", None)
    sys.exit(1)
tell("ready", 0)
time.sleep(600)
"""
    kept(monkeypatch, tmp_path, behaviour, _end_when(tmp_path, 5))
    said = capfd.readouterr()
    assert said.err.count("podium: the database is away\n") == 3
    assert said.err.count("podium: worker 2 (process") == 3


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ('tell("failed", "no such database", "make one")', "no such database\n  hint: make one"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "the first worker ended by SIGKILL before it was ready"),
    ],
)
def test_a_first_worker_that_cannot_begin_is_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str, reason: str
) -> None:
    with pytest.raises(InputError) as caught:
        kept(monkeypatch, tmp_path, behaviour, lambda heard: None)
    assert str(caught.value) == reason


def test_a_second_interrupt_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that do not end are killed."""
    behaviour = 'signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntell("ready", 0)\ntime.sleep(600)'
    first, second = (_end_when(tmp_path, 2, signal.SIGINT) for _ in range(2))
    kept(monkeypatch, tmp_path, behaviour, lambda heard: (first(heard), second(heard)))
    assert not (tmp_path / f"count.{os.getpid()}.ended").exists()


def test_a_port_is_taken_once() -> None:
    settings = ServerSettings(port=free_port())
    with listening_socket(settings) as listener:
        listener.listen()
        reason = f"port {settings.port}: Address already in use"
        with pytest.raises(InputError, match=reason), listening_socket(settings):
            raise AssertionError("two have the port")
    with socket.socket() as other, pytest.raises(OSError, match="refused"):
        other.connect(("127.0.0.1", settings.port))
