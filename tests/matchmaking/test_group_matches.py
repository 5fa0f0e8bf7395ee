"""Teams, free-for-alls and running matches in the pool: legal whatever happens, and nobody starves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, count

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import podium
from conftest import tries
from naive import lobbies as naive
from podium.errors import InputError, OrderError, ParameterError, PodiumError, UnsupportedError
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import (
    BlockList,
    Latency,
    NoRematch,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool.proposals import Match

PATIENCE = 20.0
TERMS = (WinProbabilityGap(), WaitingTime(patience=PATIENCE), BlockList(), NoRematch(1))
POLICY = podium.Policy(terms=TERMS, tolerance=0.05)
MODES = ["2v2", "3v3", "ffa:3", "ffa:4", "2v2v2", "1v3", "2v2: tank, healer"]
ROLES = (None, "tank", "healer", ["tank", "healer"], None)


class Pool(RuleBasedStateMachine):
    """A pool beside a plain account of it, and a second pool that is told the same."""

    @initialize(mode=st.sampled_from(MODES), seed=st.integers(0, 3))
    def begin(self, mode: str, seed: int) -> None:
        self.mode = Mode.parse(mode)
        self.maker, self.twin = (
            podium.Matchmaker(podium.Elo(), mode=mode, policy=POLICY, seed=seed, timeout=90) for _ in range(2)
        )
        self.now = 0.0
        self.names = count()
        self.mu: dict[str, float] = {}
        self.roles: dict[str, str | list[str] | None] = {}
        self.parties: dict[str, tuple[str, ...]] = {}
        """The ticket of everybody who waits or is in a proposal; not those of running matches."""
        self.joined: dict[tuple[str, ...], float] = {}
        self.requests: dict[int, tuple[tuple[str, ...], ...]] = {}
        self.proposed: list[Match] = []
        self.blocked: set[frozenset[str]] = set()
        self.met: dict[str, set[str]] = {}

    def both(self, call: str, *args: object, **named: object) -> object:
        """Tell both pools, which must answer the same; each has matches of its own."""
        one, other = (
            getattr(maker, call)(
                *(maker.match(given.number) if isinstance(given, Match) else given for given in args), **named
            )
            for maker in (self.maker, self.twin)
        )
        if call != "tick":
            assert one == other
        return one

    def new_party(self, size: int, level: int) -> tuple[str, ...]:
        party = tuple(f"p{next(self.names)}" for _ in range(size))
        self.mu |= {name: 1500.0 + 40 * level + 5 * i for i, name in enumerate(party)}
        if self.mode.roles:
            said = ROLES[next(self.names) % len(ROLES)] if size == 1 else None
            self.roles |= dict.fromkeys(party, said)
        return party

    def said(self, party: Sequence[str]) -> dict[str, object]:
        """What a party says when it joins."""
        rated = {"mu": [self.mu[name] for name in party], "time": self.now}
        return rated | ({"roles": [self.roles[name] for name in party]} if self.mode.roles else {})

    def plays(self, name: str) -> set[str]:
        """The roles that a player would play."""
        said = self.roles[name]
        return {said} if isinstance(said, str) else set(said or self.mode.role_names)

    def settle(self, match: Match) -> tuple[tuple[str, ...], ...]:
        """The tickets of a match that were no part of a running one."""
        running = self.requests.get(-1 if match.backfill is None else match.backfill, ())
        names = [name for name in match.players if not any(name in side for side in running)]
        return tuple(dict.fromkeys(self.parties[name] for name in names))

    @rule(
        parties=st.lists(
            st.tuples(st.sampled_from([1, 1, 1, 2, 3]), st.integers(-3, 3)), min_size=2, max_size=6
        ),
        again=st.sampled_from([False, False, True]),
    )
    def join(self, parties: list[tuple[int, int]], again: bool) -> None:
        for size, level in parties[: 9 - len(self.joined)]:
            party = self.new_party(min(size, self.mode.size), level)
            played = [name for name in self.met if name not in self.maker]
            if again and played:
                party = (played[0],)
            self.both("join", list(party), **self.said(party), playing=again)
            self.parties |= dict.fromkeys(party, party)
            self.joined[party] = self.now

    @precondition(lambda self: len(self.joined) > 6)
    @rule(which=st.integers(0, 100))
    def leave(self, which: int) -> None:
        party = list(self.joined)[which % len(self.joined)]
        self.both("leave", party[0])
        for match in [m for m in self.proposed if party[0] in m.players]:
            self.proposed.remove(match)
        del self.joined[party]

    @precondition(lambda self: self.joined and len(self.blocked) < 3)
    @rule(one=st.integers(0, 100), other=st.integers(0, 100))
    def block(self, one: int, other: int) -> None:
        names = [name for party in self.joined for name in party]
        a, b = names[one % len(names)], names[other % len(names)]
        if a != b and self.parties[a] != self.parties[b]:
            self.both("block", a, b)
            self.blocked.add(frozenset((a, b)))

    @precondition(lambda self: len(self.requests) < 2)
    @rule(ours=st.integers(0, 3), theirs=st.integers(0, 3), level=st.integers(-4, 4))
    def ask(self, ours: int, theirs: int, level: int) -> None:
        if self.mode.has_teams:
            given = zip((ours, theirs, 0), self.mode.sizes, strict=False)
            sides = [self.new_party(min(n, size), level) for n, size in given]
        else:
            sides = [self.new_party(1, level) for _ in range(min(ours + 1, self.mode.sides - 1))]
        players = [name for side in sides for name in side]
        if not 0 < len(players) < self.mode.players:
            with pytest.raises(InputError):
                self.maker.backfill(sides, **self.said(players))
            return
        asked = self.both("backfill", sides, **self.said(players))
        self.requests[asked.number] = tuple(sides)  # type: ignore[attr-defined]

    @precondition(lambda self: self.requests)
    @rule()
    def withdraw(self) -> None:
        number = min(self.requests)
        self.both("leave", next(name for side in self.requests[number] for name in side))
        self.proposed = [m for m in self.proposed if m.backfill != number]
        del self.requests[number]

    @rule(seconds=st.sampled_from([0.0, 3.0, 12.0, 25.0]))
    def tick(self, seconds: float) -> None:
        self.now += seconds
        tick, twin = (maker.tick(time=self.now) for maker in (self.maker, self.twin))
        assert list(tick.matches) == list(twin.matches)
        gone = {party for party in self.joined if party in tick.expired}
        for party in gone:
            assert self.now - self.joined.pop(party) >= 90
        busy = {name for match in self.proposed for name in match.players}
        for number, sides in list(self.requests.items()):
            if any(side in tick.expired for side in sides if side):
                assert all(side in tick.expired for side in sides if side)
                del self.requests[number]
        seen: set[str] = set(busy)
        for match in tick.matches:
            assert not seen & set(match.players)
            seen |= set(match.players)
            self.check_match(match)
        self.proposed += tick.matches
        self.check_nobody_starves(seen)
        assert tick.waiting == sum(party[0] not in seen for party in self.joined)
        assert tick.waiting == self.maker.waiting().to_frame()["ticket"].n_unique()

    def check_match(self, match: Match) -> None:
        mode = self.mode
        assert tuple(map(len, match.sides)) == mode.sizes
        assert (match.roles is not None) == bool(mode.roles)
        for roles, side, places in zip(match.roles or (), match.sides, mode.roles, strict=False):
            assert sorted(roles) == sorted(places)
            assert all(role in self.plays(name) for name, role in zip(side, roles, strict=True))
        side_of = {name: i for i, side in enumerate(match.sides) for name in side}
        for party in self.settle(match):
            assert len({side_of[name] for name in party}) == 1
        running = self.requests.get(-1 if match.backfill is None else match.backfill, ())
        for i, side in enumerate(running):
            assert all(side_of[name] == i for name in side)
        together = [*self.settle(match), *running]
        for one, other in combinations(together, 2):
            if one in running and other in running:
                continue
            assert all(self.allowed(a, b) for a in one for b in other)
        assert sum(match.chances) == pytest.approx(1.0)
        if mode.has_teams:
            strength = [10 ** (np.mean([self.mu[name] for name in side]) / 400) for side in match.sides]
            assert match.chances == pytest.approx([one / sum(strength) for one in strength])

    def allowed(self, a: str, b: str) -> bool:
        rematch = b in self.met.get(a, ()) or a in self.met.get(b, ())
        return frozenset((a, b)) not in self.blocked and not rematch

    def check_nobody_starves(self, busy: set[str]) -> None:
        """Whoever has waited too long and waits on could not be in any lobby of those who are left."""
        waiting = [party for party in self.joined if party[0] not in busy]
        sizes = [len(party) for party in waiting]

        def allowed(i: int, j: int) -> bool:
            return all(self.allowed(a, b) for a in waiting[i] for b in waiting[j])

        def can_sit(tickets: Sequence[int]) -> bool:
            played = [[self.plays(name) for name in waiting[t]] for t in tickets] if self.mode.roles else []
            return not played or bool(naive.seatings(played, self.mode.roles))

        for i, party in enumerate(waiting):
            if self.now - self.joined[party] >= PATIENCE:
                found = naive.lobbies_with(i, range(len(waiting)), sizes, self.mode.sizes, allowed, can_sit)
                assert next(found, None) is None, (party, waiting)

    @precondition(lambda self: self.proposed)
    @rule(which=st.integers(0, 100))
    def start(self, which: int) -> None:
        match = self.proposed.pop(which % len(self.proposed))
        tickets = self.settle(match)
        self.both("start", match)
        for party in tickets:
            del self.joined[party]
        if match.backfill is not None:
            del self.requests[match.backfill]
        for side in match.sides:
            for name in side:
                self.met[name] = set(match.players) - set(side)

    @precondition(lambda self: self.proposed)
    @rule(which=st.integers(0, 100), leaver=st.integers(-1, 20))
    def cancel(self, which: int, leaver: int) -> None:
        match = self.proposed.pop(which % len(self.proposed))
        tickets = self.settle(match)
        if leaver < 0:
            self.both("cancel", match)
        else:
            by = match.players[leaver % len(match.players)]
            self.both("cancel", match, by=by)
            tickets = tuple(party for party in tickets if by not in party)
            if self.parties.get(by) in self.joined:
                del self.joined[self.parties[by]]
            elif match.backfill is not None:
                del self.requests[match.backfill]
        front = self.maker.waiting().to_frame().filter(front=True)["player"].to_list()
        assert all(name in front for party in tickets for name in party)
        for party in tickets:
            assert self.maker.ticket(party[0]).time == self.joined[party]

    @precondition(lambda self: self.joined)
    @rule()
    def bad_calls_change_nothing(self) -> None:
        party = next(iter(self.joined))
        size, free = len(self.maker), f"p{next(self.names)}"
        for call in (
            lambda: self.maker.join(party[0], mu=1500, time=self.now),
            lambda: self.maker.join([free] * 2, mu=[1500, 1500], time=self.now),
            lambda: self.maker.join(
                [f"{free}-{i}" for i in range(self.mode.size + 1)], mu=1500, time=self.now
            ),
            lambda: self.maker.join(free, mu=float("nan"), time=self.now),
            lambda: self.maker.tick(time=self.now - 1),
            lambda: self.maker.backfill([[party[0]], [free]], mu=[1500, 1500], time=self.now),
            lambda: self.maker.leave("nobody"),
        ):
            with pytest.raises(PodiumError):
                call()
        assert len(self.maker) == size

    @invariant()
    def everybody_is_somewhere_once(self) -> None:
        if not hasattr(self, "maker"):
            return
        named = [name for party in self.joined for name in party]
        named += [name for sides in self.requests.values() for side in sides for name in side]
        assert len(named) == len(set(named)) == len(self.maker)
        assert all(name in self.maker for name in named)


TestPool = Pool.TestCase
TestPool.settings = settings(max_examples=tries(40), stateful_step_count=40, deadline=None)


# ---------------------------------------------------------------------------------------------------------
# Cases


def fresh(
    mode: str, *terms: podium.matchmaking.policies.term_contract.Term, **policy: object
) -> podium.Matchmaker:
    chosen = podium.Policy(terms=(WinProbabilityGap(), WaitingTime(), BlockList(), *terms), **policy)  # type: ignore[arg-type]
    return podium.Matchmaker(podium.Elo(), mode=mode, policy=chosen)


@pytest.mark.parametrize(("mode", "party"), [("5v5", 1), ("5v5", 3), ("2v2", 2), ("ffa:8", 1)])
def test_the_waiting_bound_holds_against_a_stream_that_fits_better(mode: str, party: int) -> None:
    """Equals arrive at each tick and always suit each other; an outsider is served when patience ends.

    Patience is 120 s and ticks are 7 s apart, so that is at the tick of second 126.
    """
    maker = fresh(mode)
    maker.join([f"x{i}" for i in range(party)], mu=2600, time=0)
    players = Mode.parse(mode).players
    served = None
    for number in range(30):
        time = 7.0 * number
        maker.join_many([f"{number}-{i}" for i in range(players)], mu=1500.0, time=time)
        tick = maker.tick(time=time)
        assert len(tick.matches) >= 1
        if any("x0" in match.players for match in tick.matches):
            served = time
            break
        maker.start(tick)
    assert served == 126.0


def test_parties_cannot_keep_a_single_waiting() -> None:
    """Pairs fill matches of two pairs for ever; the single needs one more single and a pair."""
    maker = fresh("2v2")
    maker.join("single", mu=1500, time=0)
    for number in range(1, 18):
        time = 7.0 * number
        maker.join_many([[f"{number}-{i}a", f"{number}-{i}b"] for i in range(2)], mu=1500.0, time=time)
        maker.start(maker.tick(time=time))
    assert "single" in maker
    maker.join("other", mu=2900, time=130)
    maker.join(["c", "d"], mu=1500, time=130)
    (match,) = maker.tick(time=130).matches
    assert {"single", "other"} in map(set, match.sides)


def test_turns_are_remembered_while_others_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is stuck has a turn within ⌈q/8⌉ ticks, whatever an adversary lets become overdue or leave.

    The late one may meet nobody near, and only the oldest ticket and eight in turn are searched for among
    everybody. Forty older ones are stuck when it becomes overdue: its turn is at the fifth tick. If turns
    went round by place, the eight newcomers a tick would keep it for ever from having one.
    """
    monkeypatch.setattr("podium.matchmaking.lobbies.seed_searches.FAR_MEETINGS", 0)
    terms = (
        WinProbabilityGap(),
        WaitingTime(per_minute=0.0, patience=100.0),
        BlockList(),
        SameAttribute("map"),
    )
    maker = podium.Matchmaker(podium.Elo(), "2v2", podium.Policy(terms=terms, tolerance=0.0))

    def join(names: list[str], mu: np.ndarray, time: float, maps: list[str]) -> None:
        maker.join_many(names, mu=mu, time=time, attributes={"map": maps})

    for _ in range(20):
        maker.tick(time=0)
    older = [f"old{i}" for i in range(40)]
    join(older, np.full(40, 1600.0), 0, older)
    join(["late"], np.array([1500.0]), 0, ["here"])
    younger = [[f"new{k}-{i}" for i in range(8 if k else 30)] for k in range(10)]
    for k, names in enumerate(younger):
        join(names, np.full(len(names), 1600.0), k, names)
    join([f"c{i}" for i in range(60)], np.linspace(1000.0, 1490.0, 60), 50, ["here"] * 60)
    for i in range(20, 60):
        maker.block("late", f"c{i}")
    ticks = [maker.tick(time=100.0 + number) for number in range(5)]
    served = [any("late" in match.players for match in tick.matches) for tick in ticks]
    assert served == [False, False, False, False, True]


