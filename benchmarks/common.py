"""What the benchmarks share: timing, fresh processes, the machine in words, tables.

Imports nothing heavy, so that a program can choose its threads before NumPy is loaded and so that the memory
of a fresh process is not hidden behind that of its parent.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
REPOSITORY = HERE.parent

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "POLARS_MAX_THREADS",
        "RAYON_NUM_THREADS",
    ),
    "1",
)
"""Environment in which every library used here, podium's and the peers', has one thread."""

console = Console(width=None if sys.stdout.isatty() else 118, highlight=False)


def use_one_thread() -> None:
    """Make this process single-threaded; to be called before NumPy, Numba or Polars are imported."""
    os.environ.update(ONE_THREAD)


# ---------------------------------------------------------------------------------------------------------
# Timing


@dataclass(frozen=True)
class Timing:
    """Seconds one call took."""

    wall: float
    cpu: float


def best_of(repeats: int, function: Callable[[], object]) -> Timing:
    """The fastest of several calls, by CPU time: everything slower was disturbed by something else."""
    return min((_timed(function) for _ in range(repeats)), key=lambda timing: timing.cpu)


def _timed(function: Callable[[], object]) -> Timing:
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    timing = Timing(time.perf_counter() - wall, time.process_time() - cpu)
    del result  # taking a large result apart is not part of making it
    return timing


# ---------------------------------------------------------------------------------------------------------
# Fresh processes


@dataclass(frozen=True)
class Process:
    """A process that ran to its end."""

    output: str
    wall: float
    cpu: float
    """With that of the processes it started."""
    peak_mb: float

    @property
    def answer(self) -> Any:
        """The JSON on its last line of output."""
        return json.loads(self.output.splitlines()[-1])


def run_fresh(command: Sequence[str | os.PathLike[str]], environment: Mapping[str, str] = {}) -> Process:
    """Run a program in a process of its own; its errors go to the terminal, a failure is one here."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    assert child.stdout is not None
    with child.stdout:
        output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed with status {child.returncode}")
    to_mb = 1e-6 if sys.platform == "darwin" else 1024e-6
    return Process(output, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * to_mb)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="podium-bench-") as folder:
        yield Path(folder)


# ---------------------------------------------------------------------------------------------------------
# Printing


def print_machine(packages: Iterable[str] = ("podium", "numpy", "numba", "polars")) -> None:
    """The processor, and the versions of what is measured."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    console.print(f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}")
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    console.print(f"Python {platform.python_version()}, {versions}{load}\n")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    found = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    mhz = f" at {float(found['cpu MHz']) / 1000:.1f} GHz" if "cpu MHz" in found else ""
    return found.get("model name", "unknown processor") + mhz


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table; columns whose name begins with ``>`` hold numbers."""
    table = Table(pad_edge=False, box=None, header_style="dim")
    for name in columns:
        table.add_column(name.lstrip(">"), justify="right" if name.startswith(">") else "left")
    for row in rows:
        table.add_row(*row)
    console.print(f"[bold]{title}[/]")
    console.print(table)
    console.print()


def verdict(met: bool) -> str:
    """Whether a level is met, as a cell."""
    return "[green]yes[/]" if met else "[red]no[/]"


def below(level: float, values: Mapping[str, float]) -> str:
    """Whether all values are below the level, naming those that are not."""
    missed = [name for name, value in values.items() if value >= level]
    return verdict(not missed) + (f" ({', '.join(missed)})" if missed else "")
