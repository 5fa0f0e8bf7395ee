"""What a system remembers of each player's past events: a list of terms a player, stored by column.

All lists lie in one pool of columns. A list has a block of it, with spare room at its end; one that outgrows
its block moves to a larger block at the end of the pool. When that is full, all blocks move to a larger
pool, without the holes between them.

An interrupt at any line leaves every list a block of its own, as long as it says, and changes the lists of no
players but those in question: so `put` repairs what was interrupted. New arrays are therefore made aside and
take their places in one line of plain assignments, inside of which Python looks for no signals.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats, Ints, Longs
from podium.errors import StateError
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.jit import kernel


@kernel
def move_lists(source: Floats, start: Longs, length: Ints, target: Floats, new_start: Longs) -> None:
    """Copy each list to its new place."""
    for i in range(len(length)):
        if i + ROWS_AHEAD < len(length):
            prefetch(source, start[i + ROWS_AHEAD])
        a, b = start[i], new_start[i]
        for k in range(length[i]):
            target[b + k] = source[a + k]


LEAST_ROOM, ROOM_PER_TERM = 4, 3
"""Room of a block; with twice the terms instead of three times, half as much again is copied in a season."""
ROOM_PER_ROW = 3
"""Rows of the pool that a row of a long history uses up: spare room, and blocks that lists have outgrown."""
MOST_EXPECTED_ROOM = 1 << 24
"""More is not made ahead: some systems count memory that nobody has written to."""


@dataclass(frozen=True)
class TermRows:
    """Copies of the terms of some players, one player after another."""

    length: Ints
    columns: dict[str, Floats]


@dataclass(frozen=True)
class KeptTerms:
    """The terms of some players before a change that rewrites some columns, and adds to the others.

    Only the former are copied. The others stay where they are, also when a list moves: blocks are not used
    again. That holds as long as lists are neither cleared nor replaced.
    """

    pool: dict[str, Floats]
    start: Longs
    length: Ints
    copies: dict[str, Floats]

    def rows(self) -> TermRows:
        """Copies of all columns."""
        left = {name: column for name, column in self.pool.items() if name not in self.copies}
        return TermRows(self.length, self.copies | _gathered(left, self.start, self.length))


class Terms:
    """A list of terms for every player.

    >>> terms = Terms(["performance"], 2)
    >>> terms.reserve(np.array([1]), events=1)
    >>> terms["performance"][terms.start[1]] = 1600.0
    >>> terms.length[1] = 1
    >>> terms.rows(np.array([0, 1])).columns["performance"].tolist()
    [1600.0]
    """

    def __init__(self, names: Sequence[str], n_players: int = 0) -> None:
        self.columns: dict[str, Floats] = {name: np.empty(0) for name in names}
        self.start: Longs = np.zeros(n_players, np.int64)
        self.length: Ints = np.zeros(n_players, np.int32)
        self.room: Ints = np.zeros(n_players, np.int32)
        self.used = 0
        """Rows of the pool that belong to a block, or did."""

    def __getitem__(self, name: str) -> Floats:
        """A column of the pool; a player's terms start at ``start`` and their number is ``length``."""
        return self.columns[name]

    def grow(self, n_players: int) -> None:
        """Add empty lists for new players."""
        extra = max(0, n_players - len(self.length))
        start = np.concatenate([self.start, np.zeros(extra, np.int64)])
        length = np.concatenate([self.length, np.zeros(extra, np.int32)])
        room = np.concatenate([self.room, np.zeros(extra, np.int32)])
        self.start, self.length, self.room = start, length, room

    def clear(self, players: Any) -> None:
        """Remove the terms of these players."""
        self.length[players] = 0

    def swap(self, a: int, b: int) -> None:
        """Exchange the terms of two players."""
        self.put(np.array([b, a]), self.rows(np.array([a, b])))

    def reserve(self, player: NDArray[np.integer], *, events: int) -> None:
        """Make room for one more term for each of these rows, which belong to `events` events."""
        if events == 1:  # nobody twice
            players, needed = player, self.length[player] + 1
        else:
            counts = np.bincount(player, minlength=len(self.length))
            players = np.flatnonzero(counts)
            needed = self.length[players] + counts[players].astype(np.int32)
        self._make_room(players, needed)

    def _make_room(self, players: NDArray[np.integer], needed: Ints) -> None:
        short = needed > self.room[players]
        if not short.any():
            return
        self._move(players[short], np.maximum(ROOM_PER_TERM * needed[short], LEAST_ROOM))

    def prepare(self, player: NDArray[np.integer]) -> None:
        """Make room for one more term for each of these rows, of many events: each list moves once."""
        needed = self.length + np.bincount(player, minlength=len(self.length)).astype(np.int32)
        moved = np.flatnonzero(needed > self.room)
        if len(moved):
            # Room to grow too: otherwise each of several contests, one by one, would move all lists.
            grown = ROOM_PER_TERM * (self.length[moved] + 1)
            self._move(moved, np.maximum(needed[moved] + LEAST_ROOM, grown))

    def _move(self, moved: NDArray[np.integer], room: Ints) -> None:
        """Give each of these lists a block with so much room."""
        total = int(room.sum())
        if self.used + total > len(self._pool()):
            whole = self.room.copy()
            whole[moved] = room
            self._lay_out(whole, 0)
            return
        start = self.used + _starts(room)
        self.used += total
        for column in self.columns.values():
            move_lists(column, self.start[moved].copy(), self.length[moved], column, start)
        self.start[moved] = start  # before the room, which is never more than there is
        self.room[moved] = room

    def _pool(self) -> Floats:
        return next(iter(self.columns.values()))

    def expect(self, rows: int) -> None:
        """Make the pool large enough for about this number of rows to come, so that it is not moved soon.

        What is never used takes no memory.
        """
        ahead = min(ROOM_PER_ROW * rows, MOST_EXPECTED_ROOM)
        if self.used + ahead > len(self._pool()):
            self._lay_out(self.room.copy(), ahead)

    def _lay_out(self, room: Ints, ahead: int) -> None:
        """Move all lists to a new pool, one after another, with these rooms and some rows after them."""
        start, used = _starts(room), int(room.sum(dtype=np.int64))
        capacity = used + max(ahead, used)
        # In one piece, for which the system takes large pages: each first touch of a small one costs time.
        columns = dict(zip(self.columns, np.empty((len(self.columns), capacity)), strict=True))
        for name, column in columns.items():
            move_lists(self.columns[name], self.start, self.length, column, start)
        self.columns, self.start, self.room, self.used = columns, start, room, used

    def _replace(self, rows: TermRows) -> None:
        """These lists and nothing else, without room to spare."""
        columns = {name: np.array(rows.columns[name]) for name in self.columns}
        start, length, used = _starts(rows.length), rows.length.astype(np.int32), int(rows.length.sum())
        room = length.copy()
        self.columns, self.start, self.length, self.room, self.used = columns, start, length, room, used

    def of_one(self, player: int) -> dict[str, Floats]:
        """A copy of the terms of one player, by column."""
        start = int(self.start[player])
        stop = start + int(self.length[player])
        return {name: column[start:stop].copy() for name, column in self.columns.items()}

    def rows(self, players: Any) -> TermRows:
        """A copy of the terms of these players."""
        start, length = self.start[players].copy(), self.length[players].copy()
        return TermRows(length, _gathered(self.columns, start, length))

    def keep(self, players: NDArray[np.integer], rewritten: Collection[str]) -> KeptTerms:
        """The terms of these players, before a change that rewrites only these columns of what is there."""
        start, length = self.start[players], self.length[players]
        copied = {name: self.columns[name] for name in rewritten}
        return KeptTerms(self.columns, start, length, _gathered(copied, start, length))

    def _fill(self, players: Any, rows: TermRows) -> None:
        self.length[players] = rows.length
        for name, column in rows.columns.items():
            move_lists(
                column, _starts(rows.length), rows.length, self.columns[name], self.start[players].copy()
            )

    def put(self, players: NDArray[np.integer], rows: TermRows) -> None:
        """Replace the terms of these players by exactly these."""
        self._make_room(players, rows.length)
        self._fill(players, rows)

    def copy(self) -> Terms:
        """An independent copy, without the pool's spare rows."""
        twin = Terms(())
        twin.columns = {name: column[: self.used].copy() for name, column in self.columns.items()}
        twin.start, twin.length, twin.room = self.start.copy(), self.length.copy(), self.room.copy()
        twin.used = self.used
        return twin

    def take(self, players: NDArray[np.integer], known: NDArray[np.bool_]) -> Terms:
        """The lists of only these players, in this order; empty for those not `known`."""
        twin = Terms(list(self.columns), len(players))
        rows = self.rows(players[known])
        length = np.zeros(len(players), np.int32)
        length[known] = rows.length
        twin._replace(TermRows(length, rows.columns))
        return twin

    def load(self, length: NDArray[Any], columns: Mapping[str, NDArray[Any]]) -> None:
        """Fill the lists from saved arrays."""
        whole = length.ndim == 1 and length.dtype == np.int32 and bool(np.all(length >= 0))
        if not whole or any(c.shape != (length.sum(),) or c.dtype != np.float64 for c in columns.values()):
            raise StateError("the saved terms do not fit together")
        self._replace(TermRows(length, dict(columns)))


def _gathered(columns: Mapping[str, Floats], start: Longs, length: Ints) -> dict[str, Floats]:
    """A copy of these lists in each column, one after another."""
    starts = _starts(length)
    total = int(starts[-1] + length[-1]) if len(length) else 0
    copies = {name: np.empty(total) for name in columns}
    for name, copy in copies.items():
        move_lists(columns[name], start, length, copy, starts)
    return copies


def _starts(length: NDArray[np.integer]) -> Longs:
    """Where each list begins when they lie one after another."""
    starts: Longs = np.cumsum(length, dtype=np.int64) - length
    return starts
