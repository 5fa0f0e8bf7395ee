"""What one machine can carry: players, results a day, memory and time.

    python benchmarks/scale.py [numbers] [names] [contests] [--most PLAYERS]

*numbers*: everybody is a number, as in a service that keeps the names elsewhere: a state of so many players,
and a day in which there are as many matches as players, between any two of them. *names*: the same through
`podium.rate` and a ladder, which knows everybody by name. *contests*: a season of ten contests for everybody,
with 10,000 in each. Each row runs in a process of its own, with one thread; memory is its peak, the compiler
and a piece of the day's matches included.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator

from common import ONE_THREAD, print_machine, print_table, run_fresh, use_one_thread

DUELS = ("elo", "yuksel", "glicko", "glicko2", "weng-lin", "trueskill", "elo-mmx", "elo-mmr", "luck")
CONTESTS = ("codeforces", "topcoder", "elo-mmx", "elo-mmr", "trueskill")
SIZES = (10_000, 1_000_000, 10_000_000, 100_000_000)
LUCK_MOST = 100_000
"""Players of luck, each of whom is a thousand numbers."""
NAMED_MOST = 10_000_000
PIECE = 5_000_000
"""Matches that are made and rated at a time."""
SLOW = {"luck": 100_000, "elo-mmr": 10_000_000, "elo-mmx": 10_000_000}
"""Matches of a day that are measured; the rest of it is scaled."""
FIELD = 10_000
SEASON = 10
DAY = 86_400
BOARDS = 8
"""Leaderboards that are measured, the fastest of which counts."""


def matches(players: int, count: int, first: int = 0):
    """A history of matches between numbers, `count` of them spread over a day."""
    import numpy as np

    from podium.history import History, Names

    chance = np.random.default_rng(first)
    a = chance.integers(0, players, count, dtype=np.int32)
    b = (a + chance.integers(1, players, count, dtype=np.int32)) % np.int64(players)
    won = chance.random(count) < 0.5
    rank = np.stack([np.where(won, 1, 2), np.where(won, 2, 1)], axis=1).astype(np.int32).ravel()
    return History(
        players=Names(),
        offsets=np.arange(0, 2 * count + 1, 2, dtype=np.int64),
        player=np.stack([a, b.astype(np.int32)], axis=1).ravel(),
        rank=rank,
        time=np.sort(chance.integers(0, DAY * 1_000_000, count)) + first * DAY * 1_000_000,
    )


def state_bytes(state) -> int:
    """Of all columns, what is remembered included."""
    return sum(array.nbytes for array in state.to_arrays().values())


def by_number(system_name: str, players: int) -> dict[str, float]:
    """A day of matches between numbers."""
    import podium

    system = podium.make_system(system_name)
    system.update(system.new_state(100), matches(100, 100), trace=False)  # compile
    state = system.new_state(players)
    count = min(players, SLOW.get(system_name, players))
    seconds = 0.0
    for number, done in enumerate(range(0, count, PIECE)):
        piece = matches(players, min(PIECE, count - done), number)
        start = time.perf_counter()
        system.update(state, piece, trace=False)
        seconds += time.perf_counter() - start
    return {"seconds": seconds * players / count, "bytes": state_bytes(state) / players}


def by_name(system_name: str, players: int) -> dict[str, float]:
    """The same from names: a history of them, a ladder in bulk, one match at a time, and the first ten."""
    import numpy as np

    import podium
    from podium.history import Names

    system = podium.make_system(system_name)
    podium.rate(podium.History.from_matches(["a"], ["b"]), system)
    from dataclasses import replace

    history = replace(matches(players, players), players=Names(f"player-{i:09d}" for i in range(players)))
    start = time.perf_counter()
    ladder = podium.rate(history, system).ladder
    seconds = time.perf_counter() - start
    some = np.random.default_rng(1).integers(0, players, (2_000, 2)).tolist()
    pairs = [(f"player-{a:09d}", f"player-{b:09d}") for a, b in some if a != b]
    ladder.record_match(*pairs[0])  # finds everybody's number once
    start = time.perf_counter()
    for a, b in pairs[1:]:
        ladder.record_match(a, b)
    online = (time.perf_counter() - start) / (len(pairs) - 1)
    boards = []
    for pair in pairs[:BOARDS]:
        ladder.record_match(*pair)  # so that nothing of the last board is kept
        start = time.perf_counter()
        ladder.leaderboard(top=10)
        boards.append(time.perf_counter() - start)
    return {"seconds": seconds, "online": online, "board": min(boards)}


def contest_season(system_name: str, players: int) -> dict[str, float]:
    """Contests of ten thousand until everybody has played ten times, on average."""
    import numpy as np

    import podium
    from podium.history import History, Names

    system = podium.make_system(system_name)

    def contests(count: int) -> History:
        chance = np.random.default_rng(count)
        skill = chance.normal(1500, 350, players)
        fields = [chance.choice(players, FIELD, replace=False, shuffle=False) for _ in range(count)]
        ranks = [(-(skill[f] + chance.normal(0, 200, FIELD))).argsort().argsort() + 1 for f in fields]
        return History(
            players=Names(),
            offsets=np.arange(0, FIELD * count + 1, FIELD, dtype=np.int64),
            player=np.concatenate(fields).astype(np.int32),
            rank=np.concatenate(ranks).astype(np.int32),
            time=np.arange(count, dtype=np.int64) * DAY * 1_000_000,
        )

    system.update(system.new_state(players), contests(1), trace=False)
    state = system.new_state(players)
    whole = players * SEASON // FIELD
    some = min(whole, 200)
    season = contests(some)
    start = time.perf_counter()
    system.update(state, season, trace=False)
    return {"seconds": (time.perf_counter() - start) * whole / some, "bytes": state_bytes(state) / players}


KINDS: dict[str, Callable[[str, int], dict[str, float]]] = {
    "numbers": by_number,
    "names": by_name,
    "contests": contest_season,
}


def measured(kind: str, system: str, players: int) -> tuple[dict[str, float], float]:
    """What a fresh process measures, and its peak in gigabytes."""
    process = run_fresh(
        [sys.executable, __file__, "--one", kind, system, str(players)],
        {name: value for name, value in ONE_THREAD.items() if name != "POLARS_MAX_THREADS"},
    )
    return process.answer, process.peak_mb / 1000


def rows_of_numbers(most: int) -> Iterator[tuple[str, ...]]:
    """Rows of matches between numbers."""
    for system in DUELS:
        for players in SIZES if system != "luck" else (10_000, LUCK_MOST):
            if players > most:
                continue
            found, peak = measured("numbers", system, players)
            rate = players / found["seconds"]
            yield (
                system,
                f"{players:,}",
                f"{found['seconds']:.2g}" if found["seconds"] < 10 else f"{found['seconds']:.0f}",
                f"{rate / 1e6:.2f}",
                f"{rate * DAY / 1e9:.1f}",
                f"{found['bytes']:.0f}",
                f"{peak:.2f}",
            )


def rows_of_names(most: int) -> Iterator[tuple[str, ...]]:
    """Rows of named players."""
    for system in ("elo", "glicko2", "elo-mmr"):
        for players in (10_000, 1_000_000, NAMED_MOST):
            if players > most:
                continue
            found, peak = measured("names", system, players)
            yield (
                system,
                f"{players:,}",
                f"{found['seconds']:.2g}",
                f"{1e6 * found['online']:.0f}",
                f"{DAY / found['online'] / 1e6:.0f}",
                f"{1e3 * found['board']:.1f}",
                f"{peak:.2f}",
            )


def rows_of_contests(most: int) -> Iterator[tuple[str, ...]]:
    """Rows of seasons."""
    for system in CONTESTS:
        for players in (100_000, 1_000_000, 10_000_000):
            if players > most:
                continue
            found, peak = measured("contests", system, players)
            rows = players * SEASON
            yield (
                system,
                f"{players:,}",
                f"{found['seconds']:.0f}",
                f"{rows / found['seconds'] / 1e6:.2f}",
                f"{found['bytes']:.0f}",
                f"{peak:.2f}",
            )


TABLES: dict[str, tuple[str, list[str], Callable[[int], Iterator[tuple[str, ...]]]]] = {
    "numbers": (
        "As many matches a day as players, who are numbers",
        ["system", ">players", ">s a day", ">M matches/s", ">G possible a day", ">bytes each", ">GB peak"],
        rows_of_numbers,
    ),
    "names": (
        "The same with names: podium.rate, then a ladder match by match",
        [
            "system",
            ">players",
            ">s in bulk",
            ">µs a match",
            ">M possible a day",
            ">ms leaderboard(top=10)",
            ">GB peak",
        ],
        rows_of_names,
    ),
    "contests": (
        f"Ten contests for everybody, {FIELD:,} in each (of large seasons 200 contests, scaled)",
        ["system", ">players", ">s a season", ">M rows/s", ">bytes each", ">GB peak"],
        rows_of_contests,
    ),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"some of {', '.join(TABLES)}")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="no table has more players than this")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        use_one_thread()
        kind, system, players = arguments.one
        print(json.dumps(KINDS[kind](system, int(players))))
        return
    print_machine()
    for name in arguments.tables or TABLES:
        title, columns, rows = TABLES[name]
        print_table(title, columns, rows(arguments.most))


if __name__ == "__main__":
    main()
