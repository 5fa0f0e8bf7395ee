"""Rounds of tournaments: how long pairing and chances take, against what people may wait for.

    python benchmarks/tournaments.py

Runs with one thread. `--quick` makes everything small. Kernels are compiled before anything is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from common import Timing, console, print_machine, print_table, use_one_thread, verdict

use_one_thread()

import time  # noqa: E402

import numpy as np  # noqa: E402

import podium  # noqa: E402


def entered(form: str, entrants: int, rounds: int = 0, clubs: int = 0) -> podium.Tournament:
    """A tournament after some rounds whose results chance has decided; entrants may have clubs."""
    chance, tournament = np.random.default_rng(1), podium.Tournament(form)
    for number, rating in enumerate(chance.normal(1500, 200, entrants)):
        club = f"club {chance.integers(clubs)}" if clubs else None
        tournament.join(f"player {number}", float(rating), club=club)
    for _ in range(rounds):
        for game in tournament.pair().games:
            tournament.result(game.number, [[1, 0], [0, 1], [1, 1]][int(chance.integers(3))])
    return tournament


def timed(work: Callable[[], object]) -> Timing:
    """How long something takes once."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Timing(time.perf_counter() - wall, time.process_time() - cpu)


def main() -> None:
    """Measure everything, and print it beside its level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    small = 20 if parser.parse_args().quick else 1
    entered("swiss:3", 20, 1).pair()
    entered("evening:2v2", 20).pair()
    swiss, evening = entered("swiss:11", 2_000 // small, 4), entered("evening:2v2", 200 // small, 3)
    knockout, simulated = entered("knockout", 64), entered("swiss:11", 60)
    groups = entered(f"groups:{64 // small}x2", 4_096 // small, clubs=64)
    bracket = entered("knockout", 1_024 // small, clubs=60)
    simulations = 1_000 // small
    measured = [
        (f"Swiss, round 5 of {2_000 // small:,}", timed(swiss.pair), 1.0),
        (f"doubles, round 4 of an evening of {200 // small}", timed(evening.pair), 0.3),
        (f"groups of {4_096 // small:,} from 64 clubs, round 1", timed(groups.pair), 1.0),
        (f"bracket of {1_024 // small:,} from 60 clubs, round 1", timed(bracket.pair), 1.0),
        ("chances of a knockout of 64, exact", timed(knockout.chances), 1.0),
        (
            f"chances of 11 Swiss rounds of 60, {simulations:,} simulations",
            timed(lambda: simulated.chances(simulations=simulations)),
            60.0,
        ),
    ]
    print_machine()
    rows = [
        [name, f"{took.wall:.3g}", f"{took.cpu:.3g}", f"{level:g}", verdict(took.wall < level)]
        for name, took, level in measured
    ]
    print_table("Tournaments", ["what", ">seconds", ">of processor", ">level", ""], rows)
    console.print()


if __name__ == "__main__":
    main()
