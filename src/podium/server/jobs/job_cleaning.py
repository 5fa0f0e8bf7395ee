"""What is left of jobs goes after a while: their files after a day, the jobs themselves after a month.

Jobs that recorded a part of their file stay: without them nobody could tell that entries are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from podium.server import machine
from podium.server.jobs.half_imports import RECORDED_A_PART
from podium.server.storage import tables

if TYPE_CHECKING:
    from podium.server.service import Service

DAY_MICROS = 86_400_000_000
FILES_KEPT_DAYS, JOBS_KEPT_DAYS = 1, 30
PIECES_AT_ONCE = 50
"""Pieces of files that one transaction removes: some 50 MB, which nobody has to wait for long."""
_OVER = ("done", "failed", "cancelled")


def clean_jobs(service: Service) -> None:
    """Remove the files of jobs that ended a day ago, and jobs that ended a month ago."""
    _clean_files(service, machine.now_micros() - FILES_KEPT_DAYS * DAY_MICROS)
    job = tables.job
    ended = func.coalesce(job.c.finished, job.c.created)
    old = (
        job.c.status.in_(_OVER),
        ended < machine.now_micros() - JOBS_KEPT_DAYS * DAY_MICROS,
        ~RECORDED_A_PART,
    )
    with service.database.writing() as connection:
        connection.execute(delete(job).where(*old))


def _clean_files(service: Service, before: int) -> None:
    job, part = tables.job, tables.job_part
    ended = func.coalesce(job.c.finished, job.c.created)
    over = select(job.c.id).where(job.c.status.in_(_OVER), ended < before)
    while True:
        with service.database.writing() as connection:
            some = connection.execute(
                select(part.c.job, part.c.name, part.c.number)
                .where(part.c.job.in_(over))
                .limit(PIECES_AT_ONCE)
            ).all()
            for one in some:
                mine = (part.c.job == one.job, part.c.name == one.name, part.c.number == one.number)
                connection.execute(delete(part).where(*mine))
        if len(some) < PIECES_AT_ONCE:
            return
