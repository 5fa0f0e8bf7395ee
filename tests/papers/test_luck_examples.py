"""Every example of sections 2 and 4.1 of "Paired comparisons for games of chance", with its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from podium.errors import InputError
from podium.systems.luck import (
    BRADLEY_TERRY,
    FAIR_COIN,
    FIDE,
    HEAVISIDE,
    LOGISTIC,
    MAJORITY,
    LuckFunction,
    coin_flip,
    margin,
)
from podium_papers.luck_model import (
    Comparisons,
    Measure,
    dirac,
    dirac_kernel,
    dirac_only,
    expected_score,
    grow,
    is_dirac_only,
    mixture,
    posterior,
)

HALF = Fraction(1, 2)


def lattice(low: float, high: float, step: float) -> list[float]:
    """Multiples of `step`; two lattices of one step share their points, as Heaviside's jump asks for."""
    return [k * step for k in range(round(low / step), round(high / step) + 1)]


def test_2_4_the_better_one_wins_or_a_coin() -> None:
    strengths = [-1.5, 0.0, 2.0]
    for x in strengths:
        for y in strengths:
            wins = 1.0 if x > y else 0.5 if x == y else 0.0
            assert expected_score(HEAVISIDE, dirac(x), dirac(y)) == wins
            assert expected_score(FAIR_COIN, dirac(x), dirac(y)) == 0.5
    varied = Measure({-1: 1, 0: 2, 3: 1})  # an inconsistent player wins some, loses some
    assert expected_score(HEAVISIDE, varied, dirac(0)) == 0.5
    assert expected_score(HEAVISIDE, varied, dirac(1)) == 0.25


@pytest.mark.parametrize(("x", "y"), [(1, 1), (2, 3), (13, 11), (Fraction(1, 7), 5)])
def test_2_5_bradley_terry(x: Fraction, y: Fraction) -> None:
    assert expected_score(BRADLEY_TERRY, dirac(x), dirac(y)) == Fraction(x) / (x + y)
    # and the same reparameterised by x ↦ eˣ
    assert expected_score(LOGISTIC, dirac(math.log(x)), dirac(math.log(y))) == pytest.approx(x / (x + y))


def performances(density: Callable[[float], float], low: float, high: float) -> Measure[float]:
    return Measure.of_density(density, lattice(low, high, 0.05))


def gumbel(at: float) -> Measure[float]:
    return performances(lambda z: math.exp(-(z - at) - math.exp(-(z - at))), at - 4.0, at + 16.0)


@pytest.mark.parametrize("difference", [0.0, 0.5, 2.0])
def test_2_6_bradley_terry_as_performances(difference: float) -> None:
    """Gumbel performances and no luck. Sums with a step h of 1/20 are off by some 2e-5, h²/12 · f'."""
    score = expected_score(HEAVISIDE, gumbel(difference), gumbel(0.0))
    assert score == pytest.approx(1 / (1 + math.exp(-difference)), abs=5e-5)


def normal_performances(at: float) -> Measure[float]:
    return performances(NormalDist(at, 1.0).pdf, at - 7.0, at + 7.0)


@pytest.mark.parametrize("difference", [0.0, 0.5, 2.0])
def test_2_6_thurstone_and_mosteller(difference: float) -> None:
    score = expected_score(HEAVISIDE, normal_performances(difference), normal_performances(0.0))
    assert score == pytest.approx(NormalDist(0.0, math.sqrt(2)).cdf(difference), abs=5e-5)


@pytest.mark.parametrize("difference", [0.0, 0.5, 2.0])
def test_2_7_true_skills_margin(difference: float) -> None:
    """The margin lies half-way between points of the lattice, where sums see the jump best."""
    score = expected_score(margin(0.525), normal_performances(difference), normal_performances(0.0))
    gap = NormalDist(difference, math.sqrt(2))
    assert score == pytest.approx(1 - (gap.cdf(0.525) + gap.cdf(-0.525)) / 2, abs=5e-5)


@pytest.mark.parametrize(
    ("points", "chance"),
    [(0, 1 / 2), (400, 10 / 11), (401, 10 / 11), (2000, 10 / 11), (-900, 1 / 11), (200, 1 / (1 + 10**-0.5))],
)
def test_2_8_fide_cuts_the_tails(points: float, chance: float) -> None:
    natural = math.log(10) / 400
    score = expected_score(FIDE, dirac((1500 + points) * natural), dirac(1500 * natural))
    assert score == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize("beta", [Fraction(4, 5), Fraction(1, 100), Fraction(99, 100)])
