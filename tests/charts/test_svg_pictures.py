"""The small SVG writer: where things are drawn, what it says to those who do not see, and that it escapes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import podium
from podium.charts import grammar
from podium.charts.svg_pictures import (
    RatingLine,
    calibration_dots,
    chance_bar,
    change_bars,
    expected_ranks,
    place_history,
    pull_bars,
    rating_history,
    ratings_distribution,
    spark_line,
    thinned,
)
from podium.charts.svg_plot import Plot, Scale, round_marks, scale_around, seconds_of, time_marks
from podium.systems.tiers import Tier

HOSTILE = "</title><script>alert('1')</script>&\""
TIERS = (Tier("Low", -float("inf"), "#808080"), Tier(HOSTILE, 1550.0, "#d4a017"))
TIMES = ["2020-01-01", "2020-01-11", "2020-01-21"]


def tree(svg: str) -> ElementTree.Element:
    """A picture as XML, which is stricter than HTML: everything is closed and escaped."""
    return ElementTree.fromstring(svg)


def path(svg: str, look: str) -> list[list[float]]:
    """The points of a path, by its class."""
    found = next(one for one in tree(svg).iter("path") if one.get("class") == look)
    numbers = [float(number) for number in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", found.attrib["d"])]
    return [numbers[i : i + 2] for i in range(0, len(numbers), 2)]


def line(**given: object) -> RatingLine:
    values: dict[str, object] = {
        "times": TIMES,
        "ratings": [1500.0, 1600.0, 1580.0],
        "band": ([1400.0, 1520.0, 1520.0], [1600.0, 1680.0, 1640.0]),
        "performances": [1500.0, None, 1560.0],
        "words": ["one", HOSTILE, "three"],
    }
    return RatingLine(**{**values, **given})  # type: ignore[arg-type]


def test_a_point_is_where_its_scales_say() -> None:
    plot = Plot(Scale(0.0, 10.0), Scale(100.0, 200.0), height=140, top=20, bottom=20)
    plot.line([(0.0, 100.0), (5.0, 150.0), (10.0, 200.0)], "line")
    # Across: 0, 50 and 100 percent. Down: 100 pixels between 20 from the top and 20 from the bottom.
    assert path(plot.svg("t", "d"), "line") == [[0.0, 120.0], [50.0, 70.0], [100.0, 20.0]]
    assert (plot.across(5.0), plot.down(150.0)) == (50.0, 70.0)


def test_a_logarithmic_axis() -> None:
    plot = Plot(Scale(0.0, 1.0), Scale(1.0, 100.0, logarithmic=True), height=100, top=0, bottom=0)
    plot.line([(0.0, 1.0), (1.0, 10.0)], "line")
    assert path(plot.svg("t", "d"), "line") == [[0.0, 100.0], [100.0, 50.0]]  # 10 is half way from 1 to 100
    assert [mark.text for mark in round_marks(plot.y)] == ["1", "10", "100"]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-30.0, 25.0, ["−20", "0", "20"]),
        (11_000.0, 31_000.0, ["15,000", "20,000", "25,000", "30,000"]),
    ],
)
def test_marks_are_round(low: float, high: float, texts: list[str]) -> None:
    assert [mark.text for mark in round_marks(Scale(low, high))] == texts


@pytest.mark.parametrize(
    ("start", "end", "texts"),
    [
        ("2024-12-30T12:00:00Z", "2025-01-03", ["31 Dec", "1 Jan", "2 Jan"]),
        ("2024-11-15", "2025-06-15", ["Jan 2025", "Mar 2025", "May 2025"]),
        ("1956-05-30", "1958-07-01", ["Jan 1957", "Jan 1958"]),
        ("1985-04-20", "1985-09-04", ["May 1985", "Jul 1985"]),  # September would be cut off
        ("1950-05-13", "2026-07-26", ["1960", "1980", "2000", "2020"]),
    ],
)
def test_times_are_marked_by_days_months_or_years(start: str, end: str, texts: list[str]) -> None:
    marks = time_marks(Scale(seconds_of(start), seconds_of(end)))
    assert [mark.text for mark in marks] == texts


@pytest.mark.parametrize(
    ("start", "end", "texts"),
    [
        ("0001-01-01", "0001-01-05", ["1 Jan", "2 Jan", "3 Jan", "4 Jan"]),
        ("0001-01-01", "0001-07-01", ["Mar 1", "May 1"]),
        ("0001-01-01", "2026-07-26", ["500", "1000", "1500"]),
        ("0001-01-01", "9892-03-01", ["2000", "4000", "6000", "8000"]),
    ],
)
def test_times_at_the_ends_of_the_calendar_are_marked(start: str, end: str, texts: list[str]) -> None:
    marks = time_marks(scale_around([seconds_of(start), seconds_of(end)], margin=0.05))
    assert [mark.text for mark in marks] == texts


def test_equal_values_have_a_scale() -> None:
    scale = scale_around([1500.0])
    assert scale.low < 1500.0 < scale.high


def test_a_rating_history() -> None:
    svg = rating_history(line(), title="Rating of ann")
    drawn = path(svg, "line")
    # Ten days and ten days, with a hundredth of twenty days free on both sides.
    assert [x for x, _ in drawn] == pytest.approx([0.2 / 20.4 * 100, 50.0, 20.2 / 20.4 * 100], abs=0.01)
    # From 1400 to 1680 and 6% of 280 more on both sides: 313.6 points on 264 pixels, the bottom at 274.
    down = [274 - 264 * (rating - 1383.2) / 313.6 for rating in (1500, 1600, 1580)]
    assert [y for _, y in drawn] == pytest.approx(down, abs=0.06)
    assert len(path(svg, "band")) == 6
    assert tree(svg).get("role") == "img"
    assert tree(svg).get("aria-label") == "Rating of ann"
    assert (
        tree(svg).findtext("desc") == "The rating changes from 1500 to 1580 in 3 events. The highest is 1600."
    )
    assert [one.text for one in tree(svg).iter("title")] == ["one", HOSTILE, "three"]


def test_tiers_lie_behind_a_history() -> None:
    svg = rating_history(line(), TIERS, title="t")
    boxes = {one.get("fill"): one for one in tree(svg).iter("rect") if one.get("class") == "tier"}
    bound = 274 - 264 * (1550 - 1383.2) / 313.6
    assert float(boxes["#d4a017"].attrib["y"]) == 10.0
    assert float(boxes["#808080"].attrib["y"]) == pytest.approx(bound, abs=0.06)
    assert float(boxes["#808080"].attrib["height"]) == pytest.approx(274 - bound, abs=0.06)
    assert HOSTILE[:19] in "".join(tree(svg).itertext())


def test_a_wild_performance_is_an_arrow_and_no_value() -> None:
    svg = rating_history(line(performances=[9000.0, 1600.0, -900.0]), title="t")
    # Half of the 280 points above 1680 and below 1400, and 6% of the 560 points on both sides.
    across, down = path(svg, "performances")[0]
    assert (across, svg.count("h0")) == (50.0, 1)
    assert down == pytest.approx(274 - 264 * (1600 - 1226.4) / 627.2, abs=0.06)
    arrows = [one for one in tree(svg).iter("svg") if one.get("class") == "beyond"]
    assert [float(one.attrib["y"]) for one in arrows] == [10.0, 267.0]  # the upper edge, the lower edge
    assert "beyond" not in rating_history(line(performances=[1600.0, 1700.0, 1500.0]), title="t")


@pytest.mark.parametrize("times", [[None, None, None], ["2020-01-01"] * 3])
def test_without_times_events_are_numbered(times: list[str | None]) -> None:
    svg = rating_history(line(times=times, band=None), title="t")
    assert [one.text for one in tree(svg).iter("text") if (one.text or "").startswith("no.")] == [
        "no. 1",
        "no. 2",
        "no. 3",
    ]


def test_one_event_is_a_history() -> None:
    one = line(times=TIMES[:1], ratings=[1500.0], band=None, performances=[None], words=["w"])
    assert "<circle" in rating_history(one, TIERS, title="t")
    far = rating_history(one._replace(performances=[1700.0]), title="t")
    assert (
        path(far, "performances")[0][1] < path(far, "line")[0][1] - 100
    )  # above the rating, not at its height


def test_the_best_place_is_on_top() -> None:
    words = ["a", "b", "c"]
    svg = place_history(TIMES, [9, None, 2], words, title="t")
    (_, worse), (_, better) = path(svg, "line")
    assert better < worse
    assert "from 9 to 2. The best is 2" in (tree(svg).findtext("desc") or "")
    middling = place_history(TIMES, [120, 30, 12], words, title="t")
    texts = [one.text for one in tree(middling).iter("text") if one.get("class") == "left"]
    assert texts == ["50", "100"]  # the first place is above the picture
    far = place_history(TIMES, [90_000, 300, 1], words, title="t")
    texts = [one.text for one in tree(far).iter("text") if one.get("class") == "left"]
    assert texts == ["1", "10", "100", "1000", "10,000"]


def test_a_spark_line() -> None:
    assert path(spark_line([0.0, 5.0, 10.0]), "line up") == [[2.0, 22.0], [50.0, 12.0], [98.0, 2.0]]
    assert path(spark_line([7.0, 7.0]), "line up") == [[2.0, 12.0], [98.0, 12.0]]
    assert tree(spark_line([1600.0, 1500.0])).get("aria-label") == "from 1600 to 1500"
    assert spark_line([1500.0]) == ""


def test_a_distribution_has_the_colours_of_tiers() -> None:
    svg = ratings_distribution([1400.0, 1500.0, 1600.0, 1700.0], [1, 0, 4], TIERS, title="t")
    bars = [one for one in tree(svg).iter("rect") if one.get("class") == "tierbar"]
    assert [bar.get("fill") for bar in bars] == ["#808080", "#d4a017"]
    low, high = (float(bar.attrib["height"]) for bar in bars)
    assert high == pytest.approx(4 * low, abs=0.1)
    assert tree(svg).findtext("desc") == (
        "5 players between 1400 and 1700. The largest group, 4 of them, is between 1600 and 1700."
    )


def test_bars_of_a_rating() -> None:
    svg = pull_bars([(HOSTILE, 30.0), ("loss", -10.0)], 0, title="t")
    bars = list(tree(svg).iter("rect"))
    # From −10 to 30: zero is at a quarter of the width.
    assert [(bar.get("class"), bar.get("x"), bar.get("width")) for bar in bars] == [
        ("bar", "25.00%", "75.00%"),
        ("bar below", "0.00%", "25.00%"),
    ]
    assert tree(svg).findtext("desc") == f"{HOSTILE}: +30; loss: −10."


def test_changes_begin_where_the_one_before_ends() -> None:
    svg = change_bars(("start", 1500.0), [("win", 30.0), ("loss", -40.0), ("draw", 0.04)], 1, title="t")
    bars = [(bar.get("class"), bar.get("x"), bar.get("width")) for bar in tree(svg).iter("rect")]
    # 1500 → 1530 → 1490 → 1490.04, on an axis from 1490 to 1530.
    assert bars[1:3] == [("bar", "25.00%", "75.00%"), ("bar below", "0.00%", "100.00%")]
    assert tree(svg).findtext("desc") == "start: 1500.0; win: +30.0; loss: −40.0; draw: 0.0."
    change_bars(("start", 1500.0), [], 1, title="t")


def test_ranks_against_expected_ranks() -> None:
    svg = expected_ranks([1.5, 2.0, 3.0], [2, 1, 3], ["ann", HOSTILE, "cat"], title="t", said="1 of 3.")
    dots = {one.get("class"): one.attrib["d"].count("M") for one in tree(svg).iter("path")}
    assert dots == {"reference": 1, "dots above": 2, "dots below": 1}  # as expected counts as well done
    assert tree(svg).findtext("desc") == "1 of 3."


def test_calibration_and_chances() -> None:
    svg = calibration_dots([0.25, 0.75], [0.5, 0.75], [100, 400], title="t")
    radii = [float(dot.attrib["r"]) for dot in tree(svg).iter("circle") if dot.get("class") == "end"]
    assert radii == [5.0, 7.5]  # 2.5 + 5 × √(100/400), and 2.5 + 5
    assert "expected 25%, scored 50% · 100 predictions" in (tree(svg).findtext("desc") or "")
    bar = tree(chance_bar(0.5, 0.3, 0.2))
    assert bar.get("aria-label") == "win 50%, draw 30%, loss 20%"
    assert [part.get("x") for part in bar] == ["0.0%", "50.0%", "80.0%"]
    assert len(tree(chance_bar(0.6, 0.0, 0.4))) == 2


def test_a_long_line_keeps_its_peaks() -> None:
    values = [0.0] * 1000
    values[333], values[777] = 5.0, -5.0
    kept = thinned(values, 100)
    assert {0, 333, 777, 999} <= set(kept)
    assert len(kept) <= 102


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: rating_history(line(times=[None] * n, ratings=[1.0 * i for i in range(n)], band=None,
                                      performances=[None] * n, words=[""] * n), title="t"),
        lambda n: expected_ranks([1.0 * i for i in range(n)], list(range(n)), ["p"] * n, title="t", said=""),
    ],
)  # fmt: skip
def test_a_picture_of_many_points_stays_small(draw: Callable[[int], str]) -> None:
    assert len(draw(5000)) < 32_000


def test_the_light_theme_has_the_colours_of_charts() -> None:
    css = (Path(podium.__file__).parent / "pages" / "assets" / "site.css").read_text(encoding="utf-8")
    light = dict(re.findall(r"--(\w+): light-dark\((#\w+),", css))
    assert (light["above"], light["below"]) == (grammar.ABOVE.lower(), grammar.BELOW.lower())
    # The fourth and the fifth are darker there: lines that thin must be seen on white.
    three = [light[name] for name in ("one", "two", "three")]
    assert three == [colour.lower() for colour in grammar.PALETTE[:3]]
