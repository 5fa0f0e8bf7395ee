"""The life of tickets and matches: proposed, started, cancelled; ratings; what is refused changes nothing."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

import podium
from podium import Elo, Glicko, InputError, Matchmaker, OrderError, ParameterError, Policy, UnknownPlayerError
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import Latency, NoRematch, SameAttribute


def duel(**options: Any) -> tuple[Matchmaker, podium.Match]:
    """A pool of two and the match proposed to them."""
    maker = Matchmaker(Elo(), **options)
    maker.join_many(["ann", "bob"], mu=[1500, 1510], time=[0, 1])
    return maker, maker.tick(time=2).matches[0]


def test_a_proposal_and_its_start() -> None:
    maker, match = duel()
    assert match.sides == (("ann",), ("bob",))
    assert match.players == ("ann", "bob")
    assert match.waited == (2.0, 1.0)
    assert (len(maker), "ann" in maker, maker.ticket("ann").match) == (2, True, match.number)
    assert maker.waiting().to_frame().height == 0
    assert not maker.tick(time=3).matches
    maker.start(match)
    assert (len(maker), "ann" in maker) == (0, False)
    for again in (maker.start, maker.cancel):
        with pytest.raises(InputError, match=f"match {match.number} is not proposed"):
            again(match)
    maker.finish(match, winner="ann")
    maker.join("ann", mu=1500, time=9)
    assert maker.ticket("ann").number == 2


def test_cancelling_puts_the_others_back_at_the_front() -> None:
    maker, match = duel()
    maker.cancel(match, by="ann")
    assert "ann" not in maker
    assert maker.waiting().to_frame().select("player", "waited", "front").rows() == [("bob", 1.0, True)]
    with pytest.raises(InputError, match="not proposed"):
        maker.start(match)
    # Two newcomers would be better for each other; who was put back is served first.
    maker.join_many(["cat", "dan", "eve"], mu=[1520, 1520, 1800], time=3)
    assert {m.players for m in maker.tick(time=3).matches} in ({("bob", "cat")}, {("bob", "dan")})


def test_cancelling_by_nobody_puts_everybody_back() -> None:
    maker, match = duel()
    maker.cancel(match)
    assert maker.waiting().to_frame()["front"].to_list() == [True, True]
    assert maker.tick(time=3).matches[0].number == match.number + 1


def test_leaving_a_proposal_cancels_it() -> None:
    maker, match = duel()
    maker.leave("bob")
    assert maker.waiting().to_frame().select("player", "front").rows() == [("ann", True)]
    with pytest.raises(InputError, match="not proposed"):
        maker.cancel(match)


def test_several_matches_start_together_or_not_at_all() -> None:
    maker = Matchmaker(Elo())
    maker.join_many(list("abcdef"), mu=[1, 1, 500, 500, 900, 900], time=0)
    matches = list(maker.tick(time=0).matches)
    maker.cancel(matches[1])
    with pytest.raises(InputError, match=f"match {matches[1].number} is not proposed"):
        maker.start(matches)
    with pytest.raises(InputError, match="appears twice"):
        maker.start([matches[0], matches[0]])
    assert len(maker) == 6
    maker.start([matches[0], matches[2]])
    assert len(maker) == 2


def test_of_a_tick_those_start_that_are_still_proposed() -> None:
    maker = Matchmaker(Elo(), policy=Policy(terms=(*Policy().terms, NoRematch(1))))
    maker.join_many(list("abcdef"), mu=[1, 1, 500, 500, 900, 900], time=0)
    tick = maker.tick(time=0)
    maker.leave("c")
    maker.start(tick)
    assert (len(maker), "d" in maker) == (1, True)
    maker.start(tick.matches)  # nothing is left of it
    assert len(maker) == 1
    maker.join_many(list("abef"), mu=[1, 1, 900, 900], time=1, playing=True)
    assert not maker.tick(time=1).matches  # they have met
    with pytest.raises(InputError, match="another pool"):
        Matchmaker(Elo()).start(tick)


def test_the_matches_of_a_tick_as_a_table() -> None:
    maker = Matchmaker(Elo())
    maker.join_many(list("abcd"), mu=[1, 1, 500, 500], time=0)
    tick = maker.tick(time=0)
    assert tick.matches.to_frame().select("match", "side", "player").rows() == [
        (0, 0, "a"),
        (0, 1, "b"),
        (1, 0, "c"),
        (1, 1, "d"),
    ]


def test_a_side_of_the_table_is_the_side_that_finish_takes() -> None:
    maker = Matchmaker(Elo(), mode="2v2")
    maker.join_many(list("abcd"), mu=1500, time=0)
    tick = maker.tick(time=0)
    maker.start(tick)
    side = tick.matches.to_frame().filter(player="a")["side"].item()
    assert "a" in tick.matches[0].sides[side]
    maker.finish(maker.match(0), side=side)


def test_a_ticket_whose_time_is_up_leaves() -> None:
    maker = Matchmaker(Elo(), timeout=60)
    maker.join("ann", mu=1500, time=0)
    maker.join("bob", mu=3000, time=30)
    assert maker.tick(time=59).expired == []
    tick = maker.tick(time=60)
    assert (tick.expired, tick.waiting) == ([("ann",)], 1)
    assert "ann" not in maker


def test_recent_games_change_whom_one_meets() -> None:
    """After five wins one wants a stronger opponent: the paper's pair of a winner and a loser."""
    policy = Policy(target=WinRateTarget(games=5), tolerance=0.3)
    maker = Matchmaker(Elo(), policy=policy)
    maker.join("winner", mu=1500, recent="WWWWW")
    maker.join("loser", mu=1900, recent=[0, 0, 0, 0, 0])
    maker.join("equal", mu=1500, recent="WLDLW")
    assert {match.players for match in maker.tick().matches} == {("winner", "loser")}


