"""A ladder in the memory of a worker: all that its log says up to some number.

It is loaded from the latest checkpoint and what was logged since, and follows what other workers append. Its
lock is held while it changes and until that is committed: nobody sees what may still be taken back.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Row, func, select

from podium.arrays import NO_TIME, Ints
from podium.errors import PodiumError, StateError
from podium.history import Event, Names
from podium.history.adjustments import Merge, Rename
from podium.server import machine
from podium.server.correcting.amendments import (
    EVERYTHING,
    Amendments,
    amendment_of,
    current_amendments,
)
from podium.server.correcting.generations import usable_checkpoints
from podium.server.ladders.board import Board, BoardFilter, Standings
from podium.server.ladders.numbered_ladder import ChangeColumns, Note, NumberedLadder
from podium.server.log.bookmarks import Bookmark, goes_on_from, last_bookmark
from podium.server.log.log_entries import Account, LogEntry, account_label, entry_of
from podium.server.log.logged_rows import rows_behind
from podium.server.log.reports import free_label
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow
from podium.systems.contract.explained_ratings import PlayedMatch

ENTRIES_AT_ONCE = 20_000
"""Entries of the log that are rated together when a ladder is loaded."""
ENTRIES_FOLLOWED, ROWS_FOLLOWED = 20, 40_000
"""Where more entries with more rows were appended by others, a checkpoint behind them is loaded instead."""
ENTRIES_FETCHED = 1_000
"""Entries that the database hands over together."""
PAYLOAD_AT_ONCE = 4_000_000
"""Characters of the log that are rated together, if that is less: contests of thousands are long entries."""
CHECKPOINT_DIGEST_BYTES = 16
ROWS_REMEMBERED_APART = 1_000
"""Rows between two states of a ladder that are remembered, or a row for each `BYTES_PER_ROW` of them if that
is more: what is amended near the end is rated again from there, in some 20 ms, or the last contest."""
BYTES_PER_ROW = 2_000
"""Copying a large state has to be less work than the rows before it."""
MOST_REMEMBERED = 4
REMEMBERED_BYTES = 10_000_000
"""Bytes up to which states are remembered: some 100 a player, and more where a system keeps old results."""


class BuiltAnewError(StateError):
    """What is in memory is of ratings that have been computed anew since: it has to be loaded again."""


class ReplacedLogError(BuiltAnewError):
    """What is in memory is of another log: nothing of it is of use."""


class Look(NamedTuple):
    """A ladder as far as its log had come at some moment; tables can be read without its lock."""

    row: LadderRow
    names: Names
    """What players were called then; whoever is renamed later is so in another object."""
    amendments: Amendments
    player: int | None = None
    """The number of the player who was asked for, if anybody was."""
    merged: Mapping[int, Account] = {}
    """Accounts that were merged into others, by number."""
    by_label: bool = False
    """Whether each account is called by a label of its own, by which its number can be found."""

    def name_of(self, number: int) -> str:
        """What the player of a number was called; of a merged account, the player it was merged into."""
        if number < 0:
            raise IndexError(number)
        return self.names[number if self.by_label else self.survivor(number)]

    def survivor(self, number: int) -> int:
        """The number of the player whose results those of an account are."""
        for _ in self.merged:  # as many steps as there can be
            if (account := self.merged.get(number)) is None or account.merged_into is None:
                break
            number = account.merged_into
        return number

    def accounts(self, player: int) -> list[int]:
        """The numbers of a player's own account and of those that were merged into it."""
        return [player, *(number for number in self.merged if self.survivor(number) == player)]

    def account_name(self, number: int) -> str:
        """What an account is or was called, a merged one too: see `account_label`."""
        return account_label(number, self.names, self.merged)

    def told(
        self, make: Callable[[Callable[[int], str]], LogEntry], name_of: Callable[[int], str] | None = None
    ) -> LogEntry:
        """An entry, made with names of players: two accounts in one event that are one player's by now have
        their own names, all others those of players, or those of `name_of`.
        """
        entry = make(name_of or self.name_of)
        members = Counter(_members(entry))
        twice = {name for name, count in members.items() if count > 1}
        return make(self._apart(twice)) if twice else entry

    def names_in(self, entry: LogEntry) -> Callable[[int], str]:
        """What `told` calls the players of an entry that it has made."""
        if not self.merged or self.by_label:
            return self.name_of
        members = set(_members(entry))
        own = {self.name_of(number) for number in self.merged if self.account_name(number) in members}
        return self._apart(own)

    def names_among(self, players: Ints) -> Callable[[int], str]:
        """What `told` calls players, given by number, who were in one event."""
        accounts = [*self.merged, *{self.survivor(number) for number in self.merged} - self.merged.keys()]
        there = np.array(accounts, np.int32)[np.isin(accounts, players)].tolist()
        members = Counter(map(self.name_of, there))
        return self._apart({name for name, count in members.items() if count > 1})

    def _apart(self, players: Collection[str]) -> Callable[[int], str]:
        """Names, of which those of some players are those of their accounts."""

        def name_of(number: int) -> str:
            name = self.name_of(number)
            return self.account_name(number) if name in players else name

        return name_of

    def shown(self, match: PlayedMatch | None, player: int) -> PlayedMatch | None:
        """A match of a player between labels, told by the names of players; the player's own other accounts
        by theirs.
        """
        names = {
            self.names[number]: self.account_name(number)
            if self.survivor(number) == player
            else self.names[self.survivor(number)]
            for number in self.merged
        }
        if match is None or not names:
            return match
        opponents, partners = (
            tuple(names.get(label, label) for label in side) for side in (match.opponents, match.partners)
        )
        return replace(match, opponents=opponents, partners=partners)

    def in_force(self, entry: LogEntry, name_of: Callable[[int], str] | None = None) -> LogEntry:
        """An event or adjustment as it counts; as it was reported if it is void or does not count yet.

        `name_of` is what players are called in the entry, if it is not what this look calls them.
        """
        if entry.target is not None or self.amendments.is_pending(entry.number):
            return entry
        if name_of is not None:
            return self.amendments.in_force(entry, name_of) or entry
        return self.told(
            lambda called: self.amendments.in_force(entry, called) or entry, self.names_in(entry)
        )


