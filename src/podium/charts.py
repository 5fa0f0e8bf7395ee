"""One grammar for every picture: the same colours, words and sizes, whatever is shown.

A rating is a blue dot or line; ± 2σ around it is where the true skill is with a chance of about 95%; what is
above something is blue and what is below is orange, colours that nearly everybody can tell apart. Charts are
Altair's and may be changed like any other. `save` writes them as PNG, SVG or HTML, `page` puts several into
one document; neither needs a browser or the network, to be made or to be read.

>>> import podium
>>> from podium import charts
>>> history = podium.History.from_matches(["ann", "bob", "ann"], ["bob", "ann", "bob"])
>>> run = podium.rate(history, podium.Glicko(), trace=True)
>>> chart = charts.rating_history(run.trace, ["ann", "bob"])
>>> charts.save(chart, "history.tiff")
Traceback (most recent call last):
podium.errors.ParameterError: a picture cannot be written as .tiff
  hint: give a name that ends in .png, .svg or .html
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from podium.errors import InputError, ParameterError, UnknownPlayerError, shorten
from podium.history import History
from podium.history.names import player_name
from podium.history.times import NO_TIME, to_iso
from podium.io.atomic import replacing
from podium.ratings import Contribution, Explanation, Performance, PerformanceExplanation

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555")
"""Okabe and Ito's colours, the darker ones first; yellow is left out, as nobody sees it on white."""
ABOVE, BELOW, INK = PALETTE[0], PALETTE[1], "#222222"

WIDTH, HEIGHT = 600, 320
ROW = 19
"""Height of one line of a list, in pixels."""
MOST_ROWS = 25
"""Single results shown of an explanation; the earlier ones become one line."""

_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
_LABELS = {"labelFontSize": 12, "titleFontSize": 12, "labelColor": INK, "titleColor": INK}
THEME: dict[str, Any] = {
    "background": "white",
    "font": _FONT,
    "padding": 12,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "frame": "bounds",
        "color": INK,
        "fontSize": 16,
        "subtitleColor": "#555555",
        "subtitleFontSize": 12,
        "subtitlePadding": 5,
        "offset": 12,
    },
    "axis": {**_LABELS, "titleFontWeight": "normal", "titlePadding": 8, "gridColor": "#e6e6e6"},
    "axisX": {"domainColor": "#888888", "tickColor": "#888888", "labelFlush": False},
    "axisY": {"domain": False, "ticks": False, "labelPadding": 6},
    "legend": {**_LABELS, "orient": "top", "labelLimit": 180, "columns": 3, "title": None},
    "text": {"fontSize": 12, "color": INK},
}
"""What every picture looks like, in the words of Vega-Lite's configuration."""


# ------------------------------------------------------------------ the pictures


def rating_history(
    trace: pl.DataFrame, players: str | Sequence[str], *, history: History | None = None
) -> alt.ChartType:
    """How ratings went: a line a player with ± 2σ around it, and performances as dots where there are any.

    `trace` is a run's. Where events have no times, the number of the player's event stands instead. Given the
    `history` of the trace, pointing at a rating in HTML tells "rank: 3 of 120", and else the rank alone.
    """
    _need("altair")
    import altair as alt

    names = [player_name(p) for p in ([players] if isinstance(players, str) else players)]
    if not 1 <= len(set(names)) == len(names) <= len(PALETTE):
        raise ParameterError(
            f"{len(names)} players for one picture", hint=f"1 to {len(PALETTE)} different ones"
        )
    rows, timed = _history_rows(trace, names, history)
    latest = list({row["player"]: row for row in rows}.values())
    has_sigma = any(row["low"] is not None for row in rows)
    has_performance = any(row["performance"] is not None for row in rows)

    colour = alt.Color(
        "player:N",
        scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])),
        legend=None if len(names) == 1 else alt.Legend(symbolType="circle", symbolOpacity=1),
    )
    if timed:
        x = _dates([datetime.fromisoformat(row["time"]) for row in rows])
    else:
        axis = alt.Axis(tickMinStep=1, format="d")
        scale = alt.Scale(zero=False, nice=False)
        x = alt.X("number:Q", title="event of the player (number)", scale=scale, axis=axis)

    def y(field: str) -> alt.Y:
        axis = alt.Axis(format="~f")
        return alt.Y(f"{field}:Q", title="rating (points)", scale=alt.Scale(zero=False), axis=axis)

    hints = _hints({"player": "player", "event": "event", "date": "when", "rank": "place"})
    hints += _hints({"rating": "mu", "sigma": "sigma", "performance": "performance"}, ".1f")
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
        base.mark_point(size=60, opacity=0).encode(y=y("mu"), tooltip=hints),  # something to point at
        ends.mark_circle(size=60, opacity=1).encode(y=y("mu"), tooltip=hints),
    ]
    title = f"Rating of {shorten(names[0])}" if len(names) == 1 else "Ratings"
    return _dressed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), title, " · ".join(words))