def test_a_ladder_predicts_the_teams() -> None:
    ladder = podium.Ladder(podium.Glicko2())
    for i in range(40):
        ladder.record(
            teams=[[f"p{i % 7}", f"p{(i + 1) % 7}"], [f"p{(i + 3) % 7}"]], ranks=[1 + i % 2, 2 - i % 2]
        )
    maker = podium.Matchmaker(ladder, mode="2v2", unknown="newcomer", policy=podium.Policy(tolerance=0.5))
    maker.join(["p0", "p1"], time=0)
    for name in ("p2", "nobody yet"):
        maker.join(name, time=0)
    (match,) = maker.tick(time=0).matches
    assert ("p0", "p1") in match.sides
    assert match.chances[0] == pytest.approx(ladder.expected_score(*map(list, match.sides)), abs=1e-12)


@pytest.mark.parametrize("name", podium.list_systems())
def test_every_system_predicts_the_winner_of_a_free_for_all(name: str) -> None:
    ladder = podium.Ladder(podium.make_system(name))
    start = ladder.system.start(ladder.state)[0][0]
    names = [f"p{i}" for i in range(5)]
    for i, player in enumerate(names):
        ladder.adjust(podium.SetRating(player=player, mu=start * (1 + i / 50)))
    maker = podium.Matchmaker(ladder, mode="ffa:5", policy=podium.Policy(tolerance=0.5))
    maker.join_many(names, time=0)
    (match,) = maker.tick(time=0).matches
    expected = ladder.top_chances(list(match.players), 1)
    if name == "auto":  # whose pools go by public ratings: Luce's choice among equally uncertain ones
        ratings = [ladder.rating(player) for player in match.players]
        one, other = ratings[0], ratings[1]
        duel = float(ladder.system.win_probability(one.mu, one.sigma, other.mu, other.sigma))
        scale = (one.mu - other.mu) / math.log(duel / (1.0 - duel))
        strength = np.exp((np.array([rating.mu for rating in ratings]) - start) / scale)
        expected = strength / strength.sum()
    assert list(match.chances) == pytest.approx(expected.tolist(), abs=1e-10)
    assert match.chances[match.players.index("p4")] > 0.2