def _members(entry: LogEntry) -> Iterable[str]:
    """Those who take part in the event of an entry."""
    return chain.from_iterable(entry.content.sides) if isinstance(entry.content, Event) else ()


class FormerState(NamedTuple):
    """A ladder as it was at some number of its log."""

    number: int
    ladder: NumberedLadder
    """Without names."""


class FollowedLadder:
    """A ladder, where its log stands, and the order of its players."""

    at = NO_TIME
    """The time of the ratings: none, as they are those after the last entry."""

    def __init__(
        self,
        row: LadderRow,
        ladder: NumberedLadder,
        amendments: Amendments,
        states: Sequence[FormerState] = (),
    ) -> None:
        self.lock = machine.RLock()
        self.row = row
        """What the database says of the ladder, with the number of the log up to which this follows it."""
        self.ladder = ladder
        self.amendments = amendments
        """Those in the log up to there; those of the ladder's generation count."""
        self.version = 0
        """How often somebody began to change it. Whoever copies it without its lock compares this."""
        self.rows_since_checkpoint = 0
        self._rows_since_state = EVERYTHING  # there may be none that is near
        self._states = list(states)
        self._board = Board(ladder)

    @property
    def head(self) -> int:
        """The number of the last entry of the log that is rated here."""
        return self.row.head

    @property
    def players_of_event(self) -> float:
        """How many players an event has, on average."""
        return self.results / max(1, self.ladder.n_events)

    @property
    def results(self) -> int:
        """How many results of players in events there are."""
        return int(self.ladder.state["events"].sum())

    def events_of(self, player: str | int) -> int:
        """How many events a player had, given by name or number; none who is unknown."""
        number = self.ladder.players.find(player) if isinstance(player, str) else player
        events = self.ladder.state["events"]
        return int(events[number]) if number is not None and 0 <= number < len(events) else 0

    def look(self, player: int | None = None) -> Look:
        """The ladder as far as its log has come now."""
        return Look(self.row, self.ladder.players, self.amendments, player, self.ladder.merged)

    def standings(self, chosen: BoardFilter) -> Standings:
        """Those who have a place by a filter, best first."""
        return self._board.standings(chosen)

    @property
    def filter(self) -> BoardFilter:
        """Who has a place by the ladder's settings, as they are to be read now."""
        return self._board.settled(self.row.filter)

    def rate(
        self, entries: Sequence[LogEntry], note: Note | None = None, *, again: bool = False
    ) -> list[ChangeColumns]:
        """Rate entries that follow the last one, as `NumberedLadder.rate` does."""
        rated = self.ladder.rate(entries, note, again=again)
        if self.ladder.relabelled:
            self._board.forget()
        elif any(entry.kind == "adjustment" for entry in entries):
            self._board.touch_all()
        for columns in rated:
            self._board.touch(columns.player.tolist())
        rows = sum(len(columns.seq) for columns in rated)
        self.rows_since_checkpoint += rows
        self._rows_since_state += rows
        return rated

    def follow(self, connection: Connection, row: LadderRow, *, is_loading: bool = False) -> None:
        """Rate what was appended to the log since, by whoever it was; `row` says up to which number.

        If that fails, the ladder may be anywhere between: whoever called this drops it.
        """
        if not goes_on_from(connection, row, last_bookmark(self.row)):
            raise ReplacedLogError(f"an older backup of the ladder {row.slug!r} was restored")
        if row.generation != self.row.generation:
            raise BuiltAnewError(f"the ladder {row.slug!r} was rebuilt")
        is_far = row.head - self.head > ENTRIES_FOLLOWED and not is_loading
        if is_far and _is_saved_ahead(connection, row, self.head):
            raise BuiltAnewError(f"the ladder {row.slug!r} was saved far ahead of here")
        if row.head > self.head:
            self.version += 1
            self._take_names(connection, row)
            found = read_entries(connection, row, self.ladder, after=self.head, amendments=self.amendments)
            with closing(found) as pieces:
                for piece in pieces:
                    self._rate_again(piece.entries)
            self.ladder.relabelled.clear()  # the database knows
        self.row = replace(row, system=self.row.system)
        self._remember()

    def _rate_again(self, entries: Sequence[LogEntry]) -> None:
        """Rate entries that were rated before, by whoever appended them."""
        try:
            self.rate(entries, again=True)
        except PodiumError as error:
            numbers = f"{entries[0].number} to {entries[-1].number} of the log of {self.row.slug!r}"
            raise StateError(f"entries {numbers} can no longer be rated: {error.reason}") from error

    def _take_names(self, connection: Connection, row: LadderRow) -> None:
        """Learn who is new, and who is called otherwise since."""
        renamed = _renamed_numbers(connection, row, after=self.head)
        if renamed is None:
            renamed = []
        else:
            before, self.ladder.merged = self.ladder.merged, read_merged(connection, row)
            renamed += before.keys() ^ self.ladder.merged.keys()
        known = len(self.ladder.players)
        players = tables.player
        query = select(players.c.number, players.c.name).where(
            players.c.ladder == row.id, (players.c.number >= known) | players.c.number.in_(renamed)
        )
        found = connection.execute(query.order_by(players.c.number)).all()
        if labels := {number: name for number, name in found if number < known}:
            self.ladder.relabel(labels)
            self._board.forget()
        self.ladder.add_names(name for number, name in found if number >= known)

    def twin(self) -> FollowedLadder:
        """An independent copy: who reads this ladder neither waits for what is done to it, nor sees it.
        Whoever calls this makes sure that nobody changes the ladder meanwhile; it need not have the lock.
        """
        ladder = self.ladder.nameless()
        ladder.players, ladder.merged = self.ladder.players.copy(), self.ladder.merged
        ladder.state.grow(len(ladder.players))
        twin = FollowedLadder(self.row, ladder, self.amendments.copy(), self._states)
        twin._rows_since_state = self._rows_since_state
        return twin

    def states_before(self, number: int) -> list[FormerState]:
        """What is remembered of the ladder before a number."""
        return [state for state in self._states if state.number < number]

    def _remember(self) -> None:
        """Remember the ladder as it is now, if it was remembered long ago: mistakes are taken back soon."""
        if self._rows_since_state < ROWS_REMEMBERED_APART:
            return
        size = self.ladder.state.nbytes
        if size <= min(REMEMBERED_BYTES, self._rows_since_state * BYTES_PER_ROW):
            self._states.append(FormerState(self.head, self.ladder.nameless()))
            del self._states[:-MOST_REMEMBERED]
            self._rows_since_state = 0

    def advanced(self, last: Bookmark, pending: int | None = None) -> None:
        """The log goes on to this entry, and all up to it is rated here, but amendments of which so many
        wait; None if none has come.
        """
        ladder = self.ladder
        self.row = replace(
            self.row,
            head=last.number,
            last_checksum=last.checksum,
            pending=self.row.pending if pending is None else pending,
            events=ladder.n_events,
            players=len(ladder),
            last_time=ladder.last_time,
        )
        self._remember()


