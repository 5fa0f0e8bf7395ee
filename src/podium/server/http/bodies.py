"""Bodies of requests: not too large, not too slow, and JSON."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any, NoReturn, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from podium.errors import InputError
from podium.server.access.request_costs import BODY_BYTES, charge
from podium.server.problems import MediaTypeError, TooLargeError, TooSlowError
from podium.server.settings import ServerSettings
from podium.text import shorten

NDJSON = "application/x-ndjson"
JSON = "application/json"
MADE_IN_A_THREAD = 20_000
"""Bytes of a body from which on a thread reads it."""
Made = TypeVar("Made")
"""What a body of JSON says it is. Nothing else is taken: pages of other sites can send forms, not JSON."""


DEEPEST_BRACKETS = 32
"""Brackets inside brackets of a body, at most; a report has two or three."""
MOST_VALUES = 2_000_000
"""Values of a body, at most, and each takes two characters or more. Signs between values are counted instead
of them, so that what is refused costs nothing."""
_TEXT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_NO_BRACKETS = re.compile(r"[^\[{\]}]++")

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""How half of a character is written in JSON; two of them may be a whole one."""


async def read_body(request: Request, settings: ServerSettings) -> bytes:
    """The whole body of a request, which is charged for its size: before it arrives, if that is known."""
    given = request.headers.get("content-length", "")
    length = int(given) if given.isdecimal() and len(given) < 20 else 0
    if length > settings.body_bytes:
        raise _too_large(settings)
    charge(request, length / BODY_BYTES)
    parts, size = [], 0
    async for part in body_parts(request, settings):
        size += len(part)
        if size > settings.body_bytes:
            raise _too_large(settings)
        parts.append(part)
    charge(request, (size - length) / BODY_BYTES)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def body_parts(request: Request, settings: ServerSettings) -> AsyncIterator[bytes]:
    """The parts of a body as they arrive; refused if they come too slowly."""
    stream, size, began = aiter(request.stream()), 0, asyncio.get_running_loop().time()
    while True:
        try:
            async with asyncio.timeout_at(began + settings.body_seconds + size / settings.upload_rate):
                part = await anext(stream, None)
        except TimeoutError as error:
            raise TooSlowError(
                f"the body arrived too slowly: {settings.body_seconds:g} seconds are allowed, plus one "
                f"for each {settings.upload_rate:,} bytes",
                hint="nothing was recorded, so send it again in smaller parts",
            ) from error
        if part is None:
            return
        size += len(part)
        yield part


def _too_large(settings: ServerSettings) -> TooLargeError:
    return TooLargeError(
        f"the largest body allowed has {settings.body_bytes:,} bytes", hint="send it in several requests"
    )


async def made_of(body: bytes, make: Callable[[bytes], Made]) -> Made:
    """What `make` makes of a body; of a large one in a thread, so that other requests need not wait."""
    return make(body) if len(body) < MADE_IN_A_THREAD else await run_in_threadpool(make, body)


async def sent_json(request: Request, settings: ServerSettings) -> Any:
    """The plain data of a body that is said to be JSON."""
    check_json(request)
    return await made_of(await read_body(request, settings), parsed)


def media_type(request: Request) -> str:
    """What a request says its body is."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def check_json(request: Request, *, or_lines: bool = False) -> None:
    """Refuse a body that is not said to be JSON, or, with `or_lines`, NDJSON."""
    given, taken = media_type(request), (JSON, NDJSON) if or_lines else (JSON,)
    if given not in taken:
        words = "JSON or NDJSON" if or_lines else "JSON"
        raise MediaTypeError(
            f"this endpoint takes {words}, not {shorten(given)}"
            if given
            else f"the request does not declare that its body is {words}",
            hint="send the header Content-Type: " + " or ".join(taken),
        )


def parsed(body: bytes) -> Any:
    """The plain data that a body holds.

    >>> parsed(b'{"ranks": {"ann": 1}}')
    {'ranks': {'ann': 1}}
    """
    try:
        text = body.decode()  # UTF-8 and nothing else; json would take others, and halves of characters
        _check_values(text)
        _check_depth(text)
        found = json.loads(text, parse_constant=_no_number, object_pairs_hook=_without_repeats)
        if _HALF.search(text) is not None:
            _check_halves(found)
        return found
    except UnicodeDecodeError as error:
        raise InputError(f"the body is not valid UTF-8: {error.reason} at byte {error.start}") from error
    except UnicodeEncodeError as error:
        raise InputError(
            f"the body contains an unpaired surrogate: {error.object[error.start]!a}",
            hint="write a character beyond \\uffff as two surrogates in a row",
        ) from error
    except ValueError as error:
        raise InputError(f"the body is not JSON: {error}") from error


def parsed_lines(body: bytes) -> list[Any]:
    """The plain data of each line of NDJSON; empty lines are nothing."""
    if body.count(b"\n") > MOST_VALUES:
        raise _too_many_values()
    found = []
    for number, line in enumerate(body.splitlines(), start=1):
        if line.strip():
            try:
                found.append(parsed(line))
            except InputError as error:
                raise InputError(error.reason, line=number, hint=error.hint) from error
    return found


def _check_values(text: str) -> None:
    """Refuse so many values that making them would take long."""
    if len(text) > MOST_VALUES and sum(map(text.count, ",[{")) > MOST_VALUES:
        raise _too_many_values()


def _too_many_values() -> TooLargeError:
    return TooLargeError(
        f"the largest body allowed has {MOST_VALUES:,} values", hint="send it in several requests"
    )


def _check_depth(text: str) -> None:
    """Refuse brackets inside brackets without end, before anything goes into them."""
    if text.count("[") + text.count("{") <= DEEPEST_BRACKETS:
        return
    depth = 0
    for bracket in _NO_BRACKETS.sub("", _TEXT.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST_BRACKETS:
            raise InputError(f"the body is nested more than {DEEPEST_BRACKETS} levels deep")


def _check_halves(found: Any) -> None:
    """Raise an `UnicodeEncodeError` if some text has half of a character without the other one."""
    json.dumps(found, ensure_ascii=False).encode()


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values; one that has a key twice would lose what stands first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = Counter(key for key, _ in pairs)
        twice = max(seen, key=lambda key: seen[key])
        raise InputError(f"{shorten(twice)!r} is a duplicate key in one object of the body")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")
