"""Addresses of jobs: import a file, export a ladder, see how far that is, cancel it, fetch the outcome."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from sqlalchemy import ColumnElement, Connection, false, select, true
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from podium.documents.job_documents import ExportRequestDocument, JobDocument, JobsDocument
from podium.documents.service_documents import SystemChoiceDocument
from podium.errors import ParameterError
from podium.server.access.audit_trail import note
from podium.server.access.request_costs import rows_listed
from podium.server.access.requirements import access_of, check_may, needs
from podium.server.access.rights import ADMIN, READ, REPORT, Access
from podium.server.correcting.rerating_jobs import RERATE, enqueue_rerating
from podium.server.correcting.system_choice import order_system
from podium.server.http.arriving_files import file_name, order_job, received_import, stop_arrival
from podium.server.http.bodies import body_parts, media_type, sent_json
from podium.server.http.cursors import decoded, encoded
from podium.server.http.http_answers import document_response
from podium.server.http.ladder_routes import Cursor, Limit, service_of
from podium.server.http.schemas import answers, body, problems
from podium.server.jobs.job_leases import cancel_job
from podium.server.jobs.job_parts import part_size, pieces_of
from podium.server.jobs.job_rows import JobStatus, job_row
from podium.server.problems import MediaTypeError, UnknownJobError
from podium.server.sent_data import check_sent
from podium.server.service import Service
from podium.server.storage import tables
from podium.server.storage.ladder_rows import find_ladder, time_shown
from podium.tables.columns.shapes import ReadOptions

router = APIRouter()

JobNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="The job's number.")]
FORM_TYPES = ("text/plain", "multipart/form-data", "application/x-www-form-urlencoded")
"""What pages of other sites can send without being asked."""
FILE_TYPE = "application/octet-stream"
CSV_TYPE = "text/csv"
WITH_OUTPUT = ("export", "consequences")
"""Kinds of jobs that make a file."""
OUTPUT = "output"
LONGEST_FILE_NAME = 255
UNREAD = "shown only to callers who may read the ladder"
FILE_EXAMPLE = "winner,loser\nann,bob\nbob,cat\n"


# ---------------------------------------------------------------------- looking


@router.get(
    "/jobs",
    responses=answers("jobs", JobsDocument, refusals=[400, 404]),
    operation_id="jobs",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
def look_at_jobs(
    request: Request,
    limit: Limit = 100,
    cursor: Cursor = None,
    ladder: str | None = None,
    status: Annotated[JobStatus | None, Query(description="Only jobs with this status.")] = None,
) -> Response:
    """List imports, exports and other long work, latest first. Jobs are deleted after a month.

    You see the jobs that your key started, and all jobs of ladders where you are an admin.
    """
    service = service_of(request)
    limit = min(limit, service.settings.page_rows)
    job = tables.job
    access = access_of(request)
    query = _JOBS.where(_shown_to(access)).order_by(job.c.id.desc()).limit(limit + 1)
    if cursor is not None:
        query = query.where(job.c.id < decoded(cursor, int)[0])
    if status is not None:
        query = query.where(job.c.status == status)
    with service.database.reading() as connection:
        if ladder is not None:
            query = query.where(job.c.ladder == find_ladder(connection, ladder, access=access).id)
        rows = connection.execute(query).all()
        found = [_document(access, row) for row in rows[:limit]]
    document: JobsDocument = {
        "jobs": found,
        "next": encoded([found[-1]["number"]]) if len(rows) > limit else None,
    }
    return document_response("jobs", document)


@router.get(
    "/jobs/{number}",
    responses=answers("job", JobDocument, refusals=[400, 404]),
    operation_id="job",
    dependencies=[needs(READ)],
)
def look_at_job(request: Request, number: JobNumber) -> Response:
    """Read one job: its status, progress and result."""
    return document_response("job", job_of_number(service_of(request), access_of(request), number))


@router.delete(
    "/jobs/{number}",
    responses=answers("job", JobDocument, refusals=[400, 404]),
    operation_id="cancel_job",
    dependencies=[needs(READ)],
)
def delete_job(request: Request, number: JobNumber) -> Response:
    """Cancel a job that your key started, or any job of a ladder where you are an admin.

    Everything that the job has recorded stays. Cancelling a finished job has no effect. If corrections still
    need the work, another job starts it again: to take a correction back, void it.
    """
    service, access = service_of(request), access_of(request)
    with service.database.writing() as connection:
        row = _row(connection, access, number)
        if cancel_job(connection, number) or stop_arrival(connection, number):
            note(connection, access, f"{row.kind} cancelled", row.ladder, {"job": number})
        if row.kind == RERATE:
            ladder = find_ladder(connection, row.slug, lock=True)
            if ladder.pending:
                enqueue_rerating(connection, ladder, access.actor)
    return document_response("job", job_of_number(service, access, number))


@router.get(
    "/jobs/{number}/output",
    responses={
        200: {
            "description": "The file.",
            "content": {
                "application/zip": {"schema": {"type": "string", "format": "binary"}, "example": "PK"},
                CSV_TYPE: {"schema": {"type": "string"}, "example": "player,display_before,display\n"},
            },
        },
        **problems([400, 404]),
    },
    response_class=StreamingResponse,
    operation_id="job_output",
    dependencies=[needs(READ)],
)
def fetch_output(request: Request, number: JobNumber) -> Response:
    """Download the file of a job: an export or a list of rating changes. It is deleted after a day."""
    service = service_of(request)
    with service.database.reading() as connection:
        row = _row(connection, access_of(request), number)
        job = job_row(row)
        check_may(access_of(request), ADMIN, job.ladder)
        size = part_size(connection, number, OUTPUT) if job.status == "done" else None
    if size is None:
        hint = (
            "the job is not done" if job.status in ("waiting", "running") else "files are deleted after a day"
        )
        raise UnknownJobError(f"job {number} has no file", hint=hint)
    name, media = (job.result or {}).get("name", f"job-{number}.zip"), "application/zip"
    if job.kind == "consequences":
        name, media = f"consequences-{number}.csv", CSV_TYPE
    headers = {
        "Content-Length": str(size),
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    pieces = pieces_of(service.database, number, OUTPUT)
    return StreamingResponse(pieces, media_type=media, headers=headers)


# ---------------------------------------------------------------------- ordering


@router.post(
    "/ladders/{ladder}/exports",
    status_code=202,
    responses=answers("job", JobDocument, status=202, refusals=[400, 404, 408, 413, 415]),
    openapi_extra=body(ExportRequestDocument, {"tables as CSV": {"format": "csv"}}),
    operation_id="export",
    dependencies=[needs(ADMIN)],
)
async def order_export(request: Request, ladder: str) -> Response:
    """Export a whole ladder as a zip of tables, which can be imported again."""
    service = service_of(request)
    sent: Any = await sent_json(request, service.settings)
    check_sent(sent, ExportRequestDocument)
    number = await run_in_threadpool(
        order_job, service, access_of(request), ladder, "export", {"format": sent.get("format", "parquet")}
    )
    return await _accepted(request, number)


@router.post(
    "/ladders/{ladder}/system",
    status_code=202,
    responses=answers("job", JobDocument, status=202, refusals=[400, 404, 408, 409, 413, 415]),
    openapi_extra=body(SystemChoiceDocument, {"Glicko-2": {"system": "glicko2", "parameters": {"tau": 0.7}}}),
    operation_id="choose_system",
    dependencies=[needs(ADMIN)],
)
async def choose_system(
    request: Request,
    ladder: str,
    dry_run: Annotated[bool, Query(description="Only compare both systems on the ladder's log.")] = False,
) -> Response:
    """Change a ladder's rating system or parameters. A job rates the log, then the ladder switches.

    With `dry_run`, a job compares both systems on the ladder's log and returns the changes.
    """
    service, actor = service_of(request), access_of(request).actor
    sent: Any = await sent_json(request, service.settings)

    def order() -> int:
        with service.database.writing() as connection:
            return order_system(connection, ladder, sent, only_compare=dry_run, actor=actor)

    return await _accepted(request, await run_in_threadpool(order))


Text = str | None


@router.post(
    "/ladders/{ladder}/imports",
    status_code=202,
    responses=answers("job", JobDocument, status=202, refusals=[400, 404, 408, 409, 413, 415]),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                FILE_TYPE: {
                    "schema": {"type": "string", "format": "binary"},
                    "examples": {"a table of matches": {"value": FILE_EXAMPLE}},
                }
            },
        }
    },
    operation_id="import",
    dependencies=[needs(REPORT)],
)
async def order_import(
    request: Request,
    ladder: str,
    name: Annotated[
        str,
        Query(
            max_length=LONGEST_FILE_NAME,
            description="The file's name, used in errors. Its extension sets the file type.",
        ),
    ] = "",
    allow_repeat: Annotated[
        bool, Query(description="Import a file or event again that was already imported.")
    ] = False,
    dry_run: Annotated[
        bool, Query(description="Read the file and show the reading. Record nothing.")
    ] = False,
    columns: Annotated[
        Text, Query(description="podium's column names and the file's, as a JSON object.")
    ] = None,
    aliases: Annotated[Text, Query(description="Other names or ids of players, as a JSON object.")] = None,
    lower_is_better: Annotated[bool | None, Query(description="Set this if lower scores are better.")] = None,
    unrated: Annotated[Text, Query(description="Rows marked rated=no: `opponent` or `drop`.")] = None,
    unfinished: Annotated[Text, Query(description="Rows marked DNF: `last` or `drop`.")] = None,
    disqualified: Annotated[Text, Query(description="Rows marked DSQ: `drop` or `last`.")] = None,
    on_bad_row: Annotated[
        Text, Query(description="`skip` ignores rows that cannot be read. `error` refuses the file.")
    ] = None,
    teams: Annotated[
        Text, Query(description="What to rate in a team event: `members`, `players` or `rosters`.")
    ] = None,
    teams_split: Annotated[Text, Query(description="The separator between team members.")] = None,
    time_format: Annotated[Text, Query(description="The format of times, such as %d/%m/%Y.")] = None,
    decimal: Annotated[Text, Query(description="The decimal sign: a dot or a comma.")] = None,
    separator: Annotated[Text, Query(description="The separator between the cells of a text file.")] = None,
    encoding: Annotated[Text, Query(description="The encoding of the file, such as latin-1.")] = None,
    sheets: Annotated[
        Text, Query(description="The sheets of a workbook to read, as a JSON array of names.")
    ] = None,
) -> Response:
    """Import an export or a file of results in any format podium reads. Send the file as the body.

    Nothing is recorded if the file cannot be read.
    """
    service = service_of(request)
    if media_type(request) in ("", *FORM_TYPES):
        raise MediaTypeError(
            "the request does not declare that its body is a file",
            hint=f"send the header Content-Type: {FILE_TYPE}",
        )
    given: dict[str, Any] = {
        "lower_is_better": lower_is_better,
        "unrated": unrated,
        "unfinished": unfinished,
        "disqualified": disqualified,
        "on_bad_row": on_bad_row,
        "teams": teams,
        "teams_split": teams_split,
        "time_format": time_format,
        "decimal": decimal,
        "separator": separator,
        "encoding": encoding,
        "columns": _object("columns", columns),
        "aliases": _object("aliases", aliases),
        "sheets": None if sheets is None else _sent_json("sheets", sheets, list[str]),
    }
    options = {word: value for word, value in given.items() if value is not None}
    ReadOptions(**options)  # which refuses what means nothing
    arguments = {"name": file_name(name), "allow_repeat": allow_repeat, "options": options}
    if dry_run:
        arguments["dry_run"] = True
    parts = body_parts(request, service.settings)
    return await _accepted(request, await received_import(request, ladder, arguments, parts))


def _object(name: str, text: str | None) -> dict[str, str | None] | None:
    if text is None:
        return None
    return dict(_sent_json(name, text, dict[str, str | None] if name == "columns" else dict[str, str]))


def _sent_json(name: str, text: str, kind: Any) -> Any:
    """What a parameter holds as JSON, checked to be of a kind."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{name} is not JSON: {error}") from error
    check_sent(found, kind, name)
    return found


