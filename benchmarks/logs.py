"""Logs of ladders: events a second, with and without waiting for the disk; seconds to open and to correct.

    python benchmarks/logs.py [--quick] [--folder FOLDER]

The peer is the same ladder without a log. Give a folder on the disk that is meant, as a folder for temporary
files may live in memory. Waiting for a disk takes no CPU time; next to other programs, compare only that.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from common import console, print_machine, print_table, use_one_thread

use_one_thread()

import numpy as np  # noqa: E402

import podium  # noqa: E402

PLAYERS = 10_000
DAY = 86_400


def matches(count: int) -> list[tuple[str, str, int]]:
    """Winner, loser and time of random matches."""
    rng = np.random.default_rng(1)
    pairs = rng.integers(PLAYERS, size=(count, 2))
    pairs[:, 1] = np.where(pairs[:, 0] == pairs[:, 1], (pairs[:, 1] + 1) % PLAYERS, pairs[:, 1])
    return [(f"player {a}", f"player {b}", 1_700_000_000 + 60 * i) for i, (a, b) in enumerate(pairs.tolist())]


def record(ladder: podium.Ladder, season: list[tuple[str, str, int]]) -> tuple[float, float]:
    """Record matches; microseconds for each, by the wall and of CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    for winner, loser, when in season:
        ladder.record_match(winner, loser, time=when)
    return tuple(1e6 * s / len(season) for s in (time.perf_counter() - wall, time.process_time() - cpu))


def opened(folder: Path) -> tuple[str, str]:
    """Seconds to open a log, by the wall and of CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    podium.Ladder.open(folder).close()
    return f"{time.perf_counter() - wall:.2f}", f"{time.process_time() - cpu:.2f}"


def recording(home: Path, count: int) -> None:
    """Events a second: without a log, with one, and with one on the disk after each call."""
    season = matches(count)
    rows = []
    ways = {"no log": None, "log, sync=False": False, "log": True}
    for way, sync in ways.items():
        part = season[: count // 5] if sync else season
        if sync is None:
            wall, cpu = record(podium.Ladder("elo"), part)
        else:
            with podium.Ladder.open(home / way, system="elo", sync=sync) as ladder:
                wall, cpu = record(ladder, part)
        rows.append((way, f"{1e6 / wall:,.0f}", f"{wall:.0f}", f"{cpu:.0f}"))
    history = podium.History.from_events(
        {"ranks": {winner: 1, loser: 2}, "time": when} for winner, loser, when in season
    )
    with podium.Ladder.open(home / "batches", system="elo") as ladder:
        wall, cpu = time.perf_counter(), time.process_time()
        for piece in history.chunks(200):
            ladder.update(piece)
        wall, cpu = (1e6 * s / count for s in (time.perf_counter() - wall, time.process_time() - cpu))
    rows.append(("log, updates of 100", f"{1e6 / wall:,.0f}", f"{wall:.0f}", f"{cpu:.0f}"))
    print_table("Recording", ["way", ">events/s", ">µs an event", ">of CPU time"], rows)


def opening(home: Path, count: int) -> None:
    """Seconds to open a log, a tenth of which follows its last checkpoint, and to correct an event."""
    season = matches(count)
    folder = home / "season"
    with podium.Ladder.open(folder, system="elo", sync=False, checkpoint_rows=3 * count // 10) as ladder:
        record(ladder, season)
    with closing(sqlite3.connect(folder / "ladder.db")) as database:
        ((size,),) = database.execute("SELECT sum(length(content) + length(kind) + 12) FROM record")
    rows = [(f"open, {count // 10:,} matches after the checkpoint", *opened(folder))]
    with podium.Ladder.open(folder) as ladder:
        for back in (100, count // 10, count - 1):
            wall, cpu = time.perf_counter(), time.process_time()
            ladder.void(count - back)
            rows.append(
                (
                    f"void the event {back:,} back",
                    f"{time.perf_counter() - wall:.2f}",
                    f"{time.process_time() - cpu:.2f}",
                )
            )
    with closing(sqlite3.connect(folder / "ladder.db")) as database, database:
        database.execute("DELETE FROM checkpoint WHERE number > 0")
    rows.append(("open, without checkpoints", *opened(folder)))
    print_table(
        f"A log of {count:,} matches, {size / count:.0f} bytes each", ["call", ">seconds", ">CPU"], rows
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the events")
    parser.add_argument("--folder", help="where to write; a folder for temporary files unless given")
    arguments = parser.parse_args()
    scale = 10 if arguments.quick else 1
    record(podium.Ladder("elo"), matches(100))
    print_machine()
    with TemporaryDirectory(dir=arguments.folder) as home:
        recording(Path(home), 20_000 // scale)
        opening(Path(home), 100_000 // scale)
    console.print(
        "The log holds every event for good; checkpoints are what opening and correcting start from."
    )


if __name__ == "__main__":
    main()
