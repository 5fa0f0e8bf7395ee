"""Ways to cheat a rating system: each a small value that says what is done when, and what it is for.

A strategy is about one player's own rated events, counted from 0, in phases. Whoever *throws* sees the
displayed rating before each event and plays as they can, falls on purpose, stays away or leaves. Whoever
*trades accounts* comes under another name, or brings accounts that lose. Nobody can play better than they do.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from podium.arrays import Bools, Longs
from podium.errors import ParameterError
from podium.history import History
from podium.parameters import Declared, parameter
from podium.studies.attacks.altered_histories import LAST_PLACE, Own
from podium.systems.contract.system import RatingSystem

Goal = Literal["higher", "lower"]
ABSENT, LEFT = -math.inf, -1e300
"""What is said instead of how deep to fall, where the player does not come, or comes and leaves: no numbers
that anybody gives."""
MOST_EVENTS = 100_000
"""More own events than anybody plays."""


class Phase(NamedTuple):
    """Some events one after another, and what goes on in them."""

    name: str
    events: int


class Altered(NamedTuple):
    """A history in which accounts were traded."""

    history: History
    events: Longs
    """For each own event of the honest history, the event after which to look."""
    accounts: Longs
    """For each of these events a row of accounts, the best of which is looked at; −1 is none yet."""
    lost: Bools | None = None
    """Rows of those who lost on purpose to somebody else, where there are any."""

    def without_lost(self) -> Altered:
        """The same without these rows, and without events of which one side is left."""
        if self.lost is None:
            return self
        keep, event = ~self.lost, self.history.event_of_row
        side = np.arange(self.history.rows) if self.history.side is None else self.history.side
        left = np.unique(np.column_stack((event[keep], side[keep])), axis=0)[:, 0]
        stays = np.bincount(left, minlength=len(self.history)) >= 2
        events = np.cumsum(stays)[self.events] - 1
        return Altered(self.history.with_rows(keep), events, self.accounts)


def event_count(default: int, meaning: str) -> Any:
    """Declare a parameter that is a number of the attacker's own events."""
    return parameter(
        default, meaning, high=MOST_EVENTS, hint=f"a whole number of events, from 0 to {MOST_EVENTS:,}"
    )


def rating_points(default: float | None, meaning: str) -> Any:
    """Declare a parameter that is a rating or a distance of ratings, on the scale of the system at hand."""
    return parameter(default, meaning, low=-1e9, hint="a finite number")


def fall(meaning: str = "how deep to fall: 1 is the last place, 0.5 the middle of the field") -> Any:
    """Declare how deep an attacker falls."""
    return parameter(LAST_PLACE, meaning, high=LAST_PLACE, hint="from 0, not at all, to 1, the last place")


@dataclass(frozen=True)
class Labelled(Declared):
    """Something with a name, a summary and parameters, and how to call it beside others of its name."""

    name: ClassVar[str]
    summary: ClassVar[str]

    @property
    def label(self) -> str:
        """Its name, and the parameters that are not the usual ones."""
        declared = self.declared()
        return self._with([n for n, value in self.parameters().items() if value != declared[n].default])

    @property
    def written(self) -> str:
        """Its name and all its parameters that are there."""
        return self._with([name for name, value in self.parameters().items() if value is not None])

    def _with(self, parameters: Sequence[str]) -> str:
        values = ", ".join(f"{name}={_text(getattr(self, name))}" for name in parameters)
        return f"{self.name} ({values})" if values else self.name


@dataclass(frozen=True)
class Strategy(Labelled, ABC):
    """A way to cheat: its phases, what it wants, and its parameters."""

    goal: ClassVar[Goal] = "higher"
    """What is wanted of the displayed rating: to be higher than an honest one, or lower."""
    means: ClassVar[str]
    """What is done, in a word or two: by it, verdicts are put together."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.events <= MOST_EVENTS:
            raise ParameterError(
                f"{self.name}: it is of {self.events:,} events", hint=f"from 1 to {MOST_EVENTS:,}"
            )

    @property
    @abstractmethod
    def phases(self) -> tuple[Phase, ...]:
        """Its phases in order, each with its number of own events."""

    @property
    def events(self) -> int:
        """How many own events it needs."""
        return sum(phase.events for phase in self.phases)

    @property
    def accounts(self) -> int:
        """How many accounts are made for it."""
        return 0

    @property
    def measured(self) -> int:
        """The own event, from 0, after which the outcome is read: the last one, unless a strategy says."""
        return self.events - 1


class Throwing(Strategy):
    """A strategy of falling on purpose, or not, before each event."""

    means: ClassVar[str] = "losing on purpose"

    @abstractmethod
    def depth(self, number: int, rating: float, base: float) -> float:
        """How deep to fall in own event `number`: 0 is not at all, 1 to the last place.

        `rating` is the displayed one before the event, `base` what it was at the end of the first phase.
        """

    def bound(self, base: float) -> float | None:
        """The rating above which it falls; None where it does not look."""
        return None

    def early(self, event: History, number: int) -> History | None:
        """Own event `number` as it stands when the player may leave it; None where the player stays.

        The player leaves if the rating would fall by these standings.
        """
        return None


class Trading(Strategy):
    """A strategy of accounts: made anew, or brought along."""

    means: ClassVar[str] = "trading accounts"

    @abstractmethod
    def rewrite(self, history: History, own: Own, system: RatingSystem) -> Altered:
        """The history as it would be; `own` has as many events as the strategy needs.

        Whoever looks at ratings before deciding looks at those of `system`.
        """


def _text(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
