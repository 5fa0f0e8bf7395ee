"""Jobs: taken up by one process at a time, cancelled, fenced, resumed; and their files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, update

from podium.errors import InputError
from podium.server import machine
from podium.server.jobs import job_kinds
from podium.server.jobs.job_kinds import JobCancelledError, JobContext, JobRow, enqueue
from podium.server.jobs.job_leases import (
    MOST_ATTEMPTS,
    cancel_job,
    claim_job,
    finish_job,
    release_jobs,
    settle_death,
)
from podium.server.jobs.job_parts import write_piece
from podium.server.jobs.job_process import JobRunner
from podium.server.jobs.job_rows import job_row
from podium.server.problems import UnavailableError
from podium.server.service import Service
from podium.server.settings import ServerSettings
from podium.server.storage import tables
from podium.server.storage.ladder_rows import create_ladder
from podium.server.storage.migrating import migrate


def rename_all(service: Service, title: str) -> int:
    """Something that writes."""
    with service.database.writing() as connection:
        connection.execute(update(tables.ladder).values(settings=f'{{"title": "{title}"}}'))
    return 1


def write_twice(context: JobContext) -> dict[str, Any]:
    """A job that writes, is cancelled as its arguments say, and writes again."""
    written = context.write(rename_all, "first")
    if context.job.arguments.get("cancel"):
        context.write(cancel_now, context.job.id)
    context.progress(1, 2)
    return {"written": written + context.write(rename_all, "second")}


def cancel_now(service: Service, job: int) -> None:
    """What somebody else does meanwhile."""
    with service.database.writing() as connection:
        cancel_job(connection, job)


def refuse(context: JobContext) -> dict[str, Any]:
    """A job that cannot be done."""
    raise InputError("rank is empty", source="may.csv", line=7)


def copy_file(context: JobContext) -> dict[str, Any]:
    """A job that makes a file out of another."""
    with context.part_reader("input") as file:
        content = file.read()
    writer = context.part_writer("output")
    writer.write(content.upper())
    return {"bytes": writer.finish()}


@pytest.fixture
def service(database_address: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A worker, not open, with kinds of jobs for these tests."""
    for function in (write_twice, refuse, copy_file):
        monkeypatch.setitem(job_kinds.JOB_KINDS, function.__name__, f"{__name__}:{function.__name__}")
    found = Service(ServerSettings(database=database_address))
    migrate(found.database)
    with found.database.writing() as connection:
        create_ladder(connection, {"slug": "chess", "system": "elo"})
    yield found
    found.close()


def ordered(service: Service, kind: str, ladder: int = 1, **arguments: Any) -> int:
    """The number of a new job."""
    with service.database.writing() as connection:
        return enqueue(connection, kind, ladder=ladder, arguments=arguments, actor="somebody")


def looked_up(service: Service, number: int) -> JobRow:
    """A job as it is now."""
    with service.database.reading() as connection:
        return job_row(connection.execute(select(tables.job).where(tables.job.c.id == number)).one())


def direct(service: Service) -> Callable[..., Any]:
    """A writer in this process."""
    return lambda function, *args: function(service, *args)


def run_all(service: Service, keeper: str = "here") -> None:
    """Run the jobs that wait."""
    runner = JobRunner(service.database, direct(service), keeper)
    while runner.run_next():
        pass


def title(service: Service) -> str:
    """What a job has written."""
    with service.database.reading() as connection:
        return str(connection.execute(select(tables.ladder.c.settings)).scalar_one())


def test_a_job_runs_to_its_end_and_says_how_far_it_is(service: Service) -> None:
    number = ordered(service, "write_twice")
    run_all(service)
    job = looked_up(service, number)
    assert (job.status, job.result, job.done, job.total) == ("done", {"written": 2}, 2, 2)
    assert job.actor == "somebody"
    assert job.started is not None
    assert job.finished is not None
    assert "second" in title(service)


def test_a_cancelled_job_writes_nothing_more(service: Service) -> None:
    number = ordered(service, "write_twice", cancel=True)
    run_all(service)
    assert looked_up(service, number).status == "cancelled"
    assert "first" in title(service)


def test_what_a_job_refuses_is_its_reason(service: Service) -> None:
    number = ordered(service, "refuse")
    run_all(service)
    job = looked_up(service, number)
    assert (job.status, job.reason) == ("failed", "may.csv, line 7: rank is empty")


def test_a_process_that_lost_its_job_cannot_write(service: Service) -> None:
    number = ordered(service, "write_twice")
    claimed = claim_job(service, "one", "one/1")
    assert claimed is not None
    assert service.database.kind == "sqlite" or claim_job(service, "two", "two/1") is None  # it is held
    with service.database.writing() as connection:
        connection.execute(update(tables.job).values(held_until=0))
    again = claim_job(service, "two", "two/1")
    assert again is not None
    assert (again.id, again.attempts) == (number, 2)
    late = JobContext(claimed, service.database, direct(service), "one/1")
    with pytest.raises(JobCancelledError, match="another process"):
        late.write(rename_all, "late")
    with pytest.raises(JobCancelledError, match="another process"):
        late.progress(1, 2)
    assert "late" not in title(service)
    assert JobContext(again, service.database, direct(service), "two/1").write(rename_all, "now") == 1


