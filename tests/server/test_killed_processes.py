"""kill -9 of a worker or of PostgreSQL at random moments under a load of reports alone, fifty times each.

`test_killed_jobs` does the same with everything else at once, also in continuous integration.
"""

from __future__ import annotations

import time
from random import Random

import pytest

from server.postgresql_servers import PostgreSQL
from server.report_load import Load, check_stored, log_of
from server.service_processes import Nursery, Worker

LADDER = {"slug": "chess", "system": "elo"}


def check(load: Load, worker: Worker, address: str) -> None:
    """Every acknowledged report is in the log once, none that was refused; numbers have no gaps."""
    assert not load.wrong
    assert load.acknowledged
    head = worker.api("GET", "/ladders/chess")["head"]
    entries = log_of(worker)
    assert [entry["number"] for entry in entries] == list(range(1, head + 1))
    by_key = {entry["key"]: entry["number"] for entry in entries}
    assert by_key == load.acknowledged  # every client has settled what it sent: there is nothing else either
    assert not load.refused & by_key.keys()
    check_stored(address)


def kill_on_sqlite(nursery: Nursery, address: str, rounds: int, seed: int) -> None:
    chance = Random(seed)
    worker = nursery.worker(address)
    worker.api("POST", "/ladders", LADDER)
    load = Load([worker], threads=4, seed=seed)
    for _ in range(rounds):
        time.sleep(chance.uniform(0.05, 0.4))
        worker.kill()
        worker.start()
    time.sleep(0.1)
    load.stop()
    check(load, worker, address)
    worker.kill()


def kill_on_postgresql(nursery: Nursery, server: PostgreSQL, rounds: int, seed: int) -> None:
    chance = Random(seed)
    address = server.address()
    workers = [nursery.worker(address) for _ in range(2)]
    workers[0].api("POST", "/ladders", LADDER)
    load = Load(workers, threads=4, seed=seed)
    for number in range(rounds):
        time.sleep(chance.uniform(0.05, 0.4))
        if number % 3 == 2:
            server.kill()
            server.start()
        else:
            worker = chance.choice(workers)
            worker.kill()
            worker.start()
    time.sleep(0.1)
    load.stop()
    for worker in workers:
        check(load, worker, address)
        worker.kill()


@pytest.mark.long
def test_a_service_on_sqlite_that_is_killed_fifty_times(nursery: Nursery, sqlite_address: str) -> None:
    kill_on_sqlite(nursery, sqlite_address, rounds=50, seed=3)


@pytest.mark.long
def test_workers_and_databases_that_are_killed_fifty_times(
    nursery: Nursery, own_postgresql: PostgreSQL
) -> None:
    kill_on_postgresql(nursery, own_postgresql, rounds=50, seed=4)
