"""Topcoder: golden values, contests of any size against the twin, caps and paces, extremes."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import COMPILED
from naive import topcoder as naive
from naive.events import Event
from podium import History, Ladder, ParameterError, SetRating, Topcoder, rate
from podium.systems.topcoder.normal_places import DIRECT_UP_TO
from systems.codeforces.test_codeforces import CONTESTS

# After each of the contests of test_codeforces: ratings and volatilities from elo-mmr-py 2.0.0 (PyPI),
# rate_latest(contests, "tcsys", mu_noob=1500.0, sig_noob=350.0). Its inverse of the normal distribution has
# about eleven digits.
GOLDEN = [
    (
        [1769.125828764, 1610.124107669, 1500.0, 1389.875892331, 1230.874171236],
        [311.906729337, 238.924421927, 221.359436212, 238.924421927, 311.906729337],
    ),
    (
        [1722.786648717, 1606.655258741, 1331.374991916, 1357.679860806, 1479.173465392],
        [250.405612687, 186.656361102, 272.698198654, 190.900761706, 394.683718746],
    ),
    (
        [1730.461302669, 1446.968858952, 1574.83533441, 1359.268896014, 1399.392123612],
        [169.880953513, 194.12013359, 290.77376457, 129.407394231, 277.4575818],
    ),
    (
        [1677.295846588, 1451.759511007, 1574.83533441, 1407.100528075, 1399.392123612],
        [206.44354804, 180.678277405, 290.77376457, 169.684228589, 277.4575818],
    ),
]


def test_golden() -> None:
    ladder = Ladder(Topcoder())
    for (ranks, weight), (mu, sigma) in zip(CONTESTS, GOLDEN, strict=True):
        ladder.record(ranks=ranks, weight=weight)
        ratings = [ladder.rating(name) for name in "ABCDE"]
        assert [rating.mu for rating in ratings] == pytest.approx(mu, abs=1e-8)
        assert [rating.sigma for rating in ratings] == pytest.approx(sigma, abs=1e-8)


FIELDS = {
    "usual": lambda n, chance: (chance.normal(1500, 300, n), chance.uniform(80, 500, n)),
    "newcomers": lambda n, chance: (np.full(n, 1500.0), np.full(n, 350.0)),
    "volatilities from 1 to 3000": lambda n, chance: (chance.normal(1500, 300, n), np.geomspace(1, 3000, n)),
    "two leagues": lambda n, chance: (
        chance.normal(1000, 200, n) + chance.choice([0.0, 1e5], n),
        chance.uniform(50, 300, n),
    ),
    "masters": lambda n, chance: (chance.normal(2400, 300, n), chance.uniform(80, 500, n)),
}


@pytest.mark.parametrize("n", (2, DIRECT_UP_TO, DIRECT_UP_TO + 1, 250) if COMPILED else (2, DIRECT_UP_TO + 1))
@pytest.mark.parametrize("field", FIELDS)
def test_any_size(field: str, n: int) -> None:
    """By modes or by pairs, with ties, held rows and a weight: as the twin has it."""
    chance = np.random.default_rng(n)
    (mu, sigma), ranks = FIELDS[field](n, chance), chance.integers(1, n + 1, n)
    names = [f"p{i}" for i in range(n)]
    held = frozenset(names[3::7])
    for weight in (1.0, 2.5):
        history = History.from_events(
            [{"ranks": dict(zip(names, ranks.tolist(), strict=True)), "unrated": held, "weight": weight}]
        )
        system = Topcoder(weight=0.8, cap="weighted" if weight > 2.0 else "fixed")
        state = system.new_state(n)
        state["mu"][:], state["volatility"][:] = mu, sigma
        trace = system.update(state, history)
        event = Event([[name] for name in names], ranks.tolist(), weight=weight, held=held)
        start = dict(zip(names, zip(mu.tolist(), sigma.tolist(), strict=True), strict=True))
        right = naive.rate([event], start, weight=0.8, cap=system.cap).trace
        rows = [names.index(history.players[p]) for p in history.player]
        for name in ("performance", "mu", "sigma"):
            expected = [getattr(right[row], name) for row in rows]
            np.testing.assert_allclose(getattr(trace, name), expected, rtol=1e-12, atol=1e-9, err_msg=name)


def test_the_cap() -> None:
    """150 + 1500/(k + 1) in the k-th contest, more with a weight; the volatility feels the whole surprise."""
    seeds = [SetRating(player="ann", mu=1500, sigma=10), SetRating(player="bob", mu=9000, sigma=10)]
    contest = {"ranks": {"ann": 1, "bob": 2}}
    moved = rate(History.from_events([*seeds, contest]), Topcoder()).ladder
    assert moved.rating("ann").mu == 1500 + 150 + 1500 / 2
    assert moved.rating("bob").mu == 9000 - 150 - 1500 / 2
    assert (moved.rating("ann").sigma or 0.0) > 1000
    heavy = Topcoder(weight=3.0)
    limit = 1 / 0.82 - 1
    assert heavy.cap_multiplier == pytest.approx(3 * (1 + limit) / (1 + 3 * limit))
    moved = rate(History.from_events([*seeds, contest]), heavy).ladder
    assert moved.rating("ann").mu == pytest.approx(1500 + 900 * heavy.cap_multiplier)


def test_the_cap_of_a_weighted_contest() -> None:
    """Whatever the weight, or by its root; half the weight moves the surprised less only in the second."""
    seeds = [SetRating(player="ann", mu=1500, sigma=10), SetRating(player="bob", mu=9000, sigma=10)]
    for weight in (0.25, 1.0, 4.0):
        history = History.from_events([*seeds, {"ranks": {"ann": 1, "bob": 2}, "weight": weight}])
        fixed, weighted = (rate(history, Topcoder(cap=cap)).ladder for cap in ("fixed", "weighted"))
        assert fixed.rating("ann").mu == 1500 + 900
        assert weighted.rating("ann").mu == pytest.approx(1500 + 900 * weight**0.5)
        assert fixed.rating("ann").sigma == weighted.rating("ann").sigma


def test_the_highest_rated_move_less() -> None:
    """The same surprise counts 0.9 from 2000 on, 0.8 from 2500 on."""
    gains = []
    for level in (1999.0, 2000.0, 2500.0):
        seeds = [SetRating(player=name, mu=level, sigma=300.0) for name in ("ann", "bob")]
        ladder = rate(History.from_events([*seeds, {"ranks": {"ann": 1, "bob": 2}}]), Topcoder()).ladder
        gains.append(ladder.rating("ann").mu - level)
    step = 1 / (0.82 - 0.42) - 1
    by_weight = [factor * step / (1 + factor * step) for factor in (1.0, 0.9, 0.8)]
    assert np.divide(gains, gains[0]) == pytest.approx(np.divide(by_weight, by_weight[0]))


def test_places_nobody_expected_are_finite() -> None:
    """The last by any distance wins, again and again; everything stays finite and the volatility positive."""
    seeds = [SetRating(player=f"p{i}", mu=2e7 * i, sigma=1e-9) for i in range(40)]
    contest = {"ranks": {f"p{i}": i + 1 for i in range(40)}}
    for weight in (1e-9, 1.0, 1e6):
        events = [{**contest, "weight": weight}] * 5
        ratings = rate(History.from_events([*seeds, *events]), Topcoder()).ratings
        assert np.isfinite(ratings["mu"].to_numpy()).all()
        assert (ratings["sigma"].to_numpy() > 0).all()


def test_predictions() -> None:
    system = Topcoder()
    chance = system.win_probability(1700, 300, 1200, 400)
    assert chance == pytest.approx(0.8413447460685429)  # Φ(1)
    with pytest.raises(ParameterError, match="needs volatilities"):
        system.win_probability(1700, None, 1200, 400)
    ladder = Ladder(system)
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    chances = ladder.rank_probabilities(["ann", "bob"])
    assert chances.matrix[0, 0] == pytest.approx(ladder.expected_score("ann", "bob"), abs=1e-9)
