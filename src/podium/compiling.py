"""Compiling ahead: every kernel is run once, so that nobody waits for the compiler later."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from podium.systems import RatingSystem, System, list_systems, system_meant

MATCHING = "matchmaking"
"""What is compiled for pairing players, as it is called beside the systems."""
EVALUATION = "evaluation"
"""And what for evaluating and smoothing."""


def warmup(*systems: System) -> dict[str, float]:
    """Compile what these systems need now; by default everything podium has. Returns seconds by name.

    "matchmaking" is what a `Matchmaker` needs, and "evaluation" what `evaluate` and `smooth` need beside the
    systems. What is compiled is kept on disk, for every process of this machine.

    >>> list(warmup("elo"))
    ['elo']
    """
    seconds = {}
    for name, compile_now in _chosen(systems).items():
        start = time.perf_counter()
        compile_now()
        seconds[name] = time.perf_counter() - start
    return seconds


def names_to_compile(*systems: System) -> list[str]:
    """What `warmup` would compile, by name and in order; refused where there is nothing of a name."""
    return list(_chosen(systems))


def _chosen(systems: tuple[System, ...]) -> dict[str, Callable[[], None]]:
    others = {MATCHING: _pair, EVALUATION: _judge}
    chosen: dict[str, Callable[[], None]] = {}
    for given in systems or (*list_systems(), *others):
        if isinstance(given, str) and given in others:
            chosen[given] = others[given]
        else:
            system = system_meant(given)
            chosen[system.name] = partial(_use, system)
    return chosen


def _pair() -> None:
    """Run the kernels of the pool once: for people who just came, and for people who waited too long."""
    from podium.matchmaking.graphs.matching import EFFORTS
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.systems.elo import Elo

    ratings = [1500.0 + 2.0 * number for number in range(400)]
    for mode in ("1v1", "2v2", "ffa:3", "8v8: lead, 7 follow"):
        for effort in EFFORTS if mode == "1v1" else [None]:
            maker = Matchmaker(Elo(), mode, effort=effort)
            maker.join_many([f"new {number}" for number in range(400)], mu=ratings, time=0.0)
            maker.start(maker.tick(1.0))
            maker.join_many([f"late {number}" for number in range(400)], mu=ratings, time=1.0)
            maker.start(maker.tick(200.0))


def _judge() -> None:
    """Run every kernel of backtests and of smoothing once; those of a few systems are needed for that."""
    from podium.evaluation.backtest import evaluate
    from podium.evaluation.smoothing.smoothing import smooth
    from podium.history import History
    from podium.systems.elo_mmr.elo_mmr import EloMMR
    from podium.systems.elo_mmr.elo_mmx import EloMMX
    from podium.systems.trueskill.trueskill import TrueSkill

    places = [{"a": 1, "b": 2, "c": 3}, {"a": 2, "b": 1, "c": 3}]
    history = History.from_events([{"ranks": ranks} for ranks in places])
    evaluate(history, [TrueSkill(), EloMMX(), EloMMR()], scopes=["everyone", "top:2"], resamples=2)
    for system, rounds in ((TrueSkill(), 1), (EloMMX(), 2), (EloMMR(), 2)):
        smooth(history, system, rounds=rounds)


def _use(system: RatingSystem) -> None:
    """Run every kernel of a system once."""
    from podium.ladder.ladder import Ladder

    ladder = Ladder(system)
    ladder.record_match("a", "b")
    ladder.rating("a")
    ladder.expected_score("a", "b")
    ladder.rank_probabilities(["a", "b", "c"])
    ladder.expected_ranks(["a", "b", "c"])
    ladder.top_chances(["a", "b", "c"], 1)
    if system.supports.many:
        ladder.record(ranks={"a": 1, "b": 2, "c": 3})
    ladder.explain("a")