def load_ladder(connection: Connection, row: LadderRow) -> FollowedLadder:
    """The ladder as its log says, from the nearest checkpoint that is whole."""
    amendments = current_amendments(connection, row)
    number, ladder = nearest_saved(connection, row)
    name_players(connection, row, ladder)
    live = FollowedLadder(replace(row, head=number, last_checksum=None), ladder, amendments)
    live.follow(connection, row, is_loading=True)
    return live


def nearest_saved(
    connection: Connection, row: LadderRow, *, before: int | None = None
) -> tuple[int, NumberedLadder]:
    """The last number and the ladder of the nearest checkpoint that is whole; an empty one if there is none.
    With `before`, the nearest that holds only what comes before this number.
    """
    for generation, number in usable_checkpoints(connection, row, before=before):
        try:
            return number, checkpoint_ladder(stored_checkpoint(connection, row, generation, number))
        except StateError:
            continue  # damaged, or of a format this version cannot read: the log says the same, only slower
    return 0, NumberedLadder(row.system)


def name_players(connection: Connection, row: LadderRow, ladder: NumberedLadder) -> None:
    """Give everybody the name that the database has."""
    players = tables.player
    query = select(players.c.name).where(players.c.ladder == row.id).order_by(players.c.number)
    names = enumerate(connection.execute(query).scalars())
    ladder.players = Names(free_label(number) if name is None else name for number, name in names)
    ladder.merged = read_merged(connection, row)
    ladder.state.grow(len(ladder.players))


