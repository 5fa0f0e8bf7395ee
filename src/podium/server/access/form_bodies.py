"""Forms that browsers send: small, and plain fields alone."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from podium.errors import InputError
from podium.server.http.bodies import made_of, media_type, read_body

FORM = "application/x-www-form-urlencoded"
MOST_FIELDS = 100


async def sent_form(request: Request) -> dict[str, str]:
    """The fields of a form; nothing if the body is something else. It may be asked for again."""
    if media_type(request) != FORM:
        return {}
    found: dict[str, str] | None = getattr(request.state, "form", None)
    if found is None:
        body = await read_body(request, request.app.state.service.settings)
        found = request.state.form = await made_of(body, _fields)
    return found


def _fields(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise InputError("the body is no form in UTF-8") from error
    return dict(pairs)
