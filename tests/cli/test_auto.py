"""`--system auto` in the commands that take a system."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cli.command import failed, said_json, succeeded
from podium import Auto, Ladder

MATCHES = (
    "winner,loser,time\nann,bob,2026-01-01\nann,cat,2026-01-02\nbob,cat,2026-01-03\nann,bob,2026-01-04\n"
)
AUTO = ["--system", "auto", "--set", "experts=few"]


@pytest.fixture
def matches(tmp_path: Path) -> Path:
    path = tmp_path / "matches.csv"
    path.write_text(MATCHES)
    return path


def test_rating_saving_and_going_on(matches: Path, tmp_path: Path) -> None:
    saved, more = tmp_path / "ladder.podium", tmp_path / "more.csv"
    first = said_json("rate", matches, *AUTO, "--save", saved)["ratings"]
    assert [row["player"] for row in first] == ["ann", "bob", "cat"]
    more.write_text("winner,loser,time\ncat,ann,2026-02-01\n")
    later = said_json("rate", more, "--ladder", saved)["ratings"]
    both = tmp_path / "both.csv"
    both.write_text(MATCHES + "cat,ann,2026-02-01\n")
    assert later == said_json("rate", both, *AUTO)["ratings"]


def test_explanations_name_experts(matches: Path) -> None:
    assert "What counts: " in succeeded("explain", matches, "ann", *AUTO)
    opinions = said_json("explain", matches, "ann", *AUTO)["explanation"]["opinions"]
    assert {opinion["expert"].split()[0] for opinion in opinions} == {"elo", "glicko", "weng-lin", "elo-mmr"}


def test_a_file_of_a_system_names_the_list(matches: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('system = "auto"\n[parameters]\nexperts = "few"\nshare = 0.01\n')
    by_file = said_json("rate", matches, "--system", tmp_path / "mine.toml")["ratings"]
    assert by_file == said_json("rate", matches, *AUTO, "--set", "share=0.01")["ratings"]


def test_an_unknown_list_is_refused(matches: Path) -> None:
    said = failed(2, "rate", matches, "--system", "auto", "--set", "experts=fw")
    assert "there is no list of experts 'fw'" in said
    assert "did you mean 'few'?" in said


def first_three() -> Ladder:
    """The ladder before the last match."""
    ladder = Ladder(Auto(experts="few"))
    for winner, loser, day in (("ann", "bob", 1), ("ann", "cat", 2), ("bob", "cat", 3)):
        ladder.record_match(winner, loser, time=f"2026-01-0{day}")
    return ladder


def test_changes_are_those_of_the_match_and_expect_what_experts_say(matches: Path) -> None:
    ladder = first_three()
    expected = ladder.expected_score("ann", "bob", at="2026-01-04")
    recorded = ladder.record_match("ann", "bob", time="2026-01-04")
    ann, bob = said_json("changes", matches, "--event", "4", *AUTO)["changes"]
    assert [ann["gain"], bob["gain"]] == pytest.approx([change.gain for change in recorded], abs=1e-9)
    assert ann["expected_rank"] == pytest.approx(2.0 - expected, abs=1e-9)


def test_what_if_rates_without_the_match(matches: Path) -> None:
    before = {row["player"]: row["mu"] for row in said_json("rate", matches, *AUTO)["ratings"]}
    without = first_three()
    moves = said_json("what-if", matches, "--without", "4", *AUTO)["moves"]
    assert {move["player"] for move in moves} == {"ann", "bob"}
    for move in moves:
        assert move["mu"] == pytest.approx(without.rating(move["player"]).mu, abs=1e-9)
        assert move["display_before"] == before[move["player"]]


def test_evaluate_predicts_by_the_mixture(matches: Path) -> None:
    """The loss of the last match alone: ann wins it."""
    chance = first_three().expected_score("ann", "bob", at="2026-01-04")
    asked = ["--metrics", "log-loss", "--scopes", "everyone", "--since", "3", "--resamples", "2"]
    said = said_json("evaluate", matches, "--systems", "auto", "--set", "auto.experts=few", *asked)
    (row,) = said["summary"]
    assert row["metrics"]["log-loss"]["value"] == pytest.approx(-math.log(chance), abs=1e-9)


def test_tune_searches_the_share(matches: Path) -> None:
    said = said_json("tune", matches, *AUTO, "--trials", "2", "--jobs", "1")
    assert said["searched"] == ["share from 1e-05 to 0.01, by factors"]
    assert [trial["parameters"].keys() for trial in said["trials"]] == [{"share"}, {"share"}]
    assert said["parameters"]["experts"] == "few"


def test_match_goes_by_public_ratings(tmp_path: Path) -> None:
    """Ratings of a table, or of a saved ladder; deviations count."""
    waiting, saved = tmp_path / "waiting.csv", tmp_path / "ladder.podium"
    waiting.write_text("player,mu,sigma\nann,1600,80\nbob,1500,80\n")
    (found,) = said_json("match", waiting, *AUTO)["matches"]
    chances = {side["players"][0]: side["chance"] for side in found["sides"]}
    assert chances["ann"] == pytest.approx(by_ratings(100.0, 80.0, 80.0))
    ladder = first_three()
    ladder.save(saved)
    waiting.write_text("player\nann\nbob\n")
    (found,) = said_json("match", waiting, "--ladder", saved)["matches"]
    chances = {side["players"][0]: side["chance"] for side in found["sides"]}
    ann, bob = ladder.rating("ann"), ladder.rating("bob")
    assert ann.sigma is not None
    assert bob.sigma is not None
    assert chances["ann"] == pytest.approx(by_ratings(ann.mu - bob.mu, ann.sigma, bob.sigma))


def by_ratings(gap: float, sigma: float, other: float) -> float:
    """The chance of who is so many points ahead, given both deviations; docs/auto.md has the formula."""
    squared = (400.0 / math.log(10.0)) ** 2 + 0.5 * 3.0 / math.pi**2 * (sigma**2 + other**2)
    return 1.0 / (1.0 + math.exp(-gap / math.sqrt(squared)))


def test_systems_tells_its_parameters() -> None:
    assert "share" in succeeded("systems", "auto")
