"""Jobs in a process of their own, which is killed at random moments: nothing is lost, and nothing doubled."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from random import Random
from zipfile import ZipFile

import pytest

from cli.command import PATIENCE
from server.callers import Caller, Plain, called_service
from server.test_imports import FILE, job, rated, ratings, season

MATCHES = 2_400
ROUNDS = {"sqlite": 3, "postgresql": 2}
LONG_ROUNDS = 25
LATEST_SECONDS = 3.0
"""How long after its start a process is killed at the latest: until it has read a file and written most."""


@contextmanager
def busy(database: str) -> Iterator[Caller]:
    """Somebody who calls a service that has jobs done."""
    with called_service(database) as found:
        found.create("chess")
        found.service.keep_jobs()
        yield found


def job_process(caller: Caller) -> int | None:
    """The number of the process that does jobs, if there is one."""
    keeper = caller.service._jobs
    return keeper._processes[0].pid if keeper is not None and keeper._processes else None


def is_over(caller: Caller, number: int) -> bool:
    """Whether a job is."""
    return job(caller, number)["status"] not in ("waiting", "running")


def killed_until_over(caller: Caller, number: int, kills: int, chance: Random) -> Plain:
    """A job when it is over; the process that does it is killed so often before, at random moments."""
    deadline = time.monotonic() + PATIENCE
    last = None
    while not is_over(caller, number):
        assert time.monotonic() < deadline, job(caller, number)
        process = job_process(caller)
        if kills and process not in (None, last):
            time.sleep(chance.uniform(0.0, LATEST_SECONDS))
            with suppress(ProcessLookupError):
                os.kill(process or 0, signal.SIGKILL)
            last, kills = process, kills - 1
        time.sleep(0.05)
    return job(caller, number)


def check_rounds(database: str, rounds: int, seed: int, path: Path) -> None:
    """Import a file and export the ladder while the process that does it is killed."""
    chance = Random(seed)
    text = season(MATCHES)
    with busy(database) as caller:
        sent = {"content": text.encode(), "params": {"name": "season.csv"}, "headers": FILE}
        ordered = caller.client.post("/api/v1/ladders/chess/imports", **sent)
        assert ordered.status_code == 202, ordered.text
        found = killed_until_over(caller, ordered.json()["number"], rounds, chance)
        assert found["status"] == "done", found["reason"]
        keys = [entry["key"] for entry in caller.log()]
        assert len(keys) == len(set(keys)) == MATCHES
        assert ratings(caller) == rated("elo", path, text)
        ordered = caller.client.post("/api/v1/ladders/chess/exports", json={"format": "csv"})
        found = killed_until_over(caller, ordered.json()["number"], rounds // 3, chance)
        assert found["status"] == "done", found["reason"]
        with ZipFile(BytesIO(caller.client.get(found["output"]).content)) as archive:
            assert archive.testzip() is None
            assert len(archive.read("log.csv").splitlines()) == 1 + MATCHES
        caller.verified()


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def test_jobs_go_on_when_their_process_is_killed(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    address: str = request.getfixturevalue(f"{kind}_address")
    check_rounds(address, ROUNDS[kind], 3, tmp_path / "season.csv")


@pytest.mark.long
@pytest.mark.parametrize("kind", ROUNDS)
@pytest.mark.parametrize("seed", range(LONG_ROUNDS // 4))
def test_jobs_go_on_however_often_their_process_is_killed(
    kind: str, seed: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    address: str = request.getfixturevalue(f"{kind}_address")
    check_rounds(address, 4, seed, tmp_path / "season.csv")


def test_the_process_ends_with_its_service(sqlite_address: str) -> None:
    with busy(sqlite_address) as caller:
        caller.report({"ranks": {"ann": 1, "bob": 2}})
        ordered = caller.client.post("/api/v1/ladders/chess/exports", json={})
        while (process := job_process(caller)) is None:
            time.sleep(0.02)
        number = ordered.json()["number"]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    with called_service(sqlite_address) as caller:
        found = job(caller, number)
        assert (found["status"], found["attempts"]) in (("waiting", 0), ("done", 1))
