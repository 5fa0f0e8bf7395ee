"""The vectors of peers' own test suites that podium can express: numbers with their source, in one table.

Each suite has vectors: what podium finds, and what the peer's tests want, to the digits they give. Those that
differ stand in `differs` with the reason, and must differ: a reason that is no longer true fails too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import pytest

import podium
from podium.history import Event, SetRating

Beliefs = list[tuple[float, ...]]
Team = Sequence[tuple[float, ...]]


@dataclass(frozen=True)
class Vector:
    """One line of a peer's tests."""

    what: str
    found: Callable[[], object]
    wanted: object
    digits: float
    """By how much the peer's test lets numbers differ."""


@dataclass
class Suite:
    """A peer's tests."""

    source: str
    vectors: list[Vector] = field(default_factory=list)
    differs: dict[str, str] = field(default_factory=dict)
    """Vectors that podium answers otherwise, and why."""

    def add(self, what: str, found: Callable[[], object], wanted: object, digits: float = 1e-3) -> None:
        """One more vector."""
        self.vectors.append(Vector(what, found, wanted, digits))


def rated(
    system: podium.RatingSystem,
    teams: Sequence[Team],
    ranks: Sequence[int] | None = None,
    play: dict[tuple[int, int], float] | None = None,
    period: str | None = None,
) -> Beliefs:
    """What everybody is believed to be after one event; beliefs are (mu, sigma, volatility)."""
    names = [[f"{side} {member}" for member in range(len(team))] for side, team in enumerate(teams)]
    given = []
    for side, members in zip(teams, names, strict=True):
        for (mu, *more), name in zip(side, members, strict=True):
            sigma, volatility = (*more, None, None)[:2]
            given.append(SetRating(player=name, mu=mu, sigma=sigma, volatility=volatility))
    placed = list(range(1, len(teams) + 1)) if ranks is None else [rank + 1 for rank in ranks]
    partly = {names[side][member]: part for (side, member), part in (play or {}).items()}
    event = Event.of(teams=names, ranks=placed, play=partly or None, time=period)
    ladder = podium.Ladder(system)
    ladder.update(podium.History.from_events([*given, event]))
    seen = [ladder.rating(name) for members in names for name in members]
    return [(one.mu,) if one.sigma is None else (one.mu, one.sigma) for one in seen]


# ---------------------------------------------------------------------- sublee/trueskill, Moserware's Skills

TRUESKILL = podium.TrueSkill(draw_rate=0.1)
NEW = (25.0, 25 / 3)


