"""How well ratings foretell standings: the two measures of the Elo-MMR paper, section 6.2.

Each is a percentage for every contestant of every event, averaged over all of them. *Pairs right*, which
the paper calls pair inversion, is the part of a contestant's opponents against whom the higher rating won or
tied; *rank deviation* is how far the place is from where sorting by rating would put them. Both take n log n
steps for an event of n.

>>> import podium
>>> history = podium.History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}}])
>>> print(accuracy(history, [1600.0, 1400.0, 1500.0]))
66.67% of pairs in order, ranks off by 33.33% (3 rows, 1 event)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Bools, Floats, Ints, Longs
from podium.errors import InputError, ParameterError, UnsupportedError
from podium.evaluation.scopes import Scope
from podium.evaluation.standings import Standings, standings_of
from podium.history import History
from podium.numerics.allpairs import sorted_order
from podium.numerics.event_sides import largest_event
from podium.numerics.jit import kernel
from podium.numerics.threads import in_event_parts

Ties = Literal["fair", "authors"]

SIDE = 2**32 - 1
"""The bits that hold a side where a place stands above them."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well ratings predicted the results, in percent; NaN if nothing was measured."""

    pairs_right: float
    """Mean share of opponents against whom the higher rating won or tied: 100 is best, 50 random."""
    rank_deviation: float
    """Mean distance between actual and predicted rank, in percent of the largest: 0 is best."""
    events: int
    """Number of measured events."""
    rows: int
    """Number of measured contestants, counted once in every event."""

    def __str__(self) -> str:
        size = f"{self.rows:,} row{'' if self.rows == 1 else 's'}, {self.events:,} event"
        return (
            f"{self.pairs_right:.2f}% of pairs in order, ranks off by {self.rank_deviation:.2f}% "
            f"({size}{'' if self.events == 1 else 's'})"
        )


def accuracy(
    history: History,
    rating: ArrayLike,
    *,
    min_events: int = 0,
    ties: Ties = "fair",
    first_event: int = 0,
) -> Accuracy:
    """Compare results with each row's `rating` before its event, such as a trace's `mu_before`.

    Only events from number `first_event` on are measured; earlier ones count as experience. Players with
    fewer than `min_events` rated events in this history before are left out (the paper uses 5), and the
    others are ranked among themselves. Events without an outcome among them are skipped: fewer than two left,
    or all tied. Unrated rows are measured like any other; they only do not count as experience.

    With ``ties="fair"`` two equal ratings are half a correct prediction and share the mean of their predicted
    places, so that the order of rows cannot leak into the result. With ``ties="authors"`` they are a correct
    prediction and keep the order of the standings, as in the program of the paper's authors, which rewards a
    system for everybody it knows nothing about.
    """
    values = np.array(rating, np.float64)  # a copy: a table's read-only column would be compiled for anew
    if values.shape != (history.rows,):
        raise InputError(f"ratings of shape {values.shape} for {history.rows:,} rows of history")
    if np.isnan(values).any():
        raise InputError("a rating is not a number", row=int(np.isnan(values).argmax()))
    check_ties(ties)
    if min_events < 0 or first_event < 0:
        raise ParameterError("min_events and first_event must count events, from 0")
    if teams := np.flatnonzero(history.sides_per_event < history.sizes).tolist():
        raise UnsupportedError(
            f"event {history.event_name(teams[0])!r} has teams, and these measures compare single players"
        )
    first_event = min(first_event, len(history))
    standings = standings_of(history).between(first_event, len(history))
    scored = Scope("", min_events=min_events).scored(standings)
    ordered = order_sides(standings, values[standings.rows], scored, ties)
    events = ordered.decided > 0.0
    rows = int(np.count_nonzero(scored & np.repeat(events, standings.counts)))
    return Accuracy(
        pairs_right=100.0 * float(ordered.correct.sum()) / rows if rows else np.nan,
        rank_deviation=100.0 * float(ordered.distance.sum()) / rows if rows else np.nan,
        events=int(events.sum()),
        rows=rows,
    )


class Ordered(NamedTuple):
    """How the order by strength compares with the results, among the scored sides."""

    correct: Floats
    """For each side, the share of opponents against whom the result was predicted; 0 if not measured."""
    distance: Floats
    """For each side, the distance of actual and predicted rank, relative to the largest possible."""
    decided: Floats
    """For each event, the number of pairs of sides with different ranks; 0 if not measured."""
    foretold: Floats
    """For each event, how many of these the stronger side won; pairs of equal strength count half."""


def order_sides(
    standings: Standings, strength: Floats, scored: Bools, ties: Ties = "fair", falling: Ints | None = None
) -> Ordered:
    """Compare the results of each event with the order by strength (`falling`, if already known)."""
    if falling is None:
        falling = falling_order(standings, strength)
    sides, events = len(strength), len(standings)
    found = Ordered(np.zeros(sides), np.zeros(sides), np.zeros(events), np.zeros(events))
    columns = (standings.order, falling, standings.rank, strength, scored, ties == "fair", *found[:2])
    in_event_parts(_compare, standings.offsets, columns, found[2:])
    return found


