"""`Matchmaker.open`: what a call answered is there after a crash, as if nothing had happened."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import Ladder, Matchmaker, Policy, Rename, UnknownPlayerError
from podium.errors import InputError, StateError
from podium.matchmaking import BlockList, Needs, NoRematch, WaitingTime, WinProbabilityGap, WinRateTarget

HERE = Path(__file__).parent
NEW: dict[str, Any] = {"unknown": "newcomer"}


def seen(maker: Matchmaker) -> list[Any]:
    """What is to be seen of a pool. Counters of ticks are those since it was opened, or since a match."""
    counters = maker.counters()
    names = [name for name in vars(counters) if name.startswith(("tickets_", "matches_"))]
    assert len(names) > 6
    counted = {name: getattr(counters, name) for name in names}
    return [maker.waiting().to_frame().rows(), maker.proposed(), maker.running(), counted, maker.clock]


@pytest.mark.compiled
def test_a_killed_game_counts_each_answered_call_once(tmp_path: Path) -> None:
    program = [sys.executable, str(HERE / "killed_game.py"), str(tmp_path), "5", "1"]
    answer = subprocess.run(program, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
def test_a_game_that_is_killed_twenty_times(tmp_path: Path, seed: int) -> None:
    program = [sys.executable, str(HERE / "killed_game.py"), str(tmp_path), "20", str(seed)]
    answer = subprocess.run(program, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("mode", ["1v1", "2v2"])
def test_a_pool_that_is_opened_again_and_again_is_the_pool(mode: str, tmp_path: Path) -> None:
    """At random a pool is left without a word and opened again: a crash between any two calls."""
    folder, draw = tmp_path / "season", random.Random(7)
    twin = Matchmaker(twin_ladder := Ladder("elo"), mode, **NEW)
    ladder = Ladder.open(folder, system="elo", sync=False)
    maker = Matchmaker.open(folder, ladder, mode, **NEW)
    now = 0.0
    for _ in range(300):
        now += draw.random()
        call = draw.choice(["join", "tick", "start", "end"] * 4 + ["party", "leave", "block", "cancel"])
        waiting = [player for (player,) in twin.waiting().to_frame().select("player").rows()]
        for one in (maker, twin):
            state = random.Random(now)
            names = [f"p{state.randrange(40)}" for _ in range(2)]
            try:
                if call == "join":
                    one.join(names[0], time=now, attributes={"map": "moor", "match": "ranked"})
                elif call == "party" and mode == "2v2" and names[0] != names[1]:
                    one.join(names, time=now)
                elif call == "tick":
                    one.tick(now)
                elif call == "leave" and waiting:
                    one.leave(state.choice(waiting))
                elif call == "block" and names[0] != names[1]:
                    one.block(*names)
                elif call == "start":
                    one.start(one.proposed())
                elif call == "cancel" and (found := one.proposed()):
                    one.cancel(found[0], by=found[0].players[0])
                elif call == "end" and (found := one.running()):
                    one.result(state.choice(found), ranks=state.choice([[1, 2], [2, 1], [1, 1]]))
            except InputError:
                pass
        if draw.random() < 0.3:
            maker._pool.log = None  # as if the process had gone
            ladder.close()
            ladder = Ladder.open(folder, sync=False)
            maker = Matchmaker.open(folder, ladder, mode, **NEW)
        mine, theirs = seen(maker), seen(twin)
        for match in (*mine[1], *mine[2]):
            assert match.pool == maker._pool.identity
        assert [(m.number, m.sides) for m in mine[1] + mine[2]] == [
            (m.number, m.sides) for m in theirs[1] + theirs[2]
        ]
        assert (mine[0], mine[3:]) == (theirs[0], theirs[3:])
    assert twin_ladder.n_events > 5
    assert ladder.ratings().equals(twin_ladder.ratings())
    ladder.close()


def test_datetimes_and_the_front_of_the_queue_are_kept(tmp_path: Path) -> None:
    policy, when = Policy(), datetime(2026, 5, 1, 12, tzinfo=UTC)
    with Ladder.open(tmp_path / "season", system="elo") as ladder:
        maker = Matchmaker.open(tmp_path / "season", ladder, "1v1", policy, **NEW)
        for name in ("ann", "bob"):
            maker.join(name, time=when)
        (match,) = maker.tick().matches
        maker.cancel(match, by="ann")
        before = maker.ticket("bob")
    with Ladder.open(tmp_path / "season") as ladder:
        maker = Matchmaker.open(tmp_path / "season", ladder)
        assert maker.ticket("bob") == before
        assert maker.waiting().to_frame()["front"].to_list() == [True]
        assert "ann" not in maker


def test_a_renamed_player_keeps_waiting_under_the_new_name(tmp_path: Path) -> None:
    with Ladder.open(tmp_path / "season", system="elo") as ladder:
        ladder.record_match("ann", "bob")
        maker = Matchmaker.open(tmp_path / "season", ladder)
        maker.join("ann", time=3)
        ladder.adjust(Rename(player="ann", into="anna"))
        maker.join("bob", time=4)
        ladder.adjust(Rename(player="bob", into="bobby"))  # and the process ends before the pool follows
    with Ladder.open(tmp_path / "season") as ladder:
        maker = Matchmaker.open(tmp_path / "season", ladder)
        assert [maker.ticket(name).time for name in ("anna", "bob")] == [3, 4]
        with pytest.raises(UnknownPlayerError):
            maker.join("zoe")


def test_several_pools_have_their_names(tmp_path: Path) -> None:
    with Ladder.open(tmp_path / "season", system="elo") as ladder:
        duel = Matchmaker.open(tmp_path / "season", ladder, name="duel", **NEW)
        teams = Matchmaker.open(tmp_path / "season", ladder, "2v2", name="teams", **NEW)
        duel.join("ann")
        teams.join("bob")
        with pytest.raises(InputError, match="'duel' is already open"):
            Matchmaker.open(tmp_path / "season", ladder, name="duel")
    with Ladder.open(tmp_path / "season") as ladder:
        with pytest.raises(InputError, match="has the mode 2v2, not 1v1"):
            Matchmaker.open(tmp_path / "season", ladder, name="teams")
        assert "ann" in Matchmaker.open(tmp_path / "season", ladder, name="duel")
        assert "bob" in Matchmaker.open(tmp_path / "season", ladder, "2v2", name="teams")


def test_a_pool_is_opened_with_another_policy(tmp_path: Path) -> None:
    """A game changed a number of its policy, and could not open its queue any more."""
    terms = (WinProbabilityGap(), BlockList(), NoRematch(3), Needs())
    before = Policy(terms, 1.0, WinRateTarget(games=2))
    with Ladder.open(tmp_path, system="elo", sync=False) as ladder:
        maker = Matchmaker.open(tmp_path, ladder, policy=before, **NEW)
        for number in range(4):
            maker.join_many(["ann", f"p{number}"])
            maker.start(maker.tick(10.0 * number))
            maker.result(maker.running()[0], winner="ann")
        maker.join("ann")
        maker.join("p1")
        maker.join("dan", needs={"mu": (1, 2)})
    terms = (WinProbabilityGap(), NoRematch(2), Needs(), WaitingTime(0.2))
    after = Policy(terms, 0.9, WinRateTarget(games=3))
    with (
        Ladder.open(tmp_path) as ladder,
        pytest.raises(InputError, match="cannot have this policy: the policy does not use needs"),
    ):
        Matchmaker.open(tmp_path, ladder, policy=Policy((WinProbabilityGap(),)))
    for policy in (after, None):
        with Ladder.open(tmp_path) as ladder:
            maker = Matchmaker.open(tmp_path, ladder, policy=policy)
            assert maker.policy.tolerance == 0.9
            assert [ticket.players for ticket in maker.waiting()] == [("ann",), ("p1",), ("dan",)]
            names, memory = maker._pool.store.names, maker._pool.memory
            ann = names.add("ann")
            met = [names[other] for other in memory.opponents.met[ann].ravel().tolist()]
            assert met == ["p2", "p3"]  # the last two of four games
            assert [found.tolist() for found in memory.wins(np.array([ann]))] == [[2.0], [2]]


def test_a_ladder_elsewhere_or_without_a_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no log"):
        Matchmaker.open(tmp_path, Ladder("elo"))
    with Ladder.open(tmp_path / "season", system="elo") as ladder:
        with pytest.raises(InputError, match="is not the folder of this ladder's log"):
            Matchmaker.open(tmp_path, ladder)
        maker = Matchmaker.open(tmp_path / "season", ladder, **NEW)
    with pytest.raises(InputError, match="is closed"):
        maker.join("ann")
    assert len(maker) == 0


def test_a_crafted_call_is_refused(tmp_path: Path) -> None:
    with Ladder.open(tmp_path / "season", system="elo") as ladder:
        Matchmaker.open(tmp_path / "season", ladder, **NEW)
        values = ("pool", 0, '{"call": "save", "args": ["/tmp/x"], "words": {}}')
        ladder._opened().writer.execute([("INSERT INTO pool_call VALUES (?, ?, ?)", values)])
    ladder = Ladder.open(tmp_path / "season")
    with ladder, pytest.raises(StateError, match="call 0 of the pool: 'save' is not a call"):
        Matchmaker.open(tmp_path / "season", ladder)
