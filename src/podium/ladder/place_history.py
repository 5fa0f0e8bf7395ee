"""The place of each player right after each event, among all who had enough rated events until then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs, as_kernel_column
from podium.numerics.jit import kernel

NOBODY = -1
NO_PLACE = 0
ANY_NUMBER = np.iinfo(np.int32).max
"""No upper limit of a number of events."""


class RatingMoves(NamedTuple):
    """Ratings that adjustments changed, as columns in order."""

    event: Longs
    """The event before which each of them was, counted from 0."""
    player: Longs
    display: Floats
    """The displayed rating after it."""
    account: Longs
    """The account that was merged into the player's and is gone; `NOBODY` if there is none."""
    least_events: Longs
    """The fewest rated events that the player counts after it, also those played elsewhere."""
    most_events: Longs
    """The most; the same as the fewest if their number was set."""

    @classmethod
    def joined(cls, parts: list[RatingMoves]) -> RatingMoves:
        """One after another."""
        empty = np.empty(0, np.int64)
        parts = [cls(empty, empty, np.empty(0), *[empty] * 3), *parts]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def places_after(
    offsets: Longs,
    player: Ints,
    display: Floats,
    rated: Bools,
    players: int,
    moves: RatingMoves | None = None,
    min_events: int = 1,
) -> Ints:
    """For each row, its player's place right after the event; `NO_PLACE` with fewer rated events.

    Every player with `min_events` rated events counts, with the rating displayed after their last rated event
    or adjustment, and equal ones share a place. An adjustment that sets the number of events may give a
    place, as it does on a leaderboard.

    >>> rows = np.array([0, 2, 4]), np.array([0, 1, 2, 1], np.int32), np.array([1516.0, 1484, 1520, 1450])
    >>> places_after(*rows, np.ones(4, np.bool_), 3).tolist()
    [1, 2, 1, 3]
    """
    moves = RatingMoves.joined([]) if moves is None else moves
    every = np.concatenate([display, moves.display])
    best_first = np.unique(-every, return_inverse=True)[1].astype(np.int32)
    place = np.zeros(len(player), np.int32)
    tree = np.zeros(int(best_first.max(initial=0)) + 2, np.int32)
    now = np.full(players, NOBODY, np.int32)
    given = as_kernel_column(offsets), as_kernel_column(player), best_first, as_kernel_column(rated)
    played, least = np.zeros(players, np.int32), max(min_events, 1)
    moved = moves.event, moves.player, moves.account, moves.least_events, moves.most_events
    _fill_places(*given, *moved, least, tree, now, played, place)
    return place


@kernel
def _fill_places(
    offsets: Longs,
    player: Ints,
    value: Ints,
    rated: Bools,
    moved_before: Longs,
    moved: Longs,
    account: Longs,
    least_events: Longs,
    most_events: Longs,
    least: int,
    tree: Ints,
    now: Ints,
    played: Ints,
    place: Ints,
) -> None:
    """Fill the places; `tree` is a Fenwick tree that counts players by the number of their value.

    The values of moved players come behind those of the rows. `played` counts rated events; from the `least`
    number on a player has a place.
    """
    move = 0
    for e in range(len(offsets) - 1):
        while move < len(moved) and moved_before[move] <= e:
            if account[move] != NOBODY:  # the events of the account are the player's now
                if now[account[move]] != NOBODY:
                    _count(tree, now[account[move]], -1)
                    now[account[move]] = NOBODY
                played[moved[move]] += played[account[move]]
                played[account[move]] = 0
            one = moved[move]
            played[one] = min(max(played[one], least_events[move]), most_events[move])
            if played[one] >= least:
                _put(tree, now, one, value[len(player) + move])
            elif now[one] != NOBODY:  # fewer events were set than the player had
                _count(tree, now[one], -1)
                now[one] = NOBODY
            move += 1
        for row in range(offsets[e], offsets[e + 1]):
            if rated[row]:
                played[player[row]] += 1
            if rated[row] and played[player[row]] >= least:
                _put(tree, now, player[row], value[row])
        for row in range(offsets[e], offsets[e + 1]):
            if now[player[row]] != NOBODY:
                better, node = 0, now[player[row]]
                while node > 0:
                    better += tree[node]
                    node -= node & -node
                place[row] = 1 + better


@kernel
def _put(tree: Ints, now: Ints, player: int, value: int) -> None:
    """Give a player another value."""
    if now[player] != NOBODY:
        _count(tree, now[player], -1)
    now[player] = value
    _count(tree, value, 1)


@kernel
def _count(tree: Ints, value: int, change: int) -> None:
    """Count one player more or less of a value."""
    node = value + 1
    while node < len(tree):
        tree[node] += change
        node += node & -node
