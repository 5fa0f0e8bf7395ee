"""How ratings went, event by event, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import TimeText, kind
from podium.documents.plain_data import records
from podium.documents.system_documents import SystemDocument, system_document
from podium.history.times import Time, to_micros

if TYPE_CHECKING:
    from podium.ladder.bulk import Run


class RatedEventDocument(TypedDict):
    """A player's rating before and after one event or adjustment."""

    event: Annotated[str | None, "name or number of the event, or null for an adjustment"]
    adjustment: Annotated[
        str | None, "the kind of adjustment, such as `reset keep=0.5`, or null for an event"
    ]
    time: Annotated[TimeText | None, "time of the event, or null if it has none"]
    rank: Annotated[int | None, "the player's rank, or null for an adjustment"]
    rated: Annotated[bool, "false if the event did not count for the player: the rating stayed"]
    performance: Annotated[
        float | None, "the player's performance as a rating, or null if the system has none"
    ]
    mu_before: Annotated[float, "mu before the event"]
    sigma_before: Annotated[float | None, "sigma before the event, or null if the system has none"]
    display_before: Annotated[float, "displayed rating before the event"]
    mu: Annotated[float, "mu after the event"]
    sigma: Annotated[float | None, "sigma after the event, or null if the system has none"]
    display: Annotated[float, "displayed rating after the event"]


class PlayerHistoryDocument(TypedDict):
    """A player's rating after each event and adjustment."""

    player: Annotated[str, "name of the player"]
    events: Annotated[
        list[RatedEventDocument],
        "the player's events and adjustments in time order, also those under an earlier name",
    ]


@kind("rating-histories")
class RatingHistoriesDocument(SystemDocument):
    """The ratings of some players, event by event.

    `podium chart --json` or `rating_histories_document(run, ["ann", "bob"])`. With `since=` it has only
    events and adjustments from this time on.
    """

    players: Annotated[list[PlayerHistoryDocument], "the players, in the order in which they were named"]


def rating_histories_document(
    run: Run, players: Sequence[str], *, since: Time | None = None
) -> RatingHistoriesDocument:
    """The ratings of these players after each event and adjustment of a run that has a trace.

    Events under earlier names are theirs too. With `since`, only those from this time on.

    >>> import podium
    >>> history = podium.History.from_matches(["ann", "bob"], ["bob", "ann"])
    >>> run = podium.rate(history, podium.Elo(), trace=True)
    >>> document = rating_histories_document(run, ["ann"])
    >>> [event["rank"] for event in document["players"][0]["events"]]
    [1, 2]
    """
    import polars as pl

    def events_of(player: str) -> pl.DataFrame:
        rows = run.history(player)
        return rows if since is None else rows.filter(pl.col("time").dt.timestamp("us") >= to_micros(since))

    return {
        **system_document(run.ladder.system),
        "players": [
            {"player": player, "events": records(events_of(player), RatedEventDocument)} for player in players
        ],
    }
