"""Keys and hashes of 64 bits, hundreds of millions: numbered in the order of arrival, or kept as sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Ints, Longs
from podium.history.ragged import number

Keys = NDArray[np.uint64]

_BLOCK = 1 << 19
"""Keys looked up at once: many enough for NumPy, few enough for what belongs to them to stay in the cache."""
_SLOTS_PER_KEY = 4
"""At least so many slots for each key, so that only one key in nine finds its slot taken."""
_LEAST_SLOTS = 1 << 10
_MIXERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)  # odd, of many bits: spread any keys over the high bits


class KeyNumbers:
    """Keys of 64 bits, numbered 0, 1, … in the order in which they were met.

    >>> numbers = KeyNumbers()
    >>> numbers.add(np.array([70, 20, 70], np.uint64))[0].tolist(), len(numbers)
    ([0, 1, 0], 2)
    >>> codes, first = numbers.add(np.array([20, 50], np.uint64), np.array([90, 70], np.uint64))
    >>> codes.tolist(), first.tolist()
    ([1, 2, 3, 0], [1, 2])

    Each key has a slot in a table that holds its number. A key whose slot is taken has one in the next table,
    where other bits of it count. Looking up a known key reads two arrays no larger than the keys need,
    however many rows there are.
    """

    def __init__(self) -> None:
        self._keys: Keys = np.zeros(1 << 14, np.uint64)
        """The keys by their number, counted from 1; the first place is nobody's."""
        self._tables: list[Ints] = []
        """Numbers of keys by their slot, counted from 1; 0 is an empty slot."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, *columns: Keys) -> tuple[Ints, Longs]:
        """The number of each key, and the places of those met for the first time, in order.

        Several columns of one length are taken row by row: the keys of the first row come first.
        """
        width, height = len(columns), len(columns[0])
        codes: Ints = np.empty((height, width), np.int32)
        fresh: list[Longs] = []
        rows = max(_BLOCK // width, 1)
        for start in range(0, height, rows):
            part = slice(start, start + rows)
            keys = columns[0][part] if width == 1 else np.column_stack([c[part] for c in columns]).ravel()
            found = self._find(keys)
            unknown = np.flatnonzero(found == 0)
            if len(unknown):
                found[unknown], first = self._add_unknown(keys[unknown])
                fresh.append(unknown[first] + start * width)
            codes[part] = found.reshape(-1, width) - np.int32(1)
        return codes.ravel(), np.concatenate([np.zeros(0, np.int64), *fresh])

    def find(self, keys: Keys) -> Ints:
        """The number of each key, −1 for one that has not been met."""
        return self._find(keys) - np.int32(1)

    def _find(self, keys: Keys) -> Ints:
        """The number of each key, counted from 1, or 0 if it is unknown."""
        found: Ints = np.zeros(len(keys), np.int32)
        places: Longs | slice = slice(None)
        for level, table in enumerate(self._tables):
            # All places exist, and "wrap" saves NumPy a look at each. A key that is 0 and equals the place of
            # nobody has found an empty slot, which is as good as being unknown.
            numbers = table.take(_slots(keys, level, len(table)), mode="wrap")
            found[places] = numbers
            left = np.flatnonzero(self._keys.take(numbers, mode="wrap") != keys)
            if not len(left):
                return found
            places = left if isinstance(places, slice) else places[left]
            keys = keys[left]
        found[places] = 0
        return found

    def _add_unknown(self, keys: Keys) -> tuple[Ints, Longs]:
        """The number of each of these new keys, counted from 1, and where each number first stands."""
        codes, first = number(keys)
        start = self._count + 1
        self._reserve(start + len(first))
        self._keys[start : start + len(first)] = keys[first]
        self._count += len(first)
        self._place(start)
        return codes + np.int32(start), first

    def _reserve(self, size: int) -> None:
        """Make room for numbers below `size`; larger tables are filled anew."""
        capacity = len(self._keys)
        if size <= capacity:
            return
        while capacity < size:
            capacity *= 2
        keys: Keys = np.zeros(capacity, np.uint64)
        keys[: len(self._keys)] = self._keys
        self._keys, self._tables = keys, []
        self._place(1)

    def _place(self, start: int) -> None:
        """Give a slot to every key with the number `start` or a later one."""
        numbers = np.arange(start, self._count + 1, dtype=np.int32)
        level = 0
        while len(numbers):
            if level == len(self._tables):
                # What finds no slot in one table is a ninth of it, so that a quarter is enough for the next.
                size = _SLOTS_PER_KEY * len(self._keys) >> 2 * level
                self._tables.append(np.zeros(max(size, _LEAST_SLOTS), np.int32))
            table = self._tables[level]
            slots = _slots(self._keys[numbers], level, len(table))
            free = np.flatnonzero(table.take(slots) == 0)
            table[slots[free]] = numbers[free]
            numbers = numbers[table.take(slots) != numbers]
            level += 1


def _slots(keys: Keys, level: int, size: int) -> Longs:
    """The slot of each key in a table of `size` slots, a power of two."""
    mixer = np.uint64(_MIXERS[level % 2] * (2 * level + 1) % 2**64)
    slots: Longs = (keys * mixer >> np.uint64(65 - size.bit_length())).view(np.int64)
    return slots


Hashes = NDArray[np.uint64]

MOST_SINGLE = 4096
"""Hashes added one by one before they are sorted into an array."""


class HashSet:
    """A set of hashes, in sorted arrays of which each is at least twice as long as the next.

    >>> met = HashSet(np.array([3, 1, 4], np.uint64))
    >>> met.has(np.array([4, 5], np.uint64)).tolist(), 3 in met, len(met)
    ([True, False], True, 3)
    """

    def __init__(self, hashes: Hashes | None = None) -> None:
        self._runs: list[Hashes] = []
        self._single: set[int] = set()
        if hashes is not None:
            self.add_all(hashes)

    def __len__(self) -> int:
        return sum(map(len, self._runs)) + len(self._single)

    def __contains__(self, one: int) -> bool:
        return one in self._single or any(_find(run, one) is not None for run in self._runs)

    def add(self, one: int) -> None:
        """Add one hash that is not there yet."""
        self._single.add(one)
        if len(self._single) >= MOST_SINGLE:
            self._settle()

    def discard(self, one: int) -> None:
        """Forget a hash, if it is there."""
        self._single.discard(one)
        for i, run in enumerate(self._runs):
            if (place := _find(run, one)) is not None:
                self._runs[i] = np.delete(run, place)

    def has(self, hashes: Hashes) -> Bools:
        """For each hash, whether it is in the set; sorted ones are found several times as fast."""
        self._settle()
        found = np.zeros(len(hashes), np.bool_)
        for run in self._runs:
            if len(run):
                found |= run[np.searchsorted(run, hashes).clip(max=len(run) - 1)] == hashes
        return found

    def add_all(self, hashes: Hashes) -> None:
        """Add hashes; those that are there already change nothing."""
        fresh = np.sort(hashes)
        first = np.ones(len(fresh), np.bool_)
        first[1:] = fresh[1:] != fresh[:-1]
        self._runs = self._merged(fresh[first & ~self.has(fresh)])

    def _settle(self) -> None:
        """Sort what was added one by one into the arrays."""
        if self._single:
            runs, single = self._merged(np.sort(np.fromiter(self._single, np.uint64))), set[int]()
            self._runs, self._single = runs, single  # in one line: an interrupt loses nothing

    def _merged(self, newest: Hashes) -> list[Hashes]:
        """The arrays with one more, merged with those that would be too short before it."""
        runs = self._runs.copy()
        while len(newest) and runs and len(runs[-1]) < 2 * len(newest):
            newest = np.sort(np.concatenate([runs.pop(), newest]))
        return [*runs, newest] if len(newest) else runs

    def copy(self) -> HashSet:
        """An independent set of the same hashes."""
        twin = HashSet()
        twin._runs, twin._single = self._runs.copy(), self._single.copy()
        return twin

    def to_array(self) -> Hashes:
        """All hashes, sorted."""
        self._settle()
        return np.sort(np.concatenate([np.zeros(0, np.uint64), *self._runs]))


def _find(run: NDArray[Any], one: int) -> int | None:
    place = int(np.searchsorted(run, np.uint64(one)))
    return place if place < len(run) and run[place] == one else None
