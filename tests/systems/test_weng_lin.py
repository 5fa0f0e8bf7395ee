"""Weng–Lin against other programs, and what its models promise.

Golden values were computed with openskill 6.2.0 (PyPI, Python 3.11), with its defaults, which are podium's
too; its `epsilon` is `draw_margin`. In three points podium does not follow it:

- partial pairing: openskill takes the mean over the four next sides above and below, tied ones in the order
  given; the paper takes the sum over the next one above and below. With one neighbour they agree.
- partial Thurstone–Mosteller: openskill has twice the c of full pairing, and so has Weng and Lin's own
  program; a pair is a pair here.
- Φ: openskill takes Python's `NormalDist.cdf`, ½ (1 + erf), which loses the lower tail: four digits are left
  at −7 deviations. The Thurstone–Mosteller values below are of its source with ½ erfc in that place.

BAR's were computed with elo-mmr-py 2.0.0, the published program, as system "bar" with its defaults.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.twins import plain_event, twin_of
from conftest import COMPILED, tries
from naive import weng_lin as naive
from podium import (
    History,
    Ladder,
    ParameterError,
    SetRating,
    WengLin,
    list_systems,
    make_system,
    rate,
    register_system,
)
from podium.checks import contract_laws as laws
from podium.checks.random_histories import histories
from podium.history import Event
from podium.numerics.free_for_all.place_chances import rank_probabilities
from podium.systems import find_system
from podium.systems.contract.side_scores import MEDIANS

MODELS = WengLin.declared()["model"].choices
FULL = ("plackett-luce", "bradley-terry-full", "thurstone-mosteller-full")
PARTIAL = {f"{name}-part": f"{name}-full" for name in ("bradley-terry", "thurstone-mosteller")}

Team = list[tuple[str, float, float]]
CASES: dict[str, tuple[list[Team], list[int]]] = {
    "duel": ([[("ann", 29, 2.5)], [("bob", 25, 25 / 3)]], [2, 1]),
    "duel drawn": ([[("ann", 29, 2.5)], [("bob", 25, 25 / 3)]], [1, 1]),
    "2v2": ([[("ann", 30, 3), ("bob", 22, 6)], [("cat", 27, 2), ("dan", 24, 8)]], [2, 1]),
    "2v1": ([[("ann", 30, 3), ("bob", 22, 6)], [("cat", 41, 5)]], [1, 2]),
    "three teams": (
        [
            [("ann", 30, 3), ("bob", 22, 6)],
            [("cat", 27, 2)],
            [("dan", 24, 8), ("eve", 26, 4), ("finn", 20, 1)],
        ],
        [3, 1, 2],
    ),
    "three, two tied": (
        [[("ann", 30, 3), ("bob", 22, 6)], [("cat", 27, 2)], [("dan", 24, 8), ("eve", 26, 4)]],
        [2, 1, 1],
    ),
    "all of three tied": ([[("ann", 30, 3)], [("bob", 22, 6)], [("cat", 27, 2)]], [1, 1, 1]),
    "far apart": ([[("ann", 60, 3)], [("bob", 10, 2)]], [2, 1]),
}
OPENSKILL = {
    ("plackett-luce", "duel"): [
        (28.646308736595067, 2.4973173505709427),
        (28.925933768382595, 7.816510054938616),
    ],
    ("plackett-luce", "duel drawn"): [
        (28.94401479633729, 2.4973173505709427),
        (25.621429546981986, 7.816510054938616),
    ],
    ("plackett-luce", "2v2"): [
        (29.614272225482043, 2.988529076001207),
        (20.45798110186923, 5.898993911642888),
        (27.171599788663734, 1.9971338269147234),
        (26.741135618914424, 7.701402699789796),
    ],
    ("plackett-luce", "2v1"): [
        (30.22396797583871, 2.9850651126836176),
        (22.895353858692147, 5.870897288838946),
        (40.378173723211106, 4.945046211166235),
    ],
    ("plackett-luce", "three teams"): [
        (29.726053954410617, 2.9890981387899838),
        (20.904849463083302, 5.903599966659971),
        (27.28750879149905, 2.0016351858223187),
        (21.354103577434177, 7.671016980475517),
        (25.33831059411802, 3.9603133322511272),
        (19.958375286831718, 1.002829394201373),
    ],
    ("plackett-luce", "three, two tied"): [
        (29.66834475621841, 2.9918429536938147),
        (20.674146153425184, 5.925778775645897),
        (27.125845244728538, 2.0015003629232613),
        (24.346622244342868, 7.767118586878642),
        (26.08668376621572, 3.9720106890172375),
    ],
    ("plackett-luce", "all of three tied"): [
        (29.890185930862984, 2.991243350057512),
        (22.456836781413138, 5.895449543736419),
        (26.998015330534443, 1.999966851711011),
    ],
    ("plackett-luce", "far apart"): [
        (58.69730857296487, 3.0010688082382058),
        (10.579531960986328, 2.0017178677744987),
    ],
    ("bradley-terry-full", "duel"): [
        (28.646308736595067, 2.4973173505709427),
        (28.925933768382595, 7.816510054938616),
    ],
    ("bradley-terry-full", "duel drawn"): [
        (28.94401479633729, 2.4973173505709427),
        (25.621429546981986, 7.816510054938616),
    ],
    ("bradley-terry-full", "2v2"): [
        (29.614272225482043, 2.988529076001207),
        (20.457981101869233, 5.898993911642888),
        (27.171599788663734, 1.9971338269147234),
        (26.741135618914424, 7.701402699789796),
    ],
    ("bradley-terry-full", "2v1"): [
        (30.22396797583871, 2.9850651126836176),
        (22.895353858692147, 5.870897288838946),
        (40.378173723211106, 4.945046211166235),
    ],
    ("bradley-terry-full", "three teams"): [
        (28.937588179205214, 2.987359739739421),
        (17.752810107308438, 5.889520630812211),
        (27.770208692812144, 2.0010183226194664),
        (19.246606379309924, 7.7870444274293105),
        (24.811264804633762, 3.9744499161749967),
        (19.92522056254746, 1.0030506871767648),
    ],
    ("bradley-terry-full", "three, two tied"): [
        (28.691467857690952, 2.9831557351625766),
        (16.768898104955735, 5.855366461133509),
        (27.555223465142447, 2.000535911158521),
        (24.429810452288383, 7.534448985484771),
        (26.107487587341296, 3.943882723760349),
    ],
    ("bradley-terry-full", "all of three tied"): [
        (29.648741200207375, 2.959803265380604),
        (23.433217945631032, 5.566480585735275),
        (26.996773338255053, 1.993049135468535),
    ],
    ("bradley-terry-full", "far apart"): [
        (58.69730857296488, 3.0010688082382058),
        (10.579531960986328, 2.0017178677744987),
    ],
    ("thurstone-mosteller-full", "duel"): [
        (28.36783350517692, 2.4893321690253942),
        (32.016977929773134, 6.689740634316521),
    ],
    ("thurstone-mosteller-full", "duel drawn"): [
        (28.773368682235414, 2.4844638672829142),
        (27.515582473877505, 5.900270050821835),
    ],
    ("thurstone-mosteller-full", "2v2"): [
        (29.365432968798615, 2.967856113820731),
        (19.463199647818673, 5.729766927119794),
        (27.282301601390284, 1.989619963781229),
        (28.50948675912349, 7.18803082823787),
    ],
    ("thurstone-mosteller-full", "2v1"): [
        (30.232462057872365, 2.971309777660776),
        (22.929310539759605, 5.758301807974289),
        (40.354590693601864, 4.897218290254306),
    ],
    ("thurstone-mosteller-full", "three teams"): [
        (26.889213135937673, 2.8785290945719093),
        (9.564047887306742, 4.948135737624797),
        (29.85920773133741, 1.9861971485360643),
        (0.4334996410317302, 5.7152319391416),
        (20.10645727162614, 3.747896376926102),
        (19.629256531186893, 0.9995935990296012),
    ],
    ("thurstone-mosteller-full", "three, two tied"): [
        (26.356758212957953, 2.8586868532020846),
        (7.435459779635304, 4.760748428478602),
        (29.10947645786017, 1.9858235464741143),
        (16.193546938519738, 4.847923820411028),
        (24.047751512779428, 3.6706620693382224),
    ],
    ("thurstone-mosteller-full", "all of three tied"): [
        (28.530356013496956, 2.815468513055015),
        (28.021291442482344, 3.6111193405600055),
        (26.983739970049047, 1.9646282375959412),
    ],
    ("thurstone-mosteller-full", "far apart"): [
        (50.37351873393732, 2.877741532617876),
        (14.282559514663198, 1.9776674744137508),
    ],
}


def ladder_of(teams: list[Team], system: WengLin) -> Ladder:
    """A ladder that knows these players."""
    ladder = Ladder(system)
    for name, mu, sigma in (member for team in teams for member in team):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    return ladder


def rated(
    teams: list[Team], ranks: list[int], system: WengLin, **event: Any
) -> dict[str, tuple[float, float]]:
    """Beliefs after one event of such teams."""
    ladder = ladder_of(teams, system)
    changes = ladder.record(teams=[[name for name, _, _ in team] for team in teams], ranks=ranks, **event)
    return {change.player: (change.mu, change.sigma or 0.0) for change in changes}


@pytest.mark.parametrize(("model", "case"), OPENSKILL)
def test_openskill(model: Any, case: str) -> None:
    teams, ranks = CASES[case]
    after = rated(teams, ranks, WengLin(model=model))
    names = [name for team in teams for name, _, _ in team]
    np.testing.assert_allclose([after[name] for name in names], OPENSKILL[model, case], rtol=1e-12)


@pytest.mark.parametrize("case", ["duel", "duel drawn", "2v2", "2v1", "far apart"])
@pytest.mark.parametrize("model", PARTIAL)
def test_two_sides_are_neighbours(model: Any, case: str) -> None:
    teams, ranks = CASES[case]
    after = rated(teams, ranks, WengLin(model=model))
    names = [name for team in teams for name, _, _ in team]
    np.testing.assert_allclose([after[name] for name in names], OPENSKILL[PARTIAL[model], case], rtol=1e-12)


def test_neighbours_of_bradley_and_terry() -> None:
    """openskill 6.2.0, BradleyTerryPart(window_size=1): its ends are the same, its middle is a mean."""
    teams, ranks = CASES["three teams"]
    after = rated(teams, ranks, WengLin(model="bradley-terry-part"))
    openskill = {
        "ann": (29.861679032368663, 2.9941731479369564),
        "bob": (21.44703607003201, 5.944558297198139),
        "cat": (27.35910582290057, 2.0016195457368826),
        "dan": (21.623303189654962, 7.89446025258226),
        "eve": (25.40563240231688, 3.9876808160024466),
        "finn": (19.96261028127373, 1.0032584725508737),
    }
    for name, mu, sigma in (member for team in teams for member in team):
        change, left = evidence(mu, sigma, openskill[name])
        times = 2 if name in ("dan", "eve", "finn") else 1
        assert after[name][0] == pytest.approx(mu + times * change, rel=1e-12)
        assert after[name][1] ** 2 == pytest.approx((sigma**2 + TAU2) * (1 - times * (1 - left)), rel=1e-12)


def test_neighbours_of_thurstone_and_mosteller() -> None:
    """openskill 6.2.0, ThurstoneMostellerFull: the two matches of neighbours, whose evidence adds up."""
    teams, ranks = CASES["three teams"]
    after = rated(teams, ranks, WengLin(model="thurstone-mosteller-part"))
    matches: list[dict[str, tuple[float, float]]] = [
        {
            "ann": (29.886409267919163, 2.9899555407239076),
            "bob": (21.545899810455563, 5.910534744646694),
            "dan": (24.80722110839558, 7.7110352015924954),
            "eve": (26.20187096179362, 3.9651707890205747),
            "finn": (20.01269904098051, 1.0029053490306588),
        },
        {
            "cat": (28.52583674586839, 1.995893496156578),
            "dan": (-0.3737214673638505, 6.100062022834692),
            "eve": (19.904586309832517, 3.78564291904535),
            "finn": (19.616557490206382, 1.0001563220572511),
        },
    ]
    for name, mu, sigma in (member for team in teams for member in team):
        found = [evidence(mu, sigma, match[name]) for match in matches if name in match]
        assert after[name][0] == pytest.approx(mu + sum(change for change, _ in found), rel=1e-12)
        left = 1 - sum(1 - left for _, left in found)
        assert after[name][1] ** 2 == pytest.approx((sigma**2 + TAU2) * left, rel=1e-12)


TAU2 = (25 / 300) ** 2


def evidence(mu: float, sigma: float, after: tuple[float, float]) -> tuple[float, float]:
    """The change of a rating, and the part of the variance that is left."""
    return after[0] - mu, after[1] ** 2 / (sigma**2 + TAU2)


BAR = {"model": "one-match", "mu": 1500, "sigma": 350, "beta": 400 * math.pi / math.sqrt(3) / math.log(10)}
"""The parameters of the authors' program."""


