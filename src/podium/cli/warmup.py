"""`podium warmup`: compile everything ahead, so that nobody waits later."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.progress import progress

if TYPE_CHECKING:
    from podium.systems import RatingSystem


MATCHING = "matchmaking"
"""What is compiled for pairing players, as it is called beside the systems."""
EVALUATION = "evaluation"
"""And what for evaluating and smoothing."""


def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help=f"Compile only this: a rating system, {MATCHING} (for podium match) or {EVALUATION} (for "
            "podium evaluate and smooth). Default: everything.",
        ),
    ] = None,
) -> None:
    """Compile everything now, so that nobody waits for it later."""
    from podium.numerics.kernel_files import cache_folder
    from podium.systems import find_system, list_systems

    others = {MATCHING: _pair, EVALUATION: _judge}
    found = {name if name in others else find_system(name).name for name in names or []}
    for name in [*list_systems(), *others]:
        if names and name not in found:
            continue
        start = time.perf_counter()
        with progress(f"compiling {name}", by_rows=False):
            others[name]() if name in others else _use(find_system(name))
        typer.echo(f"{name}: {time.perf_counter() - start:.1f} s")
    typer.echo(f"kept in {cache_folder()}")


def _pair() -> None:
    """Run the kernels of the pool once: for people who just came, and for people who waited too long."""
    from podium.matchmaking.graphs.matching import EFFORTS
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.systems.elo import Elo

    ratings = [1500.0 + 2.0 * number for number in range(400)]
    for mode in ("1v1", "2v2", "ffa:3"):
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


def _use(cls: type[RatingSystem]) -> None:
    """Run every kernel of a system once."""
    from podium.ladder.ladder import Ladder

    ladder = Ladder(cls())
    ladder.record_match("a", "b")
    ladder.rating("a")
    ladder.expected_score("a", "b")
    ladder.rank_probabilities(["a", "b", "c"])
    ladder.expected_ranks(["a", "b", "c"])
    ladder.top_chances(["a", "b", "c"], 1)
    if cls.supports.many:
        ladder.record(ranks={"a": 1, "b": 2, "c": 3})
    ladder.explain("a")
