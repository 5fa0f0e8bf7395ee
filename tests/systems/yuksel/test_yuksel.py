"""Yuksel's system: small cases worked by hand from the paper's equations, and what the paper says of them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from podium import History, Ladder, Merge, ParameterError, Reset, SetRating, WinCurve, Yuksel, rate
from podium.named import temporary_registrations
from podium.systems.yuksel.kernels import INFORMATION, MU, D, F, R, V, W

Q = math.log(10.0) / 400.0
FORMS = Yuksel.declared()["form"].choices


def g(phi: float) -> float:
    """Eq. (4)."""
    return 1.0 / math.sqrt(1.0 + 3.0 * Q**2 * phi**2 / math.pi**2)


def f(difference: float) -> float:
    """Eq. (1)."""
    return 1.0 / (1.0 + 10.0 ** (-difference / 400.0))


def row(ladder: Ladder, player: str) -> NDArray[np.float64]:
    """What is stored of a player."""
    return ladder.state["belief"][ladder.players.index(player)].copy()


def random_matches(n: int, players: int = 8, spread: float = 200.0, seed: int = 1) -> History:
    chance = np.random.default_rng(seed)
    skill = chance.normal(0.0, spread, players)
    a = chance.integers(0, players, n)
    b = (a + chance.integers(1, players, n)) % players
    score = (chance.random(n) < 1.0 / (1.0 + 10.0 ** ((skill[b] - skill[a]) / 400.0))).astype(float)
    score[chance.random(n) < 0.1] = 0.5
    return History.from_matches(a, b, score)


# ---------------------------------------------------------------------------------------------------------
# By hand


@pytest.mark.parametrize("form", ["zero-sum", "independent", "zero-sum-exact", "zero-sum-at-limit"])
def test_the_first_game_of_two_newcomers(form: str) -> None:
    """F = 1/2 and D = q/4, so that Δr = 2/q = 347.4; then W, R and V of Eq. (9)-(11)."""
    ladder = Ladder(Yuksel(form=form))
    ladder.record_match("ann", "bob")
    assert row(ladder, "ann")[D] == pytest.approx(Q / 4.0, rel=1e-14)
    for player, rating in (("ann", 1500.0 + 2.0 / Q), ("bob", 1500.0 - 2.0 / Q)):
        stored = row(ladder, player)
        assert stored[MU] == pytest.approx(rating, rel=1e-14)
        assert stored[W] == pytest.approx(1.000001, rel=1e-15)
        assert stored[R] == pytest.approx(rating / 1.000001, rel=1e-14)
        assert stored[V] == pytest.approx(rating**2 * 1e-6 / 1.000001, rel=1e-9)
        assert ladder.rating(player).sigma == pytest.approx(rating * 1e-3 / 1.000001, rel=1e-9)


def test_the_second_game_of_a_player_against_a_newcomer() -> None:
    """Algorithm 1, line by line: ann has won once, and loses to cat."""
    ladder = Ladder(Yuksel(form="independent", limit=1000.0))
    ladder.record_match("ann", "bob")
    before = row(ladder, "ann")
    phi = math.sqrt(before[V] / before[W])
    ladder.record_match("cat", "ann")
    p, omega = f(before[MU] - 1500.0), g(2.0 * phi)
    # ann, against whom nothing blurs: g(φ_cat) = g(0) = 1
    d = Q * p * (1.0 - p) + omega * before[D]
    r = before[MU] - p / d
    w = omega * before[W] + 1.0
    mean = before[R] + (r - before[R]) / w
    v = omega * before[V] + (r - before[R]) * (r - mean)
    np.testing.assert_allclose(row(ladder, "ann")[[MU, W, R, V, D]], [r, w, mean, v, d], rtol=1e-12)
    # cat, whose first Δr would be (1 − f)/(q f (1 − f)) = 1/(q (1 − p)) = 1459, and is limited
    cat = row(ladder, "cat")
    assert cat[MU] == 2500.0
    assert cat[D] == pytest.approx(g(phi) * p / 1000.0, rel=1e-12)


def unequal(system: Yuksel, **phi: float) -> Ladder:
    """ann at 1700, known by the information of σ = 100, and bob at 1600 by that of 40; with these φ."""
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="ann", mu=1700, sigma=100))
    ladder.adjust(SetRating(player="bob", mu=1600, sigma=40))
    for player, deviation in phi.items():
        stored = ladder.state["belief"][ladder.players.index(player)]
        stored[V] = deviation**2 * stored[W]
    return ladder


def test_a_zero_sum_game_of_unequal_memories() -> None:
    """Algorithm 2, line by line."""
    ladder = unequal(Yuksel(), ann=70.0, bob=30.0)
    d_ann, d_bob = 1.0 / (Q * 100.0**2), 1.0 / (Q * 40.0**2)
    assert row(ladder, "ann")[D] == pytest.approx(d_ann, rel=1e-14)
    ladder.record_match("bob", "ann")
    p = f(100.0)
    f_ann, f_bob = -g(30.0) * p, g(70.0) * p
    d_ann = g(30.0) * Q * p * (1.0 - p) + g(140.0) * d_ann
    d_bob = g(70.0) * Q * p * (1.0 - p) + g(60.0) * d_bob
    change = (d_ann * f_ann - d_bob * f_bob) / (d_ann**2 + d_bob**2)
    assert row(ladder, "ann")[MU] == pytest.approx(1700.0 + change, rel=1e-13)
    assert row(ladder, "bob")[MU] == pytest.approx(1600.0 - change, rel=1e-13)
    assert row(ladder, "ann")[D] == pytest.approx(f_ann / change, rel=1e-12)
    assert row(ladder, "bob")[D] == pytest.approx(-f_bob / change, rel=1e-12)


def test_after_a_zero_sum_game_both_are_known_equally_well() -> None:
    """What lines 9 and 10 imply: D g(φ) is the same for both, whoever was known better before."""
    ladder = unequal(Yuksel(), bob=20.0)
    before = row(ladder, "bob")[D]
    ladder.record_match("bob", "new")
    bob, new = row(ladder, "bob"), row(ladder, "new")
    assert new[D] == pytest.approx(g(20.0) * bob[D], rel=1e-12)
    assert new[D] > 0.9 * before  # a newcomer who met a veteran moves like one from then on


def test_corrected_at_the_limit_only_both_stay_as_well_known_as_they_were() -> None:
    """D of Eq. (15) stays; where the limit cuts, it is F/Δr as in line 6 of Algorithm 1."""
    for limit, cut in ((350.0, False), (5.0, True)):
        ladder = unequal(Yuksel(form="zero-sum-at-limit", limit=limit), ann=70.0, bob=30.0)
        ladder.record_match("bob", "ann")
        p = f(100.0)
        d_ann = g(30.0) * Q * p * (1.0 - p) + g(140.0) / (Q * 100.0**2)
        d_bob = g(70.0) * Q * p * (1.0 - p) + g(60.0) / (Q * 40.0**2)
        if cut:
            assert row(ladder, "ann")[MU] == 1695.0
            d_ann, d_bob = g(30.0) * p / 5.0, g(70.0) * p / 5.0
        assert row(ladder, "ann")[D] == pytest.approx(d_ann, rel=1e-12)
        assert row(ladder, "bob")[D] == pytest.approx(d_bob, rel=1e-12)


def test_the_exact_form_keeps_what_the_step_left_over() -> None:
    """Eq. (14): F' = g(φ_b)(s − f) + g(αφ_a)(F − Δr D)."""
    ladder = unequal(Yuksel(form="zero-sum-exact"), bob=30.0)
    ladder.record_match("ann", "bob")
    ann = row(ladder, "ann")
    left = g(30.0) * (1.0 - f(100.0)) - (ann[MU] - 1700.0) * ann[D]
    assert abs(left) > 0.1
    assert ann[F] == pytest.approx(left, rel=1e-12)
    phi = math.sqrt(ann[V] / ann[W])
    ladder.record_match("cat", "ann")
    p = f(ann[MU] - 1500.0)
    f_ann, d_ann = -p + g(2.0 * phi) * left, Q * p * (1.0 - p) + g(2.0 * phi) * ann[D]
    f_cat, d_cat = g(phi) * p, g(phi) * Q * p * (1.0 - p)
    change = (d_ann * f_ann - d_cat * f_cat) / (d_ann**2 + d_cat**2)
    assert row(ladder, "ann")[MU] == pytest.approx(ann[MU] + change, rel=1e-12)


