"""Cursors: where a list goes on, as text that means nothing to others and belongs to one generation."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from podium.errors import ParameterError
from podium.server.problems import StaleCursorError
from podium.server.storage.ladder_rows import LadderRow


def written_cursor(row: LadderRow, *values: str | float | int) -> str:
    """A cursor that holds these values."""
    return encoded([row.generation, *values])


def read_cursor(cursor: str, row: LadderRow, *kinds: type) -> list[Any]:
    """The values of a cursor, which must be of these types; refused if ratings were built anew since."""
    generation, *values = decoded(cursor, int, *kinds)
    if generation != row.generation:
        raise StaleCursorError(
            "ratings were computed anew since this list began", hint="begin again without a cursor"
        )
    return values


def generation_of(cursor: str | None) -> int | None:
    """The generation that a cursor belongs to; None if there is none, or it is no cursor of ratings."""
    if cursor is None:
        return None
    try:
        first = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))[0]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return first if type(first) is int and 0 < first < 2**31 else None


def encoded(values: list[Any]) -> str:
    """Values as the text of a cursor."""
    return urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).rstrip(b"=").decode()


def decoded(cursor: str, *kinds: type) -> list[Any]:
    """The values of a cursor, if it is one and they are of these types.

    >>> decoded(encoded([1, "after"]), int, str)
    [1, 'after']
    """
    try:
        values = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError) as error:
        raise no_cursor() from error
    if type(values) is not list or list(map(type, values)) != list(kinds) or not _is_small(values):
        raise no_cursor()
    return values


def _is_small(values: list[Any]) -> bool:
    """Whether numbers fit into the database's."""
    return all(isinstance(value, str) or -(2**62) < value < 2**62 for value in values)


def no_cursor() -> ParameterError:
    """Why a text is refused that is no cursor, or none of this list."""
    return ParameterError(
        "this is no cursor of podium", hint="take it from `next` or `previous` of an answer"
    )
