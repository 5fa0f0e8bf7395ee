"""Everybody's ratings as a table, and the leaderboard made of it."""

from __future__ import annotations

import polars as pl

from podium.errors import UnsupportedError
from podium.history import Names
from podium.history.times import Time, to_micros
from podium.systems import RatingSystem, State
from podium.tables.export import time_column


def ratings_table(system: RatingSystem, state: State, players: Names, at: int) -> pl.DataFrame:
    """Everybody there is now: player, mu, sigma, display, events, last_time; best first, equals by name."""
    view = system.ratings(state, at)
    frame = pl.DataFrame(
        [
            pl.Series("player", players.to_list(), dtype=pl.String),
            pl.Series("mu", view.mu),
            pl.Series("sigma", view.sigma if view.sigma is not None else [None] * len(view.mu), pl.Float64),
            pl.Series("display", view.display),
            pl.Series("events", state.column("events")),
            time_column(state.column("last_time")).alias("last_time"),
        ]
    )
    known = state.column("known")
    return (frame if known.all() else frame.filter(known)).sort("display", "player", descending=[True, False])


def leaderboard(
    ratings: pl.DataFrame,
    system: RatingSystem,
    *,
    min_events: int,
    active_since: Time | None,
    max_sigma: float | None,
    top: int | None,
) -> pl.DataFrame:
    """Those of a table of ratings who are wanted, with a place; see `Ladder.leaderboard`."""
    frame = ratings.filter(pl.col("events") >= min_events)
    if active_since is not None:
        since = pl.lit(to_micros(active_since)).cast(pl.Datetime("us", "UTC"))
        frame = frame.filter(pl.col("last_time") >= since)
    if max_sigma is not None:
        if not system.has_sigma:
            raise UnsupportedError(f"{system.name} has no deviations to compare with max_sigma")
        frame = frame.filter(pl.col("sigma") <= max_sigma)
    place = pl.col("display").rank("min", descending=True).cast(pl.UInt32).alias("place")
    frame = frame.select(place, pl.all())
    return frame if top is None else frame.head(max(top, 0))
