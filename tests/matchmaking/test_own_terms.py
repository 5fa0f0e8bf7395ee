"""Terms of one's own say what podium's own do: patience, games to remember, latency, blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import podium
from podium import InputError, Matchmaker, Policy, Term
from podium.matchmaking.policies.meetings import Meetings, Tickets
from podium.matchmaking.policies.terms import BlockList, Latency, NoRematch, WaitingTime, WinProbabilityGap
from podium.named import temporary_registrations

PATIENCE, GAMES, MOST = 25.0, 2, 90.0
OURS = (
    WinProbabilityGap(),
    WaitingTime(per_minute=0.2, patience=PATIENCE),
    NoRematch(GAMES),
    Latency(MOST),
    BlockList(),
)


@pytest.fixture
def theirs() -> Iterator[tuple[Term, ...]]:
    """Terms that know nothing of podium's own classes but `Term`."""
    with temporary_registrations():

        class Queue(Term):
            name = "queue"
            patience = PATIENCE

            def allowance(self, tickets: Tickets) -> Any:
                return tickets.waited * (0.2 / 60.0)

        class Strangers(Term):
            name = "strangers"
            rematch_games = GAMES

            def forbids(self, meetings: Meetings) -> Any:
                return meetings.met(GAMES)

        class Nearby(Term):
            name = "nearby"
            uses = frozenset({"latency"})
            most_latency = MOST

            def forbids(self, meetings: Meetings) -> Any:
                return meetings.latency > MOST

            def groups(self, tickets: Tickets) -> Any:
                return tickets.delays <= MOST

        class Grudges(Term):
            name = "grudges"
            uses = frozenset({"blocks"})

            def forbids(self, meetings: Meetings) -> Any:
                return meetings.blocked()

        yield WinProbabilityGap(), Queue(), Strangers(), Nearby(), Grudges()


@pytest.mark.parametrize(("mode", "players"), [("1v1", 14), ("1v1", 150), ("2v2", 40), ("ffa:3", 30)])
def test_they_behave_like_podiums_own(theirs: tuple[Term, ...], mode: str, players: int) -> None:
    """Two pools live through the same; whoever has played comes back, and may meet the same people again."""
    ours, own = (
        Matchmaker(podium.Elo(), mode=mode, policy=Policy(terms, tolerance=0.05), seed=3)
        for terms in (OURS, theirs)
    )
    chance = np.random.default_rng(players)
    mu = chance.normal(1500.0, 150.0, players).round()
    delays = chance.uniform(10.0, 140.0, (players, 3)).round()
    delays[:, 0] = np.minimum(delays[:, 0], MOST - chance.integers(0, 2, players))
    for maker in (ours, own):
        maker.block("p0", "p1")
    away, played, regions = set(range(players)), 0, set()
    for now in range(0, 120, 8):
        for number in sorted(away):
            if chance.random() < 0.5:
                continue
            away.discard(number)
            latency = dict(zip(("eu", "us", "asia"), delays[number].tolist(), strict=True))
            for maker in (ours, own):
                maker.join(f"p{number}", mu=mu[number], time=now, latency=latency, playing=True)
        ticks = [maker.tick(time=now) for maker in (ours, own)]
        assert list(ticks[0].matches) == list(ticks[1].matches)
        for maker, tick in zip((ours, own), ticks, strict=True):
            maker.start(tick)
        away |= {int(name[1:]) for match in ticks[0].matches for name in match.players}
        regions |= {match.region for match in ticks[0].matches}
        played += len(ticks[0].matches)
    assert played > players // 2
    assert len(regions) > 1


def test_what_the_policy_reads_from_its_terms(theirs: tuple[Term, ...]) -> None:
    for terms in (OURS, theirs):
        policy = Policy(terms)
        assert (policy.patience, policy.rematch_games, policy.most_latency) == (PATIENCE, GAMES, MOST)
    both = Policy((*OURS, *theirs[1:]))
    assert (both.patience, both.rematch_games, both.most_latency) == (PATIENCE, GAMES, MOST)
    assert (Policy(()).patience, Policy(()).rematch_games, Policy(()).most_latency) == (np.inf, 0, np.inf)
    maker = Matchmaker(podium.Elo(), policy=Policy(theirs))
    with pytest.raises(InputError, match="the policy uses latency"):
        maker.join("ann", mu=1500)
    with pytest.raises(InputError, match="no region is within 90 ms of 'ann'"):
        maker.join("ann", mu=1500, latency={"eu": 91.0})


