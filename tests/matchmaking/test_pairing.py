"""Pairings: everybody once, neighbours by target, shuffles that keep to their window."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import matchmaking as naive
from naive.matching import best_weight
from podium import Elo, EloMMR, Glicko, InputError, ParameterError, TrueSkill
from podium.matchmaking import pairing as pairing_module
from podium.matchmaking.pairing import (
    OptimalPairing,
    Pairing,
    pair_at_random,
    pair_by_rating,
    pair_by_target,
    pair_optimally,
    pairing_gaps,
    swap_within,
)
from podium.systems.contract.system import RatingSystem

SEEDS = st.integers(0, 2**32 - 1)
REACHES = st.sampled_from(["around", "ahead"])


def chance(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def pairs(pairing: Pairing | OptimalPairing) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in zip(pairing.first.tolist(), pairing.second.tolist(), strict=True)}


@given(st.lists(st.floats(-1e4, 1e4), max_size=30), SEEDS, st.integers(0, 40), REACHES)
def test_everybody_plays_once_or_is_the_odd_one_out(
    target: list[float], seed: int, window: int, reach: str
) -> None:
    for pairing in (
        pair_by_target(target, chance(seed), window=window, reach=reach),
        pair_at_random(len(target), chance(seed)),
    ):
        assert sorted(np.concatenate(pairing).tolist()) == list(range(len(target)))
        assert len(pairing.first) == len(pairing.second) == len(target) // 2
        assert len(pairing.out) == len(target) % 2


@given(st.lists(st.integers(-3, 3), max_size=30), SEEDS)
def test_without_a_shuffle_neighbours_meet(target: list[int], seed: int) -> None:
    """However ties fall, the wishes of those who meet are the ones next to each other in the sorted list."""
    pairing = pair_by_target(target, chance(seed))
    playing = sorted(t for i, t in enumerate(target) if i not in pairing.out)
    met = sorted(sorted((target[a], target[b])) for a, b in zip(pairing.first, pairing.second, strict=True))
    assert met == sorted([playing[i], playing[i + 1]] for i in range(0, len(playing), 2))


@given(st.integers(0, 40), SEEDS, st.integers(0, 50), REACHES)
def test_swaps_are_the_naive_ones(size: int, seed: int, window: int, reach: str) -> None:
    before, after = (window // 2, window // 2) if reach == "around" else (0, max(window - 1, 0))
    expected = naive.swapped(range(size), before, after, chance(seed).random(size).tolist())
    assert swap_within(np.arange(size), window, chance(seed), reach=reach).tolist() == expected


@given(st.integers(2, 60), SEEDS, st.integers(1, 20))
def test_ahead_nobody_comes_earlier_than_the_window_allows(size: int, seed: int, window: int) -> None:
    order = swap_within(np.arange(size), window, chance(seed), reach="ahead")
    assert np.all(order - np.arange(size) < window)


@pytest.mark.parametrize("reach, window, relative", [("around", 50, 6**-0.5), ("ahead", 50, 1.0)])
def test_how_far_a_shuffle_moves_players(reach: str, window: int, relative: float) -> None:
    """Ahead, the w in reach wait for a place like a pool of w: a wait of geometric length, deviation w.

    Around, each swap moves two players by a distance of variance w²/12; there is one swap a player, and the
    moves of a player have nothing to do with each other: 2 w²/12 for each.
    """
    order = swap_within(np.arange(100_000), window, chance(3), reach=reach)
    moved = (order - np.arange(len(order)))[1_000:-1_000]
    assert np.sqrt(np.mean(moved**2)) / window == pytest.approx(relative, rel=0.05)


def test_a_window_of_none_or_one_leaves_the_list() -> None:
    for window, reach in ((0, "around"), (1, "around"), (0, "ahead"), (1, "ahead")):
        assert swap_within([3, 1, 2], window, chance(), reach=reach).tolist() == [3, 1, 2]


def test_whoever_wants_the_same_meets_anybody() -> None:
    """Four equals can be paired in three ways, which come up equally often."""
    met = [frozenset(pairs(pair_by_target(np.zeros(4), chance(seed)))) for seed in range(900)]
    counts = {way: met.count(way) for way in set(met)}
    assert len(counts) == 3
    assert all(abs(count - 300) < 4 * np.sqrt(200) for count in counts.values())


def test_random_pairs_are_all_equally_likely() -> None:
    met = list(itertools.chain.from_iterable(pairs(pair_at_random(5, chance(seed))) for seed in range(2_000)))
    counts = {pair: met.count(pair) for pair in set(met)}
    assert len(counts) == 10
    assert all(abs(count - 400) < 4 * np.sqrt(400) for count in counts.values())


def test_anybody_can_be_the_odd_one_out() -> None:
    out = [int(pair_by_target([1, 2, 3], chance(seed)).out[0]) for seed in range(600)]
    assert all(abs(out.count(player) - 200) < 4 * np.sqrt(134) for player in range(3))


def test_a_seed_gives_the_same_pairing() -> None:
    one, same, other = (pairs(pair_by_target(np.arange(100), chance(s), window=20)) for s in (1, 1, 2))
    assert one == same != other


def test_refusals() -> None:
    with pytest.raises(InputError):
        pair_by_target([1.0, float("nan")], chance())
    with pytest.raises(InputError):
        pair_by_target([[1.0], [2.0]], chance())
    with pytest.raises(ParameterError):
        swap_within([1, 2], -1, chance())
    with pytest.raises(ParameterError):
        swap_within([1, 2], 1, chance(), reach="behind")


def test_a_seed_will_do() -> None:
    one, other = (
        pair_by_target([3.0, 1.0, 2.0, 4.0], 7),
        pair_by_target([3.0, 1.0, 2.0, 4.0], np.random.default_rng(7)),
    )
    assert one.first.tolist() == other.first.tolist()
    assert pair_at_random(6, 7).first.tolist() == pair_at_random(6, np.random.default_rng(7)).first.tolist()


# ---------------------------------------------------------------------------------------------------------
# The optimal pairing

WISHES = st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(0.0, 1.0)), max_size=9)


def naive_gap(mine: float, theirs: float, my_wish: float, their_wish: float) -> float:
    """Section 4.2 with Elo's curve: how far both chances are from the wanted ones, added up."""
    chance = naive.elo_chance(mine, theirs)
    return abs(my_wish - chance) + abs(their_wish - (1 - chance))


