"""The system on a grid against the model in full: the same sums, written twice."""

from __future__ import annotations

import math
from typing import Any

import pytest

from podium import Ladder, Luck
from podium.systems.luck import FIDE, LOGISTIC, LuckFunction, coin_flip, normal
from podium_papers.luck_model import Comparisons, Measure, dirac_kernel, dirac_only, mixture

UNIT = math.log(10) / 400
REACH, POINTS, SIGMA, GROWTH = 600.0, 31, 200.0, 40.0
RATINGS = [1500 - REACH + 2 * REACH * k / (POINTS - 1) for k in range(POINTS)]
MATCHES = [("ann", "bob", 1.0), ("cat", "ann", 0.5), ("bob", "cat", 0.0), ("ann", "bob", 0.75)]


def bell(x: float, y: float, width: float) -> float:
    return math.exp(-(((x - y) / width) ** 2) / 2)


def in_points(luck: LuckFunction, beta: float) -> LuckFunction:
    mixed = coin_flip(luck, beta)
    return LuckFunction("points", lambda x, y: float(mixed(UNIT * x, UNIT * y)), symmetric=luck.symmetric)


WHITE = LuckFunction("white", lambda x, y: 0.04 + 0.96 * LOGISTIC(x, y), symmetric=False)


@pytest.mark.parametrize("edge", ["once", "each"])
@pytest.mark.parametrize("luck", [LOGISTIC, FIDE, normal(2.0)], ids=str)
def test_beliefs_are_those_of_the_model(luck: LuckFunction, edge: Any) -> None:
    system = Luck(
        luck=luck,
        beta=0.9,
        sigma=SIGMA,
        points=POINTS,
        reach=REACH,
        growth=(GROWTH,),
        edge=edge,
        home_luck=WHITE,
    )
    ladder = Ladder(system)
    games = Comparisons(
        in_points(luck, 0.9),
        prior=dirac_only(Measure.of_density(lambda x: bell(x, 1500, SIGMA), RATINGS)),
        kernel=dirac_kernel(lambda x, y: bell(x, y, GROWTH), RATINGS, normalise=edge),
        home_luck=in_points(WHITE, 0.9),
    )
    for number, (a, b, score) in enumerate(MATCHES):
        home = (None, a, b)[number % 3]
        assert ladder.expected_score(a, b, home=home) == pytest.approx(
            games.expected_score(a, b, home=home), abs=1e-9
        )
        ladder.record(teams=[[a], [b]], ranks=[1 + (score < 0.5), 1 + (score > 0.5)], share=score, home=home)
        games.record(a, b, score, home=home)
    for player in ("ann", "bob", "cat"):
        exact, belief = mixture(games.belief(player)), ladder.distribution(player)
        assert belief.points.tolist() == pytest.approx(RATINGS)
        assert belief.probability.tolist() == pytest.approx([exact[x] for x in RATINGS], abs=1e-10)
        assert belief.mean == pytest.approx(ladder.rating(player).mu)
        assert belief.deviation == pytest.approx(ladder.rating(player).sigma)