def test_2_9_chess_or_a_coin(beta: Fraction) -> None:
    """The champion beats the author, the author a rock, and the champion a rock: all with (1 + β)/2."""
    game = coin_flip(BRADLEY_TERRY, beta)
    champion, author, rock = dirac(10**24), dirac(10**12), dirac(1)
    for a, b in ((champion, author), (author, rock), (champion, rock)):
        assert expected_score(game, a, b) == pytest.approx((1 + beta) / 2, rel=0, abs=1e-11)
        assert expected_score(game, a, b) + expected_score(game, b, a) == 1
    assert expected_score(game, author, author) == HALF


def test_2_10_nobody_is_best() -> None:
    a, b, c = dirac((3, 3, 3)), dirac((4, 4, 1)), dirac((5, 2, 2))
    assert [expected_score(MAJORITY, *pair) for pair in ((a, b), (b, c), (c, a))] == [0, 0, 0]
    assert [expected_score(MAJORITY, *pair) for pair in ((b, a), (c, b), (a, c))] == [1, 1, 1]
    assert expected_score(MAJORITY, dirac((1, 2, 3)), dirac((1, 3, 2))) == 0.5


POINTS = LuckFunction("points", lambda x, y: 1 / (1 + 10 ** ((y - x) / 400)))


@pytest.mark.parametrize("score", [1, 0, 0.5])
def test_2_13_a_normal_prior_and_bradley_terry(score: float) -> None:
    """What Glicko approximates: sums on a lattice of 20 points against Gauss and Hermite's integration."""
    strengths = [Measure.of_density(NormalDist(1500, 200).pdf, range(0, 3001, 20))]
    strengths += [Measure.of_density(NormalDist(1600, 100).pdf, range(900, 2301, 20))]
    after = mixture(posterior(POINTS, *map(dirac_only, strengths), score))

    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    x, y = 1500 + 200 * nodes, 1600 + 100 * nodes
    win = 1 / (1 + 10 ** ((y[None, :] - x[:, None]) / 400))
    likelihood = (win**score * (1 - win) ** (1 - score)) @ weights
    density = weights * likelihood / (weights @ likelihood)
    assert after.mean == pytest.approx(density @ x, abs=1e-6)
    assert after.variance == pytest.approx(density @ (x - density @ x) ** 2, abs=1e-4)


@pytest.mark.parametrize("sigma", [50, 100, 200])
def test_3_1_a_coin_caps_what_a_fluke_does(sigma: int) -> None:
    """Eq. (4) for somebody far below an opponent of 2000: σ² ln 10 / 400 without a coin, nothing with one."""
    prior = Measure.of_density(NormalDist(-500, sigma).pdf, range(-500 - 8 * sigma, -499 + 8 * sigma, 10))

    def gain(beta: float) -> float:
        after = posterior(coin_flip(POINTS, beta), dirac_only(prior), dirac(dirac(2000)), 1)
        return float(mixture(after).mean - prior.mean)

    assert gain(1.0) == pytest.approx(sigma**2 * math.log(10) / 400, rel=1e-3)
    assert 0 < gain(0.99) < 0.1
    assert 0 < gain(0.8) < 0.01


def alice_or_abi(p: Fraction) -> Measure[int]:
    """Alice, of strength −1, plays with chance p, and otherwise Abi, of strength 1."""
    return Measure({-1: p, 1: 1 - p})


def test_2_14_a_shared_account() -> None:
    """With a uniform prior over p, matches are Bernoulli's and the posterior is a beta distribution."""
    cells = 200
    grid = [Fraction(2 * k + 1, 2 * cells) for k in range(cells)]
    games = Comparisons(HEAVISIDE, prior=Measure.uniform(map(alice_or_abi, grid)))
    games.seed("B", dirac(dirac(0)))
    for score in (1, 0, 1, 1, 1, 0):
        games.record("A", "B", score)
    belief = games.belief("A")
    assert not is_dirac_only(belief)
    beta = [float(p) ** 2 * float(1 - p) ** 4 for p in grid]  # Abi won four times, Alice lost twice
    for p, density in zip(grid, beta, strict=True):
        assert belief[alice_or_abi(p)] == pytest.approx(density / sum(beta), rel=1e-12)
    # The mean of Beta(5, 3), which a midpoint sum misses by about 1/(24 · cells²) of what the density bends.
    assert games.expected_score("A", "B") == pytest.approx(5 / 8, abs=1e-4)
    assert games.belief("B") == dirac(dirac(0))


