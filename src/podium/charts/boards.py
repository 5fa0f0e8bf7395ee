"""The best, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.charts.grammar import ABOVE, ROW, WIDTH, dressed, hints, lines, need, points
from podium.errors import ParameterError, shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


def leaderboard(frame: pl.DataFrame, *, top: int = 30) -> alt.ChartType:
    """The best of a ladder's `leaderboard`: ratings with ± 2σ, and the numbers displayed beside them."""
    need("altair")
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
    words.append("number: as displayed")
    chart = alt.layer(*layers).properties(width=0.8 * WIDTH, height=alt.Step(ROW))
    return dressed(chart, "Leaderboard", " · ".join(words))
