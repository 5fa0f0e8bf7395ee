"""Sets of 64-bit hashes that may hold hundreds of millions, eight bytes each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools

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
        for number, run in enumerate(self._runs):
            if (place := _find(run, one)) is not None:
                self._runs[number] = np.delete(run, place)

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