def least_gaps(mu: list[float], wanted: list[float], alone: float) -> float:
    """The smallest sum of gaps and of what those alone cost, by trying everything."""
    players = range(len(mu))
    edges = [
        (i, j, 2 * alone - naive_gap(mu[i], mu[j], wanted[i], wanted[j]))
        for i, j in itertools.combinations(players, 2)
    ]
    return alone * len(mu) - best_weight(len(mu), edges)


@given(WISHES, st.sampled_from([0.05, 0.3, 1.0, 3.0]), SEEDS)
def test_nothing_is_better_than_the_optimal_pairing(
    wishes: list[tuple[float, float]], alone: float, seed: int
) -> None:
    mu, wanted = [r for r, _ in wishes], [p for _, p in wishes]
    best = pair_optimally(Elo(), mu, wanted, chance=seed, alone=alone)
    assert sorted(np.concatenate(best[:3]).tolist()) == list(range(len(mu)))
    assert best.complete
    counted, odd = max(len(mu) - len(mu) % 2, 1), len(mu) % 2
    least = (least_gaps(mu, wanted, alone) - alone * odd) / counted
    assert best.cost == pytest.approx(least, abs=1e-9)
    assert best.bound == pytest.approx(max(least, 0.0), abs=1e-9)
    if len(best.first):
        sums = [naive_gap(mu[a], mu[b], wanted[a], wanted[b]) for a, b in zip(*best[:2], strict=True)]
        assert best.gap == pytest.approx(np.mean(sums) / 2)
    else:
        assert np.isnan(best.gap)
    if alone > 1.0:
        assert len(best.out) == odd


