"""Arenas: strengths with their intervals, and who beats whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.charts.grammar import ABOVE, BELOW, ROW_HEIGHT, WIDTH, dressed, hints, lines, need, points
from podium.errors import ParameterError
from podium.text import shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

MOST_IN_MATRIX = 40
"""Players of a matrix: more make cells that nobody can read."""
MOST_WITH_INTERVALS = 15
"""Players of a matrix whose cells have room for the number of votes and the interval."""


def arena_strengths(frame: pl.DataFrame, *, top: int = 60) -> alt.ChartType:
    """Draw `Fit.strengths`: each strength with its interval, and the ranks that the votes allow."""
    need("altair")
    import altair as alt

    shown = frame.head(top)
    if not shown.height:
        raise ParameterError("there are no players to show")
    rows = [
        {**row, "row": number, "ranks": f"{row['rank_low']}–{row['rank_high']}"}
        for number, row in enumerate(shown.drop("component").iter_rows(named=True))
    ]
    told = hints({"player": "player", "ranks": "ranks"})
    told += hints({"strength": "strength", "low": "low", "high": "high"}, ".1f")
    told += hints({"votes": "votes"}, ".0f")
    labels = [f"{row['rank']}. {shorten(row['player'], 36)}" for row in rows]
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=lines(labels), tooltip=told)
    chart = alt.layer(
        base.mark_rule(strokeWidth=4, opacity=0.35, color=ABOVE).encode(
            x=points("low", "strength"), x2="high:Q"
        ),
        base.mark_circle(size=70, opacity=1, color=ABOVE).encode(x=points("strength", "strength")),
        base.mark_text(align="right").encode(x=alt.value(0.8 * WIDTH + 60), text="ranks:N"),
    ).properties(width=0.8 * WIDTH, height=alt.Step(ROW_HEIGHT))
    return dressed(chart, "Strengths", "dot: strength · bar: its interval · numbers: ranks for all at once")


def arena_matrix(frame: pl.DataFrame, players: list[str], *, surprise: bool = False) -> alt.ChartType:
    """Draw `Fit.matches` as a matrix: the score of the row against the column.

    Up to 15 players have room for the number of votes and the interval of the expected score. With `surprise`
    colours show how far scores are from what the fit expects, in standard errors.
    """
    need("altair")
    import altair as alt

    if not 2 <= len(players) <= MOST_IN_MATRIX:
        raise ParameterError(f"a matrix of {len(players)} players", hint=f"show 2 to {MOST_IN_MATRIX}")
    cells = []
    for row in frame.iter_rows(named=True):
        if row["player"] in players and row["opponent"] in players:
            cells.append(row)
            turned = {"player": row["opponent"], "opponent": row["player"], "votes": row["votes"]}
            turned |= {"score": 1 - row["score"], "expected": 1 - row["expected"], "z": -row["z"]}
            cells.append({**turned, "low": 1 - row["high"], "high": 1 - row["low"]})
    has_room = len(players) <= MOST_WITH_INTERVALS and not surprise
    for cell in cells:
        cell["below"] = [f"{cell['votes']:,.0f} votes", f"{cell['low']:.2f}–{cell['high']:.2f}"]
    field, domain = ("z", [-4, 0, 4]) if surprise else ("score", [0, 0.5, 1])
    told = hints({"player": "player", "opponent": "opponent"})
    told += hints({"score": "score", "expected": "expected", "low": "low", "high": "high", "z": "z"}, ".2f")
    told += hints({"votes": "votes"}, ".0f")
    colour = alt.Scale(domain=domain, range=[BELOW, "#ffffff", ABOVE], clamp=True, interpolate="rgb")
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X("opponent:N", sort=players, title=None),
        y=alt.Y("player:N", sort=players, title=None),
        tooltip=told,
    )
    number = alt.Text("z:Q", format="+.1f") if surprise else alt.Text("score:Q", format=".2f")
    layers = [
        base.mark_rect().encode(color=alt.Color(f"{field}:Q", scale=colour, legend=None)),
        base.mark_text(fontSize=11 if has_room else 9, dy=-11 if has_room else 0).encode(text=number),
    ]
    if has_room:
        layers.append(base.mark_text(fontSize=9, dy=3, lineHeight=11, opacity=0.8).encode(text="below:N"))
    chart = alt.layer(*layers).properties(
        width=alt.Step(58 if has_room else 30), height=alt.Step(42 if has_room else 20)
    )
    if surprise:
        return dressed(
            chart, "Largest deviations from the fit", "score minus expected score, in standard errors"
        )
    told_below = ["below: votes, and the interval of the expected score"] if has_room else []
    subtitle = ["the row's score against the column (a tie counts half)", *told_below]
    return dressed(chart, "Who beats whom", subtitle)