@pytest.mark.parametrize(
    "system", [podium.Glicko(), podium.Elo(curve="linear"), podium.make_system("races")], ids=str
)
def test_nobody_wins_a_match_of_many_more_often_than_against_one_of_them(system: podium.RatingSystem) -> None:
    """Pairwise chances of these systems are not those of performances: pools keep the limit of ladders."""
    ladder = podium.Ladder(system)
    for player, mu, sigma in (("ann", 2100, 30), ("bob", 1600, 60), ("cat", 1500, 350)):
        ladder.adjust(podium.SetRating(player=player, mu=mu, sigma=sigma if system.has_sigma else None))
    maker = podium.Matchmaker(ladder, mode="ffa:3", policy=podium.Policy(tolerance=1.0))
    maker.join_many(["ann", "bob", "cat"], time=0)
    (match,) = maker.tick(time=1).matches
    expected = ladder.top_chances(list(match.players), 1)
    assert list(match.chances) == pytest.approx(expected.tolist(), abs=1e-10)
    cat = match.chances[match.players.index("cat")]
    assert cat <= ladder.expected_score("cat", "ann") + 1e-10


@pytest.mark.parametrize("narrow", [1e-4, 0.0])
def test_who_hardly_scatters_is_no_burden(narrow: float) -> None:
    """Steps as fine as the smallest deviation would be billions."""
    maker = podium.Matchmaker(podium.Topcoder(), "ffa:3", podium.Policy(tolerance=10.0))
    maker.join_many(["a", "b", "c"], mu=[1500.0, 1550.0, 1480.0], sigma=[narrow, 400.0, 300.0], time=0)
    (match,) = maker.tick(time=0).matches
    chances = {player: chance for (player,), chance in zip(match.sides, match.chances, strict=True)}
    # a is at 1500 for certain: it wins if both others are below.
    below = [0.5 * math.erfc(z / math.sqrt(2.0)) for z in (50 / 400, -20 / 300)]
    assert chances["a"] == pytest.approx(below[0] * below[1], abs=1e-9)
    assert sum(match.chances) == pytest.approx(1.0)


