"""How well systems predict: side by side with their uncertainty, by groups, and calibrated or not.

Each picture is made of a table of `podium.Backtest`, of one scope: the one given, or the table's first.
Whatever is shown beside a dot as a bar is where the number lies with a chance of about 95%.

Values far from all others: which of them an axis leaves out, and the arrows at its edge that say so.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from podium.charts.grammar import (
    ABOVE,
    BELOW,
    GREY,
    HEIGHT,
    INK,
    LEVEL,
    PALETTE,
    ROW_HEIGHT,
    WIDTH,
    dressed,
    hints,
    lines,
    named_colour,
    need,
)
from podium.errors import InputError, ParameterError
from podium.tables.given_frames import takes_any_frame
from podium.text import shorten, write_number

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


REACH_IN_TYPICAL_DISTANCES = 5.0
"""Values farther away than this number of typical distances may be left out of an axis."""
LEAST_GAIN = 2.0
"""Values are left out only if the axis would be at least this many times as long with them."""
ROOM = 0.05
"""Empty part at each end of an axis, as a fraction of what it shows."""
ARROW_INSET = 5
"""Distance of an arrow from the edge, in pixels."""


def axis_limits(
    points: Sequence[tuple[float, float, float]], anchor: float, share: float = 0.5
) -> tuple[float, float]:
    """The ends of an axis on which values near the `anchor` can be told apart.

    A point is a value between the ends of its interval (three times the value if it has none). The typical
    distance is the one to the anchor that this `share` of the values does not exceed, so at least as many
    stay on the axis. A value closer than a usual interval is long is never left out.
    """
    distances = sorted(abs(value - anchor) for _, value, _ in points if value != anchor)
    typical = distances[int(share * (len(distances) - 1))] if distances else 0.0
    length = statistics.median_low(high - low for low, _, high in points)
    reach = max(REACH_IN_TYPICAL_DISTANCES * typical, length)
    low, high = _span([point for point in points if abs(point[1] - anchor) <= reach], anchor)
    least, most = _span(points, anchor)
    if most - least < LEAST_GAIN * (high - low):
        low, high = least, most
    room = ROOM * ((high - low) or abs(anchor) or 1.0)
    return low - room, high + room


def _span(points: Sequence[tuple[float, float, float]], anchor: float) -> tuple[float, float]:
    return min(anchor, *(low for low, _, _ in points)), max(anchor, *(high for _, _, high in points))


def off_scale(value: float, limits: tuple[float, float]) -> Literal["below", "above"] | None:
    """On which side of an axis a value is left out; None if it is on the axis."""
    return "below" if value < limits[0] else "above" if value > limits[1] else None


def on_scale(base: alt.Chart, field: str) -> alt.Chart:
    """The rows whose value is on the axis; `field` holds what `off_scale` says."""
    return base.transform_filter(f"datum.{field} === null")


def arrows(
    base: alt.Chart, along: Literal["x", "y"], field: str, length: float, text: str
) -> list[alt.Chart]:
    """Arrows at the edges of an axis for the values left out, with the text of a field beside each.

    `along` is the axis, `length` its pixels, and `field` holds what `off_scale` says.
    """
    import altair as alt

    shapes = {"x": ("triangle-left", "triangle-right"), "y": ("triangle-down", "triangle-up")}[along]
    # Pixels count from the left and from the top, so that high values are at 0 of a y axis.
    ends = (ARROW_INSET, length - ARROW_INSET) if along == "x" else (length - ARROW_INSET, ARROW_INSET)
    layers = []
    for side, shape, at in zip(("below", "above"), shapes, ends, strict=True):
        there = base.transform_filter(f"datum.{field} === '{side}'").encode(**{along: alt.value(at)})
        at_the_right = along == "x" and side == "above"
        layers += [
            there.mark_point(shape=shape, size=75, filled=True, opacity=1),
            there.mark_text(
                fontSize=11, align="right" if at_the_right else "left", dx=-9 if at_the_right else 9
            ).encode(text=f"{text}:N"),
        ]
    return layers


PANEL_SIDE = 190
"""Width and height of a small chart, in pixels."""
SMALL_DOTS_ABOVE_GROUPS = 24
"""With more groups than this, dots are small."""
MIN_ROWS_OF_BIN = 20
"""A bin of fewer rows is not drawn: its mean says nothing."""
SHARE_OF_USUAL_GROUPS = 0.75
"""The share of the groups whose values set the scale that outliers are measured by: some groups are small."""
GROUP_TITLES = {"period": "period", "experience": "earlier events", "band": "rating"}
"""The column that names a table's groups, and what charts call it."""