def test_each_term_looks_as_far_back_as_it_says() -> None:
    """A pool that remembers more for one term forbids no more by another."""
    with temporary_registrations():

        class Curious(Term):
            name = "curious"
            rematch_games = 5

            def cost(self, meetings: Meetings) -> Any:
                return np.zeros(len(meetings))

        for more in ((), (Curious(),)):
            maker = Matchmaker(podium.Elo(), policy=Policy((NoRematch(1), *more)))
            pairs = [("ann", "bob"), ("ann", "cat"), ("bob", "dan"), ("ann", "bob"), ("ann", "bob")]
            matched = []
            for now, pair in enumerate(pairs):
                for name in pair:
                    maker.join(name, mu=1500, time=now, playing=True)
                tick = maker.tick(time=now)
                maker.start(tick)
                matched.append(len(tick.matches))
            assert matched == [1, 1, 1, 1, 0]


def test_a_term_that_reads_latency_and_forbids_nothing() -> None:
    """Matches are given the region that is nearest, and nobody has to say theirs."""
    with temporary_registrations():

        class Cheap(Term):
            name = "cheap"
            uses = frozenset({"latency"})

            def cost(self, meetings: Meetings) -> Any:
                return np.where(np.isinf(meetings.latency), 0.0, meetings.latency / 1000.0)

        for mode, names in (("1v1", ["ann", "bob"]), ("ffa:3", ["ann", "bob", "cat"])):
            maker = Matchmaker(podium.Elo(), mode=mode, policy=Policy((Cheap(),), tolerance=1.0))
            for name in names:
                maker.join(name, mu=1500)
            assert maker.tick(time=0).matches[0].region is None
            maker = Matchmaker(podium.Elo(), mode=mode, policy=Policy((Cheap(),), tolerance=1.0))
            for name in names:
                maker.join(name, mu=1500, latency={"eu": 30.0, "us": 20.0})
            assert maker.tick(time=0).matches[0].region == "us"


def test_a_term_may_not_block_in_a_tick() -> None:
    """What it blocked would stay, though names that it brought are taken back with the tick."""
    pool: list[podium.Matchmaker] = []
    with temporary_registrations():

        class Meddler(Term):
            name = "meddler"

            def cost(self, meetings: Meetings) -> Any:
                pool[0].block("x", "y")
                return None

        pool.append(podium.Matchmaker(podium.Elo(), policy=podium.Policy((BlockList(), Meddler()))))
        pool[0].join_many(["a", "b"], mu=1500, time=0)
        with pytest.raises(InputError, match="in the middle of another call"):
            pool[0].tick(time=1)
    assert not pool[0]._pool.memory.has_blocks


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(("mode", "players"), [("1v1", 14), ("1v1", 320), ("2v2", 40)])
def test_groups_alone_keep_tickets_apart(mode: str, players: int, late: bool) -> None:
    """Also where all pairs are looked at, and where somebody overdue searches among everybody."""
    with temporary_registrations():

        class Clubs(Term):
            name = "clubs"

            def groups(self, tickets: Tickets) -> Any:
                return tickets["club"][:, None] == np.arange(3)

        terms = (WinProbabilityGap(), WaitingTime(patience=PATIENCE), Clubs())
        maker = Matchmaker(podium.Elo(), mode, Policy(terms, tolerance=1.0))
        mu = np.random.default_rng(players).normal(1500.0, 150.0, players)
        club = {f"p{i}": i % 3 for i in range(players)}
        maker.join_many(list(club), mu=mu, time=0, attributes={"club": list(club.values())})
        matches = maker.tick(time=PATIENCE if late else 1).matches
        assert len(matches) >= players // maker.mode.players - 2
        assert all(len({club[name] for name in match.players}) == 1 for match in matches)
        if mode == "1v1":
            for name in maker.waiting().to_frame()["player"]:
                assert maker.why(name).forbidden["clubs"] == maker.waiting().to_frame().height - 1
