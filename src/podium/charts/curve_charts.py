"""Curves and dots of any table: what is left when a picture has no shape of its own.

How ratings answer to results.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.charts.grammar import ABOVE, GREY, HEIGHT, INK, PALETTE, WIDTH, dressed, hints, named_colour, need
from podium.errors import InputError, ParameterError
from podium.text import shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


MAX_ROWS = 50_000
"""Rows that a chart may have: more make files that nobody can open, and points nobody sees."""


@dataclass(frozen=True)
class Axis:
    """A column of the table, and how its axis looks."""

    field: str
    title: str
    """Title of the axis, with its unit: "rating (points)"."""
    log: bool = False
    domain: tuple[float, float] | None = None
    """Ends of the axis. Default: those of the data."""
    format: str = "~f"
    """Number format of the labels, in d3's notation."""
    zero: bool = False
    """Whether the axis must include 0."""
    labels: Mapping[float, str] | None = None
    """Where to put ticks, and the text of each, in place of numbers: {0: "0", 1: "∞"}."""


def curves(
    frame: pl.DataFrame,
    x: Axis,
    y: Axis,
    *,
    title: str,
    subtitle: str | list[str],
    colour: str | None = None,
    panel: str | None = None,
    band: tuple[str, str] | None = None,
    dashed: Sequence[str] = (),
    steps: bool = False,
    dots: bool = False,
    highlight: str | None = None,
    across: Mapping[float, str] | Sequence[float] = (),
    columns: int = 2,
    width: int | None = None,
    height: int | None = None,
    legend_columns: int = 3,
) -> alt.ChartType:
    """Draw lines over x: one per name in the column `colour`, one small chart per name in the column `panel`.

    - `band`: two columns, the lower and upper edge of a shaded band
    - `dashed`: names whose lines are dashed
    - `steps`: draw steps instead of straight segments
    - `dots`: mark every row
    - `highlight`: a column that is true in the rows to mark
    - `across`: heights of thin horizontal lines, optionally with a word for each
    """
    need("altair")
    shape: dict[str, Any] = {"interpolate": "step-after"} if steps else {}

    def layers(base: alt.Chart, drawn: Mapping[str, Any]) -> list[alt.Chart]:
        import altair as alt

        here = []
        if band is not None:
            ends = {"y": drawn["y"].copy(), "y2": f"{band[1]}:Q"}
            ends["y"].shorthand = f"{band[0]}:Q"
            here.append(base.mark_area(opacity=0.18, **shape).encode(**ends))
        encoded = {"y": drawn["y"]}
        if dashed:
            names = [str(name) for name in dict.fromkeys(frame[colour or ""])]
            dash = [[5, 3] if name in dashed else [1, 0] for name in names]
            encoded["strokeDash"] = alt.StrokeDash(
                f"{colour}:N", scale=alt.Scale(domain=names, range=dash), legend=None
            )
        here.append(base.mark_line(strokeWidth=2, **shape).encode(**encoded))
        if dots:
            here.append(base.mark_circle(size=28, opacity=1).encode(y=drawn["y"]))
        if highlight is not None:
            marked = base.transform_filter(f"datum[{json.dumps(highlight)}]")
            here.append(marked.mark_circle(size=60, opacity=1).encode(y=drawn["y"]))
        return here

    if dashed and colour is None:
        raise ParameterError("dashed lines without names", hint="name the column of names with colour=")
    named = (highlight, *(band or ()))
    parts = _Parts(frame, x, y, colour, panel, legend_columns, symbol="stroke", more=named)
    return parts.chart(layers, title, subtitle, across, columns, width, height)


def dots(
    frame: pl.DataFrame,
    x: Axis,
    y: Axis,
    *,
    title: str,
    subtitle: str | list[str],
    colour: str | None = None,
    panel: str | None = None,
    size: float = 9.0,
    opacity: float = 0.45,
    across: Mapping[float, str] | Sequence[float] = (),
    columns: int = 2,
    width: int | None = None,
    height: int | None = None,
    legend_columns: int = 3,
) -> alt.ChartType:
    """Draw one dot per row, coloured by the column `colour`; the other parameters are those of `curves`."""
    need("altair")

    def layers(base: alt.Chart, drawn: Mapping[str, Any]) -> list[alt.Chart]:
        # without the sentence that each dot of an SVG would carry, which is half of the file
        return [base.mark_circle(size=size, opacity=opacity, aria=False).encode(y=drawn["y"])]

    parts = _Parts(frame, x, y, colour, panel, legend_columns)
    return parts.chart(layers, title, subtitle, across, columns, width, height)


