"""Arenas: fits of votes with errors and rank sets, the bootstrap, covariates, and a page from a cold start.

    python benchmarks/arena.py [--peers .venv-peers/bin/python]

The world: models with normal strengths of 100 points, 20% ties. One thread, except for the bootstrap.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from common import (
    HERE,
    ONE_THREAD,
    Timing,
    best_of,
    console,
    print_machine,
    print_table,
    run_fresh,
    temporary_folder,
    use_one_thread,
    verdict,
)

use_one_thread()

import numpy as np  # noqa: E402

POINTS = 400.0 / np.log(10.0)
TIE = 0.51
"""Davidson's parameter: a fifth of the votes between equals and near equals are ties."""


def drawn(votes: int, models: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The models of each vote, and its outcome: 0 if the first won, 1 for a tie, 2 if the second won."""
    rng = np.random.default_rng(1)
    theta = rng.normal(0.0, 100.0 / POINTS, models)
    a = rng.integers(0, models, votes)
    b = (a + rng.integers(1, models, votes)) % models
    win, loss = np.exp((theta[a] - theta[b]) / 2), np.exp((theta[b] - theta[a]) / 2)
    u = rng.random(votes) * (win + loss + TIE)
    return a, b, np.where(u < win, 0, np.where(u < win + TIE, 1, 2))


def fits(votes: int, models: int, covariates: int = 0, *, ranks: bool = False) -> Timing:
    """A fit with its covariance and intervals, and if asked its rank sets."""
    import podium
    from podium.fitting.votes import Votes

    a, b, outcome = drawn(votes, models)
    columns = np.random.default_rng(2).normal(size=(votes, covariates)) if covariates else None
    given = Votes(
        tuple(f"model {i}" for i in range(models)),
        a.astype(np.int32),
        b.astype(np.int32),
        outcome.astype(np.int32),
        None,
        columns,
        tuple(f"x{i}" for i in range(covariates)),
    )
    if ranks:
        return best_of(5, lambda: podium.fit(given).strengths)
    return best_of(5, lambda: np.diagonal(podium.fit(given).points_covariance))


def bootstraps(votes: int, models: int, replicates: int) -> Timing:
    """Fits to resampled votes, on all cores; the processor time is this process's alone."""
    import podium
    from podium.fitting.votes import Votes

    a, b, outcome = drawn(votes, models)
    names = tuple(f"model {i}" for i in range(models))
    fit = podium.fit(Votes(names, a.astype(np.int32), b.astype(np.int32), outcome.astype(np.int32)))
    return best_of(1, lambda: fit.bootstrap(replicates))


def page(folder: Path, votes: int, models: int) -> Timing:
    """`podium arena votes.csv --report board.html` in a fresh process."""
    path = folder / "votes.csv"
    rows = zip(*(column.tolist() for column in drawn(votes, models)), strict=True)
    words = ("model_a", "tie", "model_b")
    lines = [f"model {a},model {b},{words[outcome]}" for a, b, outcome in rows]
    path.write_text("\n".join(["model_a,model_b,winner", *lines, ""]))
    command = [sys.executable, "-m", "podium", "arena", path, "--report", folder / "board.html"]
    runs = [run_fresh(command) for _ in range(3)]
    fastest = min(runs, key=lambda run: run.wall)
    return Timing(fastest.wall, fastest.cpu)


def peer(python: Path, folder: Path, votes: int, models: int) -> float:
    """Seconds of evalica's Bradley–Terry fit, which has no errors, intervals or model of ties."""
    a, b, outcome = drawn(votes, models)
    columns = {"a": a, "b": b, "score": 1.0 - outcome / 2.0, "day": np.zeros(votes, int), "n_players": models}
    for name, column in columns.items():
        np.save(folder / f"{name}.npy", column)
    command = [python, HERE / "peer_pairwise.py", folder, "evalica-bradley-terry", "--repeat", "3"]
    return float(run_fresh(command, ONE_THREAD).answer["cpu"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path, help="the interpreter of an environment with evalica")
    given = parser.parse_args()
    print_machine(("podium", "numpy", "polars"))
    small, large = (100_000, 60), (2_000_000, 200)
    rows = []

    def add(what: str, timing: Timing, level: float) -> None:
        met = verdict(timing.wall < level)
        shown = (f"{level:g}", met) if level < math.inf else ("", "")
        rows.append((what, f"{timing.wall:.3f}", f"{timing.cpu:.3f}", *shown))

    with temporary_folder() as folder:
        add("100,000 votes of 60: fit and errors", fits(*small), 0.02)
        add("the same with rank sets", fits(*small, ranks=True), math.inf)
        add("100,000 votes of 60, ten covariates", fits(*small, covariates=10), 1.0)
        add("2 M votes of 200: fit and errors", fits(*large), 0.2)
        add("the same with rank sets", fits(*large, ranks=True), math.inf)
        add("2 M votes of 200: 1,000 bootstraps", bootstraps(*large, 1_000), 10.0)
        add("100,000 votes of 60: CSV to page, cold", page(folder, *small), 3.0)
        print_table("Arenas", ("", ">seconds", ">CPU seconds", ">level", "met"), rows)
        if given.peers:
            theirs = peer(given.peers, folder, *large)
            console.print(
                f"evalica fits 2 M votes of 200 in {theirs:.2f} s: {theirs / float(rows[3][2]):.1f}×"
            )


if __name__ == "__main__":
    main()
