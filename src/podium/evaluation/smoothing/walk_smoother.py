"""A rated history as walks, conditioned on all that was seen of them, forwards and backwards.

The walks of a history: who is behind each row, and where skills go on from the row before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from podium.arrays import Bools, EventColumns, Floats, Ints, Longs
from podium.evaluation.smoothing.kernels import (
    NO_WALK,
    Players,
    WalkBeliefs,
    Walks,
    follow_logistic_walks,
    follow_normal_walks,
    follow_walks,
    leave_out,
    settle_starts,
    smooth_walks,
    walk_order,
)
from podium.history import Adjustment, Anchor, History, Merge, Release, Rename, Reset, SetRating
from podium.history.columns import event_columns
from podium.history.ragged import Pace, Progress
from podium.systems.contract.ratings import Trace
from podium.systems.contract.skill_walks import LogisticWalk, NormalWalk, SkillWalk


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


class WalkSmoother:
    """The walks of a history and the beliefs about their nodes."""

    def __init__(
        self, skill: SkillWalk, history: History, trace: Trace, progress: Progress | None = None
    ) -> None:
        self.skill = skill
        self.progress = progress
        self.history = history
        self.trace = trace
        self.followed = followed = follow(history, trace)
        self.offsets, self.order = walk_order(followed.walk, followed.walks)
        self.node = np.empty(history.rows, np.int64)
        self.node[self.order] = np.arange(history.rows)
        self.beta2, self.own = skill.spreads(event_columns(history), followed.experience)
        self.beliefs = WalkBeliefs(*(np.empty(history.rows) for _ in WalkBeliefs._fields))
        self.walks = self._prepared()

    def _prepared(self) -> Walks:
        """The start of each walk and the drift between nodes; forward beliefs as from rating."""
        order, first, trace, beliefs = self.order, self.offsets[:-1], self.trace, self.beliefs
        rated = trace.rated[order]
        start, before = trace.mu_before[order], trace.sigma_before[order] ** 2
        beliefs.mean[:], beliefs.variance[:] = trace.mu[order], trace.sigma[order] ** 2
        new = self.followed.new[order]
        settle_starts(self.offsets, rated, new, start, before, beliefs.mean, beliefs.variance)
        room = np.maximum(self.skill.highest_variance - before, 0.0)
        own = np.where(rated, np.minimum(self.own[order], room), 0.0)
        beliefs.predicted[:] = before + own
        added = before - np.concatenate(([0.0], beliefs.variance[:-1]))
        added[first] = before[first]
        return Walks(self.offsets, start, np.maximum(added, 0.0) + own)

    def smooth(self, rounds: int, tolerance: float) -> tuple[int, float]:
        """Compute the beliefs; returns the number of rounds and the largest change of the last one."""
        told, pulled = np.zeros(self.history.rows), np.zeros(self.history.rows)
        estimate = self._first(told, pulled)
        mean, variance = np.empty(self.history.rows), np.empty(self.history.rows)
        done, change = 1, 0.0
        events = event_columns(self.history, None if self.trace.rated.all() else ~self.trace.rated)
        while done < rounds and estimate is not None:
            leave_out(told, pulled, self.beliefs, mean, variance)
            before = self.beliefs.smoothed.copy()
            seen = variance[self.node] + np.where(self.trace.rated, 0.0, self.own)
            estimate(events, mean[self.node], seen)
            done, change = done + 1, float(np.abs(self.beliefs.smoothed - before).max(initial=0.0))
            if change <= tolerance:
                break
        return done, change

    def _in_pieces(self, kernel: Callable[..., None], *columns: Any) -> None:
        """Call a kernel with some of the walks at a time, and all columns."""
        for piece in Pace().pieces(self.offsets, 0, len(self.offsets) - 1):
            kernel(self.walks.part(piece.start, piece.stop), *columns)
            if self.progress is not None:
                self.progress(int(self.offsets[piece.stop] - self.offsets[piece.start]))

    def _first(self, told: Floats, pulled: Floats) -> Callable[[EventColumns, Floats, Floats], None] | None:
        """Smooth with the performances of the trace; how to do so with others, where there are any."""
        if isinstance(self.skill, LogisticWalk):
            return self._first_logistic(self.skill, told, pulled)
        self._in_pieces(smooth_walks, self.beliefs)
        return self._first_normal(self.skill, told, pulled) if isinstance(self.skill, NormalWalk) else None

    def _first_normal(
        self, skill: NormalWalk, told: Floats, pulled: Floats
    ) -> Callable[[EventColumns, Floats, Floats], None]:
        order, beliefs = self.order, self.beliefs
        np.subtract(1.0 / beliefs.variance, 1.0 / beliefs.predicted, out=told)
        np.subtract(beliefs.mean / beliefs.variance, self.walks.start / beliefs.predicted, out=pulled)

        def again(events: EventColumns, mean: Floats, variance: Floats) -> None:
            h, y = skill.perform(events, mean, variance, self.beta2)
            told[:], pulled[:] = h[order], y[order]
            self._in_pieces(follow_normal_walks, told, pulled, beliefs)

        return again

    def _first_logistic(
        self, skill: LogisticWalk, told: Floats, pulled: Floats
    ) -> Callable[[EventColumns, Floats, Floats], None]:
        order, beliefs = self.order, self.beliefs
        rated, beta2 = self.trace.rated[order], self.beta2[order]
        weight, tau = np.where(rated, 1.0 / beta2, 0.0), skill.tau * np.sqrt(beta2)

        def follow(performance: Floats) -> None:
            shown = np.where(rated, performance[order], 0.0)
            self._in_pieces(follow_logistic_walks, shown, weight, tau, skill.pull, told, pulled, beliefs)

        def again(events: EventColumns, mean: Floats, variance: Floats) -> None:
            follow(skill.perform(events, mean, variance, self.beta2))

        follow(self.trace.performance)
        return again
