"""How ratings went."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import inf
from typing import TYPE_CHECKING, Any

from podium.charts.grammar import HEIGHT, WIDTH, dressed, hints, need, player_colour
from podium.errors import InputError, UnknownPlayerError
from podium.history import History
from podium.history.names import player_name
from podium.text import shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

THIN_LINES_ABOVE_EVENTS = 300
"""With more events of a player than this, dashes would run into each other: lines are thin."""


def rating_history(
    trace: pl.DataFrame, players: str | Sequence[str], *, history: History | None = None
) -> alt.ChartType:
    """Draw ratings over time: one line per player with a band of ± 2σ, and performances as dots.

    `trace` is `Run.trace`; up to seven `players`. If events have no times, x is the number of the player's
    event. With the `history` of the trace, the tooltips in HTML say "rank: 3 of 120" instead of the rank
    alone.
    """
    need("altair")
    import altair as alt

    names = [player_name(p) for p in ([players] if isinstance(players, str) else players)]
    colour = player_colour(names)
    rows, timed = _history_rows(trace, names, history)
    latest = list({row["player"]: row for row in rows}.values())
    has_sigma = any(row["low"] is not None for row in rows)
    has_performance = any(row["performance"] is not None for row in rows)

    x = _moments(rows, timed)

    def y(field: str) -> alt.Y:
        return _height(field, "rating")

    told = hints({"player": "player", "event": "event", "date": "when", "rank": "place"})
    told += hints({"rating": "mu", "sigma": "sigma", "performance": "performance"}, ".1f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
    ends = alt.Chart(alt.InlineData(values=latest)).encode(x=x, color=colour)
    layers, words = [], ["line: rating after each event"]
    if has_sigma:
        layers += [
            base.mark_area(opacity=0.14).encode(y=y("low"), y2="high:Q"),
            ends.mark_rule(strokeWidth=2, opacity=0.6).encode(y=y("low"), y2="high:Q"),
        ]
        words.append("band: ± 2σ")
    if has_performance:
        layers.append(base.mark_circle(size=16, opacity=0.5).encode(y=y("performance")))
        words.append("small dots: performances")
    layers += [
        base.mark_line(strokeWidth=2).encode(y=y("mu"), order="number:Q"),
        base.mark_point(size=60, opacity=0).encode(y=y("mu"), tooltip=told),  # something to point at
        ends.mark_circle(size=60, opacity=1).encode(y=y("mu"), tooltip=told),
    ]
    title = f"Rating of {shorten(names[0])}" if len(names) == 1 else "Ratings"
    return dressed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), title, " · ".join(words))


def smoothed_history(frame: pl.DataFrame, players: str | Sequence[str] | None = None) -> alt.ChartType:
    """Draw smoothed skills over time with a band of ± 2σ, one line per player, and the ratings of the time.

    `frame` is the table of a smoothing, or a part of it; up to seven `players`, by default all in the table.
    If events have no times, x is the number of the player's event.
    """
    need("altair")
    import altair as alt
    import polars as pl

    named = frame["player"].unique(maintain_order=True).to_list() if players is None else players
    names = [player_name(p) for p in ([named] if isinstance(named, str) else named)]
    colour = player_colour(names)
    known = frame.filter(pl.col("player").is_in(names))
    if strangers := [name for name in names if name not in set(known["player"])]:
        raise UnknownPlayerError(f"{shorten(strangers[0])!r} is not in the smoothing")
    shown = known.with_columns(
        *_counted_and_dated(),
        (pl.col("mu_smoothed") - 2 * pl.col("sigma_smoothed")).alias("low"),
        (pl.col("mu_smoothed") + 2 * pl.col("sigma_smoothed")).alias("high"),
    )
    rows, timed = shown.to_dicts(), known["time"].null_count() == 0
    x = _moments(rows, timed)
    told = hints({"player": "player", "event": "event", "date": "when"})
    told += hints({"skill, from all results": "mu_smoothed", "its sigma": "sigma_smoothed"}, ".1f")
    told += hints({"rating then": "mu"}, ".1f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)

    def y(field: str) -> alt.Y:
        return _height(field, "skill")

    many = max(row["number"] for row in rows) > THIN_LINES_ABOVE_EVENTS
    believed: dict[str, Any] = (
        {"strokeWidth": 0.9, "opacity": 0.6} if many else {"strokeWidth": 1.2, "strokeDash": [4, 3]}
    )
    alone = {"color": alt.value("#555555")} if many and len(names) == 1 else {}
    layers = [
        base.mark_area(opacity=0.16).encode(y=y("low"), y2="high:Q"),
        base.mark_line(**believed).encode(y=y("mu"), order="number:Q", **alone),
        base.mark_line(strokeWidth=1.8 if many else 2.5).encode(y=y("mu_smoothed"), order="number:Q"),
        base.mark_point(size=60, opacity=0).encode(y=y("mu_smoothed"), tooltip=told),  # to point at
    ]
    title = f"Skill of {shorten(names[0])}" if len(names) == 1 else "Skills"
    which = ("thin, grey" if alone else "thin") if many else "dashed"
    words = f"line: skill, from all results · band: ± 2σ · {which}: rating then, from results so far"
    return dressed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), title, words)


def _history_rows(
    trace: pl.DataFrame, names: list[str], history: History | None
) -> tuple[list[dict[str, Any]], bool]:
    """The rows of these players as plain dicts, and whether all of them have a time."""
    import polars as pl

    place = pl.col("rank").cast(pl.String)
    if history is not None:
        if history.rows != trace.height:
            raise InputError(f"a history of {history.rows:,} rows for a trace of {trace.height:,}")
        sides = pl.Series(history.sides_per_event[history.event_of_row])
        place = place + pl.lit(" of ") + sides.cast(pl.String)
    frame = trace.with_columns(place.alias("place")).filter(pl.col("player").is_in(names))
    if strangers := [name for name in names if name not in set(frame["player"])]:
        raise UnknownPlayerError(f"{shorten(strangers[0])!r} is not in the trace")
    frame = frame.with_columns(
        *_counted_and_dated(),
        (pl.col("mu") - 2 * pl.col("sigma")).alias("low"),
        (pl.col("mu") + 2 * pl.col("sigma")).alias("high"),
        pl.when(pl.col("performance").is_finite()).then(pl.col("performance")).alias("performance"),
    )
    columns = ["player", "event", "time", "when", "number", "place", "mu", "sigma", "low", "high"]
    return frame.select(*columns, "performance").to_dicts(), frame["time"].null_count() == 0


def _counted_and_dated() -> list[pl.Expr]:
    """Columns: the number of the player's event, and its time as a day and as Vega-Lite reads it."""
    import polars as pl

    return [
        pl.int_range(1, pl.len() + 1).over("player").alias("number"),
        pl.col("time").dt.strftime("%Y-%m-%d").alias("when"),
        pl.col("time").dt.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").alias("time"),
    ]


