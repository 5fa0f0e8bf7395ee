"""A prediction for each row of a table, made before that row was played.

What is known of a row's event is what happened before its time. Later rows, and the order in which they
stand, change nothing: a test shuffles and changes them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from podium.arrays import NO_TIME, Bools, Floats
from podium.errors import ParameterError
from podium.evaluation.asked_events import AskedEvents, SameTime, check_same_time
from podium.evaluation.event_predictions import (
    members_before,
    predict_matches,
    predict_sides,
    sides_before,
    traces_before,
)
from podium.evaluation.place_predictions import first_chances, place_chances
from podium.history import History, HistoryLike, history_meant
from podium.history.columns import event_columns
from podium.history.history import is_frame
from podium.history.ragged import Progress
from podium.ladder.bulk import RATED_ROWS_AT_ONCE
from podium.notebooks import expect_work, with_bar
from podium.systems import RatingSystem, System, system_for
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides, side_results

if TYPE_CHECKING:
    import polars as pl

    from podium.tables.columns.shapes import ReadKeywords

MOST_PLACES = 1_000
"""Most columns of places."""


@with_bar("predicting")
def predict(
    table: HistoryLike,
    system: System | None = "auto",
    *,
    same_time: SameTime = "together",
    places: int = 0,
    progress: Progress | None = None,
    **options: Unpack[ReadKeywords],
) -> Any:
    """Predict each row of a table from earlier rows: one row for each row, in the table's order.

    A dataframe gives a dataframe of the same library (pandas, Polars, PyArrow, DuckDB) with only the
    predictions, and pandas keeps its index. A row that was left out while reading is null. A file or a
    history gives a Polars dataframe that begins with the row, event, time, players and result.

    Columns of a table of matches are `expected` (the expected score of `player_a`, or of the winner's
    column), and `win`, `draw` and `loss` (its chances). Ratings before the match are `mu_a`, `sigma_a`,
    `mu_b` and `sigma_b`. `new_a` and `new_b` mark sides with a player who had no rated event before.

    In a table of results each row is about its own side: `expected`, `win`, `draw`, `loss`, `expected_rank`,
    `mu`, `sigma`, `new`. In an event of more than two sides `expected` is the mean score against the others,
    and `win` is the chance of first place. `draw` and `loss` are null. Home advantage counts in matches of
    two sides alone.

    Args:
        table: A dataframe, a history, or anything else that `read_history` reads.
        system: A system or its name. None means the preset that suits the table, which costs less than auto.
        same_time: With "together", rows of one time are predicted from the ratings before the first of them,
            as a table with dates does not tell their order. With "in-order" each row is predicted after the
            rows above it, as in `evaluate`. Rows without any time are in order.
        places: For events of more than two sides: add the chances of so many places, `place_1` and so on.
            They and `win` fit `expected_rank`. `Ladder.top_chances` also limits each chance to win by those
            of pairs, so it differs a little.
        progress: Called with the number of rows rated since the last call.
        options: Options of `read_history`.

    Returns:
        A dataframe with one row for each row of the table.

    >>> import podium
    >>> history = podium.History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> podium.predict(history, "elo")["expected"].round(3).to_list()
    [0.5, 0.546]
    """
    check_same_time(same_time)
    if isinstance(places, bool) or not isinstance(places, int) or not 0 <= places <= MOST_PLACES:
        raise ParameterError(f"places is {places!r}, not a number from 0 to {MOST_PLACES:,}")
    if not is_frame(table):
        history = history_meant(table, "predict", **options)
        chosen = system_for(system, history)
        return predicted_history(history, chosen, same_time=same_time, places=places, progress=progress)
    from podium.tables.dataframes import frame_like, history_from_frame, in_polars

    frame = in_polars(table)
    history = history_from_frame(frame, **options)
    chosen = system_for(system, history)
    found = predicted_rows(history, chosen, same_time=same_time, places=places, progress=progress)
    return frame_like(table, in_rows(found, frame.height))


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
    event, time, player, score = event_column(part), time_column(part.time), name_column(part), _scores(part)
    if not are_matches(history):
        of_row = part.event_of_row
        columns = [row_column(part), event.gather(of_row), time.gather(of_row), player]
        return pl.DataFrame([*columns, pl.Series("score", score)]).hstack(found.drop("row"))
    names = [_joined(player, part, side).alias(name) for side, name in ((0, "player_a"), (1, "player_b"))]
    score_a = pl.Series("score_a", score[part.offsets[:-1]])
    return pl.DataFrame([found["row"], event, time, *names, score_a]).hstack(found.drop("row"))


def _scores(history: History) -> Floats:
    """What the side of each row scored."""
    scores, done = np.empty(history.rows), 0
    for piece in history.chunks(RATED_ROWS_AT_ONCE):
        events = event_columns(piece)
        sides = EventSides.of_columns(events)
        score = np.repeat(side_results(events, sides).score, sides.sides.sizes)
        scores[done : done + piece.rows][sides.sides.players] = score
        done += piece.rows
    return scores


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
    asked, matches = asked or AskedEvents.of(history[:stop], same_time), are_matches(history)
    expect_work(asked.rows)
    rows = slice(int(history.offsets[start]), int(history.offsets[stop]))
    count = stop - start if matches else rows.stop - rows.start
    names = [*(_OF_A_MATCH if matches else _OF_A_ROW), *(f"place_{k + 1}" for k in range(places))]
    known = [name for name in names if system.has_sigma or not name.startswith("sigma")]
    columns: dict[str, Floats | Bools] = {
        name: np.empty(count, np.bool_ if name.startswith("new") else np.float64) for name in known
    }
    done = 0
    for before in traces_before(history, asked, system, start, progress=progress):
        if before.trace is None:
            continue
        met = EventSides.of(history[before.events])
        of = _of_matches if matches else _of_rows
        found = of(system, met, before.trace, before.experience == 0, places)
        for name in known:
            columns[name][done : done + len(found[name])] = found[name]
        done += len(found["expected"])
    row = pl.repeat(None, count, dtype=pl.Int32, eager=True)
    if history.origin is not None:
        row = pl.Series(history.origin[history.offsets[start:stop] if matches else rows])
        row = row.set(row < 0, None)
    return pl.DataFrame({"row": row, **{name: _column(columns.get(name), count) for name in names}})


def _column(values: Floats | Bools | None, count: int) -> pl.Series:
    """A column in which NaN is null; null everywhere where there are no values."""
    import polars as pl

    if values is None:
        return pl.repeat(None, count, dtype=pl.Float64, eager=True)
    column = pl.Series(values)
    return column.fill_nan(None) if column.dtype.is_float() and column.is_nan().any() else column


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
    if history.rows == 2 * len(history):
        return bool(np.array_equal(history.origin[::2], history.origin[1::2]))
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


_OF_A_MATCH = (
    *("expected", "win", "draw", "loss"),
    *("mu_a", "sigma_a", "mu_b", "sigma_b", "new_a", "new_b"),
)
_OF_A_ROW = ("expected", "win", "draw", "loss", "expected_rank", "mu", "sigma", "new")
"""The columns of predictions before those of places."""


def _of_matches(
    system: RatingSystem, met: EventSides, trace: Trace, new: Bools, places: int
) -> dict[str, Floats | Bools]:
    """The columns of events that all have two sides."""
    mu, sigma = members_before(system, met, trace)
    found = predict_matches(system, met, trace)
    columns = {"expected": found.expected, **dict(zip(("win", "draw", "loss"), found.chances.T, strict=True))}
    mu, sigma = sides_before(met, mu, sigma)
    new = _sides_with(new, met)
    for side, which in (("a", slice(0, None, 2)), ("b", slice(1, None, 2))):
        columns |= {f"mu_{side}": mu[which], f"sigma_{side}": sigma[which], f"new_{side}": new[which]}
    by_place = [found.expected, 1.0 - found.expected] + [np.full(len(met.counts), np.nan)] * places
    return columns | {f"place_{k + 1}": by_place[k] for k in range(places)}


def _of_rows(
    system: RatingSystem, met: EventSides, trace: Trace, new: Bools, places: int
) -> dict[str, Floats | Bools]:
    """The columns of rows that are about their own sides."""
    sides = predict_sides(system, met, trace, order_by="mu")
    chances = np.full((len(sides.expected), 3), np.nan)
    matches = met.counts == 2
    if matches.any():
        first = met.offsets[:-1][matches]
        found = predict_matches(system, met, trace)
        chances[first] = found.chances
        chances[first + 1] = found.chances[:, ::-1]
    first_chances(system, met, trace, chances[:, 0])
    placed = np.full((len(chances), places), np.nan)
    if places:
        place_chances(system, met, trace, sides.expected, placed)
    counts = np.repeat(met.counts, met.counts)
    columns = {"expected": sides.expected, **dict(zip(("win", "draw", "loss"), chances.T, strict=True))}
    columns |= {"expected_rank": counts - (counts - 1) * sides.expected, "mu": sides.rating}
    columns |= {"sigma": sides.sigma} if system.has_sigma else {}
    columns |= {"new": _sides_with(new, met), **{f"place_{k + 1}": placed[:, k] for k in range(places)}}
    own = np.empty(len(met.sides.players), np.int64)  # the side of each row
    own[met.sides.players] = np.repeat(np.arange(len(chances)), met.sides.sizes)
    return {name: column[own] for name, column in columns.items()}


def _sides_with(marked: Bools, met: EventSides) -> Bools:
    """The sides that have a marked row."""
    if met.rows_are_sides:
        return marked
    sides: Bools = np.logical_or.reduceat(marked[met.sides.players], met.sides.offsets[:-1])
    return sides


def _joined(player: pl.Series, history: History, side: int) -> pl.Series:
    """The names of the members of one side of each match."""
    if history.side is None:
        return player.gather_every(2, side)
    members = history.side == side
    import polars as pl

    frame = pl.DataFrame({"event": history.event_of_row[members], "player": player.filter(members)})
    return frame.group_by("event", maintain_order=True).agg(pl.col("player").str.join(" + "))["player"]
