"""Predictions of free-for-alls: closed forms, a twin from the definition, simulations, and each other.

Errors promised: 1e-10 in a place's chance and in one to be among the first k, and, relative to the number of
players, in an expected place. Where there is a closed form, a thousand times less is asked for.
"""

from __future__ import annotations

import itertools
import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED
from naive import free_for_all as naive
from podium.numerics.free_for_all import quadrature
from podium.numerics.free_for_all.mean_places import expected_ranks
from podium.numerics.free_for_all.noise import PANEL_WIDTH
from podium.numerics.free_for_all.place_chances import rank_probabilities
from podium.numerics.free_for_all.top_chances import top_chances

FAMILIES = ["gumbel", "normal", "logistic"]
SMALL = 120 if COMPILED else 4
MEDIUM = 300 if COMPILED else 4
LARGE = 1_000 if COMPILED else 10
HUGE = 10_000 if COMPILED else 12

Field = tuple[np.ndarray, np.ndarray]


def fields(n: int) -> dict[str, Field]:
    """What a quadrature may stumble over."""
    chance = np.random.default_rng(11)
    usual, unlike = chance.normal(0, 2, n), np.exp(chance.normal(0, 0.4, n))
    return {
        "usual": (usual, unlike),
        "equals": (np.zeros(n), np.ones(n)),
        "scales from 1 to 1000": (chance.normal(0, 500, n), np.logspace(0, 3, n)),
        "one narrow among wide": (np.zeros(n), np.append(np.full(n - 1, 1000.0), 1.0)),
        "one wide among narrow": (usual, np.append(np.ones(n - 1), 1000.0)),
        "far apart": (1e9 * usual, unlike),
        "two clusters": (usual + 1e12 * (np.arange(n) % 2), unlike),
        "beyond digits": (1e300 * (np.arange(n) % 3), unlike),
        "nested": (np.zeros(n), np.geomspace(1.0, 1e6, n)),
    }


MANY_PANELS = ("scales from 1 to 1000", "nested", "two clusters")
CASES = [
    (family, name)
    for i, family in enumerate(FAMILIES)
    for j, name in enumerate(fields(2))
    if COMPILED or (i == j % len(FAMILIES) and name not in MANY_PANELS)
]
"""Every family with every field; without the compiler each field of few panels with one of them."""


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=12 if COMPILED else 2)
@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0.5, 2)), min_size=2, max_size=4))
def test_against_the_definition(family: str, players: list[tuple[float, float]]) -> None:
    location, scale = (np.array(column) for column in zip(*players, strict=True))
    matrix = rank_probabilities(family, location, scale)
    ranks = expected_ranks(family, location, scale)
    for i in range(len(players)):
        places = [naive.place_chance(family, players, i, k + 1) for k in range(len(players))]
        assert matrix[i] == pytest.approx(places, abs=1e-10)
        assert ranks[i] == pytest.approx(naive.expected_rank(family, players, i), abs=1e-10)
        for k in range(1, len(players)):
            assert top_chances(family, location, scale, k)[i] == pytest.approx(sum(places[:k]), abs=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [3, 4])
def test_against_all_orders(family: str, n: int) -> None:
    """Every order's chance by nested integrals; a place's is the sum over the orders that have it."""
    players = [(0.0, 1.0), (0.7, 1.5), (-0.4, 0.8), (1.1, 1.2)][:n]
    matrix = np.zeros((n, n))
    per_scale = 40 if COMPILED else 20
    for order in itertools.permutations(range(n)):
        chance = naive.order_chance(family, [players[i] for i in order], per_scale)
        for place, i in enumerate(order):
            matrix[i, place] += chance
    location, scale = (np.array(column) for column in zip(*players, strict=True))
    assert rank_probabilities(family, location, scale) == pytest.approx(matrix, abs=1e-6)


