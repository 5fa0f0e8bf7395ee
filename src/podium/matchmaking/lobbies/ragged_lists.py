"""Lists of numbers as arrays: the players of each party, the tickets of each lobby."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from podium.arrays import Longs


@dataclass(frozen=True)
class Ragged:
    """Lists of numbers, one after another.

    >>> lobbies = Ragged.of([[4, 2], [7], [1, 0]])
    >>> len(lobbies), lobbies.sizes.tolist(), lobbies.take(np.array([2, 0])).lists()
    (3, [2, 1, 2], [[1, 0], [4, 2]])
    """

    offsets: Longs
    items: Longs

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> Ragged:
        """Lists of Python as one array and offsets."""
        flat = [item for one in lists for item in one]
        return cls(np.cumsum([0, *map(len, lists)], dtype=np.int64), np.array(flat, np.int64))

    @classmethod
    def singles(cls, count: int) -> Ragged:
        """Lists of one number each: 0, 1, … in order."""
        return cls(np.arange(count + 1), np.arange(count))

    @classmethod
    def join(cls, parts: Sequence[Ragged]) -> Ragged:
        """The lists of all of these, one after another."""
        sizes = np.concatenate([np.zeros(1, np.int64), *(part.sizes for part in parts)])
        return cls(np.cumsum(sizes), np.concatenate([np.zeros(0, np.int64), *(part.items for part in parts)]))

    @property
    def sizes(self) -> Longs:
        """The number of items of each list."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> Longs:
        """The number of the list that each item belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Longs:
        """The items of list `i`."""
        return self.items[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[Longs]:
        return (self[i] for i in range(len(self)))

    def take(self, which: Longs) -> Ragged:
        """Some of the lists, in this order."""
        sizes = self.sizes[which]
        offsets = np.zeros(len(which) + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        place = np.repeat(self.offsets[which] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return Ragged(offsets, self.items[place])

    def same_as(self, other: Ragged) -> tuple[Longs, Longs]:
        """Which lists are also in the other, item for item, and where; of lists without common items.

        >>> here, there = Ragged.of([[4, 2], [7], [1, 0]]).same_as(Ragged.of([[1, 0], [4], [7]]))
        >>> here.tolist(), there.tolist()
        ([1, 2], [2, 0])
        """
        if len(self) == 0 or len(other) == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        most = max(self.items.max(), other.items.max()) + 1
        owner = np.full(most, -1)
        owner[other.items[other.offsets[:-1]]] = np.arange(len(other))
        there = owner[self.items[self.offsets[:-1]]]
        here = np.flatnonzero((there >= 0) & (self.sizes == other.sizes[there]))
        there = there[here]
        if len(here) == 0:
            return here, there
        ours, theirs = self.take(here), other.take(there)
        same = np.logical_and.reduceat(ours.items == theirs.items, ours.offsets[:-1])
        return here[same], there[same]

    def lists(self) -> list[list[int]]:
        """The lists as Python lists, for tests and printing."""
        return [one.tolist() for one in self]
