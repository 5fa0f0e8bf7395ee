"""The walks of a history: who is behind each row, and where skills go on from the row before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Ints, Longs
from podium.evaluation.smoothing.kernels import NO_WALK, Players, follow_walks
from podium.history import Adjustment, Anchor, History, Merge, Release, Rename, Reset, SetRating
from podium.history.columns import event_columns
from podium.systems.contract.ratings import Trace


class Followed(NamedTuple):
    """The walk, person and experience of each row of a history."""

    players: Players
    """What is known of each player at the end."""
    walk: Longs
    """The number of each row's walk; `walks` is how many there are."""
    walks: int
    person: Longs
    """The number of the person of each row; `people` is how many there are."""
    people: int
    experience: Ints
    """Number of rated events before each row."""
    new: Bools
    """For each row, whether nothing was known before except that the player is new."""


def follow(history: History, trace: Trace) -> Followed:
    """Go through a history in order, with its adjustments; the trace may be longer than the history."""
    n, rows = len(history.players), history.rows
    players = Players(
        walk=np.full(n, NO_WALK),
        last=np.zeros(n, np.int64),
        person=np.arange(n),
        events=np.zeros(n, np.int32),
        bare=np.ones(n, np.bool_),
        anchored=np.zeros(n, np.bool_),
    )
    walk, person = np.empty(rows, np.int64), np.empty(rows, np.int64)
    experience, new = np.empty(rows, np.int32), np.empty(rows, np.bool_)
    player, people, start, walks = event_columns(history).player, n, 0, 0
    for placed in (*history.adjustments, None):
        stop = rows if placed is None else int(history.offsets[placed.before])
        walks = follow_walks(
            start,
            stop,
            walks,
            player,
            trace.rated,
            trace.mu_before,
            trace.mu,
            players,
            walk,
            person,
            experience,
            new,
        )
        start = stop
        if placed is not None:
            people = _adjust(players, people, history, placed.adjustment)
    return Followed(players, walk, walks, person, people, experience, new)


def _adjust(players: Players, people: int, history: History, adjustment: Adjustment) -> int:
    """What an adjustment does to walks: renaming carries them on, whatever sets beliefs ends them.

    Returns how many people there are now: an account that was merged away is somebody new.
    """
    index = [history.players.index_of[name] for name in adjustment.players]
    if isinstance(adjustment, Reset):
        if adjustment.keep < 1.0:
            players.walk[:] = NO_WALK
    elif isinstance(adjustment, (SetRating, Anchor, Release)):
        players.walk[index] = NO_WALK
        if not isinstance(adjustment, Release):
            players.bare[index] = False
            if isinstance(adjustment, SetRating):
                players.events[index] = adjustment.events_after(int(players.events[index[0]]))
            players.anchored[index] = isinstance(adjustment, Anchor) | players.anchored[index]
        else:
            players.anchored[index] = False
    elif isinstance(adjustment, Rename):
        for column in players:
            column[index] = column[index[::-1]]
    elif isinstance(adjustment, Merge):
        _merge(players, people, *index)
        return people + 1
    return people


def _merge(players: Players, people: int, source: int, into: int) -> None:
    """Where one account knows nothing the other's walk goes on, and else both end here."""
    fixed = bool(players.anchored[into])
    if not players.bare[source] and players.bare[into]:
        for column in players:
            column[into] = column[source]
    elif not players.bare[source]:
        players.events[into] += players.events[source]
        players.walk[into] = NO_WALK
    players.anchored[into] = fixed
    players.walk[source], players.events[source] = NO_WALK, 0
    players.bare[source], players.anchored[source] = True, False
    players.person[source] = people