def trueskill() -> Suite:
    suite = Suite("sublee/trueskill: trueskilltest.py (where it differs from the chain: Skills, C#)")

    def case(what: str, teams: Sequence[Team], wanted: Beliefs, ranks: Sequence[int] | None = None) -> None:
        suite.add(what, lambda: rated(TRUESKILL, teams, ranks), wanted)

    def quality(what: str, teams: Sequence[Team], wanted: float) -> None:
        suite.add(f"quality, {what}", lambda: TRUESKILL.match_quality(teams), wanted)  # type: ignore[arg-type]

    def equal(*sizes: int) -> list[list[tuple[float, ...]]]:
        return [[NEW] * size for size in sizes]

    case("1 v 1", equal(1, 1), [(29.396, 7.171), (20.604, 7.171)])
    case("1 v 1, drawn", equal(1, 1), [(25.0, 6.458)] * 2, [0, 0])
    case("2 v 2", equal(2, 2), [(28.108, 7.774)] * 2 + [(21.892, 7.774)] * 2)
    case("2 v 2, drawn", equal(2, 2), [(25.0, 7.455)] * 4, [0, 0])
    case("4 v 4", equal(4, 4), [(27.198, 8.059)] * 4 + [(22.802, 8.059)] * 4)
    case("1 v 2", equal(1, 2), [(33.730, 7.317)] + [(16.270, 7.317)] * 2)
    case("1 v 2, drawn", equal(1, 2), [(31.660, 7.138)] + [(18.340, 7.138)] * 2, [0, 0])
    case("1 v 3", equal(1, 3), [(36.337, 7.527)] + [(13.663, 7.527)] * 3)
    case("1 v 7", equal(1, 7), [(40.582, 7.917)] + [(9.418, 7.917)] * 7)
    case("three", equal(1, 1, 1), [(31.675, 6.656), (25.0, 6.208), (18.325, 6.656)])
    case("three, drawn", equal(1, 1, 1), [(25.0, 5.698), (25.0, 5.695), (25.0, 5.698)], [0, 0, 0])
    four = [(33.207, 6.348), (27.401, 5.787), (22.599, 5.787), (16.793, 6.348)]
    case("four", equal(1, 1, 1, 1), four)
    five = [(34.363, 6.136), (29.058, 5.536), (25.0, 5.420), (20.942, 5.536), (15.637, 6.136)]
    case("five", equal(*[1] * 5), five)
    eight = [36.771, 32.242, 29.074, 26.322, 23.678, 20.926, 17.758, 13.229]
    spread = [5.749, 5.133, 4.943, 4.874, 4.874, 4.943, 5.133, 5.749]
    case("eight, Microsoft's example", equal(*[1] * 8), list(zip(eight, spread, strict=True)))
    drawn = [4.592, 4.583, 4.576, 4.573, 4.573, 4.576, 4.583, 4.592]
    case("eight, drawn", equal(*[1] * 8), [(25.0, sigma) for sigma in drawn], [0] * 8)
    upset = [[(25.0, 25 / 3)], [(50.0, 12.5)]]
    case("upset, drawn", upset, [(31.662, 7.137), (35.010, 7.910)], [0, 0])
    two = [[(20.0, 8.0), (25.0, 6.0)], [(35.0, 7.0), (40.0, 5.0)]]
    case("upset of two", two, [(29.698, 7.008), (30.455, 5.594), (27.575, 6.346), (36.211, 4.768)])
    three = [[(28.0, 7.0), (27.0, 6.0), (26.0, 5.0)], [(30.0, 4.0), (31.0, 3.0)]]
    won = [(28.658, 6.770), (27.484, 5.856), (26.336, 4.917), (29.785, 3.958), (30.879, 2.983)]
    lost = [(21.840, 6.314), (22.474, 5.575), (22.857, 4.757), (32.012, 3.877), (32.132, 2.949)]
    case("three v two", three, won)
    case("three v two, lost", three, lost, [1, 0])
    field = [[(10.0 + 5 * i, 8.0 - i)] for i in range(8)]
    means = [35.135, 32.585, 31.329, 30.984, 31.751, 34.051, 38.263, 44.118]
    sigmas = [4.506, 4.037, 3.756, 3.453, 3.064, 2.541, 1.849, 0.983]
    case("upsets of a field", field, list(zip(means, sigmas, strict=True)))
    many = [
        [(40.0, 4.0), (45.0, 3.0)],
        [(20.0, 7.0), (19.0, 6.0), (30.0, 9.0), (10.0, 4.0)],
        [(50.0, 5.0), (30.0, 2.0)],
    ]
    after = [(40.877, 3.840), (45.493, 2.934), (19.609, 6.396), (18.712, 5.625)]
    case(
        "2 v 4 v 2",
        many,
        [*after, (29.353, 7.673), (9.872, 3.891), (48.830, 4.590), (29.813, 1.976)],
        [0, 1, 1],
    )
    halves: dict[tuple[int, int], float] = {(0, 0): 0.5, (1, 0): 0.5, (1, 1): 0.5}
    suite.add(
        "partial play, all a half",
        lambda: rated(TRUESKILL, equal(1, 2), play=halves),
        [(33.939, 7.312), (16.061, 7.312), (16.061, 7.312)],
    )
    suite.add(
        "partial play, one a half",
        lambda: rated(TRUESKILL, equal(1, 2), play={(1, 0): 0.5}),
        [(32.417, 7.056), (21.291, 8.033), (17.583, 7.056)],
    )
    quality("1 v 1", equal(1, 1), 0.447)
    quality("4 v 4", equal(4, 4), 0.447)
    quality("1 v 2", equal(1, 2), 0.135)
    quality("1 v 3", equal(1, 3), 0.012)
    quality("three", equal(1, 1, 1), 0.200)
    quality("five", equal(*[1] * 5), 0.040)
    quality("eight", equal(*[1] * 8), 0.004)
    quality("2 v 4 v 2", many, 0.367)
    quality("1 v 2 v 1", equal(1, 2, 1), 0.047)
    quality("upset", upset, 0.110)
    quality("upset of two", two, 0.084)
    quality("three v two", three, 0.254)
    order = "ties of more than two: the peer takes one order of the tied, podium all of them alike"
    for what in ("three, drawn", "eight, drawn", "2 v 4 v 2"):
        suite.differs[what] = order
    return suite


