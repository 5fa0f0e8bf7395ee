"""kill -9 of workers, of the job process and of PostgreSQL while everything goes on at once.

Reports, voids, corrections, late events, disqualifications, imports, exports and readers: every acknowledged
entry is in the log once, what is stored is what the log says, and every reader's pages are of one generation.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from server.amending_load import AmendingLoad, finished_jobs
from server.postgresql_servers import PostgreSQL
from server.report_load import check_stored, log_of
from server.service_processes import Nursery, Worker

CHESS = {"slug": "chess", "system": "elo"}
SETTINGS: dict[str, Any] = {"log_level": "error", "near_rows": 5}
"""Nearly all amendments are left to jobs."""


def kill_jobs(worker: Worker) -> None:
    """Kill the process that does jobs, if there is one now."""
    if (process := worker.job_process()) is not None:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def check(load: AmendingLoad, worker: Worker, address: str) -> None:
    """Nothing is lost, nothing doubled, and what is stored is what the log says."""
    assert not load.wrong
    jobs = finished_jobs(worker)
    failed = [job for job in jobs if job["status"] == "failed"]
    assert all(job["task"] == "import" and "already" in job["reason"] for job in failed), failed
    entries = log_of(worker)
    assert [entry["number"] for entry in entries] == list(range(1, len(entries) + 1))
    names = Counter(entry["event"]["name"] for entry in entries if entry["event"] and entry["event"]["name"])
    assert names == Counter(load.imported)
    reported = {entry["key"]: entry["number"] for entry in entries if not _is_imported(entry)}
    assert reported == load.acknowledged
    assert not load.refused & reported.keys()
    assert load.boards
    check_stored(address)


def _is_imported(entry: dict[str, Any]) -> bool:
    return bool(entry["event"] and entry["event"]["name"])


def kill_on_sqlite(nursery: Nursery, address: str, rounds: int, seed: int) -> None:
    chance = Random(seed)
    worker = nursery.worker(address, **SETTINGS)
    worker.api("POST", "/ladders", CHESS)
    load = AmendingLoad([worker], threads=2, seed=seed)
    for number in range(rounds):
        time.sleep(chance.uniform(0.2, 0.8))
        if number % 2:
            kill_jobs(worker)
        else:
            worker.kill()
            worker.start()
    time.sleep(0.5)
    load.stop()
    check(load, worker, address)
    worker.kill()


def kill_on_postgresql(nursery: Nursery, server: PostgreSQL, rounds: int, seed: int) -> None:
    chance = Random(seed)
    address = server.address()
    workers = [nursery.worker(address, **SETTINGS) for _ in range(2)]
    workers[0].api("POST", "/ladders", CHESS)
    load = AmendingLoad(workers, threads=2, seed=seed)
    for number in range(rounds):
        time.sleep(chance.uniform(0.2, 0.8))
        worker = chance.choice(workers)
        if number % 3 == 2:
            server.kill()
            server.start()
        elif number % 3 == 1:
            kill_jobs(worker)
        else:
            worker.kill()
            worker.start()
    time.sleep(0.5)
    load.stop()
    for worker in workers:
        check(load, worker, address)
        worker.kill()


@pytest.mark.compiled
def test_everything_at_once_on_sqlite_survives_kills(nursery: Nursery, sqlite_address: str) -> None:
    kill_on_sqlite(nursery, sqlite_address, rounds=5, seed=11)


@pytest.mark.compiled
def test_everything_at_once_on_postgresql_survives_kills(
    nursery: Nursery, own_postgresql: PostgreSQL
) -> None:
    kill_on_postgresql(nursery, own_postgresql, rounds=5, seed=12)


@pytest.mark.long
def test_fifty_kills_on_sqlite(nursery: Nursery, sqlite_address: str) -> None:
    kill_on_sqlite(nursery, sqlite_address, rounds=50, seed=13)


@pytest.mark.long
def test_fifty_kills_on_postgresql(nursery: Nursery, own_postgresql: PostgreSQL) -> None:
    kill_on_postgresql(nursery, own_postgresql, rounds=50, seed=14)
