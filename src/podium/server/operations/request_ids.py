"""The id of a request: in its answer, in what is logged about it, and in a problem that it meets."""

from __future__ import annotations

import re
from contextvars import ContextVar

from podium.server import machine

REQUEST_ID_HEADER = "X-Request-ID"
_HARMLESS = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Ids of callers that are taken over; nothing in them can mean anything in a line of a log."""
_current: ContextVar[str | None] = ContextVar("podium_request_id", default=None)


def begin_request(given: str | None) -> str:
    """Take over the id that a caller gives, or make one; it is that of this task and of its threads.

    >>> begin_request("deploy-7"), begin_request("two words") == "two words"
    ('deploy-7', False)
    """
    found = given if given is not None and _HARMLESS.fullmatch(given) else machine.token_hex(8)
    _current.set(found)
    return found


def current_request_id() -> str | None:
    """The id of the request that is being answered here, if one is."""
    return _current.get()
