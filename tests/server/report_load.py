"""A load of reports from several threads, each of which sends a report until it knows what became of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from itertools import count
from random import Random
from threading import Event, Thread
from typing import Any

from podium.server import machine
from podium.server.log.server_clock import ServerClock
from podium.server.log.verifying import verify
from podium.server.storage.database import Database
from server.service_processes import Worker, call

PLAYERS = 12
MOST_TRIES = 2_000
MOST_IN_BULK = 5


class Load:
    """Threads that report to a ladder until they are stopped."""

    def __init__(self, workers: Sequence[Worker], *, threads: int, seed: int) -> None:
        self._workers, self._stop = workers, Event()
        self.acknowledged: dict[str, int] = {}
        """The number that was answered for each key."""
        self.refused: set[str] = set()
        """Keys of reports that were refused for good."""
        self.wrong: list[Any] = []
        """Answers that should not have been."""
        self._threads = [
            Thread(target=self._run, args=[one, Random(seed * 100 + one)]) for one in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let every thread settle what it has sent, and end."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, thread: int, chance: Random) -> None:
        try:
            for number in count():
                if self._stop.is_set():
                    return
                self._report(f"{thread}-{number}", chance)
        except BaseException as error:
            self.wrong.append(error)
            raise

    def _report(self, key: str, chance: Random) -> None:
        kind = chance.random()
        if kind < 0.1:  # such that every system refuses it
            sent: Any = {"key": key, "adjustment": "release", "player": f"nobody {key}"}
            path = "events"
        elif kind < 0.2:
            sent = [self._match(f"{key}-{one}", chance) for one in range(chance.randint(1, MOST_IN_BULK))]
            path = f"events/bulk?atomic={chance.choice(['true', 'false'])}"
        else:
            sent, path = self._match(key, chance), "events"
        status, found = self._settled(f"/api/v1/ladders/chess/{path}", sent, chance)
        if kind < 0.1 and status == 404:
            self.refused.add(key)
        elif status in (200, 201) and kind >= 0.1:
            for outcome in found.get("outcomes", [found]):
                self.acknowledged[outcome["key"]] = outcome["number"]
        else:
            self.wrong.append((status, found))

    def _match(self, key: str, chance: Random) -> dict[str, Any]:
        one, other = chance.sample(range(PLAYERS), 2)
        return {"key": key, "ranks": {f"player {one}": 1, f"player {other}": 2}}

    def _settled(self, path: str, sent: Any, chance: Random) -> tuple[int, dict[str, Any]]:
        """The answer to a report that is sent again, with its key, as long as nobody answers for certain."""
        for _ in range(MOST_TRIES):
            connection = HTTPConnection("127.0.0.1", chance.choice(self._workers).port, timeout=30)
            try:
                status, found = call(connection, "POST", path, sent)
            except (OSError, HTTPException):
                time.sleep(0.01)
                continue
            finally:
                connection.close()
            if status != 503:
                return status, found
            time.sleep(0.02)
        raise TimeoutError(f"nobody answers for certain: {sent}")


def log_of(worker: Worker) -> list[dict[str, Any]]:
    """All entries of the log."""
    entries: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = worker.api("GET", f"/ladders/chess/events?order=oldest&limit=1000{cursor}")
        entries += page["entries"]
        if page["next"] is None:
            return entries
        cursor = f"&cursor={page['next']}"


def check_stored(address: str) -> None:
    """What is stored of the ladder is what its log says."""
    database = Database(address)
    found = verify(database, "chess", ServerClock(machine.now_micros()))
    database.close()
    assert found["clean"], found["findings"]
    assert not found["drifted"]
