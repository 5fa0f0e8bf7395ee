"""Pictures: what they show, that they can be written and read anywhere, and that names stay names."""

from __future__ import annotations

import html
import re
import struct
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import Any
from xml.etree import ElementTree

import altair as alt
import numpy as np
import polars as pl
import pytest

from podium import (
    Distribution,
    Elo,
    Glicko,
    History,
    InputError,
    Ladder,
    ParameterError,
    Rename,
    Reset,
    Run,
    SetRating,
    UnknownPlayerError,
    charts,
    rate,
    smooth,
)
from podium.simulation.populations import synthetic_contests
from podium.systems.contract.explained_ratings import Performance, PerformanceExplanation
from podium.systems.contract.ratings import Rating

NASTY = '<b>Ann</b> & "Bob" </script><script>alert(1)</script> \\ 李'


@pytest.fixture(scope="module")
def history() -> History:
    return synthetic_contests(players=12, contests=10, participants=8, seed=2).history


@pytest.fixture(scope="module")
def run(history: History) -> Run:
    return rate(history, Glicko(), trace=True)


def with_performances(trace: pl.DataFrame) -> pl.DataFrame:
    return trace.with_columns(performance=pl.col("mu") + 100.0)


def averaged(n: int, player: str = "ann") -> PerformanceExplanation:
    """`n` performances 10 points apart that share nine tenths of a rating; the start has the rest."""
    values = [1500.0 + 10 * k for k in range(n)]
    mu = 0.1 * 1400.0 + 0.9 * sum(values) / n
    return PerformanceExplanation(
        rating=Rating(player, mu, 50.0, mu, n, None),
        start=1400.0,
        start_share=0.1,
        older=0.0,
        older_share=0.0,
        performances=tuple(
            Performance(f"round {k}", None, 3, value, 0.9 / n, 0.9 / n * (value - mu))
            for k, value in enumerate(values)
        ),
        rise=1.0,
        fall=1.0,
        bounds=(0.0, 2.0),
    )


