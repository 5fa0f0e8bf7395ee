"""What a service answers, as plain data: ladders, outcomes of reports, the log, boards, problems.

The keys of an answer are always there. What a service is sent is in `request_documents`.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from podium.documents.backtest_documents import ComparisonDocument
from podium.documents.event_documents import EventDocument
from podium.documents.plain_data import ParameterValue
from podium.documents.prediction_documents import OutcomesDocument
from podium.documents.rating_documents import ChangeDocument, PlacedRatingDocument, RatingDocument
from podium.documents.system_documents import SystemDocument


class ServiceDocument(TypedDict):
    """What answers here."""

    version: str
    database: Literal["sqlite", "postgresql"]
    ladders: int


class ServiceLadderDocument(SystemDocument):
    """A ladder of a service."""

    system_note: str | None
    slug: str
    title: str
    description: str
    min_events: int
    active_since: str | None
    max_sigma: float | None
    fill_times: bool
    players: int
    events: int
    head: int
    generation: int
    pending: int
    last_time: str | None
    created: str
    archived: bool
    private: bool


class ServiceLaddersDocument(TypedDict):
    """The ladders of a service."""

    ladders: list[ServiceLadderDocument]
    next: str | None


ReportStatus = Literal["recorded", "known", "refused", "preview"]
"""What became of a report: recorded now; known already by its key; refused; or not recorded, as only a
preview was asked for."""


class OutcomeDocument(TypedDict):
    """What became of one report."""

    status: ReportStatus
    number: int | None
    key: str | None
    rated: bool
    rated_time: str | None
    provisional: bool
    changes: list[ChangeDocument]
    problem: str | None
    reason: str | None
    hint: str | None


class OutcomesOfReportsDocument(TypedDict):
    """What became of reports that came together."""

    generation: int
    recorded: int
    known: int
    refused: int
    outcomes: list[OutcomeDocument]


EntryKind = Literal["event", "adjustment", "void", "correction", "disqualification", "clock"]
"""What an entry of the log is; the last three amend an earlier one."""


EntryStatus = Literal["in force", "void", "pending"]
"""Whether an entry of the log counts, not any more, or not yet."""


class LogEntryDocument(TypedDict):
    """One entry of a ladder's log."""

    number: int
    entry: EntryKind
    key: str | None
    received: str
    rated: bool
    reported_time: str | None
    rated_time: str | None
    event: EventDocument | None
    disqualified: list[str]
    adjustment: dict[str, str | float] | None
    place: int | None
    target: int | None
    reason: str | None
    link: str | None
    bookmark: str
    """The number with a mark of the entry: where to go on reading, as `since` takes it."""


class LoggedEventDocument(LogEntryDocument):
    """An entry of the log with what it changed, and what became of it later."""

    status: EntryStatus
    amended_by: list[int]
    rated_event: EventDocument | None
    rated_disqualified: list[str]
    generation: int
    changes: list[ChangeDocument]


class LogDocument(TypedDict):
    """Entries of a ladder's log."""

    generation: int
    head: int
    entries: list[LogEntryDocument]
    next: str | None


class PlayerRatingDocument(RatingDocument):
    """A player's rating and place."""

    at: str | None
    place: int | None
    ranked: int
    generation: int
    head: int


class BoardDocument(SystemDocument):
    """A page of a leaderboard."""

    at: str | None
    generation: int
    head: int
    players: int
    ranked: int
    ratings: list[PlacedRatingDocument]
    next: str | None
    previous: str | None


class PlayedEventDocument(ChangeDocument):
    """What one event or adjustment of the log did to a player."""

    number: int
    event: str | None
    adjustment: str | None
    """What was adjusted, in words; None for an event."""
    account: str | None
    """The account that it is of, if that was merged into the player's later."""
    rated: bool
    """Whether it could change the rating; a guest's numbers are those at its time, as `rating?at=` has."""
    time: str | None


