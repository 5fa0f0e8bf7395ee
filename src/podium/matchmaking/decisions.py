"""What a mode does at a tick: those who wait and a policy go in, matches come out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.policy import Policy


class Decision(NamedTuple):
    """Matches, by the rows of their tickets among those who wait."""

    offsets: Longs
    """Match i has the tickets offsets[i] to offsets[i + 1]."""
    tickets: Longs
    """Side by side."""
    side: Longs
    """Of each of these tickets: the number of its side in its match, from 0."""
    chance: Floats
    """The expected score of each side, match after match; of free-for-alls the chance to win."""
    cost: Floats
    region: Longs
    """The number of the region a match is in; −1 where there are none."""
    alone: Longs
    """Rows for which everybody left is forbidden, and will be: only newcomers can change that."""
    turn: Longs | None = None
    """Of each row, when it was last searched for among everybody; None where a mode has no such turns."""


class Decider(ABC):
    """How those who play together are chosen, for a kind of mode."""

    @abstractmethod
    def decide(
        self, waiting: Waiting, policy: Policy, chance: np.random.Generator, effort: Effort | None
    ) -> Decision:
        """Who plays whom; `chance` breaks ties. Changes nothing.

        `effort` is how hard the best ones are looked for; None leaves it to the mode.
        """
