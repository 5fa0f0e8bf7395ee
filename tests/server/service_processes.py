"""Services in processes of their own, which can be killed at any moment and started again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

NURSERY = """
import json, os, signal, sys
import podium.server.service
podium.server.service.compile_kernels = lambda told: None
import uvicorn
from podium import Ladder
from podium.server.correcting import near_amendments
from podium.server.http.app import make_app
from podium.server.processes.service_processes import Surroundings, serve
from podium.server.settings import ServerSettings

def nothing(*_):
    pass

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
Ladder("elo").record_match("ann", "bob")
print("ready", flush=True)
children = []
for line in sys.stdin:
    database, port, settings = json.loads(line)
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        if settings:
            near_amendments.NEAR_ROWS = settings.pop("near_rows", near_amendments.NEAR_ROWS)
            serve(ServerSettings(database=database, port=port, **settings), Surroundings(nothing, nothing))
            os._exit(0)
        app = make_app(ServerSettings(database=database))
        uvicorn.run(app, host="127.0.0.1", port=port, log_level="critical", access_log=False)
        os._exit(0)
    children.append(child)
    print(child, flush=True)
for child in children:
    try:
        os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
"""
"""A process that has imported everything and forks whatever is asked for: importing takes seconds."""

Answer = tuple[int, dict[str, Any]]


class Worker:
    """A worker of the service on a port of its own, on which it can be started again."""

    def __init__(self, nursery: Nursery, database: str, settings: dict[str, Any]) -> None:
        self._nursery, self._database, self._settings = nursery, database, settings
        self.port = free_port()
        self.process = 0

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self.begin()
        self.wait_until_ready()

    def begin(self) -> None:
        """Start it."""
        self.process = self._nursery.fork(self._database, self.port, self._settings)

    def wait_until_ready(self) -> None:
        """Wait until it answers."""
        for _ in range(1200):
            with suppress(OSError, HTTPException):
                if self.call("GET", "/readyz")[0] == 200:
                    return
            time.sleep(0.02)
        raise TimeoutError("the service does not begin")

    def kill(self) -> None:
        """End it at once."""
        os.kill(self.process, signal.SIGKILL)
        while is_running(self.process):
            time.sleep(0.001)

    def job_process(self) -> int | None:
        """The process that does its jobs, if there is one now."""
        try:
            children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        except OSError:
            return None
        return int(children[0]) if children else None

    def call(self, method: str, path: str, sent: Any = None) -> Answer:
        """The status and the document of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            return call(connection, method, path, sent)
        finally:
            connection.close()

    def api(self, method: str, path: str, sent: Any = None) -> dict[str, Any]:
        """The document of an answer of the API, which must not be a refusal."""
        status, found = self.call(method, f"/api/v1{path}", sent)
        assert status < 300, found
        return found


def call(connection: HTTPConnection, method: str, path: str, sent: Any = None) -> Answer:
    """The status and the document of an answer, over a connection that stays open."""
    body = None if sent is None else json.dumps(sent)
    connection.request(method, path, body, {} if body is None else {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def is_running(process: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Nursery:
    """Forks workers."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def fork(self, database: str, port: int, settings: dict[str, Any]) -> int:
        """A new process that serves a database; with `settings`, as `podium serve` does."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([database, port, settings]), file=self._process.stdin)
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def worker(self, database: str, **settings: Any) -> Worker:
        """A worker that is ready; with `settings`, one that begins and ends as `podium serve` does.

        `near_rows` among them is how many rows of a log it rates again at once; a job does the rest.
        """
        found = Worker(self, database, settings)
        found.start()
        return found


@contextmanager
def open_nursery() -> Iterator[Nursery]:
    """A nursery, which ends with all that it has forked."""
    command = [sys.executable, "-c", NURSERY]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield Nursery(process)
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()
