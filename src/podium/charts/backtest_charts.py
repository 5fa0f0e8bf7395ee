"""How well systems predict: side by side with their uncertainty, by groups, and calibrated or not.

Each picture is made of a table of `podium.Backtest`, of one scope: the one given, or the table's first.
Whatever is shown beside a dot as a bar is where the number lies with a chance of about 95%.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from podium.charts.grammar import (
    ABOVE,
    BELOW,
    GREY,
    HEIGHT,
    INK,
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
from podium.text import shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

PANEL_SIDE = 190
"""Width and height of a small chart, in pixels."""
SMALL_DOTS_ABOVE_GROUPS = 24
"""With more groups than this, dots are small."""
MIN_ROWS_OF_BIN = 20
"""A bin of fewer rows is not drawn: its mean says nothing."""
GROUP_TITLES = {"period": "period", "experience": "earlier events", "band": "rating"}
"""The column that names a table's groups, and what charts call it."""


def calibration(frame: pl.DataFrame, *, scope: str | None = None, home: bool = False) -> alt.ChartType:
    """Draw mean scores over expected scores, one small chart per system; calibrated ones are on the line.

    `frame` is `Backtest.calibration`. A dot is a bin of expected scores; the larger, the more rows it has.
    Bins of fewer than 20 rows are left out. `home` says that the predictions are those of the home side.
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
    for name in _in_order(frame, "system"):
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
        panels.append(alt.layer(*layers).properties(width=PANEL_SIDE, height=PANEL_SIDE, title=_small(name)))
    chart = alt.concat(*panels, columns=3, spacing=18)
    words = ["dots: bins of expected scores, by size · bars: 95% · dashed: honest predictions"]
    notes = [f"bins of fewer than {MIN_ROWS_OF_BIN} rows are left out"] if left_out else []
    notes += ["scores of the home side"] if home else []
    return dressed(chart, "Calibration", words + ([" · ".join(notes)] if notes else []))


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
    hard events are hard for all systems; it shows whether one system is better. Grey means that no difference
    is shown. `digits` is the number of decimals; by default 2 for percentages and 4 for other metrics.
    """
    need("altair")
    import altair as alt
    import polars as pl

    column = metric.replace("-", "_")
    frame = _scoped(summary, scope).filter(pl.col(column).is_not_null())
    if not frame.height:
        raise InputError(f"no system has a {metric}")
    frame = frame.sort(column, descending=higher_is_better, maintain_order=True)
    behind = differences.filter(
        (pl.col("metric") == metric) & (pl.col("scope") == frame["scope"][0])
    ).rows_by_key("system", named=True, unique=True)
    digits = _digits(column) if digits is None else digits
    rows: list[dict[str, Any]] = []
    for number, one in enumerate(frame.iter_rows(named=True)):
        other = behind.get(one["system"])
        rows.append(
            {
                "row": number,
                "system": one["system"],
                "value": one[column],
                "low": one[f"{column}_low"],
                "high": one[f"{column}_high"],
                "difference": 0.0 if other is None else other["difference"],
                "from": None if other is None else other["low"],
                "to": None if other is None else other["high"],
                "said": "the best" if other is None else _signed(other["difference"], digits + 1),
                "kind": "best" if other is None else "worse" if other["shown"] else "not shown",
            }
        )
    kinds = alt.Scale(domain=["best", "worse", "not shown"], range=[ABOVE, BELOW, GREY])
    colour = alt.Color("kind:N", scale=kinds, legend=None)
    told = hints({"system": "system"}) + hints({metric: "value", "from": "low", "to": "high"}, f".{digits}f")
    told += hints({"less the best": "difference", "at least": "from", "at most": "to"}, f".{digits + 1}f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(color=colour, tooltip=told)
    named = base.encode(y=lines([shorten(row["system"], 30) for row in rows]))
    bare = base.encode(y=lines(None))

    def x(field: str, title: str) -> alt.X:
        scale = alt.Scale(zero=False, padding=12)
        return alt.X(f"{field}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=4))

    words = f"{metric.replace('-', ' ')} ({'higher' if higher_is_better else 'lower'} is better)"
    values = alt.layer(
        named.mark_rule(strokeWidth=4, opacity=0.35).encode(x=x("low", words), x2="high:Q"),
        named.mark_circle(size=50, opacity=1).encode(x=x("value", words)),
        named.mark_text(align="right").encode(
            x=alt.value(0.45 * WIDTH + 52),
            text=alt.Text("value:Q", format=f".{digits}f"),
            color=alt.value(INK),
        ),
    ).properties(width=0.45 * WIDTH, height=alt.Step(ROW_HEIGHT))
    less = "difference to the best"
    apart = alt.layer(
        alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=GREY).encode(x=x("zero", less)),
        bare.mark_rule(strokeWidth=4, opacity=0.35).encode(x=x("from", less), x2="to:Q"),
        bare.mark_circle(size=50, opacity=1).encode(x=x("difference", less)),
        bare.mark_text(align="left").encode(
            x=alt.value(0.35 * WIDTH + 8), text="said:N", color=alt.value(INK)
        ),
    ).properties(width=0.35 * WIDTH, height=alt.Step(ROW_HEIGHT))
    chart = alt.hconcat(values, apart, spacing=66).resolve_scale(y="shared", color="shared")
    subtitle = "bars: 95% · orange: worse than the best · grey: no difference shown"
    return dressed(chart, f"Systems by {metric.replace('-', ' ')}, {frame['scope'][0]}", subtitle)


def metric_by_group(
    frame: pl.DataFrame,
    metric: str,
    *,
    higher_is_better: bool,
    digits: int | None = None,
    scope: str | None = None,
    against: str | None = None,
) -> alt.ChartType:
    """Draw a metric by period, by experience or by rating band, whichever the table has.

    By period and experience, systems share one chart: at most seven, the best ones. Rating bands differ
    between systems, so each system has a small chart. The larger a dot, the more rows it stands for.
    `against` names a system whose values are subtracted: hard years are hard for all, and the differences
    show who does better.
    """
    need("altair")
    import polars as pl

    group = next((name for name in GROUP_TITLES if name in frame.columns), None)
    column = metric.replace("-", "_")
    digits = _digits(column) if digits is None else digits
    if group is None or column not in frame.columns:
        raise ParameterError(
            f"this table has no {metric} by {', '.join(GROUP_TITLES)}",
            hint="accuracy and others are not by side",
        )
    shown = _scoped(frame, scope).filter(pl.col(column).is_not_null())
    if not shown.height:
        raise InputError(f"nothing was measured by {group}")
    good = f"{'higher' if higher_is_better else 'lower'} is better"
    title = f"{metric.replace('-', ' ').capitalize()} by {GROUP_TITLES[group]}, {shown['scope'][0]}"
    words = f"{good} · dots: the larger, the more rows"
    shown = shown.rename({group: "group", column: "value"}).select("system", "group", "rows", "value")
    if group == "period":
        shown, least = _large_enough(shown)
        words += f" · without periods of fewer than {least:,} rows" if least else ""
    if against is not None:
        shown, words = _less(shown, against), f"less that of {shorten(against)} · {words}"
    if group == "band":
        return dressed(_bands(shown, metric, digits), title, words)
    ranked = (
        shown.group_by("system", maintain_order=True)
        .agg((pl.col("value") * pl.col("rows")).sum() / pl.col("rows").sum())
        .sort("value", descending=higher_is_better, maintain_order=True)["system"]
    )
    best = ranked.head(len(PALETTE)).to_list()
    if len(best) < len(ranked):
        words += f" · the best {len(best)} of {len(ranked)} systems"
    together = _together(shown.filter(pl.col("system").is_in(best)), best, metric, group, digits)
    return dressed(together, title, words)


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


def _together(shown: pl.DataFrame, names: list[str], metric: str, group: str, digits: int) -> alt.ChartType:
    """One chart with all systems over the same groups."""
    import altair as alt

    base = _dots(shown, metric, _in_order(shown, "group"), GROUP_TITLES[group], digits)
    colour = named_colour("system", names, "systems", columns=5)
    order = alt.Order("number:Q")
    layers = [mark.encode(color=colour, order=order) for mark in base]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _bands(shown: pl.DataFrame, metric: str, digits: int) -> alt.ChartType:
    """One small chart per system over its own rating bands, with a shared y axis."""
    import altair as alt
    import polars as pl

    panels = []
    for name in _in_order(shown, "system"):
        own = shown.filter(pl.col("system") == name)
        layers = [
            mark.encode(color=alt.value(ABOVE))
            for mark in _dots(own, metric, own["group"].to_list(), None, digits)
        ]
        panels.append(
            alt.layer(*layers).properties(width=1.4 * PANEL_SIDE, height=PANEL_SIDE, title=_small(name))
        )
    return alt.concat(*panels, columns=2, spacing=18).resolve_scale(x="independent", y="shared")


def _dots(
    shown: pl.DataFrame, metric: str, groups: list[str], what: str | None, digits: int
) -> list[alt.Chart]:
    """A line and dots over groups, in their given order."""
    import altair as alt

    place = {name: number for number, name in enumerate(groups)}
    rows = [{**row, "number": place[row["group"]]} for row in shown.to_dicts()]
    turned = max(map(len, groups)) * len(groups) > 60 if what is not None else True
    axis = alt.Axis(labelAngle=-40 if turned else 0, labelOverlap="greedy", labelLimit=120)
    x = alt.X("group:O", title=what, sort=groups, axis=axis, scale=alt.Scale(padding=0.6))
    y = alt.Y("value:Q", title=metric.replace("-", " "), scale=alt.Scale(zero=False, padding=8))
    told = hints({"system": "system", "group": "group"}) + hints({"rows": "rows"}, ",d")
    told += hints({metric: "value"}, f".{digits}f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y=y, tooltip=told)
    many = len(groups) > SMALL_DOTS_ABOVE_GROUPS
    area = alt.Scale(type="sqrt", domainMin=0, range=[5, 40] if many else [10, 110])
    return [
        base.mark_line(strokeWidth=1.2 if many else 2, opacity=0.8),
        base.mark_circle(opacity=1).encode(size=alt.Size("rows:Q", scale=area, legend=None)),
    ]


def _small(name: str) -> alt.Title:
    """The title of a small chart."""
    import altair as alt

    return alt.Title(text=shorten(name, 30), fontSize=13, anchor="middle", frame="group", offset=4)


def _scoped(frame: pl.DataFrame, scope: str | None) -> pl.DataFrame:
    """The rows of one scope; the table's first scope if none is given."""
    import polars as pl

    if not frame.height:
        raise InputError("the table is empty: nothing of it was measured")
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


def _signed(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:+.{digits}f}".replace("-", "−")
