"""Tables of results: of the library that the input was of, while podium itself works with Polars."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import podium
from podium import charts
from podium.charts.season_page import season_page
from podium.evaluation.advice_page import write_advice
from podium.evaluation.report import report_page


def matches() -> pl.DataFrame:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 6, 200)
    b = (a + rng.integers(1, 6, 200)) % 6
    day = pl.Series(np.datetime64("2026-01-01", "us") + np.arange(200) // 4 * np.timedelta64(1, "D"))
    return pl.DataFrame(
        {"date": day, "player_a": a, "player_b": b, "score_a": rng.choice([0.0, 0.5, 1.0], 200)}
    ).with_columns(pl.col("player_a", "player_b").cast(pl.String))


CONNECTION = duckdb.connect()


def relation(frame: pl.DataFrame) -> duckdb.DuckDBPyRelation:
    CONNECTION.register("matches", frame.to_arrow())
    return CONNECTION.sql("SELECT * FROM matches")


KINDS: list[tuple[Callable[[pl.DataFrame], Any], type]] = [
    (lambda frame: frame, pl.DataFrame),
    (lambda frame: frame.lazy(), pl.DataFrame),
    (lambda frame: frame.to_pandas(), pd.DataFrame),
    (lambda frame: frame.to_arrow(), pa.Table),
    (relation, duckdb.DuckDBPyRelation),
]


def tables(given: Any) -> dict[str, Any]:
    """Every table of the results of a frame."""
    run = podium.rate(given, "glicko", trace=True)
    report = podium.evaluate(given, ["elo", "glicko"], resamples=10)
    smoothing = podium.smooth(given, "elo-mmx")
    found = {
        **{name: getattr(run, name) for name in ("ratings", "trace")},
        **{name: getattr(run, name)() for name in ("leaderboard", "peaks", "seasons", "leaders")},
        "history": run.history("1"),
        "smoothing": smoothing.frame,
        "smoothed": smoothing.player("1"),
        "skills": smoothing.at("2026-01-20"),
        "predicted": report.predictions("elo"),
        "candidates": podium.advise(given).table,
    }
    columns = ("baseline_summary", "differences", "calibration", "periods", "experience", "bands")
    return found | {name: getattr(report, name) for name in columns}


def in_polars(found: Any) -> pl.DataFrame:
    if isinstance(found, pd.DataFrame):
        return pl.from_pandas(found)
    if isinstance(found, duckdb.DuckDBPyRelation):
        return found.pl()
    frame = found if isinstance(found, pl.DataFrame) else pl.from_arrow(found)
    assert isinstance(frame, pl.DataFrame)
    return frame


@pytest.mark.parametrize("make, kind", KINDS, ids=["polars", "lazy", "pandas", "pyarrow", "duckdb"])
def test_tables_are_of_the_kind_given(make: Callable[[pl.DataFrame], Any], kind: type) -> None:
    usual = tables(matches())
    for name, found in tables(make(matches())).items():
        assert type(found) is kind, name
        table = in_polars(found)
        assert (table.columns, table.height) == (usual[name].columns, usual[name].height), name
        for column in {"player", "display", "mu_smoothed", "expected", "place"} & {*table.columns}:
            assert table[column].to_list() == usual[name][column].to_list(), name


def test_podium_takes_its_results_in_pandas(tmp_path: Path) -> None:
    frame = matches().to_pandas()
    run = podium.rate(frame, "glicko", trace=True)
    same = podium.rate(matches(), "glicko", trace=True)
    assert podium.document(run) == podium.document(same)
    assert run._repr_html_() == same._repr_html_()
    assert "<html" in season_page(run, title="t", about="a")
    for draw in (charts.leaderboard, charts.ratings_spread):
        assert draw(run.leaderboard()).to_dict() == draw(same.leaderboard()).to_dict()
    assert charts.rating_history(run, ["1"]).to_dict() == charts.rating_history(same, ["1"]).to_dict()
    charts.rating_history(run.trace, ["1"])
    report, other = (podium.evaluate(one, ["elo"], resamples=10) for one in (frame, matches()))
    found, wanted = podium.document(report), podium.document(other)
    assert found["differences"] == wanted["differences"]
    assert found["calibration"] == wanted["calibration"]
    assert "<html" in report_page(report)
    write_advice(podium.advise(frame), tmp_path / "advice.html", title="t", command="c")
    ladders = podium.rate_ladders(frame.assign(ladder="chess"), system="elo", jobs=1)
    assert isinstance(ladders.ratings, pd.DataFrame)
    assert isinstance(ladders["chess"].ratings, pd.DataFrame)
    assert podium.document(ladders)["kind"] == "ladders"


def test_a_table_is_found_once_and_cannot_be_set() -> None:
    run = podium.rate(matches().to_arrow(), "elo", trace=True)
    assert run.trace.equals(run.trace)
    with pytest.raises(AttributeError):
        run.trace = None  # type: ignore[misc, assignment]
    assert isinstance(pickle.loads(pickle.dumps(run)).ratings, pa.Table)
    of_database = podium.rate(relation(matches()), "elo")
    assert isinstance(pickle.loads(pickle.dumps(of_database)).ratings, pa.Table)


def test_sql_over_results() -> None:
    frame = matches().to_pandas()
    ratings = podium.rate(frame, "elo").ratings
    predicted = pd.concat([frame, podium.predict(frame, "elo")], axis=1)
    found = duckdb.sql("SELECT count(*) FROM predicted JOIN ratings ON player = player_a").fetchall()
    assert found == [(len(predicted),)]
    assert len(ratings) == 6


def test_functions_take_what_is_about_reading() -> None:
    """The hint of a table that is not understood names an option, and so every function has it."""
    frame = pl.DataFrame({"who": ["ann", "bob"], "whom": ["bob", "cat"], "points": [1.0, 0.0]})
    how: Any = {"columns": {"player_a": "who", "player_b": "whom", "score_a": "points"}}
    with pytest.raises(podium.InputError, match="columns="):
        podium.rate(frame, "elo")
    run = podium.rate(frame, "elo", **how)
    assert run.ratings["player"].to_list() == ["ann", "cat", "bob"]
    report = podium.evaluate(frame, "elo", scopes="everyone", resamples=2, **how)
    assert report.predictions()["expected"][0] == 0.5
    assert podium.predict(frame, "elo", **how).height == 2
    assert podium.smooth(frame, "elo-mmx", **how).frame.height == 4
    for function in (podium.rate, podium.evaluate, podium.smooth, podium.predict):
        with pytest.raises(podium.ParameterError, match="this history has been read already: columns"):
            function(podium.read_history(frame, **how), "elo", **how)
        with pytest.raises(TypeError, match=r"\(\) got an unexpected keyword argument 'colums'"):
            function(podium.read_history(frame, **how), "elo", colums={})  # type: ignore[call-arg]
    assert podium.charts is charts
