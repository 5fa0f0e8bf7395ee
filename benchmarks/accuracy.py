"""How well every system that rates contests predicts them: the paper's synthetic contests, and real ones.

    python benchmarks/accuracy.py ../shared/data/atcoder_2016_2023.results.parquet

Each contest is predicted before it is rated. Printed are the pairs in the right order, in percent, and how
far predicted places are off, in percent of the field, of everybody and of those with five earlier contests;
equal ratings count half (`podium.evaluation.order_accuracy`). Parameters are defaults unless a line says so.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from common import REPOSITORY, best_of, console, print_machine, print_table

import podium
from podium.evaluation.order_accuracy import accuracy
from podium.simulation.populations import synthetic_contests

DATA = REPOSITORY / "../shared/data/atcoder_2016_2023.results.parquet"
EXPERIENCED = 5
BETA = 400.0 * math.pi / math.sqrt(3.0) / math.log(10.0)
"""With which 400 points are odds of ten to one, in the program of the Elo-MMR paper's comparisons."""

SYSTEMS: dict[str, podium.RatingSystem] = {
    "elo-mmr": podium.EloMMR(),
    "elo-mmx": podium.EloMMX(),
    "elo-r": podium.EloR(),
    "trueskill, the synthetic set's parameters": podium.TrueSkill(mu=1500, sigma=350, beta=200, tau=35),
    "trueskill": podium.TrueSkill(),
    "codeforces": podium.Codeforces(),
    "codeforces, as on the site": podium.Codeforces(variant="site"),
    "topcoder": podium.Topcoder(),
    "glicko, one-match as in the paper": podium.Glicko(pairs="one-match", c=35, sigma_max=1e6),
    "weng-lin, BAR as in the paper": podium.WengLin(model="one-match", mu=1500, sigma=350, beta=BETA, tau=35),
    "weng-lin": podium.WengLin(),
    "elo": podium.Elo(),
    "glicko": podium.Glicko(),
    "glicko2": podium.Glicko2(),
}


def measure(title: str, history: podium.History) -> None:
    """One table."""
    rows = []
    for name, system in SYSTEMS.items():
        podium.rate(history[:1], system, trace=True)  # whatever is compiled on first use
        traces = []
        timing = best_of(1, lambda s=system, t=traces: t.append(podium.rate(history, s, trace=True).trace))
        before = traces[0]["mu_before"]
        everyone, experienced = accuracy(history, before), accuracy(history, before, min_events=EXPERIENCED)
        rows.append(
            (
                name,
                *(f"{v:.2f}" for a in (everyone, experienced) for v in (a.pairs_right, a.rank_deviation)),
                f"{timing.wall:.1f}",
            )
        )
    columns = ["system", ">pairs", ">ranks off", ">experienced", ">ranks off", ">seconds"]
    print_table(f"{title}: {history.summary()}", columns, rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments = parser.parse_args()
    print_machine()
    for deviation in (350.0, 300.0):
        population = synthetic_contests(skill_deviation=deviation)
        measure(f"Synthetic, skills ± {deviation:.0f}", population.history)
    if arguments.data.exists():
        measure(arguments.data.name, podium.read_history(arguments.data))
    else:
        console.print(f"skipped: {arguments.data} does not exist")


if __name__ == "__main__":
    main()
