"""Arrays of rows that belong to events: numbering values, sides, ties and places; pieces of whole events.

Nothing here knows names or tables. Rows of an event need not lie together unless it is said.

A kernel that is at work sees no Ctrl-C, so long work is cut into pieces of a moment each (`Pace`). How many
rows a kernel does in a moment depends on the system, the history and the machine: each piece is as long as
the time of the piece before suggests. Results do not depend on where work is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Ints, Longs

_MIXER = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ / golden ratio, odd: spreads any keys over the high bits


def number(keys: NDArray[np.integer[Any]]) -> tuple[Ints, Longs]:
    """Each key's number in order of first appearance, and the row on which each number first appears.

    >>> codes, first = number(np.array([70, 20, 70, 50]))
    >>> codes.tolist(), first.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    """
    first = first_equal(keys)
    is_first = first == np.arange(len(keys))
    code = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
    return code[first], np.flatnonzero(is_first)


def first_equal(keys: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """For each row the first row with the same key.

    >>> first_equal(np.array([70, 20, 70, 50])).tolist()
    [0, 1, 0, 3]

    Every key has a slot in a table, into which rows are written from last to first, so that the first one
    stays. Keys from a small range are their own slots; others share slots now and then, and those that lost
    theirs to another key go through a table of their own.
    """
    n = len(keys)
    rows = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
    if n == 0:
        return rows
    low = int(keys.min())
    span = int(keys.max()) - low + 1
    if span <= 4 * n + 1024:
        wide = keys if keys.dtype == np.uint64 else keys.astype(np.int64, copy=False)
        return _claimed(wide if low == 0 else wide - wide.dtype.type(low), span, rows)
    mixed = keys.astype(np.uint64) * _MIXER
    bits = max((n - 1).bit_length(), 1)
    first = _claimed((mixed >> np.uint64(64 - bits)).astype(np.int64), 1 << bits, rows)
    lost = np.flatnonzero(keys[first] != keys)
    if len(lost):
        first[lost] = lost[first_equal(mixed[lost])]
    return first


def _claimed(slots: NDArray[np.integer[Any]], size: int, rows: NDArray[Any]) -> NDArray[Any]:
    """For each row, the first row with the same slot."""
    table: NDArray[Any] = np.empty(size, rows.dtype)
    table[slots[::-1]] = rows[::-1]
    first: NDArray[Any] = table[slots]
    return first


def row_numbers(offsets: Longs) -> Longs:
    """The number of each row inside its event, for rows that lie together.

    >>> row_numbers(np.array([0, 2, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], np.diff(offsets))


def dense_sides(event: NDArray[np.integer[Any]], label: NDArray[np.integer[Any]]) -> Ints:
    """Labels of teams renumbered 0, 1, … in each event, in order of first appearance.

    >>> dense_sides(np.array([0, 0, 0, 1, 0, 1]), np.array([7, 2, 7, 2, 5, 9])).tolist()
    [0, 1, 0, 0, 2, 1]
    """
    group, first = side_groups(event, label)
    event_of_group = event[first]
    order = np.argsort(event_of_group, kind="stable")  # sides of one event together, in order of appearance
    sorted_events = event_of_group[order]
    starts = np.flatnonzero(np.diff(sorted_events, prepend=sorted_events[:1] - 1))
    within = np.empty(len(first), np.int32)
    within[order] = row_numbers(np.append(starts, len(order)))
    return within[group]


def side_groups(event: NDArray[np.integer[Any]], label: NDArray[np.integer[Any]]) -> tuple[Ints, Longs]:
    """Each (event, label) numbered in order of first appearance, and the row on which each first appears."""
    width = int(label.max(initial=0)) + 1
    return number(event.astype(np.int64) * width + label)


def tied_rows(offsets: Longs, rank: Ints, side: Ints | None) -> Bools:
    """Whether a row's side shares its rank with another side of its event; rows of an event lie together.

    >>> tied_rows(np.array([0, 3]), np.array([1, 2, 2], np.int32), None).tolist()
    [False, True, True]
    """
    sizes = np.diff(offsets)
    if side is None and np.all(sizes == 2):  # matches: nothing to sort
        return np.repeat(rank[::2] == rank[1::2], 2)
    key = (np.repeat(np.arange(len(sizes)), sizes) << 31) + rank
    order = np.arange(len(key)) if np.all(key[1:] >= key[:-1]) else np.argsort(key, kind="stable")
    same = np.diff(key[order]) == 0  # with the row before it, of those of one event and rank
    tied = np.zeros(len(key), np.bool_)
    if side is None:
        tied[order[1:]] |= same
        tied[order[:-1]] |= same
        return tied
    # Rows of one event and rank are a tie if they hold two different sides.
    group = np.concatenate(([0], np.cumsum(~same)))[: len(key)]
    ordered = side[order]
    low, high = (np.full(group.max(initial=-1) + 1, start, np.int64) for start in (2**31, -1))
    np.minimum.at(low, group, ordered)
    np.maximum.at(high, group, ordered)
    tied[order] = (low < high)[group]
    return tied


def competition_ranks(event: NDArray[np.integer[Any]], key: Floats) -> Ints:
    """Places 1-2-2-4 inside each event, the smallest key first.

    >>> competition_ranks(np.array([0, 0, 1, 0, 1]), np.array([3.0, 1.0, 8.0, 3.0, 9.0])).tolist()
    [2, 1, 1, 2, 2]
    """
    order = np.lexsort((key, event))
    sorted_event, sorted_key = event[order], key[order]
    new_event = np.ones(len(order), np.bool_)
    new_event[1:] = sorted_event[1:] != sorted_event[:-1]
    new_place = new_event.copy()
    new_place[1:] |= sorted_key[1:] != sorted_key[:-1]
    position = np.arange(len(order))
    start = np.maximum.accumulate(np.where(new_event, position, 0))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.maximum.accumulate(np.where(new_place, position, 0)) - start + 1
    return rank


def chunk_end(offsets: Longs, start: int, rows: int) -> int:
    """Where a chunk of about `rows` rows ends that begins with event `start`: after one event or more.

    >>> chunk_end(np.array([0, 2, 4, 6, 100]), 0, 5), chunk_end(np.array([0, 2, 4, 6, 100]), 3, 5)
    (2, 4)
    """
    stop = int(np.searchsorted(offsets, offsets[start] + rows, "right")) - 1
    return min(max(stop, start + 1), len(offsets) - 1)


PIECE_SECONDS = 0.25
"""What a piece should take."""
FIRST_ROWS = 4096
"""Rows of the first piece: a moment of the slowest systems. Work of no more rows is not cut."""
MOST_GROWTH = 4
"""A piece has at most so many times the rows of the piece before, and at least one such part of them."""

Progress = Callable[[int], None]
"""Called with the number of rows (or events, or jobs) done since the last call."""


class Pace:
    """How much work takes a moment, learned from the pieces done so far."""

    def __init__(self, most_rows: int | None = None) -> None:
        """`most_rows` limits pieces, for work that needs memory for each row of a piece."""
        self.rows, self.most_rows = FIRST_ROWS, most_rows

    def pieces(self, offsets: Longs, start: int, stop: int) -> Iterator[slice]:
        """Cut the items `start` to `stop`, whose rows begin at `offsets`, into pieces of whole items.

        A piece is measured from when it is given out until the next one is asked for.

        >>> import numpy as np
        >>> list(Pace().pieces(np.arange(0, 12_001, 3000), 0, 4))[0]  # of four items with 3000 rows each
        slice(0, 1, None)
        """
        while offsets[stop] - offsets[start] > self.rows:
            end = min(chunk_end(offsets, start, self.rows), stop)
            began = perf_counter()
            yield slice(start, end)
            self._learn(int(offsets[end] - offsets[start]), perf_counter() - began)
            start = end
        if start < stop:
            yield slice(start, stop)

    def _learn(self, rows: int, seconds: float) -> None:
        wanted = rows * PIECE_SECONDS / max(seconds, 1e-9)
        rows = max(1, int(min(max(wanted, self.rows / MOST_GROWTH), self.rows * MOST_GROWTH)))
        self.rows = rows if self.most_rows is None else min(rows, self.most_rows)
