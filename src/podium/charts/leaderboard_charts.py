"""The best side by side, and everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats
from podium.charts.grammar import ABOVE, HEIGHT, INK, ROW_HEIGHT, WIDTH, dressed, hints, lines, need, points
from podium.errors import ParameterError
from podium.tables.given_frames import takes_any_frame
from podium.text import counted, shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


@takes_any_frame
def leaderboard(frame: pl.DataFrame, *, top: int = 30) -> alt.ChartType:
    """Draw the first `top` rows of `Ladder.leaderboard`: ratings with ± 2σ, and the displayed numbers."""
    need("altair")
    import altair as alt

    if not frame.height or top < 1:
        raise ParameterError("there are no players to show")
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
    told = hints({"place": "place", "player": "player", "events": "events"})
    told += hints({"rating": "mu", "sigma": "sigma", "displayed": "display"}, ".1f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=lines([f"{row['place']}. {shorten(row['player'], 36)}" for row in rows]), tooltip=told
    )
    layers, words = [], ["dot: rating"]
    if has_sigma:
        bars = base.mark_rule(strokeWidth=4, opacity=0.35, color=ABOVE)
        layers.append(bars.encode(x=points("low", "rating"), x2="high:Q"))
        words.append("bar: ± 2σ")
    layers += [
        base.mark_circle(size=70, opacity=1, color=ABOVE).encode(x=points("mu", "rating")),
        base.mark_text(align="right").encode(
            x=alt.value(0.8 * WIDTH + 50), text=alt.Text("display:Q", format=".0f")
        ),
    ]
    words.append("number: displayed rating")
    chart = alt.layer(*layers).properties(width=0.8 * WIDTH, height=alt.Step(ROW_HEIGHT))
    return dressed(chart, "Leaderboard", " · ".join(words))


@takes_any_frame
def ratings_spread(frame: pl.DataFrame, *, min_events: int = 1) -> alt.ChartType:
    """Draw a histogram of the displayed ratings in the `ratings` of a run or a ladder.

    Only players with at least `min_events` events count. The dashed line is the median. The bars at the ends
    include players who are far from all others.
    """
    need("altair")
    import altair as alt
    import polars as pl

    shown = frame.filter(pl.col("events") >= min_events)["display"].to_numpy()
    if not len(shown):
        raise ParameterError(
            "there are no players to show", hint=f"at least {min_events} events are required"
        )
    edges = _bins(shown)
    counts = np.histogram(np.clip(shown, edges[0], edges[-1]), bins=edges)[0]
    rows = [
        {"from": low, "to": high, "players": count, "part": 100.0 * count / len(shown)}
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    ]
    median = float(np.median(shown))
    digits = ".1f" if edges[1] - edges[0] < 1.0 else ".0f"
    told = hints({"from": "from", "to": "to"}, digits) + hints({"players": "players"}, ",d")
    told += hints({"percent": "part"}, ".1f")
    x = points("from", "rating displayed")
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(color=ABOVE, opacity=0.75)
        .encode(
            x=x.bin("binned"),
            x2="to:Q",
            y=alt.Y("players:Q", title="players", axis=alt.Axis(format=",d", tickMinStep=1)),
            tooltip=told,
        )
    )
    middle = alt.Chart(alt.InlineData(values=[{"from": median}])).encode(x=points("from", "rating displayed"))
    layers = [bars, middle.mark_rule(color=INK, strokeDash=[4, 3], strokeWidth=1.5)]
    words = f"{len(shown):,} players with {min_events} events or more · dashed: the median, {median:{digits}}"
    if min_events < 2:
        words = f"{len(shown):,} players · dashed: the median, {median:{digits}}"
    if outside := int(np.sum((shown < edges[0]) | (shown > edges[-1]))):
        words += f" · the bars at the ends include {counted(outside, 'player')} outside"
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return dressed(chart, "Distribution of ratings", words)


def _bins(values: Floats) -> Floats:
    """Edges of about thirty bins at round numbers; far outliers are counted in the bins at the ends."""
    low, high = np.quantile(values, [0.01, 0.99])
    reach = 0.5 * (high - low)
    low, high = max(values.min(), low - reach), min(values.max(), high + reach)
    rough = max(high - low, 1e-9) / 30.0
    step = min((m * 10.0 ** np.floor(np.log10(rough)) for m in (1, 2, 5, 10)), key=lambda s: abs(s - rough))
    edges: Floats = step * np.arange(np.floor(low / step), np.floor(high / step) + 2)
    return edges