# ---------------------------------------------------------------------------------------------------------
# What the paper says of its updates


@pytest.mark.parametrize("form", ["zero-sum", "zero-sum-exact", "zero-sum-at-limit"])
@pytest.mark.parametrize("step", [1.0, 0.9])
def test_zero_sum_forms_keep_the_sum(form: str, step: float) -> None:
    run = rate(random_matches(2000), Yuksel(form=form, step=step))
    assert run.ratings["mu"].sum() == pytest.approx(8 * 1500.0, abs=1e-7)


@pytest.mark.parametrize("form", ["zero-sum", "independent"])
def test_equation_16_holds_after_every_game(form: str) -> None:
    """F' = Δr' D', where a step was limited too; with s < 1 of the step before it is scaled."""
    history = random_matches(300, spread=600.0)
    for step in (1.0, 0.5):
        system = Yuksel(form=form, step=step, limit=120.0)
        state = system.new_state(len(history.players))
        limited = 0
        for e in range(len(history)):
            part = history[e : e + 1]
            players = part.player.tolist()
            before = state["belief"][players].copy()
            system.update(state, part)
            after = state["belief"][players]
            first, second = part.rank.tolist()
            score = 0.5 * (1 + (first < second) - (first > second))
            for me, other, s in ((0, 1, score), (1, 0, 1.0 - score)):
                opponent = before[other]
                surprise = s - f(before[me, MU] - opponent[MU])
                blurred = g(math.sqrt(opponent[V] / opponent[W])) * surprise
                change = (after[me, MU] - before[me, MU]) / step
                assert change * after[me, D] == pytest.approx(blurred, rel=1e-9, abs=1e-14)
                assert abs(change) <= 120.0 * (1 + 1e-12)
                limited += abs(change) > 119.9999
        assert limited > 0