def test_finished_matches_are_remembered_as_recent_games() -> None:
    maker, match = duel(policy=Policy(target=WinRateTarget(games=2)))
    with pytest.raises(InputError, match="not being played"):
        maker.finish(match, winner="ann")
    maker.start(match)
    maker.finish(match, winner="ann")
    with pytest.raises(InputError, match="not being played"):
        maker.finish(match, winner="ann")
    waiting = maker._pool.memory.wins(np.array([0, 1]))
    assert [column.tolist() for column in waiting] == [[1.0, 0.0], [1, 1]]


def test_somebody_in_a_match_joins_only_by_saying_so() -> None:
    maker, match = duel()
    maker.start(match)
    for call in (lambda: maker.join("ann", mu=1500), lambda: maker.join_many(["cat", "ann"], mu=1500)):
        with pytest.raises(
            InputError, match=r"'ann' is in match 0, which has not ended\n  hint: finish the match first"
        ):
            call()
    assert len(maker) == 0
    maker.join("ann", mu=1500, playing=True)
    maker.leave("ann")
    maker.finish(match, winner="ann")
    maker.join("ann", mu=1500)


def test_a_match_ends_for_those_who_are_still_in_it() -> None:
    """Whoever left for another match has the result of that one."""
    maker, match = duel(policy=Policy(target=WinRateTarget(games=2), tolerance=1))
    maker.start(match)
    maker.join("ann", mu=1500, time=3, playing=True)
    maker.join("cat", mu=1500, time=3)
    (other,) = maker.tick(time=4).matches
    maker.start(other)
    assert maker.running() == [match, other]
    maker.finish(match, winner="bob")
    wins, played = maker._pool.memory.wins(
        np.array([maker._pool.store.names.index_of[name] for name in ("ann", "bob")])
    )
    assert (wins.tolist(), played.tolist()) == ([0.0, 1.0], [0, 1])
    with pytest.raises(InputError, match="not being played"):
        maker.finish(match, winner="bob")
    maker.finish(other, void=True)
    assert maker.running() == []
    assert not maker._pool.memory.wins(np.array([maker._pool.store.names.index_of["cat"]]))[1][0]


def test_a_match_of_another_pool_is_refused() -> None:
    (maker, match), (other, theirs) = duel(), duel()
    assert match == theirs
    for call in (maker.start, maker.cancel):
        with pytest.raises(InputError, match="another pool proposed match 0"):
            call(theirs)
    maker.start(match)
    with pytest.raises(InputError, match="another pool proposed match 0"):
        maker.finish(theirs, winner="ann")
    assert other.proposed() == [theirs]


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"void": True, "draw": True},
        {"void": True, "side": 0},
        {"winner": "cat"},
        {"winner": "ann", "draw": True},
        {"scores": [1]},
        {"scores": [2, -1]},
        {"winner": 2},
        {"winner": 0},
        {"side": 2},
        {"side": -1},
        {"side": True},
        {"side": "ann"},
        {"side": 0, "winner": "ann"},
    ],
)
def test_results_that_are_refused(result: dict[str, Any]) -> None:
    maker, match = duel()
    maker.start(match)
    with pytest.raises(InputError):
        maker.finish(match, **result)
    maker.finish(match, scores=[0.5, 0.5])


