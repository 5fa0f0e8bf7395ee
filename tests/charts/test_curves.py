"""Curves and dots of any table: what is drawn of which rows, and what is refused."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from podium import charts
from podium.charts import Axis
from podium.charts.curves import MOST
from podium.errors import InputError, ParameterError

FRAME = pl.DataFrame(
    {
        "name": ["a", "a", "b", "b"],
        "half": ["left", "right", "left", "right"],
        "x": [1.0, 2.0, 1.0, 2.0],
        "y": [3.0, 5.0, 4.0, 1.0],
        "best": [False, True, True, False],
    }
)
X, Y = Axis("x", "time (days)"), Axis("y", "rating (points)")
WORDS = {"title": "What is seen", "subtitle": "what marks mean"}


def marks_in(chart: Any) -> list[dict[str, Any]]:
    """Everything that is drawn, one below another."""
    found: list[dict[str, Any]] = []

    def walk(part: dict[str, Any]) -> None:
        for inner in part.get("layer", []) + part.get("concat", []):
            walk(inner)
        if "mark" in part:
            found.append(part)

    walk(chart.to_dict())
    return found


def test_curves_dashes_and_marks() -> None:
    chart = charts.curves(
        FRAME, X, Y, colour="name", dashed=["b"], highlight="best", across={2.0: "two"}, **WORDS
    )
    rule, word, line, marked = marks_in(chart)
    assert [part["mark"]["type"] for part in (rule, word, line, marked)] == ["rule", "text", "line", "circle"]
    assert line["encoding"]["strokeDash"]["scale"] == {"domain": ["a", "b"], "range": [[1, 0], [5, 3]]}
    assert line["encoding"]["color"]["legend"]["symbolType"] == "stroke"
    assert line["encoding"]["x"]["title"] == "time (days)"
    assert marked["transform"] == [{"filter": 'datum["best"]'}]


def test_panels_have_their_names_and_rows() -> None:
    chart = charts.dots(FRAME, X, Y, panel="half", columns=2, **WORDS).to_dict()
    assert [picture["title"]["text"] for picture in chart["concat"]] == ["left", "right"]
    rows = [chart["datasets"][picture["data"]["name"]] for picture in chart["concat"]]
    assert [[row["y"] for row in own] for own in rows] == [[3.0, 4.0], [5.0, 1.0]]


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        charts.curves(FRAME.clear(), X, Y, **WORDS)
    with pytest.raises(ParameterError, match="no column 'colour'"):
        charts.dots(FRAME, X, Y, colour="colour", **WORDS)
    many = pl.DataFrame({"x": [0.0] * (MOST + 1), "y": [0.0] * (MOST + 1)})
    with pytest.raises(ParameterError, match="50,001 rows"):
        charts.dots(many, X, Y, **WORDS)
