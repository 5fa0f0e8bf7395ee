"""Ratings, changes and leaderboards as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import TimeText, kind
from podium.documents.plain_data import plain_form, records
from podium.documents.system_documents import SystemDocument, system_document
from podium.history.times import Time, to_iso, to_micros

if TYPE_CHECKING:
    import polars as pl

    from podium.ladder.ladder import Ladder
    from podium.systems import RatingSystem
    from podium.systems.contract.ratings import Change, Rating


@kind("rating")
class RatingDocument(TypedDict):
    """One player's rating.

    `rating_document(ladder.rating("ann"))`.
    """

    player: Annotated[str, "name of the player"]
    mu: Annotated[float, "mean of the belief about the player's skill"]
    sigma: Annotated[float | None, "its standard deviation, or null if the system has none"]
    display: Annotated[float, "the rating to show to people"]
    events: Annotated[int, "number of rated events of the player"]
    last_time: Annotated[
        TimeText | None,
        "time of the player's last event, or of a [rating "
        "set](histories.md#bring-ratings-from-elsewhere) since then, or null if events have no times",
    ]


class PlacedRatingDocument(RatingDocument):
    """A rating on a leaderboard."""

    place: Annotated[
        int | None,
        "place on the leaderboard. Equal ratings share a place. null for players without one, whom "
        "`--provisional` lists",
    ]


@kind("change")
class ChangeDocument(TypedDict):
    """The rating change of one player by one event or adjustment.

    `change_document(change)` of each change that `ladder.record` or `ladder.adjust` returns.
    """

    player: Annotated[str, "name of the player"]
    rank: Annotated[
        int | None, "the rank in the event of the player, or of the player's team. null for an adjustment"
    ]
    mu_before: Annotated[float, "mu before the event"]
    sigma_before: Annotated[float | None, "sigma before the event, or null if the system has none"]
    display_before: Annotated[float, "displayed rating before the event"]
    performance: Annotated[
        float | None, "the player's performance as a rating, or null if the system has none"
    ]
    mu: Annotated[float, "mu after the event"]
    sigma: Annotated[float | None, "sigma after the event, or null if the system has none"]
    display: Annotated[float, "displayed rating after the event"]
    gain: Annotated[float, "display − display_before"]


@kind("leaderboard")
class LeaderboardDocument(SystemDocument):
    """A ladder's best players, and how much was rated.

    `podium rate --json` or `leaderboard_document(ladder, ladder.leaderboard())`.
    """

    at: Annotated[TimeText | None, "the date of the leaderboard, or null without `--at`"]
    players: Annotated[int, "number of players on the ladder, also those without a rated event"]
    events: Annotated[int, "number of events rated"]
    skipped_rows: Annotated[int, "number of rows left out while reading"]
    ratings: Annotated[list[PlacedRatingDocument], "the players on the board, best first"]


class LadderDocument(TypedDict):
    """One ladder of many."""

    players: Annotated[int, "number of players on the ladder, also those without a rated event"]
    events: Annotated[int, "number of events rated"]
    ratings: Annotated[list[PlacedRatingDocument], "the players on the board, best first"]


@kind("ladders")
class LaddersDocument(SystemDocument):
    """Many ladders, each rated by itself.

    `podium rate --by COLUMN --json`.
    """

    by: Annotated[str, "name of the column that names the ladders"]
    skipped_rows: Annotated[int, "number of rows left out while reading"]
    ladders: Annotated[dict[str, LadderDocument], "the ladders, by name"]


def rating_document(rating: Rating) -> RatingDocument:
    """A player's rating.

    >>> from podium import Elo, Ladder
    >>> ladder = Ladder(Elo())
    >>> changes = ladder.record_match("ann", "bob", time="2026-05-01")
    >>> rating_document(ladder.rating("ann"))["last_time"]
    '2026-05-01'
    """
    return plain_form(rating, RatingDocument)


def change_document(change: Change) -> ChangeDocument:
    """The rating change, real or possible, of one player by one event."""
    return plain_form(change, ChangeDocument)


def leaderboard_document(
    ladder: Ladder, board: pl.DataFrame, *, skipped_rows: int = 0, at: Time | None = None
) -> LeaderboardDocument:
    """A ladder and a board of it, as `Ladder.leaderboard` makes them, also of a date (`at`)."""
    return {
        **system_document(ladder.system),
        "at": None if at is None else to_iso(to_micros(at)),
        "players": len(ladder),
        "events": ladder.n_events,
        "skipped_rows": skipped_rows,
        "ratings": records(board, PlacedRatingDocument),
    }


def ladders_document(
    system: RatingSystem,
    by: str,
    boards: Mapping[str, tuple[Ladder, pl.DataFrame]],
    *,
    skipped_rows: int = 0,
) -> LaddersDocument:
    """Many ladders by name, each with a board of it."""
    return {
        **system_document(system),
        "by": by,
        "skipped_rows": skipped_rows,
        "ladders": {
            name: {
                "players": len(ladder),
                "events": ladder.n_events,
                "ratings": records(board, PlacedRatingDocument),
            }
            for name, (ladder, board) in boards.items()
        },
    }
