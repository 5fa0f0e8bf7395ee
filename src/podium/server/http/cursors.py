"""Cursors: where a list goes on, as text that means nothing to others.

One of a ladder belongs to one generation, and to the log that has the entry of its bookmark.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from sqlalchemy import Connection

from podium.errors import ParameterError
from podium.server.log.bookmarks import Bookmark, check_bookmark, read_bookmark
from podium.server.problems import StaleCursorError
from podium.server.storage.ladder_rows import LadderRow

BEGIN_AGAIN = "start again without a cursor"


def written_cursor(row: LadderRow, place: Bookmark, *values: str | float | int) -> str:
    """A cursor that holds these values, for a list that has come to a place in the log."""
    return encoded([row.generation, str(place), *values])


def read_cursor(cursor: str, row: LadderRow, *kinds: type) -> tuple[Bookmark, list[Any]]:
    """A cursor's place in the log, and its values, which must be of these types; refused if ratings were
    built anew since.
    """
    generation, place, *values = decoded(cursor, int, str, *kinds)
    if generation != row.generation:
        raise StaleCursorError("the ratings have been recomputed since this list began", hint=BEGIN_AGAIN)
    return _read_place(place), values


def check_cursor(connection: Connection, cursor: str | None, row: LadderRow) -> None:
    """Refuse a cursor of another log; what is no cursor is refused by whoever reads it."""
    if (found := _plain(cursor)) is not None and len(found) > 1 and type(found[1]) is str:
        check_bookmark(connection, row, _read_place(found[1]), hint=BEGIN_AGAIN)


def generation_of(cursor: str | None) -> int | None:
    """The generation that a cursor belongs to; None if there is none, or it is no cursor of ratings."""
    first = (_plain(cursor) or [None])[0]
    return first if type(first) is int and 0 < first < 2**31 else None


def _read_place(text: str) -> Bookmark:
    try:
        return read_bookmark(text)
    except ParameterError as error:
        raise no_cursor() from error


def _plain(cursor: str | None) -> list[Any] | None:
    """What a cursor holds; None if it is none."""
    try:
        found = json.loads(
            urlsafe_b64decode((cursor or "").encode("ascii") + b"=" * (-len(cursor or "") % 4))
        )
    except (ValueError, RecursionError):
        return None
    return found if type(found) is list else None


def encoded(values: list[Any]) -> str:
    """Values as the text of a cursor."""
    return urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).rstrip(b"=").decode()


def decoded(cursor: str, *kinds: type) -> list[Any]:
    """The values of a cursor, if it is one and they are of these types.

    >>> decoded(encoded([1, "after"]), int, str)
    [1, 'after']
    """
    values = _plain(cursor)
    if values is None or list(map(type, values)) != list(kinds) or not _is_small(values):
        raise no_cursor()
    return values


def _is_small(values: list[Any]) -> bool:
    """Whether numbers fit into the database's."""
    return all(isinstance(value, str) or -(2**62) < value < 2**62 for value in values)


def no_cursor() -> ParameterError:
    """Why a text is refused that is no cursor, or none of this list."""
    return ParameterError("this cursor is not valid", hint="use `next` or `previous` from an answer")
