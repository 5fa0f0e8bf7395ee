"""TrueSkill against integrals, another implementation, and what its ties and its contests promise."""

from __future__ import annotations

import math
from itertools import permutations
from statistics import NormalDist
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

from conftest import COMPILED
from naive import trueskill as naive
from naive.events import Event as NaiveEvent
from podium import Event, History, Ladder, SetRating, TrueSkill, rate

Belief = tuple[float, float]
BETA2, TAU2 = (25 / 6) ** 2, (25 / 300) ** 2


def rated(
    system: TrueSkill, beliefs: dict[str, Belief], teams: list[list[str]], ranks: list[int], **event: Any
) -> dict[str, Belief]:
    """Everybody's mean and deviation after one event."""
    seeds = [SetRating(player=name, mu=mu, sigma=sigma) for name, (mu, sigma) in beliefs.items()]
    ladder = rate(History.from_events([*seeds, Event.of(teams=teams, ranks=ranks, **event)]), system).ladder
    ratings = {name: ladder.rating(name) for team in teams for name in team}
    return {name: (rating.mu, rating.sigma or math.nan) for name, rating in ratings.items()}


def singles(*beliefs: Belief) -> tuple[dict[str, Belief], list[list[str]]]:
    named = {f"p{i}": belief for i, belief in enumerate(beliefs)}
    return named, [[name] for name in named]


# ------------------------------------------------------------------ two sides, exactly


class Duel(NamedTuple):
    """Two sides: mean, deviation and part played of each member."""

    first: list[tuple[float, float, float]]
    second: list[tuple[float, float, float]]


DUELS = {
    "newcomers": Duel([(25, 25 / 3, 1)], [(25, 25 / 3, 1)]),
    "uneven": Duel([(28, 3, 1)], [(21, 7, 1)]),
    "ten deviations": Duel([(0, 4, 1)], [(78, 4, 1)]),
    "thirty deviations": Duel([(-100, 5, 1)], [(132, 3, 1)]),
    "partial play": Duel([(25, 8, 0.3)], [(28, 5, 0.9)]),
    "two against one": Duel([(12, 6, 1), (15, 3, 0.5)], [(27, 7, 1)]),
    "three against two": Duel([(25, 8, 1), (20, 4, 0.25), (18, 2, 1)], [(30, 8, 1), (31, 5, 0.75)]),
}


def skill_by_integration(
    duel: Duel, side: int, member: int, result: str, draw_rate: float
) -> tuple[float, float]:
    """Mean and deviation of one skill: its prior times the chance of the result given the skill.

    That is log-concave and falls on both sides at least as fast as the prior: the sum over a grid of 12
    deviations on both sides of its mode, in steps that resolve prior and chance, is exact.
    """
    own, other = (duel.first, duel.second) if side == 0 else (duel.second, duel.first)
    mu, sigma, play = own[member]
    with mpmath.workdps(30):
        beta2, tau2 = mpmath.mpf(BETA2), mpmath.mpf(TAU2)
        prior = mpmath.mpf(sigma) ** 2 + tau2
        everybody = own + other
        rest = sum(p**2 * (mpmath.mpf(s) ** 2 + tau2 + beta2) for _, s, p in everybody) - play**2 * prior
        lead = sum(p * mpmath.mpf(m) for m, _, p in own) - sum(p * mpmath.mpf(m) for m, _, p in other)
        quantile = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(draw_rate))  # Φ⁻¹((p + 1)/2)
        margin = quantile * mpmath.sqrt(len(everybody) * beta2)
        scale = mpmath.sqrt(rest)

        def density(skill: Any) -> Any:
            difference = (lead + play * (skill - mu)) / scale
            bound = margin / scale
            if result == "win":
                chance = mpmath.ncdf(difference - bound)
            elif result == "loss":
                chance = mpmath.ncdf(-difference - bound)
            elif margin == 0:
                chance = mpmath.npdf(difference)
            else:
                near = abs(difference)
                chance = mpmath.ncdf(bound - near) - mpmath.ncdf(-bound - near)
            return chance * mpmath.exp(-((skill - mu) ** 2) / (2 * prior))

        low, high = mpmath.mpf(mu) - 500, mpmath.mpf(mu) + 500
        for _ in range(40):
            third = (high - low) / 3
            if density(low + third) < density(high - third):
                low += third
            else:
                high -= third
        step = min(mpmath.sqrt(prior), scale / play) / 4
        reach = int(12 * mpmath.sqrt(prior) / step)
        grid = [low + k * step for k in range(-reach, reach + 1)]
        mass = [density(skill) for skill in grid]
        total = sum(mass)
        mean = sum(m * x for m, x in zip(mass, grid, strict=True)) / total
        variance = sum(m * (x - mean) ** 2 for m, x in zip(mass, grid, strict=True)) / total
        return float(mean), float(mpmath.sqrt(variance))


