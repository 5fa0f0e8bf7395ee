"""A history may be a path, an open file or a dataframe, and a system its name, wherever they are wanted."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import podium
from podium.evaluation.backtest import score
from podium.tables.dataframes import in_polars

TABLE = {"winner": ["ann", "bob", "ann"], "loser": ["bob", "cat", "cat"]}
CSV = "winner,loser\nann,bob\nbob,cat\nann,cat\n"


def given(kind: str, folder: Path) -> Any:
    path = folder / "results.csv"
    path.write_text(CSV)
    return {
        "path": path,
        "text": str(path),
        "open": io.StringIO(CSV),
        "polars": pl.DataFrame(TABLE),
        "lazy": pl.LazyFrame(TABLE),
        "pandas": pd.DataFrame(TABLE),
        "arrow": pa.table(TABLE),
    }[kind]


KINDS = ("path", "text", "open", "polars", "lazy", "pandas", "arrow")


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_from_what_was_given(kind: str, tmp_path: Path) -> None:
    history = podium.History.from_matches(TABLE["winner"], TABLE["loser"])
    assert podium.read_history(given(kind, tmp_path)).to_frame("matches")[:, :2].to_dict(as_series=False) == {
        "player_a": TABLE["winner"],
        "player_b": TABLE["loser"],
    }
    expected = podium.rate(history, podium.Elo()).ratings
    found = in_polars(podium.rate(given(kind, tmp_path), "elo").ratings)
    assert found.fill_nan(None).to_dict(as_series=False) == expected.to_dict(as_series=False)


def test_options_of_reading_hold_for_a_dataframe() -> None:
    frame = pl.DataFrame({"who": ["ann", "bob"], "place": [1, 2], "round": ["a", "a"]})
    history = podium.read_history(frame, columns={"player": "who", "rank": "place", "event": "round"})
    assert history.event(0).sides == (("ann",), ("bob",))


def test_a_column_called_read_makes_no_file_of_a_frame() -> None:
    assert len(podium.read_history(pd.DataFrame({**TABLE, "read": 1}))) == 3


def test_every_function_takes_both() -> None:
    frame = pl.DataFrame({"winner": ["ann", "bob", "cat"] * 8, "loser": ["bob", "cat", "ann"] * 8})
    options: Any = {"scopes": "everyone", "resamples": 2, "metrics": "log-loss"}
    assert podium.evaluate(frame, "elo", **options).summary["events"].to_list() == [24]
    assert score(frame, "elo", "log-loss") > 0.0
    assert podium.smooth(frame, "elo-mmx").history.rows == 48
    assert podium.tune(frame, "elo", trials=1, jobs=1).system.name == "elo"
    ladders = podium.rate_ladders({"here": frame}, system="elo", jobs=1)
    assert ladders["here"].ladder.n_events == 24


def test_a_system_by_its_name() -> None:
    assert podium.Ladder("glicko2").system == podium.Glicko2()
    assert podium.Ladder().system == podium.make_system("matches")
    assert podium.Matchmaker("elo").system == podium.Elo()
    ladder = podium.Ladder("elo")
    assert podium.rate(pl.DataFrame(TABLE), "elo", ladder=ladder).ladder is ladder
    with pytest.raises(podium.ParameterError, match=r"the ladder is of .*, not of Glicko"):
        podium.rate(pl.DataFrame(TABLE), "glicko", ladder=ladder)


@pytest.mark.parametrize(
    "make", [podium.Ladder, podium.Matchmaker, lambda name: podium.rate(pl.DataFrame(TABLE), name)]
)
def test_text_that_is_no_system(make: Any) -> None:
    with pytest.raises(podium.ParameterError, match="there is no rating system 'glico'") as caught:
        make("glico")
    assert "did you mean 'glicko'? there are elo-mmr, elo-mmx" in str(caught.value.hint)


def test_a_class_is_no_system() -> None:
    wrong: Any = podium.Elo
    with pytest.raises(podium.ParameterError, match="not a rating system") as caught:
        podium.Ladder(wrong)
    assert "Elo()" in str(caught.value.hint)
