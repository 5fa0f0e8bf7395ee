"""A ladder that renames and merges players under a pool: tickets, matches and memory follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import (
    Elo,
    History,
    InputError,
    Ladder,
    Match,
    Matchmaker,
    Merge,
    Policy,
    Rename,
    Reset,
    SetRating,
    StateError,
    UnknownPlayerError,
)
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import BlockList, NoRematch, WinProbabilityGap

POLICY = Policy((WinProbabilityGap(), NoRematch(1), BlockList()), tolerance=1, target=WinRateTarget(games=2))
NAMES = ("ann", "bob", "cat", "dan")


def pool(*waiting: str, mode: str = "1v1", ladder: Ladder | None = None) -> tuple[Ladder, Matchmaker]:
    """A ladder of four, and a pool of it in which some wait, each a second after the one before."""
    ladder = Ladder(Elo()) if ladder is None else ladder
    for place, name in enumerate(NAMES):
        ladder.adjust(SetRating(player=name, mu=1400 + 100 * place))
    maker = Matchmaker(ladder, mode, POLICY)
    for second, name in enumerate(waiting):
        maker.join(name, time=second)
    return ladder, maker


def seen(maker: Matchmaker) -> list[tuple[Any, ...]]:
    return maker.waiting().to_frame().select("player", "ticket", "mu").rows()


def test_a_ticket_follows_a_rename_and_its_undo() -> None:
    ladder, maker = pool("ann", "bob")
    ladder.adjust(Rename(player="ann", into="eve"))
    assert seen(maker) == [("eve", 0, 1400), ("bob", 1, 1500)]
    assert ("eve" in maker, "ann" in maker, maker.ticket("eve").time) == (True, False, 0.0)
    ladder.adjust(Reset(keep=1))
    ladder.undo()
    ladder.undo()
    assert seen(maker) == [("ann", 0, 1400), ("bob", 1, 1500)]


def test_two_who_swap_names_are_told_apart() -> None:
    ladder, maker = pool("ann", "bob")
    for player, into in (("ann", "x"), ("bob", "ann"), ("x", "bob")):
        ladder.adjust(Rename(player=player, into=into))
    assert seen(maker) == [("bob", 0, 1400), ("ann", 1, 1500)]


def test_a_rename_in_bulk_counts_and_one_that_is_refused_does_not() -> None:
    ladder, maker = pool("ann", "bob")
    events = [{"ranks": {"cat": 1, "dan": 2}}]
    history = History.from_events([Rename(player="ann", into="eve"), *events])
    ladder.update(history)
    assert [row[0] for row in seen(maker)] == ["eve", "bob"]

    def stop(_: int) -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        ladder.update(History.from_events([Rename(player="eve", into="ann"), *events]), progress=stop)
    assert [row[0] for row in seen(maker)] == ["eve", "bob"]


def test_corrections_of_a_log_are_followed(tmp_path: Path) -> None:
    with Ladder.open(tmp_path / "log", system=Elo()) as opened:
        ladder, maker = pool("ann", "bob", ladder=opened)
        ladder.adjust(Rename(player="ann", into="eve"))
        assert [row[0] for row in seen(maker)] == ["eve", "bob"]
        ladder.record_match("cat", "dan", name="final")
        ladder.void("final")
        assert [row[0] for row in seen(maker)] == ["eve", "bob"]
        rename = next(one.number for one in ladder.numbered_events() if isinstance(one.content, Rename))
        ladder.void(rename)
        assert [row[0] for row in seen(maker)] == ["ann", "bob"]
        ladder.update(History.from_events([Merge(player="ann", into="cat")]))
        assert [row[0] for row in seen(maker)] == ["cat", "bob"]


def test_of_two_tickets_of_one_person_the_older_stays_and_the_next_tick_says_so() -> None:
    for player, into in (("ann", "bob"), ("bob", "ann")):
        ladder, maker = pool("ann", "bob", "cat")
        ladder.adjust(Merge(player=player, into=into))
        assert [row[:2] for row in seen(maker)] == [(into, 0), ("cat", 2)]
        tick = maker.tick(time=5)
        assert tick.merged == [("bob",)]
        assert [set(match.players) for match in tick.matches] == [{into, "cat"}]
        assert maker.tick(time=5).merged == []


def test_nobody_is_matched_against_himself() -> None:
    """Neither in a proposal nor by starting one of before the merge."""
    ladder, maker = pool("ann", "bob")
    tick = maker.tick(time=5)
    ladder.adjust(Merge(player="bob", into="ann"))
    maker.start(tick)
    assert maker.running() == []
    assert [row[:2] for row in seen(maker)] == [("ann", 0)]
    with pytest.raises(InputError, match="not proposed"):
        maker.start(tick.matches[0])
    assert maker.tick(time=6).merged == [("bob",)]


def test_a_merged_party_is_one_player_smaller() -> None:
    ladder, maker = pool(mode="2v2")
    maker.join(["ann", "bob"], time=0)
    maker.join_many(["cat", "dan"], time=0)
    assert len(maker.tick(time=0).matches) == 1
    ladder.adjust(Merge(player="ann", into="bob"))
    assert maker.ticket("bob").players == ("bob",)
    assert (len(maker), maker.proposed(), maker.tick(time=1).merged) == (3, [], [])


def test_matches_follow_under_their_old_and_new_names() -> None:
    ladder, maker = pool("ann", "bob")
    tick = maker.tick(time=5)
    (match,) = tick.matches
    ladder.adjust(Rename(player="ann", into="eve"))
    assert maker.match(match.number).players == ("eve", "bob")
    assert match.players == ("ann", "bob")
    maker.start(tick)
    with pytest.raises(InputError, match="'eve' is in match 0, which has not ended"):
        maker.join("eve", time=6)
    maker.finish(match, winner="ann")
    assert won(maker) == {"eve": 1.0, "bob": 0.0}
    maker.join_many(["eve", "bob"], time=6)
    assert not maker.tick(time=6).matches  # they have met, under whatever name


def won(maker: Matchmaker) -> dict[str, float]:
    """The scores of those who have any."""
    names = maker._pool.store.names.to_list()
    wins, played = maker._pool.memory.wins(np.arange(len(names)))
    return {name: wins[i] for i, name in enumerate(names) if played[i]}


def played(maker: Matchmaker, time: int) -> Match:
    (match,) = maker.tick(time=time).matches
    maker.start(match)
    maker.finish(match, side=0)
    return match


def test_memory_and_blocks_of_both_accounts_are_the_persons() -> None:
    ladder, maker = pool("ann", "cat")
    played(maker, 5)
    maker.join_many(["bob", "dan"], time=6)
    played(maker, 6)
    maker.block("ann", "eve")
    ladder.adjust(Merge(player="ann", into="bob"))
    for other in ("cat", "dan"):
        maker.join_many(["bob", other], time=7)
        assert not maker.tick(time=7).matches
        maker.leave("bob")
        maker.leave(other)
    maker.unblock("bob", "eve")
    assert won(maker) == {"bob": 1.0, "cat": 0.0, "dan": 0.0}


def test_an_undone_merge_leaves_the_ticket_with_the_account_that_stays() -> None:
    ladder, maker = pool("ann")
    ladder.adjust(Merge(player="ann", into="bob"))
    ladder.undo()
    assert seen(maker) == [("bob", 0, 1500)]
    ladder.adjust(Merge(player="bob", into="nobody before"))
    assert [row[0] for row in seen(maker)] == ["nobody before"]
    ladder.undo()
    assert [row[0] for row in seen(maker)] == ["bob"]


def test_whom_the_ladder_forgets_waits_on_as_a_newcomer() -> None:
    """Undoing somebody's first event takes them from the ladder and not from the pool, whose file loads."""
    ladder, maker = pool("ann", mode="2v2")
    ladder.record_match("eve", "dan")
    maker.join(["bob", "eve"], time=3)
    assert (seen(maker)[2], maker.why("eve").newcomers) == (("eve", 1, ladder.rating("eve").mu), ())
    ladder.undo()
    for one in (maker, Matchmaker.from_bytes(maker.to_bytes(), ladder)):
        assert seen(one) == [("ann", 0, 1400), ("bob", 1, 1500), ("eve", 1, 1500)]
        assert one.waiting().to_frame()["newcomer"].to_list() == [False, False, True]
        assert (one.why("bob").newcomers, one.why("ann").newcomers) == (("eve",), ())
        assert "because they are not on the ladder: eve." in str(one.why("eve"))
        with pytest.raises(UnknownPlayerError, match="has no player 'zoe'"):
            one.join("zoe")
    content = maker.to_bytes()
    ladder.record_match("eve", "dan")
    assert maker.waiting().to_frame()["newcomer"].to_list() == [False] * 3
    maker = Matchmaker.from_bytes(content, ladder)
    assert maker.waiting().to_frame()["newcomer"].to_list() == [False] * 3
    content = maker.to_bytes()  # by now the pool takes her for somebody whom the ladder knows
    ladder.undo()
    with pytest.raises(StateError, match="the ladder has no player 'eve'"):
        Matchmaker.from_bytes(content, ladder)
    assert len(Matchmaker.from_bytes(content, ladder, unknown="newcomer")) == 3