class PlayedEventsDocument(TypedDict):
    """A player's events and adjustments."""

    player: str
    generation: int
    head: int
    events: list[PlayedEventDocument]
    next: str | None


class MeetingDocument(TypedDict):
    """One event in which both players took part."""

    number: int
    event: str | None
    time: str | None
    rank_a: int
    rank_b: int
    display_a: float
    display_b: float


class HeadToHeadDocument(TypedDict):
    """How two players did against each other, and what is to be expected of the next time."""

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    meetings: list[MeetingDocument]
    expected_score: float
    outcomes: OutcomesDocument
    generation: int
    head: int
    next: str | None


class ReportDifferenceDocument(TypedDict):
    """What a key's first report and another one with the same key say differently."""

    field: str
    recorded: str
    reported: str


class ProblemDocument(TypedDict):
    """Why something was refused, as RFC 9457 has it: `detail` is the reason, `hint` what to do about it."""

    type: str
    title: str
    status: int
    detail: str
    hint: str | None
    differences: NotRequired[list[ReportDifferenceDocument]]
    number: NotRequired[int]
    outcomes: NotRequired[list[OutcomeDocument]]
    request_id: NotRequired[str]


class FindingDocument(TypedDict):
    """A row that differs from what its ladder's log says."""

    kind: Literal["damage", "drift"]
    number: int | None
    player: str | None
    what: str
    stored: str
    rebuilt: str


class VerificationDocument(TypedDict):
    """Whether what is stored of a ladder is what its log says."""

    slug: str
    generation: int
    head: int
    rows: int
    checkpoints: int
    clean: bool
    damaged: int
    drifted: int
    largest_drift: float
    findings: list[FindingDocument]
    warnings: list[str]


class VerificationsDocument(TypedDict):
    """The same of every ladder of a database."""

    verifications: list[VerificationDocument]


class MovedPlayerDocument(TypedDict):
    """A player whose rating would be another one."""

    player: str
    display_before: float | None
    display: float | None
    gain: float | None
    place_before: int | None
    place: int | None


class MovesDocument(TypedDict):
    """Who would move on a ladder."""

    slug: str
    generation: int
    head: int
    rated_again: int
    moved: int
    visible: int
    largest: float
    players: list[MovedPlayerDocument]


class ChangedEventDocument(TypedDict):
    """A published event that would show other ranks or ratings."""

    number: int
    name: str
    time: str | None
    players: int


class ConsequencesDocument(MovesDocument):
    """Who would move if a ladder's log were amended, and which published events would change."""

    events: int
    changed_events: list[ChangedEventDocument]


class SystemChoiceDocument(TypedDict):
    """Another system for a ladder, or other parameters."""

    system: str
    parameters: NotRequired[dict[str, ParameterValue]]


class SystemComparisonDocument(MovesDocument):
    """A ladder's system and another one on the ladder's own log."""

    old: SystemDocument
    new: SystemDocument
    comparisons: list[ComparisonDocument]


class RebuildDocument(TypedDict):
    """What building a ladder's ratings anew from its log has changed."""

    slug: str
    generation: int
    head: int
    rows: int
    changed: int
    clock_repair: int | None


class ExpectedRanksDocument(TypedDict):
    """The mean place of every side of a free-for-all."""

    sides: list[list[str]]
    expected_ranks: list[float]


class TopChancesDocument(TypedDict):
    """The chance of every side of a free-for-all to be among the first `k`."""

    sides: list[list[str]]
    k: int
    chances: list[float]


class RankToReachDocument(TypedDict):
    """The worst rank that is enough for a rating; null if none is."""

    player: str
    rating: float
    rank: int | None


class NeededRanksDocument(TypedDict):
    """The worst ranks that are enough for a player of running standings."""

    player: str
    ranks: list[int | None]


class RanksToReachDocument(TypedDict):
    """The worst ranks that are enough for ratings, for every player of running standings."""

    ratings: list[float]
    players: list[NeededRanksDocument]