def test_teams_add_their_gap_to_the_cost() -> None:
    """A party of two 1600s and two 1500s: pairs cost 0.093 on average, and the teams are off by 0.14."""
    for tolerance, proposed in ((0.2, 0), (0.25, 1)):
        terms = (WinProbabilityGap(), WaitingTime(per_minute=0.0, patience=100.0))
        policy = podium.Policy(terms=terms, tolerance=tolerance)
        maker = podium.Matchmaker(podium.Elo(), mode="2v2", policy=policy)
        maker.join(["a", "b"], mu=1600, time=0)
        maker.join_many(["c", "d"], mu=1500.0, time=0)
        matches = maker.tick(time=99).matches
        assert len(matches) == proposed
        if proposed == 0:  # who has waited too long takes it
            matches = maker.tick(time=100).matches
        gap = 1 / (1 + 10 ** (-100 / 400)) - 0.5
        assert matches[0].cost == pytest.approx(gap * 2 / 3 + gap)


@pytest.mark.parametrize("weight", [1.0, 3.0])
@pytest.mark.parametrize("wish", [None, WinRateTarget(games=5)])
@pytest.mark.parametrize(("mode", "teams"), [("2v2", 1.0), ("3v3", 1.0), ("ffa:4", 0.0)])
def test_the_most_that_a_match_can_cost(
    mode: str, teams: float, wish: WinRateTarget | None, weight: float
) -> None:
    """Half the weight and, of teams, a half, which is reached; twice that with a target."""
    players = Mode.parse(mode).players
    bound = (0.5 if wish is None else 1.0) * (weight + teams)
    policy = podium.Policy(terms=(WinProbabilityGap(weight),), tolerance=bound, target=wish)
    chance = np.random.default_rng(5)
    highest = 0.0
    for number in range(30):
        maker = podium.Matchmaker(podium.Elo(), mode, policy)
        mu = chance.choice([0.0, 5e4, 5e5], players) if number else 1e5 * np.arange(1.0, players + 1)
        names = [str(i) for i in range(players)]
        recent = [str(one) for one in chance.choice(["WWWWW", "LLLLL"], players)]
        maker.join_many(names, mu=mu, recent=None if wish is None else recent, time=0)
        (match,) = maker.tick(time=0).matches
        highest = max(highest, match.cost)
    assert highest <= bound
    assert wish is not None or mode == "2v2" or highest == bound


