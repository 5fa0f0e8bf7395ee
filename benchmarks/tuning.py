"""Tuning on real contests: how long it takes, and what a second process is worth.

    python benchmarks/tuning.py ../shared/data/atcoder_2016_2023.results.parquet          # two hundred trials
    python benchmarks/tuning.py ../shared/data/atcoder_2016_2023.results.parquet scaling  # one process, two

*trials* tunes elo-mmr on the first fifth of the contests and judges it on the rest. *scaling* makes the same
trials with one process and with more, and says what sharing a history costs. *ladders* rates a table of many
ladders with one process and with more.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from common import console, print_machine, print_table, temporary_folder, verdict

import podium
from podium.cluster.processes import cores
from podium.cluster.shared_histories import shared

MINUTES = 5.0
"""What two hundred trials on the first fifth may take on two cores."""


def trials(history: podium.History, count: int) -> None:
    """The level: trials on the first fifth."""
    start = time.perf_counter()
    tuning = podium.tune(history, "elo-mmr", metric="rank-deviation", trials=count, split=0.2)
    minutes = (time.perf_counter() - start) / 60
    each = tuning.trials["seconds"]
    print_table(
        f"{count} trials of elo-mmr on the first fifth, {cores()} cores",
        ["", ">", ""],
        [
            ["minutes", f"{minutes:.2f}", f"within {MINUTES:g}: {verdict(minutes <= MINUTES)}"],
            ["seconds a trial, median", f"{each.median():.2f}", f"{each.min():.2f} to {each.max():.2f}"],
            ["defaults, fitted part", f"{tuning.fitted.defaults:.3f}", "rank deviation, everyone"],
            ["best, fitted part", f"{tuning.fitted.best:.3f}", ""],
        ],
    )
    console.print(str(tuning))
    console.print(dict(tuning.parameters))


def scaling(history: podium.History, count: int, processes: list[int]) -> None:
    """The same trials by one process and by more."""
    part = history[: len(history) // 2]
    rows = []
    alone = 0.0
    for jobs in processes:
        seconds = _timed(
            lambda jobs=jobs: podium.tune(
                part, "elo-mmr", metric="rank-deviation", trials=count, split=1.0, jobs=jobs
            )
        )
        alone = alone or seconds
        rows.append([str(jobs), f"{seconds:.1f}", f"{alone / seconds:.2f}"])
    print_table(f"{count} trials, {part.rows:,} rows", [">processes", ">seconds", ">times as fast"], rows)
    with shared(history) as handle:
        size = os.path.getsize(handle.path) / 2**20
        seconds = min(_timed(lambda: shared(history).__enter__()) for _ in range(3))
    console.print(
        f"sharing {history.rows:,} rows: {size:.0f} MB written once in {seconds:.2f} s, then mapped"
    )


def ladders(count: int, processes: list[int]) -> None:
    """A table of many ladders of different sizes."""
    chance = np.random.default_rng(0)
    rows = 1_000_000
    which = (chance.pareto(1.0, rows) * 3).astype(np.int64) % count
    a = chance.integers(0, 2_000, rows)
    b = (a + chance.integers(1, 2_000, rows)) % 2_000
    frame = pl.DataFrame(
        {"ladder": which, "player_a": a, "player_b": b, "score_a": chance.integers(0, 2, rows)}
    )
    with temporary_folder() as folder:
        frame.write_parquet(folder / "ladders.parquet")
        found = []
        for jobs in processes:
            seconds = _timed(
                lambda jobs=jobs: podium.rate_ladders(folder / "ladders.parquet", system="glicko2", jobs=jobs)
            )
            found.append([str(jobs), f"{seconds:.1f}"])
    print_table(f"{rows:,} matches of {count:,} ladders, glicko2", [">processes", ">seconds"], found)


def _timed(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="a file of contests")
    parser.add_argument("part", nargs="*", default=["trials"], help="trials, scaling, ladders")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    arguments = parser.parse_args()
    print_machine(("podium", "numpy", "numba", "polars", "optuna"))
    if {"trials", "scaling"} & set(arguments.part):
        history = podium.read_history(arguments.file)
        podium.rate(history[:20])  # compiled before the clock runs
    if "trials" in arguments.part:
        trials(history, arguments.trials)
    if "scaling" in arguments.part:
        scaling(history, min(arguments.trials, 32), arguments.jobs)
    if "ladders" in arguments.part:
        ladders(1_000, arguments.jobs)


if __name__ == "__main__":
    main()
