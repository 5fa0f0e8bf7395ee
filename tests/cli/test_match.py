"""`podium match`: who plays whom, printed, written and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cli.command import failed, podium_here, said_json, succeeded
from podium import Elo, Ladder, SetRating

PLAYERS = """player,mu,recent
ann,1520,WWWWW
bob,1480,LLLLL
cat,1700,WLWLW
dan,1690,LWLWL
eve,1300,
finn,1310,WL
gus,1890,LLDLW
"""


@pytest.fixture
def players(tmp_path: Path) -> Path:
    path = tmp_path / "players.csv"
    path.write_text(PLAYERS)
    return path


def test_a_table_and_a_summary(players: Path, tmp_path: Path) -> None:
    """Elo's chance of ann against gus is 0.106; the paper wants 1/12 for her and 8/12 for him."""
    out = tmp_path / "pairs.csv"
    said = succeeded("match", players, "--seed", 1, "--out", out)
    assert said.startswith("1v1, elo: 7 players, 3 matches, 1 without a match\n")
    assert "no match for bob" in said
    assert f"wrote {out}" in said
    pairs = pl.read_csv(out)
    assert sorted([*pairs["player"], *pairs["opponent"].drop_nulls()]) == [
        "ann", "bob", "cat", "dan", "eve", "finn", "gus",
    ]  # fmt: skip
    ann = pairs.row(by_predicate=pl.col("player") == "ann", named=True)
    assert ann["opponent"] == "gus"
    assert ann["chance"] == pytest.approx(1 / (1 + 10 ** ((1890 - 1520) / 400)))
    assert (ann["wanted"], ann["opponent_wanted"]) == pytest.approx((1 / 12, 8 / 12))
    assert pairs.row(by_predicate=pl.col("player") == "bob", named=True)["opponent"] is None


def pairs_of(said: dict[str, Any]) -> set[frozenset[str]]:
    return {frozenset(name for side in m["sides"] for name in side["players"]) for m in said["matches"]}


def test_json_holds_the_same(players: Path) -> None:
    said = said_json("match", players)
    assert (said["n_matches"], said["alone"]) == (3, ["bob"])
    gaps = [sum(abs(side["chance"] - side["wanted"]) for side in m["sides"]) / 2 for m in said["matches"]]
    assert said["mean_gap"] == pytest.approx(sum(gaps) / 3)
    assert said["worst_gap"] == pytest.approx(max(gaps))


def test_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "lobby.csv"
    path.write_text("handle,elo,last\nann,1500,WWWWW\nbob,1500,LLLLL\n")
    columns = ["--column", "player=handle", "--rating-column", "elo", "--recent-column"]
    assert said_json("match", path, *columns, "last")["matches"][0]["sides"][0]["wanted"] == pytest.approx(
        1 / 12
    )
    assert said_json("match", path, *columns, "")["matches"][0]["sides"][0]["wanted"] == 0.5


def test_the_system_decides_the_chances(tmp_path: Path) -> None:
    path = tmp_path / "lobby.csv"
    path.write_text("player,mu,sigma\nann,1700,350\nbob,1500,50\n")
    modes = {"1v1": "matches", "2v2": "teams", "ffa:3": "races"}
    assert {mode: said_json("match", path, "--mode", mode)["system"] for mode in modes} == modes
    (sure,) = said_json("match", path, "--system", "elo")["matches"]
    (unsure,) = said_json("match", path, "--system", "glicko")["matches"]
    assert sure["sides"][0]["chance"] == pytest.approx(1 / (1 + 10**-0.5))
    assert 0.5 < unsure["sides"][0]["chance"] < sure["sides"][0]["chance"]


