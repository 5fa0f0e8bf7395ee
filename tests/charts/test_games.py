"""Pictures of live games: what they show of the tables they are made of."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from podium import InputError, ParameterError, charts

MATCHERS = ("paper", "nearest")


def table(systems: tuple[str, ...], matchers: tuple[str, ...] = MATCHERS, **columns: Any) -> pl.DataFrame:
    """The same numbers for each system and matcher, ten more for each that follows."""
    return pl.concat(
        pl.DataFrame(columns).select(
            pl.lit(system).alias("system"),
            pl.lit(matcher).alias("matcher"),
            pl.first().alias(next(iter(columns))),
            pl.exclude(next(iter(columns))) + 10.0 * number,
        )
        for number, (system, matcher) in enumerate((s, m) for s in systems for m in matchers)
    )


def measured(*systems: str) -> SimpleNamespace:
    return SimpleNamespace(
        waits=table(
            systems, percentile=[10.0, 50.0, 90.0], mean=[30.0, 20, 40], p95=[90.0, 60, 95], worst=99.0
        ),
        win_rates=table(systems, wins=[0, 1, 2], share=[0.2, 0.6, 0.2], coin=[0.25, 0.5, 0.25]),
        streaks=table(
            systems, length=[1, 2, 3], lost=[200.0, 80, 20], won=[210.0, 70, 25], coin=[250.0, 120, 60]
        ),
        errors=table(systems, day=[0.0, 0.25, 0.5], games=9, rmse=[300.0, 200, 150], mean=0.0),
    )


def sets_of(chart: Any) -> list[list[dict[str, Any]]]:
    return list(chart.to_dict()["datasets"].values())


def rows_with(chart: Any, column: str) -> list[dict[str, Any]]:
    return [row for rows in sets_of(chart) for row in rows if column in row]


def test_each_picture_shows_its_table() -> None:
    of = measured("elo")
    for chart, frame, column in (
        (charts.waiting_times(of.waits), of.waits, "p95"),
        (charts.streaks(of.streaks), of.streaks, "lost"),
        (charts.rating_errors(of.errors), of.errors, "rmse"),
    ):
        shown = max(sets_of(chart), key=len)
        assert [row[column] for row in shown] == frame[column].to_list()
        assert [row["matcher"] for row in shown] == ["paper"] * 3 + ["nearest"] * 3
        assert "elo" in chart.to_dict()["title"]["text"]
    shown = max(sets_of(charts.win_rates(of.win_rates)), key=len)
    assert [row["share"] for row in shown] == [100 * share for share in of.win_rates["share"]]


def test_a_matcher_is_a_colour_and_a_coin_is_grey() -> None:
    spec = charts.streaks(measured("elo").streaks).to_dict()
    coin, lines = spec["layer"]
    assert lines["encoding"]["color"]["scale"]["domain"] == ["paper", "nearest"]
    assert lines["encoding"]["color"]["scale"]["range"] == list(charts.PALETTE[:2])
    assert coin["mark"]["strokeDash"]
    assert coin["encoding"]["y"]["field"] == "coin"
    assert len(spec["datasets"][coin["data"]["name"]]) == 3


def test_streaks_that_nobody_had_have_no_place_on_the_scale() -> None:
    frame = measured("elo").streaks.with_columns(
        lost=pl.when(pl.col("length") == 3).then(0.0).otherwise(pl.col("lost"))
    )
    assert {row["length"] for row in max(sets_of(charts.streaks(frame)), key=len)} == {1, 2}


def test_several_systems_have_panels() -> None:
    one, two = charts.live_game(measured("elo")), charts.live_game(measured("elo", "glicko"))
    panels = [len([s for s in sets_of(chart) if s[0].get("rmse") is not None]) for chart in (one, two)]
    assert panels == [1, 2]
    assert {row["system"] for row in rows_with(two, "p95")} == {"elo", "glicko"}
    assert len(charts.rating_errors(measured("elo", "glicko").errors).to_dict()["concat"]) == 2


def test_they_look_like_all_pictures_and_can_be_written(tmp_path: Path) -> None:
    chart = charts.live_game(measured("elo", "glicko"))
    assert chart.to_dict()["config"]["title"] == charts.THEME["title"]
    charts.save(chart, tmp_path / "game.svg")
    text = " ".join(ElementTree.parse(tmp_path / "game.svg").getroot().itertext())
    for words in (
        "A live game",
        "waiting (seconds)",
        "true skill (percentile)",
        "paper",
        "nearest",
        "glicko",
    ):
        assert words in text


def test_refusals() -> None:
    of = measured("elo")
    with pytest.raises(InputError, match="no data to draw"):
        charts.live_game(SimpleNamespace(**{**vars(of), "waits": of.waits.head(0)}))
    many = tuple(f"m{k}" for k in range(8))
    with pytest.raises(ParameterError, match="8 matchers for one picture"):
        charts.rating_errors(table(("elo",), many, day=[0.0], games=1, rmse=1.0, mean=0.0))
