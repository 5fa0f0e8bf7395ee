"""Performances in contests of any size and any shape, against the naive twins; and what they are made of."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import case
from conftest import COMPILED, tries
from naive import performances as naive
from podium.numerics.exponential import HIGHEST_EXPONENT, LOWEST_EXPONENT, exp
from podium.numerics.normal import hazard, hazards, normal_win_probability
from podium.systems.elo_mmr.gumbel_kernels import GUMBEL_SWEEP
from podium.systems.elo_mmr.logistic_performances import (
    DIRECT_UP_TO,
    HALF_TIES,
    HALF_TIES_BUT_SELF,
    ROWS_SOLVED_AT_ONCE,
    WHOLE_TIES,
    empty_logistic_field,
    logistic_performances,
)
from podium.systems.elo_mmr.normal_contests import NORMAL_SWEEP, gaussian_performances
from podium.systems.elo_mmr.performance_distributions import GUMBEL_MIN
from podium.systems.elo_mmr.performance_sweeps import TWO_PARTS_FROM
from podium.systems.elo_mmr.remembering_system import NEAR as NEAR_RULE
from podium.systems.elo_mmr.remembering_system import logistic_win_probability

Floats = np.ndarray
NEAR = 1e-6
BAR = math.sqrt(3) / math.pi
LOGISTIC_TIES = {"whole": WHOLE_TIES, "half": HALF_TIES, "others half": HALF_TIES_BUT_SELF}
GAUSSIAN_TIES = {"whole": WHOLE_TIES, "half": HALF_TIES}
SIZES = (2, 3, DIRECT_UP_TO, DIRECT_UP_TO + 1, 60, 400) if COMPILED else (3, DIRECT_UP_TO + 1)

DISTANCES = (30.0, 34.0, 38.0, 39.9, 40.1, 45.0, 79.0, 81.0, 200.0) if COMPILED else (39.9, 81.0)
"""Of clusters, in scales: around 40 and 80 other branches are taken."""

# ------------------------------------------------------------------ contests


def spread(sigma: Floats, beta: float) -> Floats:
    return BAR * np.sqrt(sigma**2 + beta**2)


def clusters(distance: float) -> Callable[[int, np.random.Generator], tuple[Floats, Floats]]:
    """Two halves of players, so many scales from each other."""
    return lambda n, chance: (np.where(np.arange(n) % 2 == 0, 0.0, distance * 100), np.full(n, 100.0))


FIELDS: dict[str, Callable[[int, np.random.Generator], tuple[Floats, Floats]]] = {
    "usual": lambda n, chance: (chance.normal(1500, 350, n), spread(chance.uniform(60, 350, n), 196)),
    "identical": lambda n, chance: (np.full(n, 1500.0), np.full(n, 120.0)),
    "unequal deviations": lambda n, chance: (
        chance.normal(1500, 600, n),
        spread(np.geomspace(1, 2000, n), 196),
    ),
    "wildly unequal": lambda n, chance: (chance.normal(1500, 600, n), spread(np.geomspace(1, 2000, n), 1)),
    "far apart": lambda n, chance: (chance.uniform(-5e4, 5e4, n), spread(chance.uniform(1, 350, n), 196)),
    "far apart and sharp": lambda n, chance: (chance.uniform(-5e4, 5e4, n), np.full(n, 0.9)),
    "outliers": lambda n, chance: (
        np.append(chance.normal(1500, 300, n - 2), [1e6, -1e6]),
        spread(chance.uniform(60, 350, n), 196),
    ),
    **{f"clusters {d} apart": clusters(d) for d in DISTANCES},
}
RANKS: dict[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "by chance": lambda mu, chance: chance.permutation(len(mu)) + 1,
    "as expected": lambda mu, chance: np.argsort(np.argsort(-mu)) + 1,
    "upside down": lambda mu, chance: np.argsort(np.argsort(mu)) + 1,
    "all tied": lambda mu, chance: np.ones(len(mu)),
    "half tied": lambda mu, chance: np.where(chance.random(len(mu)) < 0.5, 2, chance.permutation(len(mu))),
    "few places": lambda mu, chance: chance.integers(1, 5, len(mu)),
}
TWIN_RANKS = ("by chance", "few places")
"""Ranks for which the slow twin is asked, where the field is not tiny; the sign of Q judges all others."""


def is_tried(ranks: str, n: int) -> bool:
    """Every size with some ranks, and three sizes with all of them: below, at and above where sums change."""
    return ranks in (*TWIN_RANKS, "all tied") or (COMPILED and n in (3, DIRECT_UP_TO + 1, 60))


PLACINGS = [(ranks, n) for ranks in RANKS for n in SIZES if is_tried(ranks, n)]


def contest(field: str, ranks: str, n: int) -> tuple[Floats, Floats, Floats]:
    chance = np.random.default_rng([n, len(field), len(ranks)])
    mu, scale = FIELDS[field](n, chance)
    return mu, scale, RANKS[ranks](mu, chance).astype(np.int32)


def logistic(mu: Floats, scale: Floats, rank: Floats, ties: int) -> Floats:
    out = np.full(len(mu), np.nan)
    logistic_performances(mu, scale, rank, ties, out, empty_logistic_field(len(mu)))
    return out


def gaussian(mu: Floats, scale: Floats, rank: Floats, ties: int) -> Floats:
    out = np.full(len(mu), np.nan)
    gaussian_performances(mu, scale, rank, ties, out)
    return out


def gumbel(mu: Floats, scale: Floats, rank: Floats, ties: int) -> Floats:
    out = np.full(len(mu), np.nan)
    GUMBEL_SWEEP.performances(mu, scale, rank, ties, out)
    return out


# ------------------------------------------------------------------ judges


def logistic_sign(x: float, i: int, mu: Floats, scale: Floats, rank: Floats, ties: str) -> float:
    """Q of player i, as `naive.performances.balance` but over arrays, and as exactly summed."""
    z = (x - mu) / scale
    tail = np.where(np.abs(z) > 40, 0.0, np.exp(-np.abs(z)) / (1 + np.exp(-np.abs(z))))
    lost, won = np.where(z >= 0, -1.0, 0.0), np.where(z < 0, 1.0, 0.0)
    lost_rest, won_rest = np.where(z >= 0, tail, -tail), np.where(z >= 0, tail, -tail)
    part = np.where(rank == rank[i], 1.0 if ties == "whole" else 0.5, 1.0)
    if ties == "others half":
        part[i] = 1.0
    losing, winning = (rank <= rank[i]) * part / scale, (rank >= rank[i]) * part / scale
    return math.fsum(np.concatenate([lost * losing, lost_rest * losing, won * winning, won_rest * winning]))


def hazards_of(z: Floats, part: Floats) -> Floats:
    """Hazards, by the part of each that counts; those that do not count are not computed."""
    counted = np.zeros(len(z))
    some = np.flatnonzero(part)
    counted[some] = [hazard(v) for v in z[some].tolist()] * part[some]
    return counted


def gaussian_sign(x: float, i: int, mu: Floats, scale: Floats, rank: Floats, ties: str) -> float:
    z = (x - mu) / scale
    tied = rank == rank[i]
    whole = tied & (ties == "whole")
    level = np.where(whole, 0.0, np.where(tied, 0.5, np.nan))
    lost = hazards_of(z, np.where(tied, level, rank < rank[i]))
    won = hazards_of(-z, np.where(tied, level, rank > rank[i]))
    return math.fsum(np.concatenate([-lost / scale, won / scale, np.where(whole, -z / scale, 0.0)]))


def gumbel_sign(x: float, i: int, mu: Floats, scale: Floats, rank: Floats, ties: str) -> float:
    """Q by the distribution's functions in NumPy, which the framework's own tests judge."""
    z = (x - mu) / scale
    lost, won = GUMBEL_MIN.loss(z), GUMBEL_MIN.victory(z)
    level = GUMBEL_MIN.draw(z) if ties == "whole" else 0.5 * (lost + won)
    counted = np.where(rank == rank[i], level, np.where(rank < rank[i], lost, won))
    return math.fsum(counted / scale)


def check_signs(
    found: Floats,
    sign: Callable[[float, int, Floats, Floats, Floats, str], float],
    mu: Floats,
    scale: Floats,
    rank: Floats,
    ties: str,
    most: int,
) -> None:
    """Q changes its sign at the performance; of large contests a sample is looked at."""
    chosen = np.random.default_rng(1).permutation(len(mu))[:most].tolist()
    for i in {*chosen, int(rank.argmin()), int(rank.argmax())}:
        below = sign(found[i] - NEAR, i, mu, scale, rank, ties)
        above = sign(found[i] + NEAR, i, mu, scale, rank, ties)
        assert below > 0 > above or below == 0 == above, (i, found[i], below, above)


def too_slow(field: str, n: int) -> bool:
    """A table of a hundred thousand panels is for compiled code."""
    return (
        not COMPILED
        and n > DIRECT_UP_TO
        and field in ("wildly unequal", "far apart", "far apart and sharp", "outliers")
    )


# ------------------------------------------------------------------ logistic performances


@pytest.mark.parametrize("field", FIELDS)
def test_logistic_performances(field: str) -> None:
    for ranks, n in PLACINGS:
        with case(ranks, n):
            check_logistic_performances(field, ranks, DIRECT_UP_TO if too_slow(field, n) else n)


def check_logistic_performances(field: str, ranks: str, n: int) -> None:
    mu, scale, rank = contest(field, ranks, n)
    for ties, number in LOGISTIC_TIES.items():
        found = logistic(mu, scale, rank, number)
        if n <= 3 or (n == DIRECT_UP_TO + 1 and ties == "others half" and ranks in TWIN_RANKS):
            expected = naive.performances(naive.Logistic, mu.tolist(), scale.tolist(), rank.tolist(), ties)
            assert found == pytest.approx(expected, abs=NEAR, rel=0)
        check_signs(found, logistic_sign, mu, scale, rank, ties, most=12)


@pytest.mark.parametrize(
    "n", [2, DIRECT_UP_TO - 2, DIRECT_UP_TO + 2, pytest.param(40, marks=pytest.mark.compiled)]
)
@pytest.mark.parametrize("ties", LOGISTIC_TIES)
def test_far_clusters_that_balance_meet_in_the_middle(ties: str, n: int) -> None:
    """The weak half wins, or all tie: in the gap Q vanishes all along an interval, if it balances there."""
    mu, scale = np.repeat([0.0, 20_000.0], n // 2), np.full(n, 100.0)
    for rank in (np.arange(1, n + 1, dtype=np.int32), np.ones(n, np.int32)):
        found = logistic(mu, scale, rank, LOGISTIC_TIES[ties])
        expected = naive.performances(naive.Logistic, mu.tolist(), scale.tolist(), rank.tolist(), ties)
        assert found == pytest.approx(expected, abs=NEAR, rel=0)
        if ties == "whole":
            assert np.isclose(found, 10_000.0, rtol=0, atol=1e-6).any()


@settings(max_examples=tries(100) if COMPILED else 8)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e4, 1e4) | st.sampled_from([0.0, 1e6, -1e6]),
            st.floats(0.5, 2000) | st.sampled_from([0.5, 100.0]),
            st.integers(1, 5),
        ),
        min_size=2,
        max_size=40 if COMPILED else DIRECT_UP_TO,
    ),
    st.sampled_from(list(LOGISTIC_TIES)),
)
def test_logistic_performances_of_anybody(rows: list[tuple[float, float, int]], ties: str) -> None:
    mu, scale, rank = (np.array(column) for column in zip(*rows, strict=True))
    rank = rank.astype(np.int32)
    check_signs(logistic(mu, scale, rank, LOGISTIC_TIES[ties]), logistic_sign, mu, scale, rank, ties, most=40)


# ------------------------------------------------------------------ normal performances


@pytest.mark.parametrize("field", FIELDS)
def test_gaussian_performances(field: str) -> None:
    for ranks, n in PLACINGS:
        with case(ranks, n):
            check_gaussian_performances(field, ranks, DIRECT_UP_TO if too_slow(field, n) else n)


def check_gaussian_performances(field: str, ranks: str, n: int) -> None:
    mu, scale, rank = contest(field, ranks, n)
    for ties, number in GAUSSIAN_TIES.items():
        found = gaussian(mu, scale, rank, number)
        if n <= 3:
            expected = naive.performances(naive.Gaussian, mu.tolist(), scale.tolist(), rank.tolist(), ties)
            assert found == pytest.approx(expected, abs=NEAR, rel=0)
        check_signs(found, gaussian_sign, mu, scale, rank, ties, most=8)


@pytest.mark.parametrize("ties", GAUSSIAN_TIES)
@pytest.mark.parametrize("n", [DIRECT_UP_TO, DIRECT_UP_TO + 1])
def test_gaussian_performances_equal_the_naive_twin(n: int, ties: str) -> None:
    for field in ("usual", "unequal deviations"):
        mu, scale, rank = contest(field, "few places", n)
        found = gaussian(mu, scale, rank, GAUSSIAN_TIES[ties])
        expected = naive.performances(naive.Gaussian, mu.tolist(), scale.tolist(), rank.tolist(), ties)
        assert found == pytest.approx(expected, abs=NEAR, rel=0)


@settings(max_examples=tries(70) if COMPILED else 8)
@given(
    st.lists(
        st.tuples(st.floats(-1e4, 1e4), st.floats(0.5, 2000), st.integers(1, 5)),
        min_size=2,
        max_size=40 if COMPILED else DIRECT_UP_TO,
    ),
    st.sampled_from(list(GAUSSIAN_TIES)),
)
def test_gaussian_performances_of_anybody(rows: list[tuple[float, float, int]], ties: str) -> None:
    mu, scale, rank = (np.array(column) for column in zip(*rows, strict=True))
    rank = rank.astype(np.int32)
    check_signs(gaussian(mu, scale, rank, GAUSSIAN_TIES[ties]), gaussian_sign, mu, scale, rank, ties, most=10)


# ------------------------------------------------------------------ Gumbel performances


@pytest.mark.parametrize("n", [3, DIRECT_UP_TO, DIRECT_UP_TO + 1, 60] if COMPILED else [3, DIRECT_UP_TO + 1])
@pytest.mark.parametrize("field", FIELDS)
def test_gumbel_performances(field: str, n: int) -> None:
    if too_slow(field, n):
        n = DIRECT_UP_TO
    for ranks in ("by chance", "upside down", "few places"):
        mu, scale, rank = contest(field, ranks, n)
        for ties, number in GAUSSIAN_TIES.items():
            found = gumbel(mu, scale, rank, number)
            if n == 3 and field == "usual":
                expected = naive.performances(
                    naive.GumbelMin, mu.tolist(), scale.tolist(), rank.tolist(), ties
                )
                assert found == pytest.approx(expected, abs=NEAR, rel=0)
            check_signs(found, gumbel_sign, mu, scale, rank, ties, most=4)


# ------------------------------------------------------------------ tens of thousands of players


@pytest.mark.parametrize("ranks", ["by chance", "as expected", "few places"])
@pytest.mark.parametrize(
    ("solve", "sign"), [(logistic, logistic_sign), (gaussian, gaussian_sign)], ids=["logistic", "gaussian"]
)
def test_large_contests(
    solve: Callable[[Floats, Floats, Floats, int], Floats],
    sign: Callable[[float, int, Floats, Floats, Floats, str], float],
    ranks: str,
) -> None:
    mu, scale, rank = contest("usual", ranks, 30_000 if COMPILED else 60)
    found = solve(mu, scale, rank, WHOLE_TIES)
    assert np.isfinite(found).all()
    standings = found[np.argsort(rank, kind="stable")]
    assert np.all(np.diff(standings) <= 0)
    check_signs(found, sign, mu, scale, rank, "whole", most=18)


@pytest.mark.compiled
def test_contests_in_parts_and_in_threads() -> None:
    """Where a contest is cut changes no performance, and threads change no bit of it.

    Logistic ones are found in threads by `rate_contests` alone: see test_large_contests.py.
    """
    for size, solve, sign in (
        (2 * ROWS_SOLVED_AT_ONCE + 9, logistic, logistic_sign),
        (TWO_PARTS_FROM, gaussian, gaussian_sign),
    ):
        chance = np.random.default_rng(size)
        mu, scale, rank = *FIELDS["usual"](size, chance), chance.permutation(size).astype(np.int32) + 1
        cut = size // 2
        rank[(cut - 2 <= rank) & (rank <= cut + 2)] = cut  # a tie right there
        found = solve(mu, scale, rank, WHOLE_TIES)
        if solve is gaussian:
            threaded = np.empty(size)
            NORMAL_SWEEP.in_threads(mu, scale, rank, WHOLE_TIES, threaded)
            assert np.array_equal(found, threaded)
        order = np.argsort(rank, kind="stable")
        assert np.all(np.diff(found[order]) <= 0)
        near = order[[cut - 8, cut, cut + 8]]
        for i in near.tolist():
            assert sign(found[i] - NEAR, i, mu, scale, rank, "whole") > 0
            assert sign(found[i] + NEAR, i, mu, scale, rank, "whole") < 0


# ------------------------------------------------------------------ what they are made of


def test_hazard() -> None:
    z = np.concatenate(
        [np.linspace(-38, 60, 4001), -np.geomspace(1e-12, 38, 200), np.geomspace(1e-12, 1e8, 400)]
    )
    found = np.array([hazard(float(v)) for v in z])
    expected = np.array([naive.hazard(float(v)) for v in z])
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-30)


def test_hazards_of_both_signs() -> None:
    for z in [-38.0, -4.0, -1e-9, -0.0, 0.0, 0.3, 4.0, 30.0, 1e6]:
        assert hazards(z) == pytest.approx((naive.hazard(z), naive.hazard(-z)), rel=1e-14, abs=1e-30)


def test_hazard_far_out() -> None:
    assert hazard(-100.0) < 1e-300
    assert hazard(1e12) == pytest.approx(1e12, rel=1e-14)


def test_exponential() -> None:
    x = np.concatenate(
        [np.linspace(LOWEST_EXPONENT, HIGHEST_EXPONENT, 20_011), np.linspace(-1, 1, 2001), [0.0, -1e-300]]
    )
    found = np.array([exp(float(v)) for v in x])
    expected = np.array([math.exp(float(v)) for v in x])
    np.testing.assert_allclose(found, expected, rtol=4e-16, atol=0)
    assert exp(-1e5) == exp(LOWEST_EXPONENT) < 1e-300
    assert exp(1e5) == exp(HIGHEST_EXPONENT) < math.inf


def test_logistic_wins_of_equally_sure() -> None:
    """In closed form, with u = d/s: 1 − (e^u (u − 1) + 1)/(e^u − 1)²."""
    u = np.concatenate([np.linspace(0.05, 30, 400), -np.linspace(0.05, 30, 400)])
    closed = 1 - (np.exp(u) * (u - 1) + 1) / np.expm1(u) ** 2
    for scale in (1.0, 120.0):
        np.testing.assert_allclose(
            logistic_win_probability(u * scale, scale, scale), closed, rtol=0, atol=1e-13
        )


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (120.0, 200.0), (200.0, 120.0), (1.0, 500.0), (30.0, 20.0)])
def test_logistic_wins_by_integration(a: float, b: float) -> None:
    difference = np.array([-3000.0, -700.0, -50.0, -1.0, 0.0, 0.5, 100.0, 1500.0])
    y, step = np.linspace(-45, 45, 90_001, retstep=True)
    density = 1 / (4 * np.cosh(y / 2) ** 2)
    wide, narrow = max(a, b), min(a, b)
    inner = np.tanh((difference[:, None] + wide * y) / (2 * narrow)) / 2 + 0.5
    expected = (inner * density).sum(axis=1) * step
    # The judge integrates over the wider one, where the other is a step that its grid must resolve.
    np.testing.assert_allclose(logistic_win_probability(difference, a, b), expected, rtol=0, atol=2e-8)
    near = logistic_win_probability(difference, a, b, NEAR_RULE)
    np.testing.assert_allclose(near, logistic_win_probability(difference, a, b), rtol=0, atol=1e-6)
    assert logistic_win_probability(difference, a, b) == pytest.approx(
        1 - logistic_win_probability(-difference, b, a), abs=1e-14
    )


def test_normal_wins() -> None:
    d = np.linspace(-8, 8, 33)
    expected = [0.5 * math.erfc(-v / math.sqrt(2)) for v in d]
    np.testing.assert_allclose(normal_win_probability(d * 250, 250.0), expected, rtol=1e-14)


def test_chances_are_computed_from_columns_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy warns of a broadcast array that could be written to, whenever a kernel meets its type first."""
    seen: list[bool] = []
    kernel = "podium.systems.elo_mmr.remembering_system._logistic_wins"
    monkeypatch.setattr(kernel, lambda *columns: seen.extend(one.flags.writeable for one in columns[:3]))
    logistic_win_probability(np.zeros(1), 120.0, 200.0)
    assert seen == [True] * 3
