"""What kernels of pairwise systems share: sides of an event, scores between them, rating periods.

A *side* is a team, or a player where there are no teams. Kernels see an event as `m` sides with a first row
each; everything else (rank, share, home) is read from that row.
"""

from __future__ import annotations

import math

from podium.arrays import DAY, NO_TIME, Bools, EventColumns, Floats, Ints, Longs
from podium.numerics.jit import kernel

NO_PERIOD = -(2**62)
"""The period of a player who has not played yet."""

FIRST_MONDAY = 4 * DAY
"""1970-01-05, a Monday: periods of whole weeks begin on Mondays, wherever a history was cut."""


@kernel
def period_of(time: int, length: int) -> int:
    """The number of the rating period that contains a time."""
    return (time - FIRST_MONDAY) // length


@kernel
def days_between(earlier: int, later: int) -> float:
    """The days between two times; 0 if either is unknown."""
    if earlier == NO_TIME or later == NO_TIME:
        return 0.0
    return max(later - earlier, 0) / DAY


@kernel
def largest_event(offsets: Longs) -> int:
    """The number of rows of the largest event, which is the size of a kernel's work space."""
    largest = 0
    for e in range(len(offsets) - 1):
        largest = max(largest, offsets[e + 1] - offsets[e])
    return largest


@kernel
def mark(flags: Bools, index: Ints) -> None:
    """Set the flags at these indices; unlike NumPy's indexing it does not copy the indices."""
    for i in index:
        flags[i] = True


@kernel
def are_duels(ev: EventColumns, both_held: bool) -> bool:
    """Whether every event is between two single players who are both rated, or with `both_held` both held."""
    offsets, held = ev.offsets, ev.held
    if len(ev.side) > 0 or (len(held) > 0 and not both_held) or len(ev.player) != 2 * (len(offsets) - 1):
        return False
    duels = 0
    for e in range(len(offsets) - 1):
        lo = offsets[e]
        duels += offsets[e + 1] - lo == 2 and is_held(held, lo) == is_held(held, lo + 1)
    return duels == len(offsets) - 1


@kernel
def find_sides(side: Ints, lo: int, hi: int, first: Ints, size: Ints) -> int:
    """Fill each side's first row and size; returns the number of sides."""
    if len(side) == 0:
        for r in range(lo, hi):
            first[r - lo] = r
            size[r - lo] = 1
        return hi - lo
    m = 0
    for r in range(lo, hi):
        s = side[r]
        while m <= s:
            size[m] = 0
            m += 1
        if size[s] == 0:
            first[s] = r
        size[s] += 1
    return m


@kernel
def side_of(side: Ints, row: int, lo: int) -> int:
    """The number of the side that a row belongs to."""
    return row - lo if len(side) == 0 else side[row]


@kernel
def home_side(home: Ints, player: Ints, side: Ints, e: int, lo: int, hi: int) -> int:
    """The number of the side with home advantage, −1 for none."""
    if len(home) == 0 or home[e] < 0:
        return -1
    for r in range(lo, hi):
        if player[r] == home[e]:
            return side_of(side, r, lo)
    return -1


@kernel
def fill_home_signs(home: Ints, player: Ints, side: Ints, rows: Longs, offsets: Longs, signs: Floats) -> None:
    """For each event, 1 if the first of two sides is at home, −1 if the second is.

    `rows` and `offsets` are where the rows and the sides of each event begin.
    """
    for e in range(len(signs)):
        if offsets[e + 1] - offsets[e] == 2:
            host = home_side(home, player, side, e, rows[e], rows[e + 1])
            signs[e] = 0.0 if host < 0 else 1.0 - 2.0 * host


@kernel
def event_weight(weight: Floats, e: int) -> float:
    """The weight of an event; 1 if it has none."""
    return 1.0 if len(weight) == 0 else weight[e]


@kernel
def played(play: Floats, row: int) -> float:
    """The part of the event in which a row's player took part; 1 if nothing is said."""
    return 1.0 if len(play) == 0 else play[row]


@kernel
def is_held(held: Bools, row: int) -> bool:
    """Whether the row's player counts as an opponent while the own rating does not change."""
    return len(held) > 0 and held[row]


@kernel
def score_between(rank: Ints, share: Floats, row: int, other: int) -> float:
    """The score of one row's side against another's: 1, ½, 0, or the share it got."""
    if len(share) > 0 and not math.isnan(share[row]):
        return float(share[row])
    # Without a branch: nothing is harder to guess than who wins.
    return float(0.5 * (1.0 + (rank[row] < rank[other]) - (rank[row] > rank[other])))
