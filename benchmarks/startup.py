"""How long podium takes to be there: importing, the command line, the first call of each system.

    python benchmarks/startup.py

Everything happens in fresh processes. *Cold* is with an empty cache of compiled kernels, as after
installation; *warm* is with what the cold process left there.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from common import Process, below, console, print_machine, print_table, run_fresh, temporary_folder
from small_work import measure_small_commands, measure_small_work

IMPORT_LEVEL, HELP_LEVEL, COLD_LEVEL, WARM_LEVEL = 0.3, 0.35, 5.0, 0.5
COLD_REPEATS = 2
"""A cold start takes seconds; the fastest of two will do."""

LIST_SYSTEMS = "import json, podium; print(json.dumps(sorted(podium.list_systems())))"

TIME_IMPORT = """
import json, time
start = time.perf_counter()
import podium
print(json.dumps({"seconds": time.perf_counter() - start}))
"""

FIRST_CALLS = """
import json, sys, time

marks = [time.perf_counter()]
def mark():
    marks.append(time.perf_counter())

import podium
system = podium.make_system(sys.argv[1])
history = podium.History.from_matches(["ann", "bob"], ["bob", "cat"])
mark()  # the compiler and the table library are loaded
run = podium.rate(history, system)
mark()
ladder = run.ladder
ladder.record_match("ann", "cat")
mark()
ladder.expected_score("ann", "bob")
mark()
names = ["load", "rate", "record", "predict"]
print(json.dumps({name: after - before for name, before, after in zip(names, marks, marks[1:])}))
"""


def fastest(repeats: int, command: list[str], environment: dict[str, str] | None = None) -> Process:
    """The fastest of several fresh processes."""
    return min(
        (run_fresh(command, environment or {}) for _ in range(repeats)), key=lambda process: process.wall
    )


def measure_imports(repeats: int) -> None:
    """Import and command line, beside an interpreter that does nothing."""
    python = sys.executable
    command_line = str(Path(python).with_name("podium"))
    nothing = fastest(repeats, [python, "-c", "pass"]).wall
    imported = min(run_fresh([python, "-c", TIME_IMPORT]).answer["seconds"] for _ in range(repeats))
    rows = [
        ("python -c pass, process", f"{nothing:.3f}", "", ""),
        ("import podium", f"{imported:.3f}", f"< {IMPORT_LEVEL}", below(IMPORT_LEVEL, {"": imported})),
    ]
    for option, level in (("--help", HELP_LEVEL), ("--version", HELP_LEVEL)):
        wall = fastest(repeats, [command_line, option]).wall
        rows.append((f"podium {option}, process", f"{wall:.3f}", f"< {level}", below(level, {"": wall})))
    print_table("Import and command line", ["what", ">seconds", ">level", "met"], rows)


def measure_first_calls(repeats: int) -> None:
    """The first `rate`, `record_match` and `expected_score` of a process, cold and warm."""
    python = sys.executable
    rows = []
    for name in run_fresh([python, "-c", LIST_SYSTEMS]).answer:
        command = [python, "-c", FIRST_CALLS, name]
        cold, warm = [], []
        for _ in range(COLD_REPEATS):
            with temporary_folder() as cache:
                environment = {"NUMBA_CACHE_DIR": os.fspath(cache)}
                cold.append(run_fresh(command, environment))
                warm += [run_fresh(command, environment) for _ in range(repeats)]
        for kind, processes, level in (("cold", cold, COLD_LEVEL), ("warm", warm, WARM_LEVEL)):
            process = min(processes, key=lambda p: p.answer["rate"])
            calls = process.answer
            seconds = [f"{calls[step]:.3f}" for step in ("load", "rate", "record", "predict")]
            met = below(level, {"": calls["rate"]})
            rows.append((name, kind, *seconds, f"{process.wall:.3f}", f"< {level}", met))
    print_table(
        "First calls in a fresh process: the level is for the first compiled call, rate",
        ["system", "cache", ">load", ">rate", ">record", ">predict", ">process", ">level", "met"],
        rows,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=7, help="the fastest of so many processes counts")
    arguments = parser.parse_args()
    print_machine()
    measure_imports(arguments.repeat)
    measure_first_calls(arguments.repeat)
    measure_small_commands()
    measure_small_work()
    console.print("load: import podium, the compiler and the table library. Seconds, the fastest of several.")


if __name__ == "__main__":
    main()
