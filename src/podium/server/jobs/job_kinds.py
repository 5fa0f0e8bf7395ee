"""Jobs as whoever writes one sees them: the kinds, and what a running job may do.

A job is run by `function(context)` of its kind and answers its result as plain data. It may be killed at any
moment, and is then run again from its start: it has to find out itself what it has done already.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from podium.server import machine
from podium.server.jobs.job_leases import Answer, Writer, call_fenced, note_progress
from podium.server.jobs.job_parts import PartReader, PartWriter
from podium.server.jobs.job_rows import JobCancelledError, JobRow, enqueue
from podium.server.storage.database import Database

__all__ = ["CLEANING", "JOB_KINDS", "JobCancelledError", "JobContext", "JobRow", "enqueue", "job_function"]

PROGRESS_SECONDS = 0.25
"""How often the progress of a job is written down at most."""

JOB_KINDS: dict[str, str] = {
    "export": "podium.server.jobs.exporting:export_ladder",
    "import": "podium.server.jobs.importing:import_file",
    "comparison": "podium.server.correcting.system_choice:compare_systems",
    "consequences": "podium.server.correcting.rerating_jobs:tell_consequences",
    "rerate": "podium.server.correcting.rerating_jobs:rerate",
}
"""The function of each kind of job, as ``module:function``; it is imported when the first such job runs."""
CLEANING: list[str] = [
    "podium.server.jobs.job_cleaning:clean_jobs",
    "podium.server.correcting.generation_cleaning:clean_generations",
]
"""Functions, as ``module:function``, that take a `Service` and remove what nobody needs any more. They are
called where writing is allowed, now and then while no job runs."""


def named_function(name: str) -> Callable[..., Any]:
    """The function that ``module:function`` names."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


class JobContext:
    """What a job sees while it runs, in the job process."""

    def __init__(self, job: JobRow, database: Database, writer: Writer, holder: str) -> None:
        self.job = job
        self.database = database
        """For reading; a job never writes to it directly."""
        self.holder = holder
        self._writer = writer
        self._told = 0.0

    def write(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Run a function of a module where writing is allowed: ``function(service, *args)``.

        On PostgreSQL that is this process, on SQLite the server. Arguments and answer are pickled on the way.
        Every transaction of it is refused with `JobCancelledError` once this process does not hold the job
        any more.
        """
        answer: Answer = self._writer(call_fenced, self.job.id, self.holder, function, args)
        return answer

    def progress(self, done: int, total: int | None) -> None:
        """Tell how far the job is; raises `JobCancelledError` if it should stop."""
        if machine.monotonic() - self._told < PROGRESS_SECONDS:
            return
        self._writer(note_progress, self.job.id, self.holder, done, total)
        self._told = machine.monotonic()

    def part_reader(self, name: str) -> PartReader:
        """A file of the job, as a stream of bytes to read."""
        return PartReader(self.database, self.job.id, name)

    def part_writer(self, name: str) -> PartWriter:
        """A file of the job, as a stream of bytes to write; what there was under this name goes."""
        return PartWriter(self.write, self.job.id, name)


JobFunction = Callable[[JobContext], dict[str, Any]]


def job_function(kind: str) -> JobFunction:
    """What does jobs of a kind."""
    return named_function(JOB_KINDS[kind])
