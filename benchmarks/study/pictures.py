"""Pictures of a study: each system's place, with its interval, its defaults, and what others reach."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
from page import ranked, values_of
from runs import DEFAULTS, Judged

from podium.charts import save
from podium.charts.grammar import PALETTE, ROW_HEIGHT, WIDTH, dressed
from podium.evaluation.metrics import find_metric

FAR = 4.0
"""Defaults further off than so many times the spread of the tuned are drawn at the edge."""


def write_pictures(folder: Path, judged: Sequence[Judged]) -> None:
    """One picture a data set, as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in judged:
        save(places(one), folder / f"real-data-{one.data_set.name}.svg")


def places(judged: Judged) -> alt.ChartType:
    """Systems from best to worst."""
    data_set = judged.data_set
    part, report = next(iter(judged.reports.items()))
    metric = find_metric(data_set.tuned_by)
    order = ranked(judged, report)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(order):
        row = report.summary.filter((pl.col("system") == name) & (pl.col("scope") == "everyone")).row(
            0, named=True
        )
        rows.append(
            {
                "row": number,
                "tuned": row[metric.column],
                "low": row[f"{metric.column}_low"],
                "high": row[f"{metric.column}_high"],
                "defaults": values_of(report, name + DEFAULTS)[metric.name],
            }
        )
    best, worst = rows[0]["tuned"], rows[-1]["tuned"]
    edge = max(max(row["high"] for row in rows), best + FAR * 0.5 * (worst - best))
    for row in rows:
        row["beyond"] = row["defaults"] > edge
        row["defaults"] = min(row["defaults"], edge)
    data = alt.InlineData(values=rows)
    labels = alt.Axis(labelExpr=f"{order!r}[datum.value]", labelLimit=320, grid=True)
    y = alt.Y("row:O", title=None, axis=labels)
    scale, title = (
        alt.Scale(zero=False, padding=10),
        f"{metric.name}{' (%)' if metric.percent else ''}, less is better",
    )
    x = alt.X("tuned:Q", title=title, scale=scale)
    base = alt.Chart(data).encode(y=y)
    layers = [
        base.mark_rule(strokeWidth=2, color=PALETTE[0], opacity=0.5).encode(
            x=alt.X("low:Q", scale=scale), x2="high:Q"
        ),
        base.mark_circle(size=70, opacity=1, color=PALETTE[0]).encode(x=x),
        base.mark_point(size=50, opacity=1, color=PALETTE[1]).encode(x=alt.X("defaults:Q", scale=scale)),
    ]
    known = {
        other.name: other.values[metric.name] for other in data_set.others if metric.name in other.values
    }
    words = f"dots: tuned on the first {100 * data_set.first:g}%, with 95% · rings: defaults · judged: {part}"
    if known:
        name = min(known, key=known.__getitem__)
        there = alt.Chart(alt.InlineData(values=[{"x": known[name]}]))
        layers.append(
            there.mark_rule(strokeDash=[5, 4], color=PALETTE[2], strokeWidth=2).encode(
                x=alt.X("x:Q", scale=scale)
            )
        )
        words += f" · dashed: {name}"
    chart = alt.layer(*layers).properties(width=WIDTH, height=ROW_HEIGHT * len(rows) + 20)
    return dressed(chart, data_set.title, words)
