"""Services as people run them: real processes at a real port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from cli.command import PATIENCE, PODIUM
from server.service_processes import free_port

_OPENER = build_opener(ProxyHandler({}))
UNWARMED = str(Path(__file__).with_name("unwarmed.py"))
"""Code for --import, with which a service loads kernels when it first needs them."""


def until(what: Callable[[], Any], said: Callable[[], str] = str) -> Any:
    """Wait until something is so, and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, said()
        time.sleep(0.02)
    return found


class ServiceProcess:
    """`podium serve` on a database, from when it is ready until the block ends.

    Only a `warm` one loads all kernels first, which takes each of its workers seconds.
    """

    def __init__(self, database: str | Path, *options: str, warm: bool = False, **environment: str) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        program = PODIUM if warm else [*PODIUM, "--import", UNWARMED]
        command = [*program, "serve", "--database", str(database), "--port", str(self.port), *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **environment}
        )
        self.said, self.complained = "", ""
        self._readers = [
            threading.Thread(target=self._read, args=(stream, name))
            for stream, name in ((self.process.stdout, "said"), (self.process.stderr, "complained"))
        ]
        for reader in self._readers:
            reader.start()
        until(lambda: "podium serves" in self.said or self.process.poll() is not None, self._all)
        assert self.process.poll() is None, self._all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self._wait()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit status."""
        self.process.send_signal(number)
        return self._wait()

    def get(self, path: str, **headers: str) -> Any:
        """What the service answers, as plain data."""
        return self.asked(Request(self.address + path, headers=headers))[1]

    def post(self, path: str, sent: Any = None, **headers: str) -> tuple[int, Any]:
        """The status and what the service answers to plain data."""
        content = b"" if sent is None else json.dumps(sent).encode()
        headers = {"Content-Type": "application/json", **headers}
        return self.asked(Request(self.address + path, content, headers, method="POST"))

    def asked(self, request: Request) -> tuple[int, Any]:
        """The status and the answer to a request."""
        try:
            with _OPENER.open(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    def create(self, slug: str, system: str = "elo") -> None:
        """Make a ladder."""
        status, said = self.post("/api/v1/ladders", {"slug": slug, "system": system})
        assert status == 201, said

    def report(self, slug: str, key: str, **ranks: int) -> int:
        """Report a match; its number."""
        status, said = self.post(f"/api/v1/ladders/{slug}/events", {"key": key, "ranks": ranks})
        assert status in (200, 201), said
        return int(said["number"])

    def workers(self) -> list[int]:
        """The processes that answer, by their ids."""
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(number) for number in found.split()]

    def _wait(self) -> int:
        status = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return status

    def _read(self, stream: Any, name: str) -> None:
        for line in stream:
            setattr(self, name, getattr(self, name) + line)

    def _all(self) -> str:
        return self.said + self.complained
