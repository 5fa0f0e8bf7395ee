"""How ratings went, event by event, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import records
from podium.documents.system_documents import SystemDocument, system_document

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


def rating_histories_document(run: Run, history: History, players: Sequence[str]) -> RatingHistoriesDocument:
    """The ratings of these players after each event of a history, also of those under earlier names.

    >>> import podium
    >>> history = podium.History.from_matches(["ann", "bob"], ["bob", "ann"])
    >>> run = podium.rate(history, podium.Elo(), trace=True)
    >>> document = rating_histories_document(run, history, ["ann"])
    >>> [event["rank"] for event in document["players"][0]["events"]]
    [1, 2]
    """
    from podium.history.earlier_names import rows_under_all_names

    return {
        **system_document(run.ladder.system),
        "players": [
            {
                "player": player,
                "events": records(run.trace[rows_under_all_names(history, player)], RatedEventDocument),
            }
            for player in players
        ],
    }
