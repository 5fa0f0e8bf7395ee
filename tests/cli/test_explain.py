"""`podium explain`: in words, as a table, as JSON, as a picture."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cli.command import failed, said_json, succeeded
from podium import EloMMR, Ladder, rate, read_history


def player_of(results: Path) -> str:
    return str(rate(read_history(results), EloMMR()).ratings["player"][0])


def test_words_and_a_table(results: Path) -> None:
    player = player_of(results)
    run = rate(read_history(results), EloMMR(), trace=True)
    explained = run.explain(player)
    last = run.trace.filter(run.trace["player"] == player)["event"][-1]
    said = succeeded("explain", results, player)
    assert said.startswith(f"{player}: {explained.rating.mu:.1f} after {explained.rating.events} events")
    assert "share %" in said
    assert "│ start " in said
    assert explained.outlook in said
    assert str(run.explain(player, last)).split(";")[0] in said


def test_a_chosen_event(results: Path) -> None:
    player = player_of(results)
    run = rate(read_history(results), EloMMR(), trace=True)
    first = run.trace.filter(run.trace["player"] == player)["event"][0]
    assert str(run.explain(player, first)) in succeeded("explain", results, player, "--event", first)


def test_a_system_without_performances(results: Path) -> None:
    player = player_of(results)
    said = succeeded("explain", results, player, "--system", "glicko2")
    assert "change" in said
    assert "share" not in said


def test_json_holds_the_same_numbers(results: Path) -> None:
    player = player_of(results)
    said = said_json("explain", results, player, "--set", "rho=inf")
    explained = rate(read_history(results), EloMMR(rho=float("inf")), trace=True).explain(player)
    assert said["explanation"]["rating"]["mu"] == explained.rating.mu
    assert [p["performance"] for p in said["explanation"]["performances"]] == [
        p.performance for p in explained.performances
    ]
    assert said["event"]["player"] == player
    assert said["explanation"]["rating"]["last_time"].startswith("20")


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_a_picture(results: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"why.{suffix}"
    assert f"wrote {path}" in succeeded("explain", results, player_of(results), "--chart", path)
    assert path.stat().st_size > 1000


def test_a_saved_ladder(results: Path, tmp_path: Path) -> None:
    player = player_of(results)
    ladder = rate(read_history(results), EloMMR()).ladder
    ladder.save(tmp_path / "league.podium")
    said = succeeded("explain", tmp_path / "league.podium", player)
    assert (
        said.splitlines()[0] == str(Ladder.load(tmp_path / "league.podium").explain(player)).splitlines()[0]
    )
    assert "holds no events" in failed(2, "explain", tmp_path / "league.podium", player, "--event", "1")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "ndjson.gz"])
def test_a_whole_distribution_as_a_table(results: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"belief.{suffix}"
    ladder = rate(read_history(results), EloMMR()).ladder
    one, other = ladder.ratings()["player"].head(2)
    said = succeeded("explain", results, one, "--distribution", path, "--beside", other)
    assert f"wrote {path}" in said
    assert str(ladder.distribution(other)) in said
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "ndjson.gz": pl.read_ndjson}[suffix]
    frame = read(path)
    expected = pl.concat([ladder.distribution(player).to_frame() for player in (one, other)])
    assert_frame_equal(frame, expected)


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_a_whole_distribution_as_a_picture(results: Path, tmp_path: Path, suffix: str) -> None:
    rate(read_history(results), EloMMR()).ladder.save(tmp_path / "league.podium")
    path, player = tmp_path / f"belief.{suffix}", player_of(results)
    assert f"wrote {path}" in succeeded("explain", tmp_path / "league.podium", player, "--distribution", path)
    assert path.stat().st_size > 1000


def test_distributions_that_cannot_be(results: Path, tmp_path: Path) -> None:
    player, path = player_of(results), tmp_path / "belief.csv"
    asked = ("explain", results, player, "--system", "glicko", "--distribution")
    assert "no distributions" in failed(
        1, "explain", results, player, "--system", "codeforces", "--distribution", path
    )
    assert "pictures .png, .svg and .html" in failed(2, *asked, tmp_path / "belief.gif")
    assert "there is no folder" in failed(1, *asked, tmp_path / "none" / "belief.csv")
    assert "would be overwritten" in failed(2, *asked, results)
    assert "there is no player 'nobody'" in failed(1, *asked, path, "--beside", "nobody")
    assert "in --distribution" in failed(2, "explain", results, player, "--beside", player)
    assert not path.exists()


def test_refusals(results: Path, tmp_path: Path) -> None:
    player = player_of(results)
    assert "there is no player 'nobody'" in failed(1, "explain", results, "nobody")
    assert "there is no event 'never'" in failed(1, "explain", results, player, "--event", "never")
    assert "cannot be written as .gif" in failed(
        2, "explain", results, player, "--chart", tmp_path / "why.gif"
    )
    assert list(tmp_path.glob("why*")) == []


def test_the_parameters_of_the_limits_are_listed() -> None:
    document = said_json("systems", "elo-mmr")
    assert document["systems"]["elo-mmr"]["parameters"]["weight_limit"]["default"] == 0.2
    assert json.dumps(document, allow_nan=False)
