"""Policies: values made of terms, their files, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from conftest import tries
from podium import Elo, InputError, Matchmaker, ParameterError, Policy, Term
from podium.matchmaking.policies.meetings import Meetings
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import (
    BlockList,
    Latency,
    Needs,
    NoRematch,
    RatingGap,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool.ticks import look_at
from podium.named import temporary_registrations
from podium.systems import parameter

EVERYTHING = Policy(
    terms=(
        WinProbabilityGap(weight=2.0),
        RatingGap(most=250, weight=0.01),
        WaitingTime(per_minute=0.05, patience=45),
        NoRematch(games=3),
        BlockList(),
        Latency(most=80, weight=0.2),
        Needs(),
        SameAttribute("platform"),
        SameAttribute('the "map"'),
    ),
    tolerance=0.15,
    target=WinRateTarget(games=7, rate=0.55),
)


@pytest.fixture
def _own_terms() -> Iterator[None]:
    """Terms that a test makes are unknown after it."""
    with temporary_registrations():
        yield


def test_a_policy_is_a_value() -> None:
    assert Policy() == Policy() != Policy(tolerance=0.2)
    assert hash(EVERYTHING) == hash(Policy.from_toml(EVERYTHING.to_toml()))
    assert Policy(terms=[NoRematch(2)]).terms == (NoRematch(games=2),)
    assert repr(NoRematch(2)) == "NoRematch(games=2, weight=inf)"
    assert EVERYTHING.patience == 45
    assert EVERYTHING.rematch_games == 3
    assert Policy(terms=()).patience == math.inf


@pytest.mark.parametrize("policy", [Policy(), EVERYTHING, Policy(terms=(), tolerance=0)])
def test_a_file_brings_it_back(policy: Policy, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(policy.to_toml())
    assert Policy.from_file(path) == policy


def test_an_empty_file_is_the_default() -> None:
    assert Policy.from_toml("") == Policy()
    assert Policy.from_toml("[terms]") == Policy(terms=())


@pytest.mark.parametrize(
    "text, said",
    [
        ("tolerance = ", "policy.toml: Invalid value"),
        ("tolerance = -0.1", "policy.toml: a tolerance of -0.1 accepts no match"),
        ("tolerance = nan", "policy.toml: a tolerance of nan"),
        ("tolerance = 'wide'", "policy.toml: the tolerance must be a number, not 'wide'"),
        ("tolerence = 0.1", "did you mean 'tolerance'"),
        ("[no-rematch]\ngames = 2", r"write terms as tables: \[terms.no-rematch\]"),
        ("terms = 3", "policy.toml: terms must be tables"),
        ("[terms]\nno-rematch = 3", "policy.toml: terms.no-rematch must be a table"),
        ("[terms.no-remach]", "policy.toml: there is no term 'no-remach'\n  hint: did you mean 'no-rematch'"),
        ("[terms.no-rematch]\ngame = 2", "policy.toml: terms.no-rematch has no parameter 'game'"),
        ("[terms.no-rematch]\ngames = 'two'", "policy.toml: terms.no-rematch: games is a number, not 'two'"),
        ("[terms.no-rematch]\ngames = 0", "games goes from 1"),
        ("[terms.no-rematch]\ngames = 1.5", "games is a whole number"),
        ("[terms.waiting-time]\npatience = 0", "patience goes from"),
        ("[terms.waiting-time]\npatience = -5", "patience goes from"),
        ("[terms.latency]\nmost = 0", "most goes from"),
        ("[[terms.latency]]\n[[terms.latency]]", "two terms 'latency'"),
        ("[terms.same-attribute]", "'' is not an attribute"),
        ("[terms.same-attribute]\nattribute = 'mu'", "'mu' is not an attribute"),
        ("target = 0.5", "policy.toml: target must be a table"),
        ("[target]\ngame = 5", "policy.toml: target has no parameter 'game'\n  hint: did you mean 'games'"),
        ("[target]\nrate = 1.5", "policy.toml: target: rate is 1.5"),
        ("[target]\nrate = '1'", "policy.toml: target: rate is '1'"),
    ],
)
def test_files_that_are_refused(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(text)
    with pytest.raises(ParameterError, match=said):
        Policy.from_file("policy.toml")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml: there is no such file"):
        Policy.from_file(tmp_path / "nowhere.toml")


def test_policies_that_are_refused() -> None:
    for wrong in (-0.1, math.nan, math.inf, True, "0.1"):
        with pytest.raises(ParameterError, match="tolerance"):
            Policy(tolerance=wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"with its parameters: NoRematch\(\)"):
        Policy(terms=(NoRematch,))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="two terms 'same-attribute map'"):
        Policy(terms=(SameAttribute("map"), SameAttribute("map")))
    with pytest.raises(ParameterError, match="target"):
        Policy(target=0.5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no parameter 'pacience'\n  hint: did you mean 'patience'"):
        WaitingTime(pacience=3)  # type: ignore[call-arg]
    for wrong in (0, -1, math.nan):
        with pytest.raises(ParameterError):
            WaitingTime(patience=wrong)
        with pytest.raises(ParameterError):
            Latency(most=wrong)


@pytest.mark.usefixtures("_own_terms")
def test_a_term_of_ones_own() -> None:
    class Clanmates(podium.Term):
        name = "clanmates"

        def forbids(self, meetings: Meetings) -> np.ndarray:
            return meetings.first["clan"] == meetings.second["clan"]

    assert Policy.from_toml("[terms.clanmates]") == Policy(terms=(Clanmates(),))
    maker = Matchmaker(Elo(), policy=Policy(terms=(WinProbabilityGap(), Clanmates()), tolerance=1))
    for player, clan, mu in (
        ("ann", "red", 1500),
        ("bob", "red", 1500),
        ("cat", "blue", 1700),
        ("dan", None, 1700),
    ):
        maker.join(player, mu=mu, attributes={} if clan is None else {"clan": clan})
    pairs = {frozenset(match.players) for match in maker.tick().matches}
    assert len(pairs) == 2
    assert {"ann", "bob"} not in pairs  # who would be the best for each other


@pytest.mark.usefixtures("_own_terms")
def test_a_term_of_ones_own_with_a_parameter() -> None:
    @dataclass(frozen=True)
    class Levels(Term):
        name: ClassVar[str] = "levels"
        weight: float = parameter(0.01, "what a level of difference costs")

        def cost(self, meetings: Meetings) -> np.ndarray:
            return self.weight * np.abs(meetings.first["level"] - meetings.second["level"])

    policy = Policy.from_toml("tolerance = 0.1\n[terms.levels]\nweight = 0.05")
    assert policy.terms == (Levels(weight=0.05),)
    with pytest.raises(ParameterError, match="levels: weight is a number"):
        Policy.from_toml("[terms.levels]\nweight = 'a lot'")
    maker = Matchmaker(Elo(), policy=policy)
    maker.join_many(["a", "b", "c", "d"], mu=[1500] * 4, attributes={"level": [1, 9, 2, 7]})
    found = {match.players: match.cost for match in maker.tick().matches}
    assert found == {("a", "c"): pytest.approx(0.05), ("b", "d"): pytest.approx(0.1)}


@pytest.mark.usefixtures("_own_terms")
def test_costs_of_many_meetings_are_asked_for_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A term sees no more than fits into a cache, and all of it together costs the same."""
    asked: list[int] = []
    with temporary_registrations():

        class Counting(Term):
            name = "counting"

            def cost(self, meetings: Meetings) -> Any:
                asked.append(len(meetings))
                return 0.25 * (meetings.first.mu > meetings.second.mu)

        policy = Policy((WinProbabilityGap(), Counting()), tolerance=1.0)
        matches = []
        for most in (10**6, 100):
            asked.clear()
            monkeypatch.setattr("podium.matchmaking.policies.policy.COSTS_AT_ONCE", most)
            maker = Matchmaker(Elo(), policy=policy)
            maker.join_many([f"p{i}" for i in range(60)], mu=1500.0 + 7.0 * np.arange(60) ** 1.5, time=0)
            matches.append([(match.players, match.cost) for match in maker.tick(1).matches])
            assert (max(asked) <= most, sum(asked)) == (True, 60 * 59 // 2)
    assert matches[0] == matches[1]


def test_terms_of_ones_own_that_go_wrong() -> None:
    def maker_with(answer: object, function: str = "cost") -> Matchmaker:
        made = type("Odd", (Term,), {"name": "odd", function: lambda self, _: answer})
        maker = Matchmaker(Elo(), policy=Policy(terms=(made(),)))
        maker.join_many(["a", "b", "c"], mu=[1, 2, 3], time=5)
        return maker

    for function, answer, said in (
        (
            "cost",
            np.array([1.0, np.nan, 1.0]),
            "term 'odd': cost returned a value that is not a finite number",
        ),
        ("cost", np.array([1.0]), r"term 'odd': cost returned \(1,\) for 3 rows"),
        ("cost", np.full(3, 1e308), "term 'odd': a cost is beyond 1e\\+09"),
        ("cost", np.full(3, -2e9), "term 'odd': a cost is beyond 1e\\+09"),
        ("forbids", np.zeros(3), "term 'odd': forbids returned float64"),
        ("allowance", np.full(3, np.inf), "term 'odd': allowance"),
        ("groups", np.ones(3, bool), "odd: groups need one row per ticket"),
    ):
        maker = maker_with(answer, function)
        with pytest.raises(ParameterError, match=said):
            maker.tick(time=6)
        assert len(maker) == 3
        assert maker.clock == 5
    with pytest.raises(ParameterError, match="has no name"):
        type("Nameless", (Term,), {})
    with pytest.raises(ParameterError, match="'needs' is a term that podium defines"):
        type("Clash", (Term,), {"name": "needs"})
    assert Term.known["needs"] is Needs
    with pytest.raises(ParameterError, match="'idle' neither forbids nor adds a cost"):
        type("Idle", (Term,), {"name": "idle", "forbid": lambda self, meetings: True})
    assert "idle" not in Term.known


@pytest.mark.usefixtures("_own_terms")
def test_a_term_that_forbids_something_else_is_not_told_apart_as_the_one_it_derives_from() -> None:
    """Whom it forbids may change from tick to tick, so an overdue ticket left alone is asked again."""
    open_maps: list[bool] = []

    class Doors(SameAttribute):
        name = "doors"

        def forbids(self, meetings: Meetings) -> np.ndarray:
            return np.zeros(len(meetings), bool) if open_maps else super().forbids(meetings)

    class Wider(SameAttribute):
        name = "wider"

        def cost(self, meetings: Meetings) -> np.ndarray:
            return np.zeros(len(meetings))

    maker = Matchmaker(Elo(), policy=Policy(terms=(WaitingTime(patience=1), Doors("map"))))
    maker.join_many(["a", "b"], mu=1500, time=0, attributes={"map": ["plain", "hills"]})
    assert not maker.tick(time=2).matches
    open_maps.append(True)
    assert len(maker.tick(time=3).matches) == 1
    assert Wider.ranges is SameAttribute.ranges  # it forbids the same


DEVICES = ("pad", "touch", "mouse", None)


@settings(max_examples=tries(60))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(DEVICES),
            st.sampled_from([None, "pad", ["touch", "pad"], "wheel"]),
            st.sampled_from(["plain", "hills"]),
            st.sampled_from([{"eu": 20}, {"us": 20, "eu": 50}, {"eu": 40, "us": 40}]),
        ),
        min_size=2,
        max_size=12,
    )
)
def test_groups_and_parts_keep_nobody_apart_who_may_meet(rows: list[tuple[Any, ...]]) -> None:
    """Two who share no group are forbidden, whatever terms say so together."""
    policy = Policy(terms=(Needs(), SameAttribute("map"), Latency(most=40)))
    maker = Matchmaker(Elo(), policy=policy)
    devices, needs, maps, delays = zip(*rows, strict=True)
    regions = {name: [delay.get(name, np.nan) for delay in delays] for name in ("eu", "us")}
    said = {"input": devices, "map": maps}
    maker.join_many(
        [*map(str, range(len(rows)))], mu=1500, attributes=said, needs={"input": needs}, latency=regions
    )
    waiting = look_at(maker._pool, maker._pool.store.waiting(), np.zeros(len(rows)), maker._pool.now)
    groups = policy.groups(waiting)
    first, second = np.triu_indices(len(rows), 1)
    forbidden = policy.forbidden(waiting.meet(first, second))
    assert groups is not None
    apart = ~np.any(groups[first] & groups[second], axis=1)
    assert np.all(forbidden[apart])
    parts = policy.parts(waiting)
    assert parts is not None
    assert np.all(forbidden[parts[first] != parts[second]])


