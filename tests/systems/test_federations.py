"""Federations' rules against published examples and other programs, each source named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from checks.twins import twin_of
from conftest import tries
from podium.history import Event, SetRating
from podium.systems.federations import atcoder
from podium.systems.federations.uscf import effective_games, floor, special_rating
from podium.text import listed


def rated(
    system: podium.RatingSystem,
    ratings: dict[str, tuple[float, int]],
    games: list[tuple[str, str, float]],
    time: str | None = None,
) -> dict[str, float]:
    """Ratings after games (a, b, points of a) between players with a rating and so many games."""
    given = [SetRating(player=name, mu=mu, events=events) for name, (mu, events) in ratings.items()]
    played = []
    for a, b, points in games:
        ranks = {a: 1 if points >= 0.5 else 2, b: 1 if points <= 0.5 else 2}
        played.append(Event.of(ranks=ranks, time=time))
    history = podium.History.from_events([*given, *played])
    run = podium.rate(history, system)
    return dict(zip(run.ratings["player"], run.ratings["mu"], strict=True))


# ---------------------------------------------------------------------- EGF


def test_egf_examples() -> None:
    """The README of horaceho/ers (2100 beats 2100), and that of a web API of the EGF's rating."""
    egf = podium.make_system("egf")
    after = rated(egf, {"a": (2100.0, 0), "b": (2100.0, 0)}, [("a", "b", 1.0)])
    assert after["a"] == pytest.approx(2109.306, abs=5e-4)
    after = rated(egf, {"a": (2674.564, 0), "b": (2611.051, 0)}, [("a", "b", 0.0)])
    assert after["a"] == pytest.approx(2670.45617061712, abs=1e-9)
    expected = egf.win_probability(2674.564, None, 2611.051, None)
    assert expected == pytest.approx(0.6630749860799611, abs=1e-12)


# ---------------------------------------------------------------------- DWZ


def test_dwz_coefficients_of_the_rules() -> None:
    """E of seniors, juniors and the young by the formulas of appendix 2.4."""
    dwz = {age: podium.make_system("dwz", age=age) for age in ("adult", "junior", "youth")}
    e = {age: lambda *given, one=one: one.coefficient(*given) for age, one in dwz.items()}
    assert e["adult"](1500.0, 1.0, 20) == 1.5**4 + 15
    assert e["junior"](1500.0, -1.0, 20) == 1.5**4 + 10
    assert e["youth"](1600.0, 1.0, 20) == pytest.approx((1.6**4 + 5) * 0.8)
    assert e["youth"](900.0, -1.0, 20) == pytest.approx((0.9**4 + 5) * 0.5 + np.exp(400 / 150) - 1)
    assert e["adult"](2300.0, 1.0, 20) == 30.0
    assert e["adult"](1500.0, 1.0, 3) == 15.0
    assert e["youth"](100.0, -1.0, 20) == 150.0


@settings(max_examples=tries(20), deadline=None)
@given(
    seed=st.integers(0, 10**6), name=st.sampled_from(["dwz", "fide"]), period=st.sampled_from(["event", "7d"])
)
def test_first_ratings_against_the_twins(seed: int, name: str, period: str) -> None:
    """The laws' histories are too short for them."""
    chance = np.random.default_rng(seed)
    events = []
    for day in range(60):
        a, b = chance.choice(list("abcdef"), 2, replace=False).tolist()
        winner = chance.integers(3)
        ranks = {a: 1 + int(winner == 1), b: 1 + int(winner == 0)}
        events.append(Event.of(ranks=ranks, time=1_700_000_000 + 86_400 * day))
    system = podium.make_system(name, period=period)
    run = podium.rate(podium.History.from_events(events), system)
    twin = twin_of(system)(events)
    found = dict(zip(run.ratings["player"], run.ratings["mu"], strict=True))
    assert found == pytest.approx({name: mu for name, (mu, _) in twin.ratings.items()}, abs=1e-9)  # type: ignore[union-attr]


def test_a_first_dwz_needs_five_games_and_a_mixed_score() -> None:
    """3.4: until then the provisional rating moves by the usual formula."""
    ratings = {f"b{i}": (1600.0, 40) for i in range(7)}
    won = [("a", f"b{i}", 1.0) for i in range(6)]
    dwz = podium.make_system("dwz")
    assert rated(dwz, ratings, won)["a"] < 1600.0
    assert rated(dwz, ratings, [*won, ("a", "b6", 0.0)])["a"] == 1600.0 + 300.0  # 6 of 7: 86%


# ---------------------------------------------------------------------- US Chess


def test_uscf_effective_games_and_floors() -> None:
    """N' of 1700 after 30 games, from the tests of skillratings 0.28; floors by Glickman and Doan."""
    assert effective_games(1700.0, 30) == pytest.approx(20.01178674737454, abs=1e-12)
    assert effective_games(2356.0, 51) == 50.0
    assert [floor(best) for best in (1941.0, 1399.0, 1400.0, 2700.0)] == [1700.0, 100.0, 1200.0, 2100.0]


def test_uscf_special_formula() -> None:
    """Glickman's example: 1500 after 6 games wins, loses and draws against 1400, 1550 and 1650: 1511."""
    found = special_rating([(1500.0, 6.0), (1400.0, 1.0), (1550.0, 1.0), (1650.0, 1.0)], 4.5, 1500.0)
    assert found == pytest.approx(1511.1111111111111, abs=1e-9)