def explanation(explained: Explanation | PerformanceExplanation) -> alt.ChartType:
    """Why a rating is what it is: the performances it is an average of, or the changes it is a sum of.

    What a ladder's `explain` gives. Of more than 25 results the latest are shown one by one, and the earlier
    ones together in one line.
    """
    _need("altair")
    if isinstance(explained, PerformanceExplanation):
        return _average(explained)
    if isinstance(explained, Explanation):
        return _waterfall(explained)
    raise ParameterError("there is a picture of a whole rating, not of one event", hint="explain(player)")


def leaderboard(frame: pl.DataFrame, *, top: int = 30) -> alt.ChartType:
    """The best of a ladder's `leaderboard`: ratings with ± 2σ, and the numbers displayed beside them."""
    _need("altair")
    import altair as alt

    if not frame.height or top < 1:
        raise ParameterError("there is nobody to show")
    rows = [
        {
            "row": number,
            "player": row["player"],
            "mu": row["mu"],
            "sigma": row["sigma"],
            "low": None if row["sigma"] is None else row["mu"] - 2 * row["sigma"],
            "high": None if row["sigma"] is None else row["mu"] + 2 * row["sigma"],
            "display": row["display"],
            "place": row["place"],
            "events": row["events"],
        }
        for number, row in enumerate(frame.head(top).iter_rows(named=True))
    ]
    has_sigma = any(row["low"] is not None for row in rows)
    hints = _hints({"place": "place", "player": "player", "events": "events"})
    hints += _hints({"rating": "mu", "sigma": "sigma", "displayed": "display"}, ".1f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=_lines([f"{row['place']}. {shorten(row['player'], 36)}" for row in rows]), tooltip=hints
    )
    layers, words = [], ["dot: rating"]
    if has_sigma:
        bars = base.mark_rule(strokeWidth=4, opacity=0.35, color=ABOVE)
        layers.append(bars.encode(x=_points("low", "rating"), x2="high:Q"))
        words.append("bar: ± 2σ")
    layers += [
        base.mark_circle(size=70, opacity=1, color=ABOVE).encode(x=_points("mu", "rating")),
        base.mark_text(align="right").encode(
            x=alt.value(0.8 * WIDTH + 50), text=alt.Text("display:Q", format=".0f")
        ),
    ]
    words.append("number: as displayed")
    chart = alt.layer(*layers).properties(width=0.8 * WIDTH, height=alt.Step(ROW))
    return _dressed(chart, "Leaderboard", " · ".join(words))


# ------------------------------------------------------------------ what they are made of


def _history_rows(
    trace: pl.DataFrame, names: list[str], history: History | None
) -> tuple[list[dict[str, Any]], bool]:
    """Each row of these players as what a chart shows of it, and whether all of them have a time."""
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
        pl.int_range(1, pl.len() + 1).over("player").alias("number"),
        (pl.col("mu") - 2 * pl.col("sigma")).alias("low"),
        (pl.col("mu") + 2 * pl.col("sigma")).alias("high"),
        pl.when(pl.col("performance").is_finite()).then(pl.col("performance")).alias("performance"),
        pl.col("time").dt.strftime("%Y-%m-%d").alias("when"),
        pl.col("time").dt.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").alias("time"),
    )
    columns = ["player", "event", "time", "when", "number", "place", "mu", "sigma", "low", "high"]
    return frame.select(*columns, "performance").to_dicts(), frame["time"].null_count() == 0


