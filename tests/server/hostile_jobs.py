"""Kinds of jobs that harm their process, or wait for another one; a job process imports this module."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy import func, select

from podium.server.jobs.job_kinds import JOB_KINDS, JobContext
from podium.server.storage import tables

MEGABYTE = 1_000_000
PATIENCE_SECONDS = 60.0
_held: list[bytearray] = []


def take_memory(context: JobContext) -> dict[str, Any]:
    """Take so many megabytes, and keep them; a file is left in the temporary folder meanwhile."""
    Path(tempfile.mkdtemp(prefix="podium-import-"), "upload.csv").write_text("ann,bob")
    for _ in range(context.job.arguments["megabytes"] // 10):
        _held.append(bytearray(b"x" * (10 * MEGABYTE)))
        time.sleep(0.01)
    return {}


def crash(context: JobContext) -> dict[str, Any]:
    """Bring the process down."""
    os.kill(os.getpid(), signal.Signals[context.job.arguments["by"]])
    return {}


def panic(context: JobContext) -> dict[str, Any]:
    """Fail in a library written in Rust, whose failures Python takes for those that end a process."""
    return {"values": len(pl.repeat(0, 10**13, eager=True))}


def last(context: JobContext) -> dict[str, Any]:
    """Go on for so long, without a word."""
    time.sleep(context.job.arguments["seconds"])
    return {}


def meet(context: JobContext) -> dict[str, Any]:
    """Wait until two jobs run at once; none if they are done one after another."""
    job = tables.job
    running = select(func.count()).where(job.c.kind == "meet", job.c.status.in_(["running", "done"]))
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        with context.database.reading() as connection:
            if connection.execute(running).scalar_one() == 2:
                return {"met": True}
        time.sleep(0.05)
    return {"met": False}


KINDS = (take_memory, crash, panic, last, meet)
JOB_KINDS.update({one.__name__: f"{__name__}:{one.__name__}" for one in KINDS})
