"""Cowan's system: the paper's own numbers, algorithms against each other, and what its options do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED
from naive.luck import Luck as Naive
from podium import Anchor, History, Ladder, Luck, Merge, ParameterError, SetRating, rate
from podium.systems.luck.array_sums import LEAST_MASS
from podium.systems.luck.luck_functions import (
    BRADLEY_TERRY,
    FAIR_COIN,
    LOGISTIC,
    MAJORITY,
    LuckFunction,
    Sigmoid,
    coin_flip,
    laplace,
    margin,
    normal,
)

LN10 = math.log(10.0)
Q = LN10 / 400.0
POINTS, EVENTS, FEW = (301, 40, 20) if COMPILED else (101, 5, 3)
"""Of grids and histories: without the compiler they are small."""


def some_history(events: int = 60, *, seed: int = 1, players: int = 5, shares: bool = True) -> History:
    """Wins, draws and shares of a point, some at home, some of more weight."""
    chance = np.random.default_rng(seed)
    a = chance.integers(0, players, events)
    b = (a + chance.integers(1, players, events)) % players
    score = chance.choice([0.0, 1.0, 0.5, 0.3, 0.85] if shares else [0.0, 1.0], events)
    weight = chance.choice([1.0, 1.0, 2.5, 0.4], events)
    home = np.where(chance.random(events) < 0.3, a, -1)
    items: list[dict[str, Any]] = [
        {
            "ranks": {f"p{a[i]}": 1, f"p{b[i]}": 2} if score[i] > 0.5 else {f"p{b[i]}": 1, f"p{a[i]}": 2},
            "share": max(score[i], 1 - score[i]),
            "weight": weight[i],
            **({"home": f"p{a[i]}"} if home[i] >= 0 else {}),
        }
        for i in range(events)
    ]
    return History.from_events(items)


def masses(system: Luck, history: History) -> np.ndarray:
    state = system.new_state()
    system.update(state, history, trace=False)
    return state.column("mass")


# ------------------------------------------------------------------ the paper


def section_3_4(results: list[tuple[int, int]]) -> list[np.ndarray]:
    """Section 3.4, line by line; a result is a winner and a loser."""
    x = np.array([14 / 1000 * k - 7 for k in range(1001)])
    rho = {}
    for a, b in results:
        for player in (a, b):
            if player not in rho:
                new = 1 / math.sqrt(2 * math.pi * 0.7**2) * np.exp(-(x**2) / (2 * 0.7**2))
                rho[player] = new / new.sum()
        won = np.array([(rho[b] * (0.1 + 0.8 / (1 + np.exp(x - at)))).sum() for at in x])
        lost = np.array([(rho[a] * (0.1 + 0.8 / (1 + np.exp(at - x)))).sum() for at in x])
        after = {a: rho[a] * won, b: rho[b] * lost}
        for player, new in after.items():
            new = new / new.sum()
            spread = np.array([(new * np.exp(-((at - x) ** 2) / (2 * 0.03**2))).sum() for at in x])
            rho[player] = spread / spread.sum()
    return [rho[player] for player in sorted(rho)]


def test_duelyst_is_section_3_4() -> None:
    results = [(0, 1), (1, 2), (0, 2), (2, 1), (0, 1), (2, 0)]
    history = History.from_matches([a for a, _ in results], [b for _, b in results])
    found = masses(Luck.duelyst(), history)
    np.testing.assert_allclose(found, section_3_4(results), rtol=0, atol=1e-12)


def test_duelyst_says_everything_itself() -> None:
    """So that it stays what it is when a default changes."""
    described = Luck.duelyst().describe()["parameters"]
    unit = 400 / LN10
    assert described == Luck().describe()["parameters"] | {
        "mu": 1500.0,
        "scale": 400.0,
        "luck": "logistic",
        "beta": 0.8,
        "sigma": 0.7 * unit,
        "points": 1001,
        "reach": 7 * unit,
        "growth": (0.03 * unit,),
        "growth_shares": (1.0,),
        "growth_family": "normal",
        "growth_per_day": 0.0,
        "newcomer_growth": None,
        "adapt": 0.0,
        "edge": "once",
        "draws": "inside",
        "home_luck": None,
        "home_advantage": 0.0,
        "margin": None,
        "algorithm": "auto",
    }


def gain_against(opponent: float, m: float, sigma: float, beta: float) -> float:
    """m' − m of a normal belief that beats a player of this strength, on a grid of two points a cell."""
    system = Luck(beta=beta, growth=(), points=4001, reach=4000.0, mu=1500.0)
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="a", mu=m, sigma=sigma))
    ladder.adjust(SetRating(player="b", mu=opponent, sigma=1e-9))
    before = ladder.rating("a").mu
    changes = ladder.record_match("a", "b")
    return next(c.mu for c in changes if c.player == "a") - before