def test_a_winner_is_a_name_and_a_side_a_number() -> None:
    """An int names a player here as everywhere."""
    for result in ({"winner": 1}, {"winner": "1"}, {"side": 0}):
        maker = Matchmaker(Elo(), policy=Policy(target=WinRateTarget(games=2)))
        maker.join_many([1, 0], mu=1500, time=0)  # type: ignore[list-item]
        (match,) = maker.tick(0).matches
        assert match.sides == (("1",), ("0",))
        maker.start(match)
        maker.finish(match, **result)  # type: ignore[arg-type]
        assert maker._pool.memory.wins(np.array([0, 1]))[0].tolist() == [1.0, 0.0]


# ---------------------------------------------------------------------- ratings


def test_ratings_are_those_of_the_time_also_where_a_tick_tells_none() -> None:
    """Deviations grow while nobody plays; a datetime says for how long."""
    start, later = datetime(2026, 5, 1, tzinfo=UTC), datetime(2027, 5, 1, tzinfo=UTC)
    ladder = podium.Ladder(Glicko())
    ladder.record_match("ann", "bob", time=start)
    seen = []
    for told in (None, later):
        maker = Matchmaker(ladder, policy=Policy(tolerance=1))
        maker.join_many(["ann", "bob"], time=later)
        seen.append((maker.waiting().to_frame()["sigma"].to_list(), maker.tick(told).matches[0].chances))
    assert seen[0] == seen[1]
    assert seen[0][0][0] == ladder.rating("ann", at=later).sigma > ladder.rating("ann").sigma


def test_a_ladder_says_the_ratings_of_the_moment() -> None:
    ladder = podium.Ladder(Glicko())
    for name, mu in (("ann", 1500), ("bob", 1510), ("cat", 2200)):
        ladder.adjust(podium.SetRating(player=name, mu=mu, sigma=50))
    maker = Matchmaker(ladder, policy=Policy(tolerance=0.02))
    maker.join_many(["ann", "bob", "cat"], time=0)
    ladder.adjust(podium.SetRating(player="bob", mu=2200, sigma=50))
    (match,) = maker.tick(time=1).matches
    assert match.players == ("bob", "cat")
    assert match.chances[0] == ladder.expected_score("bob", "cat")


def test_players_a_ladder_does_not_know() -> None:
    ladder = podium.Ladder(Glicko())
    ladder.record_match("ann", "bob")
    maker = Matchmaker(ladder)
    with pytest.raises(UnknownPlayerError, match="has no player 'anne'\n  hint: did you mean 'ann'"):
        maker.join("anne", time=0)
    assert len(maker) == 0
    maker = Matchmaker(ladder, unknown="newcomer", policy=Policy(tolerance=1))
    maker.join_many(["ann", "new"], time=0)
    (match,) = maker.tick(time=0).matches
    assert match.chances[0] == pytest.approx(ladder.expected_score("ann", "new"))
    ladder.record_match("new", "ann")
    maker.cancel(match)
    (match,) = maker.tick(time=0).matches
    assert match.chances[0] == ladder.expected_score("ann", "new")


def test_a_player_renumbered_by_undo_keeps_the_name() -> None:
    ladder = podium.Ladder(Elo())
    maker = Matchmaker(ladder, unknown="newcomer", policy=Policy(tolerance=1))
    ladder.record_match("ann", "bob")
    maker.join_many(["ann", "bob"], time=0)
    ladder.undo()
    ladder.record_match("bob", "ann")
    (match,) = maker.tick(time=0).matches
    assert match.chances[0] == ladder.expected_score("ann", "bob") < 0.5


def test_the_system_needs_ratings() -> None:
    maker = Matchmaker(Glicko())
    for wrong in (
        {},
        {"mu": 1500},
        {"mu": math.nan, "sigma": 50},
        {"mu": 1500, "sigma": math.inf},
        {"mu": 1500, "sigma": -1},
        {"mu": [1, 2], "sigma": 50},
        {"mu": "high", "sigma": 50},
    ):
        with pytest.raises(InputError):
            maker.join("ann", time=0, **wrong)
    assert len(maker) == 0
    with pytest.raises(InputError, match="come from the ladder"):
        Matchmaker(podium.Ladder(Elo()), unknown="newcomer").join("ann", mu=1500)


