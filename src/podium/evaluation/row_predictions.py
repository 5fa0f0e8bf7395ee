"""A prediction for each row of a table, made before that row was played.

What is known of a row's event is what happened before its time. Later rows, and the order in which they
stand, change nothing: a test shuffles and changes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from podium.arrays import NO_TIME, Floats, Ints
from podium.errors import ParameterError
from podium.evaluation.asked_events import AskedEvents, SameTime, check_same_time
from podium.evaluation.event_predictions import match_chances, predict_sides, traces_before
from podium.evaluation.place_predictions import first_chances, place_chances
from podium.evaluation.standings import Standings, experience_of_rows, standings_of
from podium.history import History, HistoryLike, history_meant
from podium.history.history import is_frame
from podium.history.ragged import Progress
from podium.systems import RatingSystem, System, system_for
from podium.systems.contract.ratings import Trace

if TYPE_CHECKING:
    import polars as pl

    from podium.tables.columns.shapes import ReadKeywords

MOST_PLACES = 1_000
"""Most columns of places."""


def predict(
    table: HistoryLike,
    system: System | None = "auto",
    *,
    same_time: SameTime = "together",
    places: int = 0,
    progress: Progress | None = None,
    **options: Unpack[ReadKeywords],
) -> Any:
    """Predict each row of a table from what happened before it: one row for each row, in the table's order.

    `system` is a system or its name. None means the preset that suits the table, which costs less than auto.

    A dataframe gives a dataframe of the same library (pandas, Polars, PyArrow, DuckDB) with only the
    predictions, and pandas keeps its index. A row that was left out while reading is null. A file or a
    history gives a Polars dataframe that begins with the row, event, time, players and result.

    Columns of a table of matches are `expected` (the expected score of `player_a`, or of the winner's
    column), and `win`, `draw` and `loss` (its chances). Ratings before the match are `mu_a`, `sigma_a`,
    `mu_b` and `sigma_b`. `new_a` and `new_b` mark sides with a player who had no rated event before. In a
    table of results each row is about its own side: `expected`, `win`, `draw`, `loss`, `expected_rank`, `mu`,
    `sigma`, `new`. In an event of more than two sides `expected` is the mean score against the others, and
    `win` is the chance of first place. `draw` and `loss` are null. `places=3` adds `place_1` to `place_3`.

    Rows of one time are predicted together, from the ratings before the first of them, as the table does not
    tell which was played first. Write times of day if it is known, or ``same_time="in-order"``: then each
    row is predicted after the rows above it, as `evaluate` does. Rows without any time are in order.

    >>> import podium
    >>> history = podium.History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> podium.predict(history, "elo")["expected"].round(3).to_list()
    [0.5, 0.546]
    """
    check_same_time(same_time)
    if isinstance(places, bool) or not isinstance(places, int) or not 0 <= places <= MOST_PLACES:
        raise ParameterError(f"places is {places!r}, not a number from 0 to {MOST_PLACES:,}")
    if not is_frame(table):
        history = _read(table, options)
        chosen = system_for(system, history)
        return predicted_history(history, chosen, same_time=same_time, places=places, progress=progress)
    from podium.tables.dataframes import frame_like, history_from_frame, in_polars

    frame = in_polars(table)
    history = history_from_frame(frame, **options)
    chosen = system_for(system, history)
    found = predicted_rows(history, chosen, same_time=same_time, places=places, progress=progress)
    return frame_like(table, in_rows(found, frame.height))


def _read(given: HistoryLike, options: ReadKeywords) -> History:
    """The history in what is no dataframe."""
    if not options or isinstance(given, History):
        return history_meant(given, "predict")
    from podium.tables import read_history

    return read_history(given, **options)


def predicted_history(
    history: History,
    system: RatingSystem,
    start: int = 0,
    stop: int | None = None,
    *,
    same_time: SameTime = "together",
    places: int = 0,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """The predictions of events from `start` to before `stop`, after what identifies them and the result."""
    import polars as pl

    from podium.tables.export import event_column, name_column, row_column, time_column

    stop = len(history) if stop is None else stop
    found = predicted_rows(
        history, system, start, stop, same_time=same_time, places=places, progress=progress
    )
    part = history[start:stop]
    row, player, standings = row_column(part), name_column(part), standings_of(history).between(start, stop)
    score = np.empty(part.rows)
    score[standings.sides.players] = np.repeat(standings.score, standings.sides.sizes)
    if not are_matches(history):
        event = part.event_of_row
        columns = [row, event_column(part).gather(event), time_column(part.time).gather(event), player]
        return pl.DataFrame([*columns, pl.Series("score", score)]).hstack(found.drop("row"))
    names = [_joined(player, part, side).alias(name) for side, name in ((0, "player_a"), (1, "player_b"))]
    first = part.offsets[:-1]
    columns = [row.gather(first), event_column(part), time_column(part.time), *names]
    return pl.DataFrame([*columns, pl.Series("score_a", score[first])]).hstack(found.drop("row"))


def predicted_rows(
    history: History,
    system: RatingSystem,
    start: int = 0,
    stop: int | None = None,
    *,
    same_time: SameTime = "together",
    places: int = 0,
    progress: Progress | None = None,
    asked: AskedEvents | None = None,
) -> pl.DataFrame:
    """The column `row` and the predictions, one row for each match or for each player of each event."""
    import polars as pl

    stop = len(history) if stop is None else stop
    asked = asked or AskedEvents.of(history[:stop], same_time)
    pieces = [
        _of_sides(system, before.standings, before.trace, places)
        for before in traces_before(history, asked, system, start, progress=progress)
        if before.trace is not None
    ]
    sides = _Sides.joined(pieces, places)
    standings = standings_of(history).between(start, stop)
    new = _experience(history, asked, start, stop) == 0
    rows = slice(int(history.offsets[start]), int(history.offsets[stop]))
    origin = np.full(rows.stop - rows.start, -1, np.int32) if history.origin is None else history.origin[rows]
    if are_matches(history):
        a, b = slice(0, None, 2), slice(1, None, 2)  # of two sides each
        columns = {"row": origin[history.offsets[start:stop] - rows.start], "expected": sides.expected[a]}
        columns |= dict(zip(("win", "draw", "loss"), sides.chances.T[:, a], strict=True))
        for side, which in (("a", a), ("b", b)):
            columns |= {f"mu_{side}": sides.mu[which], f"sigma_{side}": sides.sigma[which]}
        columns |= {f"new_{side}": new[which] for side, which in (("a", a), ("b", b))}
        columns |= {f"place_{k + 1}": sides.places[a, k] for k in range(places)}
    else:
        own = np.empty(len(origin), np.int64)  # the side of each row
        own[standings.sides.players] = np.repeat(np.arange(len(sides.mu)), standings.sides.sizes)
        counts = np.repeat(standings.counts, standings.counts)
        columns = {"row": origin, "expected": sides.expected[own]}
        columns |= dict(zip(("win", "draw", "loss"), sides.chances[own].T, strict=True))
        columns |= {"expected_rank": (counts - (counts - 1) * sides.expected)[own], "mu": sides.mu[own]}
        columns |= {"sigma": sides.sigma[own], "new": new[own]}
        columns |= {f"place_{k + 1}": sides.places[own, k] for k in range(places)}
    frame = pl.DataFrame({name: np.ascontiguousarray(column) for name, column in columns.items()})
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    return frame.with_columns(pl.col(floats).fill_nan(None), row=pl.col("row").replace(-1, None))


def predicted_unplayed(past: History, fixtures: History, system: RatingSystem) -> pl.DataFrame:
    """The predictions of fixtures from what is past at their times, whose own results do not count.

    Without times, all that is past came before all fixtures.
    """
    everybody_out = replace(fixtures, unrated=np.ones(fixtures.rows, np.bool_))
    timed = bool(len(past)) and past.time[0] != NO_TIME
    both = [everybody_out, past] if timed else [past, everybody_out]
    together = History.concat(both)  # of one time, fixtures stand before what is past
    is_fixture = np.concatenate([np.full(len(one), one is everybody_out) for one in both])
    order = np.argsort(np.concatenate([one.time for one in both]), kind="stable")
    return predicted_rows(fixtures, system, asked=AskedEvents(together, is_fixture[order]))


def are_matches(history: History) -> bool:
    """Whether a row of its table was a match: each event has two sides, and these come from one row."""
    if not len(history) or not bool(np.all(history.sides_per_event == 2)):
        return False
    if history.origin is None:
        return history.side is None
    first = history.origin[history.offsets[:-1]]
    return bool(np.array_equal(history.origin, np.repeat(first, history.sizes)))


def in_rows(found: pl.DataFrame, height: int) -> pl.DataFrame:
    """The predictions in the order of a table with so many rows; rows without one are null."""
    import polars as pl

    row = found["row"]
    if len(row) == height and bool((row == pl.int_range(height, eager=True)).all()):
        return found.drop("row")
    place = np.full(height, -1, np.int64)
    place[row.to_numpy()] = np.arange(len(row))
    return found.drop("row").select(pl.all().gather(pl.Series(place).replace(-1, None)))


class _Sides(NamedTuple):
    """What is predicted of each side."""

    expected: Floats
    chances: Floats
    """Win, draw and loss; in events of more than two sides the first place, and NaN."""
    mu: Floats
    """The mean of the members."""
    sigma: Floats
    """The largest of the members; NaN if the system has none."""
    places: Floats

    @classmethod
    def joined(cls, pieces: Sequence[_Sides], places: int) -> _Sides:
        """The sides of all pieces."""
        none = _Sides(*(np.empty(shape) for shape in (0, (0, 3), 0, 0, (0, places))))
        return cls(*(np.concatenate(columns) for columns in zip(none, *pieces, strict=True)))


def _of_sides(system: RatingSystem, standings: Standings, trace: Trace, places: int) -> _Sides:
    """Predict the sides of some events from the beliefs before them."""
    sides = predict_sides(system, standings, trace, order_by="mu", expected=True, outcomes=False)
    chances = np.full((len(sides.expected), 3), np.nan)
    matches = standings.counts == 2
    if matches.any():
        first = standings.offsets[:-1][matches]
        chances[first] = match_chances(system, standings, trace)
        chances[first + 1] = chances[first, ::-1]
    first_chances(system, standings, trace, chances[:, 0])
    placed = np.full((len(chances), places), np.nan)
    if places:
        place_chances(system, standings, trace, sides.expected, placed)
    sigma = sides.sigma if system.has_sigma else np.full(len(chances), np.nan)
    return _Sides(sides.expected, chances, sides.rating, sigma, placed)


def _experience(history: History, asked: AskedEvents, start: int, stop: int) -> Ints:
    """Rated events that the least experienced member of each side had played before it is asked about."""
    standings = standings_of(history).between(start, stop)
    if asked.asked.all():
        return standings.experience
    rows = experience_of_rows(asked.history)[np.repeat(asked.asked, asked.history.sizes)]
    found = rows[standings.rows][standings.sides.players]
    least: Ints = np.minimum.reduceat(found, standings.sides.offsets[:-1]) if len(found) else found
    return least


def _joined(player: pl.Series, history: History, side: int) -> pl.Series:
    """The names of the members of one side of each match."""
    if history.side is None:
        return player.gather_every(2, side)
    members = history.side == side
    import polars as pl

    frame = pl.DataFrame({"event": history.event_of_row[members], "player": player.filter(members)})
    return frame.group_by("event", maintain_order=True).agg(pl.col("player").str.join(" + "))["player"]