def equation_4(opponent: float, m: float, sigma: float, beta: float) -> float:
    """The difference of Figure 3.1, by the trapezoid rule."""
    x = np.linspace(m - 12 * sigma, m + 12 * sigma, 40_001)
    density = np.exp(-((x - m) ** 2) / (2 * sigma**2))
    density /= density.sum()
    curve = 1 / (1 + 10 ** ((opponent - x) / 400))
    above = (1 - beta) / 2 * m + beta * (curve * density * x).sum()
    return above / ((1 - beta) / 2 + beta * (curve * density).sum()) - m


@pytest.mark.parametrize("beta", [0.8, 0.99, 1.0])
@pytest.mark.parametrize("sigma", [50.0, 100.0, 200.0])
def test_figure_3_1(beta: float, sigma: float) -> None:
    for m in (0.0, 1000.0, 1500.0, 2000.0, 2500.0, 3500.0) if COMPILED else (1500.0,):
        expected = equation_4(2000.0, m, sigma, beta)
        assert gain_against(2000.0, m, sigma, beta) == pytest.approx(expected, abs=1e-6)


def test_without_a_coin_a_fluke_is_worth_the_limit() -> None:
    """m' − m → σ² ln 10 / 400 as m → −∞, for β = 1."""
    for sigma in (50.0, 100.0):
        assert gain_against(4500.0, -500.0, sigma, 1.0) == pytest.approx(sigma**2 * Q, rel=1e-7)


@settings(max_examples=15 if COMPILED else 2)
@given(beta=st.floats(0.3, 0.99), sigma=st.floats(30.0, 200.0), gap=st.floats(0.0, 3500.0))
def test_a_coin_caps_what_a_fluke_can_do(beta: float, sigma: float, gap: float) -> None:
    limit = sigma**2 * Q
    assert 0.0 < gain_against(1000.0 + gap, 1000.0, sigma, beta) < limit
    assert gain_against(5000.0, 1000.0, sigma, beta) < 1e-4 * limit  # against somebody vastly stronger


# ------------------------------------------------------------------ algorithms

CURVES: list[tuple[LuckFunction, list[str]]] = [
    (LOGISTIC, ["auto", "panels", "fft", "naive"]),
    (normal(1.702), ["auto", "panels", "fft", "naive"]),
    (LuckFunction.find("fide"), ["auto", "fft", "naive"]),
    (LuckFunction.find("heaviside"), ["auto", "fft", "naive"]),
    (margin(0.25), ["auto", "fft", "naive"]),
    (laplace(0.7), ["auto", "laplace", "fft", "naive"]),
    (laplace(0.4, 0.3, 0.6, 1.5), ["auto", "laplace", "fft", "naive"]),
    (coin_flip(LOGISTIC, 0.9), ["auto", "naive"]),
    (FAIR_COIN, ["auto", "naive"]),
]


@pytest.mark.parametrize(
    ("draws", "family"),
    [
        ("inside", "normal"),
        ("outside", "laplace"),
        pytest.param("inside", "laplace", marks=pytest.mark.compiled),
        pytest.param("outside", "normal", marks=pytest.mark.compiled),
    ],
)
@pytest.mark.parametrize(("luck", "algorithms"), CURVES, ids=lambda value: str(value))
def test_algorithms_agree(luck: LuckFunction, algorithms: list[str], draws: Any, family: Any) -> None:
    history = some_history(EVENTS)
    options: dict[str, Any] = {
        "luck": luck,
        "reach": 1000.0 if COMPILED else 200.0,
        "sigma": 120.0 if COMPILED else 50.0,
        "draws": draws,
        "growth_family": family,
        "home_advantage": 60.0,
        "points": POINTS,
        "edge": "each" if draws == "outside" else "once",
    }
    judge = masses(Luck(**options, algorithm="naive"), history)
    for algorithm in algorithms:
        found = masses(Luck(**options, algorithm=algorithm), history)
        np.testing.assert_allclose(found, judge, rtol=0, atol=1e-12, err_msg=algorithm)


