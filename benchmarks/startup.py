"""How long podium takes to be there: importing, the command line, compiling, the first call of each system.

    python benchmarks/startup.py                  # everything, in some minutes
    python benchmarks/startup.py rate warm        # some of the rows

Everything happens in fresh processes, and a row is printed as soon as it is measured. *Cold* is with an empty
cache of compiled kernels, as after installation; *warm* is with what a cold process left there.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import REPOSITORY, Process, console, print_machine, run_fresh, temporary_folder, verdict

PODIUM = [sys.executable, "-m", "podium"]
SMALL_ROWS = (4, 2_000)
"""Files between these sizes are what people try podium with first."""
EVALUATED_ROWS = 500

LIST_SYSTEMS = "import json, podium; print(json.dumps(list(podium.list_systems())))"

FIRST_CALLS = """
import json, sys, time

marks = [time.process_time()]
def mark():
    marks.append(time.process_time())

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


@dataclass(frozen=True)
class Row:
    """What was measured, and the seconds of the whole process below which it should stay."""

    what: str
    process: Process
    level: float | None = None
    by_wall: bool = False
    """Whether the level is one of wall time, as for work on several cores; else it is one of CPU time."""
    note: str = ""


def fastest(repeats: int, command: list[str], environment: Mapping[str, str] = {}) -> Process:
    """The process that took least CPU time of several."""
    return min((run_fresh(command, environment) for _ in range(repeats)), key=lambda process: process.cpu)


@contextmanager
def empty_cache() -> Iterator[dict[str, str]]:
    """An environment in which nothing is compiled yet."""
    with temporary_folder() as folder:
        yield {"NUMBA_CACHE_DIR": os.fspath(folder)}


@contextmanager
def matches(rows: int) -> Iterator[str]:
    """A file of matches between 50 players."""
    chance = random.Random(rows)
    lines = ["winner,loser", *("{},{}".format(*chance.sample(range(50), 2)) for _ in range(rows))]
    with temporary_folder() as folder:
        file = folder / "matches.csv"
        file.write_text("\n".join(lines))
        yield os.fspath(file)


def systems() -> list[str]:
    """The names of all systems."""
    names: list[str] = run_fresh([sys.executable, "-c", LIST_SYSTEMS]).answer
    return names


def measure_imports(repeats: int) -> Iterator[Row]:
    """Import and command line, beside an interpreter that does nothing."""
    yield Row("python -c pass", fastest(repeats, [sys.executable, "-c", "pass"]))
    yield Row("import podium", fastest(repeats, [sys.executable, "-c", "import podium"]), 0.3)
    for option in ("--help", "--version"):
        yield Row(f"podium {option}", fastest(repeats, [*PODIUM, option]), 0.35)


def measure_cold_rate(repeats: int) -> Iterator[Row]:
    """`podium rate` of small files by every system, on a machine that has compiled nothing."""
    for rows in SMALL_ROWS:
        with matches(rows) as file:
            for name in systems():
                with empty_cache() as environment:
                    process = run_fresh([*PODIUM, "rate", file, "--system", name], environment)
                yield Row(f"cold rate, {rows:,} rows, {name}", process, 3.0 if name == "luck" else 1.5)


def measure_cold_evaluate(repeats: int) -> Iterator[Row]:
    """`podium evaluate` of a small file by all systems, on a machine that has compiled nothing."""
    with matches(EVALUATED_ROWS) as file, empty_cache() as environment:
        process = run_fresh([*PODIUM, "evaluate", file], environment)
        yield Row(f"cold evaluate, {EVALUATED_ROWS} rows, all systems", process, 6.0)


def measure_cold_demo(repeats: int) -> Iterator[Row]:
    """`podium demo`, on a machine that has compiled nothing."""
    with temporary_folder() as folder, empty_cache() as environment:
        command = [*PODIUM, "demo", "--out", os.fspath(folder / "site")]
        yield Row("cold demo", run_fresh(command, environment), 12.0)


def measure_warm_rate(repeats: int) -> Iterator[Row]:
    """`podium rate` with all kernels on disk; what is saved is rated by them, however few rows there are."""
    for saving in (False, True):
        with matches(SMALL_ROWS[0]) as file, empty_cache() as environment:
            command = [*PODIUM, "rate", file, *(["--save", f"{file}.podium"] if saving else [])]
            run_fresh(command, environment)
            process = fastest(repeats, command, environment)
        yield Row(f"warm rate{' --save' if saving else ''}, {SMALL_ROWS[0]} rows", process, 0.7)


