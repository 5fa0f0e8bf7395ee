"""Distributions of performances given by their functions: the framework agrees with what is compiled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from naive import elo_mmr as naive
from naive.performances import GumbelMin
from podium import EloMMR, EloMMX, History, Ladder, ParameterError, make_system, rate
from podium.named import temporary_registrations
from podium.numerics.normal import hazard
from podium.simulation.populations import synthetic_contests
from podium.systems.elo_mmr.gumbel_kernels import gumbel_mode
from podium.systems.elo_mmr.performance_distributions import (
    GUMBEL_MIN,
    PerformanceDistribution,
    mode,
    register_distribution,
    solve_decreasing,
)

STEEP = math.pi / math.sqrt(3.0)  # of the logistic distribution with variance 1


def sigma(z: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * STEEP * z))


hazards = np.vectorize(hazard, otypes=[float])

LOGISTIC = PerformanceDistribution(
    "logistic by hand",
    loss=lambda z: -STEEP * sigma(z),
    draw=lambda z: STEEP * (1.0 - 2.0 * sigma(z)),
    victory=lambda z: STEEP * sigma(-z),
)
NORMAL = PerformanceDistribution(
    "normal by hand", loss=lambda z: -hazards(z), draw=lambda z: -z, victory=lambda z: hazards(-z)
)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    with temporary_registrations():
        register_distribution(LOGISTIC)
        register_distribution(NORMAL)
        yield


def season() -> History:
    contests = synthetic_contests(30, 6, 12, seed=3).history
    tied = {f"p{i:05}": 1 + i // 3 for i in range(9)}
    events = [{"ranks": tied, "time": "2021-01-01", "weight": 2.5, "ceiling": 1650.0, "unrated": ["p00001"]}]
    return History.concat([contests, History.from_events(events)])


@pytest.mark.parametrize("ties", ["whole", "half"])
@pytest.mark.parametrize("rho", [0.0, 1.0, math.inf])
def test_the_logistic_one_by_hand_is_the_compiled_one(rho: float, ties: str) -> None:
    more = {"rho": rho, "ties": ties, "drift_per_day": 5.0, "newcomer_weights": (0.5,)}
    by_hand, compiled = (
        rate(season(), EloMMR(performance=name, **more), trace=True).trace
        for name in ("logistic by hand", "logistic")
    )
    for column in ("performance", "mu_before", "sigma_before", "mu", "sigma"):
        np.testing.assert_allclose(by_hand[column], compiled[column], rtol=0, atol=1e-8)


@pytest.mark.parametrize("ties", ["whole", "half"])
@pytest.mark.parametrize("start", ["fixed", "adaptive"])
def test_the_normal_one_by_hand_is_elo_mmx(ties: str, start: str) -> None:
    """With normal factors a belief is normal, whatever ρ does with them."""
    more = {"ties": ties, "newcomer_start": start}
    by_hand = rate(season(), EloMMR(performance="normal by hand", rho=0.7, **more), trace=True).trace
    exact = rate(season(), EloMMX(**more), trace=True).trace
    for column in ("performance", "mu", "sigma"):
        np.testing.assert_allclose(by_hand[column], exact[column], rtol=0, atol=1e-7)


def test_the_gumbel_one_is_a_distribution_with_long_bad_days() -> None:
    """Of mean 0 and variance 1, as are those that can be registered; and what its cut leaves is finite."""
    gumbel = EloMMR(performance="gumbel-min").distribution
    assert gumbel is not None
    register_distribution(replace(gumbel, name="gumbel by another name"))
    steep, z = math.pi / math.sqrt(6.0), np.linspace(-6.0, 6.0, 49)
    exact = -np.expm1(-np.exp(steep * z - np.euler_gamma))
    np.testing.assert_allclose(gumbel.cdf(z), exact, rtol=1e-9, atol=1e-300)
    assert gumbel.mode == pytest.approx(np.euler_gamma / steep, abs=1e-12)
    assert gumbel.cdf(np.array([-3.0]))[0] > 5.0 * (1.0 - gumbel.cdf(np.array([3.0]))[0])
    far = np.array([-1e9, -500.0, 500.0, 1e9])
    assert all(np.isfinite(f(far)).all() for f in (gumbel.loss, gumbel.draw, gumbel.victory))


@pytest.mark.parametrize("rho, ties", [(0.0, "whole"), (1.0, "half"), (math.inf, "whole")])
def test_the_compiled_gumbel_one_is_that_of_its_functions(rho: float, ties: str) -> None:
    gumbel = EloMMR(performance="gumbel-min").distribution
    assert gumbel is not None
    assert gumbel.compiled is not None
    register_distribution(replace(gumbel, name="gumbel in numpy", compiled=None))
    more = {"rho": rho, "ties": ties, "drift_per_day": 5.0, "newcomer_start": "adaptive"}
    by_hand, compiled = (
        rate(season(), EloMMR(performance=name, **more), trace=True).trace
        for name in ("gumbel in numpy", "gumbel-min")
    )
    for column in ("performance", "mu_before", "sigma_before", "mu", "sigma"):
        np.testing.assert_allclose(by_hand[column], compiled[column], rtol=0, atol=1e-9)


@pytest.mark.parametrize("factors", [[1300.0], [1500.0], [1700.0, 900.0]], ids=repr)
def test_the_mode_of_a_skewed_belief_may_lie_beyond_all_performances(factors: list[float]) -> None:
    """Where ln of the density is largest on a grid: (s − 1500)²/(2 · 350²) and ln f((p − s)/200) of each p.

    The density of a Gumbel distribution of minima is f(z) = a x e^−x with x = e^(az − c).
    """
    steep, grid = math.pi / math.sqrt(6.0), np.linspace(800.0, 1800.0, 100_001)
    density = -((grid - 1500.0) ** 2) / (2.0 * 350.0**2)
    for p in factors:
        power = steep * (p - grid) / 200.0 - np.euler_gamma
        density += power - np.exp(power)
    expected = pytest.approx(grid[density.argmax()], abs=0.02)  # two steps of the grid
    w0, n = 350.0**-2, len(factors)
    p, w, beta = np.array(factors), np.full(n, 200.0**-2), np.full(n, 200.0)
    terms = tuple(naive.Term(own, 200.0**-2, 200.0) for own in factors)
    assert naive.mode(naive.Belief(0.0, 0.0, 1500.0, w0, terms), GumbelMin) == expected
    assert mode(GUMBEL_MIN, 1500.0, w0, p, w, beta) == expected
    for start in (1500.0, -1e6, 1e6):  # wherever the search begins
        assert gumbel_mode(start, 1500.0, w0, 0, n, p, w, beta) == expected


def test_a_bad_day_counts_less_than_a_good_one_where_performances_are_gumbel() -> None:
    """Settled players: whoever is last for once loses less than who is first for once gains."""
    names = "abcdefghijkl"
    even = [{"ranks": {n: 1 + (i + k) % 12 for i, n in enumerate(names)}} for k in range(24)]
    ladder = rate(History.from_events(even), EloMMR(performance="gumbel-min")).ladder
    before = {n: ladder.rating(n).mu for n in names}
    changes = ladder.record(ranks={n: i + 1 for i, n in enumerate(names)})
    moved = {change.player: change.mu - before[change.player] for change in changes}
    assert moved["a"] > 1.5 * -moved["l"] > 0.0
    explained = ladder.explain("c")
    parts = [(performance.performance, performance.share) for performance in explained.performances]
    assert all(share > 0.0 for _, share in parts)
    assert explained.rise == math.inf > explained.fall


def test_predictions_follow_the_distribution() -> None:
    by_hand, compiled = EloMMR(performance="logistic by hand"), EloMMR()
    differences = np.array([-900.0, -50.0, 0.0, 120.0, 2000.0])
    given = (differences, np.full(5, 80.0), np.zeros(5), np.full(5, 300.0))
    np.testing.assert_allclose(
        by_hand.win_probability(*given), compiled.win_probability(*given), rtol=0, atol=1e-9
    )
    normal = EloMMR(performance="normal by hand").win_probability(*given)
    np.testing.assert_allclose(normal, EloMMX().win_probability(*given), rtol=0, atol=1e-9)


def test_explanations_follow_the_distribution() -> None:
    explained = {}
    for name in ("logistic by hand", "logistic", "normal by hand"):
        ladder = rate(season(), EloMMR(performance=name)).ladder
        explained[name] = ladder.explain("p00004")
    by_hand, compiled = explained["logistic by hand"], explained["logistic"]
    assert [p.share for p in by_hand.performances] == pytest.approx([p.share for p in compiled.performances])
    assert (by_hand.rise, by_hand.fall) == pytest.approx((compiled.rise, compiled.fall), abs=1e-6)
    assert explained["normal by hand"].rise == explained["normal by hand"].fall == math.inf
    assert "any amount" in str(explained["normal by hand"])


def test_a_name_is_what_is_saved(tmp_path: object) -> None:
    system = make_system("elo-mmr", performance="normal by hand")
    ladder = Ladder(system)
    ladder.record(ranks={"ann": 1, "bob": 2})
    ladder.save(f"{tmp_path}/l.podium")
    assert Ladder.load(f"{tmp_path}/l.podium").system == system


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="there is no distribution 'cauchy'"):
        EloMMR(performance="cauchy")
    with pytest.raises(ParameterError, match="'logistic' is a distribution that podium defines"):
        register_distribution(
            PerformanceDistribution("logistic", LOGISTIC.loss, LOGISTIC.draw, LOGISTIC.victory)
        )
    with pytest.raises(ParameterError, match="already"):
        register_distribution(
            PerformanceDistribution("normal by hand", NORMAL.loss, NORMAL.draw, LOGISTIC.victory)
        )


def test_functions_are_tried_out() -> None:
    def changed(**functions: object) -> PerformanceDistribution:
        return replace(LOGISTIC, name="odd", **functions)

    with pytest.raises(ParameterError, match="victory of 'odd' is not finite"):
        register_distribution(changed(victory=lambda z: z * np.nan))
    with pytest.raises(ParameterError, match="not finite and falling"):
        register_distribution(changed(draw=lambda z: z))
    with pytest.raises(ParameterError, match="not 0 and 1"):
        register_distribution(
            PerformanceDistribution(
                "wide",
                loss=lambda z: LOGISTIC.loss(z / 2) / 2,
                draw=lambda z: LOGISTIC.draw(z / 2) / 2,
                victory=lambda z: LOGISTIC.victory(z / 2) / 2,
            )
        )
    other = replace(NORMAL, victory=lambda z: hazards(-z))
    assert register_distribution(other, replace=True) is other


def test_zeros_of_many_functions_at_once() -> None:
    targets = np.array([0.0, 1e-9, 2.5, 1e6, -3.0])
    found = solve_decreasing(lambda x: targets - x**3, np.full(5, -1e3), np.full(5, 1e3))
    np.testing.assert_allclose(found, np.cbrt(targets), rtol=0, atol=1e-9)
