"""`podium predict`: the rows of a file, predicted as in Python."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import podium
from cli.command import failed, podium_here, said_json, succeeded

MATCHES = "time,winner,loser\n2026-05-01,ann,bob\n2026-05-01,ann,cat\n2026-05-02,bob,cat\n"


def test_predicts_each_row(tmp_path: Path) -> None:
    file, out = tmp_path / "matches.csv", tmp_path / "predictions.parquet"
    file.write_text(MATCHES)
    for same_time, expected in (("together", 0.5), ("in-order", 0.523)):
        how = ["--system", "elo", "--same-time", same_time, "--top", 2, "--out", out]
        answer = said_json("predict", file, *how)
        assert [row["row"] for row in answer["rows"]] == [1, 2]
        assert round(answer["rows"][0]["expected"], 3) == expected
        written = pl.read_parquet(out)
        assert written["player_b"].to_list() == ["bob", "cat", "cat"]
        assert (
            written["expected"].to_list()
            == podium.predict(file, "elo", same_time=same_time)["expected"].to_list()
        )
    shown = succeeded("predict", file, "--system", "elo")
    assert shown.startswith("elo: 3 rows")
    assert "2026-05-02 00:00" in shown


def test_refuses_another_way(tmp_path: Path) -> None:
    file = tmp_path / "matches.csv"
    file.write_text(MATCHES)
    assert "not 'together' or 'in-order'" in failed(2, "predict", file, "--same-time", "daily")


def test_a_system_that_gives_draws_no_chance_says_so(tmp_path: Path) -> None:
    """Where nothing was drawn, and where draws are learned, there is nothing to say."""
    drawn, decided = tmp_path / "chess.csv", tmp_path / "matches.csv"
    drawn.write_text("time,white,black,result\n2026-05-01,ann,bob,1/2-1/2\n2026-05-02,ann,cat,1-0\n")
    decided.write_text(MATCHES)
    words = "1 of 2 matches were drawn, but the rating system gives draws no chance"
    for file, said, how in (
        (drawn, True, ["elo"]),
        (drawn, False, ["elo", "--set", "draw_rate=0.3"]),
        (drawn, False, ["elo", "--set", "calibration=learned"]),
        (drawn, False, ["auto"]),
        (decided, False, ["elo"]),
    ):
        assert (words in podium_here("predict", file, "--system", *how).stderr) == said, how
