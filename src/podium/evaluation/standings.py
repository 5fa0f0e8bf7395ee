"""What happened in a history, side by side: who met, who was before whom, and who had played how often.

A *side* is a team, or a player where there are no teams. Everything here is the same for every rating system,
so it is found once for a history and kept as long as the history is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.history import History, Merge, Rename
from podium.numerics.allpairs import sorted_order
from podium.numerics.jit import kernel
from podium.systems import Sides

ALWAYS = 0.98
"""The part of decided matches that no home side wins by playing at home."""
FEWEST_AT_HOME = 50
"""Decided matches from which on that is told."""
WINNER_FIRST = "the home side always won: is the winner named first?"


@dataclass(frozen=True)
class Standings:
    """The results of consecutive events by sides; the sides of an event are adjacent."""

    first_event: int
    """The number of the first event in the history."""
    rows: slice
    """The rows of the history that these are."""
    offsets: Longs
    """The number of each event's first side."""
    sides: Sides
    """The members of each side, as rows counted from the start of `rows`."""
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
    home: Floats
    """For each event, 1 if the first of two sides is at home, −1 if the second is."""
    teams: Bools
    """For each event, whether a side has several members."""

    def __len__(self) -> int:
        """The number of events."""
        return len(self.offsets) - 1

    @property
    def counts(self) -> Longs:
        """The number of sides of each event."""
        return np.diff(self.offsets)

    def between(self, start: int, stop: int) -> Standings:
        """The events with these numbers in the history; arrays are shared, not copied."""
        events = slice(start - self.first_event, stop - self.first_event)
        offsets = self.offsets[events.start : events.stop + 1]
        sides = slice(int(offsets[0]), int(offsets[-1]))
        members = self.sides.offsets[sides.start : sides.stop + 1]
        first, last = int(members[0]), int(members[-1])
        play = self.sides.play
        return replace(
            self,
            first_event=start,
            rows=slice(self.rows.start + first, self.rows.start + last),
            offsets=offsets - offsets[0],
            sides=Sides(
                self.sides.players[first:last] - first,
                members - first,
                None if play is None else play[first:last],
            ),
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
    event, rows = history.event_of_row, history.rows
    if history.side is None:
        members, starts = np.arange(rows), np.arange(rows + 1)
    else:
        key = (event << 32) + history.side
        members = np.arange(rows) if np.all(key[1:] >= key[:-1]) else np.argsort(key, kind="stable")
        starts = np.append(np.flatnonzero(np.diff(key[members], prepend=-1)), rows)
    first = members[starts[:-1]]
    offsets = np.concatenate(([0], np.cumsum(history.sides_per_event)))
    rank = np.ascontiguousarray(history.rank[first])
    share = np.full(0, np.nan) if history.share is None else history.share[first]
    better, score = np.empty(len(rank), np.int32), np.empty(len(rank))
    order = np.empty(len(rank), np.int32)
    _stand(offsets, rank, share, better, score, order)
    experience = experience_of_rows(history)[members]
    unrated = np.zeros(rows, np.bool_) if history.unrated is None else history.unrated[members]
    if len(first) < rows:
        experience = np.minimum.reduceat(experience, starts[:-1])
        unrated = np.logical_or.reduceat(unrated, starts[:-1])
    return Standings(
        first_event=0,
        rows=slice(0, rows),
        offsets=offsets,
        sides=Sides(members, starts, None if history.play is None else history.play[members]),
        rank=rank,
        better=better,
        score=score,
        order=order,
        experience=experience,
        unrated=unrated,
        home=_home_signs(history),
        teams=history.sides_per_event < history.sizes,
    )


def _home_signs(history: History) -> Floats:
    """Which of the two sides of each event is at home."""
    signs = np.zeros(len(history))
    if history.home is not None:
        hosts = np.flatnonzero(history.home[history.event_of_row] == history.player)
        event = history.event_of_row[hosts]
        side = hosts - history.offsets[event] if history.side is None else history.side[hosts]
        signs[event] = np.where(history.sides_per_event[event] == 2, 1.0 - 2.0 * side, 0.0)
    return signs


def experience_of_rows(history: History) -> Ints:
    """Number of rated events that each row's player had played before, following renames."""
    played, out = np.zeros(len(history.players), np.int32), np.empty(history.rows, np.int32)
    unrated = np.zeros(0, np.bool_) if history.unrated is None else history.unrated
    done = 0
    for placed in (*history.adjustments, None):
        stop = len(history) if placed is None else placed.before
        rows = slice(int(history.offsets[done]), int(history.offsets[stop]))
        _count_events(history.player[rows], unrated[rows], played, out[rows])
        done = stop
        if placed is not None and isinstance(placed.adjustment, (Rename, Merge)):
            names = history.players.index_of
            old, new = names[placed.adjustment.player], names[placed.adjustment.into]
            played[new] += played[old]
            played[old] = 0
    return out


@kernel
def _count_events(player: Ints, unrated: Bools, played: Ints, out: Ints) -> None:
    """Fill how often each row's player had played, and count on; nobody is in an event twice."""
    for row in range(len(player)):
        out[row] = played[player[row]]
        if len(unrated) == 0 or not unrated[row]:
            played[player[row]] += 1


@kernel
def _stand(offsets: Longs, rank: Ints, share: Floats, better: Ints, score: Floats, order: Ints) -> None:
    """Fill the order of each event, how many are before each side, and the sides' scores."""
    for e in range(len(offsets) - 1):
        lo, n = offsets[e], offsets[e + 1] - offsets[e]
        place = rank[lo : lo + n].astype(np.float64)
        sorted_already = True
        for i in range(1, n):
            sorted_already = sorted_already and place[i - 1] <= place[i]
        by_place = np.arange(n) if sorted_already else sorted_order(place)
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and place[by_place[stop]] == place[by_place[start]]:
                stop += 1
            for k in range(start, stop):
                side = lo + by_place[k]
                order[lo + k], better[side] = by_place[k], start
                score[side] = (n - stop + 0.5 * (stop - start - 1)) / (n - 1)
                if len(share) > 0 and not np.isnan(share[side]):
                    score[side] = share[side]
            start = stop
