"""What amends a ladder's log, and what of the log is in force for it.

Voids, corrections and disqualifications each have a target. All that goes back to one event is evaluated from
the last to the first: an entry counts unless a void that counts has it as target. Events that were reported
late are here too, as they are rated elsewhere than where they stand in the log.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from podium.arrays import NO_TIME
from podium.documents.service_documents import EntryKind
from podium.server.correcting.generations import find_generation
from podium.server.log.log_entries import LogEntry, entry_of
from podium.server.log.reports import ClockRepair, Disqualification
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

EVERYTHING = 2**62
"""A number beyond those of every log."""


class Position(NamedTuple):
    """By what entries are rated, in this order."""

    place: int
    """The number of the entry, or of that before it."""
    is_late: bool
    time: int
    number: int

    @property
    def first_number(self) -> int:
        """The first number of the log that is rated behind it, if it is late; otherwise its own."""
        return self.place + self.is_late


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

    def __init__(self, to: int = EVERYTHING, *, own_times: bool = True) -> None:
        self.to = to
        """Later ones do not count yet."""
        self.own_times = own_times
        """Whether entries are rated at their own times; otherwise at those of their rows."""
        self._all: dict[int, Amendment] = {}
        self._roots: dict[int, int] = {}
        """The event or adjustment to which each amendment goes back."""
        self._chains: dict[int, list[int]] = {}
        """The amendments of each event or adjustment, oldest first."""
        self._late: dict[int, list[tuple[int, int]]] = {}
        """Time and number of the late events behind each entry."""
        self._repairs: list[tuple[int, ClockRepair]] = []
        """Numbers and contents of the entries that repair the clock."""

    def __len__(self) -> int:
        return len(self._all)

    def add(self, amendment: Amendment | None) -> None:
        """Take a further one, which is later than all that are here; None is nothing."""
        if amendment is None:
            return
        self._all[amendment.number] = amendment
        if amendment.kind == "clock" and amendment.stored is not None:
            repair = entry_of(amendment.stored, str).content
            assert isinstance(repair, ClockRepair)
            self._repairs.append((amendment.number, repair))
        if amendment.target is not None:
            root = self._roots.get(amendment.target, amendment.target)
            self._roots[amendment.number] = root
            insort(self._chains.setdefault(root, []), amendment.number)
        else:
            assert amendment.place is not None
            insort(self._late.setdefault(amendment.place, []), (amendment.time, amendment.number))

    def up_to(self, number: int, *, own_times: bool | None = None) -> Amendments:
        """The same amendments, of which those up to another number count."""
        twin = Amendments(number, own_times=self.own_times if own_times is None else own_times)
        twin._all, twin._roots, twin._chains, twin._late = self._all, self._roots, self._chains, self._late
        twin._repairs = self._repairs
        return twin

    def copy(self) -> Amendments:
        """An independent memory of the same."""
        twin = Amendments(self.to, own_times=self.own_times)
        twin._all, twin._roots, twin._repairs = self._all.copy(), self._roots.copy(), self._repairs.copy()
        twin._chains = {root: chain.copy() for root, chain in self._chains.items()}
        twin._late = {place: late.copy() for place, late in self._late.items()}
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

    def is_amended(self, number: int) -> bool:
        """Whether something amends an event or adjustment."""
        return number in self._chains

    def root(self, number: int) -> int:
        """The event or adjustment that an entry is or goes back to."""
        return self._roots.get(number, number)

    def amending(self, number: int) -> list[int]:
        """The numbers of the entries that amend this one directly, oldest first."""
        return [one for one in self._chains.get(self.root(number), ()) if self._all[one].target == number]

    def too_late(self) -> list[tuple[int, int]]:
        """The entries that amend something which was void already when they came, and what that is.

        Such are refused. Older versions took them in one request with what made it void.
        """
        return [
            (number, one.target)
            for number, one in self._all.items()
            if one.target is not None and one.kind != "clock" and self.up_to(number - 1).is_void(one.target)
        ]

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
        if entry.number not in self._chains:
            return entry
        gone = self.voided(entry.number)
        return None if entry.number in gone else self._amended(entry, gone, name_of)

    def _amended(self, entry: LogEntry, gone: set[int], name_of: Callable[[int], str]) -> LogEntry:
        """An event or adjustment with its amendments, except for those that are gone."""
        out: set[str] = set()
        for number in self._chains.get(entry.number, ()):
            one = self._all[number]
            if number > self.to or number in gone or one.stored is None or one.kind in ("void", "clock"):
                continue
            amending = entry_of(one.stored, name_of)
            if isinstance(amending.content, Disqualification):
                out |= amending.content.players
            else:
                out = set()
                entry = entry.corrected_by(amending)
        return replace(entry, disqualified=entry.disqualified | out) if out else entry

    def rateable(self, stored: Any, name_of: Callable[[int], str]) -> LogEntry | None:
        """The event or adjustment in a row of the table `event` as it is rated, before the ladder's clock."""
        entry = self.in_force(entry_of(stored, name_of), name_of)
        if entry is None or not self.own_times:
            return entry
        time = self.limited_time(entry.number, entry.own_time)
        return entry if entry.rated_time == time else replace(entry, rated_time=time)

    def restored_time(self, stored: Any, name_of: Callable[[int], str]) -> int:
        """The own time of the event or adjustment in a row of the table `event`, also if it is void."""
        if not self.is_amended(stored.seq):
            unsaid = NO_TIME if stored.rated_time is None else stored.received
            return self.limited_time(stored.seq, unsaid if stored.occurred is None else stored.occurred)
        entry = self._amended(entry_of(stored, name_of), self.voided(stored.seq), name_of)
        return self.limited_time(entry.number, entry.own_time)

    def limited_time(self, number: int, time: int) -> int:
        """The time of an entry, or the latest one that repairs of the clock leave to it."""
        for repair, content in self._repairs:
            if number < repair <= self.to and not self.is_void(repair):
                place = bisect_left(content.limits, (number, NO_TIME))
                if place < len(content.limits):
                    time = min(time, content.limits[place][1])
        return time

    def counts(self, stored: Any, name_of: Callable[[int], str]) -> bool:
        """Whether the event or adjustment in a row of the table `event` moves the ladder's clock."""
        if not self.is_amended(stored.seq):
            return bool(stored.rated)
        entry = self.in_force(entry_of(stored, name_of), name_of)
        return entry is not None and (entry.kind == "adjustment" or entry.counted is not None)

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

    def late_behind_and_after(self, number: int, moment: int) -> Iterator[Amendment]:
        """The late events that are rated behind an entry, given by number, or a later one, that are of a time
        behind a moment and not void.
        """
        for place, late in self._late.items():
            for time, one in late if place >= number else ():
                if time > moment and one <= self.to and not self.is_void(one):
                    yield self._all[one]

    def late_after(self, number: int, moment: int) -> set[int]:
        """Those that are rated behind an entry, given by number, or at a time behind a moment."""
        return {
            one
            for place, late in self._late.items()
            for time, one in late
            if one <= self.to and (place >= number or time > moment)
        }

    def position(self, number: int) -> Position:
        """Where an event or adjustment stands in the order in which everything is rated."""
        one = self._all.get(number)
        if one is None or one.place is None or number > self.to:
            return Position(number, False, 0, number)
        return Position(one.place, True, one.time, number)

    def changed_from(self, number: int) -> int:
        """The first number of the log that is rated otherwise because of an amendment."""
        return self.up_to(EVERYTHING).position(self.root(number)).first_number


