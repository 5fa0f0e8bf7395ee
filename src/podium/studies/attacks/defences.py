"""What organisers can do against attacks: rules about who counts, and what a leaderboard displays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from podium.arrays import Bools, Longs
from podium.errors import ParameterError, UnsupportedError
from podium.named import Registry
from podium.parameters import parameter
from podium.studies.attacks.altered_histories import LAST_PLACE
from podium.studies.attacks.strategy import ABSENT, Labelled, event_count
from podium.systems.contract.system import RatingSystem


@dataclass(frozen=True)
class Defence(Labelled):
    """A rule of the organisers; this one is no rule."""

    name: ClassVar[str] = "none"
    summary: ClassVar[str] = "no rule"
    leaving: ClassVar[float] = ABSENT
    """How deep somebody falls who starts an event and leaves it."""
    disqualifies: ClassVar[bool] = False
    """Whether those who lose on purpose to somebody else are taken out of the event."""

    def applied(self, system: RatingSystem) -> RatingSystem:
        """The system under this rule; refused where the rule means nothing to it."""
        return system

    def shows(self, events: Longs, idle: Longs) -> Bools:
        """Whether a leaderboard shows accounts with so many rated events, the last so many events ago."""
        return np.ones(len(events), np.bool_)


NO_DEFENCE = Defence()


@dataclass(frozen=True)
class CountStarts(Defence):
    """Whoever starts an event counts in it: who leaves comes in last, as `unfinished="last"` reads it."""

    name: ClassVar[str] = "count-starts"
    summary: ClassVar[str] = "a player who starts an event and leaves it is ranked last"
    leaving: ClassVar[float] = LAST_PLACE


@dataclass(frozen=True)
class Disqualify(Defence):
    """Whoever loses on purpose to somebody else is found out each time, and dropped, as DSQ is read."""

    name: ClassVar[str] = "disqualify"
    summary: ClassVar[str] = "a player who loses on purpose is detected and removed from the event"
    disqualifies: ClassVar[bool] = True


@dataclass(frozen=True)
class SigmaPenalty(Defence):
    """Uncertain players are displayed lower, by the system's own `display_k`."""

    name: ClassVar[str] = "sigma-penalty"
    summary: ClassVar[str] = "the displayed rating is mu minus k times the part of sigma above its limit"

    k: float = parameter(2.0, "how many deviations are taken off", high=100.0, hint="from 0 to 100")

    def applied(self, system: RatingSystem) -> RatingSystem:
        """The system with this `display_k`."""
        if "display_k" not in system.declared():
            raise UnsupportedError(f"{system.name} has no sigma to display less of", evidence="sigma")
        return system.changed(display_k=self.k)


@dataclass(frozen=True)
class MinEvents(Defence):
    """Accounts are displayed only after some rated events, as `leaderboard(min_events=)` has it."""

    name: ClassVar[str] = "min-events"
    summary: ClassVar[str] = "an account is displayed only after so many rated events"

    events: int = event_count(30, "rated events of an account before it is displayed")

    def shows(self, events: Longs, idle: Longs) -> Bools:
        """Whether there are enough events."""
        return events >= self.events


@dataclass(frozen=True)
class RecentPlay(Defence):
    """Accounts are displayed only while they play, as `leaderboard(active_since=)` has it."""

    name: ClassVar[str] = "recent-play"
    summary: ClassVar[str] = "an account is displayed only if it was rated in one of the last so many events"

    events: int = event_count(5, "of the player's events, in one of which the account was rated")

    def shows(self, events: Longs, idle: Longs) -> Bools:
        """Whether the last event is recent enough."""
        return idle < self.events


_OWN = (CountStarts, Disqualify, SigmaPenalty, MinEvents, RecentPlay)
DEFENCES: Registry[type[Defence]] = Registry("defence", {cls.name: cls for cls in _OWN})


def make_defence(name: str, **parameters: Any) -> Defence:
    """A defence by its name, as on the command line.

    >>> make_defence("min-events", events=20).label
    'min-events (events=20)'
    """
    return DEFENCES.find(name).from_parameters(**parameters)


def defences_of(given: Iterable[str | Defence]) -> list[Defence]:
    """Defences by name or as they are."""
    made = [make_defence(one) if isinstance(one, str) else one for one in given]
    if len({one.label for one in made}) < len(made):
        raise ParameterError("a defence is given twice", hint="those with other parameters have other labels")
    return made