@pytest.mark.parametrize("luck", ["heaviside", "margin(0.3)", "laplace(0.2)", "normal(0.2)", "logistic"])
@pytest.mark.parametrize("first", ["weaker", "stronger"])
def test_upsets_without_a_coin_keep_all_their_digits(luck: str, first: str) -> None:
    """The likelihood is made of tails alone, on either side; sums that cancel would lose it."""
    means: dict[str, list[float]] = {}
    for algorithm in ("auto", "naive"):
        points = 401 if COMPILED else 201
        ladder = Ladder(Luck(luck=luck, beta=1.0, points=points, algorithm=algorithm, home_advantage=30.0))
        ladder.adjust(SetRating(player="weaker", mu=1200, sigma=40))
        ladder.adjust(SetRating(player="stronger", mu=1800, sigma=40))
        other = "stronger" if first == "weaker" else "weaker"
        ranks = {name: 1 if name == "weaker" else 2 for name in (first, other)}
        for _ in range(3):
            ladder.record(ranks=ranks, home="weaker")
        means[algorithm] = [ladder.rating(name).mu for name in ("weaker", "stronger")]
    np.testing.assert_allclose(means["auto"], means["naive"], rtol=0, atol=1e-7)


def test_transforms_are_refused_where_chances_are_below_what_they_can_tell() -> None:
    with pytest.raises(ParameterError, match="every result has a chance"):
        Luck(luck="heaviside", beta=1.0, algorithm="fft")


@pytest.mark.compiled
@pytest.mark.parametrize("deviation", [0.3, 1.0, 2.0, 2.4, 5.0])
def test_growth_narrower_than_a_cell_adds_up(deviation: float) -> None:
    """A hundred days' worth of it has the variance of one absence of a hundred days; a cell is 2.4 points."""
    start = 60.0
    system = Luck(beta=0.0, growth=(deviation,), sigma=start)  # nothing is learned from a coin
    ladder = Ladder(system)
    for _ in range(100):
        ladder.record_match("ann", "bob")
    expected = math.sqrt(start**2 + 100 * deviation**2)
    assert ladder.rating("ann").sigma == pytest.approx(expected, rel=1e-5)


def test_a_newcomer_narrower_than_a_cell_is_refused() -> None:
    with pytest.raises(ParameterError, match="less than a cell"):
        Luck(points=12, sigma=20.0)