def test_a_job_that_brings_its_process_down_is_given_up(service: Service) -> None:
    number = ordered(service, "write_twice")
    for attempt in range(MOST_ATTEMPTS):
        claimed = claim_job(service, "one", f"one/{attempt}")
        assert claimed is not None
        assert claimed.attempts == attempt + 1
        settle_death(service.database, f"one/{attempt}", "its process was ended by SIGKILL", is_of_job=False)
        assert looked_up(service, number).status == "waiting"
    assert claim_job(service, "one", "one/9") is None
    job = looked_up(service, number)
    assert (job.status, job.finished is not None) == ("failed", True)
    assert job.reason == "its process was ended by SIGKILL (5 times in a row)"


def test_jobs_of_one_ladder_are_done_in_order_and_others_beside_them(service: Service) -> None:
    with service.database.writing() as connection:
        create_ladder(connection, {"slug": "darts", "system": "elo"})
    first, second = ordered(service, "write_twice"), ordered(service, "refuse")
    other = ordered(service, "write_twice", ladder=2)
    claims = [claim_job(service, "one", f"one/{number}") for number in range(3)]
    assert [None if one is None else one.id for one in claims] == [first, other, None]
    finish_job(service, first, "one/0", "done", {}, None)
    third = claim_job(service, "one", "one/3")
    assert third is not None
    assert third.id == second
    late = ordered(service, "write_twice")
    with service.database.writing() as connection:  # a file that took long to arrive
        connection.execute(update(tables.job).where(tables.job.c.id == first).values(status="waiting"))
    assert claim_job(service, "one", "one/4") is None  # the ladder is busy
    finish_job(service, second, "one/3", "done", {}, None)
    claims = [claim_job(service, "one", f"one/{number}") for number in (5, 6)]
    assert [None if one is None else one.id for one in claims] == [first, None]
    assert looked_up(service, late).status == "waiting"


def test_a_job_whose_service_ended_in_order_loses_no_attempt(service: Service) -> None:
    ordered(service, "write_twice")
    for _ in range(2 * MOST_ATTEMPTS):
        claimed = claim_job(service, "one", "one/1")
        assert claimed is not None
        assert claimed.attempts == 1
        release_jobs(service.database, "one")


def test_a_database_that_is_away_is_not_the_fault_of_a_job(service: Service) -> None:
    number = ordered(service, "write_twice")
    times = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal times
        if rename_all in args and (times := times + 1) <= 2 * MOST_ATTEMPTS:
            raise UnavailableError("the database does not answer")
        return function(service, *args)

    runner = JobRunner(service.database, write, "here")
    for _ in range(2 * MOST_ATTEMPTS):
        with pytest.raises(UnavailableError):
            runner.run_next()
    assert runner.run_next()
    job = looked_up(service, number)
    assert (job.status, job.attempts) == ("done", 1)


def test_files_go_after_a_day_and_jobs_after_a_month(service: Service) -> None:
    job, part = tables.job, tables.job_part
    hours = {"new": 1, "yesterday": 25, "last month": 31 * 24, "waiting": 99 * 24}
    for number, (name, age) in enumerate(hours.items(), start=1):
        assert ordered(service, "refuse", name=name) == number
        ended = machine.now_micros() - age * 3_600_000_000
        status = "waiting" if name == "waiting" else "done"
        with service.database.writing() as connection:
            chosen = update(job).where(job.c.id == number)
            connection.execute(chosen.values(status=status, finished=ended, created=ended))
            for piece in range(60):
                write_piece(connection, number, "output", piece, b"some")
    JobRunner(service.database, direct(service), "here").clean()
    with service.database.reading() as connection:
        jobs = list(connection.execute(select(job.c.id).order_by(job.c.id)).scalars())
        files = sorted(set(connection.execute(select(part.c.job)).scalars()))
    assert (jobs, files) == ([1, 2, 4], [1, 4])


def test_files_go_through_a_job_in_pieces(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.server.jobs.job_parts.PIECE_BYTES", 7)
    number = ordered(service, "copy_file")
    claimed = claim_job(service, "one", "one/1")
    assert claimed is not None
    context = JobContext(claimed, service.database, direct(service), "one/1")
    writer = context.part_writer("input")
    for word in ("ann beat bob, ", "bob beat cat"):
        writer.write(word.encode())
    assert writer.finish() == 26
    release_jobs(service.database, "one")
    for _ in range(2):  # run again, as after a crash, it makes the same file
        run_all(service)
        assert looked_up(service, number).result == {"bytes": 26}
        with context.part_reader("output") as file:
            assert file.read() == b"ANN BEAT BOB, BOB BEAT CAT"
        with service.database.writing() as connection:
            connection.execute(update(tables.job).values(status="waiting"))
