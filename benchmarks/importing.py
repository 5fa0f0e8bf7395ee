"""A file of matches imported into a service: alone, and while single reports go to another ladder.

    python benchmarks/importing.py                          # SQLite
    python benchmarks/importing.py --postgresql             # a PostgreSQL of its own

Prints matches a second from the moment the file has arrived until the job is done, and the processor time
that took in all of podium's processes: for the first file, for which the job process has to start; for the
next one; and for one more while somebody reports to another ladder, with how long those reports took.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any

from service import postgresql, wait_until_ready

START = datetime(2025, 1, 1, tzinfo=UTC)
REPORT_SECONDS = 0.02
"""Time between two single reports."""


def season(matches: int, players: int) -> bytes:
    """A file of matches: time, winner, loser."""
    dice = random.Random(7)
    lines = ["time,winner,loser"]
    for number in range(matches):
        one, other = dice.sample(range(players), 2)
        when = START + timedelta(seconds=40 * number)
        lines.append(f"{when:%Y-%m-%dT%H:%M:%SZ},player {one},player {other}")
    return "\n".join(lines).encode()


@contextmanager
def served(database: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """`podium serve` on a free port."""
    from socket import socket

    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "podium", "serve", "--database", database, "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_until_ready(port)
        yield port, process
    finally:
        process.terminate()
        process.wait()


class Caller:
    """A connection to the service that stays open."""

    def __init__(self, port: int) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=600)

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        self.connection.request(method, f"/api/v1{path}", body, {"Content-Type": kind})
        answer = self.connection.getresponse()
        found = json.load(answer)
        assert answer.status < 300, found
        return found

    def post(self, path: str, sent: Any) -> Any:
        return self.ask("POST", path, json.dumps(sent).encode())


def report_until(over: Event, port: int, seconds: list[float]) -> None:
    """Single reports to another ladder, one after another with pauses."""
    caller = Caller(port)
    number = 0
    while not over.is_set():
        began = time.perf_counter()
        caller.post("/ladders/other/events", {"key": f"r{number}", "ranks": {"ann": 1, "bob": 2}})
        seconds.append(time.perf_counter() - began)
        number += 1
        time.sleep(REPORT_SECONDS)


def processor_seconds(process: int) -> float:
    """Processor time of a process, its children, and those of them that have ended."""
    tick = os.sysconf("SC_CLK_TCK")
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own = sum(int(one) for one in fields[11:15]) / tick
    threads = Path(f"/proc/{process}/task").glob("*/children")  # of each thread those that it has started
    return own + sum(processor_seconds(int(one)) for thread in threads for one in thread.read_text().split())


def imported(caller: Caller, process: int, slug: str, content: bytes) -> tuple[float, float]:
    """Import a file into a new ladder; returns the seconds that took, and those of processors."""
    caller.post("/ladders", {"slug": slug, "system": "elo"})
    before = processor_seconds(process)
    job = caller.ask("POST", f"/ladders/{slug}/imports?name=season.csv", content, "application/octet-stream")
    began = time.perf_counter()
    while job["status"] in ("waiting", "running"):
        time.sleep(0.1)
        job = caller.ask("GET", f"/jobs/{job['number']}")
    assert job["status"] == "done", job
    return time.perf_counter() - began, processor_seconds(process) - before


def measure(database: str, name: str, matches: int, players: int) -> None:
    content = season(matches, players)
    print(f"{name}, {matches:,} matches of {players:,} players")
    with served(database) as (port, process):
        caller = Caller(port)
        caller.post("/ladders", {"slug": "other", "system": "elo"})
        caller.post("/ladders/other/events", {"ranks": {"ann": 1, "bob": 2}})
        for number, what in enumerate(["first file", "next file", "beside reports"]):
            over, seconds = Event(), list[float]()
            reporting = Thread(target=report_until, args=(over, port, seconds))
            if what == "beside reports":
                reporting.start()
            took, used = imported(caller, process.pid, f"season-{number}", content)
            over.set()
            print(f"  {what}: {took:.1f} s, {matches / took:,.0f} a second ({used:.1f} s of processor time)")
            if what == "beside reports":
                reporting.join()
                tell_reports(seconds)
        began = time.perf_counter()
        caller.ask("GET", "/ladders/season-0/leaderboard")
        print(f"  the first page afterwards: {1e3 * (time.perf_counter() - began):.0f} ms")


def tell_reports(seconds: list[float]) -> None:
    """Say how long single reports took."""
    ordered = sorted(1e3 * one for one in seconds)
    print(
        f"  {len(ordered)} single reports to another ladder: median {ordered[len(ordered) // 2]:.0f} ms, "
        f"99% within {ordered[int(len(ordered) * 0.99)]:.0f} ms, longest {ordered[-1]:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--matches", type=int, default=500_000)
    parser.add_argument("--players", type=int, default=20_000)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="podium-", ignore_cleanup_errors=True)
        )
        database, name = str(Path(folder) / "podium.db"), "SQLite"
        if given.postgresql:
            database, name = stack.enter_context(postgresql(folder)), "PostgreSQL"
        measure(database, name, given.matches, given.players)


if __name__ == "__main__":
    main()
