"""Curves and dots of any table, responses to results, and how ratings are spread."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from podium import Elo, InputError, ParameterError, charts
from podium.charts import Axis
from podium.simulation.responses import responses_to_change, responses_to_opponents

X, Y = Axis("x", "time (days)"), Axis("y", "rating (points)")
WORDS: dict[str, Any] = {"title": "A title", "subtitle": "what the marks are"}


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {"x": [1.0, 2, 3] * 4, "y": np.arange(12.0) + 1, "who": ["ann", "bob"] * 6, "at": ["a", "a", "b"] * 4}
    )


def marks(chart: Any) -> list[str]:
    """The kind of every layer, in the order drawn."""
    spec = chart.to_dict()
    panels = spec.get("concat", [spec])
    return [layer["mark"]["type"] for panel in panels for layer in panel["layer"]]


def rows(spec: dict[str, Any], layer: dict[str, Any]) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = spec["datasets"][layer["data"]["name"]]
    return values


def test_lines_bands_panels_and_heights() -> None:
    frame = table().with_columns(low=pl.col("y") - 1, high=pl.col("y") + 1)
    chart = charts.curves(frame, X, Y, colour="who", panel="at", band=("low", "high"), across=[5.0], **WORDS)
    assert marks(chart) == ["rule", "area", "line"] * 2
    spec = chart.to_dict()
    assert [panel["title"]["text"] for panel in spec["concat"]] == ["a", "b"]
    assert [len(rows(spec, panel["layer"][2])) for panel in spec["concat"]] == [8, 4]
    area, line = spec["concat"][0]["layer"][1:]
    assert (area["encoding"]["y"]["field"], area["encoding"]["y2"]["field"]) == ("low", "high")
    assert line["encoding"]["y"]["title"] == "rating (points)"
    assert line["encoding"]["color"]["scale"]["domain"] == ["ann", "bob"]


def test_dashes_highlights_and_words() -> None:
    frame = table().with_columns(best=pl.col("y") > 11)
    chart = charts.curves(
        frame, X, Y, colour="who", dashed=["bob"], highlight="best", across={2.0: "two"}, **WORDS
    )
    assert marks(chart) == ["rule", "text", "line", "circle"]
    _, word, line, marked = chart.to_dict()["layer"]
    assert rows(chart.to_dict(), word) == [{"at": 2.0, "word": "two"}]
    assert line["encoding"]["strokeDash"]["scale"] == {"domain": ["ann", "bob"], "range": [[1, 0], [5, 3]]}
    assert marked["transform"] == [{"filter": 'datum["best"]'}]


def test_ticks_may_have_words() -> None:
    """A text for each place, such as 0 and ∞, which a logarithmic axis does not have."""
    frame = pl.DataFrame({"x": [0.0, 1.0, 2.0], "y": [1.0, 2.0, 3.0]})
    axis = Axis("x", "ρ", labels={0.0: "0", 1.0: "1", 2.0: "∞"})
    shown = charts.curves(frame, axis, Axis("y", "points"), title="t", subtitle="s").to_dict()
    ticks = next(layer["encoding"]["x"]["axis"] for layer in shown["layer"] if "x" in layer["encoding"])
    assert ticks["values"] == [0.0, 1.0, 2.0]
    assert json.loads(ticks["labelExpr"].split(")[")[0][1:]) == {"0": "0", "1": "1", "2": "∞"}


def test_dots_and_logarithmic_axes() -> None:
    chart = charts.dots(table(), X, Axis("y", "loss", log=True, domain=(1, 100)), colour="who", **WORDS)
    assert marks(chart) == ["circle"]
    scale = chart.to_dict()["layer"][0]["encoding"]["y"]["scale"]
    assert (scale["type"], scale["domain"]) == ("log", [1, 100])


@pytest.mark.parametrize(
    ("frame", "colour", "reason"),
    [
        (table().clear(), None, "no data to draw"),
        (table(), "nobody", "no column 'nobody'"),
        (pl.DataFrame({"x": np.zeros(50_001), "y": np.zeros(50_001)}), None, "50,001 rows for one picture"),
        (table().with_columns(who=pl.int_range(12).cast(pl.String)), "who", "12 colours for one picture"),
    ],
)
def test_what_cannot_be_drawn(frame: pl.DataFrame, colour: str | None, reason: str) -> None:
    with pytest.raises((InputError, ParameterError), match=reason):
        charts.curves(frame, X, Y, colour=colour, **WORDS)


def test_names_may_be_numbers() -> None:
    spec = charts.curves(
        table().with_columns(who=pl.col("x").cast(pl.Int64)), X, Y, colour="who", **WORDS
    ).to_dict()
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["1", "2", "3"]
    assert {row["who"] for row in next(iter(spec["datasets"].values()))} == {"1", "2", "3"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"band": ("low", "high")}, "no column 'low'"),
        ({"highlight": "best"}, "no column 'best'"),
        ({"dashed": ["ann"]}, "dashed lines without names"),
        ({"colour": "a.b"}, "a column called 'a.b'"),
    ],
)
def test_what_would_be_an_empty_picture(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        charts.curves(table().with_columns(pl.col("who").alias("a.b")), X, Y, **options, **WORDS)


def test_responses_are_drawn_a_panel_a_system(tmp_path: Path) -> None:
    frame = responses_to_opponents({"slow": Elo(k=10), "fast": Elo(k=40)}, gaps=[-200, 0, 200], matches=2)
    chart = charts.responses_to_opponents(frame)
    assert [panel["title"]["text"] for panel in chart.to_dict()["concat"]] == ["slow", "fast"]
    for kind in ("png", "svg", "html"):
        charts.save(chart, tmp_path / f"responses.{kind}")
    width, height = struct.unpack(">II", (tmp_path / "responses.png").read_bytes()[16:24])
    assert (width > 800, height > 400) == (True, True)
    said = " ".join(ElementTree.parse(tmp_path / "responses.svg").getroot().itertext())
    assert "opponent stronger by (Elo points)" in said
    assert "vegaEmbed(" in (tmp_path / "responses.html").read_text()
    found = charts.responses_to_change(responses_to_change({"elo": Elo()}, before=2, after=3, field=9))
    assert marks(found) == ["rule", "line"]


def test_how_ratings_are_spread() -> None:
    """Every player is in one bar, and the bars' edges are round."""
    shown = np.random.default_rng(1).normal(1500, 300, 400)
    frame = pl.DataFrame({"display": shown, "events": [1, 5] * 200})
    spec = charts.ratings_spread(frame, min_events=5).to_dict()
    bars = rows(spec, spec["layer"][0])
    assert sum(bar["players"] for bar in bars) == 200
    edges = [bar["from"] for bar in bars]
    assert np.allclose(np.diff(edges), 50.0)
    assert np.allclose(np.array(edges) % 50.0, 0.0)
    for bar in bars:
        assert bar["players"] == ((shown[1::2] >= bar["from"]) & (shown[1::2] < bar["to"])).sum()
    assert rows(spec, spec["layer"][1]) == [{"from": pytest.approx(np.median(shown[1::2]))}]
    alone = charts.ratings_spread(pl.DataFrame({"display": [25.0], "events": [1]})).to_dict()
    assert sum(bar["players"] for bar in rows(alone, alone["layer"][0])) == 1
    far = charts.ratings_spread(pl.DataFrame({"display": [*shown, 1e5], "events": [1] * 401})).to_dict()
    assert "the bars at the ends include 1 player outside" in str(far["title"])
    assert "outside" not in str(alone["title"])
    bars = rows(far, far["layer"][0])
    assert {bar["to"] - bar["from"] for bar in bars} <= {50.0, 100.0}
    assert sum(bar["players"] for bar in bars) == 401
    with pytest.raises(ParameterError, match="no players to show"):
        charts.ratings_spread(frame, min_events=6)