def current_amendments(connection: Connection, row: LadderRow) -> Amendments:
    """The amendments in a ladder's log, of which those of its generation count."""
    generation = find_generation(connection, row.id, row.generation)
    if generation is None:
        return read_amendments(connection, row, 0, own_times=False)
    return read_amendments(connection, row, generation.amended_to, own_times=generation.own_times)


def next_amendments(connection: Connection, row: LadderRow) -> Amendments:
    """The amendments in a ladder's log, all of which count in its next generation."""
    return read_amendments(connection, row, row.head, own_times=True)


def read_amendments(connection: Connection, row: LadderRow, to: int, *, own_times: bool) -> Amendments:
    """The amendments in a ladder's log, of which those up to a number count."""
    table, found = tables.event, Amendments(to, own_times=own_times)
    rows: list[Any] = []
    for name, index in (("target", "event_target"), ("place", "event_late")):
        # SQLite would read the whole log of the ladder if it were not led to the index.
        led = f" INDEXED BY {index}" if connection.dialect.name == "sqlite" else ""
        query = text(
            f"SELECT {', '.join(table.c.keys())} FROM event{led} "
            f"WHERE ladder = :ladder AND {name} IS NOT NULL AND seq <= :head"
        ).columns(*table.c)
        rows += connection.execute(query, {"ladder": row.id, "head": row.head})
    for stored in sorted(rows, key=lambda stored: stored.seq):
        found.add(amendment_of(stored))
    return found