def test_gumbels_of_one_scale_choose_like_plackett_and_luce() -> None:
    """Luce (1959): the next place goes to everybody in proportion to e^(location/scale)."""
    location = np.array([0.0, 1.3, -0.4, 2.2, 0.1])
    strength = np.exp(location / 1.7)
    matrix = np.zeros((5, 5))
    for order in itertools.permutations(range(5)):
        left = np.cumsum(strength[list(order)][::-1])[::-1]
        chance = float(np.prod(strength[list(order)] / left))
        matrix[order, range(5)] += chance
    scale = np.full(5, 1.7)
    assert rank_probabilities("gumbel", location, scale) == pytest.approx(matrix, abs=1e-13)
    assert top_chances("gumbel", location, scale, 1) == pytest.approx(strength / strength.sum(), abs=1e-13)


def test_a_large_field_of_gumbels_is_won_in_proportion() -> None:
    """Most have tiny chances, which are right in all digits that matter."""
    location = np.random.default_rng(3).normal(0, 3, HUGE)
    strength = np.exp(location)
    chances = top_chances("gumbel", location, np.ones(HUGE), 1)
    assert np.abs(chances - strength / strength.sum()).max() < 1e-13
    likely = strength / strength.sum() > 1e-9
    assert chances[likely] == pytest.approx((strength / strength.sum())[likely], rel=1e-6)


def test_pairs_have_closed_forms() -> None:
    """Normals differ by a normal, Gumbels of one scale by a logistic: the expected place adds up pairs."""
    chance = np.random.default_rng(7)
    location, scale = chance.normal(0, 3, 40), np.exp(chance.normal(0, 1, 40))
    z = (location[None, :] - location[:, None]) / np.hypot(scale[None, :], scale[:, None])
    better = np.array([[math.erfc(-x / math.sqrt(2)) / 2 for x in row] for row in z])
    assert expected_ranks("normal", location, scale) == pytest.approx(0.5 + better.sum(axis=1), abs=1e-10)
    better = 1 / (1 + np.exp(location[:, None] - location[None, :]))
    found = expected_ranks("gumbel", location, np.ones(40))
    assert found == pytest.approx(0.5 + better.sum(axis=1), abs=1e-10)


