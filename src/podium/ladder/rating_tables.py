"""Everybody's ratings, the leaderboard made of them, and what happened to each row, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
import polars as pl

from podium.arrays import DAY, NO_TIME, Floats, Longs
from podium.errors import UnsupportedError
from podium.history import History, Names
from podium.history.times import EARLIEST, Moment, Time, is_duration, start_of_activity, time_words, to_micros
from podium.ladder.journal import Entry, Journal
from podium.notebooks import Picture, frame_html, spans
from podium.systems import RatingSystem, State
from podium.systems.contract.appearances import usual_absence
from podium.systems.contract.ratings import Trace
from podium.tables.export import event_column, row_column, time_column
from podium.text import counted, listed

if TYPE_CHECKING:
    from podium.ladder.looking import Looking

LARGEST_WHOLE = 2.0**53
"""Beyond it, not every whole number is a float."""


def ratings_table(
    system: RatingSystem, state: State, players: Names, at: int, rows: Longs | None = None
) -> pl.DataFrame:
    """All current players: player, mu, sigma, display, events, last_time; best first, equals by name.

    With `rows`, only these players.
    """
    events = state.column("events")
    names: list[str]
    if rows is None:
        known = state.column("known")
        is_whole, rows = bool(known.all()), np.flatnonzero(known)
        names = players.to_list()
        names = names if is_whole else [names[row] for row in rows.tolist()]
        mu, sigma = system.view(state, slice(0, state.size), at)
        if not is_whole:
            mu, sigma = mu[rows], None if sigma is None else sigma[rows]
    else:
        names = [players[row] for row in rows.tolist()]
        mu, sigma = system.view(state, rows, at)
    frame = pl.DataFrame(
        [
            pl.Series("player", names, dtype=pl.String),
            pl.Series("mu", mu),
            pl.Series("sigma", [None] * len(names) if sigma is None else sigma, pl.Float64),
            pl.Series("display", system.display(mu, sigma)),
            pl.Series("events", events[rows]),
            time_column(state.column("last_time")[rows]).alias("last_time"),
        ]
    )
    return frame.sort("display", "player", descending=[True, False])


BLOCK = 1024
"""Rows of which only the best one is looked at first."""


class ShownRatings:
    """The displayed ratings of all players now, as the last short leaderboard found them.

    The next one computes only those again that have moved since, where the system says who that is.
    """

    def __init__(self) -> None:
        self._display: Floats = np.zeros(0)
        self._seen: tuple[Journal, Entry | None, int] | None = None

    def __reduce__(self) -> tuple[type[ShownRatings], tuple[()]]:
        return ShownRatings, ()

    def now(self, system: RatingSystem, state: State, journal: Journal) -> Floats:
        """One number for each row of the state, not to be written to."""
        moved, known = None, len(self._display)
        if system.moves_only_players and self._seen is not None and self._seen[0] is journal:
            moved = journal.moved_since(*self._seen[1:])
        self._seen = None  # until it is done: an interrupt may come in between
        if moved is None or state.size < known:
            self._display = system.ratings(state).display.copy()
        else:
            rows = np.union1d(moved[moved < state.size], np.arange(known, state.size))
            if state.size > known:
                self._display = np.append(self._display, np.zeros(state.size - known))
            self._display[rows] = system.display(*system.view(state, rows, NO_TIME))
        self._seen = journal, journal.latest, journal.changes
        return self._display


def best_rows(state: State, display: Floats, best: int, min_events: int, since: int | None) -> Longs:
    """The rows of so many of the best players with enough and recent events; there may be more."""
    passes = state.column("known") & (state.column("events") >= min_events)
    if since is not None:
        passes &= state.column("last_time") >= since
    return _best_rows(np.where(passes, display, -np.inf), best)


def _best_rows(display: Floats, best: int) -> Longs:
    """The rows of so many of the highest numbers, with those equal to the last of them.

    The best rows of as many blocks are a bound for the last of them, without sorting all.
    """
    blocks = np.maximum.reduceat(display, np.arange(0, len(display), BLOCK)) if len(display) else display
    bound = np.sort(blocks)[-best] if best <= len(blocks) else -np.inf
    rows = np.flatnonzero(display >= bound)
    rows = rows[display[rows] > -np.inf]
    if len(rows) > best:
        rows = rows[display[rows] >= np.sort(display[rows])[-best]]
    return rows


def board_html(title: str, board: pl.DataFrame, **pictures: Sequence[Picture]) -> str:
    """A leaderboard for a notebook, with 95% intervals if the system has deviations."""
    if not board["sigma"].null_count():
        rows = ((mu - 2 * sigma, mu, mu + 2 * sigma) for mu, sigma in board.select("mu", "sigma").iter_rows())
        pictures = {"mu ± 2 sigma": spans(rows), **pictures}
    return frame_html(title, board, **pictures)


USUAL = "usual"
"""The default of `active_since`: players may be away as long as `usual_absence` finds."""


def active_from(active_since: Time | None, state: State, latest: int) -> Moment | None:
    """Since when a player must have played to be ranked; None if all are.

    `USUAL` counts whole days back from the day of the last event, so that it moves once a day at most.
    """
    if active_since is None:
        return None
    if active_since != USUAL:
        return Moment(start_of_activity(active_since, latest))
    days = usual_absence(state)
    return None if days is None else Moment(max(latest // DAY * DAY - days * DAY, EARLIEST))


class LeaderboardFilters(TypedDict, total=False):
    """Who is on a leaderboard: the keyword arguments of `Ladder.leaderboard` that decide it."""

    min_events: int
    active_since: Time | None
    max_sigma: float | None


def settled_filters(ladder: Looking, **filters: Unpack[LeaderboardFilters]) -> LeaderboardFilters:
    """Filters as they are of a ladder now: what is `USUAL` becomes a time, or None."""
    given = filters.get("active_since", USUAL)
    since = active_from(given, ladder.state, ladder.last_event_time) if given == USUAL else given
    return {**filters, "active_since": since}


def leaderboard(
    ratings: pl.DataFrame,
    ladder: Looking,
    *,
    provisional: bool = False,
    top: int | None = None,
    **filters: Unpack[LeaderboardFilters],
) -> pl.DataFrame:
    """The rows of a ratings table that pass the filters, with a place; see `Ladder.leaderboard`."""
    if provisional:
        frame = placed_ratings(ratings, ladder, **filters)
    else:
        frame = _placed(ratings.filter(_has_place(ladder, **filters)))
    return frame if top is None else frame.head(max(top, 0))


def placed_ratings(
    ratings: pl.DataFrame, ladder: Looking, **filters: Unpack[LeaderboardFilters]
) -> pl.DataFrame:
    """All players: the leaderboard first, then the players who are not on it, whose place is null."""
    has_place = _has_place(ladder, **filters)
    return pl.concat([_placed(ratings.filter(has_place)), ratings.filter(~has_place)], how="diagonal")


def _placed(frame: pl.DataFrame) -> pl.DataFrame:
    place = pl.col("display").rank("min", descending=True).cast(pl.UInt32).alias("place")
    return frame.select(place, pl.all())


def _has_place(
    ladder: Looking,
    *,
    min_events: int = 1,
    active_since: Time | None = USUAL,
    max_sigma: float | None = None,
) -> pl.Expr:
    """Whether each row of a ratings table passes the filters."""
    passed = [pl.col("events") >= min_events]
    if (since := active_from(active_since, ladder.state, ladder.last_event_time)) is not None:
        passed.append(pl.col("last_time") >= pl.lit(int(since)).cast(pl.Datetime("us", "UTC")))
    if max_sigma is not None:
        if not ladder.system.has_sigma:
            raise UnsupportedError(
                f"{ladder.system.name} has no sigma to compare with max_sigma",
                hint="glicko, elo-mmr and others have a sigma",
            )
        passed.append(pl.col("sigma") <= max_sigma)
    return pl.all_horizontal(passed).fill_null(False)  # who has no time is not active


def nobody_words(
    *, min_events: int = 1, active_since: Time | None = None, max_sigma: float | None = None
) -> str:
    """The message for an empty leaderboard.

    >>> nobody_words(min_events=5, active_since="90d")
    'No player has 5 rated events and an event in the 90d before the last event.'
    >>> nobody_words(active_since="2026-05-01T12:00Z")
    'No player has an event since 2026-05-01 12:00.'
    >>> nobody_words(max_sigma=80)
    'No player has a sigma of 80 or less.'
    """
    wanted = wanted_words(min_events=min_events, active_since=active_since, max_sigma=max_sigma)
    return f"No player has {wanted}."


def wanted_words(
    *, min_events: int = 1, active_since: Time | None = None, max_sigma: float | None = None
) -> str:
    """What a player needs to be on a leaderboard."""
    wanted = [counted(min_events, "rated event")] if min_events > 1 else []
    if active_since is not None:
        until = f"in the {active_since} before the last event"
        when = until if is_duration(active_since) else f"since {time_words(to_micros(active_since))}"
        wanted.append(f"an event {when}")
    if max_sigma is not None:
        wanted.append(f"a sigma of {max_sigma:g} or less")
    return listed(wanted or ["a rated event"])


def rounded(frame: pl.DataFrame, digits: int | None) -> pl.DataFrame:
    """A table with this number of decimals in its ratings; of 0, whole numbers; of None, as they are.

    A gain lies between the rounded ratings, so that a row adds up. An expected rank is no rating: of a match
    only its decimals say what was expected.
    """
    if digits is None:
        return frame
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    names = [name for name in floats if name != "expected_rank"]
    frame = frame.with_columns(pl.col(names).round(digits))
    if "gain" in names:
        frame = frame.with_columns(gain=(pl.col("display") - pl.col("display_before")).round(digits))
    whole = [name for name in names if digits == 0 and not (frame[name].abs() >= LARGEST_WHOLE).any()]
    return frame.with_columns(pl.col(whole).cast(pl.Int64))


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
            row_column(history),
        ]
    )
