"""openskill.py and openskill.js: the cases of their tests, by model."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import podium
from systems.peers.suites import Beliefs, Suite, Team, rated

NEW = (25.0, 25 / 3)
ANN, BOB, CAT = (29.182, 4.782), (27.174, 4.922), (16.672, 6.217)
Play = dict[tuple[int, int], float]


def openskill() -> list[Suite]:
    """Both ports."""
    return [python(), javascript()]


def python() -> Suite:
    """Version 6.2.0; weights are given as parts of an event, which are the same once they are scaled."""
    suite = Suite("openskill.py", "tests/models/data/*.json")
    numbers = json.loads(Path(__file__).with_name("openskill.json").read_text())
    weights: Play = {(0, 1): 0.5, (0, 2): 0.5, (1, 0): 0.5, (2, 0): 0.5, (2, 1): 0.5, (3, 0): 0.5}
    margin_weights: Play = {(0, 0): 0.5, (1, 1): 0.5, (2, 0): 0.5, (3, 1): 1 / 3, (4, 0): 0.5}
    for model, cases in numbers.items():
        mu, sigma = cases["start"]
        system = podium.WengLin(model=model, mu=mu, sigma=sigma, partial_play="weight")
        limited = system.changed(limit_sigma="on")
        with_margin = system.changed(margin=2.0)

        def teams(*sizes: int, start: tuple[float, ...] = (mu, sigma)) -> list[Team]:
            return [[start] * size for size in sizes]

        found = {
            "normal": partial(rated, system, teams(1, 2)),
            "ranks": partial(rated, system, teams(1, 2, 1, 2), [1, 0, 3, 2]),
            "scores": partial(rated, system, teams(1, 2), scores=[1, 2]),
            "margins": partial(
                rated, with_margin, teams(2, 2, 2, 2, 2), scores=[10, 5, 5, 2, 1], play=margin_weights
            ),
            "limit_sigma": partial(rated, limited, teams(1, 2, 3), [1, 0, 2]),
            "ties": partial(rated, system, teams(1, 2, 3), [0, 1, 0]),
            "weights": partial(rated, system, teams(3, 2, 3, 2), [1, 0, 3, 2], weights),
            "balance": partial(rated, system, teams(2, 2)),
        }
        for case, find in found.items():
            suite.add(f"{model}, {case}", find, cases[case], 1e-9)
    for case in ("ranks", "margins", "limit_sigma", "ties", "weights"):
        suite.differs[f"bradley-terry-part, {case}"] = (
            "partial pairing: openskill.py takes the mean over up to eight neighbours, podium the paper's "
            "sum over the next ones"
        )
    for case in numbers["thurstone-mosteller-part"].keys() - {"start"}:
        suite.differs[f"thurstone-mosteller-part, {case}"] = (
            "partial Thurstone–Mosteller: openskill.py has twice the c of full pairing"
        )
    return suite


def javascript() -> Suite:
    """Tests of the models, which have no drift, and of `rate`, which has."""
    suite = Suite("openskill.js", "*-full, plackett-luce, rate, parity-weights (.test.ts)")
    for model, two, three, sizes, by_sides in (
        (
            "plackett-luce",
            [(27.63523138347365, 8.065506316323548), (22.36476861652635, 8.065506316323548)],
            [
                (27.868876552746237, 8.204837030780652),
                (25.717219138186557, 8.057829747583874),
                (21.413904309067206, 8.057829747583874),
            ],
            [
                *[(25.939870821784513, 8.247641552260456)] * 3,
                (27.21366020491262, 8.274321317985242),
                *[(21.84646897330287, 8.213058173195341)] * 2,
            ],
            None,
        ),
        (
            "bradley-terry-full",
            [(27.63523138347365, 8.065506316323548), (22.36476861652635, 8.065506316323548)],
            [
                (30.2704627669473, 7.788474807872566),
                (25.0, 7.788474807872566),
                (19.7295372330527, 7.788474807872566),
            ],
            [
                *[(25.992743915179297, 8.19709997489984)] * 3,
                (28.48909130001799, 8.220848339985736),
                *[(20.518164784802714, 8.127515465304823)] * 2,
            ],
            8.122328620674137,
        ),
        (
            "thurstone-mosteller-full",
            [(29.230718708993216, 7.630934718709003), (20.769281291006784, 7.630934718709003)],
            [
                (33.46143741798643, 6.856958868037088),
                (25.0, 6.856958868037088),
                (16.53856258201357, 6.856958868037088),
            ],
            [
                *[(25.729796801442728, 8.153169236399172)] * 3,
                (34.02513843037207, 7.757460494129447),
                *[(15.245064768185204, 7.372121080126496)] * 2,
            ],
            7.783287764262074,
        ),
    ):
        system = podium.WengLin(model=model, tau=0.0)  # type: ignore[arg-type]
        suite.add(f"{model}, two", partial(rated, system, [[NEW], [NEW]]), two, 1e-9)
        suite.add(f"{model}, three", partial(rated, system, [[NEW]] * 3), three, 1e-9)
        suite.add(f"{model}, teams", partial(rated, system, [[NEW] * 3, [NEW], [NEW] * 2]), sizes, 1e-9)
        if by_sides is not None:
            sides = system.changed(gamma="sides")
            wanted = [(two[0][0], by_sides), (two[1][0], by_sides)]
            suite.add(f"{model}, gamma 1/k", partial(rated, sides, [[NEW], [NEW]]), wanted, 1e-9)
    five = [41.92287483597286, 33.46143741798643, 25.0, 16.53856258201357, 8.077125164027137]
    thurstone = podium.WengLin(model="thurstone-mosteller-full", tau=0.0)
    suite.add(
        "thurstone-mosteller-full, five",
        partial(rated, thurstone, [[NEW]] * 5),
        [(mu, 4.958964145006544) for mu in five],
        1e-9,
    )
    _plackett_luce(suite)
    _margins(suite)
    return suite


def _plackett_luce(suite: Suite) -> None:
    """rate.test.ts."""
    usual = podium.WengLin()
    field: list[Team] = [[ANN], [BOB], [CAT], [NEW]]
    four: Beliefs = [
        (30.210227447000438, 4.765617924939384),
        (27.644725221915632, 4.883479590134575),
        (17.4036218889969, 6.101259408259549),
        (19.21460876538932, 7.854669920480409),
    ]
    suite.add("rate, four", partial(rated, usual, field), four, 1e-9)
    less = usual.changed(tau=0.01)
    four = [
        (30.20997558824299, 4.764909330988368),
        (27.64461002009721, 4.882799245921361),
        (17.403587237635527, 6.100731158882956),
        (19.21478808745494, 7.854267281042293),
    ]
    suite.add("rate, tau", partial(rated, less, field), four, 1e-9)
    sure = [[(6.672, 0.0001)], [ANN]]
    wanted = [(6.672012533190158, 0.0001), (26.316243774876106, 4.7540633621019)]
    suite.add("rate, limitSigma", partial(rated, less.changed(limit_sigma="on"), sure), wanted, 1e-9)
    wanted = [
        (29.607340941337068, 4.755311788972862),
        (27.624602782532037, 4.892807828777459),
        (15.953170429143093, 6.125902065139878),
        (23.70858117648013, 8.111707446126035),
    ]
    suite.add("rate, teams", partial(rated, usual, [[ANN, BOB], [CAT, NEW]]), wanted, 1e-9)
    wanted = [
        (27.857622571955794, 4.744504197327133),
        (20.97892943330433, 8.129851804000902),
        (27.990904891666695, 4.901705733959291),
        (27.341233554297506, 8.2314516336455),
        (17.607030910762578, 6.141282638892306),
        (26.67983701239816, 8.149157818911323),
    ]
    pairs: list[Team] = [[ANN, NEW], [BOB, NEW], [CAT, NEW]]
    suite.add("rate, three pairs", partial(rated, usual, pairs, [2, 0, 1]), wanted, 1e-9)
    wanted = [
        (11.942996666741225, 7.926888197620324),
        (2.9381178546315034, 9.653804487570165),
        (-1.4024317012198733, 11.323641575516767),
    ]
    wide: list[Team] = [[(10.0, 8.0)], [(5.0, 10.0)], [(0.0, 12.0)]]
    suite.add("rate, ties", partial(rated, usual, wide, [0, 1, 1]), wanted, 1e-9)
    steps: list[Team] = [[(mu, 25 / 3)] for mu in (15.0, 20.0, 25.0, 30.0)]
    wanted = [
        (15.340043358359136, 8.213141619804967),
        (18.007678675484204, 8.189033933813437),
        (24.25801928251219, 8.166918055585525),
        (32.39425868364447, 8.247687230833794),
    ]
    suite.add("rate, ties in the middle", partial(rated, usual, steps, [1, 3, 1, 0]), wanted, 1e-9)
    everyone = [(25.0, 8.263571791259416)] * 4
    suite.add("rate, four tied", partial(rated, usual, [[NEW]] * 4, [0, 0, 0, 0]), everyone, 1e-9)
    wanted = [(40.00032667136128, 3.0), (-20.000326671361275, 3.0)]
    steady = usual.changed(tau=0.3, limit_sigma="on")
    suite.add("rate, no rise", partial(rated, steady, [[(40.0, 3.0)], [(-20.0, 3.0)]]), wanted, 1e-9)
    wanted = [
        (33.46194304822656, 5.426947616252378),
        (20.76902847588672, 5.9839100819896975),
        (33.46194304822656, 5.426947616252378),
        (12.307085427660162, 5.9839100819896975),
    ]
    thurstone = podium.WengLin(model="thurstone-mosteller-full")
    scores = [100, 84, 100, 72]
    suite.add("rate, ties for first", partial(rated, thurstone, [[NEW]] * 4, scores=scores), wanted, 1e-9)


def _margins(suite: Suite) -> None:
    """The fixtures called "blowout", and parity-weights.test.ts."""
    blowout: list[Team] = [[(32.0, 5.0)], [(18.0, 6.0)]]
    for model, wanted in (
        (
            "plackett-luce",
            [(33.40266817852555, 4.916684784978913), (15.980157822923207, 5.826158539584867)],
        ),
        (
            "bradley-terry-full",
            [(32.732190491527874, 4.931311782257958), (16.94564569219986, 5.8568385167554675)],
        ),
    ):
        system = podium.WengLin(model=model, tau=0.0, margin=5.0)  # type: ignore[arg-type]
        suite.add(f"{model}, margin", partial(rated, system, blowout, scores=[20, 1]), wanted, 1e-9)
    weights: Play = {(0, 0): 0.9, (1, 1): 0.6}
    doubles: list[Team] = [[NEW] * 2, [NEW] * 2]
    won = [(26.964294621803063, 8.177962604389991), (28.928589243606122, 8.019149320764225)]
    lost = [(24.01785268909847, 8.256223750834579), (23.035705378196937, 8.177962604389991)]
    for model in ("plackett-luce", "bradley-terry-full", "bradley-terry-part"):
        system = podium.WengLin(model=model, partial_play="weight")  # type: ignore[arg-type]
        suite.add(f"{model}, weights", partial(rated, system, doubles, play=weights), [*won, *lost], 1e-9)
    system = podium.WengLin(partial_play="weight")
    wanted = [
        (26.724277243729713, 8.21346376041861),
        (28.448554487459425, 8.09138955918764),
        (30.964851089805897, 8.302664107675781),
        (20.29329721136734, 8.171929968920235),
        (22.64664860568367, 8.253236586510337),
        (22.103567514687594, 8.234544776451207),
    ]
    parts: Play = {(0, 0): 0.5, (2, 0): 0.2, (2, 2): 0.7}
    teams: list[Team] = [[NEW] * 2, [NEW], [NEW] * 3]
    suite.add("weights of three teams", partial(rated, system, teams, [1, 0, 2], parts), wanted, 1e-9)
