"""Pairings: everybody once, neighbours by target, shuffles that keep to their window."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import matchmaking as naive
from podium import InputError, ParameterError
from podium.matchmaking.pairing import Pairing, pair_at_random, pair_by_target, swap_within

SEEDS = st.integers(0, 2**32 - 1)
REACHES = st.sampled_from(["around", "ahead"])


def chance(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def pairs(pairing: Pairing) -> set[frozenset[int]]:
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
