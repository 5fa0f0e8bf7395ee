"""Many results at once: a history sent in requests of many events, each with a key of its own.

Keys are made of a name for the whole upload and each event's place in it. Without a name given, it is a
digest of the content: the same history sent again, also after an interrupt, records only what is missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from typing import Any, Literal, NamedTuple

from podium.client.connection import API, Connection, plain_query, understood
from podium.client.effects import Request, Steps
from podium.client.sent_words import adjustment_document, report_document
from podium.client.service_errors import SAME_AS_LADDER
from podium.client.service_values import Refusal, Upload
from podium.errors import InputError, KeyConflictError, ParameterError, PodiumError, ServiceError
from podium.history import Adjustment, Event, History, HistoryLike, history_meant
from podium.history.history import is_history_like
from podium.history.ragged import Progress
from podium.history.times import Moment
from podium.text import counted, shorten
from podium.tuning.fingerprints import of_history

MOST_ITEMS = 10_000
"""Events and adjustments that a service takes in one request."""
ITEMS_A_REQUEST = 1_000
ROWS_A_REQUEST = 20_000
"""Rows of a request, unless one event has more: contests of thousands together would become too large."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
NDJSON = {"content-type": "application/x-ndjson"}
ANSWER_SECONDS = 60.0
"""How long a service may take for a request of many events."""

Events = Iterable[Event | Adjustment | Mapping[str, Any]]
KeyMaker = Callable[[Event | Adjustment, int], str]
"""Makes a key of an event (or adjustment) and its place in the upload, from 1."""


