"""What a service refuses, as the exceptions that a ladder would raise."""

from __future__ import annotations

import json
from typing import Any

from podium.client.effects import Lost, Reply
from podium.errors import (
    InputError,
    KeyConflictError,
    OrderError,
    ParameterError,
    PodiumError,
    RepeatError,
    ServiceError,
    UnknownPlayerError,
    UnreachableError,
    UnsupportedError,
)
from podium.text import shorten

PREFIX = "urn:podium:problem:"
"""What the type of each problem of podium begins with."""
SAME_AS_LADDER: dict[str, type[PodiumError]] = {
    "input": InputError,
    "parameter": ParameterError,
    "unsupported": UnsupportedError,
    "unknown-player": UnknownPlayerError,
    "order": OrderError,
    "repeat": RepeatError,
}
"""Problems that a ladder has too, by name."""
ADDRESS_HINT = "check that this is the URL of a podium service, such as http://127.0.0.1:8000"


def problem_of(reply: Reply) -> dict[str, Any] | None:
    """The problem document that an answer holds; None if it is something else, such as a proxy's page."""
    try:
        told = json.loads(reply.content)
    except ValueError:
        return None
    return told if isinstance(told, dict) and str(told.get("type", "")).startswith(PREFIX) else None


def error_of(reply: Reply) -> PodiumError:
    """The exception for an answer that is not good.

    >>> content = b'{"type": "urn:podium:problem:input", "detail": "rank is empty", "hint": null}'
    >>> error_of(Reply(400, content=content))
    InputError('rank is empty')
    """
    told = problem_of(reply)
    if told is None:
        text = shorten(reply.content.decode("utf-8", "replace").strip())
        return ServiceError(
            f"the service returned {reply.status}" + (f": {text}" if text else ""),
            hint=ADDRESS_HINT if reply.status in (404, 405) else None,
            status=reply.status,
        )
    name, reason, hint = told["type"].removeprefix(PREFIX), str(told.get("detail", "")), told.get("hint")
    if name in SAME_AS_LADDER:
        return SAME_AS_LADDER[name](reason, hint=hint)
    if name == "key-conflict":
        differences = tuple(
            (one["field"], one["recorded"], one["reported"]) for one in told.get("differences", ())
        )
        return KeyConflictError(reason, hint=hint, differences=differences, number=told.get("number"))
    return ServiceError(
        reason, hint=hint, status=reply.status, problem=name, outcomes=tuple(told.get("outcomes", ()))
    )


def lost_error(lost: Lost, address: str) -> UnreachableError:
    """The exception for a service that gave no answer."""
    return UnreachableError(
        f"the service at {address} does not answer: {lost.reason}",
        hint="a report may have arrived, so send it again with the same idempotency key"
        if lost.was_sent
        else None,
    )