class _Parts:
    """What `curves` and `dots` share: the checked table, axes, colours and panels."""

    def __init__(
        self,
        frame: pl.DataFrame,
        x: Axis,
        y: Axis,
        colour: str | None,
        panel: str | None,
        columns: int,
        symbol: str = "circle",
        more: Sequence[str | None] = (),
    ) -> None:
        import polars as pl

        if not frame.height:
            raise InputError("there are no data to draw")
        if frame.height > MAX_ROWS:
            raise ParameterError(
                f"{frame.height:,} rows for one picture", hint=f"at most {MAX_ROWS:,}: use a sample, or bins"
            )
        for name in (x.field, y.field, colour, panel, *more):
            if name is not None and name not in frame.columns:
                raise ParameterError(f"the table has no column {name!r}")
            if name is not None and set(name) & set(".[]\\'\":"):  # Vega-Lite takes them for more than a name
                raise ParameterError(f"a column called {name!r}", hint="rename it to letters and spaces")
        names = [pl.col(name).cast(pl.String) for name in {colour, panel} if name is not None]
        self.frame, self.x, self.y = frame.with_columns(names), x, y
        self.colour, self.panel, self.columns, self.symbol = colour, panel, columns, symbol

    def chart(
        self,
        layers: Any,
        title: str,
        subtitle: str | list[str],
        across: Mapping[float, str] | Sequence[float],
        columns: int,
        width: int | None,
        height: int | None,
    ) -> alt.ChartType:
        import altair as alt
        import polars as pl

        panels = [None] if self.panel is None else list(dict.fromkeys(self.frame[self.panel]))
        size = {"width": width or (WIDTH if len(panels) == 1 else 310)}
        size["height"] = height or (HEIGHT if len(panels) == 1 else 230)
        ticks = 6 if size["width"] >= 300 else 4
        drawn = {"x": self._axis(alt.X, self.x, ticks), "y": self._axis(alt.Y, self.y)}
        told = hints({self.x.title: self.x.field, self.y.title: self.y.field}, ".4~f")
        coloured: dict[str, Any] = {"color": alt.value(ABOVE)}
        if self.colour is not None:
            names = list(dict.fromkeys(self.frame[self.colour]))
            coloured = {"color": named_colour(self.colour, names, "colours", self.columns)}
            if len(names) > 1:
                coloured["color"].legend = alt.Legend(
                    symbolType=self.symbol,
                    symbolStrokeWidth=3,
                    symbolSize=160,
                    symbolOpacity=1,
                    labelLimit=320,
                    columns=self.columns,
                )
            told = hints({self.colour: self.colour}) + told
        made = []
        for name in panels:
            own = self.frame if name is None else self.frame.filter(pl.col(self.panel or "") == name)
            base = alt.Chart(alt.InlineData(values=own.to_dicts())).encode(
                x=drawn["x"], tooltip=told, **coloured
            )
            here = [*self._across(across), *layers(base, drawn)]
            shown = alt.layer(*here).properties(**size)
            if name is not None:
                small = alt.Title(text=shorten(str(name), 48), fontSize=13, anchor="start", offset=6)
                shown = shown.properties(title=small)
            made.append(shown)
        whole = made[0] if len(made) == 1 else alt.concat(*made, columns=columns, spacing=22)
        return dressed(whole, title, subtitle)

    def _axis(self, kind: Any, axis: Axis, ticks: int = 6) -> Any:
        import altair as alt

        limits: dict[str, Any] = (
            {"domain": list(axis.domain), "nice": False, "clamp": False} if axis.domain else {}
        )
        scale = alt.Scale(type="log", **limits) if axis.log else alt.Scale(zero=axis.zero, **limits)
        shown = alt.Axis(format=axis.format, tickCount=ticks)
        if axis.labels is not None:
            words = {f"{at:g}": word for at, word in axis.labels.items()}
            shown = alt.Axis(values=list(axis.labels), labelExpr=f"({json.dumps(words)})[datum.value]")
        return kind(f"{axis.field}:Q", title=axis.title, scale=scale, axis=shown)

    def _across(self, across: Mapping[float, str] | Sequence[float]) -> list[alt.Chart]:
        """Thin horizontal lines, each optionally with a word at its right end."""
        import altair as alt

        if not across:
            return []
        words = across if isinstance(across, Mapping) else dict.fromkeys(across, "")
        data = alt.InlineData(values=[{"at": at, "word": word} for at, word in words.items()])
        y = self._axis(alt.Y, self.y).copy()
        y.shorthand = "at:Q"
        base = alt.Chart(data).encode(y=y)
        rule = base.mark_rule(color=GREY, strokeDash=[2, 3], strokeWidth=1)
        text = base.mark_text(align="right", dx=-4, dy=-6, color=INK, fontSize=11).encode(
            x=alt.value("width"), text="word:N"
        )
        return [rule, text] if any(words.values()) else [rule]


def responses_to_opponents(frame: pl.DataFrame) -> alt.ChartType:
    """Draw how a win and a loss change a rating, by the opponent's strength: one small chart per system.

    The table is that of `podium.simulation.responses.responses_to_opponents`.
    """
    return curves(
        frame,
        Axis("gap", "opponent stronger by (Elo points)"),
        Axis("change", "change (Elo points)", zero=True),
        colour="result",
        panel="system",
        title="The effect of one match",
        subtitle="change of the rating, by the opponent's strength · each system on its own scale",
        across=[0.0],
        columns=3,
        width=210,
        height=170,
    )


def responses_to_change(frame: pl.DataFrame) -> alt.ChartType:
    """Draw how soon systems find a player who is suddenly better: ratings by contest.

    Dotted lines are the ratings of the players whose places they took. The table is that of
    `podium.simulation.responses.responses_to_change`. Up to seven systems share a chart; with more, each has
    its own.
    """
    many = frame["system"].n_unique() > len(PALETTE)
    levels = sorted(set(frame["target"]))
    return curves(
        frame,
        Axis("contest", "contest after the change (number)"),
        Axis("rating", "rating (Elo points)"),
        colour=None if many else "system",
        panel="system" if many else None,
        title="How fast systems detect a change",
        subtitle="from contest 1 on, places of a stronger player · dotted: the stronger player's rating",
        across=levels,
        columns=3,
        width=210 if many else None,
        height=170 if many else None,
    )
