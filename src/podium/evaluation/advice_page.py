"""Advice as a picture and as one HTML page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from podium import charts
from podium.errors import InputError
from podium.evaluation.advice import Advice
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.files.atomic import replacing
from podium.tables.given_frames import takes_any_frame

if TYPE_CHECKING:
    import altair as alt

    from podium.charts.picture_files import Section

HOW = (
    "auto rated the history once, with all its experts. Each expert predicted every event "
    "before rating it. podium calibrated each prediction with the results of the expert's "
    "earlier predictions. Intervals are 95% confidence intervals, from resampled blocks of "
    "events. The best of many experts looks slightly better than it is, because the same "
    "events selected it. auto itself selected nothing afterwards."
)

NOT_TRIED = (
    "Not tried here, because auto uses some experts only for contests, some only without "
    "teams, and margins only with scores"
)


@takes_any_frame
def advice_chart(advice: Advice) -> alt.ChartType:
    """All candidates by log loss, and how far each is behind the best."""
    import polars as pl

    if not advice.candidates:
        raise InputError(
            "the history is too short to compare systems, so there is no picture",
            hint="podium rate works without advice",
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


@takes_any_frame
def write_advice(advice: Advice, path: str | os.PathLike[str], *, title: str, command: str) -> None:
    """Write advice as one HTML page that loads nothing; the file is written whole or not at all."""
    sections: list[Section] = [
        ("Recommendation", "\n\n".join([*advice.sentences, f"Next: {command}"]), None),
        ("The results", f"{advice.summary}.", None),
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
