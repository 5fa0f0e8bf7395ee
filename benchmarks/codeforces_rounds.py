"""Codeforces as the site rates: podium's changes beside those that the site published, round by round.

    python benchmarks/codeforces_rounds.py ../shared/data/codeforces_rounds.csv.gz

The table has a row for each player of a round: round, player, rank, old_rating and change. The old rating of
newcomers, who start at 1500, is empty.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl
from common import REPOSITORY, console, print_machine, print_table, verdict

import podium

DATA = REPOSITORY / "../shared/data/codeforces_rounds.csv.gz"
LEAST_EXACT = 0.999
"""Part of the changes that have to be the site's, number by number."""


def exact_changes(round_rows: pl.DataFrame) -> int:
    """How many changes of one round are those of the site."""
    system = podium.Codeforces(variant="site")
    known = round_rows.drop_nulls("old_rating")
    seeds = [podium.SetRating(player=p, mu=mu) for p, mu in known.select("player", "old_rating").iter_rows()]
    ranks = dict(round_rows.select("player", "rank").iter_rows())
    trace = podium.rate(podium.History.from_events([*seeds, {"ranks": ranks}]), system, trace=True).trace
    both = trace.join(round_rows.select("player", "change"), on="player")
    return int((both["mu"] - both["mu_before"] == both["change"]).sum())


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments = parser.parse_args()
    print_machine()
    if not arguments.data.exists():
        console.print(f"skipped: {arguments.data} does not exist")
        return
    rows = []
    table = pl.read_csv(arguments.data, schema_overrides={"player": pl.String})
    for (name,), round_rows in table.group_by("round", maintain_order=True):
        part = exact_changes(round_rows) / len(round_rows)
        level = verdict(part >= LEAST_EXACT)
        rows.append((str(name), f"{len(round_rows):,}", f"{100 * part:.2f}%", f"{LEAST_EXACT:.1%}", level))
    print_table("Changes exactly as published", ["round", ">players", ">exact", ">level", "met"], rows)


if __name__ == "__main__":
    main()
