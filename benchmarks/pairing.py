"""Pairing a group: how long it takes, and how near to the wanted chances it comes.

    python benchmarks/pairing.py

Runs in podium's environment, with one thread; rustworkx and networkx run in processes of their own with the
interpreter given by `--peers`, on the same graphs. Everybody has played 100 rounds after the paper (Yuksel's
system, a shuffle of 5%) before they are paired. `--quick` makes everything small.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from common import (
    HERE,
    REPOSITORY,
    Timing,
    best_of,
    console,
    print_machine,
    print_table,
    run_fresh,
    temporary_folder,
    use_one_thread,
    verdict,
)

use_one_thread()

import numpy as np  # noqa: E402

import podium  # noqa: E402
from podium.arrays import (  # noqa: E402
    NO_TIME,
    Floats,
    Longs,
)
from podium.matchmaking.graphs.candidates import plausible_meetings  # noqa: E402
from podium.matchmaking.graphs.matching import best_matching  # noqa: E402
from podium.matchmaking.pairing import pair_by_target, pair_optimally, pairing_gaps  # noqa: E402
from podium.matchmaking.policies.targets import RecentScores, WinRateTarget  # noqa: E402
from podium.simulation.arena import Arena, draw_scores  # noqa: E402
from podium.simulation.populations import gaussian_skills  # noqa: E402

PLAYED, SYSTEM = podium.Yuksel(), podium.Elo()
"""What rated the games so far, and whose win curve counts: it is that of the other one too, by a formula."""
TARGET = WinRateTarget(system=SYSTEM)
ROUNDS, SHUFFLE = 100, 0.05

PAPER_SIZES, PAPER_LEVEL = (1_000, 10_000, 100_000, 1_000_000), 1.0
"""Players paired by the paper's rule, and seconds for the largest group."""
SIZES, LEVEL_SIZE, LEVEL, LEVEL_GAP = (25_000, 50_000, 100_000, 200_000), 100_000, 5.0, 0.5
"""Players paired optimally; of one size the seconds allowed and the part of the paper's gap."""
TICK = 50_000
"""Players matched in a tick."""
WHOLE = 2.0**40
"""What a weight of 1 is in whole numbers, for rustworkx."""
INSTANCES = (
    (200, None, ("rustworkx", "networkx")),
    (500, None, ("rustworkx",)),
    (1_000, None, ("rustworkx",)),
    (2_000, 24, ("rustworkx",)),
)
"""Players, neighbours (None: all pairs), and who is asked too: networkx takes seconds for 200 players."""


class Waiting(NamedTuple):
    """Players who want to play."""

    mu: Floats
    recent: RecentScores

    @property
    def wanted(self) -> Floats:
        """The chance each wants to win with."""
        return TARGET.probability(self.recent.wins, self.recent.played)

    @property
    def target(self) -> Floats:
        """The rating of the opponent each wants."""
        return TARGET.rating(self.mu, self.recent.wins, self.recent.played)

    def gap(self, first: Longs, second: Longs) -> float:
        """How far chances are from the wanted ones, on average."""
        return float(pairing_gaps(SYSTEM, self.mu, self.wanted, first, second).mean())


def play(players: int, rounds: int) -> Waiting:
    """A population that has played so many rounds after the paper."""
    chance = np.random.default_rng(players)
    truth = gaussian_skills(players, seed=players)
    state, arena, recent = PLAYED.new_state(players), Arena(players), RecentScores(players)
    everybody = np.arange(players)
    waiting = Waiting(PLAYED.view(state, everybody, NO_TIME)[0], recent)
    for number in range(rounds):
        first, second, _ = pair_by_target(waiting.target, chance, window=round(SHUFFLE * players))
        score = draw_scores(truth[first], truth[second], chance)
        PLAYED.update(state, arena.history(number, first, second, score), trace=False)
        recent.record(first, score)
        recent.record(second, 1.0 - score)
        waiting = Waiting(PLAYED.view(state, everybody, NO_TIME)[0], recent)
    return waiting


def seconds(timing: Timing) -> str:
    """Wall and CPU time as a cell."""
    return f"{timing.wall:.3g}, {timing.cpu:.3g}"


def measure_paper(sizes: tuple[int, ...]) -> None:
    """The paper's pairing, the wanted opponents included."""
    rows, last = [], 0.0
    for players in sizes:
        waiting = play(players, rounds=10)
        timing = best_of(3, lambda waiting=waiting: pair_by_target(waiting.target, 1, window=50))
        last = timing.wall
        rows.append((f"{players:,}", seconds(timing), f"{1e9 * timing.wall / players:.0f}"))
    print_table(
        "the paper's pairing: wanted opponents, sorting, a shuffle of 50",
        ["players", ">seconds: wall, CPU", ">ns a player"],
        rows,
    )
    met = verdict(last < PAPER_LEVEL)
    console.print(f"{sizes[-1]:,} players in less than {PAPER_LEVEL:.0f} s: {met}\n")