@pytest.mark.parametrize("off", [0.0, 40.0, 80.0, 120.0, 400.0])
def test_two_outsiders_do_not_keep_equals_from_playing(off: float) -> None:
    """Two windows of four would be more than one, but their teams are not even."""
    maker = podium.Matchmaker(podium.Elo(), "2v2")
    names = [f"p{i}" for i in range(8)]
    maker.join_many(names, mu=[1500.0 - off, *[1500.0] * 6, 1500.0 + off], time=0)
    matches = maker.tick(time=0).matches
    assert len(matches) >= 1
    assert len(matches) == 2 or set(matches[0].players) < set(names[1:-1])


def test_everybody_in_a_match_has_a_region_in_common() -> None:
    maker = fresh("ffa:3", Latency(100.0), tolerance=0.5)
    near = {"eu": 20.0, "us": 140.0, "as": 250.0}
    for name, latency in (("a", near), ("b", {**near, "us": 90.0}), ("c", {"eu": 300.0, "us": 30.0})):
        maker.join(name, mu=1500, latency=latency, time=0)
    # a and b may meet in Europe, b and c in America, and all three nowhere.
    assert len(maker.tick(time=500).matches) == 0
    maker.join("d", mu=1500, latency={"eu": 60.0, "us": 60.0}, time=500)
    (match,) = maker.tick(time=500).matches
    assert match.region in ("eu", "us")
    assert "d" in match.players


