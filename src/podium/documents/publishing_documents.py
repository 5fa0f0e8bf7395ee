"""A contest as it is published, and what a correction changes, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import plain_time, records
from podium.documents.rating_documents import ChangeDocument
from podium.documents.system_documents import SystemDocument, system_document
from podium.history.times import to_datetime
from podium.systems.contract.explained_ratings import MatchResult

if TYPE_CHECKING:
    from podium.ladder.contest_changes import ContestChanges, SortedBy
    from podium.ladder.rating_comparisons import WhatIf


class ContestChangeDocument(ChangeDocument):
    """What a contest did to one player."""

    event: str
    team: str | None
    opponent: str | None
    result: MatchResult | None
    new: bool
    rated: bool
    expected_rank: float
    place: int
    """The place among the event's sides, which is not `rank` if that is of a larger field."""


class ContestDocument(SystemDocument):
    """A contest, or the matches of one time, and what it did to ratings."""

    title: str
    time: str | None
    preview: bool
    players: int
    changes: list[ContestChangeDocument]


class MoveDocument(TypedDict):
    """One player's place and rating before and after a correction."""

    player: str
    place_before: int | None
    place: int | None
    display_before: float | None
    display: float | None
    gain: float | None
    mu: float | None
    sigma: float | None
    events_before: int | None
    events: int | None


class WhatIfDocument(SystemDocument):
    """What a correction changes."""

    corrections: list[str]
    players: int
    events_before: int
    events: int
    moved: int
    moves: list[MoveDocument]


def contest_document(
    changes: ContestChanges, by: SortedBy = "place", top: int | None = None, *, digits: int | None = None
) -> ContestDocument:
    """A contest as `podium.changes` tells; only the first `top` players if that is given.

    With `digits`, ratings have this number of decimals.
    """
    from podium.ladder.rating_tables import rounded

    return {
        **system_document(changes.system),
        "title": changes.title,
        "time": plain_time(to_datetime(int(changes.contest.time[0]))),
        "preview": changes.preview,
        "players": changes.frame["player"].n_unique(),
        "changes": records(rounded(changes.sorted(by, top), digits), ContestChangeDocument),
    }


def what_if_document(
    comparison: WhatIf, top: int | None = None, *, digits: int | None = None
) -> WhatIfDocument:
    """A correction as `podium.what_if` tells; only the first `top` of those who move if that is given.

    With `digits`, ratings have this number of decimals.
    """
    from podium.ladder.rating_tables import rounded

    moved = comparison.moved
    first = moved if top is None else moved.head(max(top, 0))
    return {
        **system_document(comparison.after.ladder.system),
        "corrections": list(comparison.corrections),
        "players": comparison.frame.height,
        "events_before": comparison.before.ladder.n_events,
        "events": comparison.after.ladder.n_events,
        "moved": moved.height,
        "moves": records(rounded(first, digits), MoveDocument),
    }