def test_uscf_bonus() -> None:
    """Glickman's example with B = 12: 1300 after 45 games scores 3.5 of 4, and becomes 1464.8."""
    ratings = {"a": (1300.0, 45), "b": (1250.0, 10), "c": (1400.0, 10), "d": (1500.0, 10), "e": (1550.0, 10)}
    games = [("a", "b", 1.0), ("a", "c", 0.5), ("a", "d", 1.0), ("a", "e", 1.0)]
    uscf = podium.make_system("uscf", bonus_above=12, period="7d")
    after = rated(uscf, ratings, games, time="2026-01-06")
    assert after["a"] == pytest.approx(1464.80488826172, abs=1e-9)


# ---------------------------------------------------------------------- FIDE


def test_fide_k_by_games_and_rating() -> None:
    """8.3.3 of the Handbook, and K n of at most 700."""
    fide = podium.make_system("fide")
    assert [fide.k(*given) for given in ((1500, 10, 0), (1500, 30, 0), (2300, 99, 2410))] == [40, 20, 10]  # type: ignore[attr-defined]
    junior = podium.make_system("fide", age="junior")
    assert [junior.k(*given) for given in ((2299, 99, 2299), (2300, 99, 2300))] == [40, 20]  # type: ignore[attr-defined]
    games = [("a", f"b{i}", 1.0) for i in range(20)]
    ratings = {"a": (2000.0, 10)} | {f"b{i}": (2000.0, 10) for i in range(20)}
    after = rated(podium.make_system("fide", period="7d"), ratings, games, time="2026-01-06")
    assert after["a"] == 2000.0 + 35 * 10


def test_fide_initial_rating() -> None:
    """By hand, 8.2: 3 of 5 against 1600 and two draws against 1800: 1657 + 50 for 4 of 7 (57%)."""
    ratings = {f"b{i}": (1600.0, 40) for i in range(5)}
    games = [("a", f"b{i}", float(i < 3)) for i in range(5)]
    assert rated(podium.make_system("fide"), ratings, games)["a"] == 1707.0


def test_fide_floor_and_the_400_point_rule() -> None:
    """Below 1400 nobody falls; a difference of more than 400 counts as 400 (0.92), but from 2650 on."""
    fide = podium.make_system("fide")
    assert rated(fide, {"a": (1405.0, 50), "b": (1405.0, 50)}, [("a", "b", 0.0)])["a"] == 1400.0
    after = rated(fide, {"a": (2000.0, 50), "b": (1400.0, 50)}, [("a", "b", 1.0)])
    assert after["a"] == pytest.approx(2000.0 + 20 * 0.08)
    after = rated(fide, {"a": (2700.0, 50), "b": (2000.0, 50)}, [("a", "b", 1.0)])
    assert after["a"] == pytest.approx(2700.0 + 10 * 0.01)


# ---------------------------------------------------------------------- AtCoder


def test_atcoder_shortfalls() -> None:
    """f(n) as ac-predictor sums it: F(n) = √(Σ 0.81ⁱ) / Σ 0.9ⁱ, F(∞) as F(400)."""

    def big(n: int) -> float:
        return float(np.sqrt(0.81 / 0.19 * (1 - 0.81**n)) / (9 * (1 - 0.9**n)))

    for n in (1, 2, 5, 14, 100):
        f = 1200 * (big(n) - big(400)) / (big(1) - big(400))
        assert atcoder.shortfall(0.9**n) == pytest.approx(f, abs=1e-9)
        assert atcoder.remaining(atcoder.shortfall(0.9**n)) == pytest.approx(0.9**n, rel=1e-9)


def test_atcoder_ratings_are_shown_above_zero() -> None:
    """R' = 400 / e^((400 − R)/400) below 400, and back."""
    system = podium.make_system("atcoder")
    sigma = np.zeros(4) + 1.0
    shown = system.display(np.array([401.0, 801.0, 1.0, -399.0]), sigma)
    assert shown == pytest.approx([400.0, 800.0, 400 / np.e, 400 / np.e**2])
    assert system.mu_displayed_as(shown, sigma) == pytest.approx([401.0, 801.0, 1.0, -399.0])


def test_a_first_contest_counts_one_and_a_half_times() -> None:
    """Two newcomers: the places ½ and 1½ are those of odds 3 : 1 and 1 : 3, 400 log₆ 3 points from 1200."""
    changes = podium.Ladder(podium.make_system("atcoder")).record(ranks={"ann": 1, "bob": 2})
    apart = 1.5 * 400 * np.log(3) / np.log(6)
    assert [change.mu for change in changes] == pytest.approx([1200 + apart, 1200 - apart])
    assert [change.performance for change in changes] == pytest.approx([1200 + apart, 1200 - apart])
    assert [change.sigma for change in changes] == pytest.approx([1200.0, 1200.0])


def test_they_are_evaluated_like_any_other() -> None:
    history = podium.History.from_matches(["ann", "bob", "ann", "cat"] * 5, ["bob", "cat", "cat", "ann"] * 5)
    names = ["fide", "uscf", "dwz", "egf", "atcoder"]
    report = podium.evaluate(history, {name: podium.make_system(name) for name in names})
    assert all(name in str(report) for name in names), listed(names)
