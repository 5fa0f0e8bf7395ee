"""How well ratings foretell standings: the two measures of the Elo-MMR paper, section 6.2.

Each is a percentage for every contestant of every event, averaged over all of them. *Pair inversion* is the
part of a contestant's opponents against whom the higher rating won or tied; *rank deviation* is how far the
place is from where sorting by rating would put them. Both take n log n steps for an event of n.

>>> import podium
>>> history = podium.History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}}])
>>> print(accuracy(history, [1600.0, 1400.0, 1500.0]))
66.67% of pairs in order, ranks off by 33.33% (3 rows, 1 event)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import InputError, ParameterError, UnsupportedError
from podium.history import History
from podium.history.core import Bools, Floats, Ints, Longs
from podium.numerics.allpairs import sorted_order
from podium.numerics.jit import kernel

Ties = Literal["fair", "authors"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well ratings foretold standings, in percent; NaN where nothing was measured."""

    pair_inversion: float
    """Mean part of the opponents against whom the higher rating won or tied: 100 is best, 50 a guess."""
    rank_deviation: float
    """Mean distance between place and predicted place, in parts of the largest possible: 0 is best."""
    events: int
    """Events that were measured."""
    rows: int
    """Contestants measured, each once in every event."""

    def __str__(self) -> str:
        size = f"{self.rows:,} row{'' if self.rows == 1 else 's'}, {self.events:,} event"
        return (
            f"{self.pair_inversion:.2f}% of pairs in order, ranks off by {self.rank_deviation:.2f}% "
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
    """Compare standings with each row's `rating` before its event, such as a trace's `mu_before`.

    Only events from number `first_event` on are measured; the ones before it count as experience. Whoever has
    played fewer than `min_events` rated events of this history before is left out (the paper asks for 5), and
    the others are ranked among themselves. Events without an outcome among them are skipped: fewer than two
    left, or all of them tied. Rows marked unrated are measured like any other: they took part, and only count
    as no experience.

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
    if ties not in ("fair", "authors"):
        raise ParameterError(f"ties is {ties!r}, not 'fair' or 'authors'")
    if min_events < 0 or first_event < 0:
        raise ParameterError("min_events and first_event count events, from 0")
    if teams := np.flatnonzero(history.sides_per_event < history.sizes).tolist():
        raise UnsupportedError(
            f"event {history.event_name(teams[0])!r} is of teams, and these measures compare single players"
        )
    columns = history.event_columns(history.unrated)
    sums = np.zeros(4)
    _measure(
        columns.offsets,
        columns.player,
        columns.rank,
        columns.held,
        values,
        len(history.players),
        min_events,
        first_event,
        ties == "fair",
        sums,
    )
    correct, distance, events, rows = sums.tolist()
    return Accuracy(
        pair_inversion=100.0 * correct / rows if rows else np.nan,
        rank_deviation=100.0 * distance / rows if rows else np.nan,
        events=int(events),
        rows=int(rows),
    )


@kernel
def _measure(
    offsets: Longs,
    player: Ints,
    rank: Ints,
    unrated: Bools,
    rating: Floats,
    n_players: int,
    min_events: int,
    first_event: int,
    fair: bool,
    sums: Floats,
) -> None:
    """Add up both measures over contestants, then the events and the contestants measured."""
    experience = np.zeros(n_players, np.int64)
    for e in range(len(offsets) - 1):
        start, stop = offsets[e], offsets[e + 1]
        if e >= first_event:
            left = 0
            place, strength = np.empty(stop - start), np.empty(stop - start)
            for row in range(start, stop):
                if experience[player[row]] >= min_events:
                    place[left], strength[left] = rank[row], rating[row]
                    left += 1
            place, strength = place[:left], strength[:left]
            if left > 1 and place.min() < place.max():
                standings = sorted_order(place)
                place, strength = place[standings], strength[standings]
                predicted = sorted_order(-strength)  # equal ratings stay in the order of the standings
                place, strength = place[predicted], strength[predicted]
                sums[0] += _correct_pairs(place, strength, fair) * 2.0 / (left - 1)
                sums[1] += _rank_distance(place, strength, fair) / (left - 1)
                sums[2] += 1
                sums[3] += left
        for row in range(start, stop):
            if len(unrated) == 0 or not unrated[row]:
                experience[player[row]] += 1


@kernel
def _correct_pairs(place: Floats, strength: Floats, fair: bool) -> float:
    """Pairs foretold correctly, of contestants sorted by falling strength and then by place.

    Sorted so, a pair is wrong where the worse place stands before the better: an inversion, as a merge sort
    counts them.
    """
    n = len(place)
    correct = n * (n - 1) / 2.0
    here, there = place.copy(), np.empty(n)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or here[i] <= here[j]):
                    there[k] = here[i]
                    i += 1
                else:
                    there[k] = here[j]
                    correct -= middle - i  # all that are left of the better strengths came in later
                    j += 1
        here, there = there, here
        width *= 2
    if fair:
        run = 0
        for i in range(1, n):
            run = run + 1 if strength[i] == strength[i - 1] else 0
            correct -= 0.5 * run  # with each of the equals before
    return correct


@kernel
def _rank_distance(place: Floats, strength: Floats, fair: bool) -> float:
    """Distances between place and predicted place, of contestants sorted by falling strength, then by place.

    A tied range is met at its nearest end, and inside of it the distance is nothing.
    """
    n = len(place)
    order = sorted_order(place)
    first, last = np.empty(n, np.int64), np.empty(n, np.int64)
    start = 0
    while start < n:
        stop = start
        while stop < n and place[order[stop]] == place[order[start]]:
            stop += 1
        for k in range(start, stop):
            first[order[k]], last[order[k]] = start, stop - 1
        start = stop
    distance = 0.0
    start = 0
    while start < n:
        stop = start + 1
        while fair and stop < n and strength[stop] == strength[start]:
            stop += 1
        predicted = 0.5 * (start + stop - 1)
        for i in range(start, stop):
            distance += max(0.0, first[i] - predicted, predicted - last[i])
        start = stop
    return distance