def crowd(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    noise = chance(seed)
    return noise.normal(1500.0, 400.0, count), (2 * noise.binomial(5, 0.5, count) + 1) / 12


@pytest.mark.parametrize("system", [Elo(), Glicko(), TrueSkill(), EloMMR()], ids=lambda s: s.name)
def test_any_system_and_better_than_the_paper(system: RatingSystem) -> None:
    """Large groups, with the deviations of systems that have them; the paper's gap is at least twice ours."""
    mu, wanted = crowd(1_501, 3)
    sigma = np.full(1_501, 50.0) if system.has_sigma else None
    scale = 400.0 if system.name != "trueskill" else 8.0
    mu = (mu - 1500.0) / 400.0 * scale + 1500.0
    if system.name == "trueskill":
        sigma = np.full(1_501, 1.0)
    best = pair_optimally(system, mu, wanted, sigma)
    assert not best.complete
    assert len(best.out) == 1
    assert best.bound <= best.cost == pytest.approx(best.gap)
    assert best.cost <= best.bound + 0.01
    paper = pair_by_target(system.opponent_rating(wanted, mu, sigma), 1)
    assert pairing_gaps(system, mu, wanted, paper.first, paper.second, sigma).mean() > 2 * best.gap


@pytest.mark.parametrize("effort", ["exact", "near", "quick"])
def test_every_effort_pairs_everybody_and_keeps_its_bound(effort: str) -> None:
    mu, wanted = crowd(3_000, 4)
    best = pair_optimally(Elo(), mu, wanted, effort=effort, neighbours=8)
    assert sorted(np.concatenate(best[:3]).tolist()) == list(range(3_000))
    assert len(best.out) == 0
    exact = pair_optimally(Elo(), mu, wanted, effort="exact", neighbours=8)
    assert best.bound <= exact.cost + 1e-9 <= best.cost + 2e-9
    assert effort == "quick" or best.cost <= 1.02 * best.bound


def test_who_is_forbidden_never_meets() -> None:
    """Whatever it costs: of four who suit each other in pairs, the pairs are forbidden."""
    mu, wanted = [1500.0, 1500.0, 1900.0, 1900.0], 0.5
    assert pairs(pair_optimally(Elo(), mu, wanted)) == {frozenset({0, 1}), frozenset({2, 3})}
    best = pair_optimally(Elo(), mu, wanted, forbidden=[[1, 0], [2, 3]])
    assert not pairs(best) & {frozenset({0, 1}), frozenset({2, 3})}
    assert len(best.first) == 2
    everything = list(itertools.combinations(range(4), 2))
    assert pair_optimally(Elo(), mu, wanted, forbidden=everything).out.tolist() == [0, 1, 2, 3]
    assert len(pair_optimally(Elo(), mu, wanted, forbidden=[]).first) == 2


def test_forbidden_pairs_of_a_large_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing_module, "ALL_PAIRS_UP_TO", 10)
    mu, wanted = crowd(400, 5)
    barred = np.array([(a, b) for a in range(0, 400, 7) for b in range(400) if a != b and (a + b) % 3])
    met = pairs(pair_optimally(Elo(), mu, wanted, forbidden=barred))
    assert not met & {frozenset(pair) for pair in barred.tolist()}


def test_nobody_suitable() -> None:
    """Alone costs a twentieth: whoever would be further off than that stays out, the others play."""
    best = pair_optimally(Elo(), [1500, 1510, 2500, 9000], 0.5, alone=0.05)
    assert pairs(best) == {frozenset({0, 1})}
    assert sorted(best.out.tolist()) == [2, 3]


def test_everyone_the_same_in_any_order() -> None:
    """Every pairing of four equals is as good; which one it is, chance decides, and equals are left to it."""
    met = [frozenset(pairs(pair_optimally(Elo(), np.full(4, 1500.0), 0.5, chance=s))) for s in range(300)]
    counts = {way: met.count(way) for way in set(met)}
    assert len(counts) == 3
    assert all(abs(count - 100) < 4 * np.sqrt(67) for count in counts.values())
    large = pair_optimally(Elo(), np.full(1_201, 1500.0), 0.5)
    assert (len(large.first), len(large.out), large.gap) == (600, 1, 0.0)


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_to_pair(count: int) -> None:
    best = pair_optimally(Elo(), np.full(count, 1500.0), 0.5)
    assert (len(best.first), len(best.out), best.cost, best.bound) == (0, count, 0.0, 0.0)
    assert np.isnan(best.gap)


@given(st.lists(st.floats(-1e4, 1e4), max_size=30), SEEDS)
def test_by_rating_neighbours_meet(mu: list[float], seed: int) -> None:
    pairing = pair_by_rating(mu, seed)
    assert sorted(np.concatenate(pairing).tolist()) == list(range(len(mu)))
    playing = sorted(r for i, r in enumerate(mu) if i not in pairing.out)
    met = sorted(sorted((mu[a], mu[b])) for a, b in zip(pairing.first, pairing.second, strict=True))
    assert met == sorted([playing[i], playing[i + 1]] for i in range(0, len(playing), 2))


def test_refusals_of_the_optimal_pairing() -> None:
    for mu, wanted, sigma in (
        ([1500.0, float("nan")], 0.5, None),
        ([1500.0, float("inf")], 0.5, None),
        ([[1500.0]], 0.5, None),
        ([1500.0, 1600.0], [0.5, 1.5], None),
        ([1500.0, 1600.0], [0.5, float("nan")], None),
        ([1500.0, 1600.0], [0.5, 0.5, 0.5], None),
        ([1500.0, 1600.0], 0.5, [50.0, -1.0]),
    ):
        with pytest.raises(InputError):
            pair_optimally(Elo(), mu, wanted, sigma)
    with pytest.raises(InputError):
        pair_optimally(Elo(), [1500.0, 1600.0], 0.5, forbidden=[0, 1])
    for alone in (0.0, -1.0, float("nan")):
        with pytest.raises(ParameterError):
            pair_optimally(Elo(), [1500.0, 1600.0], 0.5, alone=alone)
