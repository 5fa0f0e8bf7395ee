"""Reading a ladder's log: what is there, line by line, and what comes, as server-sent events.

Both continue after the last entry that was read if the connection breaks: entries have bookmarks, and the
service begins after the one it is given. If its log does not have that entry, as when an older backup was
restored, it refuses: `ServiceError` with the problem ``other-log``.
"""

from __future__ import annotations

import json
from typing import cast
from urllib.parse import quote

from podium.client.answered_values import bookmark_text, logged_event_value
from podium.client.connection import API, Connection
from podium.client.effects import Feed, Item, Lost, Opening, Request, Steps, next_line, pause, sent_reply
from podium.client.sent_words import plain_event
from podium.client.service_errors import error_of, lost_error
from podium.client.service_values import LoggedEvent
from podium.documents.service_documents import LoggedEventDocument
from podium.errors import ParameterError

SILENT_SECONDS = 45.0
"""A service sends something every 15 seconds while nothing happens; three times that is a dead connection."""


class LogCalls(Connection):
    """Reading the log."""

    def event(self, number: int | str | None = None, *, key: str | None = None) -> Steps[LoggedEvent]:
        """An entry of the log by its number, "key:…" or "name:…", or by the key it was reported with."""
        if (number is None) == (key is None):
            raise ParameterError(
                "give an event's number or its idempotency key, not both", hint='event(7), event(key="a")'
            )
        if key is not None:
            told = yield from self._ask("GET", "/events", query={"key": key})
        else:
            told = yield from self._ask("GET", f"/events/{quote(str(plain_event(number or 0)), safe='')}")
        return logged_event_value(cast(LoggedEventDocument, told))

    def events(self, since: int | str = 0) -> Feed[LoggedEvent]:
        """The entries of the log after `since`, oldest first, up to the latest one.

        `since` is the bookmark of an entry, or 0 for all.
        """
        yield from self._settle()
        last, failures = str(since), 0
        while True:
            request = Request("GET", f"{API}{self.path}/events", {"since": last})
            lost = yield from self._opened(request, failures)
            while lost is None:
                line = yield from next_line()
                if line is None:
                    return
                if isinstance(line, Lost):
                    lost = line
                elif line:
                    entry = _entry(line)
                    last, failures = entry.bookmark, 0
                    yield Item(entry)
            yield from self._wait(lost, failures)
            failures += 1

    def stream(self, since: int | str | None = None) -> Feed[LoggedEvent]:
        """The entries of the log as they come, without end. With `since`, it starts after that place.

        `since` is the bookmark of an entry, or 0 for all. If the connection breaks, it is made again, and
        nothing is left out.
        """
        if since is None:
            newest = (yield from self._ask("GET", "/events", query={"limit": 1}))["entries"]
            since = bookmark_text(newest[0]) if newest else 0
        else:
            yield from self._settle()
        last, failures = str(since), 0
        while True:
            request = Request(
                "GET",
                f"{API}{self.path}/stream",
                {"since": last},
                headers={"accept": "text/event-stream", "last-event-id": last},
                quiet_seconds=SILENT_SECONDS,
            )
            lost = yield from self._opened(request, failures)
            parts = SentEvents()
            while lost is None:
                line = yield from next_line()
                if line is None:
                    lost = Lost("the service closed the stream")
                elif isinstance(line, Lost):
                    lost = line
                else:
                    failures = 0
                    if (data := parts.data_after(line)) is not None:
                        entry = _entry(data)
                        last = entry.bookmark
                        yield Item(entry)
            yield from self._wait(lost, failures)
            failures += 1

    def _opened(self, request: Request, failures: int) -> Steps[Lost | None]:
        """Open an answer that is read by lines; returns what went wrong where trying again may help."""
        outcome = yield from sent_reply(Opening(request))
        if isinstance(outcome, Lost):
            return outcome
        if outcome.is_good:
            return None
        if self.retries.pause_after(failures, request, outcome) is None:
            raise error_of(outcome)
        return Lost(f"it returned {outcome.status}")

    def _wait(self, lost: Lost, failures: int) -> Steps[None]:
        """Wait before the next try; too many in a row that brought nothing are an error."""
        if failures >= self.retries.most:
            raise lost_error(lost, self.address)
        yield from pause(self.retries.pause(failures))


def _entry(line: str) -> LoggedEvent:
    return logged_event_value(json.loads(line))


class SentEvents:
    """The lines of a stream of server-sent events, put together.

    >>> parts = SentEvents()
    >>> [parts.data_after(line) for line in ("id: 7", "event: logged-event", "data: {}", "", ": keep-alive")]
    [None, None, None, '{}', None]
    """

    def __init__(self) -> None:
        self._data: list[str] = []
        self._kind = ""

    def data_after(self, line: str) -> str | None:
        """The data of the event that this line ends; None if it ends none."""
        if not line:
            data, kind = "\n".join(self._data), self._kind
            self._data, self._kind = [], ""
            return data if data and kind == "logged-event" else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._kind = value
        return None