def test_a_function_of_two_strengths_agrees_with_that_of_their_difference() -> None:
    history = some_history(FEW)
    written = LuckFunction("written-out", lambda x, y: 1 / (1 + np.exp(np.subtract(y, x))))
    np.testing.assert_allclose(
        masses(Luck(points=POINTS, luck=written, home_advantage=50.0), history),
        masses(Luck(points=POINTS, home_advantage=50.0), history),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.compiled
def test_panels_on_the_grid_of_the_paper() -> None:
    history = some_history(150, players=9)
    for beta in (0.8, 1.0):
        judge = masses(Luck(beta=beta, algorithm="naive"), history)
        np.testing.assert_allclose(masses(Luck(beta=beta), history), judge, rtol=0, atol=1e-12)


def test_nothing_wraps_around_or_leaks_at_the_edge() -> None:
    """A belief at the upper edge leaves nothing at the lower one, whatever the algorithm."""
    history = History.from_events(
        [SetRating(player="top", mu=1e9, sigma=1.0), SetRating(player="low", mu=-1e9, sigma=1.0)]
        + [{"ranks": {"top": 1, "low": 2}}] * FEW
    )
    for algorithm in ("auto", "fft", "naive"):
        found = masses(Luck(points=POINTS, algorithm=algorithm), history)
        assert abs(found.sum(axis=1) - 1.0).max() < 1e-12
        assert found[0, : POINTS // 3].max() < 1e-15 > found[1, -POINTS // 3 :].max()


def test_mass_stays_one() -> None:
    n = 20_000 if COMPILED else 20
    chance = np.random.default_rng(3)
    a = chance.integers(0, 20, n)
    b = (a + chance.integers(1, 20, n)) % 20
    run = rate(History.from_matches(a, b, chance.choice([0.0, 0.5, 1.0], n)), Luck(), trace=False)
    mass = run.ladder.state.column("mass")
    assert abs(mass.sum(axis=1) - 1.0).max() < 1e-12
    assert mass.min() >= 0.0


# ------------------------------------------------------------------ options


def test_powers_of_averages_differ_from_averages_of_powers() -> None:
    """By less than a tenth of a point a draw, of players as well known as most are."""
    gains = {}
    for draws in ("inside", "outside"):
        ladder = Ladder(Luck(draws=draws))
        ladder.adjust(SetRating(player="ann", mu=1650, sigma=60))
        ladder.adjust(SetRating(player="bob", mu=1500, sigma=90))
        gains[draws] = ladder.record(ranks={"ann": 1, "bob": 1})[0].gain
    assert 0.01 < abs(gains["inside"] - gains["outside"]) < 0.1


def test_edge_each_keeps_all_that_every_point_spreads() -> None:
    system = Luck(points=21, reach=100.0, growth=(30.0,), edge="each", sigma=10.0, beta=0.0)
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="ann", mu=1600.0, sigma=1e-9))
    ladder.record_match("ann", "bob")  # a coin decides: nothing but growth
    d = np.arange(21) - 20.0
    expected = np.exp(-((10.0 * d) ** 2) / (2 * 30.0**2))
    np.testing.assert_allclose(
        system.belief(ladder.state, 0).probability, expected / expected.sum(), rtol=0, atol=1e-13
    )


def test_first_move_advantage() -> None:
    """White scores 52 % between equals, and black what is left (after Example 2.10)."""

    def white(d: np.ndarray) -> np.ndarray:
        return LOGISTIC.curve(d + math.log(0.52 / 0.48))

    system = Luck(beta=1.0, home_luck=Sigmoid("white", white), points=401)
    ladder = Ladder(system)
    for name in ("ann", "bob"):
        ladder.adjust(Anchor(player=name, mu=1500.0))
        system.set_belief(ladder.state, np.array([ladder.players.index_of[name]]), 1500.0, 1e-9)
    assert ladder.expected_score("ann", "bob") == pytest.approx(0.5, abs=1e-13)
    assert ladder.expected_score("ann", "bob", home="ann") == pytest.approx(0.52, abs=1e-12)
    assert ladder.expected_score("ann", "bob", home="bob") == pytest.approx(0.48, abs=1e-12)
    sides = {}
    for home in ("cat", "dan"):
        fresh = Ladder(system)
        sides[home] = fresh.record_match("cat", "dan", home=home)[0].gain
    assert sides["dan"] > sides["cat"] > 0  # a win with black says more
    at_home = system.win_probability(1500.0, 0.0, 1500.0, 0.0, home=[1.0, 0.0, -1.0])
    np.testing.assert_allclose(at_home, [0.52, 0.5, 0.48], rtol=0, atol=1e-12)


def test_home_luck_agrees_with_the_twin() -> None:
    history = some_history(FEW, shares=False)
    system = Luck(points=201, home_luck=normal(1.0))
    state = system.new_state()
    system.update(state, history)
    from naive import luck as twin
    from naive.events import Event

    events = [
        Event(
            sides=[list(side) for side in event.sides],
            ranks=list(event.ranks),
            weight=event.weight,
            home=None if event.home is None else [list(s) for s in event.sides].index([event.home]),
            share=event.share,
        )
        for event in history
    ]
    judge = twin.rate(events, points=201, home_luck="normal(1.0)")
    for name, (mu, sigma) in judge.ratings.items():
        view = system.view(state, np.array([history.players.index_of[name]]), 0)
        assert (view[0][0], view[1][0]) == pytest.approx((mu, sigma), abs=1e-9)


