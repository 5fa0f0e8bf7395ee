"""Simulated seasons: results a second beside the naive twins, and what writing them takes.

    python benchmarks/simulating.py [drawing] [twins] [writing] [--quick]

*drawing*: a million rows of each kind of season, not written. *twins*: the same seasons by the loops of
tests/naive/simulating.py, both in this process. *writing*: a million and ten million rows to files, each in a
process of its own; memory is its peak, Python and Polars included. One thread; `--quick` does a tenth of it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from typing import TYPE_CHECKING

from common import (
    REPOSITORY,
    best_of,
    print_machine,
    print_table,
    run_fresh,
    temporary_folder,
    use_one_thread,
)

use_one_thread()

if TYPE_CHECKING:
    from podium.simulation import Simulation

FORMATS = ("parquet", "csv", "csv.zst", "ndjson")


def seasons(rows: int) -> dict[str, Simulation]:
    """Seasons of about so many rows."""
    from podium.simulation import Contests, Matches, People, Simulation, Teams

    ten, lively = People(drift=5.0), People(growth=150, churn=0.01, activity=1.5)
    return {
        "contests of 2,500, as in the paper": Simulation(People(), Contests(contests=rows // 2_500)),
        "contests of 2,500, lively people": Simulation(lively, Contests(contests=rows // 2_500)),
        "races of 10, 500 at once": Simulation(
            ten,
            Contests(contests=rows // 10, participants=10, at_once=500, performances="gumbel"),
        ),
        "contests of 10, one after another": Simulation(
            People(players=1_000), Contests(contests=rows // 10, participants=10)
        ),
        "matches": Simulation(ten, Matches(matches=rows // 2)),
        "matches, near, draws, home, β 0.8": Simulation(
            ten,
            Matches(matches=rows // 2, pairing="near", draw_rate=0.3, home_advantage=60, beta=0.8),
        ),
        "teams of 5": Simulation(ten, Teams(matches=rows // 10)),
        "teams of 5, balanced": Simulation(ten, Teams(matches=rows // 10, lineups="balanced")),
    }


def draw(simulation: Simulation) -> None:
    """Make all of it, keeping nothing."""
    for _ in simulation.pieces():
        pass


def drawing(rows: int) -> None:
    """Without writing."""
    table = []
    for name, simulation in seasons(rows).items():
        seconds = best_of(2, lambda simulation=simulation: draw(simulation)).cpu
        table.append((name, f"{seconds:.2f}", f"{rows / seconds / 1e6:.1f}"))
    print_table(f"{rows:,} rows", ["season", ">s", ">M rows/s"], table)


def twins(rows: int) -> None:
    """Beside loops over people and matches in plain Python."""
    from podium.simulation import Contests, Matches, People, Simulation

    sys.path.insert(0, str(REPOSITORY / "tests"))
    naive = importlib.import_module("naive.simulating")
    few = rows // 20
    contests = Simulation(People(players=1_000), Contests(contests=few // 100, participants=100))
    options = {"beta": 0.8, "draw_rate": 0.0, "home_advantage": 0.0}
    matches = Simulation(People(players=1_000), Matches(matches=few // 2, turnout=1.0, **options))
    table = []
    for name, mine, twin in (
        ("contests of 100", contests, lambda: naive.contests(1_000, few // 100, 100, 35.0, 0)),
        (
            "matches",
            matches,
            lambda: naive.matches(1_000, few // 2, 500, drift=35.0, seed=0, **options),
        ),
    ):
        fast, slow = best_of(3, lambda mine=mine: draw(mine)).cpu, best_of(1, twin).cpu
        table.append((name, f"{few / fast / 1e6:.2f}", f"{few / slow / 1e6:.3f}", f"{slow / fast:.0f}×"))
    print_table("Beside the naive twins", ["season", ">M rows/s", ">twin", ">ratio"], table)


def write(name: str, rows: int, path: str) -> None:
    """In this process, saying how long it took."""
    import polars  # noqa: F401

    simulation = seasons(rows)[name]
    start = time.perf_counter()
    simulation.write(path)
    print(json.dumps({"seconds": time.perf_counter() - start}))


def writing(rows: int) -> None:
    """To files, in processes of their own."""
    table = []
    for size in (rows, 10 * rows):
        for name in ("contests of 2,500, as in the paper", "matches", "teams of 5"):
            for kind in FORMATS if size == rows else FORMATS[:2]:
                with temporary_folder() as folder:
                    path = folder / f"season.{kind}"
                    done = run_fresh(
                        [sys.executable, __file__, "--write", name, "--rows", str(size), "--to", str(path)]
                    )
                    table.append(
                        (
                            name,
                            f"{size:,}",
                            kind,
                            f"{done.answer['seconds']:.1f}",
                            f"{done.peak_mb:.0f}",
                            f"{path.stat().st_size / 1e6:.0f}",
                        )
                    )
    print_table("Written to files", ["season", ">rows", "format", ">s", ">peak MB", ">file MB"], table)


PARTS = {part.__name__: part for part in (drawing, twins, writing)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; none means all")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--rows", type=int, default=1_000_000, help=argparse.SUPPRESS)
    parser.add_argument("--write", help=argparse.SUPPRESS)
    parser.add_argument("--to", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write(given.write, given.rows, given.to)
        return
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"there is no {' or '.join(sorted(unknown))}")
    print_machine()
    for part in given.parts or PARTS:
        PARTS[part](given.rows // 10 if given.quick else given.rows)


if __name__ == "__main__":
    main()
