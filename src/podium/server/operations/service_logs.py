"""What a service logs: one line each to stderr, as text or as JSON.

Logs name players by number, and hold no bodies, keys, cookies or queries. The text of an unforeseen error may
quote any of them, so a traceback says where it happened and of which type it was; only at the level debug it
says its text too.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.exc import DBAPIError

from podium.errors import PodiumError
from podium.server import machine
from podium.server.settings import ServerSettings

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


LOGGER = logging.getLogger("podium")
"""What a service writes down about itself."""


@contextmanager
def logging_to_stderr(settings: ServerSettings) -> Iterator[None]:
    """Let all logs of this process go to stderr in the block: podium's by its level, others' warnings."""
    handler = StderrHandler()
    shows_texts = settings.log_level == "debug"
    handler.setFormatter(JsonLines(shows_texts) if settings.log_format == "json" else TextLines(shows_texts))
    former = LOGGER.level
    LOGGER.setLevel(settings.log_level.upper())
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        LOGGER.setLevel(former)


def brief(error: BaseException) -> str:
    """What went wrong, without what an error may quote of others' data.

    >>> brief(PodiumError("the log ends at 7, not at 8")), brief(KeyError("ann"))
    ('the log ends at 7, not at 8', 'KeyError')
    """
    if isinstance(error, PodiumError):
        return error.reason
    if isinstance(error, DBAPIError):  # its first line names tables; those below may quote rows
        return str(error.orig).strip().partition("\n")[0]
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__


class StderrHandler(logging.Handler):
    """Writes lines to stderr if anybody still reads it: a closed pipe does not end a service."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        with suppress(OSError, ValueError):
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()


class TextLines(logging.Formatter):
    """Lines for people."""

    def __init__(self, shows_texts: bool) -> None:
        self._shows_texts = shows_texts
        super().__init__()

    def format(self, record: logging.LogRecord) -> str:
        """One record: a line, and a traceback below it if there is one."""
        found = f"podium: {record.getMessage()}"
        fields = _fields(record)
        if fields:
            shown = " ".join(f"{name}={value}" for name, value in fields.items() if value is not None)
            found = f"{found} ({shown})"
        told = _traceback(record, self._shows_texts)
        return found if told is None else f"{found}\n{told}"


class JsonLines(logging.Formatter):
    """Lines for programs: an object each."""

    def __init__(self, shows_texts: bool) -> None:
        self._shows_texts = shows_texts
        super().__init__()

    def format(self, record: logging.LogRecord) -> str:
        """One record on one line."""
        plain: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            "process": record.process,
            **_fields(record),
        }
        if (told := _traceback(record, self._shows_texts)) is not None:
            plain["traceback"] = told
        return json.dumps(plain, default=str)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """What a record says beside its message: `fields`, given as `extra`, and the id of the request."""
    fields: dict[str, Any] = getattr(record, "fields", {})
    request_id = current_request_id()
    return fields if request_id is None else {"request_id": request_id, **fields}


def _traceback(record: logging.LogRecord, shows_texts: bool) -> str | None:
    """Where an error happened and of which type it was, and, if that is wanted, its text."""
    if not record.exc_info or (error := record.exc_info[1]) is None:
        return None
    if shows_texts:
        return "".join(traceback.format_exception(error)).rstrip()
    lines: list[str] = []
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        lines += [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
        lines.append(": ".join(dict.fromkeys([type(error).__name__, brief(error)])))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        lines += ["because of:"] if error is not None else []
    return "\n".join(lines)