def walked(spec: Any) -> Iterator[dict[str, Any]]:
    """Every object of a specification."""
    if isinstance(spec, dict):
        yield spec
        for value in spec.values():
            yield from walked(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from walked(value)


def data_of(chart: Any) -> list[dict[str, Any]]:
    """The largest table of a chart."""
    return max(chart.to_dict()["datasets"].values(), key=len)


def marks_of(chart: Any) -> list[str]:
    return [part["mark"]["type"] for part in walked(chart.to_dict()) if "mark" in part and "encoding" in part]


def titles_of(chart: Any) -> set[str]:
    axes = [part[channel] for part in walked(chart.to_dict()) for channel in ("x", "y") if channel in part]
    return {axis["title"] for axis in axes if isinstance(axis, dict) and axis.get("title")}


def labels_of(chart: Any) -> str:
    return next(part["labelExpr"] for part in walked(chart.to_dict()) if "labelExpr" in part)


# ------------------------------------------------------------------ what they show


def test_a_rating_history_shows_the_trace(history: History, run: Run) -> None:
    trace = with_performances(run.trace)
    chart = charts.rating_history(trace, "p00003", history=history)
    mine, shown = trace.filter(pl.col("player") == "p00003"), data_of(chart)
    assert [row["mu"] for row in shown] == mine["mu"].to_list()
    assert [row["display"] for row in shown] == mine["display"].to_list()
    assert [row["low"] for row in shown] == (mine["mu"] - 2 * mine["sigma"]).to_list()
    assert [row["high"] for row in shown] == (mine["mu"] + 2 * mine["sigma"]).to_list()
    assert [row["performance"] for row in shown] == mine["performance"].to_list()
    assert [row["time"][:10] for row in shown] == mine["time"].dt.strftime("%Y-%m-%d").to_list()
    assert [row["place"] for row in shown] == [f"{rank} of 8" for rank in mine["rank"]]
    assert titles_of(chart) == {"rating (points)", "date (UTC)"}
    assert marks_of(chart) == ["area", "rule", "circle", "line", "point", "circle"]
    lines = [part for part in walked(chart.to_dict()) if part.get("mark", {}).get("type") == "line"]
    assert [part["encoding"]["y"]["field"] for part in lines] == ["display"]  # as leaderboards publish it
    assert "band: mu ± 2σ" in chart.to_dict()["title"]["subtitle"]


def test_a_smoothed_history_shows_both_beliefs(history: History) -> None:
    frame = smooth(history, Glicko()).frame
    chart = charts.smoothed_history(frame, "p00003")
    mine, shown = frame.filter(pl.col("player") == "p00003"), data_of(chart)
    for name in ("mu", "mu_smoothed", "sigma_smoothed"):
        assert [row[name] for row in shown] == mine[name].to_list()
    assert [row["low"] for row in shown] == (mine["mu_smoothed"] - 2 * mine["sigma_smoothed"]).to_list()
    assert titles_of(chart) == {"skill (points)", "date (UTC)"}
    assert marks_of(chart) == ["area", "line", "line", "point"]
    assert data_of(charts.smoothed_history(mine)) == shown
    with pytest.raises(UnknownPlayerError, match="not in the smoothing"):
        charts.smoothed_history(frame, "nobody")


def test_lines_of_long_careers_can_be_told_apart(history: History) -> None:
    """Hundreds of dashes run into each other: the rating is thin, and grey beside a single player's skill."""
    frame = smooth(history, Glicko()).frame.filter(pl.col("player").is_in(["p00001", "p00003"]))
    long = pl.concat([frame.sort("player")] * 60)
    for players, words in (
        ("p00003", "thin, grey: rating at that time"),
        (["p00001", "p00003"], "thin: rating at that time"),
    ):
        spec = charts.smoothed_history(long, players).to_dict()
        assert words in spec["title"]["subtitle"]
        assert "strokeDash" not in spec["layer"][1]["mark"]
        assert spec["layer"][1]["mark"]["strokeWidth"] < spec["layer"][2]["mark"]["strokeWidth"]


def test_players_have_colours_and_a_legend(run: Run) -> None:
    names = ["p00003", "p00001", "p00002"]
    chart = charts.rating_history(run.trace, names)
    colours = [part["color"] for part in walked(chart.to_dict()) if isinstance(part.get("color"), dict)]
    assert all(colour["scale"]["domain"] == names and colour["legend"] for colour in colours)
    assert all(colour["scale"]["range"] == list(charts.PALETTE[:3]) for colour in colours)
    assert {row["player"] for row in data_of(chart)} == set(names)


def adjusted_history(timed: bool) -> History:
    """Ann wins twice, ratings are reset, she changes her name and wins again."""

    def contest(day: int, *players: str) -> dict[str, Any]:
        when = {"time": f"2026-05-{day:02}"} if timed else {}
        return {"ranks": {name: rank for rank, name in enumerate(players, start=1)}, **when}

    adjustments = [Reset(keep=0.5), Rename(player="ann", into="anna")]
    events = [
        contest(1, "ann", "bob", "cat"),
        contest(2, "ann", "bob", "cat"),
        contest(9, "anna", "bob", "cat"),
    ]
    return History.from_events([*events[:2], *adjustments, events[2]])


@pytest.mark.parametrize("timed", [True, False])
def test_adjustments_and_earlier_names(timed: bool) -> None:
    history = adjusted_history(timed)
    run = rate(history, Glicko(), trace=True)
    chart = charts.rating_history(run, ["anna", "bob"])
    anna = [row for row in data_of(chart) if row["player"] == "anna"]
    trace = run.trace.filter(pl.col("player").is_in(["ann", "anna"]))
    first, second, third = trace["mu"].to_list()
    assert [row["mu"] for row in anna] == [first, second, second, trace["mu_before"][2], third]
    assert [row["number"] for row in anna] == [1, 2, 2.5, 2.5, 3]
    assert anna[2]["event"].startswith("reset keep=0.5")
    assert "dashed: adjusted by hand" in chart.to_dict()["title"]["subtitle"]
    assert marks_of(chart)[:2] == ["rule", "area"]
    alone = charts.rating_history(run.trace, "anna")
    assert len(data_of(alone)) == 1  # a trace alone knows neither names nor adjustments
    with pytest.raises(InputError, match=r"of 'anna' \(reset keep=0.5\).*\n  hint: give the run"):
        charts.rating_history(run.trace, "anna", history=history)
    with pytest.raises(UnknownPlayerError, match="'an' is in no event\n  hint: did you mean 'ann'"):
        charts.rating_history(run.trace, "an", history=history)


def test_a_rating_set_under_an_earlier_name() -> None:
    one = {"ranks": {"ann": 1, "bob": 2}}
    items = [one, SetRating(player="ann", mu=1800.0), Rename(player="ann", into="anna")]
    items += [SetRating(player="ann", mu=1000.0), {"ranks": {"anna": 1, "bob": 2}}]  # a new player's
    history = History.from_events(items)
    run = rate(history, Elo(), trace=True)
    drawn = data_of(charts.rating_history(run, "anna"))
    assert [row["mu"] for row in drawn][:3] == [1516.0, 1516.0, 1800.0]
    assert drawn[1]["event"] == "set-rating player=ann, mu=1800.0"
    alone = data_of(charts.rating_history(run, "ann"))  # the new player has no event
    assert [(row["event"], row["mu"]) for row in alone] == [(items[3].describe(), mu) for mu in (1500, 1000)]
    with pytest.raises(UnknownPlayerError, match="'an' is in no event\n  hint: did you mean 'ann'"):
        charts.rating_history(run, "an")


def test_each_adjustment_has_its_own_step_also_after_the_last_event() -> None:
    items: list[Any] = [SetRating(player="ann", mu=1400.0), {"ranks": {"ann": 1, "bob": 2}}]
    items += [SetRating(player="ann", mu=1800.0), SetRating(player="ann", mu=1200.0)]
    items += [{"ranks": {"bob": 1, "cat": 2}}, SetRating(player="ann", mu=1700.0)]
    history = History.from_events(
        [*items, {"ranks": {"ann": 1, "dan": 2}}, SetRating(player="ann", mu=1000.0)]
    )
    run = rate(history, Elo(), trace=True)
    won, again = run.trace.filter(pl.col("player") == "ann")["mu"].to_list()
    chart = charts.rating_history(run, "ann")
    drawn = [(row["number"], row["mu"]) for row in data_of(chart)]
    assert drawn[:3] == [(0.5, 1500.0), (0.5, 1400.0), (1, won)]
    assert drawn[3:9] == [(1.25, won), (1.25, 1800), (1.5, 1800), (1.5, 1200), (1.75, 1200), (1.75, 1700)]
    assert drawn[9:] == [(2, again), (2.5, again), (2.5, 1000.0)]
    marked = next(table for table in chart.to_dict()["datasets"].values() if len(table) == 5)
    assert [row["event"] for row in marked] == [
        f"set-rating player=ann, mu={mu}" for mu in (1400.0, 1800.0, 1200.0, 1700.0, 1000.0)
    ]


def test_events_that_did_not_count_are_in_no_picture() -> None:
    events: list[Any] = [{"ranks": {"ann": 1, "bob": 2}, "name": name} for name in ("one", "two", "three")]
    events[1]["unrated"] = ["ann"]
    run = rate(History.from_events([*events, {**events[0], "unrated": ["ann", "bob"]}]), Glicko(), trace=True)
    assert [row["event"] for row in data_of(charts.rating_history(run, "ann"))] == ["one", "three"]
    assert run.history("ann").select("event", "rated").rows() == [
        ("one", True),
        ("two", False),
        ("three", True),
        ("one", False),
    ]
    guest = rate(History.from_events([{**events[0], "unrated": ["ann"]}]), Glicko(), trace=True)
    with pytest.raises(InputError, match="no event has counted for 'ann'"):
        charts.rating_history(guest, "ann")


def test_only_the_latest_events(run: Run) -> None:
    chart = charts.rating_history(run.trace, "p00003", since="2020-02-01")
    mine = run.trace.filter(pl.col("player") == "p00003")
    wanted = mine.filter(pl.col("time") >= pl.datetime(2020, 2, 1, time_zone="UTC"))
    assert 0 < wanted.height < mine.height
    assert [row["mu"] for row in data_of(chart)] == wanted["mu"].to_list()


def test_many_players_have_bars_instead_of_bands(run: Run) -> None:
    names = run.trace["player"].unique(maintain_order=True).head(4).to_list()
    chart = charts.rating_history(with_performances(run.trace), names)
    assert marks_of(chart) == ["rule"] * 4 + ["line", "point", "circle"]
    assert chart.to_dict()["title"]["subtitle"].endswith("bars on the right: mu ± 2σ at the end")
    places = {part["x"]["value"] for part in walked(chart.to_dict()) if "value" in part.get("x", {})}
    assert len(places) == 4  # beside each other


def test_without_sigma_performance_or_time(history: History) -> None:
    trace = rate(history, Elo(), trace=True).trace
    trace = trace.with_columns(time=pl.lit(None, pl.Datetime("us", "UTC")))
    chart = charts.rating_history(trace, ["p00001", "p00002"])
    assert marks_of(chart) == ["line", "point", "circle"]
    assert titles_of(chart) == {"rating (points)", "event of the player (number)"}
    numbers = [row["number"] for row in data_of(chart) if row["player"] == "p00001"]
    assert numbers == list(range(1, len(numbers) + 1))
    assert "σ" not in chart.to_dict()["title"]["subtitle"]


def test_an_infinite_performance_is_left_out(run: Run) -> None:
    trace = run.trace.with_columns(performance=pl.lit(float("inf")))
    assert {row["performance"] for row in data_of(charts.rating_history(trace, "p00001"))} == {None}


def test_a_single_event_has_days_around_it(run: Run) -> None:
    trace = run.trace.head(8)
    chart = charts.rating_history(trace, trace["player"][0])
    domains = [part["domain"] for part in walked(chart.to_dict()) if part.get("type") == "utc"]
    assert domains[0] == ["2020-01-03T00:00:00+00:00", "2020-01-09T00:00:00+00:00"]


def test_a_single_event_may_be_the_first_day_of_the_calendar(run: Run) -> None:
    trace = run.trace.head(8).with_columns(time=pl.lit(datetime(1, 1, 1, tzinfo=UTC)))
    chart = charts.rating_history(trace, trace["player"][0])
    domains = [part["domain"] for part in walked(chart.to_dict()) if part.get("type") == "utc"]
    assert domains[0] == ["0001-01-01T00:00:00+00:00", "0001-01-04T00:00:00+00:00"]


@pytest.mark.parametrize(
    ("days", "written"), [(1, "%d %b %H:%M"), (30, "%d %b %Y"), (400, "%b %Y"), (9000, "%Y")]
)
def test_dates_are_as_exact_as_needed(run: Run, days: int, written: str) -> None:
    player = run.trace["player"][0]
    trace = run.trace.filter(pl.col("player") == player).head(2)
    trace = trace.with_columns(time=trace["time"][0] + pl.Series([0, days]) * pl.duration(days=1))
    chart = charts.rating_history(trace, player)
    assert {part["x"]["axis"]["format"] for part in walked(chart.to_dict()) if "x" in part} == {written}


def test_an_average_shows_every_part() -> None:
    explained = averaged(12)
    shown = data_of(charts.explanation(explained))
    assert [row["what"] for row in shown][:2] == ["start", "round 0 · rank 3"]
    assert [row["performance"] for row in shown[1:]] == [p.performance for p in explained.performances]
    assert sum(row["share"] for row in shown) == pytest.approx(100)
    assert sum(row["pull"] for row in shown) == pytest.approx(0, abs=1e-9)
    assert {row["side"] for row in shown if row["performance"] > explained.rating.mu} == {"above"}
    titles = titles_of(charts.explanation(explained))
    assert titles == {"performance (points)", "share of the rating (%)"}


def test_many_performances_are_summed_up() -> None:
    """Those that pull most stay: the first and the last of 90 that are 10 points apart."""
    explained = averaged(90)
    shown = data_of(charts.explanation(explained))
    assert len(shown) == 26
    others = shown[-1]
    assert others["what"] == "66 other events, on average"
    assert others["share"] == pytest.approx(66)
    assert [row["what"].split(" · ")[0] for row in shown[1:3]] == ["round 0", "round 1"]
    assert shown[-2]["what"].startswith("round 89")
    assert sum(row["share"] * row["performance"] for row in shown) / 100 == pytest.approx(explained.rating.mu)
    assert len(data_of(charts.explanation(averaged(25)))) == 26
    assert len(data_of(charts.explanation(explained.shortened(40)))) == 42  # as many as somebody asked for


def played(matches: int) -> Ladder:
    ladder = Ladder(Elo())
    for k in range(matches):
        ladder.record_match(*(("ann", "bob") if k % 3 else ("bob", "ann")))
    return ladder


@pytest.mark.parametrize(("matches", "lines"), [(1, 3), (25, 27), (70, 27)])
def test_changes_lead_from_the_start_to_the_rating(matches: int, lines: int) -> None:
    explained = played(matches).explain("ann")
    shown = data_of(charts.explanation(explained))
    assert len(shown) == lines
    assert shown[0]["to"] == explained.newcomer
    assert shown[-1]["to"] == explained.rating.display
    for before, after in pairwise(shown):
        assert after["from"] == pytest.approx(before["to"])
    assert ("46 earlier matches" in [row["what"] for row in shown]) == (matches == 70)
    assert [row["side"] for row in shown if row["said"].startswith("−")].count("above") == 0


def test_events_of_the_same_name_are_lines_of_their_own() -> None:
    ladder = Ladder(Elo())
    for _ in range(3):
        ladder.record_match("ann", "bob", name="derby", time="2026-05-01", allow_repeat=True)
    chart = charts.explanation(ladder.explain("ann"))
    assert labels_of(chart).count("derby \\u00b7 2026-05-01 \\u00b7 beat bob, chance") == 3
    assert [row["row"] for row in data_of(chart)] == [0, 1, 2, 3, 4]


def test_a_long_label_keeps_the_opponent() -> None:
    ladder = Ladder(Elo())
    for name, loser in (("cup", "bob"), ("a cup with a long name", "bob"), ("cup", "b" * 36)):
        ladder.record_match("ann", loser, name=name, time="2026-05-01", allow_repeat=True)
    shown = [row["what"] for row in data_of(charts.explanation(ladder.explain("ann")))][1:-1]
    assert shown == [
        "cup · 2026-05-01 · beat bob, chance 50%",
        "2026-05-01 · beat bob, chance 55%",
        f"2026-05-01 · beat {'b' * 36}",
    ]


def test_a_leaderboard_shows_the_frame(run: Run) -> None:
    board = run.ladder.leaderboard()
    chart = charts.leaderboard(board, top=5)
    shown = data_of(chart)
    assert [row["player"] for row in shown] == board["player"].head(5).to_list()
    assert [row["mu"] for row in shown] == board["mu"].head(5).to_list()
    assert [row["high"] - row["low"] for row in shown] == pytest.approx(
        (4 * board["sigma"].head(5)).to_list()
    )
    assert labels_of(chart).startswith(f'["1. {board["player"][0]}"')
    assert marks_of(chart) == ["rule", "circle", "text"]
    assert marks_of(charts.leaderboard(played(2).leaderboard())) == ["circle", "text"]


def test_a_distribution_shows_where_a_rating_may_be(run: Run) -> None:
    belief = run.ladder.distribution("p00003")
    chart = charts.distribution(belief)
    shown, spec = data_of(chart), chart.to_dict()
    ratings = np.array([row["rating"] for row in shown])
    low, high = belief.interval()
    assert {low, high} <= set(ratings)
    assert (ratings[0], ratings[-1]) == (belief.quantile(1e-4), belief.quantile(1 - 1e-4))
    normal = NormalDist(belief.mean, belief.deviation)
    assert [row["density"] for row in shown] == pytest.approx(
        [100 * normal.pdf(x) for x in ratings], rel=1e-3
    )
    assert [row["above"] for row in shown] == pytest.approx(
        [100 - 100 * normal.cdf(x) for x in ratings], abs=1e-3
    )
    darker = [part for part in spec["datasets"].values() if part[0]["rating"] == low]
    assert [part[-1]["rating"] for part in darker] == [high]
    assert marks_of(chart) == ["area", "area", "line", "point", "rule", "text"]
    assert titles_of(chart) == {"rating (points)", "chance per point (%)"}
    assert spec["title"]["text"] == "Rating distribution of p00003"
    assert f"the middle 95%, from {low:.0f} to {high:.0f}" in spec["title"]["subtitle"]


def test_several_distributions_have_colours(run: Run) -> None:
    beliefs = [run.ladder.distribution(player) for player in ("p00003", "p00001")]
    chart = charts.distribution([*beliefs, Distribution.normal(1500, 0.0)])
    scales = [
        part["scale"] for part in walked(chart.to_dict()) if part.get("field") == "player" and "scale" in part
    ]
    assert all(scale["domain"] == ["p00003", "p00001", "rating 3"] for scale in scales)
    assert {row["player"] for row in data_of(chart)} == {"p00003", "p00001"}
    means = next(part for part in chart.to_dict()["datasets"].values() if len(part) == 3)
    assert [row["rating"] for row in means] == [*(belief.mean for belief in beliefs), 1500.0]
    assert means[2]["density"] == max(row["density"] for row in data_of(chart))  # a line as high as the rest
    with pytest.raises(ParameterError, match="2 players for one picture"):
        charts.distribution([beliefs[0]] * 2)


def test_every_picture_looks_the_same(run: Run) -> None:
    for chart in every_chart(run):
        config = chart.to_dict()["config"]
        assert config["title"] == charts.THEME["title"]
        assert config["axis"] == charts.THEME["axis"]


def every_chart(run: Run) -> list[Any]:
    return [
        charts.rating_history(run.trace, ["p00001", "p00002"]),
        charts.explanation(averaged(90)),
        charts.explanation(played(9).explain("ann")),
        charts.leaderboard(run.ladder.leaderboard()),
        charts.distribution([run.ladder.distribution(player) for player in ("p00001", "p00002")]),
    ]


def test_refusals(history: History, run: Run) -> None:
    with pytest.raises(UnknownPlayerError, match="'nobody' is not in the trace"):
        charts.rating_history(run.trace, ["p00001", "nobody"])
    for players in ([], ["p00001"] * 2, [f"p{k:05}" for k in range(8)]):
        with pytest.raises(ParameterError, match="players for one picture"):
            charts.rating_history(run.trace, players)
    with pytest.raises(InputError, match="the history has 8 rows, and the trace has 80"):
        charts.rating_history(run.trace, "p00001", history=history[:1])
    with pytest.raises(ParameterError, match="no players to show"):
        charts.leaderboard(run.ladder.leaderboard(top=0))


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_what_is_missing_is_named(run: Run, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = charts.rating_history(run.trace, "p00001")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ParameterError, match=r"pip install 'podium\[charts\]'"):
        charts.leaderboard(run.ladder.leaderboard()) if missing == "altair" else charts.page(
            "x", [("", "", chart)]
        )


# ------------------------------------------------------------------ files


class Loads(HTMLParser):
    """What a document loads, and the text between its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            external = value is not None and not value.startswith(("#", "data:"))
            if external and name in ("src", "href", "xlink:href", "srcset", "data", "action"):
                self.loaded.append(f"{tag} {value}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(document: str) -> Loads:
    parser = Loads()
    parser.feed(document)
    parser.close()
    return parser


def named_nastily(run: Run) -> pl.DataFrame:
    return run.trace.with_columns(pl.col("player").replace({"p00001": NASTY}))


def test_png(run: Run, tmp_path: Path) -> None:
    for number, chart in enumerate(every_chart(run)):
        path = tmp_path / f"{number}.png"
        charts.save(chart, path)
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", content[16:24])
        assert 1000 < width < 2000
        assert 400 < height < 1600
    assert len(list(tmp_path.iterdir())) == 5  # nothing is left beside them


def test_svg(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "history.SVG"
    charts.save(charts.rating_history(named_nastily(run), [NASTY, "p00002"]), path)
    said = "".join(ElementTree.parse(path).getroot().itertext())
    for words in ("Ratings", "rating (points)", "date (UTC)", "p00002", "<b>Ann</b>"):
        assert words in said


def test_a_list_names_everybody(tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record(ranks={NASTY[:20]: 1, "it's \\ 李": 2, "plain": 3})
    charts.save(charts.leaderboard(ladder.leaderboard()), tmp_path / "board.svg")
    said = "".join(ElementTree.parse(tmp_path / "board.svg").getroot().itertext())
    for words in (f"1. {NASTY[:20]}", "2. it's \\ 李", "3. plain", "rating (points)"):
        assert words in said


def test_html_holds_all_it_needs(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "history.html"
    charts.save(charts.rating_history(named_nastily(run), [NASTY, "p00002"]), path)
    document = read(path.read_text())
    assert document.loaded == []
    assert [tag for tag in document.tags if tag in ("script", "link", "img", "iframe", "b")] == ["script"] * 2
    assert "vegaEmbed('#chart'" in "".join(document.text)
    policy = re.search('Content-Security-Policy" content="([^"]*)"', path.read_text())
    assert policy is not None
    assert html.unescape(policy[1]).startswith("default-src 'none'; ")


@pytest.mark.parametrize("name", ["chart.pdf", "chart", "chart.png.txt"])
def test_other_files_are_refused(run: Run, tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match=r"\.png, \.svg or \.html"):
        charts.save(charts.leaderboard(run.ladder.leaderboard()), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_page(run: Run) -> None:
    chart = charts.rating_history(named_nastily(run), [NASTY, "p00002"])
    text = f"First {NASTY}\nstill the first.\n\nSecond."
    page = charts.page(NASTY, [(NASTY, text, chart), ("Words", "", None), ("Again", "", chart)])
    document = read(page)
    assert document.loaded == []
    assert [tag for tag in document.tags if tag in ("script", "b", "link", "img")] == []
    assert [document.tags.count(tag) for tag in ("h1", "h2", "p", "section", "figure", "svg")] == [
        1,
        3,
        2,
        3,
        2,
        2,
    ]
    assert NASTY in document.text
    assert f"First {NASTY} still the first." in document.text
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page


def test_pictures_of_a_page_do_not_share_ids() -> None:
    clipped = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_bar(clip=True).encode(x="x:Q")
    page = charts.page("two", [("one", "", clipped), ("other", "", clipped)])
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) >= 2
    assert set(re.findall(r"url\(#([^)]+)\)", page)) == set(ids)
    assert page == charts.page("two", [("one", "", clipped), ("other", "", clipped)])


def test_a_page_without_sections() -> None:
    assert "<h1>empty</h1>" in charts.page("empty", [])
