"""Many ladders in one table: each as if it were alone, whoever rates it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from podium import (
    Elo,
    Glicko,
    History,
    InputError,
    ParameterError,
    UnsupportedError,
    rate,
    rate_ladders,
    read_history,
)
from podium.tables.ladder_column import read_ladders


@pytest.fixture(scope="module")
def games() -> pl.DataFrame:
    """Matches of four games in one table, mixed; people play several."""
    chance = np.random.default_rng(2)
    game = np.array(["chess", "go", "shogi", "7"])[chance.choice(4, 300, p=[0.5, 0.3, 0.15, 0.05])]
    a = chance.integers(0, 30, 300)
    b = (a + chance.integers(1, 30, 300)) % 30
    when = np.sort(chance.integers(1_700_000_000, 1_760_000_000, 300))
    return pl.DataFrame(
        {"Game": game, "player_a": a, "player_b": b, "score_a": chance.integers(0, 3, 300) / 2, "time": when}
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_each_is_as_if_it_were_alone(games: pl.DataFrame, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"games.{suffix}"
    getattr(games, f"write_{suffix}")(path)
    system = Glicko(c=20)
    ladders = rate_ladders(path, by="Game", system=system, jobs=1)
    assert list(ladders) == games["Game"].unique(maintain_order=True).to_list()
    for name in ladders:
        games.filter(pl.col("Game") == name).write_parquet(tmp_path / "alone.parquet")
        alone = rate(read_history(tmp_path / "alone.parquet"), system)
        assert ladders[name].ratings.equals(alone.ratings)
        for column, values in alone.ladder.state.to_arrays().items():
            np.testing.assert_array_equal(ladders[name].ladder.state.to_arrays()[column], values)
    together = ladders.ratings
    assert together.columns == ["Game", "player", "mu", "sigma", "display", "events", "last_time"]
    assert together["Game"].unique(maintain_order=True).to_list() == list(ladders)
    assert together.filter(pl.col("Game") == "go").drop("Game").equals(ladders["go"].ratings)


def test_many_find_the_same(games: pl.DataFrame) -> None:
    done: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        spread = rate_ladders(games, by="Game", system=Elo(), executor=executor, progress=done.append)
    assert spread.ratings.equals(rate_ladders(games, by="Game", system="elo", jobs=1).ratings)
    assert sum(done) == 600
    assert spread["go"].ladder.record_match("1", "2")  # goes on from here


def test_histories_by_name() -> None:
    histories = {"a": History.from_matches(["x"], ["y"]), "b": History.from_matches(["x"], ["z"])}
    assert rate_ladders(histories, jobs=1, system="elo").ratings["ladder"].to_list() == ["a", "a", "b", "b"]
    with pytest.raises(ParameterError, match="read already"):
        rate_ladders(histories, lower_is_better=True)
    with pytest.raises(InputError, match="no ladders"):
        rate_ladders({})
    with pytest.raises(ParameterError, match="rate_ladders takes a history, not list"):
        rate_ladders({"winner": ["ann"], "loser": ["bob"]})


def test_names_that_cannot_be(games: pl.DataFrame) -> None:
    ladders = rate_ladders(games, by="Game", system="elo", jobs=1)
    with pytest.raises(KeyError, match="there is no Game 'ches'\n  hint: did you mean 'chess'"):
        ladders["ches"]
    assert "ches" not in ladders
    assert ladders.get("ches") is None
    for taken in ladders["go"].ratings.columns:
        with pytest.raises(ParameterError, match=f"a column '{taken}': ratings have a column"):
            rate_ladders(games.rename({"Game": taken}), by=taken, system="elo", jobs=1)


def rows(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame({"event": ["1", "1", "1", "1"], "player": list("abab"), **columns})


def test_bad_rows_are_found_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows(rank=[1, 2, 1, 0], game=["x", "x", "y", "y"]).write_csv(path)
    with pytest.raises(InputError, match=r"results.csv, line 5, event '1': rank is 0"):
        rate_ladders(path, by="game", jobs=1)
    rows(rank=[1, 2, 1, 2], game=["x", "x", None, "y"]).write_csv(path)
    with pytest.raises(InputError, match=r"results.csv, line 4: game is empty\n.*--on-bad-row skip"):
        rate_ladders(path, by="game", jobs=1)
    wider = pl.concat(
        [rows(rank=[1, 2, 1, 2], game=["x", "x", "y", "y"]), rows(rank=[1, 2, 1, 2], game=[""] * 4)]
    )
    wider.write_csv(path)
    skipped = rate_ladders(path, by="game", jobs=1, on_bad_row="skip").skipped
    assert [item.where for item in skipped] == [f"{path}, line {line}" for line in (6, 7, 8, 9)]
    with pytest.raises(InputError, match=r"results.csv: there is no column 'gam' to name ladders"):
        rate_ladders(path, by="gam")
    with pytest.raises(InputError, match="there is no such file"):
        read_ladders(tmp_path / "none.csv", by="game")
    with pytest.raises(InputError, match="no column 'game'"):
        rate_ladders(rows(rank=[1, 2, 1, 2]), by="game")


def test_what_a_ladder_cannot_use_is_said_with_its_name() -> None:
    many = History.from_events([{"ranks": {"a": 1, "b": 2, "c": 3}}])
    with pytest.raises(UnsupportedError, match="game 'y': luck cannot use events of more than two sides"):
        rate_ladders({"x": History.from_matches(["a"], ["b"]), "y": many}, by="game", system="luck", jobs=1)
