"""How ratings went, event by event, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import records
from podium.documents.system_documents import SystemDocument, system_document
from podium.history.times import Time, to_micros

if TYPE_CHECKING:
    from podium.ladder.bulk import Run


class RatedEventDocument(TypedDict):
    """A player's rating before and after one event or adjustment."""

    event: str | None
    """None for an adjustment."""
    adjustment: str | None
    """What was adjusted, in words; None for an event."""
    time: str | None
    rank: int | None
    """None for an adjustment."""
    performance: float | None
    mu_before: float
    sigma_before: float | None
    display_before: float
    mu: float
    sigma: float | None
    display: float


class PlayerHistoryDocument(TypedDict):
    """A player's rating after each event and adjustment."""

    player: str
    events: list[RatedEventDocument]


class RatingHistoriesDocument(SystemDocument):
    """The ratings of some players, event by event."""

    players: list[PlayerHistoryDocument]


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