class Entry(NamedTuple):
    """One line of an upload."""

    place: int
    what: str
    line: bytes
    rows: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What is sent in one request."""

    entries: list[Entry]

    @property
    def rows(self) -> int:
        """The number of rows: one for each player of each event."""
        return sum(entry.rows for entry in self.entries)


class UploadCalls(Connection):
    """Reporting in bulk."""

    def update(
        self,
        history: HistoryLike | Events,
        *,
        key: str | KeyMaker | None = None,
        allow_repeat: bool = False,
        atomic: bool = False,
        on_refused: Literal["error", "skip"] = "error",
        batch: int = ITEMS_A_REQUEST,
        progress: Progress | None = None,
    ) -> Steps[Upload]:
        """Send a whole history, or a list of events, after the results so far. Returns the outcomes.

        Events are sent in requests of `batch` events. With `on_refused="error"`, a request with a refused
        event records nothing and ends the upload with an error. Earlier requests stay recorded. With "skip",
        all other events are recorded, and the answer lists the refused ones. With `atomic`, everything goes
        in one request and is recorded together or not at all: up to 10,000 events. `progress` is called with
        the number of rows recorded since the last call.

        Each event has a key, so that an upload that was interrupted can be run again. `key` is a name for the
        upload, or a function of an event and its place. With a name, the idempotency keys are the name and
        the event's place. The default name is a digest of the content.
        """
        if not 1 <= batch <= MOST_ITEMS:
            raise ParameterError(f"a batch may have 1 to {MOST_ITEMS:,} events, not {batch}")
        if on_refused not in ("error", "skip"):
            raise ParameterError(f"on_refused must be 'error' or 'skip', not {on_refused!r}")
        together = on_refused == "error" or atomic
        given = given_history(history)
        entries = entries_of(given, key, allow_repeat=allow_repeat)
        batches = whole(entries) if atomic else cut(entries, batch)
        sum_up = Upload()
        for one in batches:
            sum_up = yield from self._send_batch(one, sum_up, together=together)
            if progress is not None:
                progress(one.rows)
        return sum_up

    def _send_batch(self, batch: Batch, before: Upload, *, together: bool) -> Steps[Upload]:
        yield from self._settle()
        request = Request(
            "POST",
            f"{API}{self.path}/events/bulk",
            plain_query({"atomic": together, "changes": False}),
            b"\n".join(entry.line for entry in batch.entries),
            NDJSON,
            quiet_seconds=ANSWER_SECONDS,
        )
        try:
            told = understood((yield from self._exchanged(request)))
        except ServiceError as error:
            if error.problem != "refused":
                raise
            raise _refused(error, batch, before) from None
        return replace(
            before,
            recorded=before.recorded + told["recorded"],
            known=before.known + told["known"],
            refused=before.refused + refusals_of(batch, told["outcomes"]),
        )


def _refused(error: ServiceError, batch: Batch, before: Upload) -> PodiumError:
    """The error for a request of which nothing was recorded, as an event of it was refused."""
    done = before.recorded + before.known
    hint = f"{counted(done, 'event')} before this request are recorded" if done else "nothing was recorded"
    # Those that were refused only because of another one say so, and the problem tells of the other one.
    refused = refusals_of(batch, error.outcomes)
    first = next((one for one in refused if one.reason in error.reason), None)
    hint = hint if error.hint is None else f"{error.hint}; {hint}"
    if first is None:
        return InputError(error.reason, hint=hint)
    kinds: dict[str, type[PodiumError]] = {**SAME_AS_LADDER, "key-conflict": KeyConflictError}
    kind = kinds.get(first.problem or "", InputError)
    if kind is InputError:
        return InputError(first.reason, event=first.what, hint=hint)
    return kind(f"event {shorten(first.what)!r}: {first.reason}", hint=hint)


def refusals_of(batch: Batch, outcomes: Iterable[Mapping[str, Any]]) -> tuple[Refusal, ...]:
    """The events of a request that were refused."""
    return tuple(
        Refusal(
            entry.place, entry.what, outcome["reason"] or "refused", outcome["hint"], outcome.get("problem")
        )
        for entry, outcome in zip(batch.entries, outcomes, strict=False)
        if outcome["status"] == "refused"
    )


def given_history(given: HistoryLike | Events) -> History:
    """The history that somebody gave: one, what `read_history` makes one of, or a list of events."""
    if is_history_like(given):
        return history_meant(given, "update")
    return History.from_events(given)


def entries_of(history: History, key: str | KeyMaker | None, *, allow_repeat: bool) -> Iterator[Entry]:
    """Each event and adjustment of a history in order, as a line with a key."""
    name = content_digest(history) if key is None else key
    adjustments = {
        before: list(group) for before, group in groupby(history.adjustments, lambda placed: placed.before)
    }
    place = 0
    for number in range(len(history) + 1):
        for placed in adjustments.get(number, ()):
            place += 1
            sent = adjustment_document(
                placed.adjustment, time=Moment(placed.time), key=_key(name, placed.adjustment, place)
            )
            yield Entry(place, placed.adjustment.describe(), _line(sent), 0)
        if number < len(history):
            place += 1
            event = history.event(number)
            report = report_document(
                event, key=_key(name, event, place), allow_repeat=allow_repeat or not event.named
            )
            if not event.named and (event.name is None or event.name.isdecimal()):
                report.pop("name", None)  # its number here, which means nothing on a ladder
                report.pop("allow_repeat", None)
            yield Entry(place, history.event_name(number), _line(report), int(history.sizes[number]))


def _key(name: str | KeyMaker, item: Event | Adjustment, place: int) -> str:
    return f"{name}:{place}" if isinstance(name, str) else name(item, place)


def _line(document: Mapping[str, Any]) -> bytes:
    return _ENCODER.encode(document).encode()


def content_digest(history: History) -> str:
    """A hash of all that a history says, names included: another history has another one.

    >>> a, b = (History.from_matches(["ann"], [loser]) for loser in ("bob", "cat"))
    >>> content_digest(a) == content_digest(a[:]), content_digest(a) == content_digest(b)
    (True, False)
    """
    digest = blake2b(of_history(history).encode(), digest_size=16)
    for name in (*history.players, "", *(history.event_names or ())):
        digest.update(name.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def cut(entries: Iterable[Entry], most: int) -> Iterator[Batch]:
    """Requests of at most `most` entries, and of not many rows; an event is never cut."""
    pending: list[Entry] = []
    rows = 0
    for entry in entries:
        if pending and (len(pending) == most or rows + entry.rows > ROWS_A_REQUEST):
            yield Batch(pending)
            pending, rows = [], 0
        pending.append(entry)
        rows += entry.rows
    if pending:
        yield Batch(pending)


def whole(entries: Iterable[Entry]) -> list[Batch]:
    """All entries in one request."""
    found = list(entries)
    if len(found) > MOST_ITEMS:
        raise ParameterError(
            f"{len(found):,} events cannot be recorded together: {MOST_ITEMS:,} can",
            hint=f"without atomic, the first is {shorten(found[0].what)!r} and they go in several requests",
        )
    return [Batch(found)] if found else []
