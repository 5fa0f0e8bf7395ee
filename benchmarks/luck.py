"""Cowan's grid: every algorithm beside the naive twin, their accuracy, drift of mass, and memory.

    python benchmarks/luck.py

One thread, 1,001 points. `--quick` does it all at a twentieth of the size. The paper reports 170 matches a
second and core for the program that runs Duelyst II.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from dataclasses import dataclass
from typing import Any

from common import (
    REPOSITORY,
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

import podium  # noqa: E402

MATCHES, PLAYERS = 40_000, 500
MANY_MATCHES, MANY_PLAYERS = 1_000_000, 1_000
MEMORY_PLAYERS = 100_000
LEVEL, MASS_LEVEL, AGREEMENT_LEVEL, MEMORY_LEVEL = 20_000.0, 1e-12, 1e-12, 1024.0
PAPER = 170.0

FRESH = """
import json, resource, sys, time
import numpy as np
import podium

n = int(sys.argv[1])
rng = np.random.default_rng(1)
a = np.arange(n)
b = (a + rng.integers(1, n, n)) % n
history = podium.History.from_matches(a, b, rng.integers(0, 2, n).astype(float))
start = time.perf_counter()
run = podium.rate(history, podium.Luck(), trace=False)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "state": run.ladder.state["mass"].nbytes / 2**20}))
"""


@dataclass(frozen=True)
class Way:
    """A luck function and an algorithm for it."""

    luck: str
    algorithm: str
    share: int = 1
    """What part of the matches it gets."""
    options: tuple[tuple[str, Any], ...] = ()

    def system(self) -> podium.Luck:
        """With the defaults otherwise."""
        return podium.Luck(luck=self.luck, algorithm=self.algorithm, **dict(self.options))


WAYS = (
    Way("logistic", "panels"),
    Way("logistic", "fft", 10),
    Way("logistic", "naive", 40),
    Way("normal", "panels"),
    Way("heaviside", "auto", 4),
    Way("laplace", "laplace", 4),
    Way("laplace", "laplace", 4, (("growth_family", "laplace"),)),
    Way("laplace", "fft", 10),
    Way("fide", "fft", 10),
)
TWIN_MATCHES = 40


def some_matches(n_matches: int, n_players: int, seed: int = 1) -> podium.History:
    """Anybody meets anybody; one match in five is decided by a coin; one in twenty is drawn."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0.0, 0.7, n_players)
    a = rng.integers(0, n_players, n_matches)
    b = (a + rng.integers(1, n_players, n_matches)) % n_players
    expected = 0.1 + 0.8 / (1.0 + np.exp(skill[b] - skill[a]))
    score = (rng.random(n_matches) < expected).astype(np.float64)
    score[rng.random(n_matches) < 0.05] = 0.5
    return podium.History.from_matches(a, b, score)


