"""elo-mmr-py on the contests of a folder: runs in the peers' environment and prints one line of JSON.

    .venv-peers/bin/python benchmarks/peer_contests.py FOLDER mmr-fast --earlier 20

FOLDER holds offsets.npy (where each contest begins), player.npy (indices), rank.npy (1 is best, equal ranks
are ties), day.npy (of each contest) and n_players.npy. The final ratings and deviations are written to
FOLDER/<system>.npy, so that the caller can see whether they are podium's.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from elo_mmr_py import Contest, EloMmrConfig, PlayerRating, Rater, __version__, rate_latest

NEWCOMER = {"mu_noob": 1500.0, "sig_noob": 350.0}
DAY = 86_400
COMPARED = ("cfsys", "tcsys")
"""The systems that the Elo-MMR paper compares with."""


def configured(system: str) -> EloMmrConfig | str:
    """The system with podium's defaults, all written out; its logistic systems have ρ = 1.

    Codeforces and Topcoder are called by their names: the package has no parameters for them.
    """
    if system in COMPARED:
        return system
    return EloMmrConfig(
        system, weight_limit=0.2, sig_limit=80.0, drift_per_day=0.0, noob_delay=[], split_ties=False
    )


def load_contests(folder: Path) -> list[Contest]:
    """The contests as the package takes them: best first, ranks from 0 and for ties from … to."""
    offsets, player, rank, day = (
        np.load(folder / f"{name}.npy") for name in ("offsets", "player", "rank", "day")
    )
    contests = []
    for number, (start, stop) in enumerate(pairwise(offsets)):
        order = np.argsort(rank[start:stop], kind="stable")
        players, low = player[start:stop][order], rank[start:stop][order] - 1
        high = np.searchsorted(low, low, "right") - 1
        standings = list(zip(map(str, players.tolist()), low.tolist(), high.tolist(), strict=True))
        contests.append(Contest(standings, f"contest {number}", int(day[number]) * DAY))
    return contests


def timed(function: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of a call, all threads together."""
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return wall, cpu


def main() -> None:
    """Time every contest after the earlier ones, or all contests at once."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("system", choices=["mmr", "mmr-fast", "mmx", "mmx-fast", *COMPARED])
    parser.add_argument("--earlier", type=int, help="time Rater.add for each contest after so many")
    parser.add_argument("--repeat", type=int, default=1, help="without --earlier: rate_latest so many times")
    arguments = parser.parse_args()
    config, contests = configured(arguments.system), load_contests(arguments.folder)

    ratings: Mapping[str, PlayerRating] = {}
    if arguments.earlier is None:

        def rate_all() -> None:
            nonlocal ratings
            ratings = rate_latest(contests, config, **NEWCOMER)

        timings = [timed(rate_all) for _ in range(arguments.repeat)]
    else:
        rater = Rater(config, **NEWCOMER)
        rater.extend(contests[: arguments.earlier])
        timings = [timed(lambda c=contest: rater.add(c)) for contest in contests[arguments.earlier :]]
        ratings = rater.ratings

    final = np.full((int(np.load(arguments.folder / "n_players.npy")), 2), np.nan)
    for name, rating in ratings.items():
        final[int(name)] = rating.mu, rating.sig
    np.save(arguments.folder / f"{arguments.system}.npy", final)
    wall, cpu = min(timings)
    print(json.dumps({"version": __version__, "wall": wall, "cpu": cpu}))


if __name__ == "__main__":
    main()
