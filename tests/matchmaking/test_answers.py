"""Players accept and decline proposed matches, in time or not, and wait after declining too often."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from podium import (
    Conduct,
    CooldownError,
    Elo,
    InputError,
    Ladder,
    Match,
    Matchmaker,
    ParameterError,
    Policy,
    Rename,
)

STRICT = Policy(tolerance=1, conduct=Conduct(answer_within=20, declining=(0, 60, 300)))


def pool(*names: str, mode: str = "1v1", policy: Policy = STRICT) -> Matchmaker:
    maker = Matchmaker(Elo(), mode, policy)
    for second, name in enumerate(names):
        maker.join(name, mu=1500.0, time=second)
    return maker


def only(maker: Matchmaker, time: float | None = None) -> Match:
    (match,) = maker.tick(time).matches
    return match


def rows(maker: Matchmaker) -> list[Any]:
    return maker.waiting().to_frame().select("player", "waited", "front").rows()


def test_a_match_knows_when_it_was_proposed_and_started() -> None:
    maker = pool("ann", "bob")
    match = only(maker, 10)
    assert (match.proposed, match.deadline, match.started) == (10.0, 30.0, None)
    maker.tick(12)
    maker.start(match)
    now = maker.match(match.number)
    assert (now.proposed, now.started) == (10.0, 12.0)
    assert maker.running()[0].started == 12.0


def test_times_of_matches_wait_for_the_clock() -> None:
    """A pool without a time dates its matches when it is told one."""
    maker = Matchmaker(Elo(), policy=STRICT)
    maker.join_many(["ann", "bob", "cat", "dan"], mu=[1500, 1500, 1600, 1600])
    first, second = maker.tick().matches
    maker.start(first)
    assert (first.proposed, first.deadline, maker.match(0).started) == (None, None, None)
    maker.decline(second, second.players[0])
    maker.pardon(second.players[0])
    maker.tick(50)
    assert (maker.match(0).proposed, maker.match(0).started) == (50.0, 50.0)


def test_a_match_starts_when_all_have_accepted() -> None:
    maker = pool("ann", "bob")
    match = only(maker, 10)
    assert maker.accept(match, "bob", time=11).accepted == ("bob",)
    assert maker.accept(match, "bob", time=12).started is None
    done = maker.accept(match, "ann", time=13)
    assert (done.started, set(done.accepted)) == (13.0, {"ann", "bob"})
    assert maker.accept(match, "ann", time=14).started == 13.0  # the same answer again
    assert len(maker) == 0
    assert [one.number for one in maker.running()] == [match.number]
    assert maker.counters().matches_started == 1
    with pytest.raises(InputError, match="is not in match"):
        maker.accept(match, "cat")


def test_who_declines_leaves_and_the_others_go_first() -> None:
    maker = pool("ann", "bob", "cat", "dan", "eve", mode="2v2")
    match = only(maker, 10)
    out = ({"ann", "bob", "cat", "dan", "eve"} - set(match.players)).pop()
    one, other, *rest = match.players
    maker.accept(match, rest[0], time=11)
    maker.decline(match, one, time=12)
    assert one not in maker
    assert {name for name, _, front in rows(maker) if front} == {other, *rest}
    assert {name: waited for name, waited, _ in rows(maker)} == {
        name: 12.0 - ["ann", "bob", "cat", "dan", "eve"].index(name) for name in (other, *rest, out)
    }
    maker.decline(match, other, time=13)  # a second one, who answers after the match has ended
    assert {name for name, *_ in rows(maker)} == {out, *rest}
    maker.join("fay", mu=1500.0, time=14)
    again = only(maker, 15)
    assert {out, *rest, "fay"} == set(again.players)
    assert again.accepted == ()
    with pytest.raises(InputError, match="not proposed"):
        maker.decline(match, rest[0])


def test_several_decline_at_once_and_a_party_leaves_whole() -> None:
    maker = pool(mode="2v2")
    maker.join(["ann", "bob"], mu=[1500.0, 1500.0], time=0)
    for name in ("cat", "dan"):
        maker.join(name, mu=1500.0, time=0)
    match = only(maker, 1)
    maker.decline(match, ["bob", "cat"])
    assert [name for name, *_ in rows(maker)] == ["dan"]
    maker.pardon("bob")
    maker.join("ann", mu=1500.0)  # only those who declined are counted
    assert maker.counters().matches_cancelled == 1
    assert maker.counters().tickets_left == 2


def test_silence_until_the_deadline_is_a_decline() -> None:
    maker = pool("ann", "bob", "cat", "dan")
    first, second = maker.tick(10).matches
    maker.accept(first, first.players[0], time=29)
    maker.accept(second, second.players[1], time=30)
    maker.accept(second, second.players[0], time=30)
    assert maker.tick(30).lapsed == {}
    with pytest.raises(InputError, match="deadline of match 0 has passed"):
        maker.accept(first, first.players[1], time=31)
    tick = maker.tick(31)
    assert tick.lapsed == {first.number: (first.players[1],)}
    assert [(name, front) for name, _, front in rows(maker)] == [(first.players[0], True)]
    assert maker.counters().matches_cancelled == 1


def test_nobody_who_is_put_back_misses_the_tick() -> None:
    maker = pool("ann", "bob")
    match = only(maker, 10)
    maker.accept(match, "ann")
    maker.join("cat", mu=1500.0, time=30)
    tick = maker.tick(31)
    assert [set(one.players) for one in tick.matches] == [{"ann", "cat"}]
    assert tick.lapsed == {match.number: ("bob",)}


def test_cooldowns_grow_and_are_forgotten() -> None:
    policy = Policy(tolerance=1, conduct=Conduct(declining=(0, 60, 300), forgotten_after=1000))
    maker = pool("bob", policy=policy)
    now, waits = 10.0, []
    for _ in range(4):
        maker.join("ann", mu=1500.0, time=now)
        match = only(maker, now)
        maker.decline(match, "ann")
        waits.append(maker.cooldown("ann"))
        if waits[-1]:
            with pytest.raises(CooldownError, match="'ann' declined") as refusal:
                maker.join(["ann"], mu=1500.0, time=now + 1)
            assert (refusal.value.player, refusal.value.seconds) == ("ann", waits[-1] - 1)
        now += waits[-1]
    assert waits == [0, 60, 300, 300]
    assert (maker.cooldown("bob"), maker.cooldown("stranger"), maker.cooldown("ann", now)) == (0, 0, 0)
    maker.join("ann", mu=1500.0, time=now + 1000)
    only(maker)
    maker.leave("ann")  # in a proposal this is to decline
    assert maker.cooldown("ann") == 0


def test_an_operator_who_cancels_or_pardons_starts_no_cooldown() -> None:
    maker = pool("ann", "bob", policy=Policy(tolerance=1, conduct=Conduct(declining=(60,))))
    maker.cancel(only(maker, 1), by="ann")
    assert maker.cooldown("ann") == 0
    maker.join("ann", mu=1500.0)
    maker.decline(only(maker), "ann")
    assert maker.cooldown("ann") == 60
    maker.pardon("ann")
    assert maker.cooldown("ann") == 0
    maker.join("ann", mu=1500.0)
    maker.leave("ann")  # who only waits has declined nothing
    assert maker.cooldown("ann") == 0
    assert "ann" not in maker


def test_a_refused_party_names_the_player_and_changes_nothing() -> None:
    maker = pool("ann", "bob", policy=Policy(tolerance=1, conduct=Conduct(declining=(60,))))
    maker.decline(only(maker, 1), "ann")
    before = maker.to_bytes()
    with pytest.raises(CooldownError, match="'ann'"):
        maker.join_many(["cat", "ann"], mu=[1500.0, 1500.0])
    assert maker.to_bytes() == before


def test_newcomers_of_a_running_match_answer_alone() -> None:
    maker = pool(mode="2v2")
    maker.backfill([["ann"], ["bob", "cat"]], mu=[1500.0] * 3, time=0)
    maker.join("dan", mu=1500.0)
    match = only(maker, 1)
    with pytest.raises(InputError, match="playing already"):
        maker.decline(match, "ann")
    maker.decline(match, "dan")
    assert {"ann", "bob", "cat"} == {name for name in ["ann", "bob", "cat", "dan"] if name in maker}
    maker.join("dan", mu=1500.0)
    again = only(maker, 2)
    assert set(maker.match(again.number).accepted) == {"ann", "bob", "cat"}
    assert maker.accept(again, "dan").started == 2.0


def test_answers_and_cooldowns_are_saved(tmp_path: Path) -> None:
    maker = pool("ann", "bob", "cat", "dan")
    first, second = maker.tick(10).matches
    maker.accept(first, first.players[0])
    maker.decline(second, "cat")
    maker.join("cat", mu=1500.0)
    maker.decline(only(maker), "cat")
    maker.save(tmp_path / "pool.podium")
    other = Matchmaker.load(tmp_path / "pool.podium")
    assert other.policy == maker.policy
    assert other.match(0).accepted == maker.match(0).accepted == (first.players[0],)
    assert other.match(0).deadline == 30.0
    assert other.cooldown("cat") == 60.0
    other.decline(maker.match(0), first.players[0])
    assert maker.tick(31).lapsed == {0: (first.players[1],)}


def test_a_pool_of_an_older_version_loads() -> None:
    maker = Matchmaker.load(Path(__file__).parent / "pool_of_format_1.podium")
    assert [one.number for one in maker.running()] == [0]
    assert [one.number for one in maker.proposed()] == [2, 3]
    assert (maker.match(2).proposed, maker.match(2).accepted, maker.match(0).started) == (None, (), None)
    assert len(maker) == 12
    assert maker.policy.conduct == Conduct()
    for name in maker.match(2).players:
        done = maker.accept(maker.match(2), name, time=130)
    assert done.started == 130.0
    assert Matchmaker.from_bytes(maker.to_bytes()).match(2) == done


def test_a_renamed_player_keeps_answer_and_cooldown() -> None:
    ladder = Ladder(Elo())
    for name in ("ann", "bob", "cat"):
        ladder.record_match(name, "zoe")
    policy = Policy(tolerance=1, conduct=Conduct(declining=(60,)))
    maker = Matchmaker(ladder, policy=policy)
    maker.join_many(["ann", "bob"], time=0)
    match = only(maker, 1)
    maker.accept(match, "ann")
    ladder.adjust(Rename(player="ann", into="anna"))
    assert maker.match(match.number).accepted == ("anna",)
    maker.decline(match, "bob")
    ladder.adjust(Rename(player="bob", into="bobby"))
    with pytest.raises(CooldownError, match="'bobby'"):
        maker.join("bobby")


def test_players_with_a_cooldown_are_not_forgotten() -> None:
    maker = Matchmaker(Elo(), policy=Policy(tolerance=1, conduct=Conduct(declining=(60,))), remembered=2)
    maker.join_many(["ann", "bob"], mu=[1500.0, 1500.0], time=0)
    maker.decline(only(maker, 1), "ann")
    for i in range(20):
        maker.join(f"p{i}", mu=1500.0)
        maker.leave(f"p{i}")
    assert maker.cooldown("ann") == 60.0


def test_datetimes() -> None:
    start = datetime(2026, 5, 1)
    maker = Matchmaker(Elo(), policy=STRICT)
    maker.join_many(["ann", "bob"], mu=[1500.0, 1500.0], time=start)
    match = only(maker, start)  # type: ignore[arg-type]
    maker.accept(match, "ann", time=start + timedelta(seconds=19))
    assert maker.tick(start + timedelta(seconds=21)).lapsed == {0: ("bob",)}


def test_conduct_in_a_policy_file() -> None:
    assert Policy.from_toml(STRICT.to_toml()) == STRICT
    assert "conduct" not in Policy().to_toml()
    read = Policy.from_toml("[conduct]\nanswer_within = 15\nleaving = [300, 1800]")
    assert read.conduct == Conduct(answer_within=15, leaving=(300, 1800))
    with pytest.raises(ParameterError, match="mine: conduct: answer_within is 0"):
        Policy.from_toml("[conduct]\nanswer_within = 0", source="mine")
    with pytest.raises(ParameterError, match="conduct has no"):
        Policy.from_toml("[conduct]\nwithin = 3")
    with pytest.raises(ParameterError, match="the conduct is 3"):
        Policy(conduct=3)  # type: ignore[arg-type]
