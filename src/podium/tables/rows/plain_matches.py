"""Large plain files of matches, from their bytes to the columns of a history without a table between.

Plain is a file without quotes in which every line has all cells, every name is one as it should be, and
numbers are written as the first rows let expect. Most large files are; reading them takes little more than
half of the time and the memory that `match_rows` needs. At the first thing that is not plain reading ends
(`NotPlainError`), and whoever reads goes on with `match_rows`, which knows what it means or what is wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import ACCESS_COPY, mmap
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arrays import NO_LONGS, NO_TIME, Floats, Ints, Longs
from podium.history.history import History
from podium.history.names import Names
from podium.tables.forms.formulas import are_marked
from podium.tables.names.player_numbers import are_names
from podium.tables.rows.match_rows import ranks_of, shares_of
from podium.tables.rows.plain_kernels import (
    DECIMAL,
    MOMENT,
    NAME,
    ROWS_AT_ONCE,
    SECONDS,
    SKIPPED,
    SPARE_BYTES,
    WHOLE,
    Layout,
    NameColumns,
    RowColumns,
    place_names,
    read_rows,
)
from podium.tables.sources.number_columns import FIRST_SECOND, LAST_SECOND
from podium.tables.sources.plain_files import SCORES, SIDES, PlainFile
from podium.tables.sources.text_records import NULL_CELLS

BLOCK_BYTES = 1 << 20
"""Bytes that are read at once: they stay in the cache while their rows are read."""
_ROWS_PER_CALL = 1 << 15
"""And so does what is made of this number of rows."""
_SLOTS_PER_NAME = 2
_MORE_ROWS = 1.05
"""Room for rows beyond the number expected: no more memory is used than they need."""
_HUGE_BYTES = 1 << 22
"""Arrays from this size on have huge pages, where the system has them."""


class NotPlainError(Exception):
    """Something in a file is not plain; it may be right all the same."""


@dataclass(frozen=True)
class PlainPiece:
    """Some matches of a file."""

    names: list[str]
    """Players whom no earlier piece has."""
    player: Ints
    """Two a match; an index into the names of all pieces so far."""
    rank: Ints
    time: Longs | None
    score: Floats | None
    """The points of both, where the file has them."""
    is_by_winner: bool
    """Whether the first of two is who won, and so neither is at home."""

    def history(self, players: Names, *, neutral: bool) -> History:
        """The matches as a history; `players` are the names of all pieces so far.

        Unless the columns have `neutral` names, the first of two players is at home.
        """
        matches = len(self.player) // 2
        offsets = _column(matches + 1, np.int64)
        np.cumsum(np.broadcast_to(np.int64(2), matches), out=offsets[1:])
        return History(
            players=players,
            offsets=offsets,
            player=self.player,
            rank=self.rank,
            time=np.full(matches, NO_TIME) if self.time is None else self.time,
            score=self.score,
            home=None if neutral or self.is_by_winner else self.player[::2].copy(),
        )


class PlainMatches:
    """Reads the matches of a plain file, whole or in pieces."""

    def __init__(self, file: PlainFile, *, lower_is_better: bool) -> None:
        self._file = file
        self._lower_is_better = lower_is_better
        self._layout = _layout(file)
        self._names = _NameTable()
        self._buffer = bytearray(_whole_words(2 * BLOCK_BYTES + SPARE_BYTES))
        self._text = np.frombuffer(self._buffer, np.uint8)
        self._batch = np.empty((2 * ROWS_AT_ONCE, 4), np.uint64)

    def pieces(self, rows: int | None) -> Iterator[PlainPiece]:
        """Pieces of so many rows, the last of them shorter; or all rows in one, if there are any."""
        found = _Columns(self._file, rows)
        for stop in self._blocks():
            self._names.reserve(stop)
            place = 0
            while place < stop:
                if found.rows == rows:
                    yield self._piece(found)
                    found = _Columns(self._file, rows)
                elif found.rows == found.room:
                    found.enlarge()
                place = self._read(found, place, stop)
            if self._names.are_many_unchecked:
                self._names.check()
        if found.rows:
            yield self._piece(found)

    def _blocks(self) -> Iterator[int]:
        """Bring whole lines into the buffer, some at a time; yields where the last one ends."""
        with self._file.path.open("rb", buffering=0) as stream:
            stream.seek(self._file.start)
            begun = 0  # bytes of a line whose end is not there yet
            while count := stream.readinto(memoryview(self._buffer)[begun : begun + BLOCK_BYTES]):
                filled = begun + count
                stop = self._buffer.rfind(b"\n", begun, filled) + 1
                if not stop and filled > BLOCK_BYTES:
                    raise NotPlainError
                if stop:
                    yield stop
                begun = filled - stop
                self._buffer[:begun] = self._buffer[stop:filled]
            if begun:
                self._buffer[begun : begun + 1] = b"\n"
                yield begun + 1

    def _read(self, found: _Columns, place: int, stop: int) -> int:
        """Read rows of the buffer from a place on, as far as there is room; returns where they end."""
        most = min(found.room - found.rows, _ROWS_PER_CALL)
        with _overflowing():
            rows, place, self._names.known = read_rows(
                self._text,
                place,
                stop,
                self._layout,
                self._names.columns,
                self._names.known,
                found.next_rows(),
                most,
                self._batch,
            )
        if rows < 0:
            raise NotPlainError
        found.add(rows, lower_is_better=self._lower_is_better)
        return int(place)

    def _piece(self, found: _Columns) -> PlainPiece:
        return found.piece(self._names.take(), is_by_winner="winner" in self._file.places)


class _Columns:
    """The columns of a piece of so many rows, as far as they are read."""

    def __init__(self, file: PlainFile, rows: int | None) -> None:
        self.rows = 0
        self._most = sys.maxsize if rows is None else rows
        self.room = min(int(_MORE_ROWS * file.expected_rows) + 1, self._most)
        scores = sum(name in SCORES for name in file.places)
        self._player: Ints = _column(self.room, np.int32, 2)
        self._rank: Ints = _column(self.room, np.int32, 2)
        self._time: Longs | None = _column(self.room, np.int64) if "time" in file.places else None
        self._points: Floats | None = _column(self.room, np.float64, 2) if scores == 2 else None
        """The points of both sides, where a file has them."""
        self._parts: Floats | None = np.zeros((_ROWS_PER_CALL, 1)) if scores == 1 else None
        """The part of the point that the first side gets, of the rows read last."""

    def enlarge(self) -> None:
        """Make room for a half more, if the piece can have so many."""
        self.room = min(self.room + self.room // 2 + 1, self._most)
        self._player, self._rank = _enlarged(self._player, self.room), _enlarged(self._rank, self.room)
        self._time = None if self._time is None else _enlarged(self._time, self.room)
        self._points = None if self._points is None else _enlarged(self._points, self.room)

    def next_rows(self) -> RowColumns:
        """Where the next rows are written to."""
        number = self._parts if self._points is None else self._points[self.rows :]
        return RowColumns(
            self._player[self.rows :].reshape(-1),
            np.zeros((0, 0)) if number is None else number,
            NO_LONGS if self._time is None else self._time[self.rows :],
        )

    def add(self, rows: int, *, lower_is_better: bool) -> None:
        """Count rows that were written, and rank their sides."""
        here = slice(self.rows, self.rows + rows)
        if np.any(self._player[here, 0] == self._player[here, 1]):
            raise NotPlainError
        if self._points is not None:
            score, other = self._points[here].T
            self._rank[here] = ranks_of(score, other, lower_is_better=lower_is_better)
        elif self._parts is not None:
            score = self._parts[:rows, 0]
            if shares_of(score) is not None:
                raise NotPlainError
            self._rank[here] = ranks_of(score, None, lower_is_better=lower_is_better)
        else:
            self._rank[here] = (1, 2)
        self.rows += rows

    def piece(self, names: list[str], *, is_by_winner: bool) -> PlainPiece:
        """All rows so far; `names` are the new ones among them."""
        score = None if self._points is None else self._points[: self.rows].ravel()
        time = None if self._time is None else self._time[: self.rows]
        player, rank = (column[: self.rows].ravel() for column in (self._player, self._rank))
        return PlainPiece(names, player, rank, time, score, is_by_winner)


class _NameTable:
    """The names met in a file, by number."""

    def __init__(self) -> None:
        self.known = 0
        no_words, no_letters = np.zeros(0, np.uint64), np.zeros(0, np.uint8)
        self.columns = NameColumns(no_words, no_words, NO_LONGS, no_letters)
        self._checked = 0
        self._fresh: list[str] = []
        """Names that are checked and that nobody has taken."""

    def reserve(self, length: int) -> None:
        """Make room for what a text of this length can have: a name takes two bytes of it at least."""
        slots, keys, starts, letters = self.columns
        names = self.known + length // 2 + 1
        if len(slots) < _SLOTS_PER_NAME * names:
            slots = np.zeros(1 << (_SLOTS_PER_NAME * names - 1).bit_length(), np.uint64)
            most = len(slots) // _SLOTS_PER_NAME
            keys = _enlarged(keys, 2 * (most + 1))
            starts = _enlarged(starts, most + 1)
            with _overflowing():
                place_names(slots, keys, self.known)
        needed = int(starts[self.known]) + length + SPARE_BYTES
        if len(letters) < needed:
            letters = _enlarged(letters, _whole_words(2 * needed))
        self.columns = NameColumns(slots, keys, starts, letters)

    @property
    def are_many_unchecked(self) -> bool:
        """Whether there are as many new names as there were names when they were checked."""
        return self.known > 2 * self._checked

    def check(self) -> None:
        """Raise `NotPlainError` if a new name is not as it should be."""
        start, end = (int(self.columns.starts[number]) for number in (self._checked, self.known))
        names = self.columns.letters[start:end].tobytes().decode().split("\n")[:-1]
        texts = pl.Series(names, dtype=pl.String)
        if not are_names(texts) or (texts.is_in(NULL_CELLS) | are_marked(texts)).any():
            raise NotPlainError
        self._checked = self.known
        self._fresh += names

    def take(self) -> list[str]:
        """All names since the last call, which are checked."""
        self.check()
        names, self._fresh = self._fresh, []
        return names


def _whole_words(size: int) -> int:
    """The next number of bytes that are words of eight."""
    return (size + 7) // 8 * 8


def _overflowing() -> np.errstate:
    """While kernels run: without the compiler NumPy tells of every hash that overflows."""
    return np.errstate(over="ignore")


def _column(rows: int, kind: type[np.generic], *width: int) -> NDArray[Any]:
    """An array of zeros, of which no memory is used before something is written there.

    For large ones NumPy asks for huge pages. A virtual machine may have to get these from its host: then
    writing ten million matches took 0.8 s, and 0.16 s with the small pages that others use.
    """
    size = rows * math.prod(width) * np.dtype(kind).itemsize
    if size < _HUGE_BYTES or sys.platform != "linux":
        return np.zeros((rows, *width), kind)
    return np.frombuffer(mmap(-1, size, access=ACCESS_COPY), kind).reshape(rows, *width)


def _enlarged(column: NDArray[Any], size: int) -> NDArray[Any]:
    """The same column with more room."""
    larger = np.zeros((size, *column.shape[1:]), column.dtype)
    larger[: len(column)] = column
    return larger


def _layout(file: PlainFile) -> Layout:
    kinds, targets = np.full(file.width, SKIPPED, np.int32), np.zeros(file.width, np.int32)
    for name, place in file.places.items():
        if name in SCORES:
            kinds[place] = DECIMAL if file.types[name] == pl.Float64 else WHOLE
            targets[place] = SCORES.index(name)
        elif name == "time":
            kinds[place] = SECONDS if file.types[name] == pl.Int64 else MOMENT
        else:
            kinds[place] = NAME
            targets[place] = next(sides.index(name) for sides in SIDES if name in sides)
    return Layout(ord(file.separator), kinds, targets, FIRST_SECOND, LAST_SECOND)