def test_a_linear_curve_makes_the_sums_exact() -> None:
    """Eq. (13) is no approximation then: the incremental form is the batch form."""
    line = WinCurve("line", lambda d: 0.5 + 0.0125 * d, lambda d: np.full(np.shape(d), 0.0125))
    chance = np.random.default_rng(5)
    a = chance.integers(0, 8, 400)
    b = (a + chance.integers(1, 8, 400)) % 8
    history = History.from_matches(a, b, chance.uniform(0.4, 0.6, 400))  # never beyond the table's end
    one, other = (
        rate(history, Yuksel(form=form, curve=line, limit=1e6), trace=True).trace
        for form in ("independent", "batch")
    )
    for column in ("mu", "sigma"):
        np.testing.assert_allclose(one[column], other[column], rtol=1e-9, atol=1e-6)
    assert one["mu"].max() > 1700.0
    bent = rate(history, Yuksel(form="batch", limit=1e6), trace=True).trace
    assert np.abs(other["mu"].to_numpy() - bent["mu"].to_numpy()).max() > 1.0


def test_the_batch_form_balances_all_results() -> None:
    """F of Eq. (6) vanishes at the new rating: with scores that fade nowhere, the maximum likelihood."""
    ladder = Ladder(Yuksel(form="batch", alpha=1.0))
    for opponent, won in (("x", True), ("y", False), ("z", True), ("u", False)):
        ladder.adjust(SetRating(player=opponent, mu=1400.0 + 100.0 * len(ladder.players)))
        before = row(ladder, "ann") if "ann" in ladder.players else None
        ladder.record_match(*(("ann", opponent) if won else (opponent, "ann")))
    assert before is not None
    terms = ladder.state.terms
    assert terms is not None
    past = terms.rows(np.array([ladder.players.index("ann")])).columns
    mu = ladder.rating("ann").mu
    assert len(past["rival"]) == 4
    surprise = past["weight"] @ (past["score"] - [f(mu - rival) for rival in past["rival"]])
    assert surprise == pytest.approx(0.0, abs=1e-13)
    assert abs(mu - before[MU]) < 350.0