def test_bar() -> None:
    """elo-mmr-py 2.0.0, system "bar": four contests with ties, of weights 1, 2, ½ and 1."""
    contests = [
        {"ranks": {"ann": 1, "bob": 1, "cat": 3}},
        {"ranks": {"cat": 1, "bob": 2, "ann": 3}, "weight": 2.0},
        {"ranks": {"bob": 1, "ann": 2}, "weight": 0.5},
        {"ranks": {"dan": 1, "cat": 2, "ann": 2, "bob": 4}},
    ]
    ladder = rate(History.from_events(contests), make_system("bar", tau=35, **BAR)).ladder
    published = {
        "ann": (1438.512265771258, 296.2374684172377),
        "bob": (1493.0353045771644, 296.2374684172377),
        "cat": (1513.089307521807, 301.6275487265204),
        "dan": (1571.6733709026933, 334.4407319189796),
    }
    for name, belief in published.items():
        assert (ladder.rating(name).mu, ladder.rating(name).sigma) == pytest.approx(belief, rel=1e-12)


# ---------------------------------------------------------------------------------------------------------
# The twin


@settings(max_examples=tries(60) if COMPILED else 12)
@given(data=st.data())
def test_all_parameters_together(data: Any) -> None:
    """The laws take one choice at a time."""
    system = WengLin(
        model=data.draw(st.sampled_from(MODELS)),
        gamma=data.draw(st.sampled_from(["deviation", "sides"])),
        draw_margin=data.draw(st.sampled_from([0.0, 0.1, 2.0, 30.0])),
        home_advantage=data.draw(st.sampled_from([-20.0, 0.0, 3.0])),
        drift_per_day=data.draw(st.sampled_from([0.0, 0.5])),
        tau=data.draw(st.sampled_from([0.0, 1.0])),
        kappa=data.draw(st.sampled_from([1e-4, 0.9])),
    )
    laws.law_8_twin(system, data.draw(histories(system.supports, adjusted=False)), twin_of(system))


