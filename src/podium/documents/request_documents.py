"""What a service is sent, as plain data: ladders, reports, amendments, questions. Keys may be left out."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from podium.documents.plain_data import ParameterValue


class LadderSettingsDocument(TypedDict):
    """What of a ladder may change later, as it changes no rating."""

    title: NotRequired[str]
    description: NotRequired[str]
    min_events: NotRequired[int]
    active_since: NotRequired[str | None]
    max_sigma: NotRequired[float | None]
    private: NotRequired[bool]


class NewLadderDocument(LadderSettingsDocument):
    """A ladder to be created."""

    slug: str
    system: NotRequired[str]
    parameters: NotRequired[dict[str, ParameterValue]]
    fill_times: NotRequired[bool]


class LadderChangeDocument(LadderSettingsDocument):
    """What is to be changed of a ladder."""

    archived: NotRequired[bool]


class EventKeywordsDocument(TypedDict):
    """One event, in the words of `Ladder.record`."""

    ranks: NotRequired[dict[str, int] | list[int] | None]
    scores: NotRequired[dict[str, float] | list[float] | None]
    teams: NotRequired[list[list[str]] | None]
    share: NotRequired[float | None]
    lower_is_better: NotRequired[bool]
    time: NotRequired[str | float | None]
    weight: NotRequired[float]
    home: NotRequired[str | None]
    unrated: NotRequired[list[str]]
    play: NotRequired[dict[str, float] | None]
    ceiling: NotRequired[float | None]
    name: NotRequired[str | None]


class ReportDocument(EventKeywordsDocument):
    """An event that is reported."""

    key: NotRequired[str | None]
    disqualified: NotRequired[list[str]]
    rated: NotRequired[bool]
    allow_repeat: NotRequired[bool]
    late: NotRequired[bool]


class CorrectionDocument(EventKeywordsDocument):
    """An event as it should have been reported, in place of an earlier one."""

    correct: int | str
    key: NotRequired[str | None]
    disqualified: NotRequired[list[str]]
    rated: NotRequired[bool]
    allow_repeat: NotRequired[bool]
    reason: NotRequired[str | None]
    link: NotRequired[str | None]


class VoidDocument(TypedDict):
    """An entry of the log that is not to count, by its number, its `key:` or its `name:`."""

    void: int | str
    key: NotRequired[str | None]
    reason: NotRequired[str | None]
    link: NotRequired[str | None]


class DisqualificationDocument(TypedDict):
    """Players of an earlier event who are disqualified."""

    disqualify: list[str]
    event: int | str
    key: NotRequired[str | None]
    reason: NotRequired[str | None]
    link: NotRequired[str | None]


class AdjustmentDocument(TypedDict):
    """A rating set or fixed by hand, a new season, a player renamed or merged."""

    adjustment: str
    player: NotRequired[str | None]
    into: NotRequired[str | None]
    mu: NotRequired[float | None]
    display: NotRequired[float | None]
    sigma: NotRequired[float | None]
    volatility: NotRequired[float | None]
    events: NotRequired[int | None]
    keep: NotRequired[float | None]
    toward: NotRequired[float | None]
    time: NotRequired[str | float | None]
    key: NotRequired[str | None]


class ChancesRequestDocument(TypedDict):
    """Two sides that may meet: each a player or the members of a team."""

    a: str | list[str]
    b: str | list[str]
    home: NotRequired[str | None]
    play: NotRequired[dict[str, float] | None]
    at: NotRequired[str | float | None]


class FieldRequestDocument(TypedDict):
    """The sides of a free-for-all."""

    sides: list[str | list[str]]
    at: NotRequired[str | float | None]


class TopChancesRequestDocument(FieldRequestDocument):
    """The sides of a free-for-all, and how many places count."""

    k: int


class RankToReachRequestDocument(EventKeywordsDocument):
    """Running standings, one of their players, and a rating to reach."""

    player: str
    rating: float


class RanksToReachRequestDocument(EventKeywordsDocument):
    """Running standings, and the ratings to reach."""

    ratings: list[float]