# ---------------------------------------------------------------------- documents

_JOBS = select(tables.job, tables.ladder.c.slug, tables.ladder.c.private).join(
    tables.ladder, tables.ladder.c.id == tables.job.c.ladder, isouter=True
)


async def _accepted(request: Request, number: int) -> Response:
    document = await run_in_threadpool(job_of_number, service_of(request), access_of(request), number)
    return document_response("job", document, status=202)


def _shown_to(access: Access) -> ColumnElement[bool]:
    """The condition that a job is there for somebody: it is their own, or of a ladder that they administer.

    What came of a job may quote ratings, names and lines of files that others may not read.
    """
    if access.may(ADMIN, None):
        return true()
    if access.ladder is None:
        return tables.job.c.actor == access.actor if access.may(REPORT, None) else false()
    if not access.may(REPORT, access.ladder):
        return false()
    of_ladder = tables.job.c.ladder == access.ladder
    return of_ladder if access.may(ADMIN, access.ladder) else of_ladder & (tables.job.c.actor == access.actor)


def _row(connection: Connection, access: Access, number: int) -> Any:
    query = _JOBS.where(tables.job.c.id == number, _shown_to(access))
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownJobError(f"there is no job {number}", hint="finished jobs are deleted after a month")
    return row


def job_of_number(service: Service, access: Access, number: int) -> JobDocument:
    """What is to be said of a job to somebody who may see it."""
    with service.database.reading() as connection:
        row = _row(connection, access, number)
        return _document(access, row)


def output_path(number: int) -> str:
    """Where the file of a job is."""
    return f"/api/v1/jobs/{number}/output"


def _document(access: Access, row: Any) -> JobDocument:
    """A job as somebody may know it: warnings of imports name players, which not all may read."""
    job = job_row(row)
    has_output = job.status == "done" and job.kind in WITH_OUTPUT
    result = job.result
    if result is not None and not access.reads(row.ladder, private=bool(row.private)):
        withheld = [name for name in ("warnings", "notes") if result.get(name)]
        result = {key: value for key, value in result.items() if key != "board"}
        result |= {key: [UNREAD] for key in withheld}
        if "reading" in result:
            result["reading"] = result["reading"] | {"names": []}
    return {
        "number": job.id,
        "task": job.kind,
        "ladder": row.slug,
        "status": job.status,
        "done": job.done,
        "total": job.total,
        "result": result,
        "reason": job.reason,
        "attempts": job.attempts,
        "actor": job.actor,
        "created": time_shown(job.created) or "",
        "started": time_shown(job.started),
        "finished": time_shown(job.finished),
        "output": output_path(job.id) if has_output else None,
    }
