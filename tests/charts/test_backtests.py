"""Pictures of backtests: that they show the tables, and what they say where there is nothing to show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from charts.test_charts import NASTY, labels_of, read, walked
from podium import InputError, ParameterError, charts
from podium.charts.backtest_charts import axis_limits, off_scale

SUMMARY = pl.DataFrame(
    {
        "system": ["elo", "glicko", "other", "none"] * 2,
        "scope": ["everyone"] * 4 + ["experienced"] * 4,
        "log_loss": [0.61, 0.58, 0.581, None, 0.6, 0.57, 0.56, None],
        "log_loss_low": [0.60, 0.57, 0.57, None, 0.59, 0.56, 0.55, None],
        "log_loss_high": [0.62, 0.59, 0.59, None, 0.61, 0.58, 0.57, None],
    }
)
DIFFERENCES = pl.DataFrame(
    {
        "metric": ["log-loss"] * 2,
        "scope": ["everyone"] * 2,
        "best": ["glicko"] * 2,
        "system": ["elo", "other"],
        "difference": [0.03, 0.001],
        "low": [0.02, -0.001],
        "high": [0.04, 0.003],
        "better": [0.0, 0.3],
        "shown": [True, False],
    }
)
GROUPS = pl.DataFrame(
    {
        "system": ["elo", "elo", "glicko", "glicko"],
        "scope": ["everyone"] * 4,
        "period": ["2024", "2025"] * 2,
        "rows": [10, 20, 10, 20],
        "log_loss": [0.62, 0.60, 0.60, 0.57],
    }
)
CURVE = pl.DataFrame(
    {
        "system": ["elo", "elo", "glicko"],
        "scope": ["everyone"] * 3,
        "from": [0.2, 0.7, 0.5],
        "to": [0.25, 0.75, 0.55],
        "rows": [10, 30, 20],
        "expected": [0.22, 0.71, 0.52],
        "score": [0.2, 0.8, 0.5],
        "score_low": [0.1, 0.7, 0.4],
        "score_high": [0.3, 0.9, 0.6],
    }
)


def rows_with(chart: Any, field: str) -> list[dict[str, Any]]:
    return rows_of(chart.to_dict(), field)


def rows_of(spec: dict[str, Any], field: str) -> list[dict[str, Any]]:
    return [row for rows in spec["datasets"].values() for row in rows if field in row]


def shapes_of(spec: dict[str, Any]) -> list[str]:
    return [part["mark"]["shape"] for part in walked(spec) if "shape" in part.get("mark", {})]


def test_systems_stand_in_order_with_their_distance_to_the_best() -> None:
    chart = charts.systems_compared(SUMMARY, DIFFERENCES, "log-loss", higher_is_better=False)
    rows = rows_with(chart, "kind")
    assert [row["system"] for row in rows] == ["glicko", "other", "elo"]
    assert [row["kind"] for row in rows] == ["best", "not shown", "worse"]
    assert [row["said"] for row in rows] == ["best", "+0.00100 ≈", "+0.03000"]
    assert (rows[0]["low"], rows[0]["value"], rows[0]["high"]) == (0.57, 0.58, 0.59)
    assert [(row["from"], row["to"]) for row in rows] == [(None, None), (-0.001, 0.003), (0.02, 0.04)]
    assert '["glicko", "other", "elo"]' in labels_of(chart)
    other = charts.systems_compared(
        SUMMARY, DIFFERENCES, "log-loss", higher_is_better=True, scope="experienced"
    )
    assert [row["system"] for row in rows_with(other, "kind")] == ["elo", "glicko", "other"]


def test_calibration_has_a_panel_a_system_and_a_diagonal() -> None:
    spec = charts.calibration(CURVE).to_dict()
    assert [panel["title"]["text"] for panel in spec["concat"]] == ["elo", "glicko"]
    shown = rows_with(charts.calibration(CURVE), "expected")
    assert {row["expected"] for row in shown} == {0.71, 0.52}
    assert spec["title"]["subtitle"][1:] == ["bins of fewer than 20 rows are left out"]
    few = charts.calibration(CURVE.with_columns(rows=3), home=True)
    assert {row["expected"] for row in rows_with(few, "expected")} == {0.22, 0.71, 0.52}
    assert few.to_dict()["title"]["subtitle"][1:] == ["scores of the home side"]
    marks = [part["mark"]["type"] for part in walked(spec["concat"][0]) if "mark" in part]
    assert marks == ["line", "rule", "line", "circle"]


def test_groups_share_a_picture_and_bands_do_not() -> None:
    together = charts.metric_by_group(GROUPS, "log-loss", higher_is_better=False)
    colour = next(part["color"] for part in walked(together.to_dict()) if "scale" in part.get("color", {}))
    assert colour["scale"]["domain"] == ["glicko", "elo"]  # the better one first
    assert [row["value"] for row in rows_with(together, "value")] == GROUPS["log_loss"].to_list()
    less = charts.metric_by_group(GROUPS, "log-loss", higher_is_better=False, against="elo")
    values = [row["value"] for row in rows_with(less, "value")]
    assert values == pytest.approx([0.0, 0.0, -0.02, -0.03])
    bands = GROUPS.rename({"period": "band"})
    apart = charts.metric_by_group(bands, "log-loss", higher_is_better=False).to_dict()
    assert [panel["title"]["text"] for panel in apart["concat"]] == ["glicko", "elo"]


def test_standings_order_and_name_the_systems() -> None:
    standings = {"elo": "best", "glicko": "≈ best", "absent": ""}
    named = ["best: elo", "≈ best: glicko"]
    together = charts.metric_by_group(GROUPS, "log-loss", higher_is_better=False, standings=standings)
    colour = next(part["color"] for part in walked(together.to_dict()) if "scale" in part.get("color", {}))
    assert colour["scale"]["domain"] == named
    bands = charts.metric_by_group(
        GROUPS.rename({"period": "band"}), "log-loss", higher_is_better=False, standings=standings
    )
    for panels in (bands, charts.calibration(CURVE, standings=standings)):
        assert [panel["title"]["text"] for panel in panels.to_dict()["concat"]] == named


def test_an_axis_leaves_out_what_would_squeeze_the_rest() -> None:
    """Distances to the anchor are 0.01, 0.02 and 0.3; the lower median is 0.02, and 5 × 0.02 < 0.3.

    What is left has a span of 0.02, and 0.05 of it is the room at each end.
    """
    values = [0.6, 0.61, 0.62, 0.9]
    limits = axis_limits([(value, value, value) for value in values], 0.6)
    assert limits == pytest.approx((0.599, 0.621))
    assert [off_scale(value, limits) for value in (0.5, *values)] == ["below", None, None, None, "above"]
    wide = [(value - 0.2, value, value + 0.2) for value in values]
    assert axis_limits(wide, 0.6) == pytest.approx(
        (0.365, 1.135)
    )  # from 0.4 to 1.1: bars are as long as that


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        (
            [0.0, 1.0, 1.0, 5.0, 6.0],
            (-0.3, 6.3),
        ),  # 6 is beyond 5 × 1, but without it the axis still ends at 5
        ([2.0, 2.0, 2.0], (1.9, 2.1)),
        ([0.0, 0.0], (-0.05, 0.05)),
        ([0.0, 0.0, 0.0, 3.0], (-0.15, 3.15)),  # equal values say nothing about what is far
    ],
)
def test_an_axis_leaves_out_nothing_without_need(values: list[float], ends: tuple[float, float]) -> None:
    assert axis_limits([(value, value, value) for value in values], values[0]) == pytest.approx(ends)


@pytest.mark.parametrize(("higher", "side", "shape"), [(False, "above", "right"), (True, "below", "left")])
def test_a_system_off_the_scale_is_an_arrow_with_its_number(higher: bool, side: str, shape: str) -> None:
    sign = -1.0 if higher else 1.0
    systems, values = ["a", "b", "c", "wreck"], [0.60 + sign * apart for apart in (0.0, 0.01, 0.02, 0.3)]
    summary = pl.DataFrame(
        {"system": systems, "scope": ["everyone"] * 4, "skill": values}
        | {
            f"skill_{end}": [value + more for value in values]
            for end, more in (("low", -0.002), ("high", 0.002))
        }
    )
    behind = pl.DataFrame(
        {
            "metric": ["skill"] * 3,
            "scope": ["everyone"] * 3,
            "system": systems[1:],
            "difference": [value - values[0] for value in values[1:]],
            "low": [None] * 3,
            "high": [None] * 3,
            "shown": [True] * 3,
        }
    )
    spec = charts.systems_compared(summary, behind, "skill", higher_is_better=higher, digits=2).to_dict()
    rows = rows_of(spec, "kind")
    for field in ("value_off", "difference_off"):
        assert [row[field] for row in rows] == [None, None, None, side]
    assert rows[3]["value_beside"] == ("0.3" if higher else "")  # else the number stands at that edge anyway
    assert rows[3]["said"] == ("−0.300" if higher else "+0.300")
    assert "arrows at the edge: beyond the scale" in spec["title"]["subtitle"]
    drawn = [part for part in walked(spec) if part.get("mark", {}).get("type") in ("circle", "rule")]
    kept = [part["transform"][0]["filter"] for part in drawn if "transform" in part]
    assert kept == ["datum.value_off === null"] * 2 + ["datum.difference_off === null"] * 2
    assert f"triangle-{shape}" in shapes_of(spec)
    near = charts.systems_compared(summary.head(3), behind.head(2), "skill", higher_is_better=higher)
    assert len(near.title.subtitle) == 1


def test_a_group_off_the_scale_is_an_arrow_with_its_number() -> None:
    frame = pl.DataFrame(
        {
            "system": ["elo"] * 9,
            "scope": ["everyone"] * 9,
            "period": [str(2010 + year) for year in range(9)],
            "rows": [10] * 9,
            "log_loss": [0.60, 0.61, 0.62, 0.60, 0.61, 0.62, 0.61, 0.60, 1.9],
        }
    )
    spec = charts.metric_by_group(frame, "log-loss", higher_is_better=False).to_dict()
    rows = rows_of(spec, "off")
    assert [row["off"] for row in rows] == [None] * 8 + ["above"]
    assert rows[8]["said"] == "1.9000"
    assert "arrows: beyond the scale" in spec["title"]["subtitle"]
    ends = [part["y"]["scale"]["domain"][1] for part in walked(spec) if "scale" in part.get("y", {})]
    assert max(ends) < 0.63
    assert shapes_of(spec) == ["triangle-down", "triangle-up"]


def test_periods_of_a_few_rows_are_left_out() -> None:
    """Of two periods those with less than a hundredth of the rows, of very many those far below the mean."""
    thin = GROUPS.with_columns(rows=pl.Series([10, 2000] * 2))
    chart = charts.metric_by_group(thin, "log-loss", higher_is_better=False)
    assert {row["group"] for row in rows_with(chart, "value")} == {"2025"}
    assert "without periods of fewer than 21 rows" in chart.to_dict()["title"]["subtitle"]
    years = pl.DataFrame(
        {
            "system": ["elo"] * 200,
            "scope": ["everyone"] * 200,
            "period": [str(1800 + i) for i in range(200)],
            "rows": [1] + [100] * 199,
            "log_loss": [0.6] * 200,
        }
    )
    many = charts.metric_by_group(years, "log-loss", higher_is_better=False)
    assert len({row["group"] for row in rows_with(many, "value")}) == 199
    by_experience = charts.metric_by_group(
        thin.rename({"period": "experience"}), "log-loss", higher_is_better=False
    )
    assert len(rows_with(by_experience, "value")) == 4


def test_of_many_systems_the_best_are_drawn() -> None:
    many = pl.concat(
        [
            GROUPS.filter(pl.col("system") == "elo").with_columns(
                pl.lit(f"s{number}").alias("system"), pl.col("log_loss") + number / 100
            )
            for number in range(9)
        ]
    )
    chart = charts.metric_by_group(many, "log-loss", higher_is_better=False)
    assert {row["system"] for row in rows_with(chart, "value")} == {f"s{number}" for number in range(7)}
    assert "the best 7 of 9 systems" in chart.to_dict()["title"]["subtitle"]


def test_they_look_like_all_pictures_and_can_be_written(tmp_path: Path) -> None:
    chart = charts.systems_compared(SUMMARY, DIFFERENCES, "log-loss", higher_is_better=False)
    assert chart.to_dict()["config"]["title"] == charts.THEME["title"]
    charts.save(chart, tmp_path / "systems.svg")
    said = " ".join(ElementTree.parse(tmp_path / "systems.svg").getroot().itertext())
    for words in ("Systems by log loss, everyone", "log loss (lower is better)", "glicko", "the best"):
        assert words in said


def test_tables_on_a_page() -> None:
    frame = pl.DataFrame({NASTY: [NASTY, None], "n": [1.5, None]})
    document = read(charts.page("Tables", [("One", "A text.", frame), ("", "", None)]))
    assert [document.tags.count(tag) for tag in ("table", "th", "td", "h2")] == [1, 2, 4, 1]
    assert document.text.count(NASTY) == 2
    assert document.text.count("–") == 2
    assert "b" not in document.tags


def test_marked_rows_of_a_table() -> None:
    frame = pl.DataFrame({"system": ["elo", "glicko", "luck"]})
    page = charts.page("Marked", [("", "", charts.MarkedTable(frame, ["best", "level", None]))])
    assert re.findall(r'<tr class="(\w+)"><td>(\w+)', page) == [("best", "elo"), ("level", "glicko")]
    assert "<tr><td>luck" in page


def test_details_of_a_page_are_behind_folds() -> None:
    frame = pl.DataFrame({"n": [1]})
    details = [("More & more", "Text.", frame), ("", "It goes on.", frame), ("Last", "", None)]
    page = charts.page("Folds", [("Seen", "", None)], details)
    seen, *folds = page.split("<details>")
    assert "<h2>Seen</h2>" in seen
    assert "<summary><h2>More &amp; more</h2></summary>" in folds[0]
    assert folds[0].count("<table>") == 2
    assert "<summary><h2>Last</h2></summary>" in folds[1]
    assert [page.count(tag) for tag in ("<details>", "</details>", "<h2>")] == [2, 2, 3]
    assert "<details>" not in charts.page("None", [("Seen", "", None)])


def test_every_figure_has_a_label() -> None:
    chart = charts.metric_by_group(GROUPS, "log-loss", higher_is_better=False)
    page = charts.page("Figures", [("One", "", chart), ("", "", chart)])
    assert 'aria-label="One"' in page
    assert 'aria-label="Log loss by period, everyone"' in page


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="no scope 'top:9'"):
        charts.calibration(CURVE, scope="top:9")
    with pytest.raises(InputError, match="nothing was measured"):
        charts.calibration(CURVE.head(0))
    with pytest.raises(ParameterError, match="no accuracy by"):
        charts.metric_by_group(GROUPS, "accuracy", higher_is_better=True)
    with pytest.raises(ParameterError, match="no system 'luck'"):
        charts.metric_by_group(GROUPS, "log-loss", higher_is_better=False, against="luck")
    nothing = SUMMARY.with_columns(pl.lit(None, pl.Float64).alias("log_loss"))
    with pytest.raises(InputError, match="no system has a log-loss"):
        charts.systems_compared(nothing, DIFFERENCES, "log-loss", higher_is_better=False)
