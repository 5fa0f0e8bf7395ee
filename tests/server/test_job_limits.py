"""Jobs that take too much: their process ends, the job says why, and nothing of it is left."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.command import PATIENCE
from podium.files.leftovers import locked_folder
from podium.server.jobs import job_kinds
from podium.server.jobs.job_rows import enqueue
from server import hostile_jobs
from server.callers import Caller, Plain, called_service
from server.test_imports import job


@contextmanager
def kept(address: str, **settings: Any) -> Iterator[Caller]:
    """Somebody who calls a service that has jobs done, among them harmful ones."""
    with pytest.MonkeyPatch.context() as patch, called_service(address, **settings) as found:
        patch.setattr("podium.server.jobs.kept_process.imported_modules", lambda: [hostile_jobs.__name__])
        for slug in ("chess", "darts"):
            found.create(slug)
        found.service.keep_jobs()
        yield found


def ordered(caller: Caller, kind: str, ladder: int = 1, **arguments: Any) -> int:
    """The number of a new job."""
    assert kind in job_kinds.JOB_KINDS
    with caller.service.database.writing() as connection:
        return enqueue(connection, kind, ladder=ladder, arguments=arguments, actor=None)


def over(caller: Caller, number: int) -> Plain:
    """A job when it is over."""
    deadline = time.monotonic() + PATIENCE
    while (found := job(caller, number))["status"] in ("waiting", "running"):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def processes(caller: Caller) -> list[int]:
    """The processes that do jobs."""
    keeper = caller.service._jobs
    assert keeper is not None
    return [process.pid for process in keeper._processes]


def test_a_job_that_harms_its_process_fails_at_once_and_says_why(
    database_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with kept(database_address, job_memory=1_000_000_000) as caller:
        greedy = over(caller, ordered(caller, "take_memory", megabytes=5_000))
        assert (greedy["status"], greedy["attempts"]) == ("failed", 1)
        assert greedy["reason"] == "it needs more memory than the setting job_memory allows (1 GB)"
        for signal, reason in (
            ("SIGSEGV", "its process crashed with SIGSEGV"),
            (  # of a library that asks for more than the system has to give
                "SIGABRT",
                "its process ended with SIGABRT. The usual cause is too little memory "
                "(setting job_memory: 1 GB)",
            ),
        ):
            crashed = over(caller, ordered(caller, "crash", by=signal))
            assert (crashed["status"], crashed["attempts"]) == ("failed", 1)
            assert crashed["reason"] == reason
        panicked = over(caller, ordered(caller, "panic"))
        assert (panicked["status"], panicked["attempts"]) == ("failed", 1)
        assert "PanicError" in panicked["reason"]
        assert not [path for path in temporary.rglob("*") if path.is_file()]  # what was uploaded is gone
        large = over(caller, ordered(caller, "take_memory", megabytes=650))
        assert large["status"] == "done", large
        until = time.monotonic() + PATIENCE
        while processes(caller):  # which gives the memory back
            assert time.monotonic() < until
            time.sleep(0.05)
    assert not list(temporary.iterdir())


def test_a_job_that_takes_too_long_has_failed(sqlite_address: str) -> None:
    with kept(sqlite_address, job_seconds=1.0) as caller:
        slow = over(caller, ordered(caller, "last", seconds=10 * PATIENCE))
    assert (slow["status"], slow["attempts"]) == ("failed", 1)
    assert slow["reason"] == "it takes longer than the setting job_seconds allows (1 s)"


def test_a_cancelled_job_ends_at_once_and_holds_up_no_other(sqlite_address: str) -> None:
    with kept(sqlite_address, jobs_at_once=1) as caller:
        slow = ordered(caller, "last", seconds=10 * PATIENCE)
        until = time.monotonic() + PATIENCE
        while job(caller, slow)["status"] == "waiting":
            assert time.monotonic() < until
            time.sleep(0.05)
        assert caller.client.delete(f"/api/v1/jobs/{slow}").json()["status"] == "cancelled"
        assert over(caller, ordered(caller, "export", format="csv"))["status"] == "done"


def test_jobs_of_two_ladders_run_at_once(database_address: str) -> None:
    with kept(database_address) as caller:
        first, second = ordered(caller, "meet", ladder=1), ordered(caller, "meet", ladder=2)
        assert over(caller, first)["result"] == over(caller, second)["result"] == {"met": True}


def test_folders_of_killed_services_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, alive, other = (tmp_path / name for name in ("podium-jobs-left", "podium-jobs-alive", "other"))
    for folder in (left, alive, other):
        folder.mkdir()
        (folder / "upload.csv").write_text("ann,bob")
    lock = os.open(alive, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with locked_folder("podium-jobs-") as own:
        (own / "upload.csv").write_text("ann,bob")
        assert sorted(tmp_path.iterdir()) == sorted([alive, other, own])
        with locked_folder("podium-jobs-"):
            assert own.exists()
    assert sorted(tmp_path.iterdir()) == sorted([alive, other])
    os.close(lock)