def test_regions_are_told_apart_whatever_else_divides() -> None:
    """Any two share a region, and no three; with hundreds of maps too, nobody is proposed a match nowhere."""
    maker = fresh("ffa:3", SameAttribute("map"), Latency(100.0), tolerance=0.5)
    for i, regions in enumerate((("eu", "us"), ("us", "as"), ("eu", "as"))):
        for copy in range(2):
            latency = dict.fromkeys(regions, 30.0)
            maker.join(f"p{i}{copy}", mu=1500, latency=latency, attributes={"map": "m"}, time=0)
    names = [f"q{i}" for i in range(300)]
    maker.join_many(names, mu=1500.0, latency={"eu": 30.0}, attributes={"map": names}, time=0)
    matches = maker.tick(time=500).matches
    assert len(matches) == 2
    assert all(len({player[1] for player in match.players}) == 2 for match in matches)


def test_only_those_who_say_the_same_are_in_one_match() -> None:
    maker = fresh("ffa:3", SameAttribute("platform"), tolerance=0.5)
    for i in range(9):
        maker.join(f"p{i}", mu=1500 + i, attributes={"platform": "pad" if i % 3 else "keys"}, time=0)
    matches = maker.tick(time=0).matches
    assert len(matches) == 3
    assert {"p0", "p3", "p6"} in [set(match.players) for match in matches]


