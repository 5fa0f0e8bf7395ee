"""Players who leave matches that are played, and the newcomers who continue them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from podium import Conduct, CooldownError, Elo, InputError, Ladder, Match, Matchmaker, Policy
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import NoRematch, WinProbabilityGap

POLICY = Policy(
    terms=(WinProbabilityGap(), NoRematch(2)),
    tolerance=1,
    target=WinRateTarget(games=3),
    conduct=Conduct(leaving=(60, 600)),
)


def played(mode: str = "2v2", names: str = "abcd") -> tuple[Matchmaker, Match]:
    maker = Matchmaker(Elo(), mode, POLICY)
    maker.join_many(list(names), mu=[1500.0 + 10 * i for i in range(len(names))], time=0)
    (match,) = maker.tick(5).matches
    maker.start(match)
    return maker, maker.match(match.number)


def test_who_abandons_a_match_may_not_join_for_a_while() -> None:
    maker, match = played()
    leaver = match.sides[0][0]
    now = maker.leave_match(match, leaver, time=10)
    assert now.left == {leaver: "abandon"}
    assert now.sides == match.sides
    with pytest.raises(CooldownError, match=f"'{leaver}' left 1 match, and may join again in 60 s"):
        maker.join(leaver, mu=1500.0)
    with pytest.raises(InputError, match="is not playing match 0"):
        maker.leave_match(match, leaver)
    maker.join(leaver, mu=1500.0, time=70)
    assert len(maker.running()) == 1
    maker.finish(match, side=0)
    memory, names = maker._pool.memory, maker._pool.store.names
    numbers = np.array([names.index_of[leaver], names.index_of[match.sides[0][1]]])
    assert memory.wins(numbers)[0].tolist() == [0.0, 1.0]  # the leaver lost, the others won


def test_who_is_excused_has_no_cooldown_and_no_loss() -> None:
    maker, match = played()
    maker.leave_match(match, "a", reason="excused")
    assert maker.cooldown("a") == 0
    maker.join("a", mu=1500.0)
    with pytest.raises(InputError, match="a reason 'bored'"):
        maker.leave_match(match, "b", reason="bored")


def test_a_match_ends_when_all_have_left() -> None:
    maker, match = played("1v1", "ab")
    maker.leave_match(match, "a")
    maker.leave_match(match, "b", reason="excused")
    assert maker.running() == []
    with pytest.raises(InputError, match="not being played"):
        maker.finish(match, void=True)


def test_a_newcomer_continues_the_match_under_its_number() -> None:
    maker, match = played()
    leaver = match.sides[1][0]
    stayed = set(match.players) - {leaver}
    maker.leave_match(match, leaver, time=20)
    request = maker.backfill(match)
    assert request.match == match.number
    assert {name for side in request.sides for name in side} == stayed
    maker.join("e", mu=1500.0)
    (fill,) = maker.tick(30).matches
    assert (fill.continues, fill.number) == (0, 1)
    now = maker.accept(fill, "e")
    assert now.number == match.number
    assert set(now.players) == {*stayed, "e"}
    assert (now.proposed, now.started, now.left) == (5.0, 5.0, {})
    assert now.accepted == ("e",)
    assert maker.accept(fill, "e") == now  # the same answer again
    assert maker.running() == [now]
    again = maker.leave_match(fill, "e", reason="excused")  # either value means the same match
    maker.backfill(again)
    maker.join("f", mu=1500.0)
    maker.start(maker.tick(40))
    (now,) = maker.running()
    assert (now.number, set(now.players)) == (0, {*stayed, "f"})
    maker.finish(fill, side=0)
    assert maker.running() == []
    maker.join_many([*stayed, leaver], mu=1500.0, time=100)


def test_a_match_is_filled_in_a_pool_that_was_saved(tmp_path: Path) -> None:
    maker, match = played()
    maker.leave_match(match, "a")
    maker.save(tmp_path / "pool.podium")
    other = Matchmaker.load(tmp_path / "pool.podium")
    assert other.match(0).left == {"a": "abandon"}
    other.backfill(other.match(0))
    other.join("e", mu=1500.0)
    other = Matchmaker.from_bytes(other.to_bytes())
    other.start(other.tick(9))
    assert [(one.number, "e" in one.players) for one in other.running()] == [(0, True)]


def test_the_request_of_a_match_from_which_more_leave() -> None:
    """The request stays, with more open places; a proposal to it is cancelled."""
    maker, match = played("3v3", "abcdef")
    one, other, *rest = match.sides[0]
    maker.leave_match(match, one)
    maker.backfill(match)
    maker.join("g", mu=1500.0)
    (fill,) = maker.tick(6).matches
    maker.leave_match(match, other)
    assert maker.proposed() == []
    assert maker.waiting().to_frame()["player"].to_list() == ["g"]
    maker.join("h", mu=1500.0)
    (fill,) = maker.tick(7).matches
    assert {"g", "h", *rest} in [set(side) for side in fill.sides]
    maker.start(fill)
    assert len(maker.running()) == 1
    for name in maker.running()[0].players[:-1]:
        maker.leave_match(maker.match(0), name, reason="excused")
    maker.backfill(maker.match(0))
    last = maker.match(0).players[-1]
    maker.leave_match(maker.match(0), last, reason="excused")
    assert len(maker) == 0
    assert maker.running() == []


def test_matches_of_a_ladder_and_free_for_alls_are_filled() -> None:
    ladder = Ladder(Elo())
    for name in "abcde":
        ladder.record_match(name, "z")
    maker = Matchmaker(ladder, "ffa:4", Policy(tolerance=1))
    maker.join_many(list("abcd"), time=0)
    maker.start(maker.tick(1))
    (match,) = maker.running()
    maker.leave_match(match, "c")
    maker.backfill(match)
    maker.join("e")
    maker.start(maker.tick(2))
    assert sorted(maker.match(0).players) == ["a", "b", "d", "e"]


def test_roles_of_a_match_that_is_filled() -> None:
    maker = Matchmaker(Elo(), "2v2: tank, healer", Policy(tolerance=1))
    maker.join_many(list("abcd"), mu=1500.0, roles=["tank", "healer"] * 2, time=0)
    maker.start(maker.tick(1))
    (match,) = maker.running()
    maker.leave_match(match, "a")
    maker.backfill(match)
    maker.join("e", mu=1500.0, roles="healer")
    assert not maker.tick(2).matches
    maker.join("f", mu=1500.0, roles="tank")
    (fill,) = maker.tick(3).matches
    assert "f" in fill.players


def test_fills_that_fail_change_nothing() -> None:
    maker, match = played()
    before = maker.to_bytes()
    with pytest.raises(InputError, match="all places are taken"):
        maker.backfill(match)
    with pytest.raises(InputError, match="'zoe' is not in match 0"):
        maker.leave_match(match, "zoe")
    assert maker.to_bytes() == before
    maker.finish(match, side=0)
    with pytest.raises(InputError, match="match 0 is not being played"):
        maker.backfill(match)


@pytest.mark.parametrize("abandoned", ["rated", "leavers"])
@pytest.mark.parametrize("wins", [False, True])
def test_who_loses_an_abandoned_match_is_a_choice(abandoned: str, wins: bool) -> None:
    ladder, twin = Ladder(Elo()), Ladder(Elo())
    for name in "abcd":
        for one in (ladder, twin):
            one.record_match(name, "z")
    conduct = Conduct(abandoned=abandoned)  # type: ignore[arg-type]
    maker = Matchmaker(ladder, "2v2", Policy(tolerance=1, conduct=conduct))
    maker.join_many(list("abcd"), time=0)
    maker.start(maker.tick(1))
    (match,) = maker.running()
    ours, theirs = match.sides
    maker.leave_match(match, ours[0])
    winner = ours[1] if wins else theirs[0]
    changes = maker.result(match, winner=winner)
    assert maker.result(match, winner=winner) == changes
    ranks = [1, 2] if wins else [2, 1]
    rated = [list(ours[:1]) if abandoned == "leavers" and not wins else list(ours), list(theirs)]
    expected = twin.record(teams=rated, ranks=ranks)
    assert {one.player: one.gain for one in changes} == {one.player: one.gain for one in expected}
    assert maker.running() == []
