"""Predictions of free-for-alls: every place's chances, expected places, chances to be among the first k.

    python benchmarks/ranking.py [--quick]

A field of Gumbel performances (Elo's) and one of logistic performances with unlike scales (Elo-MMR's), on all
threads. Beside them what one writes with NumPy: races drawn at random, until the standard error of a chance
of one half is 0.001 (podium's error is below 1e-10); and for expected places the sum over all pairs, which
has a closed form if all scales are equal.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import best_of, console, print_machine, print_table

from podium.numerics.free_for_all.mean_places import expected_ranks
from podium.numerics.free_for_all.place_chances import rank_probabilities
from podium.numerics.free_for_all.top_chances import top_chances

ERROR = 1e-3
RACES = round(0.25 / ERROR**2)
DRAWN = 4_000_000
"""Performances drawn to time a simulation; the rest is extrapolated."""
PAIRS = 4_000
"""Players whose pairs NumPy goes through; more is extrapolated by the square."""


def make_field(family: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratings that spread by twice the performances of a day."""
    chance = np.random.default_rng(n)
    scale = np.ones(n) if family == "gumbel" else np.exp(chance.normal(0, 0.3, n))
    return chance.normal(0, 2, n), scale


def simulate(location: np.ndarray, races: int) -> np.ndarray:
    """How often everybody came in where."""
    noise = np.random.default_rng(1).gumbel(size=(races, len(location)))
    return (-(location + noise)).argsort(axis=1)


def all_pairs(location: np.ndarray) -> np.ndarray:
    """Expected places of Gumbel performances of scale 1."""
    return 0.5 + (1.0 / (1.0 + np.exp(location[:, None] - location[None, :]))).sum(axis=1)


def measure(family: str, n: int, repeats: int) -> list[tuple[str, ...]]:
    """Rows of the table for one field."""
    location, scale = make_field(family, n)
    calls = {"expected places": lambda: expected_ranks(family, location, scale)}
    for k in sorted({1, 10 if n < 1_000 else 100, n // 10}):
        calls[f"first {k:,}"] = lambda k=k: top_chances(family, location, scale, k)
    if n <= 2_000:
        calls = {"every place": lambda: rank_probabilities(family, location, scale), **calls}
    drawn = max(DRAWN // n, 1)
    races = best_of(1, lambda: simulate(location, drawn)).wall * RACES / drawn
    few = min(n, PAIRS)
    pairs = best_of(1, lambda: all_pairs(location[:few])).wall * (n / few) ** 2
    rows = []
    for name, call in calls.items():
        call()
        wall = best_of(repeats, call).wall
        exact = f"{pairs / wall:,.0f}×" if name == "expected places" and family == "gumbel" else ""
        rows.append((f"{n:,}", family, name, f"{wall:.3f}", f"{races:,.1f}", f"{races / wall:,.0f}×", exact))
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="up to 10,000 players")
    parser.add_argument("--repeat", type=int, default=3, help="the fastest of so many calls counts")
    arguments = parser.parse_args()
    print_machine(("podium", "numpy", "numba"))
    sizes = (100, 2_000, 10_000) if arguments.quick else (100, 2_000, 10_000, 100_000, 1_000_000)
    rows = [
        row
        for n in sizes
        for family in ("gumbel", "logistic")
        for row in measure(family, n, arguments.repeat)
    ]
    print_table(
        f"Free-for-alls; races are drawn to a standard error of {ERROR:g}",
        ["players", "performances", "what", ">seconds", ">races, s", ">ratio", ">all pairs"],
        rows,
    )
    console.print(f"Races beyond {DRAWN:,} performances and pairs of more than {PAIRS:,} are extrapolated.")


if __name__ == "__main__":
    main()
