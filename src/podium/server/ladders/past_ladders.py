"""Ladders as they were at past dates, in the memory of a worker.

The ratings of a date come from the log: it is rated again from the nearest state before the date that is in
memory or saved, up to the last entry that counted by then, with all amendments of the ladder's generation.
Within a generation that answer stays, as whatever comes later has a later time; so the latest are kept, and
the pages of an old leaderboard are read from memory.

Reports and other readers do not wait for it: neither the ladder's lock nor a database's is held. A worker
rates one past at a time, and only a few callers may wait for it; the others are told to come again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from contextlib import closing
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from podium.arrays import NO_TIME
from podium.errors import StateError
from podium.history import Event, Names
from podium.server import machine
from podium.server.correcting.amendments import EVERYTHING, current_amendments
from podium.server.correcting.generations import usable_checkpoints
from podium.server.ladders.board import Board, BoardFilter, Standings
from podium.server.ladders.followed_ladder import (
    FollowedLadder,
    FormerState,
    checkpoint_ladder,
    read_entries,
    stored_checkpoint,
)
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.log_entries import LogEntry, account_label
from podium.server.problems import TooManyRequestsError
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

MOST_KEPT = 8
"""Past ladders that a worker keeps."""
MOST_PLAYERS_KEPT = 500_000
"""Players of all that are kept together, some 250 bytes each; the latest one stays, however large it is."""
MOST_CALLERS = 4
"""Callers for whom a past is rated, or who wait for that: threads that answer nobody else meanwhile."""
RETRY_SECONDS = 2
ENTRIES_PER_PIECE = 2_000
"""Entries of the log that are read together, of which the last piece is partly in vain."""

Key = tuple[int, int, int, int]
"""Ladder, generation and time; and the head of the log if the time is not before the last entry's."""


class NamesThen(NamedTuple):
    """What the players of a ladder are called at past dates."""

    now: Names
    """The names of the ladder as it is."""
    then: Names
    """A copy, in which accounts have the names back that they had until they were merged."""
    given_back: tuple[str, ...]

    @classmethod
    def of(cls, ladder: NumberedLadder) -> NamesThen:
        """The names of players now; an account whose name is in use by now is told apart by its number."""
        then, given_back = ladder.players.copy(), []
        for number in ladder.merged:
            name = account_label(number, ladder.players, ladder.merged)
            then.relabel({number: name})
            given_back.append(name)
        return cls(ladder.players, then, tuple(given_back))

    def are_of(self, ladder: NumberedLadder) -> bool:
        """Whether players are still called so: nobody was renamed, and nobody new has an old name."""
        return self.now is ladder.players and all(
            ladder.players.find(name) is None for name in self.given_back
        )


class PastLadder:
    """A ladder as it was at a time, which does not change any more, and the order of its players then."""

    def __init__(self, ladder: NumberedLadder, at: int, number: int | None, names: NamesThen) -> None:
        self.ladder, self.at = ladder, at
        self.number = number
        """The entry behind which the log goes on from here; None if late events make that another one."""
        self._names = names
        self._board, self._lock = Board(ladder, at), machine.Lock()

    def standings(self, chosen: BoardFilter) -> Standings:
        """Those who had a place by a filter, best first."""
        with self._lock:
            return self._board.standings(chosen)

    def named_as(self, ladder: NumberedLadder) -> PastLadder:
        """The same with the names that players have by now in their ladder."""
        if self._names.are_of(ladder):
            return self
        twin, names = self.ladder.nameless(), NamesThen.of(ladder)
        _name(twin, names.then)
        return PastLadder(twin, self.at, self.number, names)


class PastLook(NamedTuple):
    """A ladder as it was at a time, in the words of `FollowedLadder`; nobody waits for its reader."""

    row: LadderRow
    """What the database says of the ladder now."""
    past: PastLadder

    @property
    def ladder(self) -> NumberedLadder:
        """The ladder of that time."""
        return self.past.ladder

    @property
    def at(self) -> int:
        """The time."""
        return self.past.at

    @property
    def head(self) -> int:
        """The number of the last entry of the log, as it is now."""
        return self.row.head

    def standings(self, chosen: BoardFilter) -> Standings:
        """Those who had a place by a filter, best first."""
        return self.past.standings(chosen)


class _Begun(NamedTuple):
    """What is taken from a ladder before its past is rated."""

    key: Key
    row: LadderRow
    names: NamesThen
    state: FormerState | None