def _dates(moments: list[datetime]) -> alt.X:
    """Days in UTC, as exact as the time they span asks for; around a single moment, days on both sides."""
    import altair as alt

    first, last = min(moments), max(moments)
    scale, days = alt.Scale(type="utc"), (last - first) / timedelta(days=1)
    if not days:
        days = 6
        around = [(first + timedelta(shift)).isoformat() for shift in (-days / 2, days / 2)]
        scale = alt.Scale(type="utc", domain=around)
    detail = next(f for most, f in _DETAIL if days <= most)
    axis = alt.Axis(tickCount=6, format=detail)
    return alt.X("time:T", title="date (UTC)", scale=scale, axis=axis)


_DETAIL = ((2.0, "%d %b %H:%M"), (150.0, "%d %b %Y"), (8 * 365.0, "%b %Y"), (inf, "%Y"))
"""How a day is written where so many days are shown."""


def _average(explained: PerformanceExplanation) -> alt.ChartType:
    """Each performance where it was, and beside it how much of the rating it is."""
    import altair as alt

    mu = explained.rating.mu
    earlier = explained.performances[: -(MOST_ROWS - 1)] if len(explained.performances) > MOST_ROWS else ()
    parts = [
        ("start", explained.start, explained.start_share),
        ("older results", explained.older, explained.older_share),
    ]
    if earlier:
        share = sum(p.share for p in earlier)
        middle = sum(p.share * p.performance for p in earlier) / share if share else mu
        parts.append((f"{len(earlier)} earlier results, on average", middle, share))
    parts = [part for part in parts if part[2] > 0.0]
    parts += [(_named(p), p.performance, p.share) for p in explained.performances[len(earlier) :]]
    rows: list[dict[str, Any]] = [
        {
            "row": number,
            "what": what,
            "performance": value,
            "share": 100.0 * share,
            "pull": share * (value - mu),
            "rating": mu,
            "side": "below" if value < mu else "above",
        }
        for number, (what, value, share) in enumerate(parts)
    ]
    hints = _hints({"result": "what"})
    hints += _hints({"performance": "performance", "share (%)": "share", "pull (points)": "pull"}, ".2f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(color=_two_sides("side"), tooltip=hints)
    left = base.encode(x=_points("performance", "performance"), y=_lines([row["what"] for row in rows]))
    line = alt.Chart(alt.InlineData(values=rows[:1])).encode(x=_points("rating", "performance"))
    right = base.encode(
        x=alt.X("share:Q", title="share of the rating (%)", axis=alt.Axis(tickCount=4)), y=_lines(None)
    )
    area = alt.Scale(domainMin=0, rangeMin=8, rangeMax=260)
    results = alt.layer(
        left.mark_rule(strokeWidth=1.5, opacity=0.5).encode(x2="rating:Q"),
        line.mark_rule(color=INK, strokeWidth=1.5),
        left.mark_circle(opacity=1).encode(size=alt.Size("share:Q", scale=area, legend=None)),
        line.mark_text(dy=-8).encode(y=alt.value(0), text=alt.value(f"rating {mu:.0f}")),
    )
    numbers = right.mark_text(align="left", dx=4)
    shares = alt.layer(
        right.mark_bar(height=ROW - 7, opacity=0.85),
        numbers.encode(text=alt.Text("share:Q", format=".1f"), color=alt.value(INK)),
    )
    chart = alt.hconcat(
        results.properties(width=0.6 * WIDTH, height=alt.Step(ROW)),
        shares.properties(width=0.25 * WIDTH, height=alt.Step(ROW)),
        spacing=14,
    ).resolve_scale(y="shared", color="shared")
    subtitle = "results right of the line pull the rating up, those left of it down; larger shares pull more"
    return _dressed(chart, f"{shorten(explained.rating.player, 40)}: an average of performances", subtitle)


def _waterfall(explained: Explanation) -> alt.ChartType:
    """From where newcomers start to the rating, one step a result."""
    import altair as alt

    single = explained.contributions
    earlier = single[: -(MOST_ROWS - 1)] if len(single) > MOST_ROWS else ()
    steps = [(explained.older_results, "older results")] if explained.older_results else []
    if earlier:
        steps.append((sum(part.change for part in earlier), f"{len(earlier)} earlier results"))
    steps += [(part.change, _named(part)) for part in single[len(earlier) :]]
    start, end = explained.newcomer, explained.rating.display
    rows: list[dict[str, Any]] = [
        {"what": "where newcomers start", "from": start, "to": start, "said": f"{start:.1f}"}
    ]
    for change, what in steps:
        before = rows[-1]["to"]
        said = f"{change:+.1f}".replace("-", "−")
        rows.append({"what": what, "from": before, "to": before + change, "said": said})
    rows.append({"what": "rating", "from": end, "to": end, "said": f"{end:.1f}"})
    for number, row in enumerate(rows):
        row |= {"row": number, "side": "below" if row["to"] < row["from"] else "above"}
        row["edge"] = max(row["from"], row["to"])
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=_lines([row["what"] for row in rows]), tooltip=_hints({"result": "what", "points": "said"})
    )
    bars = base.mark_bar(height=ROW - 6).encode(
        x=_points("from", "rating"), x2="to:Q", color=_two_sides("side")
    )
    ticks = base.mark_tick(thickness=2, height=ROW - 4, color=INK, opacity=1).encode(
        x=_points("to", "rating")
    )
    text = base.mark_text(align="left", dx=6).encode(x=_points("edge", "rating"), text="said:N")
    chart = alt.layer(bars, ticks, text).properties(width=WIDTH * 0.8, height=alt.Step(ROW))
    return _dressed(
        chart,
        f"{shorten(explained.rating.player, 40)}: a sum of changes",
        "blue steps are points gained, orange ones points lost",
    )


