"""A file of matches imported into a service: alone, and while single reports go to another ladder.

    python benchmarks/importing.py                          # SQLite
    python benchmarks/importing.py --postgresql             # a PostgreSQL of its own

Prints matches a second from the moment the file has arrived until the job is done, and the processor time
that took in all of podium's processes: for the first file, for which the job process has to start; for the
next one; for one more while a caller reports to another ladder, and for one while three callers report to the
same ladder, with how long those reports took. Then a file of contests, with the ratio to `podium rate`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
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

CONTESTANTS = 1_500
"""Players of each contest."""
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


def contests(rows: int, players: int) -> bytes:
    """A file of contests with guests: event, time, player, rank, rated."""
    dice = random.Random(7)
    lines = ["event,time,player,rank,rated"]
    for number in range(rows // CONTESTANTS):
        when = START + timedelta(hours=number)
        for rank, one in enumerate(dice.sample(range(players), CONTESTANTS), start=1):
            lines.append(f"round {number},{when:%Y-%m-%dT%H:%M:%SZ},player {one},{rank},{rank % 9 > 0}")
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


def report_until(over: Event, port: int, seconds: list[float], ladder: str) -> None:
    """Single reports to a ladder, one after another with pauses."""
    caller = Caller(port)
    while not over.is_set():
        began = time.perf_counter()
        caller.post(f"/ladders/{ladder}/events", {"ranks": {"ann": 1, "bob": 2}})
        seconds.append(time.perf_counter() - began)
        time.sleep(REPORT_SECONDS)


def processor_seconds(process: int) -> float:
    """Processor time of a process, its children, and those of them that have ended."""
    tick = os.sysconf("SC_CLK_TCK")
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own = sum(int(one) for one in fields[11:15]) / tick
    threads = Path(f"/proc/{process}/task").glob("*/children")  # of each thread those that it has started
    return own + sum(processor_seconds(int(one)) for thread in threads for one in thread.read_text().split())


def imported(caller: Caller, process: int, slug: str, content: bytes) -> tuple[float, float]:
    """Import a file into a ladder; returns the seconds that took, and those of processors."""
    before = processor_seconds(process)
    job = caller.ask("POST", f"/ladders/{slug}/imports?name=season.csv", content, "application/octet-stream")
    began = time.perf_counter()
    while job["status"] in ("waiting", "running"):
        time.sleep(0.1)
        job = caller.ask("GET", f"/jobs/{job['number']}")
    assert job["status"] == "done", job
    return time.perf_counter() - began, processor_seconds(process) - before


BESIDE = {"beside reports to another ladder": 1, "beside three reporters to the same ladder": 3}
"""What else happens during an import, and how many callers report then."""


def measure_contests(database: str, name: str, rows: int, players: int) -> None:
    """Import contests, and rate the same file without a service."""
    content = contests(rows, players)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "contests.csv"
        file.write_bytes(content)
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "podium", "rate", str(file), "--system", "elo-mmr"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        alone = time.perf_counter() - began
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        alone_used = ended.ru_utime + ended.ru_stime - before.ru_utime - before.ru_stime
    with served(database) as (port, process):
        caller = Caller(port)
        caller.post("/ladders", {"slug": "contests", "system": "elo-mmr"})
        took, used = imported(caller, process.pid, "contests", content)
    print(f"{name}, {rows:,} rows of contests, elo-mmr: {took:.1f} s ({used:.1f} s of processor time)")
    print(
        f"  podium rate: {alone:.1f} s ({alone_used:.1f} s of processor time); "
        f"the import takes {took / alone:.1f} times as long"
    )


def measure(database: str, name: str, matches: int, players: int) -> None:
    content = season(matches, players)
    print(f"{name}, {matches:,} matches of {players:,} players")
    with served(database) as (port, process):
        caller = Caller(port)
        caller.post("/ladders", {"slug": "other", "system": "elo"})
        caller.post("/ladders/other/events", {"ranks": {"ann": 1, "bob": 2}})
        for number, what in enumerate(["first file", "next file", *BESIDE]):
            slug = f"season-{number}"
            caller.post("/ladders", {"slug": slug, "system": "elo"})
            over, seconds = Event(), list[float]()
            reporters = BESIDE.get(what, 0)
            given = (over, port, seconds, "other" if reporters == 1 else slug)
            threads = [Thread(target=report_until, args=given) for _ in range(reporters)]
            for thread in threads:
                thread.start()
            took, used = imported(caller, process.pid, slug, content)
            over.set()
            print(f"  {what}: {took:.1f} s, {matches / took:,.0f} a second ({used:.1f} s of processor time)")
            for thread in threads:
                thread.join()
            if reporters:
                tell_reports(seconds)
        began = time.perf_counter()
        caller.ask("GET", "/ladders/season-0/leaderboard")
        print(f"  the first page afterwards: {1e3 * (time.perf_counter() - began):.0f} ms")


def tell_reports(seconds: list[float]) -> None:
    """Say how long single reports took."""
    ordered = sorted(1e3 * one for one in seconds)
    print(
        f"    {len(ordered)} single reports: median {ordered[len(ordered) // 2]:.0f} ms, "
        f"99% within {ordered[int(len(ordered) * 0.99)]:.0f} ms, longest {ordered[-1]:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--matches", type=int, default=500_000)
    parser.add_argument("--players", type=int, default=20_000)
    parser.add_argument("--contest-rows", type=int, default=1_500_000)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="podium-", ignore_cleanup_errors=True)
        )
        database, name = str(Path(folder) / "podium.db"), "SQLite"
        if given.postgresql:
            database, name = stack.enter_context(postgresql(folder)), "PostgreSQL"
        measure(database, name, given.matches, given.players)
        measure_contests(database, name, given.contest_rows, given.players)


if __name__ == "__main__":
    main()
