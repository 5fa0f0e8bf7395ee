"""Arguments of a wrong type are refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import podium
from podium import Elo, History, ParameterError


@pytest.mark.parametrize(
    "option, value, said",
    [
        ("time_format", 5, "time_format is text such as '%d/%m/%Y', not 5"),
        ("separator", 1, "separator is text such as ';', not 1"),
        ("encoding", 1, "encoding is text such as 'latin-1', not 1"),
        ("aliases", 5, "aliases is a dictionary such as {'17': 'Ann'}, or a file, not 5"),
        ("lower_is_better", "yes", "lower_is_better is True, False or None, not 'yes'"),
        ("columns", 5, "columns is a dictionary such as {'player': 'handle'}, not 5"),
        ("columns", {"player": 5}, "columns has names of columns, not 5"),
        ("teams_split", 1, "teams_split is text such as '&', not 1"),
    ],
)
def test_options_of_a_reader(option: str, value: Any, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("winner,loser\na,b\n")
    with pytest.raises(ParameterError) as caught:
        podium.read_history(tmp_path / "x.csv", **{option: value})
    assert caught.value.reason == said


def test_a_dataframe_is_no_list_of_histories(tmp_path: Path) -> None:
    frame: Any = pl.DataFrame({"winner": ["a"], "loser": ["b"]})
    with pytest.raises(ParameterError, match=r"rate needs a history.*, not DataFrame"):
        podium.rate([frame], Elo())
    with pytest.raises(ParameterError, match="write_history takes a history, not DataFrame"):
        podium.write_history(frame, tmp_path / "x.csv")


@pytest.mark.parametrize("given", [None, 5])
def test_nothing_is_no_history(given: Any) -> None:
    with pytest.raises(ParameterError, match=f"rate needs a history.*, not {type(given).__name__}"):
        podium.rate(given, Elo())
    with pytest.raises(ParameterError, match=f"events must be a list, not {type(given).__name__}"):
        History.from_events(given)


def test_a_word_is_no_column_of_players() -> None:
    with pytest.raises(ParameterError, match="player_a is a column of players, not 'ab'"):
        History.from_matches("ab", "cd", [1, 1])