def _named(part: Performance | Contribution) -> str:
    """What to call an event, short enough for a line: with its day, and the player's rank."""
    words = [f"event {part.event}" if part.event.isdecimal() else shorten(part.event, 22)]
    if part.time != NO_TIME:
        words.append(to_iso(part.time)[:10])
    if part.rank is not None:
        words.append(f"rank {part.rank}")
    return " · ".join(words)


def _lines(labels: list[str] | None) -> alt.Y:
    """A list from top to bottom; lines go by number, so that two of them may say the same."""
    import altair as alt

    if labels is None:
        return alt.Y("row:O", axis=None)
    axis = alt.Axis(labelExpr=f"{json.dumps(labels)}[datum.value]", labelLimit=320, grid=True)
    return alt.Y("row:O", title=None, axis=axis)


def _points(field: str, what: str) -> alt.X:
    """A number of points, from left to right."""
    import altair as alt

    scale, axis = alt.Scale(zero=False, padding=10), alt.Axis(tickCount=7, format="~f")
    return alt.X(f"{field}:Q", title=f"{what} (points)", scale=scale, axis=axis)


def _hints(fields: Mapping[str, str], numbers: str | None = None) -> list[alt.Tooltip]:
    """What pointing at something tells: words and the fields behind them, numbers in a format."""
    import altair as alt

    if numbers is None:
        return [alt.Tooltip(f"{field}:N", title=title) for title, field in fields.items()]
    return [alt.Tooltip(f"{field}:Q", title=title, format=numbers) for title, field in fields.items()]


def _two_sides(field: str) -> alt.Color:
    """One colour for what is above, another for what is below."""
    import altair as alt

    scale = alt.Scale(domain=["above", "below"], range=[ABOVE, BELOW])
    return alt.Color(f"{field}:N", scale=scale, legend=None)


def _dressed(chart: alt.ChartType, title: str, subtitle: str) -> alt.ChartType:
    """The chart with its title, in the look of all of them."""
    import altair as alt

    words = alt.Title(text=title, subtitle=subtitle)
    return chart.properties(title=words, description=f"{title}. {subtitle}").configure(**THEME)


# ------------------------------------------------------------------ files and pages