class PastLadders:
    """The past ladders of a worker, by ladder, generation and time."""

    def __init__(self, ladders: LoadedLadders) -> None:
        self._ladders = ladders
        self._kept: OrderedDict[Key, PastLadder] = OrderedDict()
        self._lock = machine.Lock()
        self._rating = machine.Lock()
        self._callers = machine.BoundedSemaphore(MOST_CALLERS)

    def forget(self) -> None:
        """Forget all past ladders."""
        with self._lock:
            self._kept.clear()

    def find(self, live: FollowedLadder, at: int) -> PastLook | None:
        """The ladder as it was at a time, if it is kept; whoever asks has the lock of the ladder."""
        key = _key(live.row, at, live.ladder.last_time)
        with self._lock:
            if (found := self._kept.get(key)) is None:
                return None
            self._kept.move_to_end(key)
        if (named := found.named_as(live.ladder)) is not found:
            self._keep(key, named)
        return PastLook(live.row, named)

    def entries_to_rate(self, connection: Connection, live: FollowedLadder, at: int) -> int:
        """About how many entries of the log are rated again for a look at a time; nothing is rated here."""
        row = live.row
        last = _last_number(connection, row, at)
        known = [_begin(at, live).state, self._nearest_kept(row, at)]
        numbers = [state.number for state in known if state is not None]
        numbers += [number for _, number in usable_checkpoints(connection, row, before=last + 1)]
        return max(0, last - max(numbers, default=0))

    def look(self, slug: str, at: int) -> PastLook:
        """The ladder as it was at a time, rated again if it is not kept."""
        if not self._callers.acquire(blocking=False):
            raise TooManyRequestsError(
                "too many requests about past dates are running", seconds=RETRY_SECONDS
            )
        try:
            with self._rating:
                with self._ladders.sketched(slug, partial(self.find, at=at)) as (_, found):
                    if found is not None:  # whoever was first has rated it
                        return found
                with self._ladders.copied(slug, partial(_begin, at)) as (connection, begun):
                    past = self._rated(connection, begun, at)
                self._keep(begun.key, past)
                return PastLook(begun.row, past)
        finally:
            self._callers.release()

    def _rated(self, connection: Connection, begun: _Begun, at: int) -> PastLadder:
        """Rate the log up to a time, from the nearest state that is not later."""
        row = begun.row
        known = [one for one in (begun.state, self._nearest_kept(row, at)) if one is not None]
        nearest = max(known, key=lambda state: state.number, default=None)
        number, ladder = _nearest(connection, row, at, nearest)
        _name(ladder, begun.names.then)
        amendments = current_amendments(connection, row)
        goes_on: int | None = row.head
        stops = range(number, row.head, ENTRIES_PER_PIECE)
        found = read_entries(connection, row, ladder, after=number, amendments=amendments, stops=stops)
        with closing(found) as pieces:
            for piece in pieces:
                entries = list(takewhile(lambda entry: not _is_later(entry, at), piece.entries))
                ladder.rate(entries, again=True)
                if len(entries) < len(piece.entries):
                    cut = piece.entries[len(entries)].number
                    is_whole = cut not in piece.late and not any(amendments.late_behind(cut - 1))
                    goes_on = cut - 1 if is_whole else None
                    break
        ladder.relabelled.clear()
        return PastLadder(ladder, at, goes_on, begun.names)

    def _nearest_kept(self, row: LadderRow, at: int) -> FormerState | None:
        """The latest of the past ladders of this generation that is not later than a time."""
        with self._lock:
            kept = [past for key, past in self._kept.items() if key[:2] == (row.id, row.generation)]
        states = (
            FormerState(past.number, past.ladder)
            for past in kept
            if past.number is not None and past.ladder.last_time <= at
        )
        return max(states, key=lambda state: state.number, default=None)

    def _keep(self, key: Key, past: PastLadder) -> None:
        """Keep a past ladder, and drop those that were not asked for lately."""
        with self._lock:
            self._kept[key] = past
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and (
                len(self._kept) > MOST_KEPT
                or sum(one.ladder.state.size for one in self._kept.values()) > MOST_PLAYERS_KEPT
            ):
                self._kept.popitem(last=False)


def _begin(at: int, live: FollowedLadder) -> _Begun:
    """What is needed of a ladder to rate its past without it."""
    if live.ladder.last_time <= at:
        state: FormerState | None = FormerState(live.head, live.ladder.nameless())
    else:
        earlier = (one for one in live.states_before(EVERYTHING) if one.ladder.last_time <= at)
        state = max(earlier, default=None)
    key = _key(live.row, at, live.ladder.last_time)
    return _Begun(key, live.row, NamesThen.of(live.ladder), state)


def _key(row: LadderRow, at: int, last_time: int) -> Key:
    return row.id, row.generation, at, row.head if last_time <= at else 0


def _last_number(connection: Connection, row: LadderRow, at: int) -> int:
    """About the last number of the log that is not later than a time."""
    table = tables.event
    before = table.c.ladder == row.id, table.c.rated_time.is_not(None)
    query = select(table.c.rated_time).where(*before, table.c.seq <= bindparam("number"))
    latest = query.order_by(table.c.seq.desc()).limit(1)

    def time_of(number: int) -> int:
        found: int | None = connection.execute(latest, {"number": number}).scalar_one_or_none()
        return NO_TIME if found is None else found

    return bisect_right(range(1, row.head + 1), at, key=time_of)


def _name(ladder: NumberedLadder, names: Names) -> None:
    """Give players these names; whoever came later is not known yet."""
    ladder.players = names
    ladder.state.grow(len(names))


def _is_later(entry: LogEntry, at: int) -> bool:
    """Whether an entry was rated after a time; what changes no rating has no time."""
    if entry.rated_time <= at or not entry.is_ordinary:
        return False
    return not isinstance(entry.content, Event) or entry.counted is not None


def _nearest(
    connection: Connection, row: LadderRow, at: int, known: FormerState | None
) -> tuple[int, NumberedLadder]:
    """The latest number at which the ladder is known and not later than a time, and a copy of it there.

    Checkpoints are in the order of their times, and only what is saved tells them: so they are halved.
    """
    number, found = known or FormerState(0, NumberedLadder(row.system))
    ladder = found.nameless()
    saved = [one for one in usable_checkpoints(connection, row) if one[1] > number]  # latest first
    while saved:
        middle = len(saved) // 2
        try:
            one = checkpoint_ladder(stored_checkpoint(connection, row, *saved[middle]))
        except StateError:
            del saved[middle]
            continue
        if one.last_time <= at:
            number, ladder, saved = saved[middle][1], one, saved[:middle]
        else:
            saved = saved[middle + 1 :]
    return number, ladder
