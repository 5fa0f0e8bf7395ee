"""What a backtest costs beside rating alone: all metrics, three scopes, intervals.

    python benchmarks/backtest.py [DATA]

Prints the ratio for Elo-MMR on large contests and for Glicko and Elo on matches. Without the files synthetic
results of the same size stand in. The level for contests is a ratio of at most 2.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from common import REPOSITORY, best_of, console, print_machine, print_table, verdict

import podium
from podium import History, RatingSystem
from podium.evaluation.metrics import find_metrics
from podium.simulation.populations import synthetic_contests

DATA = REPOSITORY / "../shared/data"
LEVEL = 2.0
SCOPES = ("everyone", "experienced", "top:100")
Row = tuple[str, str, str, str, str, str, str, str]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=DATA, help="a folder of results")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print_machine()
    rows = [
        measure(name, system, history, arguments.repeats)
        for name, history, systems in histories(arguments.data)
        for system in systems
    ]
    columns = [
        "results",
        "system",
        ">rating s",
        ">backtest s",
        ">ratio",
        ">CPU s",
        ">CPU ratio",
        f"at most {LEVEL:g}",
    ]
    print_table(f"{len(find_metrics(None))} metrics, {', '.join(SCOPES)}, 1,000 resamples", columns, rows)


def histories(folder: Path) -> list[tuple[str, History, list[RatingSystem]]]:
    """Large contests and many matches."""
    contests, matches = folder / "atcoder_2016_2023.results.parquet", folder / "tennis_atp.matches.csv.gz"
    found = []
    if contests.exists():
        found.append((contests.name, podium.read_history(contests), [podium.EloMMR()]))
    else:
        console.print(f"synthetic contests: {contests} does not exist")
        made = synthetic_contests(players=40_000, contests=500, participants=4_300).history
        found.append(("synthetic contests", made, [podium.EloMMR()]))
    systems: list[RatingSystem] = [podium.Elo(), podium.Glicko()]
    if matches.exists():
        found.append((matches.name, podium.read_history(matches), systems))
    else:
        console.print(f"synthetic matches: {matches} does not exist")
        found.append(("synthetic matches", synthetic_matches(), systems))
    return found


def synthetic_matches(players: int = 14_000, matches: int = 415_000) -> History:
    """Matches between players drawn by chance."""
    chance = np.random.default_rng(0)
    skill = chance.normal(0, 1, players)
    a = chance.integers(0, players, matches)
    b = (a + chance.integers(1, players, matches)) % players
    won = chance.random(matches) < 1.0 / (1.0 + np.exp(skill[b] - skill[a]))
    return History.from_matches(a, b, won.astype(np.float64))


def measure(name: str, system: RatingSystem, history: History, repeats: int) -> Row:
    """Rating alone, and a backtest with its summary."""
    rating = best_of(repeats, lambda: podium.rate(history, system))

    def backtest() -> object:
        return podium.evaluate(history, system, scopes=SCOPES).summary

    backtest()  # compiles, and knows the standings from now on
    whole = best_of(repeats, backtest)
    ratio, cpu = whole.wall / rating.wall, whole.cpu / rating.cpu
    return (
        name,
        system.name,
        f"{rating.wall:.2f}",
        f"{whole.wall:.2f}",
        f"{ratio:.2f}",
        f"{whole.cpu:.2f}",
        f"{cpu:.2f}",
        verdict(ratio <= LEVEL) if history.sizes.mean() > 100 else "",
    )


if __name__ == "__main__":
    main()