def measure_speed(history: podium.History, repeats: int) -> tuple[list[tuple[str, ...]], float]:
    """Rows of the table, and the speed of the defaults."""
    rows = []
    speeds: dict[str, float] = {}
    for trace in (False, True):
        podium.rate(history[:50], podium.Luck(), trace=trace)
        timing = best_of(repeats, lambda t=trace: podium.rate(history, podium.Luck(), trace=t))
        name = "defaults, trace=True" if trace else "defaults"
        speeds[name] = len(history) / timing.cpu
    for way in WAYS:
        part = history[: max(len(history) // way.share, 100)]
        podium.rate(part[:50], way.system())
        timing = best_of(repeats, lambda w=way, p=part: podium.rate(p, w.system()))
        growth = "".join(f", {name}={value}" for name, value in way.options)
        speeds[f"{way.luck}, {way.algorithm}{growth}"] = len(part) / timing.cpu
    sys.path.insert(0, str(REPOSITORY / "tests"))
    twin, events = importlib.import_module("naive.luck"), importlib.import_module("naive.events")
    plain = [
        events.Event(sides=[list(s) for s in e.sides], ranks=list(e.ranks), share=e.share)
        for e in history[:TWIN_MATCHES]
    ]
    timing = best_of(1, lambda: twin.rate(plain))
    speeds["naive twin (dense NumPy)"] = TWIN_MATCHES / timing.cpu
    slowest = speeds["naive twin (dense NumPy)"]
    for name, speed in speeds.items():
        rows.append((name, f"{speed:,.0f}", f"{speed / slowest:,.1f}×", f"{speed / PAPER:,.1f}×"))
    return rows, speeds["defaults"]


def measure_agreement(history: podium.History) -> list[tuple[str, ...]]:
    """How far the masses of each way are from those of sums over all pairs."""
    judges: dict[Any, Any] = {}
    rows = []
    for way in WAYS:
        key = (way.luck, way.options)
        if key not in judges:
            naive = podium.Luck(luck=way.luck, algorithm="naive", **dict(way.options))
            judges[key] = podium.rate(history, naive).ladder.state.column("mass")
        found = podium.rate(history, way.system()).ladder.state.column("mass")
        error = float(np.abs(found - judges[key]).max())
        growth = "".join(f", {name}={value}" for name, value in way.options)
        rows.append(
            (f"{way.luck}, {way.algorithm}{growth}", f"{error:.1e}", verdict(error < AGREEMENT_LEVEL))
        )
    return rows


def measure_drift(n_matches: int, n_players: int) -> tuple[float, float]:
    """How far from one the masses of any player are after many matches, and matches a second."""
    history = some_matches(n_matches, n_players, seed=2)
    ladder = []
    timing = best_of(1, lambda: ladder.append(podium.rate(history, podium.Luck()).ladder))
    mass = ladder[0].state.column("mass")
    return float(np.abs(mass.sum(axis=1) - 1.0).max()), n_matches / timing.cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    size = 20 if arguments.quick else 1
    print_machine()
    history = some_matches(MATCHES // size, PLAYERS)
    rows, defaults = measure_speed(history, 1 if arguments.quick else 3)
    print_table(
        "Speed, 1,001 points, one thread, by CPU time",
        ["what", ">matches/s", ">beside the twin", ">beside the paper's 170"],
        rows,
    )
    print_table(
        "Masses after 400 matches, beside sums over all pairs",
        ["what", ">largest difference", f"below {AGREEMENT_LEVEL:g}"],
        measure_agreement(history[:400]),
    )
    drift, speed = measure_drift(MANY_MATCHES // size, MANY_PLAYERS)
    with temporary_folder() as folder:
        cache = {"NUMBA_CACHE_DIR": str(folder)}
        program = [sys.executable, "-c", FRESH]
        cold = run_fresh([*program, "2"], cache)
        warm = run_fresh([*program, str(MEMORY_PLAYERS // size)], cache)
    peak = warm.peak_mb / 1.048576
    print_table(
        "Levels",
        ["what", "level", ">reached", "met"],
        [
            (
                "matches/s with the defaults",
                f"≥ {LEVEL:,.0f}",
                f"{defaults:,.0f}",
                verdict(defaults >= LEVEL),
            ),
            (
                f"mass of every player after {MANY_MATCHES // size:,} matches ({speed:,.0f}/s)",
                f"1 ± {MASS_LEVEL:g}",
                f"1 ± {drift:.1e}",
                verdict(drift < MASS_LEVEL),
            ),
            (
                f"peak memory, {MEMORY_PLAYERS // size:,} players who all played",
                f"< {MEMORY_LEVEL:,.0f} MiB",
                f"{peak:,.0f} MiB, {warm.answer['state']:,.0f} of them masses",
                verdict(peak < MEMORY_LEVEL),
            ),
            ("first call with an empty cache of kernels", "–", f"{cold.answer['seconds']:.1f} s", ""),
        ],
    )
    console.print("The twin is tests/naive/luck.py; naive is the same sum compiled.")


if __name__ == "__main__":
    main()
