"""Plausible meetings: pairs once, inside groups, enough for everybody, and the right ones."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Elo, InputError, ParameterError
from podium.matchmaking.graphs.candidates import plausible_meetings
from podium.matchmaking.graphs.matching import best_matching
from podium.matchmaking.pairing import pair_by_target, pairing_gaps

SEEDS = st.integers(0, 2**32 - 1)
RATINGS = st.floats(allow_nan=False)
PLAYERS = st.lists(st.tuples(RATINGS, RATINGS), max_size=40) | st.lists(
    st.tuples(st.sampled_from([1400.0, 1500.0]), st.sampled_from([1500.0, 1600.0])), max_size=40
)


def ready(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings, the chances wanted after five games, and the opponents who leave them."""
    chance = np.random.default_rng(seed)
    mu = chance.normal(1500.0, 400.0, count)
    p = (2 * chance.binomial(5, 0.5, count) + 1) / 12
    return mu, p, Elo().opponent_rating(p, mu)


@given(PLAYERS, st.integers(1, 12))
def test_each_pair_once_and_enough_for_everybody(players: list[tuple[float, float]], neighbours: int) -> None:
    """Any ratings, infinite ones and ties too; nobody is left but the odd one."""
    rating, wanted = np.array(players).reshape(-1, 2).T
    first, second = plausible_meetings(rating, wanted, neighbours=neighbours)
    assert np.all((first >= 0) & (first < second) & (second < len(players)))
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    weight = np.full(len(first), 1.0)
    assert best_matching(len(players), first, second, weight, effort="exact").weight == len(players) // 2


@given(PLAYERS, SEEDS)
def test_only_players_who_share_a_group_meet(players: list[tuple[float, float]], seed: int) -> None:
    rating, wanted = np.array(players).reshape(-1, 2).T
    groups = np.random.default_rng(seed).random((len(players), 3)) < 0.4
    first, second = plausible_meetings(rating, wanted, groups=groups)
    assert np.all(first < second)
    assert np.all((groups[first] & groups[second]).any(axis=1))
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == len(first)
    for group in groups.T:
        inside = group[first] & group[second]
        reached = np.union1d(first[inside], second[inside])
        if group.sum() > 1:
            assert np.array_equal(reached, np.flatnonzero(group))


def test_a_small_group_is_not_drowned() -> None:
    """Ten players of a rare platform among ten thousand of another get candidates of their own."""
    mu, _, wanted = ready(10_000, 1)
    groups = np.zeros((10_000, 2), np.bool_)
    rare = np.arange(0, 10_000, 1_000)
    groups[:, 0], groups[rare] = True, [False, True]
    first, second = plausible_meetings(mu, wanted, groups=groups)
    inside = groups[first, 1]
    assert set(first[inside]) | set(second[inside]) == set(rare.tolist())
    assert inside.sum() >= 20


def test_players_who_are_all_the_same_get_different_candidates() -> None:
    """Not all of them the same few: everybody is offered to about as many as they are offered."""
    same = np.full(1_000, 1500.0)
    first, second = plausible_meetings(same, same, neighbours=8)
    degree = Counter(np.concatenate((first, second)).tolist())
    assert set(range(1_000)) == set(degree)
    assert max(degree.values()) <= 24


def test_numbers_of_candidates() -> None:
    """About twice `neighbours` for each player, as each is also offered to others."""
    mu, _, wanted = ready(20_000, 2)
    for neighbours in (8, 16, 32):
        first, _ = plausible_meetings(mu, wanted, neighbours=neighbours)
        assert 0.5 * neighbours < len(first) / len(mu) < 1.25 * neighbours


@pytest.mark.parametrize("count", [10, 201, 800])
def test_the_best_pairing_of_candidates_is_nearly_the_best_of_all(count: int) -> None:
    for seed in range(4):
        mu, p, wanted = ready(count, seed)
        everything = np.triu_indices(count, 1)
        some = plausible_meetings(mu, wanted, neighbours=24)
        lost = [
            2.0 * (count // 2) - best_matching(count, a, b, weight, effort="exact").weight
            for a, b in (everything, some)
            for weight in [2.0 - 2.0 * pairing_gaps(Elo(), mu, p, a, b)]
        ]
        assert lost[0] - 1e-9 <= lost[1] <= 1.05 * lost[0]


def test_never_worse_than_the_paper() -> None:
    """The neighbours of the paper's order are among the candidates, without ties exactly those."""
    mu, _, wanted = ready(500, 5)
    first, second = plausible_meetings(mu, wanted + np.arange(500) * 1e-6)
    candidates = set(zip(first.tolist(), second.tolist(), strict=True))
    paper = pair_by_target(wanted + np.arange(500) * 1e-6, 1)
    for a, b in zip(paper.first.tolist(), paper.second.tolist(), strict=True):
        assert (min(a, b), max(a, b)) in candidates


def test_refusals() -> None:
    with pytest.raises(InputError):
        plausible_meetings([1500.0, float("nan")], [1500.0, 1500.0])
    with pytest.raises(InputError):
        plausible_meetings([1500.0], [1500.0, 1500.0])
    with pytest.raises(InputError):
        plausible_meetings([1500.0], [1500.0], groups=np.ones((2, 1), np.bool_))
    with pytest.raises(ParameterError):
        plausible_meetings([1500.0], [1500.0], neighbours=0)
