"""skillratings: US Chess, European go, DWZ."""

from __future__ import annotations

import podium
from podium.history import Event, SetRating
from systems.peers.suites import Suite


def skillratings() -> list[Suite]:
    uscf = Suite("skillratings, US Chess", "src/uscf.rs")
    system = podium.make_system("uscf")

    def chess(name: str, a: tuple[float, int], b: tuple[float, int], points: float) -> list[float]:
        given = [SetRating(player=who, mu=mu, events=n) for who, (mu, n) in zip("ab", (a, b), strict=True)]
        ranks = {"a": 1 if points >= 0.5 else 2, "b": 1 if points <= 0.5 else 2}
        ladder = podium.Ladder(podium.make_system(name))
        ladder.update(podium.History.from_events([*given, Event.of(ranks=ranks)]))
        return [ladder.rating(who).mu for who in "ab"]

    uscf.add("expected", lambda: system.win_probability(1300, None, 1250, None), 0.5714631174083814, 1e-12)
    both = [1319.0607266129887, 1179.6145761968105]
    uscf.add("a win", lambda: chess("uscf", (1300, 32), (1200, 32), 1.0), both, 1e-9)
    uscf.add("special", lambda: chess("uscf", (1300, 7), (1200, 7), 1.0), [1337.5, 1162.5], 1e-9)
    uscf.add("special, lost", lambda: chess("uscf", (1300, 7), (1200, 7), 0.0), [1237.5, 1262.5], 1e-9)
    uscf.add("9 games", lambda: chess("uscf", (1250, 30), (1400, 9), 1.0), [1289.0, 1344.0], 0.5)
    first = chess("uscf", (240.0, 0), (240.0, 0), 1.0)
    uscf.add("the first game", lambda: first, [640.0, 100.0], 1e-9)
    egf = Suite("skillratings, European go", "src/egf.rs")
    go = podium.make_system("egf")
    egf.add("expected", lambda: go.win_probability(1000, None, 1300, None), 0.2732225596195188, 1e-12)
    stone = go.changed(home_advantage=50.0)
    for home, chance in ((-1.0, 0.23947531043217862), (1.0, 0.30481324383684405)):
        egf.add(
            f"a stone, {home:g}",
            lambda home=home: stone.win_probability(1000, None, 1300, None, home),
            chance,
            1e-12,
        )
    for a, b, points, wanted in (
        (950.0, 1200.0, 1.0, [989.0, 1173.0]),
        (1000.0, 1300.0, 1.0, [1039.0, 1274.0]),
        (0.0, 0.0, 0.0, [-39.0, 50.0]),
        (0.0, 0.0, 0.5, [6.0, 6.0]),
    ):
        egf.add(
            f"{a:g} v {b:g}: {points:g}",
            lambda a=a, b=b, points=points: chess("egf", (a, 0), (b, 0), points),
            wanted,
            0.5,
        )
    dwz = Suite("skillratings, DWZ", "src/dwz.rs")
    german = podium.make_system("dwz")
    dwz.add("expected", lambda: german.win_probability(1530, None, 1930, None), 0.09, 0.005)

    def e(rating: float, surprise: float, index: int) -> float:
        found: float = german.coefficient(rating, surprise, index)  # type: ignore[attr-defined]
        return rating + 800 * surprise / (found + 1)

    dwz.add("1530 beats 1930", lambda: e(1530.0, 10 / 11, 22), 1564.0, 0.5)
    dwz.add("1930 loses to 1530", lambda: e(1930.0, -10 / 11, 103), 1906.0, 0.5)
    dwz.add("1500 beats 1500", lambda: e(1500.0, 0.5, 42), 1519.0, 0.5)
    dwz.add("240 loses to 240", lambda: e(240.0, -0.5, 90), 237.35099337748343, 1e-9)
    dwz.differs["240 loses to 240"] = "adults: by the rules only players up to 20 years have the brake"
    rivals = [1300.0, 1540.0, 1200.0, 1290.0, 1400.0]
    weak = [1300.0, 1540.0, 1200.0, 430.0, 520.0]
    more = [*weak, *weak[2:], *weak[2:], *weak[3:] * 4]
    dwz.add("first rating", lambda: first_dwz(rivals, [1.0, 0.5, 0.0, 1.0, 1.0]), 1491.0, 0.5)
    dwz.add("first rating, half a point", lambda: first_dwz(rivals, [0.0, 0.5] + [0.0] * 3), 991.0, 0.5)
    dwz.add("first rating, raised", lambda: first_dwz(more, [0.0, 0.5] + [0.0] * 17), 722.0, 0.5)
    return [uscf, egf, dwz]


def first_dwz(opponents: list[float], points: list[float]) -> float:
    """The rating of ann after games against rated opponents, who stay as they are."""
    given = [SetRating(player=f"rival {i}", mu=mu, events=50) for i, mu in enumerate(opponents)]
    games = [
        Event.of(
            ranks={"ann": 1 if score >= 0.5 else 2, f"rival {i}": 1 if score <= 0.5 else 2},
            unrated=[f"rival {i}"],
            time="2026-01-06",
        )
        for i, score in enumerate(points)
    ]
    ladder = podium.Ladder(podium.make_system("dwz", period="7d"))
    ladder.update(podium.History.from_events([*given, *games]))
    return ladder.rating("ann").mu