def save(chart: alt.ChartType, path: str | os.PathLike[str]) -> None:
    """Write a chart as .png, .svg or .html, whichever the name ends in, whole or not at all.

    The HTML is one file: it loads nothing, and what one points at tells its numbers.
    """
    suffix = check_path(path)
    content = _png(chart) if suffix == ".png" else (_svg if suffix == ".svg" else _document)(chart).encode()
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def check_path(path: str | os.PathLike[str]) -> str:
    """The suffix of a picture's name; refused, before any work, where nothing could be drawn there."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg", ".html"):
        raise ParameterError(
            f"a picture cannot be written as {suffix or 'a file without a suffix'}",
            hint="give a name that ends in .png, .svg or .html",
        )
    _need("altair")
    _need("vl_convert")
    return suffix


def page(title: str, sections: Sequence[tuple[str, str, alt.ChartType | None]]) -> str:
    """One HTML page of sections, each a heading, a text and perhaps a chart; it loads nothing.

    Texts are plain: nothing in them is taken for HTML, and an empty line begins a new paragraph.
    """
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for number, (heading, text, chart) in enumerate(sections):
        paragraphs = [" ".join(p.split()) for p in re.split(r"\n\s*\n", text) if p.strip()]
        parts += ["<section>", f"<h2>{html.escape(heading)}</h2>"]
        parts += [f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs]
        if chart is not None:
            picture = _with_own_ids(_svg(chart), f"chart{number}")
            parts.append(f'<figure aria-label="{html.escape(heading)}">{picture}</figure>')
        parts.append("</section>")
    return _html(title, "default-src 'none'; style-src 'unsafe-inline'", "\n".join(parts))


def _document(chart: alt.ChartType) -> str:
    """A page of one chart that answers to the mouse, with all it needs inside."""
    _need("vl_convert")
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_vega_lite())
    spec = chart.to_dict()
    data = json.dumps(spec).replace("<", "\\u003c")  # so that no name can end the script
    menu = {"export": True, "source": False, "compiled": False, "editor": False}
    options = json.dumps({"actions": menu, "renderer": "svg"})
    allowed = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
    allowed += "script-src 'unsafe-inline' 'unsafe-eval'"
    body = f"<figure id='chart'></figure>\n<script>{bundle}</script>\n"
    body += f"<script>vegaEmbed('#chart', {data}, {options});</script>"
    title = spec.get("title", "podium")
    return _html(str(title["text"] if isinstance(title, dict) else title), allowed, body)


def _html(title: str, allowed: str, body: str) -> str:
    """A document; `allowed` is what a browser may load and run for it: nothing from elsewhere."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{html.escape(allowed)}">
<title>{html.escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, Arial, sans-serif; color: #222; background: #f6f6f4; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; max-width: 42rem; overflow-wrap: anywhere; }
figure { margin: 1rem 0; padding: .25rem; background: #fff; border-radius: .4rem; overflow-x: auto; }
figure svg { display: block; max-width: 100%; min-width: 38rem; height: auto; }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #1c1c1e; } }
"""


def _png(chart: alt.ChartType) -> bytes:
    """At twice the size, which is sharp on today's screens and on paper."""
    _need("vl_convert")
    import vl_convert

    return vl_convert.vegalite_to_png(chart.to_dict(), vl_version=_vega_lite(), scale=2)


def _svg(chart: alt.ChartType) -> str:
    _need("vl_convert")
    import vl_convert

    return vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=_vega_lite())


def _with_own_ids(svg: str, prefix: str) -> str:
    """The picture with ids that no other picture of the page has, and the same ones every time."""
    ids: dict[str, str] = {}

    def renamed(tag: re.Match[str]) -> str:
        return re.sub(
            r'(\bid="|url\(#|href="#)([^")]+)',
            lambda found: found[1] + ids.setdefault(found[2], f"{prefix}-{len(ids)}"),
            tag[0],
        )

    return re.sub(r"<[^>]*>", renamed, svg)


def _vega_lite() -> str:
    """The version of Vega-Lite that Altair speaks, as vl-convert names it."""
    import altair as alt

    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def _need(module: Literal["altair", "vl_convert"]) -> None:
    try:
        import_module(module)
    except ImportError as error:
        what = "Altair" if module == "altair" else "vl-convert"
        raise ParameterError(
            f"pictures need {what}, which is not installed", hint="pip install 'podium[charts]'"
        ) from error
