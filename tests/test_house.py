"""The house: who may import whom, what an import costs, and that every kernel has one signature."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import podium
from conftest import COMPILED

PACKAGE = Path(podium.__file__).parent
ROOT = Path(__file__).parent.parent

# An arrow reads "is used by"; a room may use those before it, and itself.
ORDER = [
    "arrays",
    "text",
    "errors",
    "named",
    "parameters",
    "history",
    "files",
    "tables",
    "numerics",
    "systems",
    "cluster",
]
ORDER += [
    "ladder",
    "charts",
    "matchmaking",
    "simulation",
    "evaluation",
    "tuning",
    "documents",
    "studies",
    "cli",
]
ORDER += ["checks"]
LAST_ROOM = {"checks": "ladder"}
"""Rooms that use fewer than those before them: the last one they use."""

DOORS = {("history.py", "tables")}
"""Methods of a value that open a later room when they are called: `History.from_frame`, `to_frame`."""


def imports_of(path: Path) -> set[str]:
    """podium modules a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.startswith("podium.")}


def room(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    here = path.relative_to(PACKAGE).with_suffix("").parts[0]
    if here in ("__init__", "__main__"):
        return
    for imported in imports_of(path):
        there = room(imported)
        if there == here or (path.name, there) in DOORS:
            continue
        last = LAST_ROOM.get(here, here)
        assert ORDER.index(there) <= ORDER.index(last), f"{path} imports {imported}"


def test_tests_stand_in_the_same_rooms() -> None:
    """Each folder of tests is one of the package; `naive` has the twins, which know nothing of it."""
    tests = ROOT / "tests"
    folders = {path.relative_to(tests).parts[0] for path in tests.glob("*/**/*.py")}
    assert {name for name in folders if not (PACKAGE / name).is_dir()} == {"naive"}


def family(path: Path) -> str:
    """The family of systems a file of `systems/` belongs to: its folder, or the file itself."""
    return path.relative_to(PACKAGE / "systems").with_suffix("").parts[0]


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "systems").rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_no_family_imports_another(path: Path) -> None:
    if family(path) in ("__init__", "system_files"):  # they know all systems by name
        return
    for imported in imports_of(path):
        parts = imported.split(".")
        if parts[1] == "systems" and len(parts) > 2:
            assert parts[2] in ("contract", family(path)), f"{path} imports {imported}"


