"""Addresses at which events are reported: one or thousands, or only asked what they would change."""

from __future__ import annotations

from asyncio import wrap_future
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from podium.documents.event_documents import PreviewDocument, event_document
from podium.documents.job_documents import JobDocument
from podium.documents.request_documents import (
    AdjustmentDocument,
    CorrectionDocument,
    DisqualificationDocument,
    ReportDocument,
    VoidDocument,
)
from podium.documents.service_documents import (
    ConsequencesDocument,
    OutcomeDocument,
    OutcomesOfReportsDocument,
)
from podium.errors import InputError, PodiumError
from podium.history import Event
from podium.server import machine
from podium.server.access.own_reports import may_take_back
from podium.server.access.requirements import (
    access_of,
    check_may,
    needs,
    reads_ratings,
)
from podium.server.access.rights import ADMIN, READ, REPORT, Access
from podium.server.correcting import near_amendments
from podium.server.correcting.consequences import consequences, tried
from podium.server.http.bodies import (
    NDJSON,
    check_json,
    made_of,
    media_type,
    parsed,
    parsed_lines,
    read_body,
)
from podium.server.http.heavy_work import charged
from podium.server.http.http_answers import document_response
from podium.server.http.job_routes import job_of_number
from podium.server.http.ladder_routes import service_of
from podium.server.http.questions import answered_question, cost_of_reports, ladder_in_memory
from podium.server.http.schemas import EXAMPLES, SCHEMAS, answers, body
from podium.server.jobs.job_rows import enqueue
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.ladders.previewing import check_amends_nothing, preview_reports, trial_ladder
from podium.server.log.event_names import EventNames
from podium.server.log.reports import Report, Void, is_made_key, own_key, report_of
from podium.server.log.server_clock import ServerClock
from podium.server.log.submissions import Outcome, Submission
from podium.server.problems import (
    ForbiddenError,
    NotRecordedError,
    RefusedTogetherError,
    TooLargeError,
    problem_of,
)
from podium.server.service import Service
from podium.server.storage.ladder_rows import LadderRow, find_ladder
from podium.systems import RatingSystem
from podium.text import shorten

CONSEQUENCES = 100.0
"""What it costs to find out what an amendment near the end of the log would change."""

router = APIRouter(prefix="/ladders/{ladder}")

DryRun = Annotated[
    bool, Query(description="Preview the changes. Nothing is recorded and the idempotency key stays unused.")
]
WithChanges = Annotated[bool, Query(description="With false, the answer omits `changes`, which is faster.")]