def test_games_that_have_faded_are_dropped() -> None:
    """A player who swings wildly remembers little; nothing lighter than 1e-18 is kept."""
    ladder = Ladder(Yuksel(form="batch", alpha=20.0))
    for i in range(60):
        ladder.record_match(*(("ann", f"x{i}") if i % 4 < 2 else (f"x{i}", "ann")))
    assert ladder.state.terms is not None
    weights = ladder.state.terms.rows(np.array([ladder.players.index("ann")])).columns["weight"]
    assert 1 < len(weights) < 60
    assert weights.min() >= 1e-18


# ---------------------------------------------------------------------------------------------------------
# What the paper leaves open


def test_the_first_weight_decides_the_first_deviation() -> None:
    """R = 0 as printed: the first φ is the rating times √W₀, so W₀ must be small (58 points with 1e-3)."""
    shown = {}
    for weight in (1e-3, 1e-6, 1e-9):
        for mean in ("zero", "rating"):
            ladder = Ladder(Yuksel(first_weight=weight, first_mean=mean))
            shown[weight, mean] = ladder.record_match("ann", "bob")[0].sigma
    assert shown[1e-3, "zero"] == pytest.approx(58.36, abs=0.01)
    assert shown[1e-6, "zero"] == pytest.approx(1.847, abs=0.001)
    assert shown[1e-6, "rating"] == pytest.approx(2e-3 / Q, rel=1e-5)
    assert shown[1e-9, "rating"] == pytest.approx(math.sqrt(1e-9) * 2.0 / Q, rel=1e-5)


def test_only_the_first_rating_as_mean_lets_ratings_be_shifted() -> None:
    """Section 2.1: all ratings may be shifted by a constant. With R = 0 they may not."""
    history = random_matches(500)
    moved = {}
    for mean in ("zero", "rating"):
        low, high = (rate(history, Yuksel(mu=mu, first_mean=mean)).ratings for mu in (0.0, 100_000.0))
        moved[mean] = np.abs(high.sort("player")["mu"] - 100_000.0 - low.sort("player")["mu"]).max()
    assert moved["rating"] < 1e-6
    assert moved["zero"] > 1.0


def test_a_smaller_step_moves_less_and_keeps_d() -> None:
    whole, half = Ladder(Yuksel()), Ladder(Yuksel(step=0.5))
    gains = [ladder.record_match("ann", "bob")[0].gain for ladder in (whole, half)]
    assert gains[1] == pytest.approx(0.5 * gains[0], rel=1e-13)
    assert row(whole, "ann")[D] == pytest.approx(row(half, "ann")[D], rel=1e-14)


@pytest.mark.parametrize("form", FORMS)
def test_weights_count_as_so_many_equal_games(form: str) -> None:
    """Of somebody whose rating has been at rest, a draw of weight 3 weighs like three draws."""
    sums = []
    for repeats, weight in ((3, 1.0), (1, 3.0)):
        ladder = Ladder(Yuksel(form=form, first_mean="rating"))
        for _ in range(repeats):
            ladder.record_match("ann", "bob", draw=True, weight=weight)
        sums.append(row(ladder, "ann")[[MU, W, D]])
    np.testing.assert_allclose(sums[0], sums[1], rtol=1e-14)


