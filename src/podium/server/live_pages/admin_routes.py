"""The page on which people report and correct results: first what it would change, then a button.

Whoever may report sees the forms for results; the others are for those who may do everything. A form is
never recorded at once: the page after it says who moves, and holds the report with its key, so that a button
that is pressed twice counts once.
"""

from __future__ import annotations

import json
from asyncio import wrap_future
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, cast

import numpy as np
from fastapi import APIRouter, Path, Query, Request
from sqlalchemy import Connection, select
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from podium.documents.service_documents import ConsequencesDocument
from podium.errors import InputError, PodiumError
from podium.history import Event
from podium.pages.rendering import render_admin, render_confirmation
from podium.server.access.own_reports import may_take_back, new_form_key
from podium.server.access.requirements import access_of, check_may, needs, reads_ratings, sent_form
from podium.server.access.rights import ADMIN, REPORT, Access
from podium.server.http.bodies import parsed
from podium.server.http.event_routes import check_keys
from podium.server.http.job_routes import output_path
from podium.server.http.ladder_routes import service_of
from podium.server.jobs.job_rows import JobRow, enqueue, job_row
from podium.server.live_pages.expected_moves import Moves, expected_moves, moves_of_job
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.live_links import LADDERS
from podium.server.live_pages.page_answers import HTML, ladder_site, memory_of
from podium.server.live_pages.played_entries import numbered_entries
from podium.server.live_pages.recent_reports import RecentReports
from podium.server.live_pages.report_forms import (
    former_result,
    kept_parts,
    renamed_in_form,
    report_of_form,
    report_words,
    standings_lines,
)
from podium.server.log.event_names import EventNames
from podium.server.log.log_entries import LogEntry
from podium.server.log.reports import Report, Void, is_free, report_of
from podium.server.log.server_clock import ladders_ahead
from podium.server.log.submissions import Submission
from podium.server.problems import UnknownPageError, for_people, problem_of
from podium.server.storage import tables
from podium.server.storage.ladder_rows import find_ladder

router = APIRouter(include_in_schema=False, prefix="/ladders/{ladder}/admin")

PRIVATE = {"Cache-Control": "private, no-cache"}
"""A form that somebody goes back to is as it was filled in."""
LONGEST_REPORT = 1_000_000
"""Characters of a report between its form and its button."""

AMENDING = ("void", "correct", "event")
"""Words of a report that name the event that it amends."""
CONSEQUENCES = "consequences"
"""The kind of job that finds out who would move."""

Entry = Annotated[int | None, Query(ge=1, le=2**62)]
PlayerNumber = Annotated[int | None, Query(ge=0, le=2**31 - 1)]
JobNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("", dependencies=[needs(REPORT)])
def admin_page(
    request: Request,
    ladder: str,
    event: Entry = None,
    player: PlayerNumber = None,
    recorded: Entry = None,
) -> Response:
    """The forms; with the number of an event or a player, those for it are filled in and come first."""
    filled = {} if event is None else {"number": str(event)}
    if player is not None and _may_amend(request, ladder):
        with service_of(request).ladders.glanced_at(ladder) as (_, look):
            if player < len(look.names) and not is_free(look.names[player]):
                filled["player"] = look.names[player]
    return _forms(request, ladder, filled, recorded=recorded)


@router.post("", dependencies=[needs(REPORT)])
async def show_consequences(request: Request, ladder: str) -> Response:
    """What a form would change, with a button that records it."""
    # The token is checked by now, and a secret of the session: nobody keeps it.
    form = {name: value for name, value in (await sent_form(request)).items() if name != "csrf"}
    return await run_in_threadpool(_shown_consequences, request, ladder, form)


def _shown_consequences(request: Request, ladder: str, form: dict[str, str]) -> Response:
    try:
        with service_of(request).ladders.glanced_at(ladder) as (_, look):
            meant = report_of_form(form, look.names.__contains__)
        meant["key"] = new_form_key(access_of(request))  # sent twice, it counts once
        sent = _completed(request, ladder, meant)
        report = _checked(request, ladder, sent)
        moves = expected_moves(service_of(request), ladder, report)
        if moves is None and _may_amend(request, ladder):
            return _ordered(request, ladder, sent, form)
        if moves is not None and not reads_ratings(request):
            moves = moves.withheld()
    except PodiumError as error:
        return _forms(request, ladder, form, error)
    return _confirmation(request, ladder, sent, form, moves)


def _completed(request: Request, ladder: str, sent: dict[str, Any]) -> dict[str, Any]:
    """A report with the number of the event that it amends, and what the form of a correction does not ask
    for: that stays as it was.
    """
    word = next((word for word in AMENDING if word in sent), None)
    if word is None:
        return sent
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (connection, found):
        look = found.look
        number = EventNames(connection, look.row.id, look.amendments, look).number(sent[word])
        sent = {**sent, word: number}
        entry = _event_entry(connection, found, number) if word == "correct" else None
    if entry is None:
        return sent
    return {**kept_parts(sent, entry, _names_in(entry, found)), **sent}