# ---------------------------------------------------------------------- what is refused changes nothing


def test_joins_that_are_refused_change_nothing() -> None:
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500, time=10, attributes={"input": "pad", "level": 3}, needs={"input": ["pad"]})
    before = (maker.waiting().to_frame(), maker.clock, maker.ticket("ann"), repr(maker))
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"players": ["bob", "ann"]}, InputError, "'ann' already has a ticket"),
        ({"players": ["bob", "bob"]}, InputError, "'bob' appears twice"),
        ({"players": ["bob", 1.5]}, InputError, "must be a string"),
        ({"players": "bob"}, InputError, "give several players as a list"),
        ({"players": ["bob", []]}, InputError, "an empty party"),
        ({"players": [["bob", "cat"]], "mu": [1, 2]}, InputError, "party of 2 is larger than a team of 1v1"),
        ({"time": 9}, OrderError, "runs backwards"),
        ({"time": math.nan}, InputError, "not a time"),
        ({"time": "noon"}, InputError, "not a time"),
        ({"time": "11"}, InputError, "not a time"),
        ({"time": ["11", "12"]}, InputError, "not a time"),
        ({"time": True}, InputError, "not a time"),
        ({"players": ["bob", ""]}, InputError, "must be a string"),
        ({"players": ["bob", True]}, InputError, "must be a string"),
        ({"players": ["bob", {"cat", "dan"}]}, InputError, "a party must be a list of names"),
        ({"time": [10, 11, 12]}, InputError, "3 times for 2"),
        ({"mu": [1500, math.nan]}, InputError, "mu is not finite"),
        ({"mu": [1, 2, 3]}, InputError, "3 numbers for 2"),
        ({"attributes": {"input": ["pad"]}}, InputError, "per ticket"),
        ({"attributes": {"input": [1, 2]}}, InputError, "is a text for others"),
        ({"attributes": {"level": ["one", "two"]}}, InputError, "is a number for others"),
        ({"attributes": {"level": [1, math.inf]}}, InputError, "infinite"),
        ({"attributes": {"level": [1, [2]]}}, InputError, "text or a number"),
        ({"attributes": {"fresh": ["a", 1]}}, InputError, "is a text for others"),
        ({"attributes": {"mu": [1, 2]}}, InputError, "every ticket already has"),
        ({"attributes": {"": [1, 2]}}, InputError, "must be a text"),
        ({"needs": {"input": [[], "pad"]}}, InputError, "no player can meet"),
        ({"needs": {"level": [(3, 1), None]}}, InputError, "no player can meet"),
        ({"needs": {"level": [(1, math.nan), None]}}, InputError, "the need of 'level'"),
        ({"needs": {"level": [{"a": 1}, None]}}, InputError, "the need of 'level'"),
        ({"needs": {"level": ["high", None]}}, InputError, "is a number for others"),
        ({"needs": {"input": [(1, 2), None]}}, InputError, "is a text"),
        ({"needs": {"fresh": [(1, 2), "high"]}}, InputError, "a text for some, and a range for others"),
        (
            {"needs": {"fresh": [(1, 2), None]}, "attributes": {"fresh": ["a", "b"]}},
            InputError,
            "is a text for some tickets, and a number for others",
        ),
        (
            {"needs": {"fresh": ["a", None]}, "attributes": {"fresh": [1, 2]}},
            InputError,
            "is a text for some tickets, and a number for others",
        ),
        ({"needs": {"mu": ["high", None]}}, InputError, "the need of 'mu'"),
        ({"needs": {"waited": [(1, 2), None]}}, InputError, "not 'waited'"),
        ({"latency": {"eu": 20}}, InputError, r"does not use latency\n  hint: give it the term Latency"),
        ({"recent": ["W", "L"]}, InputError, "does not use recent games"),
    ]
    for change, kind, said in refused:
        arguments: dict[str, Any] = {"players": ["bob", "cat"], "mu": [1500, 1600], "time": 10} | change
        with pytest.raises(kind, match=said):
            maker.join_many(**arguments)
        after = (maker.waiting().to_frame(), maker.clock, maker.ticket("ann"), repr(maker))
        assert before[0].equals(after[0])
        assert before[1:] == after[1:]
    maker.join_many(["bob", "cat"], mu=[1500, 1600], time=10, attributes={"fresh": [1, 2]})


