"""A ladder in the memory of a worker: all that its log says up to some number.

It is loaded from the latest checkpoint and what was logged since, and follows what other workers append. Its
lock is held while it changes and until that is committed: nobody sees what may still be taken back.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b
from threading import RLock
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from podium.errors import PodiumError, StateError
from podium.history import Names
from podium.history.adjustments import Merge, Rename
from podium.server.ladders.board import Board, BoardFilter, Standings
from podium.server.ladders.served_ladder import Note, RatedRows, ServedLadder
from podium.server.log.log_entries import LogEntry, entry_of
from podium.server.log.reports import free_label
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

ENTRIES_AT_ONCE = 20_000
"""Entries of the log that are rated together when a ladder is loaded."""
ENTRIES_FETCHED = 1_000
"""Entries that the database hands over together."""
PAYLOAD_AT_ONCE = 4_000_000
"""Characters of the log that are rated together, if that is less: contests of thousands are long entries."""
CHECKPOINT_DIGEST_BYTES = 16


class BuiltAnewError(StateError):
    """What is in memory is of ratings that have been computed anew since: it has to be loaded again."""


class Look(NamedTuple):
    """A ladder as far as its log had come at some moment; tables can be read without its lock."""

    row: LadderRow
    names: Names
    """What players were called then; whoever is renamed later is so in another object."""
    player: int | None = None
    """The number of the player who was asked for, if anybody was."""

    def name_of(self, number: int) -> str:
        """What the player of a number was called."""
        if number < 0:
            raise IndexError(number)
        return self.names[number]


class LiveLadder:
    """A ladder, where its log stands, and the order of its players."""

    def __init__(self, row: LadderRow, ladder: ServedLadder) -> None:
        self.lock = RLock()
        self.row = replace(row, head=0)
        """What the database says of the ladder, with the number of the log up to which this follows it."""
        self.ladder = ladder
        self.rows_since_checkpoint = 0
        self._board = Board(ladder)

    @property
    def head(self) -> int:
        """The number of the last entry of the log that is rated here."""
        return self.row.head

    def look(self, player: int | None = None) -> Look:
        """The ladder as far as its log has come now."""
        return Look(self.row, self.ladder.players, player)

    def standings(self, chosen: BoardFilter) -> Standings:
        """Those who have a place by a filter, best first."""
        return self._board.standings(chosen)

    def rate(self, entries: Sequence[LogEntry], note: Note | None = None) -> list[RatedRows]:
        """Rate entries that follow the last one, as `ServedLadder.rate` does."""
        rated = self.ladder.rate(entries, note)
        if self.ladder.relabelled:
            self._board.forget()
        elif any(entry.kind == "adjustment" for entry in entries):
            self._board.touch_all()
        for rows in rated:
            self._board.touch(rows.history.player.tolist())
        self.rows_since_checkpoint += sum(rows.history.rows for rows in rated)
        return rated

    def follow(self, connection: Connection, row: LadderRow, *, is_loading: bool = False) -> None:
        """Rate what was appended to the log since, by whoever it was; `row` says up to which number.

        If that fails, the ladder may be anywhere between: whoever called this drops it.
        """
        if row.generation != self.row.generation or row.head < self.head:
            raise BuiltAnewError(f"the ladder {row.slug!r} was built anew")
        is_far = row.head - self.head > ENTRIES_AT_ONCE and not is_loading
        if is_far and _is_saved_ahead(connection, row, self.head):
            raise BuiltAnewError(f"the ladder {row.slug!r} was saved far ahead of here")
        if row.head > self.head:
            self._take_names(connection, row)
            with closing(read_entries(connection, row, self.ladder, after=self.head)) as pieces:
                for entries in pieces:
                    self._rate_again(entries)
            self.ladder.relabelled.clear()  # the database knows
        self.row = replace(row, system=self.row.system)

    def _rate_again(self, entries: Sequence[LogEntry]) -> None:
        """Rate entries that were rated before, by whoever appended them."""
        try:
            self.rate(entries)
        except PodiumError as error:
            numbers = f"{entries[0].number} to {entries[-1].number} of the log of {self.row.slug!r}"
            raise StateError(f"entries {numbers} cannot be rated any more: {error.reason}") from error

    def _take_names(self, connection: Connection, row: LadderRow) -> None:
        """Learn who is new, and who is called otherwise since."""
        renamed = _renamed_numbers(connection, row, after=self.head)
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

    def advanced(self, head: int) -> None:
        """The log goes on to this number, and everything up to it is rated here."""
        ladder = self.ladder
        self.row = replace(
            self.row,
            head=head,
            events=ladder.n_events,
            players=len(ladder),
            last_time=ladder.last_time,
        )


def load_ladder(connection: Connection, row: LadderRow) -> LiveLadder:
    """The ladder as its log says, from the nearest checkpoint that is whole."""
    for checkpoint in _checkpoints(connection, row):
        try:
            ladder = checkpoint_ladder(checkpoint)
        except StateError:
            continue  # damaged, or of a format this version cannot read: the log says the same, only slower
        live = LiveLadder(row, ladder)
        live.row = replace(row, head=checkpoint.seq)
        break
    else:
        live = LiveLadder(row, ServedLadder(row.system))
    players = tables.player
    names = connection.execute(
        select(players.c.name).where(players.c.ladder == row.id).order_by(players.c.number)
    )
    labels = [free_label(number) if name is None else name for number, (name,) in enumerate(names)]
    live.ladder.players = Names(labels)
    live.ladder.state.grow(len(labels))
    live.follow(connection, row, is_loading=True)
    return live


def read_entries(
    connection: Connection, row: LadderRow, ladder: ServedLadder, *, after: int
) -> Generator[list[LogEntry], None, None]:
    """The entries of a log behind a number, in pieces; refused if one is missing."""
    query = (
        select(tables.event)
        .where(tables.event.c.ladder == row.id, tables.event.c.seq > after, tables.event.c.seq <= row.head)
        .order_by(tables.event.c.seq)
        .execution_options(yield_per=ENTRIES_FETCHED)
    )
    number, size = after, 0
    entries: list[LogEntry] = []
    with connection.execute(query) as found:
        for number, stored in enumerate(found, start=after + 1):
            if stored.seq != number:
                raise StateError(f"entry {number} is missing in the log of {row.slug!r}")
            entries.append(entry_of(stored, ladder.name_of))
            size += len(stored.payload)
            if len(entries) >= ENTRIES_AT_ONCE or size > PAYLOAD_AT_ONCE:
                yield entries
                entries, size = [], 0
    if entries:
        yield entries
    if number != row.head:
        raise StateError(f"the log of {row.slug!r} ends at {number}, not at {row.head}")


def _renamed_numbers(connection: Connection, row: LadderRow, *, after: int) -> list[int]:
    """The numbers of players who were renamed or merged behind a number of the log."""
    query = select(tables.event.c.payload).where(
        tables.event.c.ladder == row.id,
        tables.event.c.seq > after,
        tables.event.c.seq <= row.head,
        tables.event.c.kind == "adjustment",
    )
    plain = [json.loads(payload) for payload in connection.execute(query).scalars()]
    return [one["player"] for one in plain if one["adjustment"] in (Rename.kind, Merge.kind)]


# ---------------------------------------------------------------------- checkpoints


def _checkpoints(connection: Connection, row: LadderRow) -> Iterator[Row[Any]]:
    """The checkpoints of a ladder's generation, latest first; each is read when it is asked for."""
    table = tables.checkpoint
    chosen = (table.c.ladder == row.id, table.c.generation == row.generation, table.c.seq <= row.head)
    numbers = connection.execute(select(table.c.seq).where(*chosen).order_by(table.c.seq.desc())).scalars()
    for number in numbers.all():
        yield connection.execute(select(table).where(*chosen, table.c.seq == number)).one()


def _is_saved_ahead(connection: Connection, row: LadderRow, head: int) -> bool:
    """Whether loading a checkpoint is less work than to follow what was imported since."""
    table = tables.checkpoint
    chosen = (table.c.ladder == row.id, table.c.generation == row.generation)
    query = select(table.c.seq).where(*chosen, table.c.seq.between(head + ENTRIES_AT_ONCE, row.head))
    return connection.execute(query.limit(1)).one_or_none() is not None


def checkpoint_ladder(checkpoint: Row[Any]) -> ServedLadder:
    """The ladder that a checkpoint holds, with numbers for names; refused if it is damaged."""
    content = bytes(checkpoint.content)
    if digest_of(content) != bytes(checkpoint.digest):
        raise StateError(f"the checkpoint at {checkpoint.seq} is damaged")
    ladder = ServedLadder.from_bytes(content)
    assert isinstance(ladder, ServedLadder)
    return ladder


def digest_of(content: bytes) -> bytes:
    """What tells a damaged checkpoint from a whole one."""
    return blake2b(content, digest_size=CHECKPOINT_DIGEST_BYTES).digest()
