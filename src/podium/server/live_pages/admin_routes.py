"""The page on which people report and correct results: first what it would change, then a button.

Whoever may report sees the forms for results; the others are for those who may do everything. A form is
never recorded at once: the page after it says who moves, and holds the report with its key, so that a button
that is pressed twice counts once.
"""

from __future__ import annotations

import json
from asyncio import wrap_future
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from podium.errors import InputError, PodiumError
from podium.history import Event
from podium.pages.rendering import render_admin, render_confirmation
from podium.server.access.form_bodies import sent_form
from podium.server.access.requirements import access_of, check_may, needs
from podium.server.access.rights import ADMIN, REPORT, Access
from podium.server.http.bodies import parsed
from podium.server.http.ladder_routes import service_of
from podium.server.live_pages.expected_moves import Moves, expected_moves
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.live_links import LADDERS
from podium.server.live_pages.page_answers import HTML, ladder_site, memory_of, own_address
from podium.server.live_pages.played_entries import numbered_entries
from podium.server.live_pages.report_forms import SHARED_RANK, TEAM, report_of_form, report_words
from podium.server.log.appending import Submission
from podium.server.log.reports import Report, report_of
from podium.server.problems import problem_of

router = APIRouter(include_in_schema=False, prefix="/ladders/{ladder}/admin")

PRIVATE = {"Cache-Control": "private, no-cache"}
"""A form that somebody goes back to is as it was filled in."""
LONGEST_REPORT = 1_000_000
"""Characters of a report between its form and its button."""

Entry = Annotated[int | None, Query(ge=1, le=2**62)]


@router.get("", dependencies=[needs(REPORT)])
def admin_page(request: Request, ladder: str, event: Entry = None) -> Response:
    """The forms; with the number of an event, those that amend it are filled in."""
    return _forms(request, ladder, {} if event is None else {"number": str(event)})


@router.post("", dependencies=[needs(REPORT)])
async def show_consequences(request: Request, ladder: str) -> Response:
    """What a form would change, with a button that records it."""
    form = await sent_form(request)

    def show() -> Response:
        try:
            sent = report_of_form(form)
            report = _checked(request, ladder, sent)
            moves = expected_moves(service_of(request), ladder, report)
        except PodiumError as error:
            return _forms(request, ladder, form, error)
        return _confirmation(request, ladder, sent, moves)

    return await run_in_threadpool(show)


@router.post("/record", dependencies=[needs(REPORT)])
async def record(request: Request, ladder: str) -> Response:
    """Record what a form said, and show it in the log."""
    form = await sent_form(request)
    try:
        report = await run_in_threadpool(lambda: _checked(request, ladder, _held_report(form)))
        submission = Submission([report], actor=access_of(request).actor)
        await wrap_future(service_of(request).committer.submit(ladder, submission))
        (outcome,) = submission.outcomes
        if outcome.error is not None:
            raise outcome.error
    except PodiumError as refused:
        return await run_in_threadpool(_forms, request, ladder, {}, refused)
    return RedirectResponse(f"{LADDERS}/{ladder}/events/{outcome.number}", 303, PRIVATE)


def _held_report(form: dict[str, str]) -> Any:
    """The report that the page before has held."""
    text = form.get("report", "")
    if len(text) > LONGEST_REPORT:
        raise InputError("the report is too long", hint="large events are reported by the API")
    return parsed(text.encode())


def _checked(request: Request, ladder: str, sent: Any) -> Report:
    """A report that whoever asks may make: only those who may do everything amend and adjust."""
    report = report_of(sent)
    access = access_of(request)
    with service_of(request).ladders.glanced_at(ladder) as (_, look):
        if report.amends or not isinstance(report.content, Event):
            check_may(access, ADMIN, look.row.id)
    return report


# ---------------------------------------------------------------------- pages


def _forms(
    request: Request, ladder: str, filled: dict[str, str], error: PodiumError | None = None
) -> Response:
    """The page of forms, with what was filled in, and why it was refused."""
    access = access_of(request)
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (connection, found):
        matches = memory_of(request).has_matches(connection, found)
        lines = _lines_of(connection, found, filled.get("number", ""))
    row = found.look.row
    problem = None if error is None else problem_of(error)
    page = {
        "csrf": access.csrf or "",
        "may_amend": access.may(ADMIN, row.id),
        "archived": row.archived,
        "filled": {"lines": lines, **filled},
        "problem": problem,
    }
    site = ladder_site(row, access, own_address(request), {}, matches=matches)
    text = render_admin(page, site)
    status = 200 if problem is None else problem["status"]
    return Response(text.encode("utf-8", "replace"), status, PRIVATE, HTML)


def _lines_of(connection: Connection, found: LadderSketch, number: str) -> str:
    """The standings of an event as its form has them; empty if there is none of that number."""
    if not number.isdecimal() or len(number) > 18 or int(number) > found.look.row.head:
        return ""
    entry = numbered_entries(connection, found.look, [int(number)]).get(int(number))
    if entry is None or entry.target is not None or not isinstance(content := entry.content, Event):
        return ""
    placed = sorted(zip(content.ranks, content.sides, strict=True), key=lambda one: one[0])
    lines: list[str] = []
    before = 0
    for rank, side in placed:
        names = f" {TEAM} ".join(found.look.name_of(int(member)) for member in side)
        lines.append(f"{SHARED_RANK} {names}" if rank == before else names)
        before = rank
    return "\n".join(lines)


def _confirmation(request: Request, ladder: str, sent: dict[str, Any], moves: Moves) -> Response:
    """What would change, and the button."""
    access: Access = access_of(request)
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (connection, found):
        matches = memory_of(request).has_matches(connection, found)
    site = ladder_site(
        found.look.row,
        access,
        own_address(request),
        moves.numbers,
        matches=matches,
        digits=found.basis.digits,
    )
    page = {
        "csrf": access.csrf or "",
        "words": report_words(sent),
        "report": json.dumps(sent, ensure_ascii=False, allow_nan=False),
        "moves": moves.rows,
        "moved": moves.moved,
        "rated_again": moves.rated_again,
        "newcomers": moves.newcomers,
        "is_far": moves.is_far,
    }
    return Response(render_confirmation(page, site).encode("utf-8", "replace"), 200, PRIVATE, HTML)
