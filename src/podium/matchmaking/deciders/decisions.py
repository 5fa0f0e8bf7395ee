"""What a mode does at a tick: those who wait and a policy go in, matches come out.

How long a tick may take, and how many tickets it can look at in that time.

A tick cannot stop at any moment: much of it is done for all tickets at once. So before it begins it takes as
many as fit, by what a ticket took at the last tick of the pool, and between its steps it looks at the clock.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from numbers import Real
from time import perf_counter
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import ParameterError
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool.growing_tables import NO_ROWS
from podium.text import shorten

FIRST_SECONDS = 10e-6
"""What a ticket is taken to need at the first tick with a budget; most pools need less."""
ALWAYS_TICKETS = 300
"""Tickets that are looked at in any case."""
MOST_SPEED_UP = 4.0
"""How many times as fast as the last tick the next is taken to be: the last may have had nothing to do."""
COUNTED_TICKETS = 1_000
"""Fewer tickets than these take as long as these, because of what a tick needs for itself."""
PART_PLANNED = 0.8
"""The part of a budget that is planned for; the rest is for ticks that take longer than the last one."""


class TimeBudget:
    """The seconds a tick may take from now on; None for as many as it needs."""

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0.0 < seconds < math.inf
        ):
            raise ParameterError(
                f"a budget of {shorten(repr(seconds))} seconds", hint="seconds above 0, such as 0.05"
            )
        self.seconds = seconds
        self._start = 0.0 if seconds is None else perf_counter()

    @property
    def spent(self) -> float:
        """Seconds since it began; 0 without a budget."""
        return 0.0 if self.seconds is None else perf_counter() - self._start

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.seconds is not None and self.spent >= self.seconds

    def is_over_for(self, tickets: int) -> bool:
        """Whether so many tickets are left for the next tick; a few are served in any case."""
        return tickets > ALWAYS_TICKETS and self.is_over


class Pace:
    """How long the ticks of a pool take for each ticket."""

    def __init__(self) -> None:
        self.seconds = FIRST_SECONDS

    def note(self, spent: float, tickets: int) -> None:
        """A tick took so many seconds for so many tickets."""
        if spent > 0.0:
            self.seconds = max(spent / max(tickets, COUNTED_TICKETS), self.seconds / MOST_SPEED_UP)

    def tickets_in(self, budget: TimeBudget) -> int:
        """How many tickets a tick can look at."""
        assert budget.seconds is not None
        return max(ALWAYS_TICKETS, int(PART_PLANNED * budget.seconds / self.seconds))


def take_turns(waited: Floats, last_look: Longs, count: int, chance: np.random.Generator) -> Longs:
    """The rows of `count` tickets: of four, one is of the oldest, two are of those who were not looked at for
    longest, and one is by chance. In order of rows.

    So whoever is passed over now is looked at within ⌈n / (count / 2)⌉ ticks, where n tickets wait, also if
    the oldest ones are stuck. Without chance the same ones would be looked at together again and again, and
    two who could play each other might never be.

    >>> rows = take_turns(np.arange(9.0, 1.0, -1.0), np.arange(8, 0, -1), 4, np.random.default_rng(1))
    >>> rows.tolist()
    [0, 1, 6, 7]
    """
    oldest = np.argsort(-waited, kind="stable")
    first, others = oldest[: count // 4], oldest[count // 4 :]
    by_look = others[np.argsort(last_look[others], kind="stable")]
    turn, others = by_look[: count // 2], by_look[count // 2 :]
    some = chance.permutation(others)[: count - len(first) - len(turn)]
    return np.sort(np.concatenate([first, turn, some]))


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
