"""Models 2.1, 2.11 and 2.16 against sums over lists, and the object that learns match by match."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from podium.errors import InputError, ParameterError, UnknownPlayerError
from podium.systems.luck import BRADLEY_TERRY, HEAVISIDE, LOGISTIC, LuckFunction, coin_flip, laplace
from podium_papers.luck_model import (
    Comparisons,
    Measure,
    dirac,
    dirac_kernel,
    dirac_only,
    expected_score,
    grow,
    mixture,
    posterior,
)

Players = list[tuple[int, list[tuple[int, int]]]]
"""A belief as lists: weights of players, each of them weights of strengths."""

strengths = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 9)), min_size=1, max_size=4, unique_by=lambda pair: pair[1]
)
beliefs = st.lists(st.tuples(st.integers(1, 6), strengths), min_size=1, max_size=4)


def measured(players: Players) -> Any:
    return Measure((Measure((x, w) for w, x in strengths), weight) for weight, strengths in players)


def chance(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> Fraction:
    """L(a, b) of Example 2.15 with Bradley and Terry's Λ."""
    total = Fraction(0)
    for p, x in a:
        for q, y in b:
            total += p * q * Fraction(x, x + y)
    return total / (sum(p for p, _ in a) * sum(q for q, _ in b))


def learned(ours: Players, theirs: Players, theta: float) -> list[float]:
    """Eq. (1), in the order of the list."""
    weights = []
    for alpha, a in ours:
        inner = 0.0
        for beta, b in theirs:
            inner += beta * float(chance(a, b)) ** theta * float(chance(b, a)) ** (1 - theta)
        weights.append(alpha * inner)
    return [weight / sum(weights) for weight in weights]


@given(beliefs, beliefs, st.sampled_from([0, 0.25, 0.5, 1]))
def test_posteriors_against_sums_over_lists(ours: Players, theirs: Players, theta: float) -> None:
    expected: dict[Any, float] = {}
    for (_, a), weight in zip(ours, learned(ours, theirs, theta), strict=True):
        player = Measure((x, w) for w, x in a)
        expected[player] = expected.get(player, 0.0) + weight
    after = posterior(BRADLEY_TERRY, measured(ours), measured(theirs), theta)
    assert dict(after.items()) == pytest.approx(expected)
    if theta in (0, 1):
        assert all(isinstance(mass, Fraction) for _, mass in after.items())


@given(beliefs, beliefs)
def test_a_match_is_won_by_one_or_the_other(ours: Players, theirs: Players) -> None:
    """The prior is what the two posteriors are on average, by how likely either is."""
    a, b = measured(ours), measured(theirs)
    win = expected_score(BRADLEY_TERRY, mixture(a), mixture(b))
    won, lost = (posterior(BRADLEY_TERRY, a, b, score) for score in (1, 0))
    assert all(win * won[mu] + (1 - win) * lost[mu] == a[mu] for mu in a)
    assert win + expected_score(BRADLEY_TERRY, mixture(b), mixture(a)) == 1


kernels = st.dictionaries(
    st.integers(1, 4), st.dictionaries(st.integers(1, 4), st.integers(0, 5)), min_size=4, max_size=4
)
on_four = st.dictionaries(st.integers(1, 4), st.integers(1, 5), min_size=1)


@given(kernels, on_four)
def test_growth_against_sums_over_lists(table: dict[int, dict[int, int]], rho: dict[int, int]) -> None:
    """From x to y, which an unsymmetric K shows: Model 2.16 and not the order in which Eq. (8) is printed."""

    def weight(x: int, y: int) -> int:
        return table[x].get(y, 0)

    arrived = {y: sum(rho[x] * weight(x, y) for x in rho) for y in range(1, 5)}
    assume(sum(arrived.values()))
    once = mixture(grow(dirac_only(Measure(rho)), dirac_kernel(weight, range(1, 5))))
    assert once == Measure(arrived)

    out = {x: sum(weight(x, y) for y in range(1, 5)) for x in rho}
    assume(all(out.values()))
    each = mixture(grow(dirac_only(Measure(rho)), dirac_kernel(weight, range(1, 5), normalise="each")))
    total = sum(rho.values())
    for y in range(1, 5):
        assert each[y] == sum(Fraction(rho[x] * weight(x, y), total * out[x]) for x in rho)


def test_a_player_who_varies_may_grow_steadier() -> None:
    """Any κ: half of the time who varies becomes the better one of the two they were."""
    varied = Measure({0: 1, 4: 1})
    kernel = {varied: Measure({varied: 1, dirac(4): 1}), dirac(4): dirac(dirac(4))}
    grown = grow(Measure({varied: 2, dirac(4): 1}), kernel.__getitem__)
    assert grown == Measure({varied: 1, dirac(4): 2})


def test_a_kernel_gives_measures_on_measures() -> None:
    with pytest.raises(ParameterError, match="a kernel gives a measure on measures"):
        grow(dirac_only(dirac(1)), lambda mu: mu)  # type: ignore[arg-type, return-value]
    with pytest.raises(ParameterError, match="players who always perform alike"):
        grow(dirac(Measure({1: 1, 2: 1})), dirac_kernel(lambda x, y: 1, [1, 2]))
    with pytest.raises(ParameterError, match="'once' or 'each'"):
        dirac_kernel(lambda x, y: 1, [1], normalise="never")  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [-0.1, 1.5, float("nan")])
def test_a_score_is_a_share_of_the_point(score: float) -> None:
    with pytest.raises(ParameterError, match="a score is from 0 to 1"):
        posterior(LOGISTIC, dirac_only(dirac(0)), dirac_only(dirac(0)), score)


