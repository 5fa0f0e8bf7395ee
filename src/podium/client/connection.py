"""One ladder of a service: how something is asked of it, asked again, and understood."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Iterator, Mapping
from typing import Any, cast

from podium.client.answered_values import system_value
from podium.client.effects import Lost, Reply, Request, Sent, Steps, pause, sent_reply
from podium.client.retrying import Retries
from podium.client.sent_words import plain_settings
from podium.client.service_errors import ADDRESS_HINT, error_of, lost_error
from podium.client.service_values import LadderSettings
from podium.documents.plain_data import SCHEMA_VERSION
from podium.documents.system_documents import SystemDocument, system_document
from podium.errors import ParameterError, ServiceError, StateError
from podium.files.atomic import replacing
from podium.ladder.saving import difference
from podium.systems import RatingSystem

API = "/api/v1"
PAGE_ROWS = 1000
"""Rows of a page that is asked for."""
MOST_STARTS = 5
"""How often reading page by page begins anew because what is read was rated again meanwhile."""
SLOW_SECONDS = 3600.0
"""How long a service may take to compute a whole ladder."""
FILE_SECONDS = 600.0
"""How long a service may take to receive or to send a file."""
JSON = {"content-type": "application/json"}

Query = str | int | float | bool | None


class Connection:
    """A ladder of a service, without a transport: every call is a generator of effects."""

    def __init__(
        self,
        address: str,
        slug: str,
        system: RatingSystem | None,
        settings: LadderSettings,
        retries: Retries,
    ) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", slug):
            raise ParameterError(
                f"{slug!r} is not a valid slug for a ladder",
                hint="use up to 63 lower-case letters, digits and hyphens, such as ladder='chess-club'",
            )
        self.address, self.slug, self.retries = address, slug, retries
        self.system: RatingSystem | None = system
        """The system that the ladder must have, or has; None as long as nobody knows."""
        self._settings = settings
        self._is_settled = system is None

    # ------------------------------------------------------------------ asking

    def _ask_service(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Query] = {},
        body: Any = None,
        again: bool = True,
        slow: bool = False,
    ) -> Steps[dict[str, Any]]:
        """What the service answers, as plain data; a refusal is raised.

        `again` says whether it may be asked twice, `slow` that the answer may take long.
        """
        content = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        request = Request(
            method,
            API + path,
            plain_query(query),
            content,
            {} if body is None else JSON,
            repeatable=again,
            quiet_seconds=SLOW_SECONDS if slow else None,
        )
        return understood((yield from self._exchanged(request)))

    def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Query] = {},
        body: Any = None,
        again: bool = True,
        slow: bool = False,
    ) -> Steps[dict[str, Any]]:
        """What the service answers about this ladder, which is made before if that is wanted."""
        yield from self._settle()
        return (
            yield from self._ask_service(
                method, self.path + path, query=query, body=body, again=again, slow=slow
            )
        )

    @property
    def path(self) -> str:
        """Where the ladder is on its service."""
        return f"/ladders/{self.slug}"

    def _exchanged(self, request: Request) -> Generator[Any, Sent, Reply]:
        """The answer to a request, which is sent again where that is safe and may help."""
        attempt = 0
        while True:
            outcome = yield from sent_reply(request)
            seconds = self.retries.pause_after(attempt, request, outcome)
            if seconds is None:
                break
            yield from pause(seconds)
            attempt += 1
        if isinstance(outcome, Lost):
            raise lost_error(outcome, self.address)
        if not outcome.is_good:
            raise error_of(outcome)
        return outcome

    def _fetch_output(self, job: int, path: str | os.PathLike[str]) -> Steps[None]:
        """Write the file that a job has made to a path, where it appears when it is whole."""
        request = Request("GET", f"{API}/jobs/{job}/output", quiet_seconds=FILE_SECONDS)
        reply = yield from self._exchanged(request)
        with replacing(path) as temporary:
            temporary.write_bytes(reply.content)

    def _pages(
        self, path: str, rows: str, *, query: Mapping[str, Query], most: int | None = None
    ) -> Steps[list[dict[str, Any]]]:
        """The pages of a list with `most` rows or all; each has its rows under the key `rows`."""
        for starts_left in reversed(range(MOST_STARTS)):
            try:
                return (yield from self._all_pages(path, rows, query, most))
            except ServiceError as error:
                if error.problem != "stale-cursor" or not starts_left:
                    raise
        raise AssertionError("the last start has returned or raised")

    def _all_pages(
        self, path: str, rows: str, query: Mapping[str, Query], most: int | None
    ) -> Steps[list[dict[str, Any]]]:
        pages: list[dict[str, Any]] = []
        cursor, missing = None, most
        while True:
            limit = PAGE_ROWS if missing is None else min(PAGE_ROWS, missing)
            page = yield from self._ask("GET", path, query={**query, "limit": limit, "cursor": cursor})
            pages.append(page)
            cursor = page["next"]
            missing = None if missing is None else missing - len(page[rows])
            if cursor is None or missing == 0:
                return pages

    # ------------------------------------------------------------------ the ladder itself

    def _settle(self) -> Steps[None]:
        """Make the ladder if it is not there, and refuse one of another system; only the first time."""
        if self._is_settled or self.system is None:
            return
        try:
            found = yield from self._ask_service("GET", self.path)
        except ServiceError as error:
            if error.problem != "unknown-ladder":
                raise
            found = yield from self._create()
        there = _system(found)
        if there != self.system:
            raise StateError(
                f"the ladder {self.slug!r} is of {difference(there, self.system)}",
                hint="omit system= to use the ladder as it is, or choose another ladder=",
            )
        self._is_settled = True

    def _create(self) -> Steps[dict[str, Any]]:
        """Make the ladder; if somebody else was quicker, theirs."""
        assert self.system is not None
        body = new_ladder(self.slug, self.system, self._settings)
        try:
            return (yield from self._ask_service("POST", "/ladders", body=body))
        except ServiceError as error:
            if error.problem != "ladder-exists":
                raise
            return (yield from self._ask_service("GET", self.path))

    def known_system(self) -> Steps[RatingSystem]:
        """The ladder's system, which is asked for once."""
        if self.system is None:
            self.system = _system((yield from self._ask("GET", "")))
        else:
            yield from self._settle()
        return self.system


