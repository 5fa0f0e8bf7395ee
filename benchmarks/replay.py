"""A week of recorded tickets through another policy: how long a replay takes.

    python benchmarks/replay.py [--tickets N]

100,000 tickets of a week, most of them in the evenings, one against one: the record as a game would write it,
read and run through a policy. The level is 30 seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from common import below, print_machine, print_table, use_one_thread

use_one_thread()

import numpy as np  # noqa: E402

from podium import Elo, Policy  # noqa: E402
from podium.matchmaking import NoRematch, RatingGap, WaitingTime, WinProbabilityGap  # noqa: E402
from podium.matchmaking.replay import read_record, recorded_outcome, replay  # noqa: E402

WEEK = 7 * 86_400.0
LEVEL = 30.0
POLICY = Policy((WinProbabilityGap(), WaitingTime(0.1, 120), NoRematch(3), RatingGap(300)), tolerance=0.08)


def write_week(path: Path, tickets: int) -> None:
    """A record: players join in the evenings, wait up to some minutes, and meet the next one in line."""
    chance = np.random.default_rng(1)
    hour = chance.normal(20, 4, tickets) % 24
    times = np.sort(chance.integers(0, 7, tickets) * 86_400.0 + hour * 3_600.0)
    skill = chance.normal(1500, 300, 5_000)
    busy = np.zeros(len(skill))
    events: list[tuple[float, str]] = []
    line: list[str] = []
    for now in times.tolist():
        player = int(chance.integers(len(skill)))
        if busy[player] > now or f"p{player}" in line:
            player = int(np.argmin(busy))
        busy[player] = now + 900
        name = f"p{player}"
        events.append((now, json.dumps({"time": now, "join": name, "mu": round(float(skill[player]), 1)})))
        line.append(name)
        if len(line) == 2:
            events.append((now, json.dumps({"time": now, "match": line})))
            line = []
    path.write_text("\n".join(text for _, text in events), encoding="utf-8")


def main() -> None:
    """Print how long each step takes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tickets", type=int, default=100_000)
    tickets = parser.parse_args().tickets
    print_machine()
    replay(*_small())  # kernels
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "week.ndjson"
        write_week(path, tickets)
        start = time.perf_counter()
        record = read_record(path)
        read = time.perf_counter()
        then = recorded_outcome(record, Elo())
        looked = time.perf_counter()
        now = replay(record, Elo(), "1v1", POLICY)
        done = time.perf_counter()
    rows = [
        ["read the record", f"{read - start:.1f}"],
        ["measure what was", f"{looked - read:.1f}"],
        ["replay", f"{done - looked:.1f}"],
    ]
    print_table(f"a week of {tickets:,} tickets", ["step", ">seconds"], rows)
    measures = [
        [name, *(f"{value:.3f}" if isinstance(value, float) else str(value) for value in values)]
        for name, *values in zip(then.row(), then.row().values(), now.row().values(), strict=True)
    ]
    print_table("outcomes", ["", ">recorded", ">policy"], measures[1:])
    print_table("level", ["", "met"], [["a week below 30 s", below(LEVEL, {"in all": done - start})]])


def _small():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.ndjson"
        write_week(path, 200)
        return read_record(path), Elo(), "1v1", POLICY


if __name__ == "__main__":
    main()
