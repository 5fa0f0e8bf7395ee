"""Advice as a picture and as one HTML page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from podium import charts
from podium.errors import InputError
from podium.evaluation.advice import Advice
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.files.atomic import replacing

if TYPE_CHECKING:
    import altair as alt

    from podium.charts.picture_files import Section

HOW = (
    "auto rated the history once, with all its experts. Each predicted every event before it was rated, and "
    "its predictions were calibrated by how its own earlier ones had turned out. Intervals are of 95%, from "
    "resampled blocks of events. The best of many looks a little better than it is, as it was found by the "
    "same events; auto chose nothing afterwards."
)

NOT_TRIED = (
    "Not tried here, as auto uses some experts only for contests, some only without teams, and margins only "
    "where there are scores"
)


def advice_chart(advice: Advice) -> alt.ChartType:
    """All candidates by log loss, and how far each is behind the best."""
    import polars as pl

    if not advice.candidates:
        raise InputError(
            "there is too little to tell, and nothing to draw", hint="podium rate needs no advice"
        )
    scope = pl.lit("everyone").alias("scope")
    behind = advice.table.filter(pl.col("standing") != "best").select(
        "system",
        "difference",
        "low",
        "high",
        scope,
        pl.lit(LOG_LOSS.name).alias("metric"),
        (pl.col("standing") == "worse").alias("shown"),
    )
    return charts.systems_compared(
        advice.table.with_columns(scope), behind, LOG_LOSS.name, higher_is_better=False
    )


def write_advice(advice: Advice, path: str | os.PathLike[str], *, title: str, command: str) -> None:
    """Write advice as one HTML page that loads nothing; the file is written whole or not at all."""
    sections: list[Section] = [
        ("What to use", "\n\n".join([*advice.sentences, f"Next: {command}"]), None),
        ("What was rated", f"{advice.summary}.", None),
    ]
    if advice.candidates:
        left_out = f"\n\n{NOT_TRIED}: {', '.join(advice.left_out)}." if advice.left_out else ""
        sections += [
            ("Systems compared", f"{HOW}{left_out}", advice_chart(advice)),
            ("", "", advice.table.drop("log_loss_low", "log_loss_high")),
        ]
    text = charts.page(title, sections)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
