"""How skills walk from event to event: what a system says when `podium.smooth` asks it.

Between events a skill drifts by normal steps of known size, and each event shows something of it. A system
that says how large the steps are (`SkillWalk`) is smoothed by what its trace believed. One that also says how
performances come about (`NormalWalk`, `LogisticWalk`) can have them estimated again, from what is known of
everybody later on.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from podium.arrays import EventColumns, Floats, Ints


@dataclass(frozen=True, kw_only=True)
class SkillWalk:
    """Skills as normal random walks, for smoothing; the trace has the beliefs before and after each event."""

    drift_per_day: float = 0.0
    """Variance that each day away adds to a belief; the trace includes it."""
    drift_per_event: float = 0.0
    """Variance that each event adds before it is rated; the trace does not include it."""
    highest_variance: float = math.inf
    """The variance that days away never exceed."""

    def after_days(self, variance: Floats, days: Floats) -> Floats:
        """The variance of beliefs after `days` days away."""
        grown = np.minimum(variance + self.drift_per_day * days, self.highest_variance)
        return np.maximum(variance, grown)

    def spreads(self, events: EventColumns, experience: Ints) -> tuple[Floats, Floats]:
        """For each row β² (0 if no performance is estimated) and the variance its event adds first.

        `experience` is how many rated events the row's player had played before.
        """
        rows = len(experience)
        return np.zeros(rows), np.full(rows, self.drift_per_event)


@dataclass(frozen=True, kw_only=True)
class NormalWalk(SkillWalk, ABC):
    """Skills observed through normal performances, which can be estimated again."""

    @abstractmethod
    def perform(
        self, events: EventColumns, mean: Floats, variance: Floats, beta2: Floats
    ) -> tuple[Floats, Floats]:
        """What each row's event says of the player, given the beliefs from all other events.

        Returns what it adds to the precision of the belief, and to precision times mean; 0 for held rows.
        """


@dataclass(frozen=True, kw_only=True)
class LogisticWalk(SkillWalk, ABC):
    """Skills observed through logistic performances, from the trace or estimated again.

    A performance p pulls at a skill x with pull · τ/β² · tanh((x − p)/τ).
    """

    pull: float
    tau: float
    """τ as a multiple of β."""

    @abstractmethod
    def perform(self, events: EventColumns, mean: Floats, variance: Floats, beta2: Floats) -> Floats:
        """Each row's performance, given the beliefs from all other events."""