def _height(field: str, what: str) -> alt.Y:
    """A y axis in points."""
    import altair as alt

    scale, axis = alt.Scale(zero=False), alt.Axis(format="~f")
    return alt.Y(f"{field}:Q", title=f"{what} (points)", scale=scale, axis=axis)


def _moments(rows: list[dict[str, Any]], timed: bool) -> alt.X:
    """The x axis: dates if all events have a time, else the number of the player's event."""
    import altair as alt

    if timed:
        return _dates([datetime.fromisoformat(row["time"]) for row in rows])
    axis = alt.Axis(tickMinStep=1, format="d")
    scale = alt.Scale(zero=False, nice=False)
    return alt.X("number:Q", title="event of the player (number)", scale=scale, axis=axis)


def _dates(moments: list[datetime]) -> alt.X:
    """A UTC axis, labelled as finely as its span allows; a single moment gets days on both sides."""
    import altair as alt

    first, last = min(moments), max(moments)
    scale, days = alt.Scale(type="utc"), (last - first) / timedelta(days=1)
    if not days:
        days = 6
        around = [(first + timedelta(shift)).isoformat() for shift in (-days / 2, days / 2)]
        scale = alt.Scale(type="utc", domain=around)
    detail = next(f for most, f in _DATE_FORMATS if days <= most)
    axis = alt.Axis(tickCount=6, format=detail)
    return alt.X("time:T", title="date (UTC)", scale=scale, axis=axis)


_DATE_FORMATS = ((2.0, "%d %b %H:%M"), (150.0, "%d %b %Y"), (8 * 365.0, "%b %Y"), (inf, "%Y"))
"""How a date is written, by the largest number of days that the axis spans."""
