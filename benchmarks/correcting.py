"""How long a correction far back takes, and what reports to other ladders notice of it.

    python benchmarks/correcting.py [--matches 200000] [--players 20000] [--database postgresql://…]

A ladder of matches is reported to a running service. Then the event in its middle is voided, and the program
waits until the new generation has taken over. At the same time single reports go to another ladder, one after
another; how long each takes is told beside how long they take when nothing else happens.
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
from pathlib import Path
from random import Random
from threading import Event as Flag
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

LEVEL_SWITCH_SECONDS = 10.0
LEVEL_REPORT_MILLISECONDS = 100.0
BULK = 5_000
QUIET_SECONDS = 3.0


def main() -> None:
    """Run it, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=200_000)
    parser.add_argument("--players", type=int, default=20_000)
    parser.add_argument("--system", default="elo")
    parser.add_argument("--database")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = chosen.database or str(Path(folder) / "podium.db")
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        command = [sys.executable, "-m", "podium", "serve", "--database", database, "--port", str(port)]
        server = subprocess.Popen(command, env=os.environ | {"PYTHONUNBUFFERED": "1"})
        try:
            measure(f"http://127.0.0.1:{port}", chosen.matches, chosen.players, chosen.system)
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
    wait_until_ready(address)
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
    quiet = latencies(other, lambda: time.perf_counter() < end) if (end := later(QUIET_SECONDS)) else []
    print(f"single reports to another ladder, nothing else going on: {told(quiet)}")
    void(f"{api}/{slug}", matches // 2, other)
    near = time.perf_counter()
    ask(f"{api}/{slug}/events", {"void": matches - 50})
    print(f"voiding an event 50 events back: {1000 * (time.perf_counter() - near):.0f} ms")


def later(seconds: float) -> float:
    """A moment to come."""
    return time.perf_counter() + seconds


def void(ladder: str, number: int, other: str) -> None:
    """Void an event, wait until ratings are computed anew, and report to another ladder meanwhile."""
    busy: list[float] = []
    switched = Flag()
    reporting = Thread(target=lambda: busy.extend(latencies(other, lambda: not switched.is_set())))
    reporting.start()
    begun = time.perf_counter()
    answer = ask(f"{ladder}/events", {"void": number})
    while ask(ladder)["pending"]:
        time.sleep(0.05)
    seconds = time.perf_counter() - begun
    switched.set()
    reporting.join()
    back = answer["number"] - number
    print(
        f"voiding an event {back:,} events back: switched in {seconds:.1f} s (level {LEVEL_SWITCH_SECONDS:g})"
    )
    print(
        f"single reports meanwhile: {told(busy)} (level: 99 of 100 within {LEVEL_REPORT_MILLISECONDS:g} ms)"
    )


def latencies(url: str, goes_on: Any) -> list[float]:
    """How long single reports take, one after another, in seconds."""
    found = []
    while goes_on():
        begun = time.perf_counter()
        ask(url, {"ranks": {"ann": 1, "bob": 2}})
        found.append(time.perf_counter() - begun)
        time.sleep(0.01)
    return found


def told(seconds: list[float]) -> str:
    """The middle and the slow end of some durations."""
    ordered = sorted(1000 * one for one in seconds)
    middle, slow = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"{len(ordered)} reports, median {middle:.1f} ms, p99 {slow:.1f} ms, slowest {ordered[-1]:.1f} ms"


if __name__ == "__main__":
    main()
