"""Ways to pair: every one pairs everybody it can, each as it says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.matchmaking import elo_chance
from podium import Elo, Glicko, ParameterError
from podium.matchmaking.pairing import Pairing, pair_by_target
from podium.matchmaking.policies.targets import WinRateTarget
from podium.simulation.populations import gaussian_skills
from podium.studies.live_game.game import Game, play_game
from podium.studies.live_game.matchers import MATCHERS, PaperMatcher, make_matcher
from podium.studies.live_game.pool_matcher import PoolMatcher
from podium.studies.live_game.rounds import play_rounds
from podium.studies.live_game.waiting_players import Matcher, WaitingPlayers

TARGET = WinRateTarget(system=Elo())


def waiting(chance: np.random.Generator, players: int, *, sigma: bool = False) -> WaitingPlayers:
    played = chance.integers(0, 9, players)
    return WaitingPlayers(
        player=np.arange(players),
        mu=1500 + 300 * chance.standard_normal(players),
        sigma=chance.uniform(40, 300, players) if sigma else None,
        wins=np.floor(chance.random(players) * (1 + np.minimum(played, 5))),
        played=played,
        waited=60 * chance.random(players),
        now=100.0,
    )


def pairs(pairing: Pairing) -> set[tuple[int, int]]:
    return {
        (min(a, b), max(a, b)) for a, b in zip(pairing.first.tolist(), pairing.second.tolist(), strict=True)
    }


@pytest.mark.parametrize("name", MATCHERS)
@given(st.integers(0, 25), st.integers(0, 99), st.booleans())
def test_everybody_plays_at_most_once(name: str, players: int, seed: int, same: bool) -> None:
    chance = np.random.default_rng(seed)
    who = WaitingPlayers.of(np.full(players, 1500.0)) if same else waiting(chance, players)
    pairing = make_matcher(name).pair(who, TARGET, chance)
    everybody = np.concatenate(pairing)
    assert sorted(everybody.tolist()) == list(range(players))
    assert len(pairing.out) == players % 2


@pytest.mark.parametrize("name", MATCHERS)
def test_a_generator_gives_the_same_pairs(name: str) -> None:
    who = waiting(np.random.default_rng(1), 40)
    one, same = (make_matcher(name).pair(who, TARGET, np.random.default_rng(5)) for _ in range(2))
    assert pairs(one) == pairs(same)


def test_nearest_are_neighbours_by_rating() -> None:
    who = waiting(np.random.default_rng(2), 30)
    place = np.argsort(np.argsort(who.mu))
    for a, b in pairs(make_matcher("nearest").pair(who, TARGET, np.random.default_rng(0))):
        assert sorted((int(place[a]), int(place[b])))[0] % 2 == 0
        assert abs(place[a] - place[b]) == 1


def test_random_pairs_anybody() -> None:
    """Of three ways to pair four players, each comes as often."""
    who, matcher, chance = WaitingPlayers.of([0.0, 1, 2, 3]), make_matcher("random"), np.random.default_rng(3)
    partner = []
    for _ in range(3_000):
        found = pairs(matcher.pair(who, TARGET, chance))
        partner.append(next(b for a, b in found if a == 0))
    assert np.bincount(partner)[1:] == pytest.approx([1000] * 3, abs=110)


def test_the_papers_goes_by_the_opponent_wanted() -> None:
    chance = np.random.default_rng(4)
    who = waiting(chance, 60, sigma=True)
    target = WinRateTarget(system=Glicko())
    wanted = target.rating(who.mu, who.wins, who.played, who.sigma)
    expected = pair_by_target(wanted, np.random.default_rng(6), window=18)
    assert pairs(PaperMatcher(shuffle=0.3).pair(who, target, np.random.default_rng(6))) == pairs(expected)
    # A system without deviations has no use for them.
    elo = TARGET.rating(who.mu, who.wins, who.played)
    assert who.wanted_ratings(TARGET) == pytest.approx(elo)


@pytest.mark.parametrize("seed", range(5))
def test_the_optimal_is_the_best_of_all_pairings(seed: int) -> None:
    """Of the 105 ways to pair eight players, by looking at each."""

    def ways(left: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
        if not left:
            yield []
        for other in left[1:]:
            for rest in ways(tuple(player for player in left[1:] if player != other)):
                yield [(left[0], other), *rest]

    def loss(a: int, b: int) -> float:
        won = elo_chance(who.mu[a], who.mu[b])
        return abs(wanted[a] - won) + abs(wanted[b] - (1 - won))

    who = waiting(np.random.default_rng(seed), 8)
    wanted = TARGET.probability(who.wins, who.played)
    least = min(sum(loss(a, b) for a, b in way) for way in ways(tuple(range(8))))
    found = make_matcher("optimal").pair(who, TARGET, np.random.default_rng(1))
    assert sum(loss(a, b) for a, b in pairs(found)) == pytest.approx(least)
    assert 8 * who.gaps(TARGET, found.first, found.second).mean() == pytest.approx(least)


@pytest.mark.parametrize("players", [60, 300])
def test_the_optimal_leaves_smaller_gaps_than_all_others(players: int) -> None:
    who, gap = waiting(np.random.default_rng(players), players), {}
    for name in MATCHERS:
        first, second, _ = make_matcher(name).pair(who, TARGET, np.random.default_rng(1))
        gap[name] = who.gaps(TARGET, first, second).mean()
    assert gap["optimal"] < 1.01 * min(gap.values())  # of 300, not all pairs are looked at
    assert gap["optimal"] < 0.5 * gap["paper"] < gap["random"]


def test_the_pool_proposes_what_the_rules_accept_and_no_rematch() -> None:
    """So it serves people sooner than the paper's pairs that are refused, and the same two do not meet."""
    game = Game(players=150, days=0.5, sessions=5, tick=60, throwers=0)
    pool, paper = (play_game(Elo(k=24), matcher, game, seed=1) for matcher in (PoolMatcher(2), "paper"))
    assert pool.summary()["wait"] < paper.summary()["wait"]
    last: dict[int, list[int]] = {}
    for row in pool.games:
        one, other = int(row["first"]), int(row["second"])
        assert other not in last.get(one, [])[-2:]
        assert one not in last.get(other, [])[-2:]
        last.setdefault(one, []).append(other)
        last.setdefault(other, []).append(one)
    assert paper.summary()["rematches"] > 0


def test_the_pool_sees_new_ratings_in_every_round() -> None:
    skill = gaussian_skills(60, deviation=300, seed=1)
    run = play_rounds(Glicko(), skill, 60, matcher="pool", seed=1)
    assert run.rmse[-1] < 0.5 * run.rmse[0]
    assert run.gap[30:].mean() < play_rounds(Glicko(), skill, 60, matcher="paper", seed=1).gap[30:].mean()


def test_one_of_ones_own() -> None:
    class Strangers(Matcher):
        name = "strangers"

        def pair(
            self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator
        ) -> Pairing:
            order = np.argsort(waiting.mu)
            half = len(order) // 2
            return Pairing(order[:half], order[::-1][:half], order[half : half + len(order) % 2])

    game = Game(players=60, days=0.3, sessions=6, tick=200, tolerance=1)
    far, near = (
        play_game(Elo(k=48), matcher, game).summary()["even"] for matcher in (Strangers(), "nearest")
    )
    assert far > near


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="did you mean 'nearest'"):
        make_matcher("neerest")
    with pytest.raises(ParameterError, match="there are paper"):
        make_matcher("x")
    with pytest.raises(ParameterError, match=r"shuffle is 1\.5"):
        make_matcher("paper", shuffle=1.5)
