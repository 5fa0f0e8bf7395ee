"""`podium explain`: in words, as a table, as JSON, as a picture."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cli.command import failed, podium_here, said_json, succeeded
from podium import EloMMR, Ladder, rate, read_history


def player_of(results: Path) -> str:
    return str(rate(read_history(results), EloMMR()).ratings["player"][0])


def test_words_and_a_table(results: Path) -> None:
    player = player_of(results)
    run = rate(read_history(results), EloMMR(), trace=True)
    explained = run.explain(player)
    last = run.trace.filter(run.trace["player"] == player)["event"][-1]
    said = succeeded("explain", results, player, "--system", "elo-mmr")
    assert said.startswith(f"{player}: {explained.rating.mu:.1f} after {explained.rating.events} events")
    assert "share %" in said
    assert "│ start " in said
    assert explained.outlook in " ".join(said.split())
    assert str(run.explain(player, last)).split(";")[0] in " ".join(said.split())


def test_a_chosen_event(results: Path) -> None:
    player = player_of(results)
    run = rate(read_history(results), EloMMR(), trace=True)
    first = run.trace.filter(run.trace["player"] == player)["event"][0]
    said = succeeded("explain", results, player, "--event", first, "--system", "elo-mmr")
    assert str(run.explain(player, first)) in " ".join(said.split())


@pytest.mark.parametrize("event", ["cup", "cup, 2026-02-22", "2026-02-22"])
def test_events_are_called_as_in_changes(league: Path, event: str) -> None:
    said = succeeded("explain", league, "ann", "--event", event, "--system", "elo", "--top", 0)
    assert "ann in cup, 2026-02-22: beat bob 2:1 at home" in said
    assert succeeded("changes", league, "--event", event, "--system", "elo").startswith("cup, 2026-02-22: 2")


def test_a_reused_name_is_not_the_player_who_had_it(tmp_path: Path) -> None:
    file = tmp_path / "reused.csv"
    file.write_text(
        "event,time,player,rank,adjustment,into,mu\n"
        "g1,2026-01-10,ann,1,,,\ng1,2026-01-10,bob,2,,,\n"
        ",2026-02-01,ann,,rename,anna,\n,2026-02-02,ann,,set-rating,,1400\n"
        "g2,2026-02-14,anna,1,,,\ng2,2026-02-14,bob,2,,,\n"
    )
    said = succeeded("explain", file, "ann", "--system", "elo")
    assert said.startswith("ann: 1400.0 after 0 events")
    assert "g1" not in said
    assert "did not take part" in failed(1, "explain", file, "ann", "--event", "g1", "--system", "elo")
    told = said_json("explain", file, "anna", "--event", "g1", "--system", "elo")
    assert [one["event"] for one in told["explanation"]["contributions"]] == ["g1", "g2"]
    assert (told["event"]["player"], told["event"]["display"]) == ("anna", 1516.0)
    drawn = said_json("chart", file, "ann", "--system", "elo")["players"][0]["events"]
    assert [(one["event"], one["display_before"], one["display"]) for one in drawn] == [
        (None, 1500.0, 1400.0)
    ]


def test_every_match_of_a_day_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "day.csv"
    path.write_text("time,winner,loser\n2026-05-01,ann,bob\n2026-05-01,cat,ann\n2026-05-02,ann,dan\n")
    command = ("explain", path, "ann", "--system", "elo", "--event", "2026-05-01")
    said = " ".join(succeeded(*command).split())
    run = rate(read_history(path), "elo", trace=True)
    first, second = run.explain_events("ann", "2026-05-01")
    assert said.endswith(f"{first} {second}")
    assert run.explain("ann", "2026-05-01") == second
    answer = podium_here(*command, "--json")
    assert answer.stderr == "2026-05-01 matches 2 events of ann, and the document has the last\n"
    assert json.loads(answer.stdout)["event"]["event"] == second.event


def test_the_last_event_may_be_that_of_a_merged_account(tmp_path: Path) -> None:
    path = tmp_path / "merged.csv"
    path.write_text(
        "event,time,player,rank,adjustment,into\nc1,2026-02-01,ann,1,,\nc1,2026-02-01,bob,2,,\n"
        "c2,2026-03-01,annie,2,,\nc2,2026-03-01,cat,1,,\n,2026-07-01,annie,,merge,ann\n"
    )
    run = rate(read_history(path), "elo", trace=True)
    last = run.explain_last("ann")
    assert last == run.explain("ann", "c2")
    assert " ".join(succeeded("explain", path, "ann", "--system", "elo").split()).endswith(str(last))


def test_a_system_without_performances(results: Path) -> None:
    player = player_of(results)
    said = succeeded("explain", results, player, "--system", "glicko2")
    assert "change" in said
    assert "share" not in said


def test_json_holds_the_same_numbers(results: Path) -> None:
    player = player_of(results)
    said = said_json("explain", results, player, "--set", "rho=inf", "--system", "elo-mmr")
    explained = rate(read_history(results), EloMMR(rho=float("inf")), trace=True).explain(player)
    assert said["explanation"]["rating"]["mu"] == explained.rating.mu
    assert [p["performance"] for p in said["explanation"]["performances"]] == [
        p.performance for p in explained.performances
    ]
    assert said["event"]["player"] == player
    assert said["explanation"]["rating"]["last_time"].startswith("20")


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Ann wins two of three, at home and away in turn; with scores, dates and a name here and there."""
    games = [
        f"2026-{1 + n // 28:02}-{1 + n % 28:02},{'ann,bob' if n % 2 else 'bob,ann'},"
        f"{'2,1' if n % 3 else '1,3'},{'cup' if n == 49 else ''},no"
        for n in range(50)
    ]
    path = tmp_path / "league.csv"
    path.write_text("\n".join(["time,player_a,player_b,score_a,score_b,event,neutral", *games, ""]))
    return path