def _event_entry(connection: Connection, found: LadderSketch, number: int) -> LogEntry | None:
    """The event of a number as it counts now, with players by number; None if there is none."""
    if not 0 < number <= found.look.row.head:
        return None
    entry = numbered_entries(connection, found.look, [number]).get(number)
    if entry is None or entry.target is not None or not isinstance(entry.content, Event):
        return None
    return entry


def _names_in(entry: LogEntry, found: LadderSketch) -> Callable[[str], str]:
    """What the players of an event are called, who are numbers in it."""
    assert isinstance(entry.content, Event)
    name_of = found.look.names_among(np.array([*map(int, chain(*entry.content.sides))], np.int32))
    return lambda player: name_of(int(player))


def _ordered(request: Request, ladder: str, sent: dict[str, Any], form: dict[str, str]) -> Response:
    """Have a job find out what goes far back, and lead to where it is waited for."""
    access = access_of(request)
    with service_of(request).database.writing() as connection:
        row, arguments = find_ladder(connection, ladder, access=access), {"report": sent, "form": form}
        number = enqueue(connection, CONSEQUENCES, ladder=row.id, arguments=arguments, actor=access.actor)
    return RedirectResponse(f"{LADDERS}/{ladder}/admin/jobs/{number}", 303, PRIVATE)


@router.get("/jobs/{number}", dependencies=[needs(ADMIN)])
def wait_for_consequences(request: Request, ladder: str, number: JobNumber) -> Response:
    """What a job has found out about a form that goes far back; until then, how far it has come."""
    service = service_of(request)
    with service.database.reading() as connection:
        row = find_ladder(connection, ladder, access=access_of(request))
        query = select(tables.job).where(tables.job.c.id == number, tables.job.c.ladder == row.id)
        found = connection.execute(query.where(tables.job.c.kind == CONSEQUENCES)).one_or_none()
    if found is None:
        raise UnknownPageError(f"there is no preview {number}")
    job = job_row(found)
    sent, form = job.arguments["report"], job.arguments.get("form", {})
    if job.result is None:
        return _confirmation(request, ladder, sent, form, None, job)
    result = cast(ConsequencesDocument, job.result)
    if "visible" not in result:  # it was found out by an older podium
        return _confirmation(request, ladder, sent, form, None, replace(job, status="failed"))
    moves = moves_of_job(service, ladder, report_of(sent), result, output_path(number))
    return _confirmation(request, ladder, sent, form, moves)


@router.post("/everybody", dependencies=[needs(ADMIN)])
async def order_everybody(request: Request, ladder: str) -> Response:
    """Have a job make a table of all who would move, and lead to where it is waited for."""
    form = await sent_form(request)

    def order() -> Response:
        try:
            sent = _held(form, "report")
            _checked(request, ladder, sent)
            return _ordered(request, ladder, sent, _held(form, "form"))
        except PodiumError as error:
            return _forms(request, ladder, {}, error)

    return await run_in_threadpool(order)


@router.post("/form", dependencies=[needs(REPORT)])
async def go_back(request: Request, ladder: str) -> Response:
    """The forms as they were filled in, for somebody who does not want to record that."""
    form = await sent_form(request)

    def show() -> Response:
        try:
            filled = _held(form, "form")
        except PodiumError as error:
            return _forms(request, ladder, {}, error)
        return _forms(request, ladder, {str(name): str(value) for name, value in filled.items()})

    return await run_in_threadpool(show)


@router.post("/meant", dependencies=[needs(REPORT)])
async def rename_in_form(request: Request, ladder: str) -> Response:
    """What a form would change that meant a known player where it has a new name."""
    form = await sent_form(request)

    def show() -> Response:
        try:
            filled = {str(name): str(value) for name, value in _held(form, "form").items()}
            wrong, meant = (str(_held(form, "name").get(word, "")) for word in ("wrong", "meant"))
        except PodiumError as error:
            return _forms(request, ladder, {}, error)
        return _shown_consequences(request, ladder, renamed_in_form(filled, wrong, meant))

    return await run_in_threadpool(show)


@router.post("/record", dependencies=[needs(REPORT)])
async def record(request: Request, ladder: str) -> Response:
    """Record what a form said, and show it in the log."""
    form = await sent_form(request)
    try:
        report = await run_in_threadpool(lambda: _checked(request, ladder, _held(form, "report")))
        submission = Submission([report], actor=access_of(request).actor)
        await wrap_future(service_of(request).committer.submit(ladder, submission))
        (outcome,) = submission.outcomes
        if outcome.error is not None:
            raise outcome.error
    except PodiumError as refused:
        return await run_in_threadpool(_forms, request, ladder, {}, refused)
    is_result = isinstance(report.content, Event) and not report.amends
    is_listed = reads_ratings(request) and not is_result
    page = f"events/{outcome.number}" if is_listed else f"admin?recorded={outcome.number}"
    return RedirectResponse(f"{LADDERS}/{ladder}/{page}", 303, PRIVATE)


