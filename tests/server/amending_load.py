"""A load of everything at once: reports and what amends them, imports, exports, and readers of pages."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException
from io import BytesIO
from random import Random
from threading import Thread
from typing import Any

from server.report_load import MOST_IN_BULK, MOST_TRIES, Load
from server.service_processes import Worker

LADDER = "/api/v1/ladders/chess"
FILE_MATCHES = 30
PAGE_ROWS = 3


class AmendingLoad(Load):
    """The load of `Load`, in which events are also voided, corrected, reported late and disqualified from.

    Beside it one thread imports files, one exports the ladder, and one reads the board page by page.
    """

    def __init__(self, workers: Sequence[Worker], *, threads: int, seed: int) -> None:
        self._seed = seed
        self._events: list[int] = []
        """The numbers of events that were acknowledged."""
        self.imported: set[str] = set()
        """The names of events in files whose import was acknowledged."""
        self.boards, self.exports = 0, 0
        """How many boards were read to their end, and how many exports were fetched."""
        super().__init__(workers, threads=threads, seed=seed)
        others = [self._import, self._export, self._read]
        for number, work in enumerate(others):
            thread = Thread(target=self._repeat, args=[work, Random(seed * 1000 + number)])
            self._threads.append(thread)
            thread.start()

    # ------------------------------------------------------------------ amendments

    def _report(self, key: str, chance: Random) -> None:
        known = self._events[:]
        if not known or chance.random() < 0.5:
            super()._report(key, chance)
            mine = (key, *(f"{key}-{one}" for one in range(MOST_IN_BULK)))
            self._events += [self.acknowledged[one] for one in mine if one in self.acknowledged]
            return
        sent = {"key": key, **self._amendment(chance.choice(known), chance)}
        status, found = self._settled(f"{LADDER}/events", sent, chance)
        if status in (200, 201):
            self.acknowledged[key] = found["number"]
            if "late" in sent:
                self._events.append(found["number"])
        elif status == 409 or (status == 400 and "disqualify" in sent):
            self.refused.add(key)  # it is void already, or somebody does not take part any more
        else:
            self.wrong.append((status, found, sent))

    def _amendment(self, number: int, chance: Random) -> dict[str, Any]:
        kind = chance.randrange(4)
        match = self._match("", chance)["ranks"]
        if kind == 0:
            return {"void": number}
        if kind == 1:
            return {"correct": number, "ranks": match}
        if kind == 2:
            moment = datetime.now(UTC) - timedelta(seconds=chance.uniform(0, 3))
            return {"ranks": match, "late": True, "time": moment.isoformat()}
        status, found = self._settled(f"{LADDER}/events/{number}", None, chance)
        assert status == 200, found
        return {"event": number, "disqualify": found["event"]["sides"][0]["players"]}

    # ------------------------------------------------------------------ beside it

    def _repeat(self, work: Any, chance: Random) -> None:
        try:
            number = 0
            while not self._stop.is_set():
                work(number, chance)
                number += 1
        except BaseException as error:
            self.wrong.append(error)
            raise

    def _import(self, number: int, chance: Random) -> None:
        """Import a file; one that is sent again, as nobody answered, is refused as known if it is."""
        names = [f"import {self._seed} {number} {row}" for row in range(FILE_MATCHES)]
        lines = ["event,winner,loser"]
        for name in names:
            one, other = chance.sample(range(12), 2)
            lines.append(f"{name},player {one},player {other}")
        path = f"{LADDER}/imports?name=file-{number}.csv"
        status, found = self._settled(path, "\n".join(lines), chance)
        if status == 202:
            self.imported.update(names)
        else:
            self.wrong.append((status, found))
        self._stop.wait(0.3)

    def _export(self, number: int, chance: Random) -> None:
        status, found = self._settled(f"{LADDER}/exports", {"format": "csv"}, chance)
        while status < 300 and found["status"] in ("waiting", "running") and not self._stop.wait(0.1):
            status, found = self._settled(f"/api/v1/jobs/{found['number']}", None, chance)
        if status >= 300 or found["status"] == "failed":
            self.wrong.append((status, found))
        elif found["status"] == "done":
            _, content = self._settled(found["output"], None, chance)
            assert zipfile.ZipFile(BytesIO(content)).testzip() is None
            self.exports += 1

    def _read(self, number: int, chance: Random) -> None:
        """Read the board to its end, all pages of one generation, unless it is too old to go on with."""
        cursor, generations, places = "", set(), []
        while True:
            status, page = self._settled(f"{LADDER}/leaderboard?limit={PAGE_ROWS}{cursor}", None, chance)
            if status == 410 or self._stop.is_set():
                return
            assert status == 200, page
            generations.add(page["generation"])
            places += [one["display"] for one in page["ratings"]]
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
        if len(generations) > 1:
            self.wrong.append(f"a board of generations {generations}")
        if places:
            self.boards += 1
        self._stop.wait(0.02)

    def _settled(self, path: str, sent: Any, chance: Random) -> tuple[int, Any]:
        """The answer to a request that is sent again as long as nobody answers for certain."""
        if not isinstance(sent, str) and sent is not None:
            return super()._settled(path, sent, chance)
        for _ in range(MOST_TRIES):
            connection = HTTPConnection("127.0.0.1", chance.choice(self._workers).port, timeout=30)
            try:
                if sent is None:
                    connection.request("GET", path)
                else:
                    connection.request("POST", path, sent, {"Content-Type": "application/octet-stream"})
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, HTTPException):
                time.sleep(0.01)
                continue
            finally:
                connection.close()
            if answer.status != 503:
                is_json = "json" in (answer.getheader("content-type") or "")
                return answer.status, json.loads(content) if is_json else content
            time.sleep(0.02)
        raise TimeoutError(f"nobody answers for certain: {path}")


def finished_jobs(worker: Worker) -> list[dict[str, Any]]:
    """All jobs, once none is left to do and no amendment is pending."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        status, ladder = worker.call("GET", LADDER)
        jobs: list[dict[str, Any]] = worker.call("GET", "/api/v1/jobs?limit=1000")[1].get("jobs", [])
        are_over = all(job["status"] not in ("waiting", "running") for job in jobs)
        if status == 200 and not ladder["pending"] and are_over:
            return jobs
        time.sleep(0.1)
    raise TimeoutError(f"jobs do not end: {[job for job in jobs if job['status'] in ('waiting', 'running')]}")
