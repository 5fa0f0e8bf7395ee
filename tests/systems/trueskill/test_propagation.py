"""What a ranking says about those ranked, against integrals over all their performances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import COMPILED
from naive import trueskill as naive
from podium.systems.trueskill.propagation import MOST_SWEEPS, learn_ranking, room_for_ranking

Floats = np.ndarray


def learned(
    mean: Floats | list[float], deviation: Floats | list[float], ranks: list[int], unit: float = 0.0
) -> tuple[Floats, Floats, int]:
    """Means and deviations after a ranking, and the sweeps; sides are given from best to worst."""
    ranked = room_for_ranking(len(ranks) + 2)  # more room than is needed
    n = len(ranks)
    before = np.asarray(mean, np.float64)
    ranked.mean[:n], ranked.variance[:n], ranked.unit[:n] = before, np.square(deviation), unit
    starts = [i for i in range(n) if i == 0 or ranks[i] != ranks[i - 1]]
    ranked.starts[: len(starts) + 1] = [*starts, n]
    sweeps = learn_ranking(ranked, n, len(starts))
    variance = 1 / (1 / np.square(deviation) + ranked.precision[:n])
    return before + variance * ranked.pull[:n], np.sqrt(variance), sweeps


def twin(mean: list[float], deviation: list[float], ranks: list[int], unit: float) -> tuple[Floats, Floats]:
    sides = [naive.Side(naive.Normal(m, s * s), 1) for m, s in zip(mean, deviation, strict=True)]
    messages = naive.settle(sides, naive.ranking(ranks), math.sqrt(unit))
    after = [naive.product(side.prior, those) for side, those in zip(sides, messages, strict=True)]
    return np.array([a.mean for a in after]), np.sqrt([a.variance for a in after])


# ------------------------------------------------------------------ integrals


def moments(x: Floats, density: Floats) -> tuple[float, float]:
    mean = float((density * x).sum() / density.sum())
    return mean, math.sqrt(float((density * (x - mean) ** 2).sum() / density.sum()))


def integrated(
    mean: list[float], deviation: list[float], ranks: list[int], margin: float
) -> tuple[Floats, Floats]:
    """Two or three sides on a grid: neighbours apart by more than the margin, or within it.

    Sums over a grid that resolves every density are exact where densities are smooth; a bound cuts one off,
    which costs the square of the step, a hundredth.
    """
    x, step = np.linspace(-100, 150, 25_001, retstep=True)
    density = [np.exp(-0.5 * ((x - m) / s) ** 2) for m, s in zip(mean, deviation, strict=True)]
    within = round(margin / step)

    def told(other: Floats, low: float, high: float) -> Floats:
        """At each x, the mass of another who is between so many steps from there; half of those at an end."""
        upto = np.concatenate([[0.0], np.cumsum(other)])
        total = np.append(upto, upto[-1])
        place = np.arange(len(x))

        def mass(steps: float) -> Floats:
            if math.isinf(steps):
                return np.zeros(len(x)) if steps < 0 else np.full(len(x), upto[-1])
            i = np.clip(place + int(steps), 0, len(x))
            return 0.5 * (total[i] + total[np.minimum(i + 1, len(x))])

        return mass(high) - mass(low)

    def worse(upper: int, upper_density: Floats, lower: int) -> Floats:
        """What the upper one says about the lower one."""
        if ranks[upper] == ranks[lower]:
            return told(upper_density, -within, within)
        return told(upper_density, within, math.inf)

    def better(upper: int, lower: int, lower_density: Floats) -> Floats:
        if ranks[upper] == ranks[lower]:
            return told(lower_density, -within, within)
        return told(lower_density, -math.inf, -within)

    n = len(mean)
    found = []
    for i in range(n):
        above = below = np.ones(len(x))
        for j in range(i):
            above = worse(j, density[j] * above, j + 1)
        for j in range(n - 1, i, -1):
            below = better(j - 1, j, density[j] * below)
        found.append(moments(x, density[i] * above * below))
    means, deviations = zip(*found, strict=True)
    return np.array(means), np.array(deviations)


PAIRS = [([25.0, 25.0], [9.0, 9.0]), ([20.0, 30.0], [5.0, 9.0]), ([31.0, 12.0], [6.0, 5.0])]


@pytest.mark.parametrize("margin", [0.5, 4.0])
@pytest.mark.parametrize("ranks", [[1, 2], [1, 1]])
@pytest.mark.parametrize(("mean", "deviation"), PAIRS)
def test_two_sides_are_exact(
    mean: list[float], deviation: list[float], ranks: list[int], margin: float
) -> None:
    """As far as the grid goes; `tests/systems/trueskill/test_trueskill.py` says so to ten digits."""
    mu, sigma, sweeps = learned(mean, deviation, ranks, margin**2 / 2)
    exact_mu, exact_sigma = integrated(mean, deviation, ranks, margin)
    np.testing.assert_allclose(mu, exact_mu, rtol=0, atol=2e-5)
    np.testing.assert_allclose(sigma, exact_sigma, rtol=0, atol=2e-5)
    assert sweeps == 1


TRIPLES = {
    "equals": ([25.0, 25.0, 25.0], [9.0, 9.0, 9.0]),
    "as expected": ([32.0, 25.0, 18.0], [5.0, 6.0, 7.0]),
    "upside down": ([18.0, 25.0, 32.0], [5.0, 6.0, 7.0]),
    "a stranger between": ([25.0, 25.0, 25.0], [4.5, 12.0, 4.5]),
}


@pytest.mark.parametrize("margin", [0.0, 3.0])
@pytest.mark.parametrize("case", TRIPLES)
def test_three_sides_are_near_the_truth(case: str, margin: float) -> None:
    """Messages are normal and what they stand for is not.

    Means are off by up to 0.3% of a deviation and deviations by up to 1%, both with a stranger between two
    who are known; with three equals it is 0.15% and 0.25%, and the more surprising a ranking the less.
    """
    mean, deviation = TRIPLES[case]
    mu, sigma, _ = learned(mean, deviation, [1, 2, 3], margin**2 / 2)
    exact_mu, exact_sigma = integrated(mean, deviation, [1, 2, 3], margin)
    assert np.abs(mu - exact_mu).max() < (0.0035 if case == "a stranger between" else 0.0015) * min(sigma)
    np.testing.assert_allclose(sigma, exact_sigma, rtol=0.01 if case == "a stranger between" else 0.006)


# ------------------------------------------------------------------ the twin


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[float], list[float], list[int], float]:
    """Up to nine sides, anywhere between equals and upsets of many deviations."""
    n = draw(st.integers(2, 9 if COMPILED else 6))
    wide = draw(st.sampled_from([0.0, 5.0, 30.0, 100.0]))
    mean = draw(st.lists(st.floats(25 - wide, 25 + wide), min_size=n, max_size=n))
    deviation = draw(st.lists(st.floats(1.0, 30.0), min_size=n, max_size=n))
    ranks = sorted(draw(st.lists(st.integers(1, n), min_size=n, max_size=n)))
    return mean, deviation, ranks, draw(st.sampled_from([0.0, 0.3, 10.0]))


UNSETTLED = (
    [2.1, 22.1, 30.5, 0.0, 31.6, 30.2, 19.6, 28.6, 55.0],
    [2.1, 22.1, 1.0, 1.0, 1.0, 1.0, 19.6, 28.6, 1.0],
    [1, 1, 2, 4, 6, 6, 7, 7, 8],
    10.0,
)
"""With a margin, upsets of fifty deviations can keep messages going round: one hard ranking of a thousand."""


@given(rankings())
def test_any_ranking_equals_the_naive_twin(case: tuple[list[float], list[float], list[int], float]) -> None:
    mu, sigma, sweeps = learned(*case)
    try:
        twin_mu, twin_sigma = twin(*case)
    except ArithmeticError:  # the twin's messages go round too, as those of UNSETTLED
        assert sweeps == MOST_SWEEPS
        assert case[3] > 0.0
        return
    np.testing.assert_allclose(mu, twin_mu, rtol=0, atol=1e-9)
    np.testing.assert_allclose(sigma, twin_sigma, rtol=1e-10, atol=0)
    assert sweeps < MOST_SWEEPS


@pytest.mark.long
def test_messages_that_go_round() -> None:
    with pytest.raises(ArithmeticError, match="do not settle"):
        twin(*UNSETTLED)
    assert learned(*UNSETTLED)[2] == MOST_SWEEPS


@pytest.mark.parametrize(("mean", "deviation"), [(1.3e7, 9.0), (-1.7e8, 4.0), (0.0, 1.1e9), (1e6, 1e6)])
def test_one_of_a_tie_can_be_nearly_all_of_it(mean: float, deviation: float) -> None:
    """What the others are is not found by subtracting the one from the whole."""
    case = ([25.0, mean, 31.0, 20.0, 22.0], [9.0, deviation, 8.0, 7.0, 2.0], [1, 1, 1, 2, 2], 0.5)
    mu, sigma, _ = learned(*case)
    twin_mu, twin_sigma = twin(*case)
    far = np.abs(mu - np.array(case[0])).max()  # means move by up to a hundred million here
    np.testing.assert_allclose(mu, twin_mu, rtol=0, atol=1e-9 + 1e-9 * far)
    np.testing.assert_allclose(sigma, twin_sigma, rtol=1e-9)


# ------------------------------------------------------------------ what cannot matter


@given(rankings())
def test_upside_down_everything_is_mirrored(
    case: tuple[list[float], list[float], list[int], float],
) -> None:
    mean, deviation, ranks, unit = case
    mu, sigma, _ = learned(*case)
    other, its_sigma, _ = learned(
        [-m for m in mean[::-1]], deviation[::-1], [-rank for rank in ranks[::-1]], unit
    )
    np.testing.assert_allclose(other[::-1], -mu, rtol=0, atol=1e-9)
    np.testing.assert_allclose(its_sigma[::-1], sigma, rtol=1e-10)


@given(rankings(), st.sampled_from([-1e3, 2.0**20, -1e9]))
def test_only_differences_matter(
    case: tuple[list[float], list[float], list[int], float], offset: float
) -> None:
    """Differences that are exact far from zero are as good there as anywhere."""
    mean, deviation, ranks, unit = case
    near = [round(m * 64) / 64 for m in mean]
    mu, sigma, sweeps = learned(near, deviation, ranks, unit)
    far_mu, far_sigma, far_sweeps = learned([m + offset for m in near], deviation, ranks, unit)
    np.testing.assert_allclose(far_mu - offset, mu, rtol=0, atol=1e-10 + 3e-16 * abs(offset))
    np.testing.assert_allclose(far_sigma, sigma, rtol=1e-11)
    assert abs(far_sweeps - sweeps) <= 2


@given(rankings(), st.sampled_from([1e-6, 2.0**-10, 3.0, 1e6]))
def test_any_scale_will_do(case: tuple[list[float], list[float], list[int], float], scale: float) -> None:
    mean, deviation, ranks, unit = case
    mu, sigma, _ = learned(*case)
    its_mu, its_sigma, _ = learned(
        [m * scale for m in mean], [s * scale for s in deviation], ranks, unit * scale**2
    )
    np.testing.assert_allclose(its_mu / scale, mu, rtol=0, atol=1e-9)
    np.testing.assert_allclose(its_sigma / scale, sigma, rtol=1e-10)


@pytest.mark.parametrize("ranks", [[1], [1, 1, 1], [1, 2, 3]])
def test_room_may_be_used_again(ranks: list[int]) -> None:
    """What an earlier and larger ranking left behind is not heard."""
    n = len(ranks)
    fresh = learned([25.0] * n, [9.0] * n, ranks, 0.5)
    used = room_for_ranking(5)
    for _ in range(2):
        for size, starts in ((5, [0, 2, 3, 5]), (n, [i for i in range(n) if i == 0 or ranks[i] > 1] + [n])):
            used.mean[:size], used.variance[:size], used.unit[:size] = 25.0, 81.0, 0.5
            used.starts[: len(starts)] = starts
            learn_ranking(used, size, len(starts) - 1)
        variance = 1 / (1 / 81.0 + used.precision[:n])
        np.testing.assert_array_equal(25.0 + variance * used.pull[:n], fresh[0])
        np.testing.assert_array_equal(np.sqrt(variance), fresh[1])


# ------------------------------------------------------------------ many


@pytest.mark.parametrize("unit", [0.0, 0.3])
@pytest.mark.parametrize("n", [2_500, 10_000] if COMPILED else [60])
def test_a_contest_of_newcomers_settles_soon(n: int, unit: float) -> None:
    mu, sigma, sweeps = learned(np.full(n, 25.0), np.full(n, 9.3), list(range(n)), unit)
    assert np.isfinite(mu).all()
    assert np.isfinite(sigma).all()
    assert np.all(np.diff(mu) < 0)
    np.testing.assert_allclose(mu + mu[::-1], 50.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(sigma, sigma[::-1], rtol=1e-9)
    assert sweeps < 50


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("together", [1, 3, 100])
def test_a_contest_of_anybody_settles_in_time(together: int, offset: float) -> None:
    """Also where nothing but rounding is left to move."""
    n = 1_000 if COMPILED else 100
    chance = np.random.default_rng(5)
    mean, deviation = offset + chance.normal(25, 8, n), chance.uniform(2, 10, n)
    mu, sigma, sweeps = learned(mean, deviation, [i // together for i in range(n)], 0.3)
    assert np.isfinite(mu).all()
    assert np.all((sigma > 0) & (sigma < deviation))
    assert sweeps < MOST_SWEEPS
