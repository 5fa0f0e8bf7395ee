"""Entries of a log as callers name them.

`7` is the number of an entry, `key:game-7` its idempotency key, `name:round 3` the name of an event. Other
text is a name too. A name means the event that has it now: corrected, and void only if no other one has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, select

from podium.errors import InputError
from podium.history import Event
from podium.ladder.recorded_keys import LONGEST_KEY
from podium.server.correcting.amendments import Amendments
from podium.server.log.log_entries import LogEntry, entry_of
from podium.server.log.log_reading import ENTRIES_AT_ONCE, Naming
from podium.server.log.reports import LONGEST_NAME
from podium.server.problems import UnknownEntryError
from podium.server.storage import tables
from podium.text import shorten

KEY, NAME = "key:", "name:"
HINT = f"give a number, {KEY} and the key of a report, or {NAME} and the name of an event"
MOST_SHOWN = 5
"""Numbers that an error lists of events with one name."""
NUMBER = re.compile(r"[0-9]{1,18}")
"""Text that is the number of an entry."""


class EventNames:
    """The entries of a ladder's log by what callers call them."""

    def __init__(
        self,
        connection: Connection,
        ladder: int,
        amendments: Amendments,
        naming: Naming,
        unwritten: Iterable[Any] = (),
    ) -> None:
        """`unwritten` are rows of the log that are not in the database yet."""
        self._connection, self._ladder = connection, ladder
        self._amendments, self._name_of = amendments, naming.name_of
        self._unwritten = {row.seq: row for row in unwritten}

    def number(self, meant: int | str) -> int:
        """The number of the entry that is meant; a number is taken as it is, whether there is one or not."""
        if isinstance(meant, int):
            return meant
        if NUMBER.fullmatch(meant):
            return int(meant)
        if meant.startswith(KEY):
            return self._of_key(meant.removeprefix(KEY))
        return self._of_name(meant.removeprefix(NAME))

    def _of_key(self, key: str) -> int:
        table = tables.event
        found: int | None = next((number for number, row in self._unwritten.items() if row.key == key), None)
        if found is None and len(key) <= LONGEST_KEY and "\0" not in key:  # PostgreSQL knows no such text
            query = select(table.c.seq).where(table.c.ladder == self._ladder, table.c.key == key)
            found = self._connection.execute(query).scalar_one_or_none()
        if found is None:
            raise UnknownEntryError(f"no report has the idempotency key {shorten(key)!r}", hint=HINT)
        return found

    def _of_name(self, name: str) -> int:
        counting: list[int] = []
        void: list[int] = []
        for entry in self._that_had(name):
            now = self._amendments.in_force(entry, self._name_of)
            content = (now or entry).content
            if isinstance(content, Event) and content.name == name:
                (void if now is None else counting).append(entry.number)
                if len(counting) > MOST_SHOWN:
                    break
        found = counting or void
        if not found:
            raise UnknownEntryError(f"there is no event named {shorten(name)!r}", hint=HINT)
        if len(found) > 1:
            shown = ", ".join(map(str, found[:MOST_SHOWN])) + (", …" if len(found) > MOST_SHOWN else "")
            raise InputError(
                f"several events are named {shorten(name)!r}",
                hint=f"give one event's number instead: {shown}",
            )
        return found[0]

    def _that_had(self, name: str) -> Iterator[LogEntry]:
        """The events that once had a name, latest first, each as it was reported."""
        if not 1 <= len(name) <= LONGEST_NAME:
            return
        table, written = tables.event, f'"name":{json.dumps(name, ensure_ascii=False)}'
        query = select(table.c.seq).where(
            table.c.ladder == self._ladder,
            table.c.kind.in_(("event", "correction")),
            table.c.payload.contains(written, autoescape=True),
        )
        numbers = [number for number, row in self._unwritten.items() if written in row.payload]
        numbers += self._connection.scalars(query)
        roots = sorted(set(map(self._amendments.root, numbers)), reverse=True)
        for start in range(0, len(roots), ENTRIES_AT_ONCE):
            some = roots[start : start + ENTRIES_AT_ONCE]
            stored = select(table).where(table.c.ladder == self._ladder, table.c.seq.in_(some))
            rows = {row.seq: row for row in self._connection.execute(stored)} | self._unwritten
            yield from (entry_of(rows[number], self._name_of) for number in some)
