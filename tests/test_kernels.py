"""Kernels: what each is compiled from can be told, and each is compiled once, whatever it is called with."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import podium
from podium import (
    Auto,
    Codeforces,
    Elo,
    EloMMR,
    EloMMX,
    EloR,
    Glicko,
    Glicko2,
    History,
    Ladder,
    Luck,
    LuckFunction,
    Matchmaker,
    Policy,
    SetRating,
    Topcoder,
    TrueSkill,
    WengLin,
    WinCurve,
    Yuksel,
    evaluate,
    rate,
    smooth,
)
from podium.evaluation.order_accuracy import accuracy
from podium.ladder.place_history import RatingMoves, places_after
from podium.matchmaking.graphs.matching import best_matching
from podium.matchmaking.pairing import pair_optimally, swap_within
from podium.matchmaking.policies.targets import RecentScores, WinRateTarget
from podium.matchmaking.policies.terms import Latency, NoRematch
from podium.numerics.jit import _MADE_INSIDE, KERNELS
from podium.numerics.kernel_fingerprints import _content, fingerprint
from podium.numerics.normal import normal_quantile, normal_quantiles
from podium.numerics.threads import threads_from
from podium.studies.live_game.newcomer_scenarios import follow_newcomer, scenario
from podium.studies.live_game.rounds import play_rounds
from podium.studies.live_game.streaks import Streaks
from podium.systems import make_system
from podium.systems.elo_mmr.logistic_performances import WHOLE_TIES
from podium.systems.elo_mmr.normal_contests import gaussian_performances

pytestmark = pytest.mark.compiled

DECORATORS = {"kernel", "shared_kernel", "formula", "summing"}
FACTORIES = {"sweep", "learning"}
"""Functions that make a kernel of formulas, which are compiled into it and not entered."""


def modules() -> list[ModuleType]:
    names = (info.name for info in pkgutil.walk_packages(podium.__path__, "podium."))
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def outside_kernels(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a file outside the bodies of kernels."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            decorators = {one.id for one in child.decorator_list if isinstance(one, ast.Name)}
            if decorators & DECORATORS:
                continue
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in FACTORIES:
            continue
        yield child
        yield from outside_kernels(child)


def entered_kernels() -> dict[int, Any]:
    """Kernels, by identity, that are named outside of kernels: called from Python, or handed on there."""
    compiled = {id(kernel): kernel for kernel in KERNELS}
    found: dict[int, Any] = {}
    for module in modules():
        assert module.__file__ is not None
        for node in outside_kernels(ast.parse(Path(module.__file__).read_text())):
            value: Any = None
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                value = vars(module).get(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                value = getattr(vars(module).get(node.value.id), node.attr, None)
            if id(value) in compiled:
                found[id(value)] = value
    return found


def test_every_kernel_can_be_told() -> None:
    """A change of whatever podium's kernels use would be seen; no address of this process is among it."""
    modules()
    kernels = [kernel for kernel in KERNELS if kernel.__module__.startswith("podium.")]
    assert len({fingerprint(kernel) for kernel in kernels}) == len(kernels) > 250
    assert not [kernel for kernel in kernels if " at 0x" in _content(kernel)[0]]


def test_no_name_depends_on_what_is_imported_first() -> None:
    """A kernel that was compiled ahead is found by its name: a number in order of making would change it."""
    modules()
    made = {name: times for (module, name), times in _MADE_INSIDE.items() if module.startswith("podium.")}
    assert "sweep.<locals>.sweep_rows_normal" in made
    assert {name: times for name, times in made.items() if times > 1} == {}


