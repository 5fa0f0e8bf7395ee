"""A rated history as walks, conditioned on all that was seen of them, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from podium.arrays import EventColumns, Floats
from podium.evaluation.smoothing.kernels import (
    WalkBeliefs,
    Walks,
    follow_logistic_walks,
    follow_normal_walks,
    leave_out,
    settle_starts,
    smooth_walks,
    walk_order,
)
from podium.evaluation.smoothing.walks import follow
from podium.history import History
from podium.history.columns import event_columns
from podium.history.pacing import Pace, Progress
from podium.systems.contract.ratings import Trace
from podium.systems.contract.skill_walks import LogisticWalk, NormalWalk, SkillWalk


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
        own = np.where(rated, self.own[order], 0.0)
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