def test_a_luck_function_gives_chances_that_sum_to_one() -> None:
    nu = dirac_only(Measure({1: 1, 2: 1}))
    with pytest.raises(ParameterError, match=r"from 0 to 1, not 1\.5"):
        posterior(lambda x, y: 1.5, nu, nu, 1)
    with pytest.raises(ParameterError, match=r"symmetric=False"):
        posterior(lambda x, y: 0.52, nu, nu, 1)
    # but what is won at poker is no chance, and has a mean all the same
    assert expected_score(lambda x, y: 100 * (x - y) - 3, Measure({1: 1, 2: 1}), dirac(1)) == 47


def test_far_tails_are_kept() -> None:
    """Where 1 − Λ(x, y) is 0 in floats, Λ(y, x) is not: a sensation is unlikely and not impossible."""
    strong, weak = dirac_only(Measure({50.0: 1, 49.0: 1})), dirac_only(dirac(0.0))
    after = mixture(posterior(LOGISTIC, strong, weak, 0))
    assert after[49.0] / after[50.0] == pytest.approx(2.718281828, rel=1e-6)


HALF = Fraction(1, 2)
FIRST = LuckFunction("first", lambda x, y: Fraction(x, x + y) / 2 + Fraction(26, 100), symmetric=False)
"""Λ(x, x) = 0.51."""


def test_the_first_move_is_seen_from_both_sides() -> None:
    assert FIRST(2, 2) == Fraction(51, 100)
    assert FIRST.reversed()(2, 2) == Fraction(49, 100)
    assert BRADLEY_TERRY.reversed() is BRADLEY_TERRY
    assert coin_flip(FIRST, 0.5).reversed()(3, 3) == pytest.approx(0.495)

    prior = dirac_only(Measure({1: 1, 3: 1}))
    games = Comparisons(BRADLEY_TERRY, prior, home_luck=FIRST)
    assert games.expected_score("a", "b", home="a") == Fraction(51, 100)
    assert games.expected_score("a", "b", home="b") == Fraction(49, 100)
    assert games.expected_score("a", "b") == HALF
    games.record("a", "b", home="b")  # b moved first and lost
    host = {x: sum(1 - FIRST(x, y) for y in (1, 3)) for x in (1, 3)}
    guest = {x: sum(1 - FIRST(y, x) for y in (1, 3)) for x in (1, 3)}
    assert mixture(games.belief("b")) == Measure(host)
    assert mixture(games.belief("a")) == Measure(guest)

    with pytest.raises(ParameterError, match="home_luck"):
        Comparisons(FIRST, prior)
    with pytest.raises(InputError, match="'c' does not play"):
        games.record("a", "b", home="c")
    with pytest.raises(ParameterError, match="no home_luck"):
        Comparisons(BRADLEY_TERRY, prior).record("a", "b", home="a")


def test_newcomers_and_strangers() -> None:
    games = Comparisons(BRADLEY_TERRY, dirac_only(Measure({1: 1, 3: 1})))
    assert games.expected_score("ann", "bob") == HALF
    assert games.players == ()
    with pytest.raises(UnknownPlayerError, match="there is no player 'ann'"):
        games.belief("ann")
    games.record("ann", "bob", HALF)
    assert games.players == ("ann", "bob")
    with pytest.raises(UnknownPlayerError, match="did you mean 'ann'"):
        games.belief("anne")
    with pytest.raises(InputError, match="against themselves"):
        games.record("ann", "ann")
    with pytest.raises(ParameterError, match="dirac_only"):
        Comparisons(BRADLEY_TERRY, Measure({1: 1}))  # type: ignore[arg-type]


def test_beliefs_grow_after_each_match() -> None:
    points = range(1, 6)
    kernel = dirac_kernel(lambda x, y: 2 if x == y else int(abs(x - y) == 1), points)
    prior = dirac_only(Measure.uniform(points))
    games = Comparisons(BRADLEY_TERRY, prior, kernel)
    games.record("a", "b", 1)
    for name, score in (("a", 1), ("b", 0)):
        assert games.belief(name) == grow(posterior(BRADLEY_TERRY, prior, prior, score), kernel)


def test_what_cannot_be_changes_nothing_even_half_way() -> None:
    """The second player's growth fails after the first one's beliefs were worked out."""
    games = Comparisons(HEAVISIDE, dirac_only(Measure({0: 1, 2: 1})))
    games.seed("b", dirac(dirac(1)))

    def kernel(mu: Measure[int]) -> Any:
        if mu == dirac(1):
            raise InputError("nobody may be b")
        return dirac(mu)

    games.kernel = kernel
    with pytest.raises(InputError, match="nobody may be b"):
        games.record("a", "b")
    assert games.players == ("b",)


places = st.lists(
    st.tuples(st.integers(1, 9), st.floats(-30, 30)), min_size=1, max_size=12, unique_by=lambda pair: pair[1]
)


@given(ours=places, theirs=places, score=st.sampled_from([0, 1]))
def test_walks_on_laplace_curves_agree_with_all_pairs_on_any_strengths(
    ours: list[tuple[int, float]], theirs: list[tuple[int, float]], score: int
) -> None:
    """Algorithm 4.6, beside the same curve as a function of which nothing is known."""
    curve = laplace(0.4, 0.3, 0.6, 2.0)
    unknown = LuckFunction("some-curve", lambda x, y: float(curve(x, y)))
    mine, other = (dirac_only(Measure((x, w) for w, x in side)) for side in (ours, theirs))
    walked, summed = (mixture(posterior(luck, mine, other, score)) for luck in (curve, unknown))
    for _, x in ours:
        assert walked[x] == pytest.approx(summed[x], abs=1e-12)
