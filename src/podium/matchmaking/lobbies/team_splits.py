"""The ways to divide parties into two teams of one size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from podium.arrays import Bools

MOST_SPLITS = 2_000
"""Up to this number of ways to divide a lobby all are tried; of more, this number is drawn."""


@lru_cache(maxsize=1024)
def ways_to_split(sizes: tuple[int, ...], team: int, apart: bool = False) -> Bools:
    """Each way to make two teams of `team` from parties of these sizes, a row each: who is on side 1.

    The first party is on side 0, as sides have no names; with `apart` the second is on side 1. Where there
    are more than `MOST_SPLITS` ways, that many are drawn, all with the same chance and always the same ones.

    >>> ways_to_split((2, 1, 1, 1, 1), 3).astype(int).tolist()
    [[0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [0, 1, 1, 0, 1], [0, 1, 1, 1, 0]]
    """
    if sum(sizes) != 2 * team:
        return np.zeros((0, len(sizes)), np.bool_)
    fixed = 2 if apart else 1
    room = team - sizes[0]
    ways = _counts(sizes[fixed:], room)
    if ways[0][room] <= MOST_SPLITS:
        rest = _all(sizes[fixed:], room)
    else:
        rest = _drawn(sizes[fixed:], room, ways)
    table = np.ones((len(rest), len(sizes)), np.bool_)
    table[:, 0] = False
    table[:, fixed:] = rest
    return table


def _counts(sizes: Sequence[int], room: int) -> list[list[int]]:
    """How many sets of the parties from number i on have r members together, as ``[i][r]``."""
    table = [[0] * max(room + 1, 1) for _ in range(len(sizes) + 1)]
    table[-1][0] = 1
    for i in range(len(sizes) - 1, -1, -1):
        for r in range(room + 1):
            table[i][r] = table[i + 1][r] + (table[i + 1][r - sizes[i]] if r >= sizes[i] else 0)
    return table


def _all(sizes: Sequence[int], room: int) -> Bools:
    """Every set of parties that fills the room of side 0, as what is left for side 1."""
    found: list[list[bool]] = []
    ways = _counts(sizes, room)

    def choose(i: int, left: int, chosen: list[bool]) -> None:
        if left < 0 or ways[i][left] == 0:
            return
        if i == len(sizes):
            found.append(chosen)
            return
        choose(i + 1, left - sizes[i], [*chosen, False])
        choose(i + 1, left, [*chosen, True])

    choose(0, room, [])
    return np.array(found, np.bool_).reshape(len(found), len(sizes))


def _drawn(sizes: Sequence[int], room: int, ways: list[list[int]]) -> Bools:
    """Sets of parties that fill the room, each of all such sets with the same chance."""
    chance = np.random.default_rng(0).random((MOST_SPLITS, len(sizes)))
    left = np.full(MOST_SPLITS, room)
    rest = np.ones((MOST_SPLITS, len(sizes)), np.bool_)
    for i, size in enumerate(sizes):
        taking = [
            ways[i + 1][r - size] / ways[i][r] if r >= size and ways[i][r] else 0.0 for r in range(room + 1)
        ]
        takes = chance[:, i] < np.array(taking)[left]
        rest[takes, i] = False
        left[takes] -= size
    return rest
