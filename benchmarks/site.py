"""How long a website takes: all of it, and again after one new event.

    python benchmarks/site.py                       # Formula 1, which comes with podium
    python benchmarks/site.py results.parquet ...   # these files too, such as all contests of AtCoder

Each file is written twice by `podium site`, in processes of their own: first without its last event, then
with it, into the same folder. Memory is the peak of all processes together; what they share counts once.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from common import console, print_machine, print_table, temporary_folder

PODIUM = [sys.executable, "-m", "podium"]
LOOK_SECONDS = 0.5
"""Time between two looks at the memory."""
LEVELS = {"formula-1": 5.0}
"""Seconds below which the whole site should stay."""
OTHER_LEVEL = 300.0


@dataclass(frozen=True)
class Written:
    """What one run of `podium site` did, and what it took."""

    pages: int
    linked: int
    wall: float
    cpu: float
    peak_mb: float


def write_site(results: Path, out: Path) -> Written:
    """Run `podium site`, looking at the memory of its processes meanwhile."""
    began = time.perf_counter()
    command = [*PODIUM, "site", str(results), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peak = 0.0
    before = os.times()
    while process.poll() is None:
        peak = max(peak, _memory_mb(process.pid))
        time.sleep(LOOK_SECONDS)
    after = os.times()
    assert process.stdout is not None
    said = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with status {process.returncode}")
    pages = re.search(r"([\d,]+) pages(?:, ([\d,]+) of them unchanged)?", said)
    assert pages is not None, said
    counts = [int((text or "0").replace(",", "")) for text in pages.groups()]
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Written(counts[0], counts[1], time.perf_counter() - began, cpu, peak)


def _memory_mb(process: int) -> float:
    """The memory of a process and of those it began; what several of them map is divided among them."""
    total = 0.0
    pending = [process]
    while pending:
        number = pending.pop()
        try:
            rollup = Path(f"/proc/{number}/smaps_rollup").read_text()
            total += int(re.findall(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)[0]) * 1024e-6
            for children in Path(f"/proc/{number}/task").glob("*/children"):
                pending += map(int, children.read_text().split())
        except (OSError, IndexError):  # it has ended
            continue
    return total


def without_last_event(source: str, folder: Path) -> tuple[Path, Path]:
    """The results but for their last event, and all of them, as files of podium's own form."""
    import podium

    history = podium.read_history(source)
    part, whole = folder / "part" / "results.parquet", folder / "whole" / "results.parquet"
    for path, content in ((part, history[: len(history) - 1]), (whole, history)):
        path.parent.mkdir()
        podium.write_history(content, path)
    return part, whole


def measure(source: str) -> None:
    """Write the site of one file twice, and print what that took."""
    name = Path(source.removeprefix("sample:")).name
    level = LEVELS.get(name, OTHER_LEVEL)
    with temporary_folder() as folder:
        part, whole = without_last_event(source, folder)
        rows = []
        for what, results in (("all but the last event", part), ("with the last event", whole)):
            found = write_site(results, folder / "public")
            fresh = found.pages - found.linked
            rows.append(
                (
                    what,
                    f"{found.pages:,}",
                    f"{fresh:,}",
                    f"{found.wall:.1f} s",
                    f"{found.cpu:.1f} s",
                    f"{found.peak_mb:,.0f} MB",
                    f"{found.wall / level:.2f}",
                )
            )
        columns = ("what", "pages", "written", "time", "CPU", "memory", f"time / {level:g} s")
        print_table(name, columns, rows)


def main() -> None:
    """Measure Formula 1, and what is given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="files of results to measure too")
    print_machine()
    for source in ("sample:formula-1", *parser.parse_args().files):
        measure(source)
        console.print()


if __name__ == "__main__":
    main()
