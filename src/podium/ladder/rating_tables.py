"""Everybody's ratings, the leaderboard made of them, and what happened to each row, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from podium.arrays import Floats
from podium.errors import UnsupportedError
from podium.history import History, Names
from podium.history.times import Time, to_micros
from podium.systems import RatingSystem, State
from podium.systems.contract.ratings import Trace
from podium.tables.export import event_column, time_column


def ratings_table(system: RatingSystem, state: State, players: Names, at: int) -> pl.DataFrame:
    """All current players: player, mu, sigma, display, events, last_time; best first, equals by name."""
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
    """The rows of a ratings table that pass the filters, with a place; see `Ladder.leaderboard`."""
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


def trace_frames(system: RatingSystem, parts: Iterable[tuple[History, Trace]]) -> Iterator[pl.DataFrame]:
    """Yield the table of each trace; the column of names is rebuilt only when new names appear."""
    names = pl.Series("player", [], pl.String)
    for history, trace in parts:
        if len(names) != len(history.players):
            names = pl.Series("player", history.players.to_list(), dtype=pl.String)
        yield _trace_frame(system, history, trace, names)


def _trace_frame(system: RatingSystem, history: History, trace: Trace, names: pl.Series) -> pl.DataFrame:
    """One trace as a table: a row for each row of the history."""

    def known(name: str, values: Floats) -> pl.Series:
        return pl.Series(name, values if len(values) == history.rows else [None] * history.rows, pl.Float64)

    event = history.event_of_row
    sigma_before, sigma = (trace.sigma_before, trace.sigma) if system.has_sigma else (None, None)
    return pl.DataFrame(
        [
            event_column(history).gather(event),
            time_column(history.time).gather(event),
            names.gather(history.player),
            pl.Series("rank", history.rank),
            known("performance", trace.performance),
            pl.Series("mu_before", trace.mu_before),
            known("sigma_before", trace.sigma_before),
            pl.Series("display_before", system.display(trace.mu_before, sigma_before)),
            pl.Series("mu", trace.mu),
            known("sigma", trace.sigma),
            pl.Series("display", system.display(trace.mu, sigma)),
        ]
    )