def test_impossible_evidence_changes_nothing() -> None:
    ladder = Ladder(Luck(luck="heaviside", beta=1.0, growth=()))
    ladder.adjust(SetRating(player="ann", mu=1000, sigma=5))
    ladder.adjust(SetRating(player="bob", mu=2000, sigma=5))
    for change in ladder.record_match("ann", "bob"):
        assert (change.mu, change.sigma) == pytest.approx((change.mu_before, change.sigma_before), abs=1e-9)
    ladder.record_match("bob", "ann")
    assert ladder.rating("ann").events == 2


def throwing(adapt: float) -> tuple[float, float]:
    """Ratings after games against a beginner, won or thrown, and then the same games against an equal."""
    ratings = []
    for thrown in (False, True):
        ladder = Ladder(Luck(points=POINTS, adapt=adapt))
        ladder.adjust(Anchor(player="beginner", mu=300.0))
        ladder.adjust(Anchor(player="equal", mu=1500.0))
        for _ in range(20):
            ladder.record_match("ann", "equal")
            ladder.record_match("equal", "ann")
        for _ in range(12):
            ladder.record_match(*(("beginner", "ann") if thrown else ("ann", "beginner")))
        for _ in range(10):
            ladder.record_match("ann", "equal")
        ratings.append(ladder.rating("ann").mu)
    return ratings[0], ratings[1]


@pytest.mark.compiled
def test_losing_on_purpose_pays_only_where_growth_adapts() -> None:
    """Remark 2.19. Lost to somebody vastly weaker, a game costs little, as it must have been a fluke; but it
    surprises, and who surprises is believed to be changing, and rises faster."""
    honest, thrower = throwing(adapt=0.0)
    assert thrower < honest
    honest, thrower = throwing(adapt=0.2)
    assert thrower > honest + 10


def test_newcomers_grow_faster() -> None:
    slow, fast = (Ladder(Luck(points=POINTS, newcomer_growth=f, newcomer_events=5)) for f in (None, 4.0))
    sigma = {}
    for ladder in (slow, fast):
        for number in range(10):
            ladder.record_match("ann", "bob")
            sigma[ladder is fast, number] = ladder.rating("ann").sigma
    assert sigma[True, 0] > sigma[False, 0]
    assert sigma[True, 4] - sigma[True, 5] > sigma[False, 4] - sigma[False, 5]


def test_absence_adds_variance() -> None:
    system = Luck(growth_per_day=10.0)
    ladder = Ladder(system)
    ladder.record_match("ann", "bob", time="2026-01-01")
    now, later = ladder.rating("ann"), ladder.rating("ann", at="2026-01-26")
    assert later.mu == pytest.approx(now.mu, abs=1e-6)
    assert later.sigma**2 == pytest.approx(now.sigma**2 + 25 * 10.0**2, rel=1e-9)


# ------------------------------------------------------------------ beliefs


def test_ratings_are_moments_on_the_display_scale() -> None:
    system = Luck(mu=1000.0, scale=200.0, points=501)
    history = some_history(FEW)
    state = system.new_state()
    system.update(state, history)
    view = system.ratings(state)
    for player in range(state.size):
        belief = system.belief(state, player)
        points, mass = belief.points, belief.probability
        assert points[0] == pytest.approx(1000.0 - system.reach)
        mean = points @ mass
        assert view.mu[player] == pytest.approx(mean, abs=1e-9)
        assert view.sigma is not None
        assert view.sigma[player] == pytest.approx(math.sqrt(mass @ (points - mean) ** 2), abs=1e-9)


@given(mu=st.floats(1000, 2000), sigma=st.floats(0.01, 100))
def test_seeds_are_met(mu: float, sigma: float) -> None:
    """To rounding, or, for deviations below a cell, as near as masses on points can be."""
    system = Luck()
    state = system.new_state(1)
    system.set_belief(state, np.array([0]), mu, sigma)
    found_mu, found_sigma = system.view(state, slice(0, 1), 0)
    cell = 2 * system.reach / 1000
    assert found_mu[0] == pytest.approx(mu, abs=1e-4 if sigma < 2 * cell else 1e-8)
    if sigma > cell:
        assert found_sigma[0] == pytest.approx(sigma, rel=1e-6 if sigma < 2 * cell else 1e-9)
    else:
        assert found_sigma[0] < 1.01 * cell