@takes_any_frame
def calibration(
    frame: pl.DataFrame,
    *,
    scope: str | None = None,
    home: bool = False,
    standings: Mapping[str, str] = {},
) -> alt.ChartType:
    """Draw mean scores over expected scores, one small chart per system; calibrated ones are on the line.

    `frame` is `Backtest.calibration`. A dot is a bin of expected scores; the larger, the more rows it has.
    Bins of fewer than 20 rows are left out. `home` says that the predictions are those of the home side.
    `standings` names systems in the order of the charts, each with a word to put before it, such as "best".
    """
    need("altair")
    import altair as alt
    import polars as pl

    frame = _scoped(frame, scope)
    enough = frame.filter(pl.col("rows") >= MIN_ROWS_OF_BIN)
    left_out = 0 < enough.height < frame.height
    frame = enough if enough.height else frame
    rows = frame.to_dicts()
    most = max(row["rows"] for row in rows)
    percent = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], grid=True)
    scale = alt.Scale(domain=[0, 1], nice=False)
    told = hints({"system": "system"}) + hints({"rows": "rows"}, ",d")
    told += hints({"expected": "expected", "scored": "score"}, ".1%")
    panels = []
    for name in _ordered(frame, standings):
        own = alt.Chart(alt.InlineData(values=[row for row in rows if row["system"] == name])).encode(
            x=alt.X("expected:Q", title="expected score", scale=scale, axis=percent), tooltip=told
        )
        ends = alt.InlineData(values=[{"at": 0}, {"at": 1}])
        y = alt.Y("score:Q", title="mean score", scale=scale, axis=percent)
        area = alt.Scale(type="sqrt", domain=[0, most], range=[0, 90])
        line = alt.Chart(ends).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1)
        layers = [
            line.encode(x=alt.X("at:Q", scale=scale), y=alt.Y("at:Q", scale=scale)),
            own.mark_rule(strokeWidth=2, opacity=0.5, color=ABOVE).encode(
                y=alt.Y("score_low:Q", title="mean score", scale=scale, axis=percent), y2="score_high:Q"
            ),
            own.mark_line(strokeWidth=1, opacity=0.6, color=ABOVE).encode(y=y),
            own.mark_circle(opacity=0.9, color=ABOVE).encode(
                y=y, size=alt.Size("rows:Q", scale=area, legend=None)
            ),
        ]
        panels.append(
            alt.layer(*layers).properties(
                width=PANEL_SIDE, height=PANEL_SIDE, title=_small(_called(name, standings))
            )
        )
    chart = alt.concat(*panels, columns=3, spacing=18)
    words = ["dots: bins of expected scores, by size · bars: 95% · dashed: honest predictions"]
    notes = [f"bins of fewer than {MIN_ROWS_OF_BIN} rows are left out"] if left_out else []
    notes += ["scores of the home side"] if home else []
    return dressed(chart, "Calibration", words + ([" · ".join(notes)] if notes else []))


