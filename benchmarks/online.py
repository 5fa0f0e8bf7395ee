"""Microseconds a call costs online: recording one match, one contest of ten, asking for a prediction.

    python benchmarks/online.py

A ladder of a thousand players, after warm-up, one thread; beside it the dictionary everybody writes first.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable

from common import below, console, print_machine, print_table, use_one_thread

use_one_thread()

import numpy as np  # noqa: E402

import podium  # noqa: E402

PLAYERS, CALLS, TEN = 1_000, 2_000, 10
RECORD_LEVEL = 100.0
"""Issue 2: recording one match costs tens of microseconds."""


def microseconds(calls: Iterable[Callable[[], object]], repeats: int) -> float:
    """The mean cost of a call, in the fastest of several rounds; not a number if there are no calls."""
    rounds = []
    todo = list(calls)
    if not todo:
        return np.nan
    for _ in range(repeats):
        start = time.process_time()
        for call in todo:
            call()
        rounds.append((time.process_time() - start) / len(todo))
    return 1e6 * min(rounds)


class PlainElo:
    """Elo in a dictionary, with nothing around it."""

    def __init__(self) -> None:
        self.ratings: dict[str, float] = {}

    def expected_score(self, a: str, b: str) -> float:
        """The logistic curve."""
        difference = self.ratings.get(b, 1500.0) - self.ratings.get(a, 1500.0)
        return 1.0 / (1.0 + 10.0 ** (difference / 400.0))

    def record_match(self, winner: str, loser: str) -> None:
        """Move both by K times the surprise."""
        change = 32.0 * (1.0 - self.expected_score(winner, loser))
        self.ratings[winner] = self.ratings.get(winner, 1500.0) + change
        self.ratings[loser] = self.ratings.get(loser, 1500.0) - change


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=7, help="the fastest of so many rounds counts")
    arguments = parser.parse_args()
    repeats = arguments.repeat
    rng = np.random.default_rng(1)
    names = [f"player {i}" for i in range(PLAYERS)]
    pairs = [(names[a], names[b]) for a, b in (rng.choice(PLAYERS, 2, replace=False) for _ in range(CALLS))]
    contests = [
        {names[p]: place for place, p in enumerate(rng.choice(PLAYERS, TEN, replace=False), start=1)}
        for _ in range(CALLS // TEN)
    ]

    plain = PlainElo()
    record = microseconds([lambda p=p: plain.record_match(*p) for p in pairs], repeats)
    predict = microseconds([lambda p=p: plain.expected_score(*p) for p in pairs], repeats)
    rows = [("plain dictionary", f"{record:.1f}", "", "", "", f"{predict:.1f}", "", "", "")]
    for name, system in podium.list_systems().items():
        ladder = podium.Ladder(system())
        for pair in pairs:  # everybody is known, everything compiled
            ladder.record_match(*pair)
        of_ten = contests if system.supports.many else []
        for contest in of_ten[:1]:
            ladder.record(ranks=contest)
        ladder.expected_score(*pairs[0])
        ladder.rating(names[0])

        def record_and_undo(pair: tuple[str, str], ladder: podium.Ladder = ladder) -> None:
            ladder.record_match(*pair)
            ladder.undo()

        match = microseconds([lambda p=p, one=ladder: one.record_match(*p) for p in pairs], repeats)
        both = microseconds([lambda p=p, go=record_and_undo: go(p) for p in pairs], repeats)
        costs = [
            match,
            microseconds(
                [lambda p=p, one=ladder: one.record(ranks={p[0]: 1, p[1]: 2}) for p in pairs], repeats
            ),
            microseconds([lambda c=c, one=ladder: one.record(ranks=c) for c in of_ten], repeats),
            both - match,
            microseconds([lambda p=p, one=ladder: one.expected_score(*p) for p in pairs], repeats),
            microseconds([lambda p=p, one=ladder: one.outcomes(*p) for p in pairs], repeats),
            microseconds([lambda p=p, one=ladder: one.rating(p[0]) for p in pairs], repeats),
        ]
        shown = ("" if np.isnan(cost) else f"{cost:.1f}" for cost in costs)
        rows.append((name, *shown, below(RECORD_LEVEL, {"": match})))
    print_machine()
    print_table(
        "Microseconds a call",
        [
            "system",
            ">record_match",
            ">record, two",
            ">record, ten",
            ">undo",
            ">expected_score",
            ">outcomes",
            ">rating",
            "met",
        ],
        rows,
    )
    console.print(f"Level: record_match below {RECORD_LEVEL:g}, that is tens of microseconds.")


if __name__ == "__main__":
    main()