def test_the_last_digit_of_a_rating_decides_nothing() -> None:
    """Algorithm 2 corrects D where ratings change, as a draw of equals does not: 22 points depend on it."""
    gains = []
    for last_digits in (0.0, 2.3e-13, -2.3e-13):
        ladder = Ladder(Yuksel(first_mean="rating"))
        ladder.record_match("eve", "bob", weight=3.0)
        ladder.record_match("cat", "dan", weight=0.25)
        ladder.state["belief"][ladder.players.index("cat")][MU] += last_digits
        ladder.record_match("eve", "cat", draw=True, weight=3.0)
        gains.append(ladder.record_match("bob", "eve")[0].gain)
    assert gains == pytest.approx(gains[:1] * 3, rel=1e-12)


# ---------------------------------------------------------------------------------------------------------
# What is podium's own


def test_stable_forgetting_scales_phi_by_what_games_tell() -> None:
    """ω = g(αφ √ρ) with ρ = Σ ω g f' / (0.85 W f'(0)); two games at 300 and 100 points of difference."""
    ladder = Ladder(Yuksel(forgetting="stable", form="independent"))
    ladder.adjust(SetRating(player="bob", mu=1800))
    ladder.record_match("bob", "ann")
    first = row(ladder, "ann")
    told = Q * f(300.0) * f(-300.0)
    ladder.adjust(SetRating(player="cat", mu=first[MU] + 100.0))
    ladder.record_match("cat", "ann")
    rho = told / (first[W] * 0.85 * Q / 4.0)
    assert rho < 1.0
    omega = g(2.0 * math.sqrt(rho * first[V] / first[W]))
    told = omega * told + Q * f(100.0) * f(-100.0)
    second = row(ladder, "ann")
    assert second[W] == pytest.approx(omega * first[W] + 1.0, rel=1e-14)
    assert second[INFORMATION] == pytest.approx(told, rel=1e-12)


@pytest.mark.parametrize("distance", [0.0, 130.0])
def test_between_matched_players_stable_forgetting_is_the_published_one(distance: float) -> None:
    """Up to 130 points apart a game tells more than 0.85 of what an even one does."""
    results = []
    for forgetting in ("published", "stable"):
        ladder = Ladder(Yuksel(forgetting=forgetting, form="independent"))
        ladder.adjust(SetRating(player="ann", mu=1500, sigma=60))
        stored = ladder.state["belief"][0]
        stored[V] = 50.0**2 * stored[W]
        for i in range(10):
            ladder.adjust(SetRating(player=f"x{i}", mu=ladder.rating("ann").mu + distance))
            ladder.record_match("ann", f"x{i}", draw=True)
        results.append(row(ladder, "ann"))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-14)


def noisy_rounds(system: Yuksel, rounds: int, spread: float) -> float:
    """How far off ratings are after rounds in which anybody meets anybody of a population this wide."""
    chance = np.random.default_rng(3)
    n = 200
    skill = chance.normal(0.0, spread, n)
    order = np.concatenate([chance.permutation(n) for _ in range(rounds)]).reshape(-1, 2)
    a, b = order.T
    score = chance.random(len(a)) < 1.0 / (1.0 + 10.0 ** ((skill[b] - skill[a]) / 400.0))
    ratings = rate(History.from_matches(a, b, score.astype(float)), system).ratings
    off = ratings["mu"].to_numpy() - skill[ratings["player"].cast(int).to_numpy()]
    return float(off.std())


@pytest.mark.compiled
def test_random_pairing_runs_away_as_published_and_not_when_stable() -> None:
    """Figure 7: as published the error falls at first, then grows; stable forgetting goes on improving."""
    assert noisy_rounds(Yuksel(), 30, 600.0) < noisy_rounds(Yuksel(), 1000, 600.0) - 100.0
    early, late = (noisy_rounds(Yuksel(forgetting="stable"), rounds, 600.0) for rounds in (100, 1000))
    assert late < 0.6 * early