def test_2_14_who_must_always_perform_alike_cannot_do_that() -> None:
    games = Comparisons(HEAVISIDE, prior=dirac_only(Measure.uniform(range(-3, 4))))
    games.seed("B", dirac(dirac(0)))
    games.seed("C", dirac(dirac(1)))
    games.record("A", "B", 1)
    assert min(mixture(games.belief("A")).points) == 0  # nothing below y is left
    games.record("A", "B", 0)
    assert games.belief("A") == dirac(dirac(0))
    before = {name: games.belief(name) for name in "ABC"}
    with pytest.raises(InputError, match="'A against C': a score of 1 cannot happen"):
        games.record("A", "C", 1)
    assert {name: games.belief(name) for name in "ABC"} == before

    shared = Comparisons(HEAVISIDE, prior=Measure.uniform(alice_or_abi(Fraction(k, 4)) for k in range(5)))
    shared.seed("B", dirac(dirac(0)))
    shared.seed("C", dirac(dirac(HALF)))
    for opponent, score in (("B", 1), ("B", 0), ("C", 1)):
        shared.record("A", opponent, score)
    # p (1 − p)² at p = ¼, ½, ¾: 9, 8 and 3 of 64
    assert [shared.belief("A")[alice_or_abi(Fraction(k, 4))] for k in range(5)] == pytest.approx(
        [0, 9 / 20, 8 / 20, 3 / 20, 0]
    )


def test_2_15_discrete_over_discrete() -> None:
    """α̂ᵢ ∝ αᵢ Σⱼ βⱼ Σₖₗ pᵢₖ qⱼₗ Λ(xᵢₖ, yⱼₗ), summed by hand for two possible players against two."""
    a1, a2 = Measure({1: 1, 3: 2}), Measure({2: 1})
    b1, b2 = Measure({1: 3, 2: 1}), Measure({4: 1})
    nu_a, nu_b = Measure({a1: 1, a2: 3}), Measure({b1: 2, b2: 1})
    third, quarter = Fraction(1, 3), Fraction(1, 4)
    against_b1 = (
        third * (3 * quarter * HALF + quarter * third),
        2 * third * (3 * quarter * 3 * quarter + quarter * Fraction(3, 5)),
    )
    against_b2 = third * Fraction(1, 5) + 2 * third * Fraction(3, 7)
    first = quarter * (2 * third * sum(against_b1) + third * against_b2)
    second = 3 * quarter * (2 * third * (3 * quarter * 2 * third + quarter * HALF) + third * third)
    after = posterior(BRADLEY_TERRY, nu_a, nu_b, 1)
    assert after[a1] == first / (first + second)
    assert after[a2] == second / (first + second)


def test_2_17_a_kernel_that_changes_nobody() -> None:
    nu = Measure({Measure({1: 1, 2: 1}): 1, dirac(3): 4})
    assert grow(nu, dirac) == nu


def test_2_18_glickos_growth_stays_normal() -> None:
    points = lattice(-6.0, 6.0, 0.1)
    before = Measure.of_density(NormalDist(0.5, 0.6).pdf, points)
    kernel = dirac_kernel(lambda x, y: NormalDist(x, 0.3).pdf(y), points, normalise="each")
    after = mixture(grow(dirac_only(before), kernel))
    expected = Measure.of_density(NormalDist(0.5, math.hypot(0.6, 0.3)).pdf, points)
    assert max(abs(after[x] - expected[x]) for x in points) < 1e-12


RHO_A = {2: Fraction(9, 20), 5: Fraction(3, 20), 13: Fraction(8, 20)}
RHO_B = {3: Fraction(2, 11), 7: Fraction(4, 11), 11: Fraction(5, 11)}


def test_4_1_a_match_exactly() -> None:
    games = Comparisons(BRADLEY_TERRY, prior=dirac_only(Measure(RHO_A)))
    games.seed("B", dirac_only(Measure(RHO_B)))
    games.record("A", "B")
    a, b = (dict(mixture(games.belief(name)).items()) for name in "AB")
    of = Fraction(1, 284005)
    assert a == {2: 69024 * of, 5: 41925 * of, 13: 173056 * of}
    assert b == {3: 74724 * of, 7: 105456 * of, 11: 103825 * of}
    assert all(isinstance(mass, Fraction) for mass in (*a.values(), *b.values()))


U = [1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 24, 25, 26, 35, 36, 37]
U += [48, 49, 50, 63, 64, 65, 80, 81, 82, 99, 100]


def test_4_2_growth_exactly() -> None:
    squares = Measure.uniform(k * k for k in range(1, 11))
    steps = dirac_kernel(lambda x, y: Fraction(abs(x - y) <= 1, 3), range(1, 101))
    grown = mixture(grow(dirac_only(squares), steps))
    assert dict(grown.items()) == dict.fromkeys(U, Fraction(1, 28))
    # Each κ_x a probability measure instead (Eq. 6): who is at the edge spreads over two points only.
    each = dirac_kernel(lambda x, y: Fraction(abs(x - y) <= 1, 3), range(1, 101), normalise="each")
    grown = mixture(grow(dirac_only(squares), each))
    assert [grown[n] for n in (1, 2, 3, 99, 100)] == [
        Fraction(1, 20),
        Fraction(1, 20),
        Fraction(1, 30),
        Fraction(1, 20),
        Fraction(1, 20),
    ]