def test_ratings_of_a_saved_ladder(tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    for player, mu in {"ann": 1500, "bob": 1900, "cat": 1520, "dan": 1880}.items():
        ladder.adjust(SetRating(player=player, mu=mu))
    ladder.save(tmp_path / "season.podium")
    path = tmp_path / "lobby.csv"
    path.write_text("player\nann\nbob\ncat\ndan\n")
    said = said_json("match", path, "--ladder", tmp_path / "season.podium")
    assert pairs_of(said) == {frozenset(("ann", "cat")), frozenset(("bob", "dan"))}
    path.write_text("player\nann\nzed\n")
    assert "'zed'" in failed(1, "match", path, "--ladder", tmp_path / "season.podium")
    wrong = failed(2, "match", path, "--ladder", tmp_path / "season.podium", "--system", "elo")
    assert "a saved ladder keeps its own system" in wrong


def test_a_policy_file(players: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("tolerance = 0.05\n[terms.win-probability-gap]\n")
    said = said_json("match", players, "--policy", policy)
    assert [[side["players"] for side in m["sides"]] for m in said["matches"]] == [[["eve"], ["finn"]]]
    policy.write_text("tolerance = 0.05\n[terms.win-probabilty-gap]\n")
    wrong = failed(2, "match", players, "--policy", policy)
    assert "policy.toml" in wrong
    assert "win-probability-gap" in wrong


def test_teams_of_parties_and_lobbies(tmp_path: Path) -> None:
    path = tmp_path / "lobby.csv"
    rows = [f"p{i},{1400 + 25 * i},{'x' if i in (0, 7) else ''}" for i in range(8)]
    path.write_text("\n".join(["player,mu,party", *rows]) + "\n")
    said = said_json("match", path, "--mode", "4v4")
    (match,) = said["matches"]
    sides = {name: side for side, one in enumerate(match["sides"], 1) for name in one["players"]}
    assert len(sides) == 8
    assert sides["p0"] == sides["p7"]
    assert sorted(sides.values()) == [1] * 4 + [2] * 4
    path.write_text("\n".join(["player,mu", *(f"p{i},{1400 + 25 * i}" for i in range(9))]) + "\n")
    said = said_json("match", path, "--mode", "ffa:4")
    assert (said["n_matches"], len(said["alone"])) == (2, 1)
    for match in said["matches"]:
        assert sum(side["chance"] for side in match["sides"]) == pytest.approx(1.0)


def test_ratings_that_rate_wrote(tmp_path: Path) -> None:
    """Elo's have an empty column sigma, and TrueSkill's are on a scale of their own."""
    results, ratings = tmp_path / "results.csv", tmp_path / "ratings.csv"
    results.write_text("winner,loser\nann,bob\ncat,dan\nann,cat\n")
    succeeded("rate", results, "--system", "elo", "--out", ratings)
    assert said_json("match", ratings)["system"] == "elo"
    succeeded("rate", results, "--system", "trueskill", "--out", ratings)
    assert "--system trueskill" in failed(1, "match", ratings)
    assert said_json("match", ratings, "--system", "trueskill")["n_matches"] == 2


def test_everybody_plays_however_uneven(tmp_path: Path) -> None:
    path = tmp_path / "lobby.csv"
    path.write_text("player,mu,recent\na,5000,WWWWW\nb,0,LLLLL\nc,0,LLLLL\nd,0,LLLLL\n")
    assert said_json("match", path, "--mode", "2v2")["n_matches"] == 1


def test_rematches_are_not_called_blocks(tmp_path: Path) -> None:
    path = tmp_path / "waiting.csv"
    path.write_text("player,mu,met\nann,1500,eve\nbob,1500,\neve,1500,\n")
    why = said_json("match", path, "--why", "ann")["why"]
    assert why["forbidden"] == {"no-rematch": 1}
    policy = tmp_path / "policy.toml"
    policy.write_text("tolerance = 0.5\n[terms.win-probability-gap]\n[terms.no-rematch]\ngames = 1\n")
    said = said_json("match", path, "--why", "ann", "--policy", policy)
    assert said["why"]["forbidden"] == {"no-rematch": 1}
    assert "block-list" not in said["policy"]


def test_who_met_does_not_meet_again(tmp_path: Path) -> None:
    path, policy = tmp_path / "lobby.csv", tmp_path / "policy.toml"
    path.write_text("player,mu,met\nann,1500,cat; bob\nbob,1500,ann\ncat,1900,ann\ndan,1900,\n")
    pairs = pairs_of(said_json("match", path))
    assert pairs == {frozenset(("ann", "dan")), frozenset(("bob", "cat"))}
    policy.write_text("tolerance = 1\n[terms.win-probability-gap]\n[terms.no-rematch]\ngames = 1\n")
    pairs = pairs_of(said_json("match", path, "--policy", policy))
    assert frozenset(("ann", "bob")) not in pairs  # the newest game of ann


def test_newcomers_and_columns_that_look_like_others(tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    ladder.save(tmp_path / "season.podium")
    path = tmp_path / "lobby.csv"
    path.write_text("player,mu,partty\nann,1,\nzed,2,\n")
    answer = podium_here("match", path, "--ladder", tmp_path / "season.podium", "--newcomers")
    assert answer.returncode == 0
    assert "1 match" in answer.stdout
    assert "Did you mean 'party'?" in answer.stderr


def test_no_match_at_all(players: Path, tmp_path: Path) -> None:
    said = succeeded("match", players, "--mode", "5v5", "--out", tmp_path / "none.csv")
    assert "0 matches, 7 without a match. A match needs 10 players" in said
    assert pl.read_csv(tmp_path / "none.csv").columns[:3] == ["match", "side", "player"]


def test_refusals(players: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    broken = tmp_path / "broken.csv"
    broken.write_text("player,mu\nann,1500\nbob,\n")
    assert "broken.csv, line 3: mu is empty" in failed(1, "match", broken, "--out", out)
    assert "3w2" in failed(2, "match", players, "--mode", "3w2", "--out", out)
    parties = tmp_path / "parties.csv"
    parties.write_text("player,mu,party\nann,1500,x\nbob,1500,x\ncat,1500,x\n")
    too_large = failed(1, "match", parties, "--mode", "2v2", "--out", out)
    assert "the party of 'ann' has 3 players, and a team of 2v2 has 2" in too_large
    assert "nothere.toml: there is no such file" in failed(1, "match", players, "--policy", "nothere.toml")
    assert "overwritten" in failed(2, "match", players, "--out", players)
    assert not out.exists()


def test_roles_and_more_than_two_teams(tmp_path: Path) -> None:
    path = tmp_path / "lobby.csv"
    path.write_text(
        "player,mu,roles,party\nann,1500,tank,x\nbob,1500,Healer; tank,x\ncat,1500,healer,\ndan,1500,,\n"
    )
    out = tmp_path / "teams.csv"
    side = said_json("match", path, "--mode", "2v2: tank, healer", "--out", out)["matches"][0]["sides"]
    assert sorted(zip(side[0]["players"], side[0]["roles"], strict=True)) == [
        ("ann", "tank"),
        ("bob", "healer"),
    ]
    assert sorted(zip(side[1]["players"], side[1]["roles"], strict=True)) == [
        ("cat", "healer"),
        ("dan", "tank"),
    ]
    assert dict(pl.read_csv(out).select("player", "role").rows())["dan"] == "tank"
    three = said_json("match", path, "--mode", "1v1v2")["matches"][0]["sides"]
    assert [len(side["players"]) for side in three] == [1, 1, 2]
    assert three[0]["roles"] is None
    assert "no role 'tank'" in failed(1, "match", path, "--mode", "2v2: bard, healer")


def test_why_a_player_waits(tmp_path: Path) -> None:
    path, policy = tmp_path / "lobby.csv", tmp_path / "policy.toml"
    path.write_text("player,mu,blocks\nann,1500,bob\nbob,1500,\ncat,1900,\n")
    policy.write_text("[terms.win-probability-gap]\n[terms.block-list]\n[terms.waiting-time]\n")
    said = succeeded("match", path, "--policy", policy, "--why", "ann")
    assert "ann has waited for 0 s, and 2 other tickets too." in said
    assert "terms forbid: block-list 1. 1 may meet." in said
    assert "Nearest is cat" in said
    why = said_json("match", path, "--policy", policy, "--why", "ann")["why"]
    assert (why["forbidden"], why["nearest"], why["match"]) == ({"block-list": 1}, ["cat"], None)
    anybody = said_json("match", path, "--why", "cat")
    assert anybody["why"]["match"] == anybody["matches"][0]["number"] == 0
    assert "They play in match 1." in succeeded("match", path, "--why", "cat")
    assert said_json("match", path)["why"] is None
    assert "'anne' is not in the list of waiting players" in failed(1, "match", path, "--why", "anne")
