"""Ratings computed anew by the job process, where that takes longer than reports may wait."""

from __future__ import annotations

import gc
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from podium.server import machine
from podium.server.correcting.amendments import EVERYTHING
from podium.server.correcting.consequences import Consequences, consequences, tried
from podium.server.correcting.rerating import build_generation
from podium.server.jobs.job_rows import enqueue
from podium.server.ladders.followed_ladder import load_ladder
from podium.server.log.reports import report_of
from podium.server.log.server_clock import ServerClock
from podium.server.problems import SupersededError
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number
from podium.systems import make_system
from podium.tables.written_tables import write_frames

if TYPE_CHECKING:
    from podium.server.jobs.job_kinds import JobContext

RERATE = "rerate"
"""The kind of job that computes a ladder's ratings anew; a ladder has at most one."""
OBJECTS_PER_COLLECTION = 50_000
"""Reading a log makes many objects that live for long: with Python's own 700, looking for garbage among them
takes half of the time."""
MOST_DISTURBANCES = 5
"""How often somebody else may begin the same generation before a job gives up."""
ACTIVE = ("waiting", "running")


def active_rerating(connection: Connection, ladder: int) -> int | None:
    """The number of the job that computes a ladder's ratings anew, or will; None if there is none."""
    table = tables.job
    mine = (table.c.ladder == ladder, table.c.kind == RERATE, table.c.status.in_(ACTIVE))
    return connection.execute(select(table.c.id).where(*mine)).scalar_one_or_none()


def enqueue_rerating(connection: Connection, row: LadderRow, actor: str | None = None) -> int:
    """Have what is amended rated again soon, unless that is asked for already; returns the job's number.

    Whoever calls this has the ladder's lock.
    """
    there = active_rerating(connection, row.id)
    if there is not None:
        return there
    return enqueue(connection, RERATE, ladder=row.id, arguments={}, actor=actor)


def tell_consequences(context: JobContext) -> dict[str, Any]:
    """Who would move if a ladder's log were amended far back; nothing is recorded."""
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    job = context.job
    assert job.ladder is not None
    with context.database.reading() as connection:
        live = load_ladder(connection, ladder_of_number(connection, job.ladder))
        report, clock = report_of(job.arguments["report"]), ServerClock(machine.now_micros())
        trial = tried(connection, live, report, clock, most=EVERYTHING)
        assert trial is not None
        found = consequences(connection, trial, context.progress)
        _write_moved(context, found)
        return dict(found.document())


def _write_moved(context: JobContext, found: Consequences) -> None:
    """Write everybody who would move into the file `output` of the job."""
    writer = context.part_writer("output")
    with TemporaryDirectory(prefix="podium-consequences-") as folder:
        path = Path(folder) / "moved.csv"
        write_frames([found.moved.table()], path)
        with path.open("rb") as table:
            shutil.copyfileobj(table, writer)
    writer.finish()


def rerate(context: JobContext) -> dict[str, Any]:
    """Compute a ladder's ratings anew as far as amendments or another system change them.

    A run that was killed leaves a half-built generation, which the next one deletes.
    """
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    job = context.job
    assert job.ladder is not None
    with context.database.reading() as connection:
        slug = ladder_of_number(connection, job.ladder).slug
    chosen = job.arguments.get("system")
    system = None if chosen is None else make_system(chosen["system"], **chosen["parameters"])
    rows = changed = disturbed = 0
    generation = None
    with context.database.building(slug):
        # What is amended just when a generation takes over is in the next one.
        while True:
            try:
                done = build_generation(
                    context.write, context.database, slug, system=system, progress=context.progress
                )
            except SupersededError:  # by a rebuild in another process, which may have done all of it
                if (disturbed := disturbed + 1) == MOST_DISTURBANCES:
                    raise
                continue
            if done is None:
                break
            rows, changed, generation = rows + done.rows, changed + done.changed, done.generation
            system = None
    return {"slug": slug, "generation": generation, "rows": rows, "changed": changed}
