"""How ratings went, event by event, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import records
from podium.documents.system_documents import SystemDocument, system_document
from podium.history.times import Time, to_micros

if TYPE_CHECKING:
    from podium.history import History
    from podium.ladder.bulk import Run


class RatedEventDocument(TypedDict):
    """A player's rating after one event."""

    event: str
    time: str | None
    rank: int
    performance: float | None
    mu: float
    sigma: float | None
    display: float


class PlayerHistoryDocument(TypedDict):
    """A player's rating after each event."""

    player: str
    events: list[RatedEventDocument]


class RatingHistoriesDocument(SystemDocument):
    """The ratings of some players, event by event."""

    players: list[PlayerHistoryDocument]


def rating_histories_document(
    run: Run, history: History, players: Sequence[str], *, since: Time | None = None
) -> RatingHistoriesDocument:
    """The ratings of these players after each event of a history, also of those under earlier names.

    With `since`, only events from this time on.

    >>> import podium
    >>> history = podium.History.from_matches(["ann", "bob"], ["bob", "ann"])
    >>> run = podium.rate(history, podium.Elo(), trace=True)
    >>> document = rating_histories_document(run, history, ["ann"])
    >>> [event["rank"] for event in document["players"][0]["events"]]
    [1, 2]
    """
    import polars as pl

    from podium.history.earlier_names import rows_under_all_names

    def events_of(player: str) -> pl.DataFrame:
        rows = run.trace[rows_under_all_names(history, player)]
        return rows if since is None else rows.filter(pl.col("time").dt.timestamp("us") >= to_micros(since))

    return {
        **system_document(run.ladder.system),
        "players": [
            {"player": player, "events": records(events_of(player), RatedEventDocument)} for player in players
        ],
    }
