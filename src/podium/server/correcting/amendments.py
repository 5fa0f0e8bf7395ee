"""What amends a ladder's log, and what of the log is in force for it.

Voids, corrections and disqualifications each have a target. All that goes back to one event is evaluated from
the last to the first: an entry counts unless a void that counts has it as target. Events that were reported
late are here too, as they are rated elsewhere than where they stand in the log.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, text

from podium.arrays import NO_TIME
from podium.documents.service_documents import EntryKind
from podium.server.log.log_entries import LogEntry, entry_of
from podium.server.log.reports import Disqualification
from podium.server.storage import tables

EVERYTHING = 2**62
"""A number beyond those of every log."""

Position = tuple[int, bool, int, int]
"""By what entries are rated: the number of the entry or of that before it; whether it is late; its time; its
number."""


@dataclass(frozen=True, slots=True, order=True)
class Amendment:
    """An entry that amends another one, or was reported late."""

    number: int
    kind: EntryKind
    target: int | None
    place: int | None
    time: int
    stored: Any = None
    """Its row of the table `event`, which names players by number."""


def amendment_of(row: Any) -> Amendment | None:
    """The amendment in a row of the table `event`; None if it is none."""
    if row.target is None and row.place is None:
        return None
    time = NO_TIME if row.rated_time is None else row.rated_time
    return Amendment(row.seq, row.kind, row.target, row.place, time, row)


class Amendments:
    """The amendments of a log up to some number."""

    def __init__(self, to: int = EVERYTHING) -> None:
        self.to = to
        """Later ones do not count yet."""
        self._all: dict[int, Amendment] = {}
        self._roots: dict[int, int] = {}
        """The event or adjustment to which each amendment goes back."""
        self._chains: dict[int, list[int]] = {}
        """The amendments of each event or adjustment, oldest first."""
        self._late: dict[int, list[tuple[int, int]]] = {}
        """Time and number of the late events behind each entry."""

    def __len__(self) -> int:
        return len(self._all)

    def add(self, amendment: Amendment | None) -> None:
        """Take a further one, which is later than all that are here; None is nothing."""
        if amendment is None:
            return
        self._all[amendment.number] = amendment
        if amendment.target is not None:
            root = self._roots.get(amendment.target, amendment.target)
            self._roots[amendment.number] = root
            insort(self._chains.setdefault(root, []), amendment.number)
        else:
            assert amendment.place is not None
            insort(self._late.setdefault(amendment.place, []), (amendment.time, amendment.number))

    def up_to(self, number: int) -> Amendments:
        """The same amendments, of which those up to another number count."""
        twin = Amendments(number)
        twin._all, twin._roots, twin._chains, twin._late = self._all, self._roots, self._chains, self._late
        return twin

    def copy(self) -> Amendments:
        """An independent memory of the same."""
        twin = Amendments(self.to)
        for number in sorted(self._all):
            twin.add(self._all[number])
        return twin

    def __contains__(self, number: int) -> bool:
        return number in self._all

    def between(self, after: int, to: int) -> list[Amendment]:
        """Those behind a number, up to another one."""
        return [one for number, one in self._all.items() if after < number <= to]

    # ------------------------------------------------------------------ what is in force

    def voided(self, root: int) -> set[int]:
        """What of an event or adjustment and of its amendments does not count."""
        gone: set[int] = set()
        for number in reversed(self._chains.get(root, ())):
            one = self._all[number]
            if number <= self.to and number not in gone and one.kind == "void" and one.target is not None:
                gone.add(one.target)
        return gone

    def is_void(self, number: int) -> bool:
        """Whether an entry does not count."""
        return number in self.voided(self.root(number))

    def root(self, number: int) -> int:
        """The event or adjustment that an entry is or goes back to."""
        return self._roots.get(number, number)

    def amending(self, number: int) -> list[int]:
        """The numbers of the entries that amend this one directly, oldest first."""
        return [one for one in self._chains.get(self.root(number), ()) if self._all[one].target == number]

    def is_pending(self, number: int) -> bool:
        """Whether an entry is an amendment that does not count yet."""
        return number in self._all and number > self.to

    def in_force(self, entry: LogEntry, name_of: Callable[[int], str]) -> LogEntry | None:
        """An event or adjustment as it counts: corrected, and without the disqualified; None if it is void.

        A late event is no longer marked as such: whoever asks puts it in its place.
        """
        assert entry.target is None
        if entry.place is not None:
            entry = replace(entry, place=None)
        chain = self._chains.get(entry.number)
        if chain is None:
            return entry
        gone = self.voided(entry.number)
        if entry.number in gone:
            return None
        out: set[str] = set()
        for number in chain:
            one = self._all[number]
            if number > self.to or number in gone or one.stored is None or one.kind == "void":
                continue
            amending = entry_of(one.stored, name_of)
            if isinstance(amending.content, Disqualification):
                out |= amending.content.players
            else:
                out = set()
                entry = replace(
                    entry,
                    content=amending.content,
                    disqualified=amending.disqualified,
                    rated=amending.rated,
                    allow_repeat=amending.allow_repeat,
                )
        return replace(entry, disqualified=entry.disqualified | out) if out else entry

    # ------------------------------------------------------------------ order

    @property
    def has_late(self) -> bool:
        """Whether some entry is rated elsewhere than where it stands in the log."""
        return any(number <= self.to for late in self._late.values() for _, number in late)

    def late_behind(self, number: int) -> Iterator[Any]:
        """The rows of the late events behind an entry, in the order in which they are rated."""
        for _, late in self._late.get(number, ()):
            if late <= self.to:
                yield self._all[late].stored

    def late_numbers(self) -> set[int]:
        """The numbers of all late events that count or are void."""
        return {number for late in self._late.values() for _, number in late if number <= self.to}

    def position(self, number: int) -> Position:
        """Where an event or adjustment stands in the order in which everything is rated."""
        one = self._all.get(number)
        if one is None or one.place is None or number > self.to:
            return number, False, 0, number
        return one.place, True, one.time, number

    def changed_from(self, number: int) -> int:
        """The first number of the log that is rated otherwise because of an amendment."""
        root = self.root(number)
        one = self._all.get(root)
        return root if one is None or one.place is None else one.place + 1


def read_amendments(connection: Connection, ladder: int, head: int, to: int) -> Amendments:
    """The amendments in a ladder's log up to its `head`, of which those up to `to` count."""
    table, found = tables.event, Amendments(to)
    rows: list[Any] = []
    for name, index in (("target", "event_target"), ("place", "event_late")):
        # SQLite would read the whole log of the ladder if it were not led to the index.
        led = f" INDEXED BY {index}" if connection.dialect.name == "sqlite" else ""
        query = text(
            f"SELECT {', '.join(table.c.keys())} FROM event{led} "
            f"WHERE ladder = :ladder AND {name} IS NOT NULL AND seq <= :head"
        ).columns(*table.c)
        rows += connection.execute(query, {"ladder": ladder, "head": head})
    for row in sorted(rows, key=lambda row: row.seq):
        found.add(amendment_of(row))
    return found
