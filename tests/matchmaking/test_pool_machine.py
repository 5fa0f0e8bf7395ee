"""Any calls in any order: nobody is in two matches, nobody is lost, and what is refused changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from podium import Elo, InputError, Match, Matchmaker, OrderError, Policy, UnknownPlayerError
from podium.matchmaking.policy_terms import (
    BlockList,
    Latency,
    Needs,
    NoRematch,
    WaitingTime,
    WinProbabilityGap,
)

NAMES = st.sampled_from([f"p{i}" for i in range(12)])
POLICY = Policy(
    terms=(WinProbabilityGap(), WaitingTime(0.1, 20), NoRematch(1), BlockList(), Needs(), Latency(50)),
    tolerance=0.1,
)
DEVICES = st.sampled_from(["pad", "touch"])
PLACES = st.sampled_from([{"eu": 20}, {"us": 20, "eu": 80}, {"eu": 50, "us": 50}])


class PoolMachine(RuleBasedStateMachine):
    """A pool, its twin that gets the same calls, and what should be true in plain Python."""

    def __init__(self) -> None:
        super().__init__()
        self.maker, self.twin = (Matchmaker(Elo(), policy=POLICY, seed=4, timeout=50) for _ in range(2))
        self.waiting: dict[str, float] = {}
        self.proposed: dict[int, Match] = {}
        self.ended: list[Match] = []
        self.last: dict[str, str] = {}
        self.joined: dict[str, float] = {}
        self.said: dict[str, tuple[str, str | None, dict[str, float]]] = {}
        self.now = 0.0

    def both(self, call: str, *given: Any, **options: Any) -> Any:
        """The same call on both; they must answer the same."""
        answers = []
        for maker in (self.maker, self.twin):
            try:
                answers.append(getattr(maker, call)(*given, **options))
            except (InputError, OrderError, UnknownPlayerError) as error:
                answers.append(str(error))
        if call == "tick":
            assert list(answers[0].matches) == list(answers[1].matches)
            assert answers[0].expired == answers[1].expired
        else:
            assert answers[0] == answers[1]
        return answers[0]

    def refused(self, kind: type[Exception], call: str, *given: Any, **options: Any) -> None:
        """A call that must fail and change nothing of the pool; its twin does not get it."""
        before = self.seen()
        with pytest.raises(kind):
            getattr(self.maker, call)(*given, **options)
        assert self.seen() == before

    def seen(self) -> object:
        frame = self.maker.waiting()
        return frame.rows(), self.maker.clock, len(self.maker), repr(self.maker)

    @rule(
        name=NAMES,
        mu=st.integers(10, 20),
        later=st.floats(0, 5),
        picky=st.booleans(),
        device=DEVICES,
        wanted=st.none() | DEVICES,
        latency=PLACES,
    )
    def join(
        self,
        name: str,
        mu: int,
        later: float,
        picky: bool,
        device: str,
        wanted: str | None,
        latency: dict[str, float],
    ) -> None:
        needs = {"input": wanted, "mu": (1400, 1700) if picky else None}
        said: dict[str, Any] = {"attributes": {"input": device}, "needs": needs, "latency": latency}
        if name in self.joined:
            self.refused(InputError, "join", name, mu=100 * mu, time=self.now, **said)
            return
        far = {**said, "latency": {"eu": 51}}
        self.refused(InputError, "join", name, mu=100 * mu, time=self.now, **far)
        self.now += later
        self.both("join", name, mu=100 * mu, time=self.now, **said)
        self.waiting[name] = self.joined[name] = self.now
        self.said[name] = (device, wanted, latency)

    @rule(name=NAMES)
    def leave(self, name: str) -> None:
        if name not in self.joined:
            self.refused(UnknownPlayerError, "leave", name)
            return
        self.both("leave", name)
        for number, match in list(self.proposed.items()):
            if name in match.players:
                self.dissolve(number, name)
        self.waiting.pop(name, None)
        self.joined.pop(name, None)

    def dissolve(self, number: int, by: str | None) -> None:
        match = self.proposed.pop(number)
        self.ended.append(match)
        for player in match.players:
            if player == by:
                del self.joined[player]
            else:
                self.waiting[player] = self.joined[player]

    @rule(later=st.floats(0, 15))
    def tick(self, later: float) -> None:
        self.now += later
        tick = self.both("tick", time=self.now)
        for (name,) in tick.expired:
            assert self.now - self.waiting.pop(name) >= 50
            del self.joined[name]
        for match in tick.matches:
            a, b = match.players
            assert self.last.get(a) != b
            assert self.last.get(b) != a
            for (_, wanted, near), (device, _, other) in (
                (self.said[a], self.said[b]),
                (self.said[b], self.said[a]),
            ):
                assert wanted in (None, device)
                assert max(near[match.region or ""], other[match.region or ""]) <= 50
            assert match.waited == (self.now - self.waiting.pop(a), self.now - self.waiting.pop(b))
            assert match.number not in self.proposed
            self.proposed[match.number] = match
        assert tick.waiting == len(self.waiting)
        assert all(self.now - time < 50 for time in self.waiting.values())

    @rule(by=st.floats(0.1, 5))
    def go_back(self, by: float) -> None:
        if self.maker.clock > float("-inf"):
            self.refused(OrderError, "tick", time=self.maker.clock - by)
            self.refused(OrderError, "join", "new", mu=1500, time=self.maker.clock - by)

    @precondition(lambda self: self.proposed)
    @rule(data=st.data())
    def start(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.proposed)))
        match = self.proposed.pop(number)
        self.both("start", match)
        self.ended.append(match)
        a, b = match.players
        self.last[a], self.last[b] = b, a
        del self.joined[a], self.joined[b]

    @precondition(lambda self: self.proposed)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.proposed)))
        match = self.proposed[number]
        by = data.draw(st.sampled_from([None, *match.players]))
        self.both("cancel", match, by=by)
        self.dissolve(number, by)

    @precondition(lambda self: self.ended)
    @rule(data=st.data())
    def do_it_again(self, data: st.DataObject) -> None:
        match = data.draw(st.sampled_from(self.ended))
        self.refused(InputError, "start", match)
        self.refused(InputError, "cancel", match)

    @invariant()
    def everybody_is_where_they_should_be(self) -> None:
        frame = self.maker.waiting()
        assert dict(zip(frame["player"], self.maker.clock - frame["waited"], strict=True)) == pytest.approx(
            self.waiting
        )
        playing = [name for match in self.proposed.values() for name in match.players]
        assert len(set(playing)) == len(playing)
        assert not set(playing) & set(self.waiting)
        assert len(self.maker) == len(self.joined) == len(self.waiting) + len(playing)
        for number, match in self.proposed.items():
            assert all(self.maker.ticket(name).match == number for name in match.players)


TestPool = PoolMachine.TestCase
TestPool.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
