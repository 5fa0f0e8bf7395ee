"""What a prediction for each row of a table costs, after the table was read.

    python benchmarks/predicting.py [DATA] [--quick]

Made-up matches with Elo, with a time each, and many on one day (so that rows of one day are predicted
together); and the 415,814 tennis matches of DATA with the default of `predict` and with the preset.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from common import REPOSITORY, best_of, console, print_machine, print_table, verdict

import podium
from podium import History

DATA = REPOSITORY / "../shared/data"
SECONDS = np.timedelta64(1, "s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=DATA, help="a folder of results")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the made-up matches")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print_machine()
    rows = []
    for name, history, system, level in cases(arguments.data, 100_000 if arguments.quick else 10_000_000):
        podium.predict(history[:1000], system)  # compiles
        found = best_of(arguments.repeats, lambda h=history, s=system: podium.predict(h, s))
        met = "" if arguments.quick else verdict(found.cpu < level)
        rows.append((name, str(system), f"{found.wall:.2f}", f"{found.cpu:.2f}", f"{level:g}", met))
    columns = ("matches", "system", ">seconds", ">CPU s", ">at most", "met")
    print_table("podium.predict of a history", columns, rows)


def cases(folder: Path, matches: int) -> Iterator[tuple[str, History, str | None, float]]:
    """What is predicted, by which system, and the level in seconds."""
    yield f"{matches:,}, a time each", made_up(matches, 1), "elo", 5.0
    yield f"{matches:,}, 10,000 a day", made_up(matches, 10_000), "elo", 5.0
    tennis = folder / "tennis_atp.matches.csv.gz"
    if not tennis.exists():
        console.print(f"{tennis} does not exist, so tennis is skipped")
        return
    history = podium.read_history(tennis)
    yield "tennis, 415,814", history, None, 3.0
    yield "tennis, 415,814", history, "auto", 15.0


def made_up(matches: int, at_once: int, players: int = 100_000) -> History:
    """Matches between players drawn by chance, so many at one time."""
    chance = np.random.default_rng(0)
    skill = chance.normal(0, 1, players)
    a = chance.integers(0, players, matches)
    b = (a + chance.integers(1, players, matches)) % players
    won = chance.random(matches) < 1.0 / (1.0 + np.exp(skill[b] - skill[a]))
    time = np.datetime64("2020-01-01", "us") + np.arange(matches) // at_once * SECONDS
    return podium.read_history(
        pl.DataFrame({"player_a": a, "player_b": b, "score_a": won * 1.0, "time": time})
    )


if __name__ == "__main__":
    main()