def test_a_newcomer_of_whom_something_is_known_moves_less() -> None:
    """σ counts as D = 1/(q σ²): with σ = 2/q the first game counts as much as all that was known."""
    ladder = Ladder(Yuksel(sigma=2.0 / Q))
    changes = ladder.record_match("ann", "bob")
    assert changes[0].sigma_before == pytest.approx(2.0 / Q, rel=1e-14)
    assert changes[0].gain == pytest.approx(1.0 / Q, rel=1e-13)


def test_the_deviation_by_information_widens_predictions() -> None:
    """σ = 1/√(q D) as in Glicko: after an even game of a newcomer 2/q."""
    system = Yuksel(deviation="information")
    ladder = Ladder(system)
    assert ladder.record_match("ann", "bob")[0].sigma == pytest.approx(2.0 / Q, rel=1e-13)
    expected = f(100.0 * g(math.hypot(120.0, 60.0)))
    assert system.win_probability(1600.0, 120.0, 1500.0, 60.0) == pytest.approx(expected, rel=1e-13)
    assert Yuksel().win_probability(1600.0, 120.0, 1500.0, 60.0) == pytest.approx(f(100.0), rel=1e-13)
    with pytest.raises(ParameterError, match="deviations"):
        system.win_probability(1600.0, None, 1500.0, None)


# ---------------------------------------------------------------------------------------------------------
# Curves


def logistic(d: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-d))


def test_a_curve_of_ones_own_is_read_from_a_table() -> None:
    own = WinCurve("own", logistic, lambda d: logistic(d) * logistic(-d))
    assert own.error < 2e-11
    history = random_matches(500)
    built_in, tabulated = (rate(history, Yuksel(curve=curve)).ratings for curve in ("logistic", own))
    np.testing.assert_allclose(tabulated["mu"], built_in["mu"], rtol=0, atol=1e-4)
    d = np.linspace(-50.0, 50.0, 1001)
    np.testing.assert_allclose(own(d) + own(-d), 1.0, rtol=0, atol=1e-15)


def test_the_normal_curve_agrees_at_the_scale() -> None:
    system = Yuksel(curve="normal", scale=200.0)
    assert system.win_probability(1700.0, None, 1500.0, None) == pytest.approx(10.0 / 11.0, rel=1e-12)
    assert Yuksel(curve="normal(1.5)").curve != system.curve
    with pytest.raises(ParameterError, match="width"):
        Yuksel(curve="normal(0)")
    with pytest.raises(ParameterError, match=r"curve: 'logistic\(2\)': logistic takes no numbers"):
        Yuksel(curve="logistic(2)")


def test_a_built_in_curve_has_its_name_to_itself() -> None:
    for name in ("logistic", "normal", "normal(1.5)"):
        other = WinCurve(name, logistic, lambda d: logistic(d) * logistic(-d))
        with pytest.raises(ParameterError, match="that podium defines, and this one differs"):
            Yuksel(curve=other)
        Yuksel(curve=Yuksel(curve=name).curve)