def _system(told: dict[str, Any]) -> RatingSystem:
    return system_value(cast(SystemDocument, told))


def new_ladder(slug: str, system: RatingSystem | None, settings: LadderSettings) -> dict[str, Any]:
    """What is sent to make a ladder."""
    body = {"slug": slug, **plain_settings(settings)}
    if system is None:
        return body
    told = system_document(system)
    return {**body, "system": told["system"], "parameters": told["parameters"]}


def plain_query(query: Mapping[str, Query]) -> dict[str, str]:
    """The parameters of an address as text; those that are None are left out.

    >>> plain_query({"limit": 50, "atomic": True, "cursor": None})
    {'limit': '50', 'atomic': 'true'}
    """
    given = ((name, value) for name, value in query.items() if value is not None)
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given}


def understood(reply: Reply) -> dict[str, Any]:
    """The document that an answer holds."""
    try:
        told = json.loads(reply.content)
    except ValueError:
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("podium"), int):
        raise ServiceError("the answer is not from a podium service", hint=ADDRESS_HINT, status=reply.status)
    if told["podium"] > SCHEMA_VERSION:
        raise ServiceError(
            f"the service sends documents of version {told['podium']}, which is newer than this client",
            hint="upgrade podium here",
            status=reply.status,
        )
    return told


def rows_of(pages: list[dict[str, Any]], rows: str) -> Iterator[Any]:
    """The rows of all pages, one after another."""
    return (row for page in pages for row in page[rows])
