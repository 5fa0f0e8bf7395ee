"""What small work costs with and without the compiler: the costs that systems, presets and commands declare.

    python benchmarks/small_work.py [NAME ...]

Each kind of work runs in two fresh processes: one that compiles into an empty folder, and one without the
compiler. *compiling* is the CPU time that the first tiny task takes more than the second. *a row* is the CPU
time of a row without the compiler, in matches of two or in contests of fifty, whichever is slower.
"""

from __future__ import annotations

import argparse
import os
import sys

from common import print_machine, print_table, run_fresh, temporary_folder

LIST_SYSTEMS = """
import json, podium
from podium.presets import PRESETS

print(json.dumps([*podium.list_systems(), *PRESETS]))
"""
ROWS = 2_000
MOST_EXACT = 500
"""Players of whom the best pairs are found exactly, which takes longest."""
WORK = """
import json, random, sys, time
import podium
from podium.errors import UnsupportedError

what, name, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
draw = random.Random(1)

def matches(count):
    pairs = [draw.sample(range(max(4, count // 10)), 2) for _ in range(count // 2)]
    return podium.History.from_matches(*([f"player {one}" for one in side] for side in zip(*pairs)))

def contests(count, size=50):
    fields = (draw.sample(range(2 * size), size) for _ in range(count // size))
    return podium.History.from_events(
        [{"ranks": {f"player {one}": place for place, one in enumerate(field, 1)}} for field in fields]
    )

def contest(count):
    return contests(count, count)

def rate(history):
    podium.rate(history, name, trace=True).leaderboard(top=20)

def evaluate(history):
    podium.evaluate(history, [name])

def changes(history):
    podium.changes(history, name)

def match(players):
    maker = podium.Matchmaker("elo", name, podium.Policy(tolerance=10.0), effort="exact")
    maker.join_many([f"player {one}" for one in range(len(players))], mu=players, time=0.0)
    maker.tick(0.0)

def waiting(count):
    return [draw.gauss(1500.0, 300.0) for _ in range(count)]

def seconds(history):
    start = time.process_time()
    do(history)
    return time.process_time() - start

do = globals()[what]
shapes = {"match": [waiting], "changes": [contest]}.get(what, [matches, contests])
compiling, row = 0.0, 0.0
for shape in shapes:
    few, many = shape(64), shape(rows)
    try:
        compiling += max(seconds(few) - seconds(few), 0.0)
        row = max(row, seconds(many) / rows)
    except UnsupportedError:
        pass
print(json.dumps({"compiling": compiling, "row": 1000.0 * row}))
"""


def measure_small_work(names: list[str] | None = None) -> None:
    """Print what compiling costs, and what a row costs without the compiler, for every kind of work."""
    found = run_fresh([sys.executable, "-c", LIST_SYSTEMS]).answer
    kinds = [("rate", name) for name in found]
    kinds += [("evaluate", "elo"), ("changes", "elo"), ("match", "1v1"), ("match", "2v2"), ("match", "ffa:8")]
    rows = []
    for what, name in kinds:
        if names and what not in names and name not in names:
            continue
        command = [sys.executable, "-W", "ignore", "-c", WORK, what, name]
        with temporary_folder() as cache:
            compiled = run_fresh([*command, "64"], {"NUMBA_CACHE_DIR": os.fspath(cache)}).answer
        many = MOST_EXACT if what == "match" else ROWS
        plain = run_fresh([*command, str(many)], {"NUMBA_DISABLE_JIT": "1"}).answer
        even = 1000.0 * compiled["compiling"] / plain["row"]
        rows.append((what, name, f"{compiled['compiling']:.1f}", f"{plain['row']:.3f}", f"{even:,.0f}"))
    print_table(
        "Small work: CPU time of compiling, and of a row without the compiler",
        ["command", "system", ">compiling, s", ">a row, ms", ">rows that take as long"],
        rows,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="commands or systems to measure; by default all")
    arguments = parser.parse_args()
    print_machine()
    measure_small_work(arguments.names)


if __name__ == "__main__":
    main()