def test_importing_podium_is_light() -> None:
    code = (
        "import sys, podium; print([m for m in ('numba', 'polars', 'narwhals', 'typer') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_a_ladder_needs_no_tables() -> None:
    code = (
        "import sys, podium; ladder = podium.Ladder(podium.Elo()); ladder.record_match('a', 'b'); "
        "ladder.expected_score('a', 'b'); print('polars' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


def test_every_public_name_is_there() -> None:
    for name in podium.__all__:
        assert getattr(podium, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = podium.nonsense


def test_public_names_are_typed_where_they_are_found() -> None:
    """What a type checker sees of `podium` is what Python loads: the same names from the same modules."""
    tree = ast.parse(Path(podium.__file__).read_text())
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module for node in imports for alias in node.names}
    assert typed == {**podium._HOME, "checks": "podium"}


@pytest.mark.skipif(not COMPILED, reason="the compiler is off")
def test_kernels_compile_once() -> None:
    """Whatever columns a history has, kernels see the same types: nobody waits for the compiler twice."""
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
        Topcoder,
        TrueSkill,
        WengLin,
        WinCurve,
        Yuksel,
        evaluate,
        rate,
        smooth,
    )
    from podium.evaluation import order_accuracy as metrics
    from podium.evaluation import standings, sums
    from podium.evaluation.smoothing import kernels as smoothing
    from podium.matchmaking import duels, memory, pairing, targets
    from podium.matchmaking.graphs import candidates, ends, exact, greedy, matching
    from podium.matchmaking.pairing import pair_optimally, swap_within
    from podium.matchmaking.targets import RecentScores
    from podium.numerics import win_chances as curves
    from podium.numerics.free_for_all import (
        mean_places as expectations,
    )
    from podium.numerics.free_for_all import (
        mean_scores as fields,
    )
    from podium.numerics.free_for_all import (
        place_chances as ranking,
    )
    from podium.numerics.free_for_all import (
        quadrature,
    )
    from podium.numerics.free_for_all import (
        top_chances as leading,
    )
    from podium.studies.live_game import streaks
    from podium.studies.live_game.newcomer_scenarios import follow_newcomer, scenario
    from podium.studies.live_game.rounds import play_rounds
    from podium.systems import codeforces, elo, weng_lin
    from podium.systems.elo_mmr import contest_kernels as contests
    from podium.systems.elo_mmr import contest_walks
    from podium.systems.glicko import kernels as glickman
    from podium.systems.luck import kernels as chance
    from podium.systems.topcoder import topcoder
    from podium.systems.trueskill import trueskill
    from podium.systems.yuksel import kernels as yuksel

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
        matching.best_matching(np.int64(5), [0, 1], np.arange(4)[::2] + 2, [1, 2], effort=effort)
    for wanted in (0.5, np.linspace(0.1, 0.9, 40)):
        pair_optimally(Elo(), np.arange(80)[::2], wanted, neighbours=2)
    fill_pools()
    streaks.Streaks(2).record(1, True)
    metrics.accuracy(single[1], [1, 2, 3], ties="authors")
    metrics.accuracy(single[0], np.arange(4)[::2])
    for history in (*histories, *single):
        evaluate(history, ["elo", "glicko"], scopes=["everyone", "top:2"], resamples=2)
    for kernel in (
        metrics._compare,
        metrics._sort_falling,
        standings._count_events,
        standings._stand,
        sums._count_events,
        sums._sum_by_event,
        sums._sum_by_group,
        sums._sum_in_bins,
        fields.score_fields,
        streaks._record,
        chance.rate_matches,
        chance.view_beliefs,
        chance.expect_scores,
        candidates._offer_next,
        candidates._offer_near,
        candidates._pairs,
        candidates._each_once,
        exact.match_by_prices,
        greedy.match_greedily,
        greedy.improve_pairs,
        greedy.heaviest_edges,
        ends.both_ends,
        matching._walk,
        matching._weigh,
        pairing._swap,
        targets._record,
        memory.are_rematches,
        memory.are_blocked,
        memory.best_regions,
        duels._between_free,
        duels._keep,
        duels._serve,
        curves._logistic_losses,
        elo._rate,
        elo._rate_duels,
        glickman.rate_periods,
        glickman.rate_duels,
        contests.rate_contests,
        contests.rate_normal_contests,
        contests.rating_limits,
        smoothing.follow_walks,
        smoothing.walk_order,
        smoothing.settle_starts,
        contest_walks.row_spreads,
        smoothing.smooth_walks,
        smoothing.follow_normal_walks,
        smoothing.follow_logistic_walks,
        smoothing.leave_out,
        contest_walks.perform_logistically,
        contest_walks.perform_normally,
        quadrature.moments,
        ranking._count_above,
        ranking._divide_out,
        expectations._add,
        expectations._read,
        leading._count_near,
        leading._integrate,
        trueskill._rate,
        weng_lin._rate,
        codeforces._rate,
        codeforces._rate_as_site,
        topcoder._rate,
        yuksel.rate_duels,
    ):
        assert len(kernel.signatures) == 1


def fill_pools() -> None:
    """Pools small and large, with every term, overdue tickets and cancelled matches."""
    from podium import EloMMR, Matchmaker, Policy
    from podium.matchmaking.targets import WinRateTarget
    from podium.matchmaking.terms import Latency, NoRematch

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


def test_kernels_live_in_a_folder_named_after_their_source(tmp_path: Path) -> None:
    """A changed callee in another file cannot leave a stale kernel behind."""
    from podium.numerics.jit import cache_folder, source_hash

    assert cache_folder().name == f"kernels-{source_hash()}"
    code = "import podium.numerics.jit as j; print(j.source_hash())"
    copy = tmp_path / "podium"
    subprocess.run(["cp", "-r", str(PACKAGE), str(copy)], check=True)
    callee = copy / "numerics" / "event_sides.py"
    callee.write_text(callee.read_text() + "\n# changed\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert answer.stdout.strip() != source_hash()
