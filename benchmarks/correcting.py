"""How long a correction takes, and what readers of its ladder and reports to others notice of it.

    python benchmarks/correcting.py [--matches 200000] [--players 20000] [--contestants 5000]
    python benchmarks/correcting.py --postgresql            # a PostgreSQL of its own

A ladder of matches is reported to a running service. Then the event in its middle is voided, and the program
waits until the new generation has taken over. At the same time single reports go to another ladder, one after
another; how long each takes is told beside how long they take when nothing else happens.

Then a ladder of contests is reported. The contest 100 back is voided, and then the last one, while one caller
reads the ladder and another one reports to it: how long each of their requests takes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from threading import Event as Flag
from typing import Any
from urllib.request import Request, urlopen

from service import postgresql

LEVEL_SWITCH_SECONDS = 10.0
LEVEL_REPORT_MILLISECONDS = 100.0
LEVEL_READ_MILLISECONDS = 500.0
BULK = 5_000
QUIET_SECONDS = 3.0
CONTESTS = 110
CONTESTS_BACK = 100
PAUSE_SECONDS = 0.01
GAME = {"ranks": {"ann": 1, "bob": 2}}


def main() -> None:
    """Run it, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=200_000)
    parser.add_argument("--players", type=int, default=20_000)
    parser.add_argument("--contestants", type=int, default=5_000)
    parser.add_argument("--system", default="elo")
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--database")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="podium-", ignore_cleanup_errors=True)
        )
        database = chosen.database or str(Path(folder) / "podium.db")
        if chosen.postgresql:
            database = stack.enter_context(postgresql(folder))
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        command = [sys.executable, "-m", "podium", "serve", "--database", database, "--port", str(port)]
        server = subprocess.Popen(command, env=os.environ | {"PYTHONUNBUFFERED": "1"})
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_ready(address)
            if chosen.matches:
                measure(address, chosen.matches, chosen.players, chosen.system)
            if chosen.contestants:
                measure_contests(address, chosen.contestants)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)


def ask(url: str, sent: Any = None) -> Any:
    """The answer to a request."""
    body = None if sent is None else json.dumps(sent).encode()
    request = Request(url, body, {"Content-Type": "application/json"} if body else {})
    with urlopen(request, timeout=600) as answer:
        return json.load(answer)


def wait_until_ready(address: str) -> None:
    """Wait for a service that has just been started."""
    for _ in range(3000):
        try:
            ask(f"{address}/readyz")
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the service did not start")


def measure(address: str, matches: int, players: int, system: str) -> None:
    """Report matches, void one, and tell how long everything took."""
    api = f"{address}/api/v1/ladders"
    slug = f"large-{time.time_ns()}"
    for name in (slug, f"{slug}-other"):
        ask(api, {"slug": name, "system": system})
    chance = Random(1)
    begun = time.perf_counter()
    for start in range(0, matches, BULK):
        pairs = (chance.sample(range(players), 2) for _ in range(min(BULK, matches - start)))
        sent = [{"ranks": {f"p{a}": 1, f"p{b}": 2}, "time": start} for a, b in pairs]
        ask(f"{api}/{slug}/events/bulk?changes=false", sent)
    print(f"{matches:,} matches of {players:,} players reported in {time.perf_counter() - begun:.1f} s")
    other = f"{api}/{slug}-other/events"
    end = time.perf_counter() + QUIET_SECONDS
    quiet = latencies(lambda: ask(other, GAME), lambda: time.perf_counter() < end)
    print(f"single reports to another ladder, nothing else going on: {told(quiet)}")
    void(f"{api}/{slug}", matches // 2, other)
    near = time.perf_counter()
    ask(f"{api}/{slug}/events", {"void": matches - 50})
    print(f"voiding an event 50 events back: {1000 * (time.perf_counter() - near):.0f} ms")


def measure_contests(address: str, players: int) -> None:
    """Report contests, void one far back and the last one, and tell what readers and reports notice."""
    slug = f"contests-{time.time_ns()}"
    ask(f"{address}/api/v1/ladders", {"slug": slug, "system": "elo-mmr"})
    ladder = f"{address}/api/v1/ladders/{slug}"
    chance, names = Random(1), [f"p{number}" for number in range(players)]
    for number in range(CONTESTS):
        chance.shuffle(names)
        ranks = {name: place for place, name in enumerate(names, start=1)}
        ask(f"{ladder}/events?changes=false", {"ranks": ranks, "time": number})
    end = time.perf_counter() + QUIET_SECONDS
    quiet = latencies(lambda: ask(f"{ladder}/leaderboard"), lambda: time.perf_counter() < end)
    print(f"leaderboards of contests of {players:,}, nothing else going on: {told(quiet)}")
    for back in (1, CONTESTS_BACK):
        with (
            beside(lambda: ask(f"{ladder}/leaderboard")) as reads,
            beside(lambda: ask(f"{ladder}/events", GAME)) as reports,
        ):
            begun = time.perf_counter()
            ask(f"{ladder}/events?changes=false", {"void": CONTESTS - back})
            answered = time.perf_counter() - begun
            while ask(ladder)["pending"]:
                time.sleep(0.05)
            seconds = time.perf_counter() - begun
        print(
            f"voiding a contest of {players:,} {back} contests back: "
            f"answered in {answered:.1f} s, switched in {seconds:.1f} s"
        )
        print(f"  leaderboards meanwhile: {told(reads)} (level: all within {LEVEL_READ_MILLISECONDS:g} ms)")
        print(f"  single reports to the ladder meanwhile: {told(reports)}")


def void(ladder: str, number: int, other: str) -> None:
    """Void an event, wait until ratings are computed anew, and report to another ladder meanwhile."""
    with beside(lambda: ask(other, GAME)) as busy:
        begun = time.perf_counter()
        answer = ask(f"{ladder}/events", {"void": number})
        while ask(ladder)["pending"]:
            time.sleep(0.05)
        seconds = time.perf_counter() - begun
    back = answer["number"] - number
    print(
        f"voiding an event {back:,} events back: switched in {seconds:.1f} s (level {LEVEL_SWITCH_SECONDS:g})"
    )
    print(
        f"single reports meanwhile: {told(busy)} (level: 99 of 100 within {LEVEL_REPORT_MILLISECONDS:g} ms)"
    )


@contextmanager
def beside(request: Callable[[], Any]) -> Iterator[list[float]]:
    """Make a request again and again during the block; afterwards the list has how long each took."""
    over, found = Flag(), list[float]()
    with ThreadPoolExecutor(1) as thread:
        making = thread.submit(latencies, request, lambda: not over.is_set())
        time.sleep(PAUSE_SECONDS)
        try:
            yield found
        finally:
            over.set()
            found += making.result()


def latencies(request: Callable[[], Any], goes_on: Callable[[], bool]) -> list[float]:
    """How long requests take, one after another, in seconds."""
    found = []
    while goes_on():
        begun = time.perf_counter()
        request()
        found.append(time.perf_counter() - begun)
        time.sleep(PAUSE_SECONDS)
    return found


def told(seconds: list[float]) -> str:
    """The middle and the slow end of some durations."""
    ordered = sorted(1000 * one for one in seconds)
    middle, slow = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"{len(ordered)} requests, median {middle:.1f} ms, p99 {slow:.1f} ms, slowest {ordered[-1]:.1f} ms"


if __name__ == "__main__":
    main()
