"""The wanted opponent: the paper's equations, worked by hand and turned round."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import matchmaking as naive
from podium import Glicko, InputError, ParameterError
from podium.matchmaking.policies.targets import RecentScores, WinRateTarget

SCORES = st.lists(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]), max_size=20)
NEVER_CUT = 1e-9


def recent_of(scores: list[Fraction], n: int) -> RecentScores:
    recent = RecentScores(1, n)
    for score in scores:
        recent.record([0], [float(score)])
    return recent


# n = 5, λ = ½, by hand: p = (11/2 − w)/6 after five games, (½ (6 + m) − w)/6 before.
BY_HAND = [
    (0, 0, Fraction(1, 2)),
    (1, 1, Fraction(5, 12)),
    (0, 1, Fraction(7, 12)),
    (0.5, 1, Fraction(1, 2)),
    (1, 2, Fraction(1, 2)),
    (4, 4, Fraction(1, 6)),
    (0, 5, Fraction(11, 12)),
    (2, 5, Fraction(7, 12)),
    (2.5, 5, Fraction(1, 2)),
    (5, 5, Fraction(1, 12)),
    (5, 1000, Fraction(1, 12)),
]


@pytest.mark.parametrize("wins, played, p", BY_HAND)
def test_chances_by_hand(wins: float, played: int, p: Fraction) -> None:
    assert WinRateTarget().probability(wins, played) == pytest.approx(float(p), abs=1e-15)


def test_opponents_by_hand() -> None:
    """Odds of eleven to one are 400 log₁₀ 11 = 416.557 points."""
    target = WinRateTarget()
    assert target.rating([1500, 1500, 2000], [5, 0, 2.5], 5) == pytest.approx(
        [1916.557, 1083.443, 2000], abs=1e-3
    )
    low, high = target.window(1500, 2.5, 5)  # ½ ± 1/12: odds of seven to five
    assert (low, high) == pytest.approx((1500 - 400 * math.log10(1.4), 1500 + 400 * math.log10(1.4)))


def test_a_window_that_has_no_end_is_cut_off_at_the_edge() -> None:
    """After five wins p − Δp = 0, after five losses p + Δp = 1."""
    low, high = WinRateTarget().window(1500, [5, 0], 5)
    reach = 400 * math.log10(99)
    assert high[0] == pytest.approx(1500 + reach)
    assert low[0] == pytest.approx(1500 + 400 * math.log10(5))  # p + Δp = 1/6
    assert low[1] == pytest.approx(1500 - reach)
    narrow = WinRateTarget(tolerance=0.08, edge=1e-6)
    assert narrow.window(1500, 5, 5).high == pytest.approx(naive.opponent(1500, 1 / 12 - 0.08))


@given(SCORES, st.integers(1, 12), st.fractions("0.2", "0.8", max_denominator=50))
def test_chances_are_the_papers(scores: list[Fraction], n: int, rate: Fraction) -> None:
    recent = recent_of(scores, n)
    target = WinRateTarget(games=n, rate=float(rate), edge=NEVER_CUT)
    p = naive.wanted_chance(scores, n, rate)
    found = target.probability(recent.wins, recent.played)[0]
    assert found == pytest.approx(min(max(float(p), NEVER_CUT), 1 - NEVER_CUT), abs=1e-12)
    assert naive.expected_rate(scores, n, p) == rate  # Eq. (23) turned round


@given(SCORES, st.integers(1, 12))
def test_a_half_never_asks_for_certainty(scores: list[Fraction], n: int) -> None:
    """Section 4.1: 1/(2n + 2) ≤ p ≤ 1 − 1/(2n + 2)."""
    recent = recent_of(scores, n)
    p = WinRateTarget(games=n, edge=NEVER_CUT).probability(recent.wins, recent.played)[0]
    assert 1 / (2 * n + 2) - 1e-12 <= p <= 1 - 1 / (2 * n + 2) + 1e-12


@given(SCORES, st.floats(-5000, 5000), st.floats(0, 0.4))
def test_opponents_are_the_papers(scores: list[Fraction], mine: float, tolerance: float) -> None:
    recent = recent_of(scores, 5)
    target = WinRateTarget(tolerance=tolerance)
    p = float(naive.wanted_chance(scores, 5, Fraction(1, 2)))
    assert target.rating(mine, recent.wins, recent.played)[0] == pytest.approx(
        naive.opponent(mine, p), abs=1e-8
    )
    low, high = target.window(mine, recent.wins, recent.played)
    assert low[0] == pytest.approx(naive.opponent(mine, min(p + tolerance, 0.99)), abs=1e-8)
    assert high[0] == pytest.approx(naive.opponent(mine, max(p - tolerance, 0.01)), abs=1e-8)


@given(SCORES, st.integers(1, 6))
def test_the_record_is_of_the_last_games(scores: list[Fraction], n: int) -> None:
    recent = recent_of(scores, n)
    assert recent.wins[0] == sum(scores[-n:])
    assert recent.played[0] == len(scores)


def test_one_call_may_hold_several_games_of_a_player() -> None:
    recent = RecentScores(3, 2)
    recent.record([0, 2, 0, 0], [1, 1, 0, 1])
    assert recent.wins.tolist() == [1, 0, 1]
    assert recent.played.tolist() == [3, 0, 1]


def test_deviations_are_part_of_the_target() -> None:
    """Whoever is hardly known needs a weaker opponent for the same chance: the odds are g times as long."""
    target = WinRateTarget(system=Glicko())
    sure, unsure = target.rating(1500, 0, 5, sigma=[0, 350], opponent_sigma=[0, 50])
    assert sure == pytest.approx(1500 - 400 * math.log10(11))
    g = 1 / math.sqrt(1 + 3 * (math.log(10) / 400) ** 2 * (350**2 + 50**2) / math.pi**2)
    assert unsure == pytest.approx(1500 - 400 * math.log10(11) / g)
    with pytest.raises(ParameterError, match="deviations"):
        target.rating(1500, 0, 5)


@pytest.mark.parametrize(
    "wrong",
    [{"games": 0}, {"rate": 0.0}, {"rate": 1.0}, {"tolerance": -0.1}, {"tolerance": 0.5}, {"edge": 0.0}],
)
def test_targets_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        WinRateTarget(**wrong)


def test_other_refusals() -> None:
    with pytest.raises(ParameterError, match="is not a rating system"):
        WinRateTarget(system="elo")
    with pytest.raises(ParameterError):
        RecentScores(3, 0)
    with pytest.raises(InputError, match="more wins than games"):
        WinRateTarget().probability([1, 3], 2)
    recent = RecentScores(2)
    for players, scores in (([0], [1, 0]), ([2], [1]), ([-1], [1]), ([0], [1.5]), ([0], [math.nan])):
        with pytest.raises(InputError):
            recent.record(players, scores)
    assert recent.played.tolist() == [0, 0]