def test_kernels_compile_once() -> None:
    """Whatever columns a history has, kernels see the same types: nobody waits for the compiler twice."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    alone = [sys.executable, "-c", "from test_kernels import *; use_everything(); print_signatures()"]
    answer = subprocess.run(alone, capture_output=True, text=True, env=environment)
    assert answer.returncode == 0, answer.stderr
    signatures = json.loads(answer.stdout)
    assert len(signatures) > 60
    assert {name: found for name, found in signatures.items() if len(found) > 1} == {}, "compiled twice"
    assert [name for name, found in signatures.items() if not found] == [], "let use_everything() use it"


def print_signatures() -> None:
    """The types that each kernel was entered with in this process, in which no test has called any alone."""
    entered = entered_kernels().values()
    print(json.dumps({f"{k.__module__}.{k.__name__}": list(map(str, k.signatures)) for k in entered}))


def use_everything() -> None:
    """Enter every kernel from Python, in the ways that might give it arguments of different types."""
    rate_matches_and_teams()
    rate_contests()
    rate_luck()
    rate_by_experts()
    predict()
    judge()
    match_lists()
    fill_pools()
    fill_group_pools()
    search_pools()
    play_studies()


MATCHES = History.from_matches([1, 2], [2, 3], [1, 0.5], time=[0, 10], weight=[1, 2], home="b")
TEAMS = History.from_events([{"teams": [["a", "b"], ["c"]], "ranks": [1, 1], "unrated": ["a"]}])
TIE = History.from_events(
    [{"ranks": {"a": 1, "b": 1}, "unrated": ["a"], "weight": 2, "ceiling": 1600, "time": 0}]
)
SCORES = History.from_events([{"scores": {"a": 1, "b": 2, "c": 3}}])


def rate_matches_and_teams() -> None:
    rate(History.from_matches([1], [2]), make_system("fide"))
    calibrated = Elo(newcomer_start="adaptive", calibration="learned")
    for system in (calibrated, Elo(), Glicko(), Glicko2(newcomer_start="adaptive")):
        for history in (MATCHES, TEAMS):
            rate(history[:1], system, trace=True)
            assert rate(history, system).ladder.rating("1" if history is MATCHES else "b", at=20)
        Ladder(system).record(ranks={"a": 1, "b": 2}, share=0.9)
    Ladder(Glicko(period="7d")).adjust(SetRating(player="a", mu=1700, sigma=50), time="2026-01-01")
    flat = WinCurve("flat", lambda d: 0.5 + 0.01 * d, lambda d: np.full(np.shape(d), 0.01))
    for system in (Yuksel(), Yuksel(form="batch", curve="normal"), Yuksel(curve=flat)):
        rate(MATCHES, system, trace=True)
        assert len(rate(TIE, system).ratings) == 2


def rate_contests() -> None:
    adaptive = {"newcomer_start": "adaptive", "newcomer_weights": [0.5]}
    for system in (
        EloMMR(rho=2, newcomer_weights=[0.5]),
        EloMMX(),
        EloMMX(calibration="learned"),
        EloR(noise="all"),
        EloMMR(performance="gumbel-min", **adaptive),
        EloMMR(performance="gumbel-min", rho=np.inf),
    ):
        for history in (TIE, SCORES, TEAMS):
            rate(history, system, trace=True)
            rate(history, system).ladder.explain("b")
            with threads_from(rows=2):
                rate(history, system, trace=True)
    for system in (EloMMR(newcomer_weights=[0.5]), EloR(), Codeforces()):
        Ladder(system).ranks_to_reach([1400, 1500.0], ranks={"a": 1, "b": 2}, unrated=["a"], ceiling=1600)
        Ladder(system).ranks_to_reach([np.float64(1500)], ranks={"a": 1, "b": 1})
    with threads_from(rows=2):
        rate(History.from_events([{"ranks": {str(i): i for i in range(1, 31)}}]), EloMMR())
    gaussian_performances(np.zeros(2), np.ones(2), np.arange(2, dtype=np.int32), WHOLE_TIES, np.empty(2))
    years_apart = [{"ranks": {"a": 1, "b": 2}, "time": f"{year}-01-01"} for year in (2000, 2010, 2020)]
    in_numpy = EloMMR(performance="hyperbolic-secant", rho=9, drift_per_day=1e6)
    rate(History.from_events(years_apart), in_numpy)
    for system in (Codeforces(), Codeforces(variant="site"), Topcoder(), TrueSkill(), WengLin()):
        for history in (TIE, SCORES):
            rate(history[:1], system, trace=True)
            rate(history, system)


def rate_by_experts() -> None:
    system = Auto(experts="few")
    for history in (MATCHES, TEAMS, TIE, SCORES):
        rate(history[:1], system, trace=True)
        ladder = rate(history, system).ladder
        ladder.expected_score("b", "somebody new")
        ladder.expected_ranks(["b", "c", "somebody new"])
        ladder.explain("b" if "b" in ladder else "1")


def rate_luck() -> None:
    few = {"points": 201, "growth_per_day": 3.0}
    own = LuckFunction("own", lambda x, y: 1 / (1 + np.exp(np.subtract(y, x))))
    for system in (
        Luck(),
        Luck(points=401, growth_per_day=3, adapt=0.1),
        Luck(beta=1, home_advantage=9),
        Luck(luck=own, adapt=0.1, **few),
        Luck(luck="heaviside", **few),
        Luck(luck="laplace(1)", growth_family="laplace", edge="each", **few),
        Luck(algorithm="naive", **few),
        Luck(algorithm="naive", growth_family="laplace", **few),
        Luck(algorithm="panels", growth_family="laplace", draws="outside", **few),
    ):
        for history in (MATCHES, TIE):
            assert len(rate(history[:1], system, trace=True).ratings) == 2
            rate(history, system).ladder.expected_score("1", "2")
        rate(History.from_matches([1], [2], [0.3]), system)


def predict() -> None:
    for system in (Elo(), Glicko(), EloMMR(), EloMMX()):
        Ladder(system).rank_probabilities(list("abc"))
        Ladder(system).expected_ranks(["a", "b", "c"])
        Ladder(system).top_chances(np.arange(5).tolist(), np.int64(2))
    normal_quantiles([0.5, 0.9])
    normal_quantiles(0.5)
    normal_quantile(0.5)
    normal_quantile(np.float64(0.5))


def judge() -> None:
    accuracy(SCORES, [1, 2, 3], ties="authors")
    accuracy(TIE, np.arange(4)[::2])
    for history in (MATCHES, SCORES):
        one = np.array([1])
        merge = RatingMoves(one, one, np.array([1.0]), np.array([0]), one, one)
        places_after(history.offsets, history.player, np.ones(history.rows), history.rank > 0, 3, merge)
    for history in (MATCHES, TEAMS, TIE, SCORES):
        evaluate(history, ["elo", "glicko"], scopes=["everyone", "top:2"], resamples=2)
    for history in (TIE, SCORES):
        smooth(history[:1], Glicko())
        for system in (EloMMR(newcomer_weights=[0.5]), EloMMX(), EloR()):
            smooth(history, system, rounds=2)
    smooth(TEAMS, EloMMX(), rounds=2)


def match_lists() -> None:
    RecentScores(2).record(1, True)
    swap_within([2, 1], 1, np.random.default_rng(0))
    for effort in ("exact", "near", "quick"):
        best_matching(np.int64(5), [0, 1], np.arange(4)[::2] + 2, [1, 2], effort=effort)
    for wanted in (0.5, np.linspace(0.1, 0.9, 40)):
        pair_optimally(Elo(), np.arange(80)[::2], wanted, neighbours=2)


def search_pools() -> None:
    """Tickets that may meet few others: what warming up runs; and the chances that a pool of luck reads."""
    podium.warmup("matchmaking")
    mu, sigma = np.array([1500.0, 1600.0]), np.array([80.0, 90.0])
    Luck().near_win_probability(mu, sigma, mu[::-1], sigma[::-1])


def play_studies() -> None:
    for number, system in enumerate((Elo(), Glicko())):
        play_rounds(system, [1500, 1600, 1700 + number], 2, shuffle=None if number else 0.5)
    follow_newcomer(Elo(), scenario("short", "", [1500, 1600]), repetitions=2)
    Streaks(2).record(1, True)


def fill_group_pools() -> None:
    """Teams and free-for-alls, few and many, and running matches with open places."""
    seated = "8v8: lead, 7 follow", [["x"], ["y"]]
    for mode, sides in (("2v2", [["x", "y"], ["z"]]), ("ffa:3", ["x", "y"]), seated):
        for size in (7, 300):
            maker = Matchmaker(Elo(), mode)
            maker.backfill(sides, mu=[1500.0] * sum(map(len, sides)), time=0.0)
            maker.join_many([f"p{i}" for i in range(size)], mu=np.linspace(1400, 1600, size), time=0.0)
            maker.tick(1.0)
            maker.start(maker.tick(200.0))


def fill_pools() -> None:
    """Pools small and large, with every term, overdue tickets and cancelled matches."""
    terms = (*Policy().terms, Latency(), NoRematch(2))
    for size, target in ((4, None), (400, WinRateTarget())):
        maker = Matchmaker(EloMMR(), policy=Policy(terms=terms, target=target))
        maker.block("a", "b")
        ratings = {"mu": np.linspace(1400, 1600, size), "sigma": 80}
        maker.join_many(
            [f"p{i}" for i in range(size)], time=0, latency={"eu": 5, "us": np.ones(size)}, **ratings
        )
        for match in list(maker.tick(time=1).matches)[1:]:
            maker.cancel(match)
        maker.start(maker.tick(time=2))
        maker.tick(time=500)