def read_merged(connection: Connection, row: LadderRow) -> dict[int, Account]:
    """The accounts of a ladder that were merged into others, by number."""
    players = tables.player
    query = select(players.c.number, players.c.merged_into, players.c.former_name)
    found = connection.execute(query.where(players.c.ladder == row.id, players.c.merged_into.is_not(None)))
    return {number: Account(None, into, former) for number, into, former in found}


class Piece(NamedTuple):
    """A part of a log, in the order in which it is rated."""

    first: int
    last: int
    """Numbers of the log that were read for it."""
    entries: list[LogEntry]
    late: list[int]
    """The numbers of the late events among them, which need not lie between first and last."""
    times: dict[int, int]
    """The times in the rows of events and adjustments, also of those that are void."""


def read_entries(
    connection: Connection,
    row: LadderRow,
    ladder: NumberedLadder,
    *,
    after: int,
    amendments: Amendments,
    stops: Collection[int] = (),
) -> Generator[Piece, None, None]:
    """The log behind a number in pieces, each entry as it is in force and where it is rated.

    Refused if an entry is missing. What is void is left out. Amendments that do not count yet are entered
    into `amendments`, and handed on as they are. A piece ends at each of the numbers `stops`, if not before.
    """
    query = (
        select(tables.event)
        .where(tables.event.c.ladder == row.id, tables.event.c.seq > after, tables.event.c.seq <= row.head)
        .order_by(tables.event.c.seq)
        .execution_options(yield_per=ENTRIES_FETCHED)
    )
    number, size, piece = after, 0, Piece(after + 1, after, [], [], {})
    name_of = ladder.players.to_list().__getitem__  # which everybody has before the log is read
    with connection.execute(query) as found:
        for number, stored in enumerate(found, start=after + 1):
            if stored.seq != number:
                raise StateError(f"entry {number} is missing in the log of {row.slug!r}")
            for late in amendments.late_behind(number - 1):
                piece.late.append(late.seq)
                size += _put(piece, late, name_of, amendments)
            if stored.place is None and stored.target is None:
                size += _put(piece, stored, name_of, amendments)
            elif number not in amendments:
                amendments.add(amendment_of(stored))
                piece.entries.append(entry_of(stored, name_of))
            if number - piece.first >= ENTRIES_AT_ONCE or size > PAYLOAD_AT_ONCE or number in stops:
                yield piece._replace(last=number)
                piece, size = Piece(number + 1, number, [], [], {}), 0
    if number >= piece.first:
        yield piece._replace(last=number)
    if number != row.head:
        raise StateError(f"the log of {row.slug!r} ends at {number}, not at {row.head}")