def shuffled_contests(sides: int, *, ties: bool) -> History:
    """Free-for-alls whose rows are in any order."""
    chance = np.random.default_rng(5)
    events = []
    for _ in range(3):
        ranks = chance.permutation(sides) + 1 if not ties else chance.integers(1, sides // 3, sides)
        events.append({"ranks": {f"p{i}": int(rank) for i, rank in enumerate(ranks)}})
    return History.from_events(events)


@pytest.mark.parametrize("model", MODELS)
def test_many_sides(model: Any) -> None:
    """More sides than the laws try; the twin's partial pairing would go through all orders of ties."""
    history = shuffled_contests(45 if COMPILED else 20, ties=model not in PARTIAL)
    laws.law_8_twin(WengLin(model=model), history, twin_of(WengLin(model=model)))
    laws.law_2_names_and_rows(WengLin(model=model), history, 3)


# ---------------------------------------------------------------------------------------------------------
# What it says


@pytest.mark.parametrize("model", MODELS)
def test_play_scales_a_performance(model: Any) -> None:
    """To play half an event is to perform with half the skill, half the deviation, and half of any change."""
    system = WengLin(model=model, tau=0)
    whole: list[Team] = [[("ann", 30, 6), ("bob", 20, 4)], [("cat", 40, 5)]]
    half: list[Team] = [[("ann", 15, 3), ("bob", 20, 4)], [("cat", 40, 5)]]
    played = rated(whole, [2, 1], system, play={"ann": 0.5})
    scaled = rated(half, [2, 1], system)
    for name, factor in (("ann", 0.5), ("bob", 1.0), ("cat", 1.0)):
        assert factor * played[name][0] == pytest.approx(scaled[name][0], rel=1e-13)
        assert factor * played[name][1] == pytest.approx(scaled[name][1], rel=1e-13)


@pytest.mark.parametrize("model", MODELS)
def test_weight_is_less_noise(model: Any) -> None:
    teams, ranks = CASES["three teams"]
    weighted = rated(teams, ranks, WengLin(model=model), weight=4.0)
    precise = rated(teams, ranks, WengLin(model=model, beta=25 / 12))
    for name, belief in weighted.items():
        assert belief == pytest.approx(precise[name], rel=1e-13)


@pytest.mark.parametrize("gamma", ["deviation", "sides"])
@pytest.mark.parametrize("model", MODELS)
def test_far_apart_and_finite(model: Any, gamma: Any) -> None:
    """Sure beliefs at 2500 beside newcomers at 25, and a billion apart, in any order and tied."""
    for far in (2500.0, 1e9):
        for ranks in ([1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 1, 1], [2, 1, 2, 1]):
            teams: list[Team] = [[("a", far, 10)], [("b", -far, 1e-6)], [("c", 25, 10)], [("d", far, 1e4)]]
            system = WengLin(model=model, gamma=gamma, beta=4, home_advantage=3)
            ladder = ladder_of(teams, system)
            for _ in range(20):
                ladder.record(teams=[[name] for ((name, _, _),) in teams], ranks=ranks, home="b")
            frame = ladder.ratings()
            assert np.all(np.isfinite(frame.select("mu", "sigma").to_numpy()))
            assert np.all(frame["sigma"].to_numpy() > 0)


def test_noise_is_that_of_the_side() -> None:
    """c² = σ_a² + σ_b² + 2 β² however many members: unlike TrueSkill, where each brings a β."""
    system = WengLin(tau=0, model="thurstone-mosteller-full", draw_margin=0)
    teams: list[Team] = [[("ann", 30, 3), ("bob", 22, 6)], [("cat", 50, 5)]]
    c = math.sqrt(9 + 36 + 25 + 2 * (25 / 6) ** 2)
    expected = 0.5 * math.erfc(-2 / c / math.sqrt(2))
    ladder = ladder_of(teams, system)
    assert ladder.expected_score(["ann", "bob"], ["cat"]) == pytest.approx(expected, rel=1e-14)
    assert ladder_of(teams, WengLin(tau=0)).expected_score(["ann", "bob"], ["cat"]) == pytest.approx(
        1 / (1 + math.exp(-2 / c)), rel=1e-14
    )


def test_draws_have_a_chance() -> None:
    """In Thurstone and Mosteller's model; a result is as likely as `outcomes` says it is."""
    ladder = ladder_of([[("ann", 30, 3)], [("bob", 25, 2)]], WengLin(model="thurstone-mosteller-full", tau=0))
    c = math.sqrt(9 + 4 + 2 * (25 / 6) ** 2)
    chances = ladder.outcomes("ann", "bob")
    win, draw, loss = chances.win, chances.draw, chances.loss
    assert win == pytest.approx(0.5 * math.erfc(-4.9 / c / math.sqrt(2)), rel=1e-14)
    assert loss == pytest.approx(0.5 * math.erfc(5.1 / c / math.sqrt(2)), rel=1e-14)
    assert draw == pytest.approx(1 - win - loss, abs=1e-15)
    assert ladder.expected_score("ann", "bob") == pytest.approx(win + draw / 2, rel=1e-14)


@pytest.mark.parametrize(("sigma", "error"), [((5.0, 5.0), 1e-9), ((3.0, 8.0), 0.01)])
@pytest.mark.parametrize("model", MODELS)
def test_performances_win_as_expected(model: Any, sigma: tuple[float, float], error: float) -> None:
    """What places in free-for-alls are computed from says the same of two as `expected_score`.

    Exactly with equal deviations; Gumbels of unequal scales differ by nearly a logistic.
    """
    system = WengLin(model=model, draw_margin=0)
    mu = np.array([30.0, 25.0])
    family, scale = system.performance_spread(np.array(sigma), np.ones(2, np.int64))
    middle = MEDIANS["gumbel"] * scale if family == "gumbel" else 0.0
    expected = system.win_probability(mu[0], sigma[0], mu[1], sigma[1])
    assert rank_probabilities(family, mu - middle, scale)[0, 0] == pytest.approx(expected, abs=error)


# ---------------------------------------------------------------------------------------------------------
# The other name


def test_bar_is_another_name() -> None:
    assert find_system("bar") is WengLin
    assert make_system("bar", beta=5) == WengLin(beta=5)
    assert make_system("bar").describe()["system"] == "weng-lin"
    assert "bar" not in list_systems()
    with pytest.raises(ParameterError, match="'bar' is a rating system that podium defines"):
        register_system(type("Bar", (WengLin,), {"name": "bar"}))
    with pytest.raises(ParameterError, match="there is no rating system 'baar'"):
        make_system("baar")


@settings(max_examples=tries(60) if COMPILED else 12)
@given(data=st.data())
def test_margins_and_weights_against_the_twin(data: Any) -> None:
    """Teams with scores, parts of the event and ties; the laws' histories have no scores."""
    margin = data.draw(st.sampled_from([0.5, 2.0, 30.0]))
    parameters = {
        "model": data.draw(st.sampled_from(MODELS)),
        "partial_play": data.draw(st.sampled_from(["part", "weight"])),
        "limit_sigma": data.draw(st.sampled_from(["off", "on"])),
        "home_advantage": data.draw(st.sampled_from([0.0, 3.0])),
        "draw_margin": 0.1,
    }
    events = []
    for _ in range(data.draw(st.integers(1, 4))):
        sizes = data.draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
        players = iter("abcdefghijkl")
        teams = [[next(players) for _ in range(size)] for size in sizes]
        scores = [data.draw(st.sampled_from([0.0, 1.0, 2.5, 40.0])) for _ in sizes]
        parts = data.draw(st.sampled_from([{}, {"a": 0.5}, {"a": 0.25, "b": 0.5}]))
        play = {name: part for name, part in parts.items() if any(name in team for team in teams)}
        events.append(Event.of(teams=teams, scores=scores, play=play or None, home="a"))
    run = rate(History.from_events(events), WengLin(margin=margin, **parameters))  # type: ignore[arg-type]
    twin = naive.rate([plain_event(event) for event in events], margin=margin, **parameters)
    for name, (mu, sigma) in twin.ratings.items():
        found = run.ladder.rating(name)
        assert (found.mu, found.sigma) == pytest.approx((mu, sigma), rel=1e-9, abs=1e-9)


def test_margins_need_scores_and_weights_need_parts() -> None:
    """Ranks alone have no margin, and neither have leads below it; whole events have no weights."""
    teams = [["a", "b"], ["c"]]
    for events in ([Event.of(teams=teams, ranks=[2, 1])], [Event.of(teams=teams, scores=[1.0, 2.0])]):
        usual = rate(History.from_events(events), WengLin()).ratings
        other = rate(History.from_events(events), WengLin(margin=1.5, partial_play="weight")).ratings
        assert usual.equals(other)


def test_weights_are_of_gains_and_losses() -> None:
    """As in openskill, a weight says how much a member gains, not how strong the team is."""
    ladder = Ladder(WengLin(partial_play="weight"))
    changes = ladder.record(teams=[["a", "b"], ["c", "d"]], ranks=[1, 2], play={"a": 0.5})
    gains = {change.player: change.gain for change in changes}
    assert gains["b"] == pytest.approx(2 * gains["a"])
    assert gains["c"] == pytest.approx(gains["d"]) == pytest.approx(-gains["a"])
