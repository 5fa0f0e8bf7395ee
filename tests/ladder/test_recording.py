"""Recording: every way to say what happened, and what is said back."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from ladder.helpers import SYSTEMS, content, label
from podium import Elo, Event, Glicko2, Ladder
from podium.systems import RatingSystem


def gains(changes: list) -> dict[str, float]:
    return {change.player: change.gain for change in changes}


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_ranks_scores_and_times_say_the_same(system: RatingSystem) -> None:
    ladders = [Ladder(system) for _ in range(4)]
    ladders[0].record(ranks={"ann": 2, "bob": 1, "cat": 3}, time="2026-05-01")
    ladders[1].record(scores={"ann": 1.5, "bob": 9, "cat": -4}, time=date(2026, 5, 1))
    ladders[2].record(
        scores={"ann": 60.1, "bob": 59.9, "cat": 75}, lower_is_better=True, time="2026-05-01T00:00Z"
    )
    ladders[3].record(
        teams=[["ann"], ["bob"], ["cat"]], ranks=[2, 1, 3], time=datetime(2026, 5, 1, tzinfo=UTC)
    )
    assert all(content(ladder) == content(ladders[0]) for ladder in ladders)


def test_a_match_is_an_event_of_two() -> None:
    match, event = Ladder(Elo()), Ladder(Elo())
    assert match.record_match("ann", "bob", time=100_000) == event.record(
        ranks={"ann": 1, "bob": 2}, time=100_000
    )
    assert match.record_match("bob", "ann", draw=True) == event.record(ranks={"bob": 1, "ann": 1})
    assert content(match) == content(event)


def test_every_record_says_what_changed() -> None:
    changes = Ladder(Glicko2()).record(ranks={"ann": 1, "bob": 2}, name="final")
    ann, bob = changes
    assert (ann.player, ann.rank, bob.player, bob.rank) == ("ann", 1, "bob", 2)
    assert ann.mu_before == ann.display_before == 1500
    assert ann.sigma_before == 350
    assert ann.mu > 1500
    assert ann.sigma is not None
    assert ann.sigma < 350
    assert ann.gain == ann.display - ann.display_before == -bob.gain
    assert ann.performance is None


def test_a_share_says_more_than_a_win() -> None:
    narrow, clear = Ladder(Elo()), Ladder(Elo())
    assert gains(narrow.record(ranks={"ann": 1, "bob": 2}, share=0.6)) == pytest.approx(
        {"ann": 3.2, "bob": -3.2}
    )
    assert gains(clear.record(ranks={"ann": 1, "bob": 2}, share=1.0)) == pytest.approx(
        {"ann": 16, "bob": -16}
    )


def test_a_draw_between_equals_moves_nobody() -> None:
    assert gains(Ladder(Elo()).record_match("ann", "bob", draw=True)) == {"ann": 0, "bob": 0}


def test_an_unrated_player_is_an_opponent_whose_rating_stays() -> None:
    ladder = Ladder(Elo())
    changes = gains(ladder.record(ranks={"guest": 1, "ann": 2}, unrated=["guest"]))
    assert changes["guest"] == 0
    assert changes["ann"] == -16
    guest = ladder.rating("guest")
    assert (guest.mu, guest.events, guest.last_time) == (1500, 0, None)
    assert "guest" in ladder
    assert len(ladder) == 2
    assert ladder.ratings()["player"].to_list() == ["guest", "ann"]


def test_home_is_whom_the_record_names() -> None:
    system = Elo(home_advantage=100)
    at_home = gains(Ladder(system).record_match("ann", "bob", home="ann"))["ann"]
    neutral = gains(Ladder(system).record_match("ann", "bob"))["ann"]
    away = gains(Ladder(system).record_match("ann", "bob", home="bob"))["ann"]
    assert at_home < neutral == 16 < away


def test_the_home_side_of_a_team_is_any_member() -> None:
    system = Elo(home_advantage=100)
    teams = [["ann", "bob"], ["cat", "dan"]]
    by_member = [Ladder(system).record(teams=teams, ranks=[1, 2], home=host) for host in ("cat", "dan")]
    assert by_member[0] == by_member[1] != Ladder(system).record(teams=teams, ranks=[1, 2])


def test_a_weight_multiplies_what_an_event_moves() -> None:
    assert gains(Ladder(Elo()).record_match("ann", "bob", weight=0.25))["ann"] == 4
    assert gains(Ladder(Elo()).record(ranks={"ann": 1, "bob": 2}, weight=2.0))["ann"] == 32


def test_members_of_a_team_move_together() -> None:
    changes = Ladder(Elo()).record(teams=[("ann", "bob"), ("cat",)], scores=[1, 3])
    assert [(c.player, c.rank, c.gain) for c in changes] == [("ann", 2, -16), ("bob", 2, -16), ("cat", 1, 16)]


def test_numbers_name_players_by_their_digits() -> None:
    ladder = Ladder(Elo())
    ladder.record(ranks={7: 1, "8": 2})
    ladder.record_match("7", 8)
    assert ladder.players.to_list() == ["7", "8"]
    assert 7 in ladder
    assert "8" in ladder
    assert 9 not in ladder
    assert 7.0 not in ladder
    assert ladder.rating(7) == ladder.rating("7")
    assert ladder.expected_score(7, [8], home=8) == ladder.expected_score("7", "8")


def test_time_and_counts_are_kept() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", time="2026-05-01T18:30:00Z")
    ladder.record_match("ann", "cat")
    rating = ladder.rating("ann")
    assert rating.events == 2
    assert rating.last_time == datetime(2026, 5, 1, 18, 30, tzinfo=UTC)
    assert ladder.rating("cat").last_time is None
    assert ladder.n_events == 2
    assert len(ladder) == 3
    assert repr(ladder) == "<Ladder: elo, 3 players, 2 events>"


def test_an_event_may_be_made_before_it_is_recorded() -> None:
    event = Event.of(ranks={"ann": 1, "bob": 2}, name="final")
    assert Ladder(Elo()).record_event(event) == Ladder(Elo()).record(ranks={"ann": 1, "bob": 2})


def test_an_event_as_late_as_the_last_is_welcome() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", time="2026-05-01")
    ladder.record_match("ann", "bob", time="2026-05-01")
    ladder.record_match("ann", "bob")  # without a time it stands behind the last
    assert ladder.n_events == 3


def test_an_empty_ladder_is_something() -> None:
    assert Ladder(Elo())
    assert len(Ladder(Elo())) == 0
    assert Ladder(Elo()).ratings().height == 0