@takes_any_frame
def systems_compared(
    summary: pl.DataFrame,
    differences: pl.DataFrame,
    metric: str,
    *,
    higher_is_better: bool,
    digits: int | None = None,
    scope: str | None = None,
) -> alt.ChartType:
    """Draw a metric of every system with its interval, the best first, and each one's distance to the best.

    Both intervals come from the same resampled events. The interval of the distance is much narrower, because
    hard events are hard for all systems; it shows whether one system is better. The best system is dark blue;
    light blue means that no difference to it is shown, orange that a system is worse. A system far from all
    others is an arrow at the edge. `digits` is the number of decimals; by default 2 for percentages and 4 for
    other metrics.
    """
    need("altair")
    import altair as alt
    import polars as pl

    column = metric.replace("-", "_")
    frame = _scoped(summary, scope).filter(pl.col(column).is_not_null())
    if not frame.height:
        raise InputError(f"no system has a {metric}")
    frame = frame.sort(column, descending=higher_is_better, maintain_order=True)
    digits = _digits(column) if digits is None else digits
    rows = _compared_rows(frame, differences, metric, digits)
    kinds = alt.Scale(domain=["best", "worse", "not shown"], range=[ABOVE, BELOW, LEVEL])
    colour = alt.Color("kind:N", scale=kinds, legend=None)
    told = hints({"system": "system"}) + hints({metric: "value", "from": "low", "to": "high"}, f".{digits}f")
    told += hints({"minus the best": "difference", "at least": "from", "at most": "to"}, f".{digits + 1}f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(color=colour, tooltip=told)
    named = base.encode(y=lines([shorten(row["system"], 30) for row in rows]))
    bare = base.encode(y=lines(None))
    words = f"{metric.replace('-', ' ')} ({'higher' if higher_is_better else 'lower'} is better)"
    values = _with_bars(named, rows, ("low", "value", "high"), words, 0.45 * WIDTH)
    number = named.mark_text(align="right").encode(
        x=alt.value(0.45 * WIDTH + 52), text=alt.Text("value:Q", format=f".{digits}f"), color=alt.value(INK)
    )
    less = "difference to the best"
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=GREY).encode(x="zero:Q")
    apart = _with_bars(bare, rows, ("from", "difference", "to"), less, 0.35 * WIDTH)
    said = bare.mark_text(align="left").encode(
        x=alt.value(0.35 * WIDTH + 8), text="said:N", color=alt.value(INK)
    )
    chart = alt.hconcat(
        alt.layer(*values, number).properties(width=0.45 * WIDTH, height=alt.Step(ROW_HEIGHT)),
        alt.layer(zero, *apart, said).properties(width=0.35 * WIDTH, height=alt.Step(ROW_HEIGHT)),
        spacing=66,
    ).resolve_scale(y="shared", color="shared")
    subtitle = ["bars: 95% · dark blue: the best · light blue: not significantly worse (≈) · orange: worse"]
    if any(row["value_off"] or row["difference_off"] for row in rows):
        subtitle.append("arrows at the edge: beyond the scale")
    return dressed(chart, f"Systems by {metric.replace('-', ' ')}, {frame['scope'][0]}", subtitle)


def _compared_rows(
    frame: pl.DataFrame, differences: pl.DataFrame, metric: str, digits: int
) -> list[dict[str, Any]]:
    """What `systems_compared` draws of each system, in the order of the table."""
    import polars as pl

    column, scope = metric.replace("-", "_"), frame["scope"][0]
    behind = differences.filter((pl.col("metric") == metric) & (pl.col("scope") == scope)).rows_by_key(
        "system", named=True, unique=True
    )
    rows: list[dict[str, Any]] = []
    for number, one in enumerate(frame.iter_rows(named=True)):
        row = {"row": number, "system": one["system"], "value": one[column]}
        row |= {"low": one[f"{column}_low"], "high": one[f"{column}_high"]}
        if (other := behind.get(one["system"])) is None:
            row |= {"difference": 0.0, "from": None, "to": None, "kind": "best", "said": "best"}
        else:
            row |= {"difference": other["difference"], "from": other["low"], "to": other["high"]}
            row["kind"] = "worse" if other["shown"] else "not shown"
            row["said"] = write_number(other["difference"], f"+.{digits + 1}f")
            row["said"] += "" if other["shown"] else " ≈"
        rows.append(row)
    return rows