@pytest.mark.parametrize(("family", "name"), CASES)
def test_the_three_agree(family: str, name: str) -> None:
    """The matrix's rows and columns add up to one; its means and partial sums are found without it too."""
    n = SMALL
    location, scale = fields(n)[name]
    matrix = rank_probabilities(family, location, scale)
    assert matrix.min() >= 0
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert np.abs(matrix.sum(axis=0) - 1).max() < 1e-10
    ranks = expected_ranks(family, location, scale)
    assert np.abs(ranks - matrix @ np.arange(1, n + 1)).max() < 1e-10 * n
    top = matrix.cumsum(axis=1)
    for k in {1, n // 3, n // 2, n - 1, n + 5}:
        chances = top_chances(family, location, scale, k)
        assert np.abs(chances - top[:, min(k, n) - 1]).max() < 1e-10
        assert 0 <= chances.min() <= chances.max() <= 1


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["usual", "scales from 1 to 1000", "nested"])
def test_finer_panels_change_nothing(family: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    location, scale = fields(max(MEDIUM // 3, 3))[name]
    matrix, ranks = rank_probabilities(family, location, scale), expected_ranks(family, location, scale)
    for number, width in PANEL_WIDTH.items():
        monkeypatch.setitem(PANEL_WIDTH, number, width / 2)
    monkeypatch.setattr(quadrature, "DEVIATIONS_PER_PANEL", quadrature.DEVIATIONS_PER_PANEL / 2)
    monkeypatch.setattr(quadrature, "WIDTH_PER_DISTANCE", 0.0)
    assert np.abs(rank_probabilities(family, location, scale) - matrix).max() < 1e-10
    assert np.abs(expected_ranks(family, location, scale) - ranks).max() < 1e-10 * len(ranks)


@pytest.mark.parametrize("family", FAMILIES)
def test_against_a_simulation(family: str) -> None:
    """50 players: of 2,500 frequencies, one beyond five standard errors would be expected 0.0015 times."""
    n, races = (50, 100_000) if COMPILED else (6, 20_000)
    chance = np.random.default_rng(2)
    location, scale = chance.normal(0, 1.5, n), np.exp(chance.normal(0, 0.5, n))
    noise = {"gumbel": chance.gumbel, "normal": chance.normal, "logistic": chance.logistic}[family]
    place = (-(location + scale * noise(size=(races, n)))).argsort(axis=1).argsort(axis=1)
    frequency = np.stack([np.bincount(place[:, i], minlength=n) for i in range(n)]) / races
    matrix = rank_probabilities(family, location, scale)
    # Where a place is rarer than one in a thousand races, counts are no longer normal: five more are allowed.
    bound = 5 * np.sqrt(matrix * (1 - matrix) / races) + 5 / races
    assert (np.abs(frequency - matrix) < bound).all()
    spread = place.std(axis=0) / math.sqrt(races)
    assert (np.abs(expected_ranks(family, location, scale) - place.mean(axis=0) - 1) < 5 * spread).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_equals_share_every_place(family: str) -> None:
    """As many as there may be: the count above a line moves fastest where all are equal."""
    matrix = rank_probabilities(family, np.full(LARGE, 1500.0), np.full(LARGE, 170.0))
    assert np.abs(matrix * LARGE - 1).max() < 1e-9
    for k in (1, 7, HUGE // 2, HUGE - 1):
        chances = top_chances(family, np.zeros(HUGE), np.ones(HUGE), k)
        assert np.abs(chances - k / HUGE).max() < 1e-10
    assert np.abs(expected_ranks(family, np.zeros(HUGE), np.ones(HUGE)) / (HUGE + 1) - 0.5).max() < 1e-10


@pytest.mark.compiled
@pytest.mark.parametrize("family", FAMILIES)
def test_the_first_k_of_a_large_field_are_k(family: str) -> None:
    location, scale = fields(HUGE)["usual"]
    for k in (1, 1 + HUGE // 1000, HUGE // 10 + 1):
        assert top_chances(family, location, scale, k).sum() == pytest.approx(k, rel=1e-10)
    ranks = expected_ranks(family, location, scale)
    assert ranks.mean() == pytest.approx((HUGE + 1) / 2, rel=1e-12)
    # Some of them, against a sum over everybody else.
    for i in (0, HUGE // 2):
        shown = naive.grid(family, (location[i], scale[i]), [(0.0, 0.4)], 2)
        total = 0.5
        for x in shown[0]:
            weight = shown[1] * naive.density(family, (float(location[i]), float(scale[i])), x)
            if weight > 1e-12:
                total += weight * sum_above(family, location, scale, x)
        assert ranks[i] == pytest.approx(total, rel=1e-9)


def sum_above(family: str, location: np.ndarray, scale: np.ndarray, x: float) -> float:
    """Plainly, with NumPy."""
    z = (x - location) / scale
    if family == "gumbel":
        return float(-np.expm1(-np.exp(np.minimum(-z, 700.0))).sum())
    if family == "logistic":
        return float((0.5 - 0.5 * np.tanh(0.5 * z)).sum())
    return float(sum(map(math.erfc, (z / math.sqrt(2)).tolist()))) / 2


@pytest.mark.parametrize("family", FAMILIES)
def test_threads_change_no_bit(family: str) -> None:
    location, scale = fields(MEDIUM)["usual"]

    def everything() -> list[bytes]:
        found = [rank_probabilities(family, location, scale), expected_ranks(family, location, scale)]
        return [array.tobytes() for array in (*found, top_chances(family, location, scale, 3))]

    many = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = everything()
    finally:
        numba.set_num_threads(many)
    assert everything() == alone


@pytest.mark.parametrize("family", FAMILIES)
def test_the_order_of_players_does_not_matter(family: str) -> None:
    location, scale = fields(MEDIUM)["usual"]
    order = np.random.default_rng(1).permutation(MEDIUM)
    for predict in (rank_probabilities, expected_ranks):
        found = predict(family, location, scale)[order]
        assert predict(family, location[order], scale[order]) == pytest.approx(found, abs=1e-10)
    found = top_chances(family, location, scale, 5)[order]
    assert top_chances(family, location[order], scale[order], 5) == pytest.approx(found, abs=1e-12)