def measure_compiling(repeats: int) -> Iterator[Row]:
    """`podium warmup` with an empty cache."""
    for what, names, level, by_wall in (
        ("of elo-mmr", ["elo-mmr"], 15.0, False),
        ("of every system", systems(), 90.0, True),
        ("of everything", [], 90.0, True),
    ):
        with empty_cache() as environment:
            process = run_fresh([*PODIUM, "warmup", *names], environment)
        yield Row(f"cold warmup {what}", process, level, by_wall=by_wall)


def measure_wheel(repeats: int) -> Iterator[Row]:
    """The first `podium rate` by every system after a wheel with kernels was installed."""
    found = sorted((REPOSITORY / "dist").glob("podium-*-cp*.whl"), key=lambda path: path.stat().st_mtime)
    if not found:
        console.print("installed wheel: there is none in dist; make wheel builds one")
        return
    with temporary_folder() as folder, matches(SMALL_ROWS[0]) as file:
        python = installed(found[-1], folder)
        run_fresh([python, "-m", "podium", "systems"])  # Python itself compiles the files of the package
        for name in systems():
            with empty_cache() as environment:
                saving = ["--save", f"{environment['NUMBA_CACHE_DIR']}/ladder.podium"]  # which uses kernels
                command = [python, "-m", "podium", "rate", file, "--system", name, *saving]
                process = run_fresh(command, {**environment, "PYTHONPATH": ""})
                compiled = list(Path(environment["NUMBA_CACHE_DIR"]).rglob("*.nbc"))
            note = f"{len(compiled)} kernels compiled" if compiled else ""
            yield Row(f"installed wheel, first rate, {name}", process, 1.2, note=note)


def installed(wheel: Path, folder: Path) -> str:
    """The Python of a new environment that has podium from the wheel and all else from this environment."""
    run_fresh([sys.executable, "-m", "venv", "--without-pip", folder])
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python]
    run_fresh([*pip, "install", "--no-deps", wheel])
    (packages,) = (folder / "lib").glob("python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    return os.fspath(python)


def measure_first_calls(repeats: int) -> Iterator[Row]:
    """The first `rate`, `record_match` and `expected_score` of a Python process, which always compiles."""
    for name in systems():
        command = [sys.executable, "-c", FIRST_CALLS, name]
        with empty_cache() as environment:
            cold = run_fresh(command, environment)
            warm = fastest(repeats, command, environment)
        for kind, process in (("cold", cold), ("warm", warm)):
            calls = ", ".join(f"{step} {seconds:.2f}" for step, seconds in process.answer.items())
            yield Row(f"{kind} first calls, {name}", process, note=calls)


MEASURES: dict[str, Callable[[int], Iterator[Row]]] = {
    "import": measure_imports,
    "rate": measure_cold_rate,
    "evaluate": measure_cold_evaluate,
    "demo": measure_cold_demo,
    "warm": measure_warm_rate,
    "compile": measure_compiling,
    "wheel": measure_wheel,
    "calls": measure_first_calls,
}


def write_bytecode() -> None:
    """Let Python compile what podium imports once, as it does after any installation."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with matches(SMALL_ROWS[0]) as file, empty_cache() as environment:
        for command in (["evaluate", file], ["rate", file, "--save", f"{file}.podium"]):
            run_fresh([*PODIUM, *command], environment)


def print_row(row: Row) -> None:
    """Print what was measured."""
    level = met = ""
    if row.level is not None:
        seconds = row.process.wall if row.by_wall else row.process.cpu
        level, met = f"< {row.level:g} {'wall' if row.by_wall else 'CPU'}", verdict(seconds < row.level)
    line = f"{row.what:44} {row.process.wall:8.2f} {row.process.cpu:8.2f}  {level:10} {met} {row.note}"
    console.print(line, soft_wrap=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(MEASURES)}; all by default")
    parser.add_argument("--repeat", type=int, default=5, help="the best of so many processes counts, if warm")
    arguments = parser.parse_args()
    if unknown := set(arguments.rows) - set(MEASURES):
        parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(MEASURES)}")
    print_machine()
    write_bytecode()
    console.print(f"[dim]{'whole process, seconds':44} {'wall':>8} {'CPU':>8}  level      met[/]")
    for name in arguments.rows or MEASURES:
        for row in MEASURES[name](arguments.repeat):
            print_row(row)


if __name__ == "__main__":
    main()
