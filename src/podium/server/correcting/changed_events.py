"""Which published events would show other ranks or ratings, if what follows an amendment were rated again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sqlalchemy import ColumnElement, Connection

from podium.arrays import Floats, Longs
from podium.documents.service_documents import ChangedEventDocument
from podium.server.ladders.served_ladder import ChangeColumns
from podium.server.log.log_reading import Naming, shown_changes, stored_entries
from podium.server.log.report_differences import shown_time
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

MOST_EVENTS = 100
"""Events of which consequences tell one by one, oldest first; all are counted."""
NUMBERS_AT_ONCE = 500
_PLAYER_BITS = 31
"""Bits of a player's number in the key of a row."""


class _Rows(NamedTuple):
    """Results of players in events as pages show them."""

    key: Longs
    """The number of the entry, then that of the player."""
    shown: Floats
    """The rank, and the rounded ratings before and after."""

    @classmethod
    def of(cls, columns: Sequence[ArrayLike], digits: int) -> _Rows:
        """Those in columns of the table `change`: entry, player, rank, display before and after."""
        entry, player, rank, before, after = (np.asarray(column) for column in columns)
        key = (entry.astype(np.int64) << _PLAYER_BITS) | player.astype(np.int64)
        shown = np.column_stack([rank, before.astype(float).round(digits), after.astype(float).round(digits)])
        is_result = rank > 0
        return cls(key[is_result], shown[is_result])

    @classmethod
    def joined(cls, parts: Sequence[_Rows]) -> _Rows:
        """All rows of several."""
        nothing = cls(np.zeros(0, np.int64), np.zeros((0, 3)))
        return cls._make(np.concatenate(column) for column in zip(nothing, *parts, strict=True))

    def of_entries(self, first: int, last: int, others: Collection[int]) -> _Rows:
        """Those of the entries between two numbers, and of some others."""
        entry = self.key >> _PLAYER_BITS
        chosen = ((entry >= first) & (entry <= last)) | np.isin(entry, list(others))
        return _Rows(self.key[chosen], self.shown[chosen])

    def without(self, entries: Collection[int]) -> _Rows:
        """Those of other entries."""
        if not entries:
            return self
        kept = ~np.isin(self.key >> _PLAYER_BITS, list(entries))
        return _Rows(self.key[kept], self.shown[kept])

    def differing(self, other: _Rows) -> Longs:
        """The keys of the rows that only one of both has, or that show something else."""
        both, mine, theirs = np.intersect1d(self.key, other.key, assume_unique=True, return_indices=True)
        differ = (self.shown[mine] != other.shown[theirs]).any(axis=1)
        alone: Longs = np.setxor1d(self.key, other.key, assume_unique=True)
        return np.concatenate([both[differ], alone])


class ChangedEvents:
    """Compares what entries did, as it is stored, with what they would do, as pages show both."""

    def __init__(self, connection: Connection, row: LadderRow, digits: int, late: Collection[int]) -> None:
        self._connection, self._row, self._digits = connection, row, digits
        self._late = late
        """The numbers of all late events: those are rated elsewhere than where they stand in the log."""
        self._players: dict[int, int] = {}
        """Of how many players each changed event shows something else."""

    def compare(self, first: int, last: int, late: Collection[int], rated: Sequence[ChangeColumns]) -> None:
        """Compare the entries between two numbers, and some late events, with what they did when `rated`."""
        known = sorted(number for number in late if number <= self._row.head)
        new = _Rows.joined(
            [
                _Rows.of([one.seq, one.player, one.rank, one.display_before, one.display], self._digits)
                for one in rated
            ]
        )
        old = [self._stored(tables.change.c.seq.between(first, last)).without(self._late)]
        for start in range(0, len(known), NUMBERS_AT_ONCE):
            old.append(self._stored(tables.change.c.seq.in_(known[start : start + NUMBERS_AT_ONCE])))
        differing = _Rows.joined(old).differing(new.of_entries(first, last, known))
        numbers, counts = np.unique(differing >> _PLAYER_BITS, return_counts=True)
        self._players.update(zip(numbers.tolist(), counts.tolist(), strict=True))

    def _stored(self, chosen: ColumnElement[bool]) -> _Rows:
        rows = shown_changes(self._connection, self._row, chosen)
        columns: list[Any] = list(zip(*rows, strict=True)) or [[]] * 5
        return _Rows.of(columns, self._digits)

    def __len__(self) -> int:
        return len(self._players)

    def documents(self, naming: Naming) -> list[ChangedEventDocument]:
        """The first of them as plain data, oldest first."""
        numbers = sorted(self._players)[:MOST_EVENTS]
        entries = {one.number: one for one in stored_entries(self._connection, self._row, naming, numbers)}
        return [
            {
                "number": number,
                "name": entries[number].name,
                "time": shown_time(entries[number].rated_time),
                "players": self._players[number],
            }
            for number in numbers
        ]
