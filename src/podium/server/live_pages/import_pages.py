"""Pages on which people import a file: first how podium reads it and the board it would give, then a button.

The file is sent once. Each look at it, with other settings or names, is a job that records nothing and has a
copy of the file; so is the import itself.
"""

from __future__ import annotations

from asyncio import wrap_future
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Request
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from podium.errors import InputError, PodiumError
from podium.pages.rendering import render_import
from podium.server.access.requirements import access_of, needs, sent_form
from podium.server.access.rights import ADMIN, REPORT
from podium.server.http.arriving_files import (
    copied_import,
    file_name,
    received_import,
)
from podium.server.http.bodies import media_type
from podium.server.http.file_forms import MULTIPART, upload_of
from podium.server.http.job_routes import job_of_number
from podium.server.http.ladder_routes import service_of
from podium.server.jobs.half_imports import imported_numbers
from podium.server.jobs.job_rows import JobRow, job_row
from podium.server.live_pages.import_forms import (
    SETTINGS,
    form_of_options,
    offered_names,
    options_of_form,
    shown_import,
)
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.live_links import LADDERS
from podium.server.live_pages.page_answers import HTML, ladder_site, memory_of
from podium.server.log.reports import Report, report_of
from podium.server.log.submissions import Submission
from podium.server.problems import UnknownPageError, for_people, problem_of
from podium.server.storage import tables
from podium.text import shorten

router = APIRouter(include_in_schema=False, prefix="/ladders/{ladder}/admin/imports")

PRIVATE = {"Cache-Control": "private, no-cache"}
JobNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("", dependencies=[needs(REPORT)])
def import_page(request: Request, ladder: str) -> Response:
    """The form for a file."""
    return _page(request, ladder, {})


@router.post("", dependencies=[needs(REPORT)])
async def look_at_file(request: Request, ladder: str) -> Response:
    """Take a file, have a job look at it, and lead to what that finds."""
    try:
        if media_type(request) != MULTIPART:
            raise InputError("the form has no file", hint="reload the page")
        upload = await upload_of(request)
        if not upload.file_name:
            raise InputError("no file was chosen", hint="choose a file first")
        arguments = {
            "name": file_name(upload.file_name),
            "allow_repeat": False,
            "options": {},
            "dry_run": True,
        }
        number = await received_import(request, ladder, arguments, upload.content())
    except PodiumError as error:
        return await run_in_threadpool(_page, request, ladder, {}, error)
    return _lead_to(ladder, number)


@router.get("/{number}", dependencies=[needs(REPORT)])
def look_at_import(request: Request, ladder: str, number: JobNumber) -> Response:
    """How a file is read and what it would give, or what its import has done."""
    job = _job(request, ladder, number)
    return _page(request, ladder, form_of_options(job.arguments["options"]), job=job)


@router.post("/{number}", dependencies=[needs(REPORT)])
async def go_on(request: Request, ladder: str, number: JobNumber) -> Response:
    """Look at the file again with other settings, or import it."""
    form = await sent_form(request)

    def order() -> Response:
        job = _job(request, ladder, number)
        try:
            options = options_of_form(form)
            ticked = [one for place, one in enumerate(offered_names(job)) if f"name-{place}" in form]
            if ticked:
                options["aliases"] = {one["alias"]: one["player"] for one in ticked}
            arguments = {
                "name": job.arguments["name"],
                "allow_repeat": "repeat" in form,
                "options": options,
                "dry_run": form.get("what") != "import",
            }
            service, access = service_of(request), access_of(request)
            return _lead_to(ladder, copied_import(service, access, ladder, job.id, arguments))
        except PodiumError as error:
            return _page(request, ladder, form, error, job)

    return await run_in_threadpool(order)


@router.post("/{number}/undo", dependencies=[needs(ADMIN)])
async def take_import_back(request: Request, ladder: str, number: JobNumber) -> Response:
    """Take back all that an import has recorded and that still counts."""
    service, access = service_of(request), access_of(request)

    def voids() -> tuple[JobRow, list[Report]]:
        job = _job(request, ladder, number)
        with service.ladders.glanced_at(ladder) as (connection, look):
            found = imported_numbers(connection, number)
            counting = [one for one in found if not look.amendments.is_void(one)]
        reason = f"the import of {shorten(job.arguments['name'])} is taken back"
        return job, [
            report_of({"void": one, "reason": reason, "key": f"undo-import-{number}-{one}"})
            for one in counting
        ]

    job, reports = await run_in_threadpool(voids)
    try:
        if not reports:
            raise InputError(
                "no event of this import counts now", hint="events of an export are taken back one by one"
            )
        most = service.settings.reports_at_once
        if len(reports) > most:
            raise InputError(
                f"{most:,} events can be taken back at once, and the import has {len(reports):,}",
                hint="restore the backup from before the import",
            )
        submission = Submission(reports, together=True, actor=access.actor)
        await wrap_future(service.committer.submit(ladder, submission))
        for outcome in submission.outcomes:
            if outcome.error is not None:
                raise outcome.error
    except PodiumError as error:
        return await run_in_threadpool(_page, request, ladder, {}, error, job)
    return RedirectResponse(f"{LADDERS}/{ladder}/events", 303, PRIVATE)


def _lead_to(ladder: str, number: int) -> Response:
    return RedirectResponse(f"{LADDERS}/{ladder}/admin/imports/{number}", 303, PRIVATE)


def _job(request: Request, ladder: str, number: int) -> JobRow:
    """An import of the ladder that whoever asks may look at, without what they may not read."""
    document = job_of_number(service_of(request), access_of(request), number)
    if document["task"] != "import" or document["ladder"] != ladder:
        raise UnknownPageError(f"there is no import {number}")
    with service_of(request).database.reading() as connection:
        row = connection.execute(select(tables.job).where(tables.job.c.id == number)).one()
    return replace(job_row(row), result=document["result"])


def _page(
    request: Request,
    ladder: str,
    filled: dict[str, str],
    error: PodiumError | None = None,
    job: JobRow | None = None,
) -> Response:
    """The page of a file, or the form for one; with what was filled in, and why it was refused."""
    access = access_of(request)
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (connection, found):
        matches = memory_of(request).has_matches(connection, found)
        row = found.look.row
    site = ladder_site(request, row, {}, matches=matches)
    problem = None if error is None else for_people(problem_of(error))
    page = {
        "csrf": access.csrf or "",
        "archived": row.archived,
        "may_amend": access.may(ADMIN, row.id),
        "settings": SETTINGS,
        "filled": filled,
        "problem": problem,
        "job": None if job is None else shown_import(job),
    }
    status = 200 if problem is None else problem["status"]
    return Response(render_import(page, site).encode("utf-8", "replace"), status, PRIVATE, HTML)
