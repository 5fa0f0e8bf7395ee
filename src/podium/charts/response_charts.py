"""How ratings answer to results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.charts.curve_charts import Axis, curves
from podium.charts.grammar import PALETTE

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


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
        title="What a match changes",
        subtitle="change of the rating, by how much stronger the opponent is · each system on its own scale",
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
        title="How soon a change is found",
        subtitle="from contest 1 on, places of a stronger player · dotted: whose places they were",
        across=levels,
        columns=3,
        width=210 if many else None,
        height=170 if many else None,
    )