def test_a_need_of_what_a_system_does_not_have_is_met_by_nobody() -> None:
    maker = Matchmaker(Elo())
    maker.join("a", mu=1500, needs={"sigma": (0, 100)})
    maker.join("b", mu=1500)
    assert not maker.tick().matches


def test_a_rare_kind_finds_its_like() -> None:
    """One in fifty insists on an input that hardly anybody has; they are paired at once, among thousands."""
    maker = Matchmaker(Elo(), policy=Policy(terms=(WinProbabilityGap(), Needs()), tolerance=0.2))
    chance, count = np.random.default_rng(2), 3_000
    rare = np.arange(count) % 50 == 0
    inputs = np.where(rare, "wheel", "pad").tolist()
    needs = [device if device == "wheel" else None for device in inputs]
    maker.join_many(
        [f"p{i}" for i in range(count)],
        mu=chance.normal(1500, 200, count),
        attributes={"input": inputs},
        needs={"input": needs},
    )
    players = [name for match in maker.tick().matches for name in match.players]
    assert sum(int(name[1:]) % 50 == 0 for name in players) >= 0.9 * rare.sum()


def test_a_rating_gap_forbids_and_costs_points() -> None:
    """Ann and bob are 150 points apart, cat is 300 away from bob; a hundred points cost 0.02."""
    policy = Policy(terms=(RatingGap(most=200, weight=0.02),), tolerance=0.05)
    maker = Matchmaker(Elo(), policy=policy)
    maker.join_many(["cat", "ann", "bob"], mu=[1950, 1500, 1650], time=0)
    tick = maker.tick(1)
    assert [match.players for match in tick.matches] == [("ann", "bob")]
    assert tick.matches.cost.tolist() == pytest.approx([0.03])
    only_cost = Policy.from_toml("tolerance = 0.05\n[terms.rating-gap]\nmost = inf\nweight = 0.02")
    assert only_cost.terms == (RatingGap(most=math.inf, weight=0.02),)
    assert Policy.from_toml(only_cost.to_toml()) == only_cost
    for weight, together in ((0.0, 1), (0.02, 0)):  # 450 points are 0.09
        maker = Matchmaker(Elo(), policy=Policy(terms=(RatingGap(math.inf, weight),), tolerance=0.05))
        maker.join_many(["cat", "ann"], mu=[1950, 1500], time=0)
        assert len(maker.tick(1).matches) == together
    with pytest.raises(ParameterError, match="rating-gap: most"):
        RatingGap(most=-1)


@settings(max_examples=tries(30))
@given(seed=st.integers(0, 2**32 - 1), most=st.sampled_from([0.0, 10.0, 60.0]))
def test_parts_of_a_rating_gap_keep_apart_who_may_not_meet_alone(seed: int, most: float) -> None:
    mu = np.random.default_rng(seed).normal(1500, 200, 12).round()
    maker = Matchmaker(Elo(), policy=Policy(terms=(RatingGap(most),), tolerance=1.0))
    maker.join_many([f"p{i}" for i in range(12)], mu=mu, time=0)
    near = {(a, b) for a in range(12) for b in range(a) if abs(mu[a] - mu[b]) <= most}
    matched = [tuple(int(name[1:]) for name in match.players) for match in maker.tick(0).matches]
    assert all((max(pair), min(pair)) in near for pair in matched)
    left = set(range(12)) - {player for pair in matched for player in pair}
    assert not any(a in left and b in left for a, b in near), "no more could meet"
    waiting = look_at(maker._pool, maker._pool.store.waiting(), np.zeros(len(left)), maker._pool.now)
    parts = maker.policy.parts(waiting)
    assert parts is None or len(set(parts.tolist())) == len(left)