def test_who_was_put_back_comes_first() -> None:
    """Of five, the outermost is left out at first; put back at the front, it is the other end."""
    maker = fresh("ffa:3", tolerance=0.5)
    maker.join_many(["a", "b", "c"], mu=[1600.0, 1500.0, 1505.0], time=0)
    (match,) = maker.tick(time=0).matches
    maker.cancel(match, by="c")
    maker.leave("b")
    maker.join_many(["d", "e", "f"], mu=[1500.0, 1501.0, 1502.0], time=1)
    assert maker.ticket("a").time == 0
    (match,) = maker.tick(time=1).matches
    assert "a" in match.players
    maker.cancel(match)
    maker.leave("a")
    maker.join("a", mu=1600, time=2)
    (match,) = maker.tick(time=2).matches
    assert "a" not in match.players


def test_wanted_chances_count_for_teams() -> None:
    """Those on a winning streak get the harder side."""
    system = podium.Elo()
    policy = podium.Policy(target=WinRateTarget(games=5), tolerance=0.5)
    maker = podium.Matchmaker(system, mode="2v2", policy=policy)
    for name, mu, recent in (
        ("a", 1500, "WWWWW"),
        ("b", 1500, "WWWWW"),
        ("c", 1700, "LLLLL"),
        ("d", 1700, "LLLLL"),
    ):
        maker.join(name, mu=mu, recent=recent, time=0)
    (match,) = maker.tick(time=0).matches
    assert {"a", "b"} in map(set, match.sides)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="codeforces cannot use teams"):
        podium.Matchmaker(podium.Codeforces(), mode="2v2")
    with pytest.raises(ParameterError, match="is not a mode"):
        podium.Matchmaker(podium.Elo(), mode="2x2")
    maker = fresh("2v2")
    with pytest.raises(InputError, match="a party of 3 is larger than a team of 2v2"):
        maker.join(["a", "b", "c"], mu=1500, time=0)
    for sides in (
        [["a"]],
        [["a"], ["b"], ["c"]],
        [["a", "b"], ["c", "d"]],
        [[], []],
        "ab",
        [["a", "b", "c"], []],
    ):
        with pytest.raises(InputError):
            maker.backfill(sides, mu=1500, time=0)
    with pytest.raises(InputError, match="no places to fill"):
        fresh("1v1").backfill([["a"], []], mu=1500, time=0)
    with pytest.raises(InputError):
        fresh("ffa:3").backfill([["a"], []], mu=1500, time=0)
    assert len(maker) == 0


