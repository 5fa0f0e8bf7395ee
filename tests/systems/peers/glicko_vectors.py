"""Glickman's example, scalachess and lila."""

from __future__ import annotations

from functools import partial

import podium
from podium.history import Event, SetRating
from systems.peers.suites import Suite


def glicko() -> list[Suite]:
    paper = Suite("Glickman and five ports", "Example of the Glicko-2 system (2012)")
    start: list[tuple[str, tuple[float, float]]] = [
        ("ann", (1500.0, 200.0)),
        ("b", (1400.0, 30.0)),
        ("c", (1550.0, 100.0)),
        ("d", (1700.0, 300.0)),
    ]

    def example() -> tuple[float, float]:
        given = [SetRating(player=who, mu=mu, sigma=sigma, volatility=0.06) for who, (mu, sigma) in start]
        games = [
            Event.of(ranks=ranks, time=f"2026-01-0{day}", unrated=[other])
            for day, (other, ranks) in enumerate(
                [("b", {"ann": 1, "b": 2}), ("c", {"c": 1, "ann": 2}), ("d", {"d": 1, "ann": 2})], 5
            )
        ]
        ladder = podium.Ladder(podium.Glicko2(period="7d"))
        ladder.update(podium.History.from_events([*given, *games]))
        found = ladder.rating("ann")
        assert found.sigma is not None
        return found.mu, found.sigma

    paper.add("three games", example, (1464.06, 151.52), 0.01)
    return [paper, *lichess()]


def lichess() -> list[Suite]:
    """Each game's ratings, deviations and volatilities; with an advantage of White only the last two.

    White was worth 7.786 points, in crazyhouse 15.171, when the test was written.
    """
    suites = []
    site = podium.make_system("lichess")

    def game(
        advantage: float, a: tuple[float, ...], b: tuple[float, ...], ranks: list[int]
    ) -> list[list[float]]:
        given = [
            SetRating(player=who, mu=one[0], sigma=one[1], volatility=one[2])
            for who, one in zip("wb", (a, b), strict=True)
        ]
        ladder = podium.Ladder(site.changed(home_advantage=advantage))
        played = Event.of(ranks=dict(zip("wb", ranks, strict=True)), home="w")
        ladder.update(podium.History.from_events([*given, played]))
        seen = [ladder.rating(who) for who in "wb"]
        return [
            [one.mu for one in seen],
            [float(one.sigma or 0.0) for one in seen],
            ladder.state.column("volatility").tolist(),
        ]

    suite = Suite("scalachess", "RatingCalculatorTest.scala")
    sure = 80.0, 78.0
    for name, start, after, sigma, volatility, close in (
        ("default", (1500.0, 500.0, 0.09), (1741.0, 1258.0), 396.0, 0.0899983, 1e-7),
        ("low deviation", (1500.0, sure[0], 0.06), (1517.0, 1482.0), sure[1], 0.06, 1e-5),
    ):
        for outcome, ranks, means in (
            ("white wins", [1, 2], list(after)),
            ("black wins", [2, 1], [after[1], after[0]]),
            ("draw", [1, 1], [1500.0, 1500.0]),
        ):
            wild = 0.0899954 if outcome == "draw" and name == "default" else volatility
            suite.add(
                f"{name}, {outcome}",
                lambda start=start, ranks=ranks: game(0.0, start, start, ranks)[:2],
                [means, [sigma, sigma]],
                1.0,
            )
            suite.add(
                f"{name}, {outcome}: volatility",
                lambda start=start, ranks=ranks: game(0.0, start, start, ranks)[2],
                [wild, wild],
                close,
            )
    suites.append(suite)
    coloured = Suite("scalachess", "GlickoCalculatorTest.scala, GlickoCalculatorWithColorAdvantageTest.scala")
    new = (1500.0, 350.0, 0.06)
    low, high = (1400.0, 79.0, 0.06), (1550.0, 110.0, 0.065)
    far, farther = (1200.0, 60.0, 0.053), (1850.0, 200.0, 0.062)
    spread = [[290.2305] * 2, [290.2407] * 2, [290.2692] * 2]
    mixed = [[77.4956, 105.8706], [77.4721, 105.8046], [77.4505, 105.7440]]
    apart = [[59.9006, 196.9873], [59.8971, 196.8617], [59.8936, 196.7381]]
    won, lost, drawn = [1, 2], [2, 1], [1, 1]
    even = [[0.0599993] * 2, [0.0599993] * 2, [0.0599992] * 2]
    steady, exact = [[0.06, 0.065]] * 3, 1e-7
    for what, a, b, ranks, means, sigmas, wilds, close in (
        ("newcomers, won", new, new, won, [1662.21, 1337.79], spread, even, exact),
        ("newcomers, lost", new, new, lost, [1337.79, 1662.21], spread, [[0.0599993] * 2] * 3, exact),
        ("newcomers, drawn", new, new, drawn, [1500.0, 1500.0], spread, [[0.0599977] * 2] * 3, exact),
        ("mixed, won", low, high, won, [1422.63, 1506.32], mixed, steady, 1e-5),
        ("mixed, lost", low, high, lost, [1389.99, 1568.90], mixed, steady, 1e-5),
        ("mixed, drawn", low, high, drawn, [1406.31, 1537.61], mixed, steady, 1e-5),
        ("far, won", far, farther, won, [1216.73, 1635.99], apart, [[0.053013, 0.062028]] * 3, 1e-6),
        ("far, lost", far, farther, lost, [1199.29, 1855.42], apart, [[0.052999, 0.061999]] * 3, 1e-6),
        ("far, drawn", far, farther, drawn, [1208.01, 1745.71], apart, [[0.053002, 0.062006]] * 3, 1e-6),
    ):
        coloured.add(
            f"{what}: ratings", lambda a=a, b=b, ranks=ranks: game(0.0, a, b, ranks)[0], means, 0.005
        )
        for advantage, sigma, wild in zip((0.0, 7.786, 15.171), sigmas, wilds, strict=True):
            found = partial(game, advantage, a, b, ranks)
            coloured.add(f"{what}, {advantage:g}: deviations", lambda g=found: g()[1], sigma, 5e-5)
            coloured.add(f"{what}, {advantage:g}: volatilities", lambda g=found: g()[2], wild, close)
    suites.append(coloured)

    def a_year_later() -> float | None:
        ladder = podium.Ladder(site)
        ladder.adjust(SetRating(player="ann", mu=1500.0, sigma=60.0, volatility=0.06), time="2026-01-01")
        return ladder.rating("ann", at="2027-01-01").sigma

    lila = Suite("lila", "Glicko.scala")
    lila.add("from 60 to 110 in a year", a_year_later, 110.0, 0.05)
    suites.append(lila)
    return suites