def test_a_rename_in_the_middle_of_a_tick_does_not_make_a_newcomer() -> None:
    """Ratings are looked up under the name that the ladder has now."""
    ladder, maker = pool("ann", "bob", mode="ffa:3")
    maker.join("cat", time=3)
    source, look = maker._pool.source, maker._pool.source.ratings

    def rename_first(*given: Any) -> Any:
        ladder.adjust(Rename(player="cat", into="eve"))
        return look(*given)

    source.ratings = rename_first  # type: ignore[method-assign]
    (match,) = maker.tick(time=4).matches
    assert match.chances == pytest.approx(tuple(chance(ladder, name) for name in ("ann", "bob", "eve")))
    assert maker.proposed()[0].players == ("ann", "bob", "eve")


def chance(ladder: Ladder, name: str) -> float:
    names = ["ann", "bob", "eve"]
    return float(ladder.rank_probabilities(names).matrix[names.index(name), 0])


def test_blanks_around_a_name_are_the_same_player() -> None:
    """A ladder tidied names and its pool did not: "ann " had a ticket, and another rating."""
    _, maker = pool("ann")
    with pytest.raises(InputError, match="has a ticket"):
        maker.join("ann ", time=9)
    assert " ann" in maker
    assert True not in maker
    assert maker.ticket("ann\t").players == ("ann",)
    maker.join("bob ", time=9)
    assert maker.why(" bob", time=9).available == 1
    maker.block("ann ", " cat")
    assert maker.cooldown("ann ") == 0.0
    (match,) = maker.tick(time=10).matches
    assert [one.accepted for one in (maker.accept(match, "ann "), maker.accept(match, " bob"))][1] != ()
    changes = maker.result(match, winner="ann\u00a0")
    assert [(change.player, change.rank) for change in changes] == [("ann", 1), ("bob", 2)]
    maker.join_many(["cat ", "dan\u200b"], time=11)
    assert [ticket.players for ticket in maker.waiting()] == [("cat",), ("dan",)]
    maker.leave("cat ")
    maker.forget("ann ")
    for empty in ("", " ", None, 1.5, True):
        with pytest.raises(InputError, match="must be a string or an int"):
            maker.join(empty, time=12)  # type: ignore[arg-type]


def test_an_older_pool_has_names_with_blanks() -> None:
    maker = Matchmaker("elo")
    maker._pool.store.names.add("ann ")
    maker.join("ann ", mu=1500.0)
    maker.join("ann", mu=1600.0)
    again = Matchmaker.from_bytes(maker.to_bytes())
    assert again.ticket("ann ").players == ("ann ",)
    again.leave("ann ")
    assert [ticket.players for ticket in again.waiting()] == [("ann",)]