@pytest.mark.parametrize("draw_rate", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("result", ["win", "draw", "loss"])
@pytest.mark.parametrize("case", DUELS)
def test_two_sides_are_exact(case: str, result: str, draw_rate: float) -> None:
    """All that is believed after a duel, to ten digits after the point."""
    duel = DUELS[case]
    beliefs, play, teams = {}, {}, []
    for letter, side in zip("ab", duel, strict=True):
        teams.append([f"{letter}{i}" for i in range(len(side))])
        for name, (mu, sigma, part) in zip(teams[-1], side, strict=True):
            beliefs[name], play[name] = (mu, sigma), part
    ranks = {"win": [1, 2], "draw": [1, 1], "loss": [2, 1]}[result]
    found = rated(TrueSkill(draw_rate=draw_rate), beliefs, teams, ranks, play=play)
    turned = {"win": "loss", "draw": "draw", "loss": "win"}
    for side, team in enumerate(teams):
        for member, name in enumerate(team):
            exact = skill_by_integration(
                duel, side, member, result if side == 0 else turned[result], draw_rate
            )
            assert found[name] == pytest.approx(exact, rel=0, abs=1e-10), name


# ------------------------------------------------------------------ another implementation

# The package trueskill 0.4.5 (PyPI), draw_probability=0.1 and all else its defaults, backend="mpmath" with 50
# digits (its own distribution function has seven), min_delta=1e-13: beliefs before, and beliefs after.
WON = [[(29.395831692991518, 7.17147580700922)], [(20.60416830700849, 7.17147580700922)]]
DRAWN = [[(25.0, 6.45751568324505)], [(25.0, 6.45751568324505)]]
NEWCOMER = (25.0, 25 / 3)
PACKAGE: dict[str, tuple[list[list[Belief]], list[int], list[list[float]] | None, list[list[Belief]]]] = {
    "win": ([[NEWCOMER], [NEWCOMER]], [1, 2], None, WON),
    "draw": ([[NEWCOMER], [NEWCOMER]], [1, 1], None, DRAWN),
    "upset": (
        [[(20, 3)], [(32, 2)]],
        [1, 2],
        None,
        [[(22.91464601812062, 2.741950156243524)], [(30.70335331344981, 1.9267387742337665)]],
    ),
    "uneven draw": (
        [[(30, 4)], [(21, 7)]],
        [1, 1],
        None,
        [[(28.558207455751216, 3.666420926556996)], [(25.41419955955038, 4.997063934616525)]],
    ),
    "four": (
        [[(25, 8)], [(30, 5)], [(20, 3)], [(28, 6)]],
        [1, 2, 3, 4],
        None,
        [
            [(33.348101093135156, 5.8104249540663755)],
            [(29.392896779024422, 4.1072995570258115)],
            [(20.817959048491105, 2.762083491485804)],
            [(20.908007106037235, 4.60379179688277)],
        ],
    ),
    "two against two": (
        [[(25, 8), (29, 4)], [(30, 5), (27, 7)]],
        [1, 2],
        None,
        [
            [(29.186848060948716, 7.1645386277178025), (30.04705270483745, 3.9005330336675907)],
            [(28.364235665891687, 4.803335827577661), (23.79433798783605, 6.447931337042196)],
        ],
    ),
    "one, two and three": (
        [[(40, 4)], [(15, 7), (20, 6)], [(25, 8), (24, 3), (12, 5)]],
        [1, 2, 3],
        None,
        [
            [(42.45785997527611, 3.7440371283862524)],
            [(16.62224614756907, 5.856156090937084), (21.19191530043158, 5.297617884224352)],
            [
                (13.052977308551863, 6.676584654988943),
                (22.318836017054547, 2.9363575591636266),
                (7.332404392762856, 4.694798542605834),
            ],
        ],
    ),
    "partial play": (
        [[(25, 8), (29, 4)], [(30, 5), (27, 7)]],
        [1, 2],
        [[1, 0.5], [0.25, 1]],
        [
            [(28.09633955813399, 7.034492698155348), (29.38716842147656, 3.9723893392836502)],
            [(29.697571911987612, 4.986822314941056), (24.62928629036004, 6.363438288642314)],
        ],
    ),
}


@pytest.mark.parametrize("case", PACKAGE)
def test_the_package_trueskill_says_the_same(case: str) -> None:
    given, ranks, parts, expected = PACKAGE[case]
    teams = [[f"{i} {k}" for k in range(len(side))] for i, side in enumerate(given)]
    beliefs = {f"{i} {k}": belief for i, side in enumerate(given) for k, belief in enumerate(side)}
    play = {f"{i} {k}": part for i, side in enumerate(parts or []) for k, part in enumerate(side)}
    found = rated(TrueSkill(draw_rate=0.1), beliefs, teams, ranks, play=play)
    for i, side in enumerate(expected):
        for k, belief in enumerate(side):
            assert found[f"{i} {k}"] == pytest.approx(belief, rel=0, abs=1e-10)


def test_the_package_trueskill_says_the_same_without_draws() -> None:
    """As above, with draw_probability=0: four newcomers."""
    beliefs, teams = singles(NEWCOMER, NEWCOMER, NEWCOMER, NEWCOMER)
    found = rated(TrueSkill(), beliefs, teams, [1, 2, 3, 4])
    outer, inner = (32.6781058380325, 6.409080758527122), (27.216745361048524, 5.8274516173620965)
    assert found["p0"] == pytest.approx(outer, rel=0, abs=1e-10)
    assert found["p1"] == pytest.approx(inner, rel=0, abs=1e-10)
    assert found["p2"] == pytest.approx((50 - inner[0], inner[1]), rel=0, abs=1e-10)
    assert found["p3"] == pytest.approx((50 - outer[0], outer[1]), rel=0, abs=1e-10)


# ------------------------------------------------------------------ ties among three or more sides

FIELD: list[Belief] = [(30, 6), (25, 7), (20, 9), (28, 5), (26, 8)]


@pytest.mark.parametrize("draw_rate", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("ranks", [[1, 1, 1, 1, 1], [1, 2, 2, 2, 3], [1, 1, 1, 2, 2]])
def test_the_order_of_rows_is_nothing(ranks: list[int], draw_rate: float) -> None:
    beliefs, teams = singles(*FIELD)
    beliefs["mate"] = (3.0, 4.0)
    teams[1].append("mate")
    expected = rated(TrueSkill(draw_rate=draw_rate), beliefs, teams, ranks)
    for order in list(permutations(range(5)))[5 :: 1 if COMPILED else 20]:
        found = rated(
            TrueSkill(draw_rate=draw_rate), beliefs, [teams[i] for i in order], [ranks[i] for i in order]
        )
        for name, belief in expected.items():
            assert found[name] == pytest.approx(belief, rel=0, abs=1e-12)


@pytest.mark.parametrize("ranks", [[1, 1, 1, 1, 1, 1], [1, 2, 2, 2, 2, 3]])
def test_identical_players_of_a_tie_stay_identical(ranks: list[int]) -> None:
    beliefs, teams = singles((30, 6), (24, 5), (24, 5), (19, 9), (24, 5), (22, 7))
    found = rated(TrueSkill(draw_rate=0.1), beliefs, teams, ranks)
    assert found["p2"] == pytest.approx(found["p1"], rel=0, abs=1e-12)
    assert found["p4"] == pytest.approx(found["p1"], rel=0, abs=1e-12)


def chain_average(
    beliefs: list[Belief], ranks: list[int], draw_rate: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the published chain over all orders that agree with the ranks: mean, deviation, range of means."""
    sides = [naive.Side(naive.Normal(mu, sigma**2 + TAU2 + BETA2), 1) for mu, sigma in beliefs]
    margin = NormalDist().inv_cdf((draw_rate + 1) / 2) * math.sqrt(BETA2)
    every = []
    for order in permutations(range(len(ranks))):
        if sorted(ranks) == [ranks[i] for i in order]:
            messages = naive.settle(sides, naive.chain(list(order), ranks), margin)
            every.append(
                [
                    naive.skill(naive.Normal(mu, sigma**2 + TAU2), 1.0, naive.Normal(0.0, BETA2), those)
                    for (mu, sigma), those in zip(beliefs, messages, strict=True)
                ]
            )
    mu, sigma = np.array(every)[..., 0], np.array(every)[..., 1]
    return mu.mean(axis=0), np.sqrt((sigma**2).mean(axis=0)), mu.max(axis=0) - mu.min(axis=0)


OUTLIER = [(0.0, 8.0), (0.0, 8.0), (60.0, 8.0), (25.0, 5.0), (20.0, 3.0)]
TIES = [[1, 1, 1], [1, 1, 1, 1], [1, 2, 2, 3], [1, 2, 2, 2, 3], [1, 1, 1, 2, 2]]


@pytest.mark.parametrize("field", [FIELD, OUTLIER])
@pytest.mark.parametrize("ranks", TIES)
def test_without_a_margin_ties_are_the_published_chain(ranks: list[int], field: list[Belief]) -> None:
    """A tie is then an equality, and no order matters in the chain either."""
    beliefs = field[: len(ranks)]
    named, teams = singles(*beliefs)
    found = np.array(list(rated(TrueSkill(), named, teams, ranks).values()))
    mu, sigma, apart = chain_average(beliefs, ranks, 0.0)
    np.testing.assert_allclose(apart, 0.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found, np.stack([mu, sigma], axis=1), rtol=0, atol=1e-9)


@pytest.mark.parametrize("draw_rate", [0.1, 0.4])
@pytest.mark.parametrize("field", [FIELD, OUTLIER])
@pytest.mark.parametrize("ranks", TIES)
def test_with_a_margin_ties_are_nearer_to_the_mean_of_all_orders_than_the_orders_are(
    ranks: list[int], field: list[Belief], draw_rate: float
) -> None:
    beliefs = field[: len(ranks)]
    named, teams = singles(*beliefs)
    found = np.array(list(rated(TrueSkill(draw_rate=draw_rate), named, teams, ranks).values()))
    mu, sigma, apart = chain_average(beliefs, ranks, draw_rate)
    assert np.abs(found[:, 0] - mu).max() < apart.max() / 2
    np.testing.assert_allclose(found[:, 1], sigma, rtol=0.02)


def test_strict_rankings_and_draws_of_two_are_the_published_chain() -> None:
    for ranks in ([1, 2, 3, 4, 5], [4, 2, 5, 1, 3], [1, 1]):
        beliefs = FIELD[: len(ranks)]
        named, teams = singles(*beliefs)
        found = np.array(list(rated(TrueSkill(draw_rate=0.2), named, teams, ranks).values()))
        mu, sigma, _ = chain_average(beliefs, ranks, 0.2)
        np.testing.assert_allclose(found, np.stack([mu, sigma], axis=1), rtol=0, atol=1e-10)


# Two against four against two, of whom the last two tie, with a draw rate of 0.1: beliefs before, and after
# by Microsoft's calculator, to three digits, as the tests of Moserware's Skills have them
# (TwoOnFourOnTwoWinDraw).
TWO_FOUR_TWO = [[(40, 4), (45, 3)], [(20, 7), (19, 6), (30, 9), (10, 4)], [(50, 5), (30, 2)]]
MICROSOFTS = [
    *((40.877, 3.840), (45.493, 2.934)),
    *((19.609, 6.396), (18.712, 5.625), (29.353, 7.673), (9.872, 3.891)),
    *((48.830, 4.590), (29.813, 1.976)),
]


def chain_of_teams(teams: list[list[Belief]], ranks: list[int], order: list[int]) -> np.ndarray:
    """The published chain in an order that agrees with the ranks, for a draw rate of 0.1."""
    whole = [
        naive.Normal(sum(mu for mu, _ in team), sum(sigma**2 + TAU2 + BETA2 for _, sigma in team))
        for team in teams
    ]
    sides = [naive.Side(prior, len(team)) for prior, team in zip(whole, teams, strict=True)]
    margin = NormalDist().inv_cdf(0.55) * math.sqrt(BETA2)
    found = []
    for told, (mean, variance), team in zip(
        naive.settle(sides, naive.chain(order, ranks), margin), whole, teams, strict=True
    ):
        for mu, sigma in team:
            prior = naive.Normal(mu, sigma**2 + TAU2)
            rest = naive.Normal(mean - mu, variance - prior.variance)
            found.append(naive.skill(prior, 1.0, rest, told))
    return np.array(found)


def test_a_tie_of_two_among_three_sides_is_between_the_orders_of_the_chain() -> None:
    """Microsoft's numbers are the chain's in the order of the rows; podium's depend on no order."""
    orders = [chain_of_teams(TWO_FOUR_TWO, [1, 2, 2], order) for order in ([0, 1, 2], [0, 2, 1])]
    np.testing.assert_allclose(orders[0], MICROSOFTS, rtol=0, atol=6e-4)
    names = iter("abcdefgh")
    teams = [[next(names) for _ in team] for team in TWO_FOUR_TWO]
    beliefs = dict(zip("abcdefgh", (belief for team in TWO_FOUR_TWO for belief in team), strict=True))
    found = np.array(list(rated(TrueSkill(draw_rate=0.1), beliefs, teams, [1, 2, 2]).values()))
    assert np.all(found > np.min(orders, axis=0) - 1e-3)
    assert np.all(found < np.max(orders, axis=0) + 1e-3)
    assert found[6] == pytest.approx((48.849, 4.591), abs=6e-4)  # "g", as the documentation has it


@pytest.mark.parametrize("n", [2, 3, 2_500 if COMPILED else 50])
def test_everybody_tied(n: int) -> None:
    """Of n equal newcomers with equal performances: the performance is known √n times as well."""
    teams = [[f"p{i}"] for i in range(n)]
    found = np.array(list(rated(TrueSkill(), {}, teams, [1] * n).values()))
    prior = (25 / 3) ** 2 + TAU2
    performance = (prior + BETA2) / n
    left = prior - prior**2 / (prior + BETA2) ** 2 * (prior + BETA2 - performance)
    np.testing.assert_allclose(found[:, 0], 25.0, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found[:, 1], math.sqrt(left), rtol=0, atol=1e-11)


# ------------------------------------------------------------------ contests


@pytest.mark.parametrize("draw_rate", [0.0, 0.1])
@pytest.mark.parametrize("n", [2_500, 10_000] if COMPILED else [60])
def test_contests_of_newcomers(n: int, draw_rate: float) -> None:
    """Finite, in the order of the ranking, and the same from both ends; a margin drives thousands apart."""
    names = [f"p{i}" for i in range(n)]
    contest = History.from_events([Event.of(ranks={name: i + 1 for i, name in enumerate(names)})])
    ratings = rate(contest, TrueSkill(draw_rate=draw_rate)).ratings
    mu, sigma = ratings["mu"].to_numpy(), ratings["sigma"].to_numpy()
    by_place = np.argsort([int(name[1:]) for name in ratings["player"]])
    mu, sigma = mu[by_place], sigma[by_place]
    assert np.isfinite(mu).all()
    assert np.all(np.diff(mu) < 0)
    assert np.all((sigma > 0) & (sigma < 25 / 3))
    np.testing.assert_allclose(mu + mu[::-1], 50.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(sigma, sigma[::-1], rtol=0, atol=1e-9)


def test_upsets_of_a_whole_field() -> None:
    """Everybody upside down, a thousand deviations each, with and without a margin."""
    n = 300 if COMPILED else 20
    for draw_rate in (0.0, 0.3):
        beliefs, teams = singles(*((1e4 * i, 3.0) for i in range(n)))
        found = np.array(
            list(rated(TrueSkill(draw_rate=draw_rate), beliefs, teams, [*range(1, n + 1)]).values())
        )
        assert np.isfinite(found).all()
        assert np.all(np.diff(found[:, 0]) < 1e4)
        assert np.all((found[:, 1] > 0) & (found[:, 1] < 3.01))


# ------------------------------------------------------------------ teams, weights, time, home


def test_large_teams_and_singles_equal_the_naive_twin() -> None:
    chance = np.random.default_rng(4)
    sides = [[f"a{i}" for i in range(8)], [f"b{i}" for i in range(8)], ["c"], ["d"]]
    start = {
        name: (float(chance.normal(25, 6)), float(chance.uniform(1, 9))) for side in sides for name in side
    }
    play = {"a1": 0.5, "b3": 0.001, "c": 0.2}
    for ranks in ([2, 1, 3, 3], [1, 1, 1, 1], [4, 3, 1, 2]):
        found = rated(
            TrueSkill(draw_rate=0.1, home_advantage=4.0), start, sides, ranks, play=play, weight=0.5, home="d"
        )
        event = NaiveEvent(sides=sides, ranks=ranks, play=play, weight=0.5, home=3)
        expected = naive.rate([event], start, draw_rate=0.1, home_advantage=4.0).ratings
        for name, belief in expected.items():
            assert found[name] == pytest.approx(belief, rel=0, abs=1e-10)


@pytest.mark.parametrize("seed", range(30 if COMPILED else 8))
def test_far_seeds_equal_the_naive_twin(seed: int) -> None:
    """Beliefs of another system's scale, hundreds of β apart: each comparison is an upset."""
    chance = np.random.default_rng(seed)
    names = [f"p{i}" for i in range(8)]
    start = {name: (float(chance.uniform(500, 2500)), float(chance.uniform(10, 400))) for name in names}
    parameters = {"draw_rate": float(chance.choice([0.0, 0.3])), "tau": float(chance.choice([0.0, 3.0]))}
    order = [str(name) for name in chance.permutation(names)]
    sides = [order[:1], order[1:2], order[2:4], order[4:5], order[5:]]
    ranks = [int(rank) for rank in chance.integers(1, 5, 5)]
    play = {order[0]: float(chance.uniform(0.1, 1.0)), order[6]: 0.5}
    found = rated(TrueSkill(**parameters), start, sides, ranks, play=play, weight=3.0)
    event = NaiveEvent(sides=sides, ranks=ranks, play=play, weight=3.0)
    for name, belief in naive.rate([event], start, **parameters).ratings.items():
        assert found[name] == pytest.approx(belief, rel=0, abs=1e-9)


def test_who_hardly_played_hardly_changes() -> None:
    """A thousandth of an event leaves a belief where it was, but for the drift of the event."""
    found = rated(
        TrueSkill(), {"ann": (25, 8), "bob": (25, 8)}, [["ann", "bob"], ["cat"]], [1, 2], play={"bob": 1e-3}
    )
    assert found["bob"] == pytest.approx((25, math.sqrt(64 + TAU2)), abs=0.01)
    alone = rated(TrueSkill(), {"ann": (25, 8)}, [["ann"], ["cat"]], [1, 2])
    assert found["ann"] == pytest.approx(alone["ann"], abs=0.3)


@pytest.mark.parametrize("weight", [0.25, 4.0])
def test_a_weight_is_a_smaller_scatter(weight: float) -> None:
    """Of performances, and with it of margins."""
    named, teams = singles(*FIELD)
    weighted = rated(TrueSkill(draw_rate=0.2), named, teams, [1, 2, 2, 2, 3], weight=weight)
    system = TrueSkill(draw_rate=0.2, beta=25 / 6 / math.sqrt(weight))
    for name, belief in rated(system, named, teams, [1, 2, 2, 2, 3]).items():
        assert weighted[name] == pytest.approx(belief, rel=0, abs=1e-11)


def test_days_away_widen_a_belief() -> None:
    system = TrueSkill(drift_per_day=0.5)
    ladder = Ladder(system)
    ladder.record_match("ann", "bob", time="2026-05-01")
    ann = ladder.rating("ann")
    assert ann.sigma is not None
    assert ladder.rating("ann", at="2026-05-11").sigma == pytest.approx(math.sqrt(ann.sigma**2 + 5.0))
    ladder.record_match("ann", "new", time="2026-05-11")
    seeded = rated(TrueSkill(), {"ann": (ann.mu, math.sqrt(ann.sigma**2 + 5.0))}, [["ann"], ["new"]], [1, 2])
    after = ladder.rating("ann")
    assert (after.mu, after.sigma) == pytest.approx(seeded["ann"], rel=0, abs=1e-12)


def test_home_is_a_head_start() -> None:
    at_home = rated(
        TrueSkill(home_advantage=3.0),
        {"ann": (20, 4), "bob": (22, 5)},
        [["ann"], ["bob"]],
        [2, 1],
        home="ann",
    )
    stronger = rated(TrueSkill(), {"ann": (23, 4), "bob": (22, 5)}, [["ann"], ["bob"]], [2, 1])
    assert at_home["ann"][0] + 3.0 == pytest.approx(stronger["ann"][0], rel=0, abs=1e-12)
    assert at_home["bob"] == pytest.approx(stronger["bob"], rel=0, abs=1e-12)


def test_a_belief_that_is_nearly_nothing_learns_all() -> None:
    """Of a deviation of 1e9 nothing is left but the opponents and the scatter of performances."""
    found = rated(TrueSkill(tau=0), {"ann": (0, 1e9), "bob": (25, 1)}, [["ann"], ["bob"]], [1, 1])
    assert found["ann"] == pytest.approx((25, math.sqrt(1 + 2 * BETA2)), rel=1e-12)
    team = rated(
        TrueSkill(tau=0),
        {"ann": (0, 1e9), "mate": (5, 2), "bob": (25, 1)},
        [["ann", "mate"], ["bob"]],
        [1, 1],
    )
    assert team["ann"] == pytest.approx((20, math.sqrt(1 + 4 + 3 * BETA2)), rel=1e-12)


# ------------------------------------------------------------------ predictions


def normal(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


@pytest.mark.parametrize("draw_rate", [0.0, 0.1, 0.5])
def test_outcomes(draw_rate: float) -> None:
    """Φ((d ∓ ε)/s), with s² the variances of all skills and performances."""
    ladder = Ladder(TrueSkill(draw_rate=draw_rate, home_advantage=2.0))
    for name, mu, sigma in (("ann", 28, 3), ("bob", 21, 7), ("cat", 40, 2)):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    quantile = float(mpmath.sqrt(2) * mpmath.erfinv(draw_rate))
    cases: list[tuple[Any, Any, float, float, int, str | None]] = [
        ("ann", "bob", 7.0, 58.0, 2, None),
        ("bob", "ann", -7.0, 58.0, 2, None),
        ("ann", "bob", 9.0, 58.0, 2, "ann"),
        (["ann", "bob"], ["cat"], 9.0, 62.0, 3, None),
        (["cat", "ann"], ["bob", "a stranger"], 22.0, 62.0 + 625 / 9, 4, None),
    ]
    for a, b, difference, variance, members, home in cases:
        deviation = math.sqrt(variance + members * (BETA2 + TAU2))
        margin = quantile * math.sqrt(members * BETA2)
        win, loss = normal((difference - margin) / deviation), normal((-difference - margin) / deviation)
        found = ladder.outcomes(a, b, home=home)
        assert (found.win, found.draw, found.loss) == pytest.approx((win, 1 - win - loss, loss), abs=1e-14)
        assert ladder.expected_score(a, b, home=home) == pytest.approx(0.5 * (1 + win - loss), abs=1e-14)


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("draw_rate", [0.0, 0.01, 0.25, 0.99])
def test_equals_draw_as_often_as_the_draw_rate_says(draw_rate: float, members: int) -> None:
    """Where skills are known and still, whatever the size of teams."""
    ladder = Ladder(TrueSkill(draw_rate=draw_rate, sigma=1e-6, tau=0.0))
    a, b = [f"a{i}" for i in range(members)], [f"b{i}" for i in range(members)]
    assert ladder.outcomes(a, b).draw == pytest.approx(draw_rate, abs=1e-12)