def test_seeds_beyond_the_grid_become_its_edge() -> None:
    system = Luck()
    state = system.new_state(2)
    system.set_belief(state, np.array([0, 1]), [1e9, -1e9], 1e-9)
    np.testing.assert_allclose(
        system.view(state, slice(0, 2), 0)[0], [1500 + system.reach, 1500 - system.reach]
    )


def test_predictions_integrate_over_both_beliefs() -> None:
    system = Luck(points=POINTS, home_advantage=40.0)
    history = some_history(EVENTS)
    state = system.new_state()
    system.update(state, history)
    a, b = np.arange(state.size), np.roll(np.arange(state.size), 2)
    for home in (0, 1, -1):
        chance = Naive(points=POINTS, home_advantage=40.0).chance(home)
        mass = state.column("mass")
        expected = np.einsum("ki,ij,kj->k", mass[a], chance, mass[b])
        np.testing.assert_allclose(system.predict(state, a, b, home=home), expected, rtol=0, atol=1e-12)
        outcomes = system.outcomes(state, a, b, home=home)
        np.testing.assert_allclose(outcomes[:, 0] + outcomes[:, 1] / 2, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("luck", ["logistic", "normal", "heaviside", "written-out"])
def test_win_probability_is_exact_for_normal_beliefs(luck: str) -> None:
    written = LuckFunction("written-out", lambda x, y: 1 / (1 + np.exp(np.subtract(y, x))))
    system = Luck(luck=written if luck == "written-out" else luck, points=501)
    state = system.new_state(2)
    system.set_belief(state, np.array([0, 1]), [1620.0, 1480.0], [70.0, 110.0])
    expected = system.predict(state, [0, 1], [1, 0])
    found = system.win_probability([1620.0, 1480.0], [70.0, 110.0], [1480.0, 1620.0], [110.0, 70.0])
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-3 if luck == "heaviside" else 1e-6)
    with pytest.raises(ParameterError, match="deviations"):
        system.win_probability(1500, None, 1500, None)


def test_merging_multiplies_the_evidence() -> None:
    """Without growth, two accounts merged know what one account with all the results would know."""
    results = [("x", 1600.0), ("y", 1400.0), ("x", 1500.0), ("y", 1650.0)]
    ladders = Ladder(Luck(growth=())), Ladder(Luck(growth=()))
    for ladder, one in zip(ladders, (False, True), strict=True):
        for number, (account, strength) in enumerate(results):
            ladder.adjust(Anchor(player=f"o{number}", mu=strength))
            ladder.record_match("x" if one else account, f"o{number}", draw=number == 2)
    ladders[0].adjust(Merge(player="y", into="x"))
    both, single = (ladder.rating("x") for ladder in ladders)
    assert (both.mu, both.sigma) == pytest.approx((single.mu, single.sigma), abs=1e-9)
    assert both.events == single.events == 4


def test_accounts_that_contradict_each_other_are_merged_as_normals() -> None:
    ladder = Ladder(Luck())
    ladder.adjust(SetRating(player="a", mu=900, sigma=40))
    ladder.adjust(SetRating(player="b", mu=2100, sigma=40))
    ladder.adjust(Merge(player="a", into="b"))
    merged = ladder.rating("b")
    assert merged.mu == pytest.approx(1500, abs=1.0)
    assert merged.sigma < 40


def test_newcomers_have_no_row() -> None:
    system = Luck()
    state = system.new_state(3)
    system.update(state, History.from_matches(["a"], ["b"]))
    assert state["unknown"].tolist() == [False, False, True]
    assert not state["mass"][2].any()
    mu, sigma = system.view(state, slice(0, 3), 0)
    assert (mu[2], sigma[2]) == pytest.approx((1500.0, system.sigma))


