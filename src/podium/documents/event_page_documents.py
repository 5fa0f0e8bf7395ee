"""What the pages of events and the page about a ladder show, as plain data."""

from __future__ import annotations

from typing import Literal, TypedDict

from podium.documents.page_documents import TierDocument
from podium.documents.plain_data import ParameterValue


class StandingDocument(TypedDict):
    """A player in the standings of an event."""

    rank: int
    """As it was reported."""
    place: int
    """The place among the sides of the event, which is not `rank` if that is of a larger field."""
    mean_place: float
    """The place that compares with `expected_rank`: a tie is the mean of the places that it covers."""
    player: str
    team: str | None
    """Name of the player's team, if it has one."""
    side: int
    """Number of the player's side in this event, from 0."""
    score: float | None
    at_home: bool
    before: float
    display: float
    change: float
    performance: float | None
    expected_rank: float
    """The rank that the ratings before the event expected."""
    rated: bool
    """False if out of competition."""
    tier: str | None
    """The tier after the event."""


class UpsetDocument(TypedDict):
    """A result that was not expected."""

    event: int
    name: str
    time: str | None
    winners: list[str]
    losers: list[str]
    """Of an event of many sides: those expected just ahead of the winner; may be empty."""
    chance: float
    """What the winner could expect, as a score between 0 and 1."""
    words: str
    """`ann won against bob with a chance of 12%`, `eve was rank 1 of 9 where 7.3 was expected`."""


class EventPageDocument(TypedDict):
    """One event: the standings as published, what they changed, what was expected. Many sides are paged."""

    event: int
    name: str
    time: str | None
    page: int
    pages: int
    sides: int
    players: int
    teams: bool
    match: bool
    """Whether there are two sides."""
    weight: float
    home: str | None
    has_performance: bool
    has_score: bool
    chances: list[float] | None
    """Of a match: the chances of the first side to win, draw and lose. None of others."""
    standings: list[StandingDocument]
    better_than_expected: int
    """How many of all players of the event had a better mean place than expected, on every page."""
    upsets: list[UpsetDocument]
    """Only on page 1."""
    tiers: list[TierDocument]
    disqualified: list[str]
    """Players whom a service disqualified, and who so are not in the standings; none on a website."""
    amended_by: list[int]
    """Entries of a service's log that amend this one; none on a website."""
    is_late: bool
    """Whether it was reported to a service late, and so is rated before others that were reported earlier."""


class ListedEventDocument(TypedDict):
    """An event in the list of events."""

    event: int
    name: str
    time: str | None
    sides: int
    players: int
    winners: list[str]
    """At most three; equal ranks are all winners."""
    more_winners: int
    largest_gain: float
    """What a rated event changed most, upwards; of `gainer`. 0 for other entries of a service's log, such as
    adjustments, whatever they changed."""
    gainer: str | None
    note: str | None
    """What an entry of a service's log is or became, such as `not rated`, `adjustment`, `void of 12` or
    `amended by 15`; None if there is nothing to say."""


class EventListDocument(TypedDict):
    """One page of all events, newest first."""

    page: int
    pages: int
    events: int
    """Number of events; on a service that of all entries of the log, also adjustments and amendments."""
    rows: list[ListedEventDocument]


class MatchRowDocument(TypedDict):
    """A match with the chance each side had before it."""

    event: int
    name: str
    time: str | None
    first: list[str]
    second: list[str]
    result: Literal["win", "draw", "loss"]
    """As the first side saw it."""
    first_score: float | None
    second_score: float | None
    home: Literal["first", "second"] | None
    win: float
    """Chances of the first side to win, draw and lose, before the match."""
    draw: float
    loss: float
    first_before: float
    """The displayed rating before it: the mean over the players of the side; likewise after it, and what it
    changed."""
    first_display: float
    first_change: float
    second_before: float
    second_display: float
    second_change: float


class MatchesPageDocument(TypedDict):
    """The matches of a history: the latest ones, and the biggest upsets of all time."""

    matches: int | None
    """Number of matches; None if there are more than a service has looked at."""
    seen: int
    """The latest of them, among which these are; on a website all."""
    recent: list[MatchRowDocument]
    """Newest first."""
    upsets: list[UpsetDocument]
    """The least expected first."""


class ParameterRowDocument(TypedDict):
    """A parameter of the system."""

    name: str
    value: ParameterValue
    default: ParameterValue
    meaning: str


class CalibrationBinDocument(TypedDict):
    """Predictions of about the same chance, and how often they came true."""

    predicted: float
    """Mean predicted score."""
    happened: float
    """Mean score."""
    count: int


class PredictionQualityDocument(TypedDict):
    """How well the system predicted this history, each event before it was rated."""

    matches: bool
    """Whether every event has two sides."""
    events: int
    log_loss: float
    """Mean of −s ln p − (1 − s) ln(1 − p), for a side's score s against the others and the expected one p."""
    coin_log_loss: float
    """The same for a coin, which expects ½ of everybody: ln 2."""
    right: float | None
    """The part of pairs with a winner in which the side that was expected to win did; None without such."""
    words: list[str]
    """The same in sentences."""
    bins: list[CalibrationBinDocument]


class AboutPageDocument(TypedDict):
    """The page about a ladder."""

    system: str
    words: list[str]
    """How the system works, in paragraphs that a player understands."""
    parameters: list[ParameterRowDocument]
    players: int
    events: int
    rows: int | None
    """None if the ladder was loaded from a file: the history is not known then. Likewise below."""
    skipped_rows: int | None
    start: str | None
    now: str | None
    computed: str
    """When the site was computed."""
    version: str
    """Version of podium."""
    rule: str
    """Who is ranked."""
    tiers: list[TierDocument]
    quality: PredictionQualityDocument | None


class LadderCardDocument(TypedDict):
    """A ladder in the list of ladders."""

    title: str
    players: int
    events: int
    now: str | None
    system: str
    leaders: list[str]
    """The first three."""


class LadderListDocument(TypedDict):
    """The front page of a site of several ladders."""

    title: str
    ladders: list[LadderCardDocument]