def check_ties(ties: str) -> None:
    """Refuse an unknown way to count equal ratings."""
    if ties not in get_args(Ties):
        raise ParameterError(f"ties must be 'fair' or 'authors', not {ties!r}")


def falling_order(standings: Standings, strength: Floats) -> Ints:
    """The sides of each event, numbered inside it, strongest first; equals in the order of the results."""
    falling = np.empty(len(strength), np.int32)
    in_event_parts(_sort_falling, standings.offsets, (standings.order, strength, falling))
    return falling


@kernel
def _sort_falling(offsets: Longs, order: Ints, strength: Floats, falling: Ints) -> None:
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        place, key = order[lo:hi], np.empty(hi - lo)
        for k in range(hi - lo):
            key[k] = -strength[lo + place[k]]
        by_strength = sorted_order(key)
        for k in range(hi - lo):
            falling[lo + k] = place[by_strength[k]]


@kernel
def _compare(
    offsets: Longs,
    order: Ints,
    falling: Ints,
    rank: Ints,
    strength: Floats,
    scored: Bools,
    fair: bool,
    correct: Floats,
    distance: Floats,
    decided: Floats,
    foretold: Floats,
) -> None:
    """Fill the columns of `Ordered`."""
    room = largest_event(offsets)
    line, first, last = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    wrong = np.empty(room, np.int64)
    work = np.empty((2, room), np.int64)
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        m = _chosen(order[lo:hi], scored[lo:hi], line)
        tied = _places(rank[lo:hi], line[:m], first, last)
        pairs = m * (m - 1) / 2.0
        if tied == pairs:  # nobody was before anybody else
            continue
        decided[e] = pairs - tied
        _chosen(falling[lo:hi], scored[lo:hi], line)
        _count_wrong(first, line[:m], work, wrong)
        start = 0
        while start < m:
            stop = start + 1
            while stop < m and strength[lo + line[stop]] == strength[lo + line[start]]:
                stop += 1
            for k in range(start, stop):
                side = line[k]
                predicted = 0.5 * (start + stop - 1) if fair else float(k)
                away = max(0.0, first[side] - predicted, predicted - last[side])
                # Equals count half; the authors' program calls them right.
                right = m - 1 - wrong[side] - (0.5 * (stop - start - 1) if fair else 0.0)
                correct[lo + side], distance[lo + side] = right / (m - 1), away / (m - 1)
                foretold[e] -= 0.5 * wrong[side]
            foretold[e] -= 0.25 * (stop - start) * (stop - start - 1)
            foretold[e] += 0.5 * _tied_within(first, line[start:stop])
            start = stop
        # Of all pairs but the wrong ones and half of the equals, those that ended in a tie do not count.
        foretold[e] += pairs - tied


@kernel
def _chosen(sides: Ints, scored: Bools, line: Longs) -> int:
    """Put the scored sides into a line, in the order given; their number."""
    m = 0
    for side in sides:
        if scored[side]:
            line[m] = side
            m += 1
    return m


@kernel
def _places(rank: Ints, line: Longs, first: Longs, last: Longs) -> float:
    """Fill the first and last place of each side's tie, of sides in order; how many pairs are tied."""
    tied = 0.0
    start = 0
    while start < len(line):
        stop = start + 1
        while stop < len(line) and rank[line[stop]] == rank[line[start]]:
            stop += 1
        for k in range(start, stop):
            first[line[k]], last[line[k]] = start, stop - 1
        tied += (stop - start) * (stop - start - 1) / 2.0
        start = stop
    return tied


@kernel
def _tied_within(first: Longs, line: Longs) -> float:
    """Pairs of the same place among sides of the same strength, who stand in the order of their places."""
    tied, run = 0.0, 0
    for k in range(1, len(line)):
        run = run + 1 if first[line[k]] == first[line[k - 1]] else 0
        tied += run
    return tied


@kernel
def _count_wrong(first: Longs, line: Longs, work: Longs, wrong: Longs) -> None:
    """Fill with how many others each side stands in the wrong order, of sides by falling strength.

    A pair is wrong where the worse place stands before the better: an inversion, as a merge sort meets them.
    Of equal strength, the better place stands first. Place and side travel in one number.
    """
    n = len(line)
    here, there = work[0], work[1]
    for k in range(n):
        here[k], wrong[line[k]] = (first[line[k]] << 32) + line[k], 0
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j, k = low, middle, low
            while i < middle and j < high:
                # Without a branch: which of the two is next nobody can guess.
                before = (here[i] >> 32) <= (here[j] >> 32)
                taken = here[i] if before else here[j]
                # From the front, it was passed by some from behind; from behind, it passes all that are left.
                wrong[taken & SIDE] += j - middle if before else middle - i
                there[k] = taken
                i += before
                j += not before
                k += 1
            while i < middle:
                wrong[here[i] & SIDE] += high - middle
                there[k] = here[i]
                i, k = i + 1, k + 1
            while j < high:
                there[k] = here[j]
                j, k = j + 1, k + 1
        here, there = there, here
        width *= 2
