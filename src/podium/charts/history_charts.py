"""How ratings went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from podium.charts.grammar import GREY, HEIGHT, WIDTH, dressed, hints, need, player_colour
from podium.errors import InputError, UnknownPlayerError
from podium.history import History, Release, Rename, Reset
from podium.history.adjustments import names_meant, rows_under_all_names
from podium.history.names import player_name
from podium.history.times import Time, to_micros
from podium.tables.given_frames import takes_any_frame
from podium.text import shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from podium.ladder.bulk import Run

THIN_LINES_ABOVE_EVENTS = 300
"""With more events of a player than this, dashes and dots would run into each other: lines are thin."""
MOST_BANDS = 3
"""Bands of different colours that one can still tell apart where they lie upon each other."""
BAR_STEP = 6
"""Pixels between two bars right of a chart."""


@takes_any_frame
def rating_history(
    trace: pl.DataFrame | Run,
    players: str | Sequence[str],
    *,
    history: History | None = None,
    since: Time | None = None,
) -> alt.ChartType:
    """Draw displayed ratings over time: one line per player with a band of mu ± 2σ, and performances as dots.

    `trace` is a `Run` or its `trace`; up to seven `players`. Only events from the time `since` on are shown.
    If events have no times, x is the number of the player's event. A `Run` draws each adjustment (a rating
    that was set, a reset, a merge) as a dashed line at which the rating jumps. Events under earlier names
    belong to a player's line too, and the tooltips in HTML say "rank: 3 of 120". A `trace` does so with its
    `history`, which is refused if it adjusts a rating: only a `Run` has the ratings before and after that.

    The bands of more than three players would hide each other: deviations are then bars on the right, and
    there are no dots.
    """
    need("altair")
    import altair as alt

    names = [player_name(p) for p in ([players] if isinstance(players, str) else players)]
    colour = player_colour(names)
    rows, jumps, timed = _history_rows(trace, names, history)
    if since is not None:
        rows, jumps = _since(rows, since), _since(jumps, since)
        if not rows:
            raise InputError(f"there is no event since {since}", hint="their last events are earlier")
    latest = list({row["player"]: row for row in rows}.values())
    has_sigma = any(row["low"] is not None for row in rows)
    many = max(Counter(row["player"] for row in rows).values()) > THIN_LINES_ABOVE_EVENTS
    crowded = many or len(names) > MOST_BANDS
    has_performance = not crowded and any(row["performance"] is not None for row in rows)

    x = _moments(rows, timed)

    def y(field: str) -> alt.Y:
        return _height(field, "rating")

    told = hints({"player": "player", "event": "event", "date": "when", "rank": "place"})
    told += hints({"rating": "display", "mu": "mu", "sigma": "sigma", "performance": "performance"}, ".1f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
    ends = alt.Chart(alt.InlineData(values=latest)).encode(x=x, color=colour)
    layers, words = [], ["line: rating after each event"]
    if jumps:
        adjusted = alt.Chart(alt.InlineData(values=jumps)).encode(x=x, tooltip=hints({"adjusted": "event"}))
        layers.append(adjusted.mark_rule(color=GREY, strokeDash=[4, 3]))
    if has_sigma and len(names) <= MOST_BANDS:
        layers.append(base.mark_area(opacity=0.14).encode(y=y("low"), y2="high:Q"))
        words.append("band: mu ± 2σ")
    elif has_sigma:
        words.append("bars on the right: mu ± 2σ at the end")
    if has_sigma:
        layers += [
            alt.Chart(alt.InlineData(values=[row]))
            .mark_rule(strokeWidth=2, opacity=0.6)
            .encode(x=place, color=colour, y=y("low"), y2="high:Q")
            for row, place in zip(latest, [x] if len(latest) == 1 else _beside(len(latest)), strict=True)
        ]
    if has_performance:
        layers.append(base.mark_circle(size=16, opacity=0.5).encode(y=y("performance")))
        words.append("small dots: performances")
    words += ["dashed: adjusted by hand"] if jumps else []
    layers += [
        base.mark_line(strokeWidth=1.2 if many else 2).encode(y=y("display"), order="number:Q"),
        base.mark_point(size=60, opacity=0).encode(y=y("display"), tooltip=told),  # something to point at
        ends.mark_circle(size=60, opacity=1).encode(y=y("display"), tooltip=told),
    ]
    title = f"Rating of {shorten(names[0])}" if len(names) == 1 else "Ratings"
    return dressed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), title, " · ".join(words))


def _beside(bars: int) -> list[Any]:
    """Places for bars right of a chart, beside each other: lines often end at the same date."""
    import altair as alt

    return [alt.value(WIDTH + BAR_STEP * number) for number in range(1, bars + 1)]


@takes_any_frame
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
        pl.int_range(1, pl.len() + 1).over("player").alias("number"),
        *_dated(),
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
    words = f"line: skill, from all results · band: ± 2σ · {which}: rating at that time, from earlier results"
    return dressed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), title, words)


def _history_rows(
    traced: pl.DataFrame | Run, names: list[str], history: History | None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], bool]:
    """The rows of these players as plain dicts; the adjustments among them; and whether all have a time."""
    import polars as pl

    trace = traced if isinstance(traced, pl.DataFrame) else traced.trace
    if history is not None and history.rows != trace.height:
        raise InputError(f"the history has {history.rows:,} rows, and the trace has {trace.height:,}")
    if not isinstance(traced, pl.DataFrame):
        frame = pl.concat(traced.history(name) for name in names)
    elif history is not None:
        frame = pl.concat(_rows_under_all_names(trace, history, name) for name in names)
    else:
        frame = pl.concat(trace.filter(pl.col("player") == name) for name in names)
        frame = frame.with_columns(pl.lit(None).alias("sides"))
    if strangers := [name for name in names if name not in set(frame["player"])]:
        raise UnknownPlayerError(f"{shorten(strangers[0])!r} is not in the trace")
    if "rated" in frame.columns:
        frame = frame.filter("rated")
        if guests := [name for name in names if name not in set(frame["player"])]:
            raise InputError(f"no event has counted for {shorten(guests[0])!r}", hint="name others")
    rank, sides = pl.col("rank").cast(pl.String), pl.col("sides").cast(pl.String)
    performance = pl.col("performance")
    frame = frame.with_columns(
        *_dated(),
        pl.when(pl.col("rank") <= pl.col("sides"))  # else the rank is that of a larger field
        .then(pl.concat_str(rank, pl.lit(" of "), sides))
        .otherwise(rank)
        .alias("place"),
        pl.when(performance.is_finite()).then(performance).alias("performance"),
    )
    of_events = frame if "adjustment" not in frame.columns else frame.filter(pl.col("adjustment").is_null())
    timed = (of_events if len(of_events) else frame)["time"].null_count() == 0
    rows: list[dict[str, Any]] = []
    jumps: list[dict[str, Any]] = []
    for _, own in groupby(frame.to_dicts(), itemgetter("player")):
        rows += _numbered(list(own), jumps)
    for row in rows:
        for edge, deviations in (("low", -2.0), ("high", 2.0)):
            row[edge] = None if row["sigma"] is None else row["mu"] + deviations * row["sigma"]
    kept = ("player", "event", "time", "when", "number", "place", "display", "mu", "sigma", "low", "high")
    return [{name: row[name] for name in (*kept, "performance")} for row in rows], jumps, timed


def _since(rows: list[dict[str, Any]], time: Time) -> list[dict[str, Any]]:
    first = to_micros(time)
    return [row for row in rows if row["time"] is not None and to_micros(row["time"]) >= first]


def _rows_under_all_names(trace: pl.DataFrame, history: History, player: str) -> pl.DataFrame:
    """The rows of a player in a trace; refuses a history that adjusts the player's rating."""
    import polars as pl

    rows = rows_under_all_names(history, player)
    first = int(history.event_of_row[rows[0]])
    for placed, name in zip(history.adjustments, names_meant(history, player)[1:], strict=True):
        one = placed.adjustment
        concerns = placed.before > first if isinstance(one, Reset) else name in one.players
        if concerns and not isinstance(one, (Rename, Release)):
            raise InputError(
                f"the history adjusts the rating of {shorten(player)!r} ({one.describe()}), and the "
                "trace has no row for it",
                hint="give the run instead of its trace",
            )
    sides = pl.Series("sides", history.sides_per_event[history.event_of_row[rows]])
    return trace[rows].with_columns(pl.lit(player).alias("player"), sides)