# ---------------------------------------------------------------------------------------------------------
# Running matches


def test_a_running_match_gets_the_fill_with_which_chances_are_nearest() -> None:
    """Two places open; of all pairs of singles, and the parties of two, the best by hand."""
    chance = np.random.default_rng(4)
    policy = podium.Policy(terms=(WinProbabilityGap(0.0), WaitingTime()), tolerance=0.5)
    for _ in range(20):
        maker = podium.Matchmaker(podium.Elo(), mode="3v3", policy=policy)
        mu = {name: float(chance.normal(1500, 200)) for name in "abcdefghijkl"}
        maker.backfill([["a"], ["b", "c", "d"]], mu=[mu[n] for n in "abcd"], time=0)
        tickets = [("e",), ("f",), ("g",), ("h",), ("i", "j"), ("k", "l")]
        for ticket in tickets:
            maker.join(list(ticket), mu=[mu[n] for n in ticket], time=0)
        match = maker.tick(time=0).matches[0]

        def gap(ours: tuple[str, ...], mu: dict[str, float] = mu) -> float:
            mine = (mu["a"] + sum(mu[n] for n in ours)) / 3
            theirs = (mu["b"] + mu["c"] + mu["d"]) / 3
            return abs(1 / (1 + 10 ** ((theirs - mine) / 400)) - 0.5)

        fills = [a + b for a, b in combinations(tickets[:4], 2)] + tickets[4:]
        assert match.backfill == 0
        assert set(match.sides[1]) == {"b", "c", "d"}
        assert gap(tuple(set(match.sides[0]) - {"a"})) == pytest.approx(min(map(gap, fills)), abs=1e-12)


def test_running_matches_come_first_and_the_oldest_of_them() -> None:
    maker = fresh("2v2", tolerance=0.5)
    first = maker.backfill([["a"], ["b", "c"]], mu=1500, time=0)
    second = maker.backfill([["d"], ["e", "f"]], mu=1500, time=1)
    maker.join("x", mu=1500, time=2)
    (match,) = maker.tick(time=2).matches
    assert (match.backfill, first.number, second.number) == (0, 0, 1)
    assert match.sides == (("a", "x"), ("b", "c"))
    with pytest.raises(InputError, match="already has a ticket"):
        maker.join("d", mu=1500, time=3)
    maker.cancel(match, by="b")  # the match that runs is gone, and who was to join it is at the front
    assert "a" not in maker
    assert maker.ticket("x").match is None
    (again,) = maker.tick(time=4).matches
    assert (again.backfill, set(again.players)) == (1, {"d", "e", "f", "x"})
    maker.start(again)
    maker.finish(again, winner="x")
    assert len(maker) == 0


def test_a_side_that_everybody_left_is_filled() -> None:
    for sides in ([[], ["a", "b"]], [["a", "b"], []], [["a"], []]):
        maker = fresh("2v2", tolerance=0.5)
        maker.backfill(sides, mu=1500, time=0)
        maker.join_many(["x", "y", "z"], mu=[1500, 1510, 1490], time=0)
        (match,) = maker.tick(time=0).matches
        for side, there in zip(match.sides, sides, strict=True):
            assert set(there) <= set(side)


def test_the_far_ones_fill_a_match_if_nobody_near_may() -> None:
    maker = fresh("ffa:3", tolerance=1.0)
    maker.backfill(["a", "b"], mu=1500, time=0)
    maker.join_many([f"near{i}" for i in range(60)], mu=1500.0, time=0)
    for i in range(60):
        maker.block("a", f"near{i}")
    maker.join("far", mu=1900, time=0)
    assert maker.tick(time=0).matches[0].sides == (("a",), ("b",), ("far",))


def test_clocks_do_not_run_backwards_for_running_matches() -> None:
    maker = fresh("2v2")
    maker.tick(time=10)
    with pytest.raises(OrderError):
        maker.backfill([["a"], ["b"]], mu=1500, time=9)
    assert len(maker) == 0
