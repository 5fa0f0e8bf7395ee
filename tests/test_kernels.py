"""Kernels: what each is compiled from can be told, and each is compiled once, whatever it is called with."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import podium
from conftest import COMPILED
from podium import (
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
    Matchmaker,
    Policy,
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
from podium.matchmaking.graphs.matching import best_matching
from podium.matchmaking.pairing import pair_optimally, swap_within
from podium.matchmaking.targets import RecentScores, WinRateTarget
from podium.matchmaking.terms import Latency, NoRematch
from podium.numerics.jit import KERNELS
from podium.numerics.kernel_content import _content, fingerprint
from podium.studies.live_game.newcomer_scenarios import follow_newcomer, scenario
from podium.studies.live_game.rounds import play_rounds
from podium.studies.live_game.streaks import Streaks

pytestmark = pytest.mark.skipif(not COMPILED, reason="the compiler is off")

DECORATORS = {"kernel", "formula", "summing"}


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
            if isinstance(node, ast.Name):
                value = vars(module).get(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                value = getattr(vars(module).get(node.value.id), node.attr, None)
            if id(value) in compiled:
                found[id(value)] = value
    return found


def test_every_kernel_can_be_told() -> None:
    """A change of whatever podium's kernels use would be seen; no address of this process is among it."""
    modules()
    assert len({fingerprint(kernel) for kernel in KERNELS}) == len(KERNELS) > 250
    assert not [kernel for kernel in KERNELS if " at 0x" in _content(kernel)[0]]


def test_kernels_compile_once() -> None:
    """Whatever columns a history has, kernels see the same types: nobody waits for the compiler twice."""
    use_everything()
    signatures = {f"{k.__module__}.{k.__name__}": len(k.signatures) for k in entered_kernels().values()}
    assert len(signatures) > 60
    assert {name: count for name, count in signatures.items() if count != 1} == {}


def use_everything() -> None:
    """Enter every kernel from Python, in the ways that might give it arguments of different types."""
    histories = [
        History.from_matches([1, 2], [2, 3], [1, 0.5], time=[0, 10], weight=[1, 2], home="b"),
        History.from_events([{"teams": [["a", "b"], ["c"]], "ranks": [1, 1], "unrated": ["a"]}]),
    ]
    for system in (Elo(), Glicko(), Glicko2()):
        for history in histories:
            rate(history[:1], system, trace=True)
            rate(history, system)
        Ladder(system).record(ranks={"a": 1, "b": 2}, share=0.9)
    events = [{"ranks": {"a": 1, "b": 1}, "unrated": ["a"], "weight": 2, "ceiling": 1600, "time": 0}]
    single = [History.from_events(events), History.from_events([{"scores": {"a": 1, "b": 2, "c": 3}}])]
    for system in (EloMMR(rho=2, newcomer_weights=[0.5]), EloMMX(), EloR(noise="all")):
        for history in single:
            rate(history, system, trace=True)
            rate(history, system).ladder.explain("b")
    for history in single:
        smooth(history[:1], Glicko())
        for system in (EloMMR(newcomer_weights=[0.5]), EloMMX(), EloR()):
            smooth(history, system, rounds=2)
    smooth(histories[1], EloMMX(), rounds=2)
    for system in (Elo(), Glicko(), EloMMR(), EloMMX()):
        Ladder(system).rank_probabilities(list("abc"))
        Ladder(system).expected_ranks(["a", "b", "c"])
        Ladder(system).top_chances(np.arange(5).tolist(), np.int64(2))
    for system in (Codeforces(), Codeforces(variant="site"), Topcoder(), TrueSkill(), WengLin()):
        for history in single:
            rate(history[:1], system, trace=True)
            rate(history, system)
    for luck in (Luck(), Luck(points=401, growth_per_day=3, adapt=0.1), Luck(beta=1, home_advantage=9)):
        for history in (histories[0], single[0]):
            assert len(rate(history[:1], luck, trace=True).ratings) == 2
            rate(history, luck).ladder.expected_score("1", "2")
    flat = WinCurve("flat", lambda d: 0.5 + 0.01 * d, lambda d: np.full(np.shape(d), 0.01))
    for system in (Yuksel(), Yuksel(form="batch", curve="normal"), Yuksel(curve=flat)):
        rate(histories[0], system, trace=True)
        rate(single[0], system)
    for number, system in enumerate((Elo(), Glicko())):
        play_rounds(system, [1500, 1600, 1700 + number], 2, shuffle=None if number else 0.5)
    follow_newcomer(Elo(), scenario("short", "", [1500, 1600]), repetitions=2)
    RecentScores(2).record(1, True)
    swap_within([2, 1], 1, np.random.default_rng(0))
    for effort in ("exact", "near", "quick"):
        best_matching(np.int64(5), [0, 1], np.arange(4)[::2] + 2, [1, 2], effort=effort)
    for wanted in (0.5, np.linspace(0.1, 0.9, 40)):
        pair_optimally(Elo(), np.arange(80)[::2], wanted, neighbours=2)
    fill_pools()
    Streaks(2).record(1, True)
    accuracy(single[1], [1, 2, 3], ties="authors")
    accuracy(single[0], np.arange(4)[::2])
    for history in (*histories, *single):
        evaluate(history, ["elo", "glicko"], scopes=["everyone", "top:2"], resamples=2)


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