def test_other_refusals() -> None:
    maker, match = duel()
    with pytest.raises(OrderError, match="runs backwards: 1 s after 2 s"):
        maker.tick(time=1)
    with pytest.raises(InputError, match="one time"):
        maker.tick(time=[3, 4])  # type: ignore[arg-type]
    with pytest.raises(UnknownPlayerError, match="'zoe' has no ticket"):
        maker.leave("zoe")
    with pytest.raises(InputError, match="'zoe' is not in match 0"):
        maker.cancel(match, by="zoe")
    with pytest.raises(InputError, match="match 7 is neither proposed nor played"):
        maker.start(7)
    for wrong in ("ann", None, 7.0, [None]):
        with pytest.raises(InputError, match="is not a match"):
            maker.start(wrong)  # type: ignore[arg-type]
    for call in (maker.finish, maker.cancel):
        with pytest.raises(InputError, match="None is not a match"):
            call(None)  # type: ignore[operator]
    for nobody in (None, True, "", 1.5):
        for ask in (maker.leave, maker.ticket):
            with pytest.raises(InputError, match="must be a string"):
                ask(nobody)  # type: ignore[arg-type]
        assert nobody not in maker
    with pytest.raises(InputError, match="themselves"):
        maker.block("ann", "ann")
    with pytest.raises(InputError, match="has not blocked"):
        maker.unblock("ann", "zoe")
    with pytest.raises(InputError, match="this block does not exist"):
        maker.unblock("ann", "bob")
    assert maker.ticket("ann").match == match.number
    with pytest.raises(InputError, match="does not use blocks"):
        Matchmaker(Elo(), policy=Policy(terms=())).block("ann", "bob")
    for policy, said in (
        (Policy(terms=(Latency(50),)), "latency"),
        (Policy(terms=(SameAttribute("map"),)), "'map'"),
    ):
        with pytest.raises(InputError, match=said):
            Matchmaker(Elo(), policy=policy).join("ann", mu=1)
    with pytest.raises(InputError, match="below 0"):
        Matchmaker(Elo(), policy=Policy(terms=(Latency(50),))).join("ann", mu=1, latency={"eu": -1})
    near = Matchmaker(Elo(), policy=Policy(terms=(Latency(50),)))
    for far in ({"eu": 500}, {"eu": math.nan, "us": 51}, {}):
        with pytest.raises(InputError, match="latency" if not far else "no region is within 50 ms of 'bob'"):
            near.join_many(["bob"], mu=1, latency=far)
    with pytest.raises(InputError, match="of 'cat', so no match is possible"):
        near.join_many(["bob", "cat"], mu=1, latency={"eu": [50, 500], "us": [500, math.nan]})
    assert len(near) == 0
    near.join("bob", mu=1, latency={"eu": 50})
    with pytest.raises(InputError, match="'X' in recent games 'WXL' is not a result"):
        Matchmaker(Elo(), policy=Policy(target=WinRateTarget())).join("ann", mu=1, recent="WXL")


def test_pools_that_are_refused() -> None:
    for wrong in (
        {"mode": "3w4"},
        {"timeout": 0},
        {"timeout": math.nan},
        {"timeout": "x"},
        {"timeout": True},
        {"seed": -1},
        {"seed": "x"},
        {"seed": True},
        {"seed": 1.5},
        {"unknown": "guess"},
        {"effort": "huge"},
    ):
        with pytest.raises(ParameterError):
            Matchmaker(Elo(), **wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="a ladder, a client or a system"):
        Matchmaker(7)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="policy"):
        Matchmaker(Elo(), policy="strict")  # type: ignore[arg-type]


def test_times_may_be_datetimes() -> None:
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500, time=datetime(2026, 5, 1, 12, 0, tzinfo=UTC))
    maker.join("bob", mu=1500, time=datetime(2026, 5, 1, 12, 0, 30, tzinfo=UTC))
    (match,) = maker.tick(time=datetime(2026, 5, 1, 12, 1, tzinfo=UTC)).matches
    assert match.waited == (60.0, 30.0)
    with pytest.raises(InputError, match="is seconds, and times so far were datetimes"):
        maker.tick(time=5.0)
    seconds = Matchmaker(Elo())
    seconds.join("ann", mu=1500, time=5.0)
    with pytest.raises(InputError, match="is a datetime, and times so far were seconds"):
        seconds.tick(time=datetime(2026, 5, 1, tzinfo=UTC))
    assert seconds.clock == 5.0


