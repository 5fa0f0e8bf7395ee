"""What a mode does at a tick: those who wait and a policy go in, matches come out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.matchmaking.deciders.time_budgets import TimeBudget
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool.growing_tables import NO_ROWS


class Decision(NamedTuple):
    """Matches, by the rows of their tickets among the waiting ones."""

    offsets: Longs
    """Match i has the tickets offsets[i] to offsets[i + 1]."""
    tickets: Longs
    """The tickets of each match, side by side."""
    side: Longs
    """For each of these tickets, the number of its side in its match, from 0."""
    chance: Floats
    """The expected score of each side, match after match; in a free-for-all the win probability."""
    cost: Floats
    region: Longs
    """The number of each match's region; −1 if there are no regions."""
    alone: Longs
    """Rows that found nobody to play with, and need not be tried again until somebody comes they may meet."""
    turn: Longs | None = None
    """For each row, when it was last searched for among all tickets; None if the mode has no turns."""
    left: Longs = NO_ROWS
    """Rows that the time was not enough for."""


class Decider(ABC):
    """Chooses which tickets play together, for one kind of mode."""

    @abstractmethod
    def decide(
        self,
        waiting: Waiting,
        policy: Policy,
        chance: np.random.Generator,
        effort: Effort | None,
        budget: TimeBudget,
    ) -> Decision:
        """Choose the matches; `chance` breaks ties. Changes nothing.

        `effort` is how hard the best ones are looked for; None leaves it to the mode. When the `budget` is
        over, tickets are left that have not been looked at, the youngest ones.
        """