def _put(piece: Piece, stored: Any, name_of: Callable[[int], str], amendments: Amendments) -> int:
    """Add an entry as it is in force to a piece; returns how much was read for it."""
    piece.times[stored.seq] = NO_TIME if stored.rated_time is None else stored.rated_time
    entry = amendments.rateable(stored, name_of)
    if entry is not None:
        piece.entries.append(entry)
    return len(stored.payload)


def _renamed_numbers(connection: Connection, row: LadderRow, *, after: int) -> list[int] | None:
    """The numbers of players who were renamed behind a number of the log; None if no names have changed.

    A void may have given a merged account its name back.
    """
    table = tables.event
    query = select(table.c.kind, table.c.payload).where(
        table.c.ladder == row.id,
        table.c.seq > after,
        table.c.seq <= row.head,
        table.c.kind.in_(["adjustment", "void"]),
    )
    found = connection.execute(query).all()
    plain = [json.loads(one.payload) for one in found if one.kind == "adjustment"]
    renamed = [one["player"] for one in plain if one["adjustment"] in (Rename.kind, Merge.kind)]
    return renamed if renamed or len(plain) < len(found) else None


# ---------------------------------------------------------------------- checkpoints


def stored_checkpoint(connection: Connection, row: LadderRow, generation: int, number: int) -> Row[Any]:
    """A checkpoint of a ladder."""
    table = tables.checkpoint
    chosen = (table.c.ladder == row.id, table.c.generation == generation, table.c.seq == number)
    return connection.execute(select(table).where(*chosen)).one()


def _is_saved_ahead(connection: Connection, row: LadderRow, head: int) -> bool:
    """Whether loading a checkpoint is less work than to follow what was imported since."""
    table = tables.checkpoint
    chosen = (table.c.ladder == row.id, table.c.generation == row.generation)
    query = select(func.max(table.c.seq)).where(*chosen, table.c.seq.between(head + 1, row.head))
    if (saved := connection.execute(query).scalar()) is None:
        return False
    return rows_behind(connection, replace(row, head=saved), head, ROWS_FOLLOWED) > ROWS_FOLLOWED


def checkpoint_ladder(checkpoint: Row[Any]) -> NumberedLadder:
    """The ladder that a checkpoint holds, with numbers for names; refused if it is damaged."""
    content = bytes(checkpoint.content)
    if digest_of(content) != bytes(checkpoint.digest):
        raise StateError(f"the checkpoint at {checkpoint.seq} is damaged")
    ladder = NumberedLadder.from_bytes(content)
    assert isinstance(ladder, NumberedLadder)
    return ladder


def digest_of(content: bytes) -> bytes:
    """What tells a damaged checkpoint from a whole one."""
    return blake2b(content, digest_size=CHECKPOINT_DIGEST_BYTES).digest()