def _numbered(own: list[dict[str, Any]], jumps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of one player with the number of each event; two for each adjustment, before and after it.

    The later one of each two is added to `jumps`, to mark where it was.
    """
    found: list[dict[str, Any]] = []
    events = [row for row in own if row.get("adjustment") is None]
    behind = 0
    for is_event, group in groupby(own, lambda row: row.get("adjustment") is None):
        here = list(group)
        if is_event:
            found += [{**row, "number": behind + number} for number, row in enumerate(here, start=1)]
            behind += len(here)
            continue
        for number, row in enumerate(here, start=1):
            at = {**row, "number": behind + number / (len(here) + 1), "event": row["adjustment"]}
            if row["time"] is None and events:  # drawn where the next event is
                near = events[min(behind, len(events) - 1)]
                at |= {"time": near["time"], "when": near["when"]}
            before = {name: row[f"{name}_before"] for name in ("display", "mu", "sigma")}
            found += [{**at, **before}, at]
            jumps.append(at)
    return found


def _dated() -> list[pl.Expr]:
    """Columns: the time of an event as a day and as Vega-Lite reads it."""
    import polars as pl

    return [
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
        before = min(timedelta(days / 2), first - datetime.min.replace(tzinfo=UTC))  # no date is earlier
        around = [first - before, first + timedelta(days / 2)]
        scale = alt.Scale(type="utc", domain=[moment.isoformat() for moment in around])
    detail = next(f for most, f in _DATE_FORMATS if days <= most)
    axis = alt.Axis(tickCount=6, format=detail)
    return alt.X("time:T", title="date (UTC)", scale=scale, axis=axis)


_DATE_FORMATS = ((2.0, "%d %b %H:%M"), (150.0, "%d %b %Y"), (8 * 365.0, "%b %Y"), (inf, "%Y"))
"""How a date is written, by the largest number of days that the axis spans."""