KNOWN_OR_PREVIEW: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A preview, or the outcome of a report that was already recorded.",
        "content": {
            "application/json": {
                "schema": {
                    "anyOf": [
                        SCHEMAS.stamped("report", OutcomeDocument),
                        SCHEMAS.stamped("consequences", ConsequencesDocument),
                    ]
                },
                "examples": {
                    "the outcome of a report": {"value": EXAMPLES["report"]},
                    "the rating changes": {"value": EXAMPLES["consequences"]},
                },
            }
        },
    }
}
REPORTED = ReportDocument | AdjustmentDocument | VoidDocument | CorrectionDocument | DisqualificationDocument
REPORTS = {
    "a match": {"key": "game-7", "ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01T18:30:00Z"},
    "a draw": {"key": "game-8", "ranks": {"ann": 1, "bob": 1}},
    "a contest": {"key": "round-3", "name": "round 3", "scores": {"ann": 310, "bob": 290, "cat": 120}},
    "teams": {"key": "game-9", "teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2]},
    "a disqualification": {"key": "r4", "ranks": {"ann": 1, "bob": 2, "cat": 3}, "disqualified": ["ann"]},
    "a rename": {"key": "admin-1", "adjustment": "rename", "player": "ann", "into": "annie"},
    "a merge": {"key": "admin-2", "adjustment": "merge", "player": "ann2", "into": "ann"},
    "a new season": {"key": "season-2", "adjustment": "reset", "keep": 0.5},
    "a late result": {
        "key": "game-3",
        "ranks": {"cat": 1, "bob": 2},
        "time": "2026-04-01",
        "late": True,
    },
    "a void": {"key": "admin-3", "void": 1},
    "a void by name": {"key": "admin-6", "void": "name:round 2"},
    "a correction": {"key": "admin-4", "correct": 1, "ranks": {"bob": 1, "ann": 2}},
    "a later disqualification": {"key": "admin-5", "disqualify": ["ann2"], "event": 1},
    "a known strength": {"key": "seed-1", "adjustment": "set-rating", "player": "eve", "mu": 1800},
    "a rating from another system": {
        "key": "import-1",
        "adjustment": "set-rating",
        "player": "finn",
        "display": 1650,
        "sigma": 60,
        "events": 24,
        "time": "2026-04-01",
    },
}
BULK = {"two matches": [REPORTS["a match"], REPORTS["a draw"]]}


@router.post(
    "/events",
    status_code=201,
    responses=answers(
        "report", OutcomeDocument, status=201, refusals=[400, 404, 408, 409, 413, 415, 422, 503]
    )
    | answers("job", JobDocument, status=202)
    | KNOWN_OR_PREVIEW,
    openapi_extra=body(REPORTED, REPORTS),
    operation_id="report",
    dependencies=[needs(REPORT)],
)
async def report_event(
    request: Request,
    ladder: str,
    dry_run: DryRun = False,
    changes: WithChanges = True,
    everybody: Annotated[
        bool,
        Query(description="In a dry run of an amendment: a job writes all rating changes to a CSV file."),
    ] = False,
) -> Response:
    """Report an event or adjustment, or amend an earlier entry.

    A key that may report to a private ladder but not read it gets no `changes` and no `differences`.
    201: recorded now. 200: already recorded with this key, or a preview. Previews of amendments have
    rating changes. 202: a job computes the rating changes. The same `key` may be sent again.
    """
    service = service_of(request)
    check_json(request)
    raw = await read_body(request, service.settings)
    report = await made_of(raw, lambda body: report_of(parsed(body)))
    await _check_scope(request, ladder, [report])
    if dry_run and report.amends:
        told = partial(_told_consequences, request, ladder, report, parsed(raw), everybody=everybody)
        return await charged(request, CONSEQUENCES, told)
    if dry_run:
        outcome = (await _tried(request, ladder, [report]))[0]
    else:
        submission = Submission([report], actor=access_of(request).actor)
        await wrap_future(service.committer.submit(ladder, submission))
        outcome = submission.outcomes[0]
    (outcome,) = _shown_to(request, [outcome])
    if outcome.error is not None:
        raise outcome.error
    status = 201 if outcome.status == "recorded" else 200
    return await made_of(
        raw, lambda _: document_response("report", outcome.document(changes=changes), status=status)
    )


async def _tried(request: Request, ladder: str, reports: Sequence[Report]) -> list[Outcome]:
    """What would become of reports, which is charged for as a preview is."""
    service = service_of(request)
    live = await ladder_in_memory(request, ladder)
    cost = cost_of_reports(reports, live.row.system, len(live.ladder))
    return await charged(request, cost, partial(_previewed, service, ladder, reports))


def _shown_to(request: Request, outcomes: list[Outcome]) -> list[Outcome]:
    """Outcomes as whoever asks may know them."""
    return outcomes if reads_ratings(request) else [outcome.withheld() for outcome in outcomes]


def _told_consequences(
    request: Request, ladder: str, report: Report, sent: Any, *, everybody: bool
) -> Response:
    """Who would move if the log were amended: at once if that is near its end, or a job that finds out."""
    service, access = service_of(request), access_of(request)
    with service.ladders.copied(ladder, FollowedLadder.twin) as (connection, live):
        most = 0 if everybody else near_amendments.NEAR_ROWS
        trial = tried(connection, live, report, service.clock(), most=most)
        if trial is not None and not everybody:
            return document_response("consequences", consequences(connection, trial).document())
    with service.database.writing() as connection:
        row, arguments = find_ladder(connection, ladder, access=access), {"report": sent}
        number = enqueue(connection, "consequences", ladder=row.id, arguments=arguments, actor=access.actor)
    return document_response("job", job_of_number(service, access, number), status=202)


@router.post(
    "/events/bulk",
    responses=answers("reports", OutcomesOfReportsDocument, refusals=[400, 404, 408, 409, 413, 415, 503]),
    openapi_extra=body(list[REPORTED], BULK, media=["application/json", NDJSON]),
    operation_id="report_bulk",
    dependencies=[needs(REPORT)],
)
async def report_events(
    request: Request,
    ladder: str,
    atomic: Annotated[bool, Query(description="Record all reports, or none if one is refused.")] = False,
    dry_run: DryRun = False,
    changes: WithChanges = True,
) -> Response:
    """Report many events and adjustments, as a JSON list or NDJSON. Each gets a status.

    A dry run accepts no amendments. Preview each one at `…/events`.
    """
    service = service_of(request)
    check_json(request, or_lines=True)
    is_lines = media_type(request) == NDJSON
    raw = await read_body(request, service.settings)
    sent = await made_of(raw, lambda body: _reports(body, is_lines, service))
    reports = [report for report in sent if isinstance(report, Report)]
    await _check_scope(request, ladder, reports)
    if dry_run:
        check_amends_nothing(reports)
    if atomic and len(reports) < len(sent):
        raise _refused_together([_not_recorded(one) if isinstance(one, Report) else one for one in sent])
    submission = Submission(reports, atomic, access_of(request).actor)
    outcomes, generation = await _outcomes(request, ladder, submission, dry_run=dry_run)
    done = iter(_shown_to(request, outcomes))
    merged = [next(done) if isinstance(one, Report) else one for one in sent]
    if atomic and any(outcome.error is not None for outcome in merged):
        raise _refused_together(merged)
    return await made_of(raw, lambda _: _bulk_response(merged, generation, changes))


async def _outcomes(
    request: Request, ladder: str, submission: Submission, *, dry_run: bool
) -> tuple[list[Outcome], int]:
    service = service_of(request)
    if dry_run:
        outcomes = await _tried(request, ladder, submission.reports)
        return outcomes, await run_in_threadpool(_generation, service, ladder)
    row = await wrap_future(service.committer.submit(ladder, submission))
    return submission.outcomes, row.generation


async def _check_scope(request: Request, ladder: str, reports: Sequence[Report]) -> None:
    """Refuse adjustments and amendments by those who may only report results, but for own results.

    The former set ratings and say who is who, and the latter change what was rated long ago. Those who have
    reported a result may take it back for a day.
    """
    more = [one for one in reports if one.amends or not isinstance(one.content, Event)]
    if not more and not any(is_made_key(report.key) for report in reports):
        return
    access, service = access_of(request), service_of(request)

    def check() -> None:
        with service.ladders.glanced_at(ladder) as (connection, look):
            row = look.row
            if access.may(ADMIN, row.id):
                return
            names = EventNames(connection, row.id, look.amendments, look)
            for report in more:
                undone = report.target if isinstance(report.content, Void) else None
                number = None if undone is None else names.number(undone)
                if number is None or not may_take_back(connection, access, row.id, number):
                    check_may(access, ADMIN, row.id)
            check_keys(access, row.id, reports)

    await run_in_threadpool(check)


def check_keys(access: Access, ladder: int, reports: Sequence[Report]) -> None:
    """Refuse keys that podium gives itself, but not those of an admin, who may copy a log: what podium later
    reports under such a key would be known already.
    """
    if access.may(ADMIN, ladder):
        return
    if (made := next((report.key for report in reports if is_made_key(report.key)), None)) is not None:
        raise ForbiddenError(
            f"podium gives idempotency keys such as {shorten(made)!r} to imported files and tournaments",
            hint="use another key",
        )


def _reports(raw: bytes, is_lines: bool, service: Service) -> list[Report | Outcome]:
    """What was sent, each a report, or refused as it is none."""
    sent: Any = parsed_lines(raw) if is_lines else parsed(raw)
    if type(sent) is not list:
        raise InputError("a bulk report must be a list", hint="send a single report to POST …/events")
    most = service.settings.reports_at_once
    if len(sent) > most:
        raise TooLargeError(
            f"{len(sent):,} reports at once, and {most:,} are allowed", hint="send them in several requests"
        )
    found: list[Report | Outcome] = []
    for one in sent:
        try:
            found.append(report_of(one))
        except PodiumError as error:
            found.append(Outcome("refused", own_key(one), error=error))
    return found


def _not_recorded(report: Report) -> Outcome:
    """The outcome of a report that nobody looked at, as another one was refused."""
    return Outcome("refused", report.key if report.has_own_key else None, error=NotRecordedError())


def _refused_together(outcomes: list[Outcome]) -> RefusedTogetherError:
    errors = [(place, outcome.error) for place, outcome in enumerate(outcomes) if outcome.error is not None]
    own = [(place, error) for place, error in errors if not isinstance(error, NotRecordedError)]
    place, error = (own or errors)[0]
    reason = f"report {place + 1} of {len(outcomes)}: {problem_of(error)['detail']}"
    return RefusedTogetherError(
        reason, hint=error.hint, outcomes=[outcome.document() for outcome in outcomes]
    )


def _bulk_response(outcomes: list[Outcome], generation: int, changes: bool) -> Response:
    statuses = [outcome.status for outcome in outcomes]
    document: OutcomesOfReportsDocument = {
        "generation": generation,
        "recorded": statuses.count("recorded"),
        "known": statuses.count("known"),
        "refused": statuses.count("refused"),
        "outcomes": [outcome.document(changes=changes) for outcome in outcomes],
    }
    return document_response("reports", document)


def _previewed(
    service: Service,
    ladder: str,
    reports: Sequence[Report],
    *,
    is_report: bool = True,
    clock: ServerClock | None = None,
) -> list[Outcome]:
    """What would become of reports; a ladder that takes none any more can still be asked about an event."""
    clock = clock or service.clock()

    def trial(live: FollowedLadder) -> tuple[LadderRow, NumberedLadder]:
        if is_report:
            live.row.check_open()
        return live.row, trial_ladder(live.ladder, reports)

    with service.ladders.copied(ladder, trial) as (_, (row, twin)):
        pass
    return preview_reports(twin, row, reports, clock)


def _generation(service: Service, ladder: str) -> int:
    with service.looking(ladder) as (_, live):
        return live.row.generation


@router.post(
    "/preview",
    responses=answers("preview", PreviewDocument, refusals=[400, 404, 408, 413, 415, 422]),
    openapi_extra=body(
        ReportDocument, {"running standings": {"scores": {"ann": 310, "bob": 290, "cat": 120}}}
    ),
    operation_id="preview",
    dependencies=[needs(READ)],
)
async def preview(request: Request, ladder: str) -> Response:
    """Preview the rating changes of an event, such as a contest that is still running."""
    service = service_of(request)
    check_json(request)
    raw = await read_body(request, service.settings)

    def read(body: bytes) -> Report:
        report = report_of(parsed(body))
        if not isinstance(report.content, Event):
            hint = "POST …/events?dry_run=true previews adjustments"
            raise InputError("only events can be previewed here", hint=hint)
        check_amends_nothing([report])
        return report

    def answer(report: Report) -> Response:
        # Nothing is recorded, so a contest of next week may be asked about.
        clock = ServerClock(machine.now_micros())
        (outcome,) = _previewed(service, ladder, [report], is_report=False, clock=clock)
        if outcome.error is not None:
            raise outcome.error
        assert isinstance(report.content, Event)
        document: PreviewDocument = {
            "event": event_document(report.content),
            "changes": [change.document(name) for name, change in outcome.changes],
        }
        return document_response("preview", document)

    def cost(report: Report, system: RatingSystem) -> float:
        return cost_of_reports([report], system, 0)

    return await answered_question(request, ladder, raw, read, cost, answer)
