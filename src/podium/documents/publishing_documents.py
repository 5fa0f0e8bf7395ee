"""A contest as it is published, and the changes by a correction, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import TimeText, kind
from podium.documents.plain_data import plain_time, records
from podium.documents.rating_documents import ChangeDocument
from podium.documents.system_documents import SystemDocument, system_document
from podium.history.times import to_datetime
from podium.systems.contract.explained_ratings import MatchResult

if TYPE_CHECKING:
    from podium.ladder.contest_changes import ContestChanges, SortedBy
    from podium.ladder.rating_comparisons import WhatIf


class ContestChangeDocument(ChangeDocument):
    """The rating change of one player in a contest."""

    event: Annotated[str, "name of the event"]
    team: Annotated[str | None, "the player's team, or null without teams"]
    opponent: Annotated[str | None, "the other side of a match, or null if there are more than two sides"]
    result: Annotated[
        MatchResult | None, "`win`, `draw` or `loss` of a match, or null if there are more than two sides"
    ]
    new: Annotated[bool, "whether the player had no rated event before"]
    rated: Annotated[bool, "whether the event counted for the player: not if unrated or anchored"]
    expected_rank: Annotated[
        float, "mean rank that the system predicted before the event. In a match, 2 minus the expected score"
    ]
    place: Annotated[
        int,
        "the place among the sides of the event, which differs from `rank` if ranks are of a larger field",
    ]


@kind("contest")
class ContestDocument(SystemDocument):
    """A contest, or the matches of one time, with its rating changes.

    `podium changes --json` or `contest_document(podium.changes(history, system))`.
    """

    title: Annotated[str, "name and time of the contest, or how many matches of which time"]
    time: Annotated[TimeText | None, "time of the contest, or null if events have no times"]
    preview: Annotated[bool, "whether the contest follows a ladder that has not rated it"]
    players: Annotated[int, "number of players who took part"]
    changes: Annotated[
        list[ContestChangeDocument], "the changes, one per player of an event, in the requested order"
    ]


class MoveDocument(TypedDict):
    """One player's place and rating before and after a correction."""

    player: Annotated[str, "name of the player"]
    place_before: Annotated[
        int | None, "place on the leaderboard as the results were, or null if the player was not on it"
    ]
    place: Annotated[
        int | None, "place with the corrected results, or null if the player is no longer on the leaderboard"
    ]
    display_before: Annotated[float | None, "displayed rating as the results were"]
    display: Annotated[float | None, "displayed rating with the corrected results"]
    gain: Annotated[float | None, "display − display_before"]
    mu: Annotated[float | None, "mu with the corrected results"]
    sigma: Annotated[float | None, "its standard deviation, or null if the system has none"]
    events_before: Annotated[int | None, "number of rated events of the player as the results were"]
    events: Annotated[int | None, "number of rated events with the corrected results"]


@kind("what-if")
class WhatIfDocument(SystemDocument):
    """The changes of ratings by a correction.

    `podium what-if --json` or `what_if_document(podium.what_if(history, system, without=…))`.
    """

    corrections: Annotated[list[str], "the correction, in words"]
    players: Annotated[int, "number of players with a place before or after"]
    events_before: Annotated[int, "number of events as the results were"]
    events: Annotated[int, "number of events in the corrected results"]
    moved: Annotated[
        int, "number of players who join, leave, or have a rating change of a millionth of a point or more"
    ]
    moves: Annotated[
        list[MoveDocument],
        "the players who move, the farthest first. Before them those without an old or a new rating",
    ]


def contest_document(
    changes: ContestChanges, by: SortedBy = "place", top: int | None = None, *, digits: int | None = None
) -> ContestDocument:
    """A contest by `podium.changes`. `top` limits the number of players.

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
    """A correction by `podium.what_if`. `top` limits the number of players.

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