@pytest.mark.parametrize(
    "curve, slope, why",
    [
        (lambda d: logistic(d + 0.1), lambda d: logistic(d) * logistic(-d), "1 − f"),
        (logistic, lambda d: 2.0 * logistic(d) * logistic(-d), "derivative"),
        (lambda d: 1.0 - logistic(d), lambda d: -logistic(d) * logistic(-d), "falls"),
        (lambda d: np.sum(logistic(d)), lambda d: logistic(d) * logistic(-d), "each number"),
        (lambda d: 1.0 / (1.0 + math.exp(-d)), lambda d: logistic(d) * logistic(-d), "np.exp, not math.exp"),
        (logistic, lambda d: {}[d], "wrong fails on an array of differences: TypeError"),
    ],
)
def test_what_is_no_win_curve_is_refused(curve: object, slope: object, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        WinCurve("wrong", curve, slope)  # type: ignore[arg-type]


def test_a_registered_curve_is_found_by_name() -> None:
    steep = WinCurve(
        "steep", lambda d: logistic(2.0 * d), lambda d: 2.0 * logistic(2.0 * d) * logistic(-2.0 * d)
    )
    with pytest.raises(ParameterError, match="steep"):
        Yuksel(curve="steep")
    with temporary_registrations():
        WinCurve.register(steep)
        assert Yuksel.from_parameters(curve="steep").curve is steep


# ---------------------------------------------------------------------------------------------------------
# Adjustments


@pytest.mark.parametrize("form", FORMS)
def test_adjustments(form: str) -> None:
    ladder = Ladder(Yuksel(form=form))
    assert ladder.system.view(ladder.system.new_state(1), slice(0, 1), 0)[1].tolist() == [350.0]
    for winner, loser in (("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("ann", "cat")):
        ladder.record_match(winner, loser)
    before = ladder.rating("ann")
    ladder.adjust(SetRating(player="ann", mu=before.mu + 100.0))
    assert ladder.rating("ann").sigma == pytest.approx(before.sigma, rel=1e-12)
    ladder.adjust(SetRating(player="eve", mu=1800.0, sigma=90.0))
    assert (ladder.rating("eve").mu, ladder.rating("eve").sigma) == (1800.0, pytest.approx(90.0, rel=1e-14))
    gains = [change.gain for change in ladder.preview(ranks={"eve": 1, "fay": 2})]
    assert 0.0 < gains[0] < 100.0  # known by some twenty games' worth
    ladder.adjust(Reset(keep=0.0))
    assert ladder.rating("bob").mu == 1500.0
    assert ladder.rating("bob").sigma == 350.0


@pytest.mark.parametrize("form", FORMS)
def test_merging_adds_the_evidence_of_both(form: str) -> None:
    """As if all games had been one account's: sums add up, the rating is their mean by D."""
    ladder = Ladder(Yuksel(form=form))
    for winner, loser in (("ann", "bob"), ("bob", "annie"), ("annie", "cat"), ("dan", "ann")):
        ladder.record_match(winner, loser)
    one, other = row(ladder, "ann"), row(ladder, "annie")
    ladder.adjust(Merge(player="annie", into="ann"))
    both = row(ladder, "ann")
    np.testing.assert_allclose(both[[W, D]], (one + other)[[W, D]], rtol=1e-14)
    assert both[MU] == pytest.approx(np.average([one[MU], other[MU]], weights=[one[D], other[D]]))
    mean = np.average([one[R], other[R]], weights=[one[W], other[W]])
    spread = sum(x[V] + x[W] * (x[R] - mean) ** 2 for x in (one, other))
    assert both[V] == pytest.approx(spread, rel=1e-12)
    assert ladder.rating("ann").events == 4
    ladder.record_match("ann", "bob")
    assert ladder.rating("ann").mu > both[MU] - 400.0


def test_what_a_player_wins_never_costs_them() -> None:
    history = random_matches(500, spread=400.0)
    trace = rate(history, Yuksel(), trace=True).trace
    gain = (trace["mu"] - trace["mu_before"]).to_numpy()
    for first, second in pairwise(range(0, len(gain), 2)):
        assert second == first + 2
        if history.rank[first] < history.rank[first + 1]:
            assert gain[first] > 0.0 > gain[first + 1]


def test_a_distribution_goes_by_what_games_told() -> None:
    """After one game φ is 1.8 points; the rating is known no better than one even game tells, 2/q."""
    ladder = Ladder(Yuksel())
    ladder.record_match("ann", "bob")
    assert ladder.rating("ann").sigma < 2.0
    assert ladder.distribution("ann").deviation == pytest.approx(2.0 / Q, rel=0.01)
