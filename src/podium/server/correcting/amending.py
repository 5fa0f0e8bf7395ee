"""Reports that amend a ladder's log, or come late: checked against the log, and put where they belong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, repeat
from typing import Any

from sqlalchemy import Connection, and_, select

from podium.arrays import NO_TIME, SECOND
from podium.errors import InputError
from podium.history import Adjustment, Event
from podium.history.adjustments import Merge, Reset
from podium.ladder.repeats import Repeats, event_hash
from podium.server.correcting.amendments import EVERYTHING, Amendment, Amendments
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.log.event_names import KEY, NAME, EventNames
from podium.server.log.log_entries import Account, LogEntry, Renamed, StoredRow, entry_of
from podium.server.log.rated_times import counted_time, entry_as_rated, select_entries
from podium.server.log.reports import ClockRepair, Disqualification, Report, Void
from podium.server.log.server_clock import ServerClock
from podium.server.problems import AmendmentError, NothingAheadError, UnknownEntryError
from podium.server.storage import tables
from podium.text import listed, shorten

FIRST_LOOKED_AT, THEN_LOOKED_AT = 20, 2000
"""Entries that are read at once where a late event may belong: few, as mostly the first is a later one."""
MOST_LOOKED_AT = 20_000
"""Entries behind an amendment that waits, among which the place of a late event is looked for, in a tenth of
a second. If there are more, the amendment does not count for that place."""
_LOOKED_AT = [tables.event.c[name] for name in ("seq", "rated", "occurred", "rated_time", "received")]
"""What is read of each: not what it holds, which may be a contest of thousands."""
APART = "amend it in a later request, or omit atomic=true"


class Amending:
    """Makes entries of reports that amend a log, each in the light of those before it.

    `rows` are the rows of this transaction that are not in the database yet, by number, and `head` is the
    last number of the log with them.
    """

    def __init__(
        self,
        connection: Connection,
        live: FollowedLadder,
        rows: Mapping[int, StoredRow],
        head: int,
        clock: ServerClock,
    ) -> None:
        self._connection, self._live, self._rows = connection, live, rows
        self._head, self._clock = head, clock
        self._amendments = live.amendments.up_to(EVERYTHING).copy()
        self._looked_at: list[tuple[int, int, bool]] | None = None
        """What `_tail` has found since the last amendment."""
        self._touched: set[int] = set()
        """The events and adjustments that were amended by what is recorded together."""
        self._brought = Repeats()
        """The names and times of events that it brings."""

    def entry(self, report: Report, before: list[LogEntry]) -> LogEntry:
        """The entry that a report becomes behind those `before` of the same request; refused if it cannot."""
        self._clock.check(report.time)
        number = self._head + len(before) + 1
        target = None if report.target is None else self._target(report.target, before)
        entry = LogEntry(
            number=number,
            key=report.key,
            fingerprint=report.fingerprint,
            content=report.content,
            occurred=report.time,
            rated_time=report.time,
            received=self._clock.now,
            disqualified=report.disqualified,
            rated=report.counted is not None,
            allow_repeat=report.allow_repeat,
            target=target,
            grounds=report.grounds,
        )
        if isinstance(report.content, ClockRepair):
            entry = self._repaired(entry)
        elif target is None:
            entry = self._late(entry, before)
        elif isinstance(report.content, Void):
            entry = self._voided(entry, target)
        else:
            entry = self._amended(entry, target)
        self._amendments.add(
            Amendment(number, entry.kind, entry.target, entry.place, entry.rated_time)  # not stored yet
        )
        if entry.target is not None:
            self._looked_at = None
        return entry

    def _target(self, meant: int | str, before: list[LogEntry]) -> int:
        """The number of the entry that a report amends; refused if it is one of the same request."""
        try:
            number = self._names().number(meant)
        except UnknownEntryError:
            called = (one.number for one in before if meant in (KEY + one.key, NAME + one.name, one.name))
            if (found := next(called, None)) is None:
                raise
            number = found
        if self._head < number <= self._head + len(before):
            raise AmendmentError(f"{shorten(str(meant))!r} is in the same atomic request", hint=APART)
        if (root := self._amendments.root(number)) in self._touched:
            raise AmendmentError(f"entry {root} is amended twice in one atomic request", hint=APART)
        self._touched.add(root)
        return number

    # ------------------------------------------------------------------ late events

    def last_time(self) -> int:
        """The ladder's last time, or that of void entries at the end of the log if one is later.

        An event of before that time is late: a void entry may count again, and is rated behind it then.
        """
        last, settled = self._live.ladder.last_time, self._live.amendments
        behind = self._stored_behind(self._counted_place(last, settled), settled)
        return max(chain([last], (time for _, time, _ in behind)))

    def _late(self, entry: LogEntry, before: list[LogEntry]) -> LogEntry:
        """A late event in its place, which is chosen once: behind the last entry of its time or earlier.

        That is the last such one before anything that counts and is later. Void entries are looked at too,
        because they may count again. Amendments that wait count here, and give entries their own times back.
        """
        self._check_rateable(entry)
        self._check_repeat(None, entry)
        waiting = self._amendments.between(self._live.amendments.to, EVERYTHING)
        changed = [self._amendments.changed_from(one.number) for one in waiting if one.target is not None]
        first = min(changed, default=self._live.row.head + 1)
        amendments = self._amendments
        if self._live.row.head - first > MOST_LOOKED_AT:
            first, amendments = self._live.row.head + 1, self._live.amendments
        place = self._counted_place(entry.rated_time, amendments, before=first)
        mine = ((one.number, one.own_time, one.rated) for one in before if one.is_ordinary)
        near = self._stored_behind(place, amendments, before=first, as_rated=True)
        unrated = {one.number for one in before if not one.rated}
        later = amendments.late_behind_and_after(place, entry.rated_time)
        end = min(
            (one.place or 0 for one in later if self._counts(one, amendments, unrated)), default=EVERYTHING
        )
        for number, time, counts in chain(near, self._tail(first, amendments), mine):
            if number > end:
                break
            if NO_TIME != time <= entry.rated_time:
                place = number
            elif time != NO_TIME and counts:
                break
        return replace(entry, place=place)

    def _counts(self, late: Amendment, amendments: Amendments, unrated: Collection[int]) -> bool:
        """Whether a late event moves the ladder's clock; `unrated` are those of its request that do not."""
        if late.stored is None:
            return late.number not in unrated
        return amendments.counts(late.stored, self._name_of)

    def _own_rows(self) -> list[StoredRow]:
        return [row for number, row in self._rows.items() if number <= self._head]

    def _tail(self, first: int, amendments: Amendments) -> list[tuple[int, int, bool]]:
        """What `_stored_behind` says of entries from a number on, and of those of this transaction."""
        if self._looked_at is None:
            own = (self._looked(row, amendments) for row in self._own_rows() if _is_ordinary(row))
            self._looked_at = [*self._stored_behind(first - 1, amendments), *own]
        return self._looked_at

    def _stored_behind(
        self, number: int, amendments: Amendments, *, before: int = EVERYTHING, as_rated: bool = False
    ) -> Iterator[tuple[int, int, bool]]:
        """The number and own time of each entry between two that is neither late nor amends another one, and
        whether it counts; with `as_rated`, the time at which it is rated unless it is void.
        """
        table = tables.event
        mine = (table.c.ladder == self._live.row.id, table.c.seq < before)
        query = select(*_LOOKED_AT, counted_time(self._live.row)).where(*mine).order_by(table.c.seq)
        for most in chain([FIRST_LOOKED_AT], repeat(THEN_LOOKED_AT)):
            found = self._connection.execute(query.where(table.c.seq > number).limit(most)).all()
            ordinary = (stored for stored in found if stored.seq not in self._amendments)
            for stored in ordinary:
                seq, time, counts = self._looked(self._whole(stored), amendments)
                if as_rated and not amendments.is_void(seq):  # a late event may have put it off
                    time = NO_TIME if stored[-1] is None else stored[-1]
                yield seq, time, counts
            if len(found) < most:
                return
            number = found[-1].seq

    def _whole(self, stored: Any) -> Any:
        """The whole row of an entry if something amends it; otherwise what was read of it is enough."""
        if not self._amendments.is_amended(stored.seq):
            return stored
        return self._connection.execute(
            select(tables.event).where(
                tables.event.c.ladder == self._live.row.id, tables.event.c.seq == stored.seq
            )
        ).one()

    def _looked(self, stored: Any, amendments: Amendments) -> tuple[int, int, bool]:
        time = amendments.restored_time(stored, self._name_of)
        return stored.seq, time, amendments.counts(stored, self._name_of)

    def _counted_place(self, time: int, amendments: Amendments, *, before: int = EVERYTHING) -> int:
        """The last stored entry that is not void and is rated at a time or before; 0 if there is none."""
        table, moved, row = tables.event, tables.entry_time, self._live.row
        query = (
            select(table.c.seq)
            .where(table.c.ladder == row.id, counted_time(row) <= time)
            .where(table.c.place.is_(None), table.c.target.is_(None))
            .order_by(table.c.seq.desc())
            .limit(1)
        )
        # Most entries have the time of their row, which takes no look at another table.
        same = and_(moved.c.ladder == table.c.ladder, moved.c.seq == table.c.seq)
        both = (
            query.where(table.c.rated_time <= time),
            query.join(moved, same).where(moved.c.rated_time <= time),
        )
        number = min(before, row.head + 1)
        while number:
            found = (self._connection.execute(one.where(table.c.seq < number)).scalar() for one in both)
            number = max(one or 0 for one in found)
            if not amendments.is_void(number):
                break
        return number

    # ------------------------------------------------------------------ the clock

    def _repaired(self, entry: LogEntry) -> LogEntry:
        """A repair of the clock with the latest times that entries can have happened at.

        Nothing happens after it was received, nor after something later was.
        """
        amendments, latest = self._amendments, self._clock.now
        tolerance = int((self._clock.tolerance or 0.0) * SECOND)
        table = tables.event
        columns = (table.c.seq, table.c.occurred, table.c.rated_time, table.c.received, table.c.target)
        query = select(*columns).where(table.c.ladder == self._live.row.id).order_by(table.c.seq.desc())
        limits: list[tuple[int, int]] = []
        first, number = None, 0
        for seq, occurred, rated_time, received, target in self._connection.execute(query):
            latest = min(latest, received)
            if target is not None or rated_time is None or amendments.is_void(seq):
                continue
            time = received if occurred is None else occurred
            if amendments.is_amended(seq):
                counting = amendments.in_force(self._entry(seq), self._name_of)
                time = time if counting is None else counting.own_time
            if amendments.limited_time(seq, time) <= latest + tolerance:
                continue
            if not limits or limits[-1][1] != latest:
                limits.append((seq, latest))
            changed = amendments.changed_from(seq)
            if first is None or changed <= first:
                first, number = changed, seq
        if not limits:
            raise NothingAheadError(f"no entry of {self._live.row.slug!r} is ahead of the clock")
        return replace(entry, content=ClockRepair(tuple(reversed(limits))), target=number)

    # ------------------------------------------------------------------ amendments

    def _voided(self, entry: LogEntry, target: int) -> LogEntry:
        meant = self._meant(target)
        if isinstance(meant.content, Renamed):
            raise AmendmentError(
                f"entry {target} is a rename, and renames cannot be voided", hint="rename the player again"
            )
        self._check_in_force(target)
        root = self._entry(self._amendments.root(target))
        before = self._amendments.in_force(root, self._name_of)
        trial = self._amendments.copy()
        trial.add(Amendment(entry.number, "void", target, None, NO_TIME))
        after = trial.in_force(root, self._name_of)
        self._check_repeat(before, after)
        if not isinstance(root.content, Merge):
            return entry
        number, into = (self._live.ladder.number_of(name) for name in root.content.players)
        account = self._merged_again(root, number, into) if before is None else self._apart(number)
        return replace(entry, accounts=((number, account),))

    def _apart(self, number: int) -> Account:
        """What an account is called when it is no longer merged: as before, unless nobody knows that."""
        players, name = self._live.ladder.players, self._live.ladder.account(number).former_name
        if name is None:  # it was merged by an older podium
            names = chain([f"player {number}"], (f"player {number} ({n})" for n in count(2)))
            name = next(one for one in names if players.find(one) is None)
        elif players.find(name) is not None:
            raise AmendmentError(
                f"another player is named {shorten(name)!r} by now",
                hint="rename that player first, then void the merge",
            )
        return Account(name)

    def _merged_again(self, merge: LogEntry, number: int, into: int) -> Account:
        """An account whose merge counts again; refused if it has been used since. A reset is no use: it moves
        all players, and leaves out those who are merged.
        """
        ladder, table = self._live.ladder, tables.change
        query = select(table.c.seq).where(
            table.c.ladder == self._live.row.id, table.c.player == number, table.c.seq > merge.number
        )
        since = self._connection.execute(query.distinct()).scalars()
        if number in ladder.merged or any(not isinstance(self._entry(seq).content, Reset) for seq in since):
            raise AmendmentError(
                f"the account merged by entry {merge.number} has been used since",
                hint="report another merge of the two players instead",
            )
        return Account(None, into, ladder.players[number])

    def _amended(self, entry: LogEntry, target: int) -> LogEntry:
        """A correction or a disqualification of an event; its time stays as it is unless another is given."""
        meant = self._meant(target)
        if meant.target is not None or not isinstance(meant.content, Event):
            root = self._amendments.root(target)
            what = "corrected" if isinstance(entry.content, Event) else "amended by a disqualification"
            raise AmendmentError(
                f"entry {target} is {_described(meant)}, and only events are {what}",
                hint=f"the event is number {root}" if root != target else "void it, and report another one",
            )
        self._check_in_force(target)
        now = self._amendments.in_force(meant, self._name_of)
        assert now is not None
        entry = self._with_accounts(entry, now)
        if isinstance(entry.content, Disqualification):
            _check_members(entry.content.players, now)
            return entry
        if entry.occurred in (NO_TIME, now.occurred, meant.rated_time):
            # Without its own time: once the correction that gave the event this one is void, the time is too.
            entry = replace(entry, occurred=NO_TIME, rated_time=meant.rated_time)
        elif meant.place is not None:
            raise AmendmentError(
                f"entry {target} was reported late, and its time decides its place",
                hint='to move an event, void it and report it again with "late": true',
            )
        corrected = now.corrected_by(entry)
        self._check_rateable(corrected)
        self._check_repeat(now, corrected)
        return entry

    def _with_accounts(self, entry: LogEntry, now: LogEntry) -> LogEntry:
        """An amendment of an event in which a player may have had an account that was merged since.

        The player is named, and the account is meant that took part.
        """
        look = self._live.look()
        assert isinstance(now.content, Event)
        members = {name for side in now.content.sides for name in side}
        labels = {look.names[number]: look.name_of(number) for number in look.merged}
        own = {name: label for label, name in labels.items() if label in members and name not in members}
        # An account of two in the event is named by what the event's page and the log call it.
        own |= {
            name: label
            for number in look.merged
            if (label := look.names[number]) in members and (name := look.account_name(number)) not in members
        }

        def accounts(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(own.get(name, name) for name in names)

        content = entry.content
        if isinstance(content, Disqualification):
            # A player is disqualified with all accounts that took part.
            others = {label for label, name in labels.items() if name in content.players and label in members}
            left = {name for name in content.players if name in members or name not in labels.values()}
            return replace(entry, content=Disqualification(frozenset(accounts(left)) | others))
        if not own:
            return entry
        assert isinstance(content, Event)
        content = replace(
            content,
            sides=tuple(map(accounts, content.sides)),
            home=None if content.home is None else own.get(content.home, content.home),
            unrated=frozenset(accounts(content.unrated)),
            play=tuple((own.get(name, name), part) for name, part in content.play),
        )
        return replace(entry, content=content, disqualified=frozenset(accounts(entry.disqualified)))

    def _check_in_force(self, target: int) -> None:
        if self._amendments.is_void(target):
            by = [n for n in self._amendments.amending(target) if not self._amendments.is_void(n)]
            raise AmendmentError(
                f"entry {target} is already void: entry {by[-1]} took it back",
                hint=f"to make {target} count again, take back {by[-1]}",
            )

    def _check_rateable(self, entry: LogEntry) -> None:
        """Refuse an event that the system cannot rate, by rating it on a copy of its players."""
        assert isinstance(entry.content, Event)
        twin = self._live.ladder.participants(chain.from_iterable(entry.content.sides))
        twin.rate([replace(entry, place=None, target=None)], again=True)

    def _check_repeat(self, before: LogEntry | None, after: LogEntry | None) -> None:
        """Refuse an event that would bring a name which another event of its time has."""
        if after is None or not isinstance(after.content, Event) or after.content.name is None:
            return
        if (
            before is None
            or not isinstance(before.content, Event)
            or (before.content.name, before.occurred) != (after.content.name, after.occurred)
        ):
            repeats = self._live.ladder._repeats
            repeats.check_event(after.content.name, after.occurred, allow=after.allow_repeat)
            self.check_brought(after)
            self._brought.add_hashes([event_hash(after.content.name, after.occurred)])

    def check_brought(self, entry: LogEntry) -> None:
        """Refuse an event with a name and time that an amendment recorded together with it brings."""
        if isinstance(entry.content, Event) and entry.content.name is not None:
            self._brought.check_event(entry.content.name, entry.occurred, allow=entry.allow_repeat)

    # ------------------------------------------------------------------ the log

    def _names(self) -> EventNames:
        live = self._live
        return EventNames(self._connection, live.row.id, self._amendments, live.ladder, self._own_rows())

    def _meant(self, number: int) -> LogEntry:
        if not 0 < number <= self._head:
            hint = f"the last one is {self._head}" if self._head else "nothing was recorded yet"
            raise UnknownEntryError(f"there is no event {number}", hint=hint)
        return self._entry(number)

    def _entry(self, number: int) -> LogEntry:
        row: Any = self._rows.get(number)
        if row is None:
            chosen = select_entries(self._live.row).where(tables.event.c.seq == number)
            return entry_as_rated(self._connection.execute(chosen).one(), self._name_of)
        return entry_of(row, self._name_of)

    def _name_of(self, number: int) -> str:
        return self._live.ladder.name_of(number)


def check_independent(reports: Sequence[Report]) -> None:
    """Refuse reports that are recorded together with amendments, and might have to see what these do."""
    adjusts = len(reports) > 1 and any(isinstance(report.content, Adjustment) for report in reports)
    moves = any(report.target is not None and report.time != NO_TIME for report in reports)
    if adjusts or (moves and any(report.late for report in reports)):
        what = "adjustments and amendments" if adjusts else "late events and corrections of times"
        raise AmendmentError(
            f"{what} cannot be in one atomic request, because each may change the meaning of the other",
            hint="send two requests, or omit atomic=true",
        )


def is_plain_amendment(one: Report | LogEntry) -> bool:
    """Whether a report or an entry amends one event by its number and brings no name: it voids it, or
    corrects it or disqualifies players where it is.
    """
    if not isinstance(one.target, int):
        return False
    if isinstance(one.content, Event):
        return one.content.name is None and not one.allow_repeat and _own_time(one) == NO_TIME
    return isinstance(one.content, (Void, Disqualification))


def _own_time(one: Report | LogEntry) -> int:
    return one.time if isinstance(one, Report) else one.occurred


def _is_ordinary(row: StoredRow) -> bool:
    return row.place is None and row.target is None


def _described(entry: LogEntry) -> str:
    if isinstance(entry.content, Adjustment):
        return "an adjustment"
    return f"a {entry.kind}"


def _check_members(names: frozenset[str], event: LogEntry) -> None:
    assert isinstance(event.content, Event)
    members = {name for side in event.content.sides for name in side}
    for name in sorted(names - members):
        raise InputError(f"{shorten(name)!r} is not in entry {event.number}")
    if again := sorted(names & event.disqualified):
        raise AmendmentError(
            f"{listed(again)} is already disqualified", hint="name only players who are not disqualified yet"
        )
