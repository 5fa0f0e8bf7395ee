"""What all pictures have in common: colours, sizes, axes, words, and a look."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from podium.errors import ParameterError

if TYPE_CHECKING:
    import altair as alt

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555")
"""Okabe and Ito's colours, the darker ones first; yellow is left out, as nobody sees it on white."""
ABOVE, BELOW, INK, GREY = PALETTE[0], PALETTE[1], "#222222", "#777777"
"""Colours: of what is above something, of what is below, of text, and of what serves for comparison."""
LEVEL = PALETTE[5]
"""The colour of what is not shown to be worse than the best, which is blue."""

WIDTH, HEIGHT = 600, 320
"""Size of a chart, in pixels."""
ROW_HEIGHT = 19
"""Height of one row of a list, in pixels."""

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
"""The look of every chart, as Vega-Lite configuration."""


def lines(labels: list[str] | None) -> alt.Y:
    """The y axis of a list, one line per row; rows go by number, so that two labels may be the same."""
    import altair as alt

    if labels is None:
        return alt.Y("row:O", axis=None)
    axis = alt.Axis(labelExpr=f"{json.dumps(labels)}[datum.value]", labelLimit=320, grid=True)
    return alt.Y("row:O", title=None, axis=axis)


def points(field: str, what: str) -> alt.X:
    """An x axis in points."""
    import altair as alt

    scale, axis = alt.Scale(zero=False, padding=10), alt.Axis(tickCount=7, format="~f")
    return alt.X(f"{field}:Q", title=f"{what} (points)", scale=scale, axis=axis)


def hints(fields: Mapping[str, str], numbers: str | None = None) -> list[alt.Tooltip]:
    """Tooltips: titles and the fields behind them; `numbers` is a number format, None for texts."""
    import altair as alt

    if numbers is None:
        return [alt.Tooltip(f"{field}:N", title=title) for title, field in fields.items()]
    return [alt.Tooltip(f"{field}:Q", title=title, format=numbers) for title, field in fields.items()]


def two_sides(field: str) -> alt.Color:
    """A colour by a field that holds "above" or "below"."""
    import altair as alt

    scale = alt.Scale(domain=["above", "below"], range=[ABOVE, BELOW])
    return alt.Color(f"{field}:N", scale=scale, legend=None)


def player_colour(names: Sequence[str]) -> alt.Color:
    """One colour per player, with a legend if there are several."""
    return named_colour("player", names, "players")


def named_colour(field: str, names: Sequence[str], what: str, columns: int = 3) -> alt.Color:
    """One colour per name in a field, with a legend in columns if there are several."""
    import altair as alt

    if not 1 <= len(set(names)) == len(names) <= len(PALETTE):
        raise ParameterError(
            f"{len(names)} {what} for one picture", hint=f"1 to {len(PALETTE)} different ones"
        )
    legend = alt.Legend(symbolType="circle", symbolOpacity=1, columns=columns)
    return alt.Color(
        f"{field}:N",
        scale=alt.Scale(domain=list(names), range=list(PALETTE[: len(names)])),
        legend=None if len(names) == 1 else legend,
    )


def dressed(chart: alt.ChartType, title: str, subtitle: str | list[str]) -> alt.ChartType:
    """The chart with a title, a subtitle and podium's theme."""
    import altair as alt

    words = alt.Title(text=title, subtitle=subtitle)
    said = subtitle if isinstance(subtitle, str) else " · ".join(subtitle)
    return chart.properties(title=words, description=f"{title}. {said}").configure(**THEME)


def need(module: Literal["altair", "vl_convert"]) -> None:
    """Raise an error that says what to install, if a library for charts is missing."""
    try:
        import_module(module)
    except ImportError as error:
        what = "Altair" if module == "altair" else "vl-convert"
        raise ParameterError(
            f"pictures need {what}, which is not installed", hint="pip install 'podium[charts]'"
        ) from error
