"""Histories as tables, nothing left out, so that reading them back gives the same history."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Bools, Longs
from podium.errors import InputError, ParameterError
from podium.history.adjustments import COLUMNS as ADJUSTMENT_COLUMNS
from podium.history.adjustments import IMPORTED, SetRating
from podium.history.history import History


def frame_from_history(history: History, shape: Literal["results", "matches"]) -> pl.DataFrame:
    """A history as a table; see `History.to_frame`."""
    if shape == "matches":
        return _matches(history)
    if shape == "results":
        return _results(history)
    raise ParameterError(f"a table has the shape results or matches, not {shape!r}")


def event_column(history: History) -> pl.Series:
    """The column event: the name of each event, or its number if events have no names."""
    if history.event_names is not None:
        return pl.Series("event", history.event_names, dtype=pl.String)
    numbers = pl.int_range(history.first_number, history.first_number + len(history), eager=True)
    return numbers.cast(pl.String).alias("event")


def time_column(times: Longs) -> pl.Series:
    """Times as datetimes in UTC; null where there is no time."""
    column = pl.Series("time", times, dtype=pl.Int64)
    return column.set(column == NO_TIME, None).cast(pl.Datetime("us", "UTC"))


def row_column(history: History) -> pl.Series:
    """The column row: the row of the table that each row comes from, counted from 0; null if unknown."""
    if history.origin is None:
        return pl.Series("row", [None], pl.Int32).new_from_index(0, history.rows)
    column = pl.Series("row", history.origin, pl.Int32)
    return column.set(column < 0, None)


def name_column(history: History) -> pl.Series:
    """The column player: the name of the player of each row."""
    return pl.Series("player", history.players.to_list(), dtype=pl.String).gather(history.player)


def team_column(history: History) -> pl.Series:
    """What the data calls the teams, or else their numbers."""
    assert history.side is not None
    numbers = pl.Series("team", history.side + 1).cast(pl.String)
    if history.team is None:
        return numbers
    known = pl.Series("team", history.team_names or (), dtype=pl.String)
    return known.gather(pl.Series(history.team).replace(-1, None))


# ------------------------------------------------------------------ results


def _results(history: History) -> pl.DataFrame:
    event = history.event_of_row
    timed = any(placed.time != NO_TIME for placed in history.adjustments) or np.any(history.time != NO_TIME)
    columns = [
        _distinct(history).gather(event),
        *([time_column(history.time).gather(event)] if timed else []),
        name_column(history),
        pl.Series("rank", history.rank),
    ]
    if history.score is not None:
        columns.append(pl.Series("score", history.score).fill_nan(None))
    if history.share is not None:
        columns.append(pl.Series("share", history.share).fill_nan(None))
    if history.side is not None:
        columns.append(team_column(history))
    if history.home is not None:
        columns.append(pl.Series("home", _at_home(history)))
    if history.unrated is not None:
        columns.append(pl.Series("rated", ~history.unrated))
    if history.play is not None:
        columns.append(pl.Series("play", history.play))
    if history.weight is not None:
        columns.append(pl.Series("weight", history.weight[event]))
    if history.ceiling is not None:
        columns.append(_ceiling_column(history).gather(event))
    frame = pl.DataFrame(columns)
    return _with_adjustments(frame, history) if history.adjustments else frame


def _distinct(history: History) -> pl.Series:
    """Names of events, as rows of one name are one event: the second final becomes "final (2)"."""
    names = event_column(history)
    if history.event_names is None or names.is_unique().all():
        return names
    used = set(names)
    met: dict[str, int] = {}
    fresh = []
    for name in names:
        count = met[name] = met.get(name, 0) + 1
        label = name
        while count > 1 and label in used:
            label = f"{name} ({count})"
            count += 1
        used.add(label)
        fresh.append(label)
    return pl.Series(names.name, fresh, dtype=pl.String)


def _at_home(history: History) -> Bools:
    """Every row of the side at home."""
    assert history.home is not None
    event = history.event_of_row
    marked: Bools = history.home[event] == history.player
    if history.side is not None:
        side = np.full(len(history), -1, np.int32)
        side[event[marked]] = history.side[marked]
        marked = side[event] == history.side
    return marked


def _ceiling_column(history: History) -> pl.Series:
    ceiling = pl.Series("ceiling", history.ceiling)
    return ceiling.set(ceiling.is_infinite(), None)


def _with_adjustments(frame: pl.DataFrame, history: History) -> pl.DataFrame:
    """The table with a row for each adjustment, before the event that it precedes."""
    given = (placed.adjustment for placed in history.adjustments if isinstance(placed.adjustment, SetRating))
    imported = {name for one in given for name in IMPORTED if getattr(one, name) is not None}
    columns = [name for name in ADJUSTMENT_COLUMNS if name not in IMPORTED or name in imported]
    rows = [
        {
            "place": int(history.offsets[placed.before]),
            "time": placed.time,
            "adjustment": placed.adjustment.kind,
            **{name: getattr(placed.adjustment, name, None) for name in ("player", *columns)},
        }
        for placed in history.adjustments
    ]
    schema = {"place": pl.Int64, "time": pl.Int64, "adjustment": pl.String, "player": pl.String}
    whole = {"into": pl.String, "events": pl.Int64}
    schema |= {name: whole.get(name, pl.Float64) for name in columns}
    extra = pl.DataFrame(rows, schema=schema, strict=False).with_columns(pl.lit(0).alias("order"))
    extra = extra.with_columns(time_column(extra["time"].to_numpy()))
    extra = extra if "time" in frame.columns else extra.drop("time")
    numbered = frame.with_columns(pl.int_range(pl.len()).alias("place"), pl.lit(1).alias("order"))
    merged = pl.concat([extra, numbered], how="diagonal").sort("place", "order", maintain_order=True)
    return merged.select(*frame.columns, "adjustment", *columns)


# ------------------------------------------------------------------ matches


def _matches(history: History) -> pl.DataFrame:
    if reason := _why_not_matches(history):
        raise InputError(reason, hint="write the table with the shape results")
    names = name_column(history)
    columns = [event_column(history)] if history.event_names is not None else []
    if np.any(history.time != NO_TIME):
        columns.append(time_column(history.time))
    columns += [names.gather_every(2).alias("player_a"), names.gather_every(2, 1).alias("player_b")]
    if history.score is not None:
        columns += [pl.Series("score_a", history.score[::2]), pl.Series("score_b", history.score[1::2])]
    else:
        outcome = (1.0 + np.sign(history.rank[1::2] - history.rank[::2])) / 2.0
        if history.share is not None:
            outcome = np.where(np.isnan(history.share[::2]), outcome, history.share[::2])
        columns.append(pl.Series("score_a", outcome))
    if history.unrated is not None:
        columns.append(pl.Series("rated", ~history.unrated[::2]))
    if history.weight is not None:
        columns.append(pl.Series("weight", history.weight))
    if history.ceiling is not None:
        columns.append(_ceiling_column(history))
    if history.home is not None and np.any(history.home == history.player[1::2]):
        host = pl.Series("home", history.home)
        players = pl.Series("home", history.players.to_list(), dtype=pl.String)
        columns.append(players.gather(host.set(host < 0, None)))
    else:
        neutral = np.ones(len(history), np.bool_) if history.home is None else history.home < 0
        columns.append(pl.Series("neutral", neutral))
    return pl.DataFrame(columns)


def _why_not_matches(history: History) -> str | None:
    """What a history has that a table of matches has no place for."""
    if np.any(history.sizes != 2) or np.any(history.sides_per_event != 2):
        return "not every event is a match of two players"
    if history.adjustments:
        return "a table of matches cannot hold adjustments"
    if history.unrated is not None and np.any(history.unrated[::2] != history.unrated[1::2]):
        return "a table of matches cannot hold an unrated player"
    if history.play is not None and np.any(history.play != 1.0):
        return "a table of matches cannot hold a player who played only a part"
    if history.score is not None and history.share is not None:
        return "a table of matches cannot hold both scores and shares"
    if history.score is not None and np.any(np.isnan(history.score)):
        return "some matches have scores and some have none"
    for name, points in (("score", history.score), ("share", history.share)):
        if points is not None:
            one, other = points[::2], points[1::2]
            margin = (one > other).astype(np.int8) - (one < other)
            lead = np.sign(history.rank[1::2] - history.rank[::2])
            if np.any((margin != lead) & ~np.isnan(one)):
                return f"the lower {name} is ranked first or level, which a table of matches cannot show"
    return None