def _with_bars(
    base: alt.Chart, rows: list[dict[str, Any]], fields: tuple[str, str, str], title: str, width: float
) -> list[alt.Chart]:
    """A dot with a bar for each row, and arrows for rows off the scale, which the rows then say.

    `fields` are those of the lower end of the bar, the dot, and the upper end. The first row is the best.
    """
    import altair as alt

    low, middle, high = fields
    bars = [[row[middle] if row[end] is None else row[end] for end in fields] for row in rows]
    limits = axis_limits([(start, dot, end) for start, dot, end in bars], rows[0][middle])
    off, beside = f"{middle}_off", f"{middle}_beside"
    for row in rows:
        row[off] = off_scale(row[middle], limits)
        # To the right of the axis stands the number anyway.
        row[beside] = write_number(row[middle], ".4g") if row[off] == "below" else ""

    def x(field: str) -> alt.X:
        scale = alt.Scale(domain=list(limits), nice=False, zero=False)
        return alt.X(f"{field}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=4))

    here = on_scale(base, off)
    return [
        here.mark_rule(strokeWidth=4, opacity=0.35, clip=True).encode(x=x(low), x2=f"{high}:Q"),
        here.mark_circle(size=50, opacity=1).encode(x=x(middle)),
        *(arrows(base, "x", off, width, beside) if any(row[off] for row in rows) else []),
    ]


@takes_any_frame
def metric_by_group(
    frame: pl.DataFrame,
    metric: str,
    *,
    higher_is_better: bool,
    digits: int | None = None,
    scope: str | None = None,
    against: str | None = None,
    standings: Mapping[str, str] = {},
) -> alt.ChartType:
    """Draw a metric by period, by experience or by rating band, whichever the table has.

    By period and experience, systems share one chart: at most seven, the best ones. Rating bands differ
    between systems, so each system has a small chart. The larger a dot, the more rows it stands for.
    `against` names a system whose values are subtracted: hard years are hard for all, and the differences
    show who does better. `standings` names systems, the best first, each with a word to put before it, such
    as "best"; by default the order is that of their means here. A value far from all others is an arrow at
    the edge with its number.
    """
    need("altair")
    import polars as pl

    group = next((name for name in GROUP_TITLES if name in frame.columns), None)
    column = metric.replace("-", "_")
    digits = _digits(column) if digits is None else digits
    if group is None or column not in frame.columns:
        raise ParameterError(
            f"this table has no {metric} by {', '.join(GROUP_TITLES)}",
            hint="some metrics, such as accuracy, have no value per side",
        )
    shown = _scoped(frame, scope).filter(pl.col(column).is_not_null())
    if not shown.height:
        raise InputError(f"there are no measurements by {group}")
    good = f"{'higher' if higher_is_better else 'lower'} is better"
    title = f"{metric.replace('-', ' ').capitalize()} by {GROUP_TITLES[group]}, {shown['scope'][0]}"
    words = f"{good} · dots: the larger, the more rows"
    shown = shown.rename({group: "group", column: "value"}).select("system", "group", "rows", "value")
    if group == "period":
        shown, least = _large_enough(shown)
        words += f" · without periods of fewer than {least:,} rows" if least else ""
    if against is not None:
        shown, words = _less(shown, against), f"minus the value of {shorten(against)} · {words}"
    means = (
        shown.group_by("system", maintain_order=True)
        .agg((pl.col("value") * pl.col("rows")).sum() / pl.col("rows").sum())
        .sort("value", descending=higher_is_better, maintain_order=True)
    )
    ranked = _ordered(means, standings)
    best = ranked if group == "band" else ranked[: len(PALETTE)]
    if len(best) < len(ranked):
        words += f" · the best {len(best)} of {len(ranked)} systems"
    shown = shown.filter(pl.col("system").is_in(best))
    points = [(value, value, value) for value in shown["value"]]
    limits = axis_limits(points, statistics.median(shown["value"]), SHARE_OF_USUAL_GROUPS)
    if not shown["value"].is_between(*limits).all():
        words += " · arrows: beyond the scale"
    called = {name: _called(name, standings) for name in best}
    drawing = _Drawing(metric, GROUP_TITLES[group], digits, limits, called)
    return dressed(drawing.bands(shown) if group == "band" else drawing.together(shown), title, words)


def _large_enough(shown: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Leave out groups of few rows; return the others and the least number of rows, 0 if all stay.

    A group has few rows if they are less than a hundredth of all, and less than a fifth of the mean per
    group.
    """
    import polars as pl

    sizes = shown.group_by("group").agg(pl.col("rows").max())
    least = math.ceil(int(sizes["rows"].sum()) * min(0.01, 0.2 / sizes.height))
    kept = sizes.filter(pl.col("rows") >= least)["group"]
    return shown.filter(pl.col("group").is_in(kept.implode())), least if len(kept) < sizes.height else 0


def _less(shown: pl.DataFrame, against: str) -> pl.DataFrame:
    """Subtract the values of one system in the same group."""
    import polars as pl

    own = shown.filter(pl.col("system") == against).select("group", pl.col("value").alias("own"))
    if not own.height:
        known = ", ".join(_in_order(shown, "system"))
        raise ParameterError(f"there is no system {against!r} in the table", hint=f"there are {known}")
    joined = shown.join(own, on="group", how="inner", maintain_order="left")
    return joined.with_columns(pl.col("value") - pl.col("own")).drop("own")


@dataclass(frozen=True)
class _Drawing:
    """Lines and dots over groups, as `metric_by_group` draws them: in one chart or in small ones."""

    metric: str
    what: str
    """What the groups are, the title of their axis."""
    digits: int
    limits: tuple[float, float]
    """The ends of the y axis."""
    called: Mapping[str, str]
    """What each system is called, best first."""

    def together(self, shown: pl.DataFrame) -> alt.ChartType:
        """One chart with all systems over the same groups."""
        import altair as alt

        colour = named_colour("called", list(self.called.values()), "systems", columns=4)
        layers = self._layers(shown, _in_order(shown, "group"), self.what, HEIGHT)
        coloured = [mark.encode(color=colour) for mark in layers]
        return alt.layer(*coloured).properties(width=WIDTH, height=HEIGHT)

    def bands(self, shown: pl.DataFrame) -> alt.ChartType:
        """One small chart per system over its own rating bands, with a shared y axis."""
        import altair as alt
        import polars as pl

        panels = []
        for name, called in self.called.items():
            own = shown.filter(pl.col("system") == name)
            layers = self._layers(own, own["group"].to_list(), None, PANEL_SIDE)
            panel = alt.layer(*(mark.encode(color=alt.value(ABOVE)) for mark in layers))
            panels.append(panel.properties(width=1.4 * PANEL_SIDE, height=PANEL_SIDE, title=_small(called)))
        return alt.concat(*panels, columns=2, spacing=18).resolve_scale(x="independent", y="shared")

    def _layers(
        self, shown: pl.DataFrame, groups: list[str], what: str | None, height: float
    ) -> list[alt.Chart]:
        """A line and dots over groups, in their given order; arrows for values off the scale."""
        import altair as alt

        place = {name: number for number, name in enumerate(groups)}
        rows = [
            {
                **row,
                "number": place[row["group"]],
                "called": self.called[row["system"]],
                "off": off_scale(row["value"], self.limits),
                "said": write_number(row["value"], f".{self.digits}f"),
            }
            for row in shown.to_dicts()
        ]
        turned = max(map(len, groups)) * len(groups) > 60 if what is not None else True
        axis = alt.Axis(labelAngle=-40 if turned else 0, labelOverlap="greedy", labelLimit=120)
        x = alt.X("group:O", title=what, sort=groups, axis=axis, scale=alt.Scale(padding=0.6))
        scale = alt.Scale(domain=list(self.limits), nice=False, zero=False)
        y = alt.Y("value:Q", title=self.metric.replace("-", " "), scale=scale)
        told = hints({"system": "system", "group": "group"}) + hints({"rows": "rows"}, ",d")
        told += hints({self.metric: "value"}, f".{self.digits}f")
        base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, tooltip=told)
        many = len(groups) > SMALL_DOTS_ABOVE_GROUPS
        area = alt.Scale(type="sqrt", domainMin=0, range=[5, 40] if many else [10, 110])
        line = base.mark_line(strokeWidth=1.2 if many else 2, opacity=0.8, clip=True)
        dots = on_scale(base, "off").mark_circle(opacity=1)
        return [
            line.encode(y=y, order="number:Q"),
            dots.encode(y=y, size=alt.Size("rows:Q", scale=area, legend=None)),
            *(arrows(base, "y", "off", height, "said") if any(row["off"] for row in rows) else []),
        ]


def _small(name: str) -> alt.Title:
    """The title of a small chart."""
    import altair as alt

    return alt.Title(text=shorten(name, 30), fontSize=13, anchor="middle", frame="group", offset=4)


def _scoped(frame: pl.DataFrame, scope: str | None) -> pl.DataFrame:
    """The rows of one scope; the table's first scope if none is given."""
    import polars as pl

    if not frame.height:
        raise InputError("the table is empty: nothing was measured")
    known = frame["scope"].unique(maintain_order=True).to_list()
    wanted = known[0] if scope is None else scope
    if wanted not in known:
        raise ParameterError(f"there is no scope {wanted!r}", hint=f"there are {', '.join(known)}")
    return frame.filter(pl.col("scope") == wanted)


def _in_order(frame: pl.DataFrame, column: str) -> list[str]:
    """The distinct values of a column, in the order of the table."""
    return [str(name) for name in frame[column].unique(maintain_order=True).to_list()]


def _digits(column: str) -> int:
    """Decimals of podium's own metrics: two for percentages, four for losses."""
    return 2 if column in ("pairs_right", "rank_deviation", "accuracy") else 4


def _ordered(frame: pl.DataFrame, standings: Mapping[str, str]) -> list[str]:
    """The systems of a table: those with a standing first and in its order, then the others as they come."""
    there = _in_order(frame, "system")
    return [name for name in standings if name in there] + [name for name in there if name not in standings]


def _called(name: str, standings: Mapping[str, str]) -> str:
    """A system's name after the word for its standing."""
    return f"{word}: {name}" if (word := standings.get(name, "")) else name