# ---------------------------------------------------------------------- openskill.py, openskill.js


def openskill() -> list[Suite]:
    python = Suite("openskill.py: tests/models/data/plackettluce.json")
    start = (31.321989232514305, 11.379964801443018)
    model = podium.WengLin(mu=start[0], sigma=start[1])
    teams = [[start], [start] * 2]
    first, second = (36.48967347401391, 11.237778601372977), (26.154304991014694, 11.17822477763209)
    python.add("normal", lambda: rated(model, teams), [first, second, second], 1e-9)
    first, second = (30.19454401757094, 11.237778601372977), (32.44943444745767, 11.17822477763209)
    python.add("ranks", lambda: rated(model, teams, [1, 0]), [first, second, second], 1e-9)
    limited = model.changed(limit_sigma="on")
    wanted = [
        (35.008962716922355, 11.322612945836939),
        *[(34.774820565754936, 11.291328826858104)] * 2,
        *[(24.182184414865624, 11.192736898569162)] * 3,
    ]
    python.add("limit_sigma", lambda: rated(limited, [*teams, [start] * 3], [1, 0, 2]), wanted, 1e-9)
    wanted = [
        (33.21874815457553, 11.354896725884002),
        *[(30.27713112192334, 11.291328826858104)] * 2,
        *[(30.470088421044046, 11.249240904583088)] * 3,
    ]
    python.add("ties", lambda: rated(model, [*teams, [start] * 3], [0, 1, 0]), wanted, 1e-9)
    javascript = Suite("openskill.js: README and rate tests, which have tau = 0")
    plain = podium.WengLin(tau=0.0)
    javascript.add(
        "1 v 1",
        lambda: rated(plain, [[NEW], [NEW]]),
        [(27.63523138347365, 8.065506316323548), (22.36476861652635, 8.065506316323548)],
        1e-9,
    )
    return [python, javascript]


# ---------------------------------------------------------------------- skillratings


def skillratings() -> list[Suite]:
    uscf = Suite("skillratings: src/uscf.rs")
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
    egf = Suite("skillratings: src/egf.rs")
    go = podium.make_system("egf")
    egf.add("expected", lambda: go.win_probability(1000, None, 1300, None), 0.2732225596195188, 1e-12)
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
    dwz = Suite("skillratings: src/dwz.rs")
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
    return [uscf, egf, dwz]


# ---------------------------------------------------------------------- Glickman, scalachess


def glicko() -> list[Suite]:
    paper = Suite("Glickman, Example of the Glicko-2 system (2012), as its five ports have it")
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

    suite = Suite("scalachess: impl/RatingCalculatorTest.scala")
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
    coloured = Suite("scalachess: GlickoCalculatorWithColorAdvantageTest.scala (and GlickoCalculatorTest)")
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

    lila = Suite("lila: the comment on ratingPeriodsPerDay in Glicko.scala")
    lila.add("from 60 to 110 in a year", a_year_later, 110.0, 0.05)
    suites.append(lila)
    return suites


TABLE = [trueskill(), *openskill(), *skillratings(), *glicko()]
WITHOUT_VECTORS = {
    "DMOJ": "its program rates by Elo-MMR with other numbers, and its repository has no vectors of ratings",
    "Skills (C#)": "its vectors are those of sublee/trueskill, which took them from there",
}
CASES = [(suite, vector) for suite in TABLE for vector in suite.vectors]


@pytest.mark.parametrize(
    ("suite", "vector"), CASES, ids=[f"{suite.source.split(':')[0]}-{vector.what}" for suite, vector in CASES]
)
def test_vector(suite: Suite, vector: Vector) -> None:
    found, wanted = _flat(vector.found()), _flat(vector.wanted)
    equal = len(found) == len(wanted) and all(
        abs(mine - theirs) <= vector.digits * 1.0001 for mine, theirs in zip(found, wanted, strict=True)
    )
    assert equal == (vector.what not in suite.differs), (found, wanted)


def test_every_reason_is_of_a_vector() -> None:
    for suite in TABLE:
        assert suite.differs.keys() <= {vector.what for vector in suite.vectors}


def _flat(numbers: object) -> list[float]:
    if isinstance(numbers, list | tuple):
        return [number for one in numbers for number in _flat(one)]
    return [float(numbers)]  # type: ignore[arg-type]