def test_masses_without_digits_are_none() -> None:
    system = Luck(sigma=20.0, growth=())
    mass = masses(system, some_history(EVENTS, shares=False))
    assert mass[mass > 0].min() > LEAST_MASS


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"luck": BRADLEY_TERRY}, "bradley-terry cannot be used on the line: .* above zero, not -7"),
        ({"luck": MAJORITY}, "luck=majority cannot be used on the line"),
        ({"luck": Sigmoid("high", lambda d: 0.7 + 0 * d)}, "luck=high is not symmetric"),
        ({"luck": Sigmoid("poker", lambda d: d)}, "luck=poker is not between 0 and 1"),
        ({"home_luck": Sigmoid("poker", lambda d: d)}, "home_luck=poker is not between"),
        ({"home_luck": LOGISTIC, "home_advantage": 10}, "home_luck and home_advantage both"),
        ({"growth": (1, 2)}, "growth has 2 parts, growth_shares 1"),
        ({"growth": (1, 2), "growth_shares": (0.5, 0.6)}, "growth_shares add up to one, not 1.1"),
        ({"algorithm": "laplace"}, "for luck functions made of Laplace curves, not logistic"),
        ({"algorithm": "panels", "luck": "fide"}, "panels is for smooth luck functions, and fide"),
        ({"algorithm": "panels", "points": 41}, "fewer nodes than there are points"),
        ({"algorithm": "fft", "luck": coin_flip(LOGISTIC, 0.5)}, r"logistic\+coin\(0.5\) is not known to be"),
        ({"algorithm": "naive", "luck": FAIR_COIN, "points": 9001}, "4001 points are the most"),
    ],
)
def test_refusals(parameters: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        Luck(**parameters)


def test_functions_of_one_name_are_not_taken_for_each_other() -> None:
    gains = []
    for width in (0.5, 2.0):
        steep = Sigmoid("mine", lambda d, w=width: LOGISTIC.curve(np.divide(d, w)))
        gains.append(Ladder(Luck(luck=steep, points=POINTS)).record_match("ann", "bob")[0].gain)
    assert gains[0] > gains[1] + 1


def test_margins_count() -> None:
    """A clear win is worth more than a close one, through the share of a point that it is worth."""
    gains = [
        Ladder(Luck(points=POINTS, margin=5)).record(scores={"ann": lead, "bob": 0})[0].gain
        for lead in (1, 10)
    ]
    assert 0 < gains[0] < gains[1]


def test_no_growth_may_be_written_in_three_ways() -> None:
    history = some_history(10)
    none = masses(Luck(points=201, growth=()), history)
    for growth in (0, (0.0,)):
        np.testing.assert_array_equal(masses(Luck(points=201, growth=growth), history), none)


@pytest.mark.compiled
def test_free_for_alls_know_of_the_coin_and_of_the_curve() -> None:
    """Three players of whom nothing is unknown: by hand for a game of skill, and with a coin in it."""
    for luck, noise in (("heaviside", 0.0), ("normal(2)", 2.0 / Q / math.sqrt(2.0))):
        for beta in (1.0, 0.6):
            ladder = Ladder(Luck(luck=luck, beta=beta))
            for name, mu in (("ann", 1600), ("bob", 1500), ("cat", 1400)):
                ladder.adjust(SetRating(player=name, mu=mu, sigma=20))
            deviation = math.hypot(ladder.rating("ann").sigma or 0.0, noise)
            chance = np.random.default_rng(1)
            drawn = np.array([[1600.0], [1500.0], [1400.0]]) + deviation * chance.standard_normal(
                (3, 400_000)
            )
            best = np.bincount(drawn.argmax(axis=0), minlength=3) / drawn.shape[1]
            expected = beta * best + (1.0 - beta) / 3.0
            names = ["ann", "bob", "cat"]
            np.testing.assert_allclose(ladder.top_chances(names, 1), expected, rtol=0, atol=4e-3)
            matrix = ladder.rank_probabilities(names).matrix
            np.testing.assert_allclose(matrix[:, 0], expected, rtol=0, atol=4e-3)
            np.testing.assert_allclose(matrix.sum(axis=0), 1.0, rtol=0, atol=1e-12)
            places = ladder.expected_ranks(names)
            # Beliefs are a little other than normal, so that the limit on chances to win moves a millionth.
            np.testing.assert_allclose(places, matrix @ [1.0, 2.0, 3.0], rtol=0, atol=1e-5)
