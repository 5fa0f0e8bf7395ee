"""Blanks around a player's name that is reported: they made another player in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import Event, History, InputError, Ladder, Merge, Rename, SetRating


def test_names_are_reported_as_tables_have_them() -> None:
    ladder = Ladder("elo")
    ladder.record_match("Ann", "Bob")
    ladder.record_match("Ann ", "\u00a0Bob")
    ladder.record(teams=[["Ann\t"], ["Zoe\u0308"]], ranks=[1, 2], home="Ann\t", unrated=["Ann\t"])
    ladder.adjust(SetRating(player=" Cid", mu=1800.0))
    ladder.adjust(Rename(player="Bob", into="Rob "))
    assert set(ladder.leaderboard()["player"]) == {"Ann", "Rob", "Zoë"}
    assert ladder.rating("Cid").mu == 1800.0
    assert ladder.rating("Ann").events == 2  # out of competition in the third
    assert [change.player for change in ladder.preview(ranks={"Ann ": 1, "Rob": 2})] == ["Ann", "Rob"]
    history = History.from_events([{"ranks": {"Ann ": 1, "Bob": 2}}, {"ranks": {"Ann": 1, "Bob": 2}}])
    assert list(history.players) == ["Ann", "Bob"]


def test_one_player_cannot_take_part_as_two() -> None:
    with pytest.raises(InputError, match="'Ann' takes part twice"):
        Ladder("elo").record(ranks={"Ann": 1, "Ann ": 2})
    with pytest.raises(InputError, match="a player's name is empty"):
        Ladder("elo").record(ranks={"Ann": 1, "\u200b": 2})


def test_logs_of_older_versions_replay_as_before(tmp_path: Path) -> None:
    """An older version recorded such names: its log still has two players, who may be merged."""
    path = tmp_path / "league.podium"
    with Ladder.open(path, system="elo") as ladder:
        ladder._opened().record(Event.of(ranks={"Ann": 1, "Ann ": 2}), allow_repeat=False, late="refuse")
        before = ladder.rating("Ann "), ladder.rating("Ann")
    with Ladder.open(path) as again:
        assert (again.rating("Ann "), again.rating("Ann")) == before
        again.adjust(Merge(player="Ann ", into="Ann"))
        assert list(again.leaderboard()["player"]) == ["Ann"]
    with Ladder.open(path) as again:
        assert list(again.leaderboard()["player"]) == ["Ann"]


def test_lookups_and_predictions_know_a_name_with_blanks() -> None:
    ladder = Ladder("elo")
    ladder.record_match("Ann", "Bob")
    assert ladder.rating("Ann ") == ladder.rating("Ann")
    assert " Ann" in ladder
    assert ladder.expected_score(" Ann", "Bob\u00a0") == ladder.expected_score("Ann", "Bob")
    assert ladder.expected_ranks(["Ann ", "Bob"])[0] < 1.5
    assert ladder.rank_to_reach(" Ann", 1520.0, ranks={"Ann ": 1, "Bob": 2, "Cat": 3}) == 1
    with pytest.raises(InputError, match="each of them once"):
        ladder.expected_score(["Ann", "Ann "], ["Bob"])