def rows_of(said: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in said.splitlines() if "│" in line]


def test_matches_are_told_with_opponent_score_and_chance(tmp_path: Path) -> None:
    """Elo by hand: even at first, then 1516 against 1484 (32 points apart: 0.546, ten times the k of 32)."""
    (tmp_path / "two.csv").write_text(
        "time,player_a,player_b,score_a,score_b,neutral\n2026-05-01,ann,bob,3,1,1\n2026-05-08,bob,ann,2,2,1\n"
    )
    said = succeeded("explain", "two.csv", "ann", "--system", "elo", cwd=tmp_path)
    assert rows_of(said) == [
        ["", "where newcomers start", "", "1500.0"],
        ["2026-05-01", "beat bob 3:1", "50%", "16.0"],
        ["2026-05-08", "drew with bob 2:2", "55%", "−1.5"],
    ]
    assert "ann on 2026-05-08: drew with bob 2:2, chance 55%: 1516.0 − 1.5 = 1514.5" in " ".join(said.split())


@pytest.mark.parametrize("system", ["elo", "elo-mmr"])
def test_a_long_career_fits_a_screen(league: Path, system: str) -> None:
    assert succeeded("explain", league, "ann", "--system", system).count("\n") <= 24
    said = succeeded("explain", league, "ann", "--system", system, "--top", 3)
    told = [row for row in rows_of(said) if "bob" in "".join(row)]
    assert len(told) == 3
    assert sum("at home" in "".join(row) for row in told) in (1, 2)
    counts = [row for row in rows_of(said) if "matches" in "".join(row)]
    assert len(counts) == 1
    assert ("47 earlier matches" if system == "elo" else " other matches") in "".join(counts[0])


def test_json_says_who_it_was(league: Path) -> None:
    whole = said_json("explain", league, "ann", "--system", "elo")
    parts = whole["explanation"]["contributions"]
    assert (len(parts), whole["explanation"]["earlier"]) == (50, None)
    chance = parts[-1]["match"].pop("chance")
    assert parts[-1]["match"] == {
        "opponents": ["bob"],
        "partners": [],
        "result": "win",
        "score": 2,
        "opponent_score": 1,
        "at_home": True,
    }
    assert (parts[-1]["event"], whole["event"]["match"]["chance"]) == ("cup", chance)
    assert whole["event"]["expected_score"] == chance
    few = said_json("explain", league, "ann", "--system", "elo", "--top", 4)["explanation"]
    assert [part["change"] for part in few["contributions"]] == [part["change"] for part in parts[-4:]]
    assert few["earlier"]["count"] == 46
    assert few["earlier"]["change"] == pytest.approx(sum(part["change"] for part in parts[:-4]))
    averages = said_json("explain", league, "ann", "--top", 4, "--system", "elo-mmr")["explanation"]
    assert len(averages["performances"]) == 4
    assert {part["match"]["opponents"][0] for part in averages["performances"]} == {"bob"}
    assert averages["others"]["count"] > 4


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
    said = succeeded(
        "explain", results, one, "--distribution", path, "--beside", other, "--system", "elo-mmr"
    )
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
    assert "to --distribution" in failed(2, "explain", results, player, "--beside", player)
    assert not path.exists()


def test_refusals(results: Path, tmp_path: Path) -> None:
    player = player_of(results)
    assert "there is no player 'nobody'" in failed(1, "explain", results, "nobody")
    never = failed(1, "explain", results, player, "--event", "never")
    assert "there is no event 'never'" in never
    assert "events are called 'round 0' to 'round 39'" in never
    assert "cannot write a picture as .gif" in failed(
        2, "explain", results, player, "--chart", tmp_path / "why.gif"
    )
    assert list(tmp_path.glob("why*")) == []


def test_the_parameters_of_the_limits_are_listed() -> None:
    document = said_json("systems", "elo-mmr")
    assert document["systems"]["elo-mmr"]["parameters"]["weight_limit"]["default"] == 0.2
    assert json.dumps(document, allow_nan=False)
