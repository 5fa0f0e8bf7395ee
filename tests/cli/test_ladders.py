"""`podium rate --by COLUMN`: many ladders in one file."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from cli.command import failed, said_json, succeeded
from podium import rate_ladders


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.csv"
    path.write_text("game,winner,loser\nchess,ann,bob\ngo,bob,ann\nchess,ann,cat\ngo,bob,dan\n")
    return path


def test_the_best_of_each_is_printed(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.parquet"
    said = succeeded("rate", games, "--by", "game", "--system", "elo", "--jobs", 1, "--out", out)
    assert said.startswith("elo: 2 ladders, 6 players, 4 events\n")
    assert "│ chess │       3 │      2 │ ann  │" in said
    assert "│ go    │       3 │      2 │ bob  │" in said
    written = pl.read_parquet(out)
    assert written.drop("place").equals(rate_ladders(games, by="game", system="elo", jobs=1).ratings)
    assert written["place"].to_list() == [1, 2, 3, 1, 2, 3]
    assert "… and 1 more" in succeeded(
        "rate", games, "--by", "game", "--system", "elo", "--jobs", 1, "--top", 1
    )


def test_leaderboards_of_each(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.csv"
    options = ["--by", "game", "--system", "elo", "--jobs", 1, "--min-events", 2, "--digits", 0, "--out", out]
    succeeded("rate", games, *options)
    written = pl.read_csv(out).select("game", "place", "player", "display").rows()
    assert written == [
        *[("chess", 1, "ann", 1531), ("chess", None, "cat", 1485), ("chess", None, "bob", 1484)],
        *[("go", 1, "bob", 1531), ("go", None, "dan", 1485), ("go", None, "ann", 1484)],
    ]
    said = said_json("rate", games, *options)
    assert [row["display"] for row in said["ladders"]["go"]["ratings"]] == [1531]
    succeeded("rate", games, *options, "--top", 1)
    assert pl.read_csv(out)["player"].to_list() == ["ann", "bob"]
    assert "has no sigma" in failed(2, "rate", games, *options, "--max-sigma", 50)
    games.write_text(games.read_text().replace("game,", "place,"))
    assert "cannot use a column 'place'" in failed(2, "rate", games, "--by", "place")


def test_as_json(games: Path) -> None:
    few = succeeded("rate", games, "--by", "game", "--system", "elo", "--jobs", 1, "--min-events", 99)
    assert few.count(" – ") == 4  # nobody has so many, neither a name nor a rating in either ladder
    said = said_json("rate", games, "--by", "game", "--system", "elo", "--jobs", 1, "--top", 1)
    assert list(said["ladders"]) == ["chess", "go"]
    assert said["ladders"]["go"]["ratings"][0]["player"] == "bob"


@pytest.mark.parametrize(
    "options, reason",
    [
        (["--by", "game", "--trace", "t.csv"], "this option works on one ladder"),
        (["--by", "game", "--save", "l.podium"], "this option works on one ladder"),
        (["--by", "game", "--jobs", "2", "--dask", "tcp://x:1"], "a Dask cluster has its own workers"),
        (["--jobs", "2"], "--jobs needs --by"),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], reason: str, games: Path) -> None:
    assert reason in " ".join(failed(2, "rate", games, *options).split())


def test_bad_rows_name_file_and_line(games: Path) -> None:
    games.write_text(games.read_text() + "go,bob,bob\n")
    assert f"{games}, line 6: " in failed(1, "rate", games, "--by", "game", "--jobs", 1)
    assert "there is no column 'gam'" in failed(1, "rate", games, "--by", "gam")
