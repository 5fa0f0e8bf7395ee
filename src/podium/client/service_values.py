"""What a service tells that a ladder in memory does not have: its ladders, its log, uploads, meetings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict

from podium.documents.plain_data import ParameterValue
from podium.history import Event
from podium.history.events import EventKeywords
from podium.history.times import Time
from podium.systems.contract.ratings import Changes, Outcomes
from podium.text import brief_repr, counted

if TYPE_CHECKING:
    from collections.abc import Iterable


class LadderSettings(TypedDict, total=False):
    """What a ladder on a service has beside its system, as keyword arguments.

    `min_events`, `active_since` and `max_sigma` are the filters that its leaderboard has unless others are
    asked for. Only those see a `private` ladder who have a scope on it. An event without a time happened when
    the service received it; not with ``fill_times=False``.
    """

    title: str
    description: str
    min_events: int
    active_since: Time | None
    max_sigma: float | None
    private: bool
    fill_times: bool


class ChangedSettings(TypedDict, total=False):
    """What of a ladder can be changed later, as keyword arguments."""

    title: str
    description: str
    min_events: int
    active_since: Time | None
    max_sigma: float | None
    private: bool


class AmendingKeywords(EventKeywords, total=False):
    """The keyword arguments of `Client.correct`: the words of an event, and those of its report."""

    disqualified: Iterable[str]
    rated: bool
    allow_repeat: bool


class TournamentStepKeywords(TypedDict, total=False):
    """The keyword arguments of `Client.tournament_step`, of which it takes one."""

    join: Sequence[str | Mapping[str, Any]]
    leave: Sequence[str]
    here: Sequence[str]
    forbid: Sequence[str]
    allow: Sequence[str]
    clubs: Mapping[str, str | None]
    pair: Mapping[str, Any]
    results: Sequence[Mapping[str, Any]]
    close: bool
    undo: bool


class PreviewKeywords(EventKeywords, total=False):
    """The keyword arguments of `Client.preview`: those of `Ladder.preview`, and who was disqualified."""

    disqualified: Iterable[str]


@dataclass(frozen=True, slots=True, repr=False)
class ServiceLadder:
    """A ladder as its service describes it."""

    __repr__ = brief_repr

    slug: str
    title: str
    description: str
    system: str
    parameters: Mapping[str, ParameterValue]
    min_events: int
    active_since: str | None
    max_sigma: float | None
    fill_times: bool
    players: int
    events: int
    head: int
    """The number of the latest entry of its log."""
    generation: int
    pending: int
    """Amendments in its log that are not in its ratings yet."""
    last_time: datetime | None
    created: datetime
    archived: bool
    private: bool = False
    """Whether only those see it who have a scope on it."""
    system_note: str | None = None
    """Why podium chose the system; None if a caller named it."""


@dataclass(frozen=True, slots=True, repr=False)
class LoggedEvent:
    """An entry of a ladder's log: an event or an adjustment, and what it changed."""

    __repr__ = brief_repr

    number: int
    key: str | None
    received: datetime
    rated: bool
    rated_time: datetime | None
    """The time at which it counts: its own, or that of the entry before if this is later."""
    event: Event | None
    """The event; None if the entry is an adjustment."""
    adjustment: Mapping[str, str | float] | None
    """The adjustment: its kind under "adjustment", then its values. A rename says who was renamed, by
    the name that the player has now."""
    disqualified: frozenset[str]
    changes: Changes
    entry: str = "event"
    """What it is: "event", "adjustment", "void", "correction", "disqualification" or "clock"."""
    target: int | None = None
    """The entry that it amends."""
    place: int | None = None
    """The entry behind which it is rated, if it was reported late."""
    status: str = "in force"
    """Whether it counts: "in force", "void", or "pending" for an amendment that is not in the ratings yet."""
    amended_by: tuple[int, ...] = ()
    """The entries that amend it."""
    rated_event: Event | None = None
    """The event as it is rated, with its corrections."""
    bookmark: str = ""
    """Where to go on reading after it: give it as `since`."""
    reason: str | None = None
    """Why it amends another entry, if that was given."""
    link: str | None = None
    """Where that was decided."""


@dataclass(frozen=True, slots=True)
class Amended:
    """What came of an amendment of the log."""

    number: int
    """Its own number in the log, by which it can be voided."""
    provisional: bool
    """Whether ratings are still to be computed anew; they take over some seconds later."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One event in which two players took part: their ranks, and their displayed ratings after it."""

    number: int
    event: str | None
    time: datetime | None
    rank_a: int
    rank_b: int
    display_a: float
    display_b: float


@dataclass(frozen=True, slots=True, repr=False)
class HeadToHead:
    """How two players did against each other, as seen by the first, and what is to be expected next time."""

    __repr__ = brief_repr

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    meetings: tuple[Meeting, ...]
    """The latest first."""
    expected_score: float
    outcomes: Outcomes


@dataclass(frozen=True, slots=True)
class Refusal:
    """An event of an upload that the service refused, and why."""

    place: int
    """Its place among what was sent, in order of time, from 1; adjustments count too."""
    what: str
    """The event's name, or the adjustment in words."""
    reason: str
    hint: str | None
    problem: str | None = None
    """The name of the problem, such as "unsupported", if the service says it."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What came of a history that was sent to a service."""

    recorded: int = 0
    known: int = 0
    """How many were there already, known by their keys."""
    refused: tuple[Refusal, ...] = field(default=())

    def __str__(self) -> str:
        """A line for people.

        >>> print(Upload(recorded=2, known=1))
        2 events recorded, 1 known already
        """
        told = f"{counted(self.recorded, 'event')} recorded"
        told += f", {self.known:,} known already" if self.known else ""
        return told + (f", {len(self.refused):,} refused" if self.refused else "")
