"""What happened in a history, side by side: who met, who was before whom, and who had played how often.

A *side* is a team, or a player where there are no teams. Everything here is the same for every rating system,
so it is found once for a history and kept as long as the history is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from podium.arrays import Bools, Floats, Ints
from podium.history import History, Merge, Rename
from podium.numerics.jit import kernel
from podium.numerics.ordering import place_sides
from podium.systems import Sides
from podium.systems.contract.side_scores import EventSides

ALWAYS = 0.98
"""The part of decided matches that no home side wins by playing at home."""
FEWEST_AT_HOME = 50
"""Decided matches from which on that is told."""
WINNER_FIRST = "the home side always won: does the table name the winner first?"


@dataclass(frozen=True)
class Standings(EventSides):
    """The results of consecutive events by sides; members are rows counted from the start of `rows`."""

    first_event: int
    """The number of the first event in the history."""
    rows: slice
    """The rows of the history that these are."""
    rank: Ints
    better: Ints
    """For each side, the number of sides of the event with a better rank."""
    score: Floats
    """Each side's mean score against the other sides: 1, ½, 0 or the share of a point."""
    order: Ints
    """The sides of each event from first place to last, numbered from 0 inside it."""
    experience: Ints
    """Rated events that the side's least experienced member had played before."""
    unrated: Bools
    """For each side, whether a member took part out of competition."""
    teams: Bools
    """For each event, whether a side has several members."""

    def __len__(self) -> int:
        """The number of events."""
        return len(self.offsets) - 1

    def between(self, start: int, stop: int) -> Standings:
        """The events with these numbers in the history; arrays are shared, not copied."""
        events = slice(start - self.first_event, stop - self.first_event)
        offsets = self.offsets[events.start : events.stop + 1]
        sides = slice(int(offsets[0]), int(offsets[-1]))
        first, last = (int(self.sides.offsets[side]) for side in (sides.start, sides.stop))
        if self.rows_are_sides:  # numbered from 0, wherever they begin
            players, members = self.sides.players[: last - first], self.sides.offsets[: last - first + 1]
        else:
            players = self.sides.players[first:last] - first
            members = self.sides.offsets[sides.start : sides.stop + 1] - first
        play = self.sides.play
        return replace(
            self,
            first_event=start,
            rows=slice(self.rows.start + first, self.rows.start + last),
            offsets=offsets - offsets[0] if sides.start else offsets,
            sides=Sides(players, members, None if play is None else play[first:last]),
            home=self.home[events],
            teams=self.teams[events],
            **{name: getattr(self, name)[sides] for name in _PER_SIDE},
        )


_PER_SIDE = ("rank", "better", "score", "order", "experience", "unrated")
_KEPT: WeakKeyDictionary[History, Standings] = WeakKeyDictionary()


def standings_of(history: History) -> Standings:
    """The standings of all events; computed once for each history.

    >>> history = History.from_events([{"teams": [["a", "b"], ["c"], ["d"]], "ranks": [2, 1, 2]}])
    >>> standings_of(history).score.tolist()
    [0.25, 1.0, 0.25]
    """
    if history not in _KEPT:
        _KEPT[history] = _standings(history)
    return _KEPT[history]


def home_always_won(standings: Standings) -> bool:
    """Whether the home side won so often that the data probably lists winners as the home side."""
    at_home = standings.home != 0.0
    first = standings.offsets[:-1][at_home]
    ahead = np.sign(standings.rank[first + 1] - standings.rank[first])
    decided = int(np.count_nonzero(ahead))
    won = int(np.count_nonzero(ahead * standings.home[at_home] > 0.0))
    return decided >= FEWEST_AT_HOME and won >= ALWAYS * decided


def _standings(history: History) -> Standings:
    met, rows = EventSides.of(history), history.rows
    members, starts, first = met.sides.players, met.sides.offsets, met.first_rows
    rank = np.ascontiguousarray(history.rank[first])
    share = np.full(0, np.nan) if history.share is None else history.share[first]
    better, score = np.empty(len(rank), np.int32), np.empty(len(rank))
    order, tied = np.empty(len(rank), np.int32), np.empty(len(met.counts))
    place_sides(met.offsets, rank, share, better, score, order, tied)
    experience = experience_of_rows(history)[members]
    unrated = np.zeros(rows, np.bool_) if history.unrated is None else history.unrated[members]
    if len(first) < rows:
        experience = np.minimum.reduceat(experience, starts[:-1])
        unrated = np.logical_or.reduceat(unrated, starts[:-1])
    return Standings(
        first_event=0,
        rows=slice(0, rows),
        offsets=met.offsets,
        sides=met.sides,
        home=met.home,
        rows_are_sides=met.rows_are_sides,
        rank=rank,
        better=better,
        score=score,
        order=order,
        experience=experience,
        unrated=unrated,
        teams=history.sides_per_event < history.sizes,
    )


def experience_of_rows(history: History, played: Ints | None = None) -> Ints:
    """Number of rated events that each row's player had played before, following renames.

    `played` has the numbers before the history, and is counted on.
    """
    played = np.zeros(len(history.players), np.int32) if played is None else played
    out = np.empty(history.rows, np.int32)
    unrated = np.zeros(0, np.bool_) if history.unrated is None else history.unrated
    for events in following_renames(history, played):
        rows = slice(int(history.offsets[events.start]), int(history.offsets[events.stop]))
        _count_events(history.player[rows], unrated[rows], played, out[rows])
    return out


def following_renames(history: History, *counts: Ints | Floats) -> Iterator[slice]:
    """Cut events where players are renamed or merged; what was counted of one is moved to the other there."""
    done = 0
    for placed in history.adjustments:
        yield slice(done, placed.before)
        done = placed.before
        if isinstance(placed.adjustment, (Rename, Merge)):
            names = history.players.index_of
            old, new = names[placed.adjustment.player], names[placed.adjustment.into]
            for counted in counts:
                counted[new] += counted[old]
                counted[old] = 0
    yield slice(done, len(history))


@kernel
def _count_events(player: Ints, unrated: Bools, played: Ints, out: Ints) -> None:
    """Fill how often each row's player had played, and count on; nobody is in an event twice."""
    for row in range(len(player)):
        out[row] = played[player[row]]
        if len(unrated) == 0 or not unrated[row]:
            played[player[row]] += 1
