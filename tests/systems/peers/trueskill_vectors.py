"""sublee/trueskill, whose vectors are also those of Moserware's Skills."""

from __future__ import annotations

from collections.abc import Sequence

import podium
from systems.peers.suites import Beliefs, Suite, Team, rated

TRUESKILL = podium.TrueSkill(draw_rate=0.1)
NEW = (25.0, 25 / 3)


def trueskill() -> Suite:
    suite = Suite("sublee/trueskill, Skills (C#)", "trueskilltest.py")

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
    order = "ties of more than two: the peer takes one order of the tied, podium all orders alike"
    for what in ("three, drawn", "eight, drawn", "2 v 4 v 2"):
        suite.differs[what] = order
    return suite
