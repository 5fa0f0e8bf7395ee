"""Files of imports on their way: the job is ordered first, and begins when its file is there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select, update
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from podium.errors import InputError
from podium.server import machine
from podium.server.access.audit_trail import note
from podium.server.access.requirements import access_of, is_still_allowed
from podium.server.access.rights import ADMIN, REPORT, Access
from podium.server.http.ladder_routes import service_of
from podium.server.jobs.job_parts import PIECE_BYTES, part_size, pieces_of, write_piece
from podium.server.jobs.job_rows import JobStatus, enqueue
from podium.server.problems import TooLargeError, TooManyRequestsError
from podium.server.service import Service
from podium.server.storage import tables
from podium.server.storage.ladder_rows import find_ladder

INPUT = "input"
"""The part of a job that holds its file."""
NOT_ARRIVED = "the file has not arrived yet"
STOPPED = "it was cancelled before its file had arrived"
MOST_WAITING = 1_000
"""Jobs of a ladder that wait, or whose files arrive, at most: one key must not keep out the others."""
MOST_FILES = 10
"""Files of the largest size that the jobs of a ladder may have together."""
ARRIVING_MICROS = 3_600_000_000
"""How long a file may take to arrive; the job of a connection that broke waits no longer."""
RETRY_SECONDS = 60
LONGEST_NAME_BYTES = 200
"""Bytes of a file's name that are kept, the last ones: a file system takes 255."""


def file_name(name: str) -> str:
    """The last part of a path, without letters that no file name has: folders of the sender are left out."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(letter for letter in last if letter.isprintable() and letter not in '"<>|:*?')
    short = kept.encode()[-LONGEST_NAME_BYTES:].decode("utf-8", "ignore")
    return short if short.strip(". ") else "import"


async def received_import(
    request: Request, ladder: str, arguments: dict[str, Any], parts: AsyncIterator[bytes]
) -> int:
    """Order an import whose file is still to arrive, and let it begin when that is there; its number."""
    service = service_of(request)
    order = partial(order_job, service, access_of(request), ladder, "import", arguments)
    number = await run_in_threadpool(partial(order, status="cancelled", reason=NOT_ARRIVED))
    await _receive(request, service, number, parts)
    return number


def copied_import(service: Service, access: Access, ladder: str, job: int, arguments: dict[str, Any]) -> int:
    """Order an import of the file that another job has; its number."""
    with service.database.reading() as connection:
        if part_size(connection, job, INPUT) is None:
            raise InputError(
                "the file is no longer kept", hint="files are deleted after a day: send it again"
            )
    number = order_job(service, access, ladder, "import", arguments, status="cancelled", reason=NOT_ARRIVED)
    for place, piece in enumerate(pieces_of(service.database, job, INPUT)):
        _keep(service, number, place, piece)
    if not _begin(service, number):
        raise InputError(STOPPED, hint="nothing was recorded")
    return number


async def _receive(request: Request, service: Service, number: int, parts: AsyncIterator[bytes]) -> None:
    """Keep what arrives as the file of a job, piece by piece, and let the job begin."""
    most = service.settings.import_bytes
    waiting, size, piece = bytearray(), 0, 0
    async for part in parts:
        waiting += part
        size += len(part)
        if size > most:
            raise TooLargeError(
                f"the largest file allowed has {most:,} bytes", hint="split it into several files"
            )
        while len(waiting) >= PIECE_BYTES:
            await run_in_threadpool(_keep, service, number, piece, bytes(waiting[:PIECE_BYTES]))
            del waiting[:PIECE_BYTES]
            piece += 1
    if waiting or not piece:
        await run_in_threadpool(_keep, service, number, piece, bytes(waiting))
    if not await is_still_allowed(request, REPORT) or not await run_in_threadpool(_begin, service, number):
        raise InputError("the import was cancelled before its file had arrived", hint="nothing was recorded")


def _keep(service: Service, number: int, piece: int, content: bytes) -> None:
    with service.database.writing() as connection:
        write_piece(connection, number, INPUT, piece, content)


def _begin(service: Service, number: int) -> bool:
    """Let a job wait for its turn, now that its file is there; False if it was cancelled meanwhile."""
    with service.database.writing() as connection:
        return _leave_arrival(connection, number, status="waiting", reason=None)


def stop_arrival(connection: Connection, number: int) -> bool:
    """Cancel a job whose file is still to arrive; False if it is no such job."""
    return _leave_arrival(connection, number, reason=STOPPED)


def _leave_arrival(connection: Connection, number: int, **values: Any) -> bool:
    job = tables.job
    arriving = (job.c.id == number, job.c.status == "cancelled", job.c.reason == NOT_ARRIVED)
    return bool(connection.execute(update(job).where(*arriving).values(values)).rowcount)


def _check_room(connection: Connection, ladder: int, import_bytes: int) -> None:
    """Refuse a job of a ladder that has too many which wait, or too many files that are kept."""
    job, part = tables.job, tables.job_part
    arriving = and_(job.c.status == "cancelled", job.c.reason == NOT_ARRIVED)
    lately = job.c.created > machine.now_micros() - ARRIVING_MICROS
    waiting = select(func.count()).where(
        job.c.ladder == ladder, or_(job.c.status == "waiting", and_(arriving, lately))
    )
    if connection.execute(waiting).scalar_one() >= MOST_WAITING:
        raise TooManyRequestsError(
            f"{MOST_WAITING:,} jobs of this ladder are waiting",
            hint="wait until some of them have run, or cancel them",
            seconds=RETRY_SECONDS,
        )
    pieces = select(func.count()).join_from(part, job, part.c.job == job.c.id).where(job.c.ladder == ladder)
    if connection.execute(pieces).scalar_one() * PIECE_BYTES >= MOST_FILES * import_bytes:
        raise TooManyRequestsError(
            f"the files of this ladder's jobs take as much as {MOST_FILES} of the largest size",
            hint="files are deleted a day after their jobs",
            seconds=RETRY_SECONDS,
        )


def order_job(
    service: Service,
    access: Access,
    ladder: str,
    kind: str,
    arguments: dict[str, Any],
    *,
    status: JobStatus = "waiting",
    reason: str | None = None,
) -> int:
    """Order a job of a ladder for a caller, and return its number."""
    with service.database.writing() as connection:
        row = find_ladder(connection, ladder, access=access)
        _check_room(connection, row.id, service.settings.import_bytes)
        if kind == "import":
            row.check_open()
            arguments = {**arguments, "may_adjust": access.may(ADMIN, row.id)}
        number = enqueue(
            connection,
            kind,
            ladder=row.id,
            arguments=arguments,
            actor=access.actor,
            status=status,
            reason=reason,
        )
        note(connection, access, f"{kind} ordered", row.id, {"job": number})
        return number
