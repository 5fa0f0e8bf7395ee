"""Answers: documents as JSON, problems as RFC 9457 has them, and tags by which a reader knows what it has."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from podium.documents.plain_data import stamped
from podium.documents.service_documents import ProblemDocument
from podium.errors import PodiumError
from podium.server.http.schemas import PROBLEM
from podium.server.operations.service_logs import current_request_id
from podium.server.problems import TooManyRequestsError, problem_of
from podium.server.storage.ladder_rows import LadderRow

ENCODED_AT_ONCE = 1_000
"""Values of a list that are encoded at once: a fraction of a millisecond."""
RETRY_SECONDS = 2
"""When to send the same again, if the database was not available."""


class NotModifiedError(Exception):
    """What the reader has is what there is."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        super().__init__(tag)


def document_response(
    kind: str, document: Mapping[str, Any], *, status: int = 200, tag: str | None = None
) -> Response:
    """A document as an answer."""
    return plain_response(stamped(kind, document), status=status, tag=tag)


def plain_response(plain: Any, *, status: int = 200, tag: str | None = None) -> Response:
    """Plain data as an answer."""
    content = "".join(_encoded(plain)).encode()
    headers = {} if tag is None else {"ETag": tag, "Cache-Control": "private, no-cache"}
    return Response(content, status, headers, "application/json")


def _encoded(plain: Any) -> Iterator[str]:
    """Plain data as JSON in pieces: to encode millions of numbers at once would stop all other threads."""
    if isinstance(plain, dict):
        before = "{"
        for key, value in plain.items():
            yield f"{before}{_json(key)}:"
            yield from _encoded(value)
            before = ","
        yield "{}" if before == "{" else "}"
    elif isinstance(plain, list) and len(plain) > (step := _rows_at_once(plain)):
        before = "["
        for start in range(0, len(plain), step):
            yield f"{before}{_json(plain[start : start + step])[1:-1]}"
            before = ","
        yield "]"
    else:
        yield _json(plain)


def _rows_at_once(rows: list[Any]) -> int:
    """How many rows of a list are encoded at once, if all are as wide as the first one."""
    first = rows[0] if rows else None
    cells = first.values() if isinstance(first, dict) else [first]
    width = sum(len(cell) if isinstance(cell, list) else 1 for cell in cells)
    return max(1, ENCODED_AT_ONCE // max(1, width))


def _json(plain: Any) -> str:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def problem_response(problem: ProblemDocument) -> Response:
    """A refusal as an answer, with the id under which the log tells of the request."""
    if (request_id := current_request_id()) is not None:
        problem = {**problem, "request_id": request_id}
    content = json.dumps(problem, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
    status = problem["status"]
    headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}
    return Response(content, status, headers, PROBLEM)


def refusal_response(error: PodiumError) -> Response:
    """One of podium's errors as an answer."""
    response = problem_response(problem_of(error))
    if isinstance(error, TooManyRequestsError):
        response.headers["Retry-After"] = str(error.seconds)
    if response.status_code == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="podium"'
    return response


def entity_tag(row: LadderRow) -> str:
    """What changes whenever an answer about a ladder may.

    The last entry is in it because a log that an older backup has given back reaches the same numbers again.
    """
    more = [dict(row.settings), row.archived, row.private, row.last_checksum]
    digest = zlib.crc32(json.dumps(more, sort_keys=True).encode())
    return f'W/"g{row.generation}-h{row.head}-{digest:08x}"'


def checked_tag(request: Request, row: LadderRow) -> str:
    """The tag of a ladder; raises `NotModifiedError` if the reader has what it stands for."""
    return checked_against(request, entity_tag(row))


def checked_against(request: Request, tag: str) -> str:
    """The tag; raises `NotModifiedError` if the reader has what it stands for."""
    given = request.headers.get("if-none-match", "")
    if tag in (one.strip() for one in given.split(",")):
        raise NotModifiedError(tag)
    return tag