def _held(form: dict[str, str], name: str) -> dict[str, Any]:
    """What the page before has held, a report or a form."""
    text = form.get(name, "")
    if len(text) > LONGEST_REPORT:
        raise InputError("the report is too long", hint="ask the admin to import large events as a file")
    held = parsed(text.encode())
    if not isinstance(held, dict):
        raise InputError(f"the form's field {name} cannot be read", hint="fill in the form again")
    return held


def _checked(request: Request, ladder: str, sent: Any) -> Report:
    """A report that whoever asks may make: only those who may do everything amend and adjust, and for a day
    those who reported a result from the same browser.
    """
    report = report_of(sent)
    access = access_of(request)
    with service_of(request).ladders.glanced_at(ladder) as (connection, look):
        if report.amends or not isinstance(report.content, Event):
            undone = report.target if isinstance(report.content, Void) else None
            if not isinstance(undone, int) or not may_take_back(connection, access, look.row.id, undone):
                check_may(access, ADMIN, look.row.id)
        check_keys(access, look.row.id, [report])
    return report


def _may_amend(request: Request, ladder: str) -> bool:
    with service_of(request).ladders.glanced_at(ladder) as (_, look):
        return access_of(request).may(ADMIN, look.row.id)


# ---------------------------------------------------------------------- pages


def _forms(
    request: Request,
    ladder: str,
    filled: dict[str, str],
    error: PodiumError | None = None,
    recorded: int | None = None,
) -> Response:
    """The page of forms, with what was filled in, and why it was refused."""
    access = access_of(request)
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (connection, found):
        matches = memory_of(request).has_matches(connection, found)
        lines = _lines_of(connection, found, filled.get("number", ""))
        row = found.look.row
        may_amend = access.may(ADMIN, row.id)
        recent = RecentReports(connection, found)
        names = recent.names() if reads_ratings(request) else []
        own = recent.own(access)
        ahead = ladders_ahead(connection, service_of(request).clock(), row.slug) if may_amend else []
    problem = None if error is None else for_people(problem_of(error))
    page = {
        "csrf": access.csrf or "",
        "may_amend": may_amend,
        "archived": row.archived,
        "clock": f"{str(ahead[0])[0].upper()}{str(ahead[0])[1:]}." if ahead else None,
        "filled": {"lines": lines, **filled},
        "problem": problem,
        "names": names,
        "own": own,
        "recorded": recorded if recorded is not None and recorded <= row.head else None,
        "reads": reads_ratings(request),
    }
    site = ladder_site(request, row, {}, matches=matches)
    text = render_admin(page, site)
    status = 200 if problem is None else problem["status"]
    return Response(text.encode("utf-8", "replace"), status, PRIVATE, HTML)


def _lines_of(connection: Connection, found: LadderSketch, number: str) -> str:
    """The standings of an event as its form has them; empty if there is none of that number."""
    if not number.isdecimal() or len(number) > 18:
        return ""
    entry = _event_entry(connection, found, int(number))
    if entry is None:
        return ""
    assert isinstance(entry.content, Event)
    return standings_lines(entry.content, _names_in(entry, found))


def _confirmation(
    request: Request,
    ladder: str,
    sent: dict[str, Any],
    form: dict[str, str],
    moves: Moves | None,
    job: JobRow | None = None,
) -> Response:
    """What would change, and the button; as long as nobody knows it, how far the job has come."""
    access: Access = access_of(request)
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (connection, found):
        matches = memory_of(request).has_matches(connection, found)
        words = report_words(sent)
        corrected = _event_entry(connection, found, sent["correct"]) if "correct" in sent else None
        if corrected is not None and isinstance(corrected.content, Event):
            words += former_result(corrected.content, _names_in(corrected, found))
            if corrected.content.scores is not None:
                words += " This form removes its scores."
        repeated = None
        report = report_of(sent)
        if isinstance(report.content, Event) and not report.amends and reads_ratings(request):
            repeated = RecentReports(connection, found).likely_repeated(report.content, report.key)
    site = ladder_site(
        request,
        found.look.row,
        {} if moves is None else moves.numbers,
        matches=matches,
        digits=found.basis.digits,
    )
    page = {
        "csrf": access.csrf or "",
        "may_amend": access.may(ADMIN, found.look.row.id),
        "words": words,
        "report": json.dumps(sent, ensure_ascii=False, allow_nan=False),
        "form": json.dumps(form, ensure_ascii=False),
        "moves": None if moves is None else moves.as_shown(found.basis.digits),
        "repeated": repeated,
        "reads": reads_ratings(request),
        "job": None if job is None else {"status": job.status, "done": job.done, "total": job.total},
    }
    return Response(render_confirmation(page, site).encode("utf-8", "replace"), 200, PRIVATE, HTML)