@pytest.mark.parametrize("first", [98_765.0, datetime(2026, 5, 1, tzinfo=UTC), 0.0, -40.0])
def test_who_joins_before_any_time_is_told_waits_from_the_first_one_on(first: float | datetime) -> None:
    """Of 400 points one costs 0.409 instead of 0.1, so only patience lets these two meet, at 120 s."""

    def later(seconds: float) -> float | datetime:
        return first + timedelta(seconds=seconds) if isinstance(first, datetime) else first + seconds

    maker = Matchmaker(Elo(), timeout=200)
    maker.join("ann", mu=1500)
    assert maker.clock == -math.inf
    assert (maker.tick().waiting, maker.waiting().to_frame()["waited"].to_list()) == (1, [0.0])
    maker = Matchmaker.from_bytes(maker.to_bytes())
    maker.join("bob", mu=1900)
    assert maker.why("ann", time=later(50)).waited == 0.0
    with pytest.raises(InputError, match="already has a ticket"):
        maker.join_many(["cat", "ann"], mu=1500, time=first)
    assert (maker.clock, maker.waiting().to_frame()["waited"].to_list()) == (-math.inf, [0.0, 0.0])
    assert not maker.tick(later(0)).matches
    assert not maker.tick(later(119)).matches
    (match,) = maker.tick(later(120)).matches
    assert match.waited == (120.0, 120.0)


def test_a_join_can_tell_the_first_time() -> None:
    """Those who were there before came at the earliest of several times."""
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500)
    maker.join_many(["bob", "cat"], mu=[2500, 3500], time=[1007.0, 1004.0])
    maker.join("dan", mu=4500)
    maker.tick(time=1010)
    assert maker.waiting().to_frame()["waited"].to_list() == [6.0, 3.0, 6.0, 3.0]
    maker.join_many([], mu=[], time=[])
    assert maker.clock == 1010.0


def test_many_join_and_get_the_numbers_of_their_tickets() -> None:
    """Also where rows of tickets that are gone are used again."""
    maker = Matchmaker(Elo())
    assert [one.number for one in maker.join_many(["a", "b", "c"], mu=1500)] == [0, 1, 2]
    maker.leave("a")
    maker.leave("b")
    assert [one.number for one in maker.join_many(["d", "e"], mu=1500)] == [3, 4]
    assert [maker.ticket(name).number for name in "cde"] == [2, 3, 4]


def test_numbers_name_players() -> None:
    maker = Matchmaker(Elo())
    maker.join(7, mu=1500)  # type: ignore[arg-type]
    assert 7 in maker
    assert "7" in maker
    assert 7.0 not in maker
    assert maker.ticket("7").players == ("7",)
    assert bool(maker)


@pytest.mark.parametrize("waiting", [7, 400, 5_000])
def test_the_same_calls_give_the_same_matches(waiting: int) -> None:
    """Whoever is tied is told apart by the seed alone."""

    def run(seed: int) -> list[tuple[str, ...]]:
        maker = Matchmaker(Elo(), seed=seed)
        maker.join_many([f"p{i}" for i in range(waiting)], mu=np.full(waiting, 1500.0), time=0)
        return [match.players for match in maker.tick(time=0).matches]

    assert run(1) == run(1) != run(2)
    assert len(run(1)) == waiting // 2


def test_the_first_ticket_may_say_one_thing_and_need_another() -> None:
    """Of an attribute nobody has had before."""
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500, attributes={"input": "touch"}, needs={"input": "pad"})
    maker.join("bob", mu=1500, attributes={"input": "touch"})
    assert not maker.tick().matches
    maker.leave("bob")
    maker.join("cat", mu=1500, attributes={"input": "pad"}, needs={"input": "touch"})
    assert maker.tick().matches[0].players == ("ann", "cat")


def test_a_range_that_is_needed_makes_an_attribute_a_number() -> None:
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500, needs={"level": (1, 3)})
    with pytest.raises(InputError, match="'level' is a number for others, and a text here"):
        maker.join("bob", mu=1500, attributes={"level": "high"})
