"""Ratings, changes and leaderboards as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import plain_number, plain_time, records
from podium.documents.system_documents import SystemDocument, system_document
from podium.history.times import Time, to_iso, to_micros

if TYPE_CHECKING:
    import polars as pl

    from podium.ladder.ladder import Ladder
    from podium.systems import RatingSystem
    from podium.systems.contract.ratings import Change, Rating


class RatingDocument(TypedDict):
    """One player's rating."""

    player: str
    mu: float
    sigma: float | None
    display: float
    events: int
    last_time: str | None


class PlacedRatingDocument(RatingDocument):
    """A rating on a leaderboard."""

    place: int | None


class ChangeDocument(TypedDict):
    """What one event or adjustment did to one player."""

    player: str
    rank: int | None
    """None for an adjustment."""
    mu_before: float
    sigma_before: float | None
    display_before: float
    performance: float | None
    mu: float
    sigma: float | None
    display: float
    gain: float


class LeaderboardDocument(SystemDocument):
    """A ladder's best players, and how much was rated."""

    at: str | None
    players: int
    events: int
    skipped_rows: int
    ratings: list[PlacedRatingDocument]


class LadderDocument(TypedDict):
    """One ladder of many."""

    players: int
    events: int
    ratings: list[PlacedRatingDocument]


class LaddersDocument(SystemDocument):
    """Many ladders, each rated by itself."""

    by: str
    skipped_rows: int
    ladders: dict[str, LadderDocument]


def rating_document(rating: Rating) -> RatingDocument:
    """A player's rating.

    >>> from podium import Elo, Ladder
    >>> ladder = Ladder(Elo())
    >>> changes = ladder.record_match("ann", "bob", time="2026-05-01")
    >>> rating_document(ladder.rating("ann"))["last_time"]
    '2026-05-01'
    """
    return {
        "player": rating.player,
        "mu": rating.mu,
        "sigma": rating.sigma,
        "display": rating.display,
        "events": rating.events,
        "last_time": plain_time(rating.last_time),
    }


def change_document(change: Change) -> ChangeDocument:
    """What one event did, or would do, to one player."""
    return {
        "player": change.player,
        "rank": change.rank,
        "mu_before": change.mu_before,
        "sigma_before": change.sigma_before,
        "display_before": change.display_before,
        "performance": plain_number(change.performance),
        "mu": change.mu,
        "sigma": change.sigma,
        "display": change.display,
        "gain": change.gain,
    }


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
