"""For each player a sorted list of others, such as those whom blocks keep apart from them.

Every pair stands in the lists of both players, so that one look says whether two are apart. Changes are
merged into lists that are there already: a block more among millions moves numbers and sorts none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Longs
from podium.numerics.jit import kernel

Ints = NDArray[np.int32]


class PlayerLists(NamedTuple):
    """The others of player i are `other[offsets[i]:offsets[i + 1]]`, in order; one may be there twice."""

    offsets: Longs
    other: Ints

    @classmethod
    def of(cls, players: int, first: Longs, second: Longs) -> PlayerLists:
        """The lists of players 0 to `players` − 1, from pairs."""
        return cls(*_both_ways(players, np.ascontiguousarray(first), np.ascontiguousarray(second)))

    def changed(self, players: int, added: Longs, removed: Longs) -> PlayerLists:
        """The lists with some pairs more and then some less, a pair a row; `players` may have grown."""
        more, less = (PlayerLists.of(players, pairs[:, 0], pairs[:, 1]) for pairs in (added, removed))
        return PlayerLists(*_merged(self.grown(players).offsets, self.other, *more, *less))

    def joined(self, lists: PlayerLists) -> PlayerLists:
        """Everybody who is on one of two lists; a player may be there twice."""
        if not len(self.other) or not len(lists.other):
            return lists if len(lists.other) else self
        nobody = PlayerLists(np.zeros(1, np.int64), np.zeros(0, np.int32))
        players = max(len(self.offsets), len(lists.offsets)) - 1
        return PlayerLists(*_merged(*self.grown(players), *lists.grown(players), *nobody.grown(players)))

    def grown(self, players: int) -> PlayerLists:
        """The lists for so many players at least; new ones have nobody on theirs."""
        missing = players + 1 - len(self.offsets)
        if missing <= 0:
            return self
        return PlayerLists(np.concatenate([self.offsets, np.full(missing, self.offsets[-1])]), self.other)


@kernel
def _both_ways(players: int, first: Longs, second: Longs) -> tuple[Longs, Ints]:
    """Sort pairs from both ends, first by the other player and then by whose list it is."""
    pairs = len(first)
    offsets = np.zeros(players + 1, np.int64)
    for e in range(pairs):
        offsets[first[e] + 1] += 1
        offsets[second[e] + 1] += 1
    for i in range(players):
        offsets[i + 1] += offsets[i]
    place = offsets[:-1].copy()
    owner = np.empty(2 * pairs, np.int32)
    for e in range(pairs):
        a, b = first[e], second[e]
        owner[place[a]], owner[place[b]] = b, a
        place[a] += 1
        place[b] += 1
    other = np.empty(2 * pairs, np.int32)
    for one in range(players):
        place[one] = offsets[one]
    for one in range(players):
        for k in range(offsets[one], offsets[one + 1]):
            here = owner[k]
            other[place[here]] = one
            place[here] += 1
    return offsets, other


@kernel
def _merged(
    offsets: Longs,
    other: Ints,
    more_offsets: Longs,
    more: Ints,
    less_offsets: Longs,
    less: Ints,
) -> tuple[Longs, Ints]:
    """Sorted lists with others added, and then some taken out again."""
    players = len(more_offsets) - 1
    out_offsets = np.zeros(len(offsets), np.int64)
    out = np.empty(len(other) + len(more) - len(less), np.int32)
    n = 0
    for i in range(len(offsets) - 1):
        a, a_end = offsets[i], offsets[i + 1]
        b, b_end, c, c_end = 0, 0, 0, 0
        if i < players:
            b, b_end = more_offsets[i], more_offsets[i + 1]
            c, c_end = less_offsets[i], less_offsets[i + 1]
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and other[a] <= more[b]):
                one = other[a]
                a += 1
            else:
                one = more[b]
                b += 1
            if c < c_end and less[c] == one:
                c += 1
            else:
                out[n] = one
                n += 1
        out_offsets[i + 1] = n
    return out_offsets, out


@kernel
def is_listed(first: int, second: int, following: Longs, offsets: Longs, other: Ints) -> bool:
    """Whether a player of one ticket is on the list of a player of the other.

    `first` and `second` are the first players of the tickets, `following` each player's next one.
    """
    a = first
    while a >= 0:
        b = second
        while b >= 0:
            one, wanted = a, b
            if offsets[b + 1] - offsets[b] < offsets[a + 1] - offsets[a]:
                one, wanted = b, a
            low, high = offsets[one], offsets[one + 1]
            while low < high:
                middle = (low + high) // 2
                if other[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low < offsets[one + 1] and other[low] == wanted:
                return True
            b = following[b]
        a = following[a]
    return False


@kernel
def are_listed(
    first: Longs, second: Longs, following: Longs, offsets: Longs, other: Ints
) -> NDArray[np.bool_]:
    """The same for many pairs of tickets."""
    found = np.zeros(len(first), np.bool_)
    for e in range(len(first)):
        found[e] = is_listed(first[e], second[e], following, offsets, other)
    return found
