"""The place of each player right after each event, among all who had been rated until then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs, as_kernel_column
from podium.numerics.jit import kernel

NOBODY = -1
NO_PLACE = 0


def places_after(
    offsets: Longs,
    player: Ints,
    display: Floats,
    rated: Bools,
    players: int,
    leaving: Sequence[tuple[int, int]] = (),
) -> Ints:
    """For each row, its player's place right after the event; `NO_PLACE` before the first rated event.

    Everybody counts with the rating displayed after the own last rated event, and equal ones share a place.
    `leaving` are pairs of an event and a player who is not there any more from that event on, in order.

    >>> rows = np.array([0, 2, 4]), np.array([0, 1, 2, 1], np.int32), np.array([1516.0, 1484, 1520, 1450])
    >>> places_after(*rows, np.ones(4, np.bool_), 3).tolist()
    [1, 2, 1, 3]
    """
    best_first = np.unique(-display, return_inverse=True)[1].astype(np.int32)
    gone = np.array(leaving, np.int64).reshape(-1, 2)
    place = np.zeros(len(player), np.int32)
    tree = np.zeros(int(best_first.max(initial=0)) + 2, np.int32)
    now = np.full(players, NOBODY, np.int32)
    given = as_kernel_column(offsets), as_kernel_column(player), best_first, as_kernel_column(rated)
    _fill_places(*given, gone, tree, now, place)
    return place


@kernel
def _fill_places(
    offsets: Longs,
    player: Ints,
    value: Ints,
    rated: Bools,
    gone: Longs,
    tree: Ints,
    now: Ints,
    place: Ints,
) -> None:
    """Fill the places; `tree` is a Fenwick tree that counts players by the number of their value."""
    left = 0
    for e in range(len(offsets) - 1):
        while left < len(gone) and gone[left, 0] <= e:
            if now[gone[left, 1]] != NOBODY:
                _count(tree, now[gone[left, 1]], -1)
                now[gone[left, 1]] = NOBODY
            left += 1
        for row in range(offsets[e], offsets[e + 1]):
            if rated[row]:
                if now[player[row]] != NOBODY:
                    _count(tree, now[player[row]], -1)
                now[player[row]] = value[row]
                _count(tree, value[row], 1)
        for row in range(offsets[e], offsets[e + 1]):
            if now[player[row]] != NOBODY:
                better, node = 0, now[player[row]]
                while node > 0:
                    better += tree[node]
                    node -= node & -node
                place[row] = 1 + better


@kernel
def _count(tree: Ints, value: int, change: int) -> None:
    """Count one player more or less of a value."""
    node = value + 1
    while node < len(tree):
        tree[node] += change
        node += node & -node