def measure_optimal(sizes: tuple[int, ...]) -> None:
    """The optimal pairing beside the paper's without a shuffle."""
    rows, levels = [], []
    for players in sizes:
        waiting = play(players, ROUNDS)
        paper = pair_by_target(waiting.target, 1)
        found = []

        def pair(waiting: Waiting = waiting, found: list[object] = found) -> None:
            found[:] = [pair_optimally(SYSTEM, waiting.mu, waiting.wanted)]

        timing, best, before = best_of(2, pair), found[0], waiting.gap(paper.first, paper.second)
        off = best.cost / best.bound - 1.0
        rows.append(
            (
                f"{players:,}",
                seconds(timing),
                f"{1e6 * timing.cpu / players:.1f}",
                f"{before:.4f}",
                f"{best.gap:.4f}",
                f"{best.gap / before:.2f}",
                f"{best.bound:.4f}",
                f"{off:.2%}",
                f"{len(best.out)}",
            )
        )
        if players == LEVEL_SIZE:
            levels = [timing.wall < LEVEL, best.gap <= LEVEL_GAP * before]
    print_table(
        f"the optimal pairing after {ROUNDS} rounds beside the paper's without a shuffle; gaps are means",
        [
            "players",
            ">seconds: wall, CPU",
            ">µs a player",
            ">paper's gap",
            ">gap",
            ">ratio",
            ">bound",
            ">off by at most",
            ">out",
        ],
        rows,
    )
    for met, said in zip(
        levels, (f"less than {LEVEL:.0f} s", f"at most {LEVEL_GAP} of the paper's gap"), strict=False
    ):
        console.print(f"{LEVEL_SIZE:,} players, {said}: {verdict(met)}")
    console.print()


def measure_efforts(players: int) -> None:
    """What the three efforts make of one graph."""
    waiting = play(players, ROUNDS)
    rows = []
    for neighbours in (6, 8):
        first, second = plausible_meetings(waiting.mu, waiting.target, neighbours=neighbours)
        weight = 2.0 * (1.0 - pairing_gaps(SYSTEM, waiting.mu, waiting.wanted, first, second))
        for effort in ("quick", "near"):
            best_matching(players, first, second, weight, effort=effort)
            found = []

            def match(
                effort: str = effort, graph: tuple = (first, second, weight), found: list = found
            ) -> None:
                found[:] = [best_matching(players, *graph, effort=effort)]

            timing, matching = best_of(3, match), found[0]
            paired = np.flatnonzero(matching.partner > np.arange(players))
            rows.append(
                (
                    f"{len(first):,}",
                    effort,
                    f"{1e3 * timing.wall:.0f}, {1e3 * timing.cpu:.0f}",
                    f"{waiting.gap(paired, matching.partner[paired]):.4f}",
                    f"{np.sum(matching.partner < 0)}",
                )
            )
    print_table(
        f"one graph of {players:,} players, by effort",
        ["edges", "effort", ">ms: wall, CPU", ">gap", ">out"],
        rows,
    )


def measure_exact(instances: tuple, peers: Path | None, folder: Path) -> None:
    """The same graphs, with whole weights, matched by podium and by the peers."""
    waiting = play(10_000, ROUNDS)
    rows, same = [], True
    for players, neighbours, others in instances:
        some = np.random.default_rng(players).choice(10_000, players, replace=False)
        mu, wanted, target = waiting.mu[some], waiting.wanted[some], waiting.target[some]
        if neighbours is None:
            first, second = np.triu_indices(players, 1)
        else:
            first, second = plausible_meetings(mu, target, neighbours=neighbours)
        weight = np.rint(WHOLE * 2.0 * (1.0 - pairing_gaps(SYSTEM, mu, wanted, first, second)))
        for name, column in {"first": first, "second": second, "weight": weight.astype(np.int64)}.items():
            np.save(folder / f"{name}.npy", column)
        graph = (players, first, second, weight)
        best = best_matching(*graph, effort="exact")
        timing = best_of(3, lambda graph=graph: best_matching(*graph, effort="exact"))
        cells = f"{players:,}", f"{len(first):,}"
        rows.append((*cells, "podium", f"{best.weight:.0f}", seconds(timing), ""))
        for method in others if peers is not None else ():
            answer = run_fresh([peers, HERE / "peer_matching.py", folder, method]).answer
            same = same and answer["weight"] == best.weight
            peer = Timing(answer["wall"], answer["cpu"])
            name = f"{method} {answer['version']}"
            rows.append(
                (*cells, name, f"{answer['weight']}", seconds(peer), f"{peer.cpu / timing.cpu:,.0f}×")
            )
    print_table(
        "exact matchings of the same graphs",
        ["players", ">edges", "by", ">weight, in 2⁻⁴⁰", ">seconds: wall, CPU", ">podium is faster (CPU)"],
        rows,
    )
    if peers is not None:
        console.print(f"the same weight, to the last digit: {verdict(same)}\n")


def main() -> None:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path, default=REPOSITORY / ".venv-peers/bin/python", metavar="PYTHON")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, for which the levels are not meant"
    )
    arguments = parser.parse_args()
    print_machine()
    peers = arguments.peers if arguments.peers.exists() else None
    if peers is None:
        console.print(f"no peers: {arguments.peers} does not exist (make bench installs them)\n")
    smaller = 20 if arguments.quick else 1
    pair_optimally(SYSTEM, np.arange(50.0), 0.5, neighbours=2)  # compiled before anything is timed
    measure_paper(tuple(size // smaller for size in PAPER_SIZES))
    measure_optimal(tuple(size // smaller for size in SIZES))
    measure_efforts(TICK // smaller)
    with temporary_folder() as folder:
        measure_exact(INSTANCES[:1] if arguments.quick else INSTANCES, peers, folder)


if __name__ == "__main__":
    main()
