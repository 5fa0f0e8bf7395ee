"""Elo-MMR, Elo-MMχ, Elo-R, Codeforces, Topcoder and TrueSkill over large contests, beside elo-mmr-py.

    python benchmarks/contests.py ../shared/data/atcoder_2016_2023.results.parquet

Runs in podium's environment; elo-mmr-py, the published program with a Python interface, runs in a process of
its own with the interpreter given by `--peers`, on the same contests with the same parameters. Both have all
cores (CPU time is that of all threads); levels go by wall time. `--quick` makes everything small but DATA;
`--exact` lets the peer's exact mode rate 10,000 players instead of scaling up what it takes for 2,500.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

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
    verdict,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    import podium

DATA = REPOSITORY / "../shared/data/atcoder_2016_2023.results.parquet"
DAY = 86_400_000_000
"""In microseconds."""

FAST, EXACT = "mmr-fast", "mmr"
"""The peer's names of its logistic systems: with subsampling, and without."""

COMPARED = {"codeforces": ("cfsys", 100.0), "topcoder": ("tcsys", 50.0)}
"""The systems of the paper's comparisons: what the peer calls them, and how many times as fast to be."""

FAST_LEVEL, EXACT_LEVEL, SYNTHETIC_LEVEL = 60.0, 3000.0, 30.0
"""How many times as fast as the peer."""
AGREEMENT_LEVEL = 1e-6
"""Points."""
SETTLED_LEVEL = 6.0
"""Milliseconds for one contest of settled players."""
MILLION_LEVELS = {"elo-mmr": 0.5, "elo-mmx": 0.9, "codeforces": 1.0, "topcoder": 1.0}
"""Seconds for one contest of a million."""
GROWTH_LEVEL = 1.5
"""From 10,000 to a million players, time for each of them; with n log n it would grow by as much as this."""
SEASON_LEVELS = {"elo-mmr": (3.0, 3.6), "trueskill": (5.0, 5.0)}
"""Seconds of wall and CPU time for a season as large as all of Codeforces in the Elo-MMR paper."""
DATA_LEVELS, DATA_MEMORY_LEVEL = {"elo-mmr": 5.0, "elo-mmx": 5.0, "elo-r": 6.0}, 1500.0
COLD_LEVEL = 15.0

TIMED = 5
"""Contests timed one by one after the earlier ones; the fastest counts."""

PODIUM_CORES, PEER_CORES = 1, 2
"""Cores that each keeps busy; the peer uses more where there are more, which counts in its wall time."""
DISTURBED = 0.8
"""The part of these cores below which something else must have had them."""

FIRST_CALL = """
import json, sys, time
start = time.perf_counter()
import podium
system = podium.make_system(sys.argv[1])
history = podium.History.from_events([{"ranks": {f"p{i}": i + 1 for i in range(100)}}])
import numba, polars
loaded = time.perf_counter()
podium.rate(history, system)
print(json.dumps({"load": loaded - start, "rate": time.perf_counter() - loaded}))
"""


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    players: int
    """In the contest of settled players."""
    earlier: int
    """Contests after which they are settled."""
    exact_players: int
    """For the peer's exact mode, whose time grows with the square."""
    growing: tuple[int, ...]
    synthetic: tuple[int, int, int]
    """Players, contests, participants in each."""
    season: tuple[int, int, int]
    """The same, where some play often and most seldom."""
    repeats: int


FULL = Sizes(10_000, 20, 2_500, (10_000, 100_000, 1_000_000), (10_000, 50, 2_500), (200_000, 1_087, 3_128), 3)
QUICK = Sizes(1_000, 20, 1_000, (1_000, 10_000), (1_000, 10, 250), (10_000, 50, 500), 1)
FEW_EARLIER = 2
"""Contests after which ratings are spread, though not settled; for what takes long."""


@dataclass
class Levels:
    """What is to be reached, and what is."""

    rows: list[tuple[str, ...]] = field(default_factory=list)

    def judge(self, what: str, level: str, reached: str, met: bool) -> None:
        """Note whether a level is reached."""
        self.rows.append((what, level, reached, verdict(met)))

    def below(self, what: str, level: float, value: float, unit: str) -> None:
        """Note whether a value is below its level."""
        self.judge(what, f"< {level:,g} {unit}", f"{value:,.4g} {unit}", value < level)

    def faster(self, what: str, level: float, ratio: float) -> None:
        """Note whether podium is so many times as fast."""
        self.judge(what, f"≥ {level:,g}×", f"{ratio:,.4g}×", ratio >= level)


# ---------------------------------------------------------------------------------------------------------
# Fresh processes: these come first, as a child's peak memory is never seen below that of its parent


def measure_cold(levels: Levels, repeats: int) -> None:
    """The first `rate` of a process with an empty cache of compiled kernels."""
    rows = []
    for name in ("elo-mmr", "elo-mmx", "elo-r", *COMPARED):
        processes = []
        for _ in range(repeats):
            with temporary_folder() as cache:
                environment = {"NUMBA_CACHE_DIR": os.fspath(cache)}
                processes.append(run_fresh([sys.executable, "-c", FIRST_CALL, name], environment))
        process = min(processes, key=lambda p: p.answer["rate"])
        call = process.answer["rate"]
        rows.append((name, f"{process.answer['load']:.2f}", f"{call:.2f}", f"{process.wall:.2f}"))
        levels.below(f"{name}, cold first call", COLD_LEVEL, call, "s")
    print_table(
        "First podium.rate of a fresh process, cache of kernels empty: a contest of 100; seconds",
        ["system", ">load", ">first rate", ">process"],
        rows,
    )


def measure_data(levels: Levels, data: Path, repeats: int) -> None:
    """The whole command `podium rate`, kernels compiled and the file in the system's cache."""
    if not data.exists():
        console.print(f"skipped: {data} does not exist\n")
        return
    rows = []
    with temporary_folder() as folder:
        environment = {"NUMBA_CACHE_DIR": os.fspath(folder / "cache")}
        for name, level in DATA_LEVELS.items():
            command_line = Path(sys.executable).with_name("podium")
            out = folder / "ratings.parquet"
            command = [command_line, "rate", data, "--system", name, "--out", out]
            cold = run_fresh(command, environment)
            processes = [run_fresh(command, environment) for _ in range(repeats)]
            wall, peak = min(p.wall for p in processes), max(p.peak_mb for p in processes)
            rows.append((name, f"{wall:.2f}", f"{peak:,.0f}", f"{cold.wall:.2f}", cold.output.split("\n")[0]))
            levels.below(f"{name}, podium rate {data.name}", level, wall, "s")
            levels.below(f"{name}, its peak memory", DATA_MEMORY_LEVEL, peak, "MB")
    print_table(
        f"podium rate {data.name} --system … --out ratings.parquet: a fresh process, warm cache",
        ["system", ">wall s", ">peak MB", ">wall s, cold", "what it says"],
        rows,
    )


# ---------------------------------------------------------------------------------------------------------
# Contests, and both sides rating them


def settling(players: int, contests: int) -> podium.History:
    """Contests in which all players take part."""
    from podium.simulation.populations import synthetic_contests

    return synthetic_contests(players, contests, players).history


def save(history: podium.History, folder: Path) -> Path:
    """Write a history where `peer_contests.py` finds it."""
    import numpy as np

    folder.mkdir()
    columns = {"offsets": history.offsets, "player": history.player, "rank": history.rank}
    for name, column in {**columns, "day": history.time // DAY, "n_players": len(history.players)}.items():
        np.save(folder / f"{name}.npy", column)
    return folder


def rate_last(
    history: podium.History, system: podium.RatingSystem, earlier: int
) -> tuple[Timing, podium.Ladder]:
    """Time `podium.rate` for each contest after the earlier ones: the fastest, and the ladder at the end."""
    import podium

    podium.rate(history[:1], system)  # whatever is compiled or loaded on first use
    ladder = podium.rate(history[:earlier], system).ladder
    contests = [history[number : number + 1] for number in range(earlier, len(history))]
    timings = [best_of(1, lambda c=contest: podium.rate(c, system, ladder=ladder)) for contest in contests]
    return min(timings, key=lambda timing: timing.wall), ladder


@dataclass(frozen=True)
class Peer:
    """The peer's interpreter."""

    python: Path

    def rate_last(self, folder: Path, system: str, earlier: int) -> Timing:
        """Time `Rater.add` for each contest after the earlier ones: the fastest."""
        return self._run(folder, system, "--earlier", str(earlier))

    def rate_all(self, folder: Path, system: str, repeats: int) -> Timing:
        """Time `rate_latest` for all contests."""
        return self._run(folder, system, "--repeat", str(repeats))

    def _run(self, folder: Path, system: str, *options: str) -> Timing:
        command = [self.python, HERE / "peer_contests.py", folder, system, *options]
        answer = run_fresh(command).answer
        return Timing(answer["wall"], answer["cpu"])


@dataclass
class Differences:
    """By how much podium's final ratings differ from the peer's."""

    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, what: str, folder: Path, system: str, ladder: podium.Ladder) -> float:
        """Note the largest difference of a rating or deviation, in points."""
        import numpy as np

        theirs = np.load(folder / f"{system}.npy")
        if not ladder.system.has_sigma:
            theirs[:, 1] = np.nan  # the peer carries a deviation along
        apart = np.abs(theirs - _beliefs(ladder))
        played = np.isfinite(theirs[:, 0])
        rating, deviation = np.nan_to_num(apart[played]).max(axis=0)
        rms = float(np.sqrt(np.mean(apart[played, 0] ** 2)))
        self.rows.append((what, system, f"{rating:.1e}", f"{rms:.1e}", f"{deviation:.1e}"))
        return float(max(rating, deviation))

    def print(self) -> None:
        """The table."""
        print_table(
            "podium and the peer after the same contests: differences in points",
            ["contests", "peer's system", ">rating, largest", ">rating, rms", ">deviation, largest"],
            self.rows,
        )


def _beliefs(ladder: podium.Ladder) -> NDArray[np.float64]:
    """Ratings and deviations by player; a player's name is p and a number."""
    import numpy as np

    frame = ladder.ratings()
    number = frame["player"].str.slice(1).cast(int).to_numpy()
    beliefs = np.full((len(ladder.players), 2), np.nan)
    beliefs[number] = frame.select("mu", "sigma").to_numpy()
    return beliefs


# ---------------------------------------------------------------------------------------------------------
# One contest


@dataclass
class Speeds:
    """Rows of a table of timings, each beside podium's."""

    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, what: str, who: str, timing: Timing, ours: Timing | None = None, note: str = "") -> float:
        """Note a timing; how many times as long as podium's it is, by wall time.

        What other programs took from a disturbed peer is not held against it: it is given all its cores.
        """
        cores = PODIUM_CORES if ours is None else min(PEER_CORES, os.cpu_count() or 1)
        free = timing.wall
        if timing.cpu < DISTURBED * cores * timing.wall:
            note = ", ".join(filter(None, (note, "disturbed")))
            free = timing.cpu / cores
        ours = ours or timing
        ratio, cpu_ratio = timing.wall / ours.wall, timing.cpu / ours.cpu
        ratios = ("", "") if ours is timing else (f"{ratio:,.1f}×", f"{cpu_ratio:,.1f}×")
        self.rows.append(
            (what, who, f"{1000 * timing.wall:,.1f}", f"{1000 * timing.cpu:,.1f}", *ratios, note)
        )
        return free / ours.wall

    def print(self, title: str) -> None:
        """The table."""
        columns = ["contests", "who", ">wall ms", ">CPU ms", ">podium is", ">by CPU", "note"]
        print_table(title, columns, self.rows)
        if any("disturbed" in row[-1] for row in self.rows):
            console.print(
                "[red]disturbed[/]: less CPU time than its threads could have had, so other programs were "
                "running. Levels take the peer's wall time as if its threads had had a core each; where "
                "podium is disturbed, run it again.\n"
            )


def measure_settled(
    levels: Levels, differences: Differences, sizes: Sizes, peer: Peer | None, folder: Path, *, exact: bool
) -> None:
    """One contest of players with settled, spread ratings."""
    import podium

    speeds, system = Speeds(), podium.EloMMR()
    ours = {}
    for earlier in (FEW_EARLIER, sizes.earlier):
        what = f"{sizes.players:,} players, {earlier} earlier"
        history = settling(sizes.players, earlier + TIMED)
        ours[earlier], ladder = rate_last(history, system, earlier)
        speeds.add(what, "podium elo-mmr", ours[earlier])
        if earlier == sizes.earlier:
            milliseconds = 1000 * ours[earlier].wall
            levels.below(f"elo-mmr, one contest of {what}", SETTLED_LEVEL, milliseconds, "ms")
        if peer is None:
            continue
        saved = save(history, folder / f"settled-{earlier}")
        ratio = speeds.add(what, FAST, peer.rate_last(saved, FAST, earlier), ours[earlier])
        if earlier == sizes.earlier:
            levels.faster(f"one contest of {what}, against {FAST}", FAST_LEVEL, ratio)
        differences.add(f"{len(history)} × {sizes.players:,}", saved, FAST, ladder)
    if peer is not None:
        players = sizes.players if exact else sizes.exact_players
        what = f"{sizes.players:,} players, {FEW_EARLIER} earlier"
        theirs = _exact(differences, peer, players, folder)
        note = ""
        if players != sizes.players:
            note = f"extrapolated from {1000 * theirs.wall:,.0f} ms for {players:,}"
            scale = (sizes.players / players) ** 2
            theirs = Timing(theirs.wall * scale, theirs.cpu * scale)
        ratio = speeds.add(what, EXACT, theirs, ours[FEW_EARLIER], note)
        extrapolated = " (extrapolated)" if note else ""
        levels.faster(f"one contest of {what}, against {EXACT}{extrapolated}", EXACT_LEVEL, ratio)
    speeds.print(f"One contest in which everybody plays, after so many earlier ones; the fastest of {TIMED}")
    console.print(
        "podium: podium.rate(one_contest, system, ladder=ladder), one call a contest, the ladder having "
        "rated the earlier ones.\nelo-mmr-py: Rater.add(contest) of a Rater that was given the earlier ones; "
        f"its Contest objects are made before. {EXACT} was timed on one contest.\n"
    )


def _exact(differences: Differences, peer: Peer, players: int, folder: Path) -> Timing:
    """The peer's exact mode: one contest after a few, in which everybody plays."""
    import podium

    history = settling(players, FEW_EARLIER + 1)
    saved = save(history, folder / "exact")
    timing = peer.rate_last(saved, EXACT, FEW_EARLIER)
    ladder = podium.rate(history, podium.EloMMR()).ladder
    differences.add(f"{len(history)} × {players:,}", saved, EXACT, ladder)
    return timing


def measure_growth(levels: Levels, sizes: Sizes) -> None:
    """One contest of more and more players."""
    import podium

    rows = []
    for system in (podium.EloMMR(), podium.EloMMX(), podium.Codeforces(), podium.Topcoder()):
        name, each = system.name, []
        for players in sizes.growing:
            timing, _ = rate_last(settling(players, FEW_EARLIER + 2), system, FEW_EARLIER)
            each.append(timing.wall / players)
            rows.append(
                (
                    name,
                    f"{players:,}",
                    f"{timing.wall:.4f}",
                    f"{timing.cpu:.4f}",
                    f"{1e9 * each[-1]:,.0f}",
                    f"{each[-1] / each[0]:.2f}×",
                )
            )
        levels.below(f"{name}, one contest of {players:,}", MILLION_LEVELS[name], timing.wall, "s")
        levels.judge(
            f"{name}, time for each player, {players:,} against {sizes.growing[0]:,}",
            f"≤ {GROWTH_LEVEL:g}×",
            f"{each[-1] / each[0]:.2f}×",
            each[-1] <= GROWTH_LEVEL * each[0],
        )
    print_table(
        f"One contest of more and more players, {FEW_EARLIER} earlier: podium.rate, the faster of two",
        ["system", ">players", ">wall s", ">CPU s", ">ns a player", ">growth"],
        rows,
    )


# ---------------------------------------------------------------------------------------------------------
# Many contests


def measure_synthetic(
    levels: Levels, differences: Differences, sizes: Sizes, peer: Peer | None, folder: Path
) -> None:
    """The synthetic set of the Elo-MMR paper."""
    import podium
    from podium.simulation.populations import synthetic_contests

    players, contests, participants = sizes.synthetic
    history, system = synthetic_contests(players, contests, participants).history, podium.EloMMR()
    what, speeds = f"{contests} × {participants:,} of {players:,}", Speeds()
    podium.rate(history[:1], system)
    ours = min(
        (best_of(1, lambda: podium.rate(history, system).ratings) for _ in range(3)), key=lambda t: t.wall
    )
    speeds.add(what, "podium elo-mmr", ours)
    if peer is not None:
        saved, ladder = save(history, folder / "synthetic"), podium.rate(history, system).ladder
        for name, repeats in ((FAST, sizes.repeats), (EXACT, 1)):
            ratio = speeds.add(what, name, peer.rate_all(saved, name, repeats), ours)
            apart = differences.add(what, saved, name, ladder)
            if name == FAST:
                levels.faster(f"{what}, against {FAST}", SYNTHETIC_LEVEL, ratio)
            else:
                reached = f"{apart:.1e} points"
                level = f"≤ {AGREEMENT_LEVEL:g} points"
                levels.judge(f"{what}, apart from {EXACT}", level, reached, apart <= AGREEMENT_LEVEL)
    speeds.print("Many contests: podium.rate(history, system).ratings beside rate_latest(contests, system)")


def measure_season(levels: Levels, sizes: Sizes) -> None:
    """As many contests and results as Codeforces had in the Elo-MMR paper."""
    import podium
    from podium.simulation import Contests, People, simulate_contests

    players, contests, participants = sizes.season
    people = People(players=players, skill_deviation=350.0, drift=35.0, activity=1.5)
    season = Contests(contests=contests, participants=participants, rounding=1.0)  # there are ties
    history, rows = simulate_contests(people, season, seed=0).history(), []
    what = f"{contests:,} contests, {len(history.player):,} rows"
    for name, (wall, cpu) in SEASON_LEVELS.items():
        system = podium.make_system(name)
        podium.rate(history[:1], system)
        timing = best_of(sizes.repeats, lambda s=system: podium.rate(history, s))
        each = 1e9 * timing.cpu / len(history.player)
        rows.append((name, f"{timing.wall:.2f}", f"{timing.cpu:.2f}", f"{each:,.0f}"))
        levels.below(f"{name}, {what}", wall, timing.wall, "s")
        levels.below(f"{name}, {what}, CPU time", cpu, timing.cpu, "s")
    print_table(
        f"A season of {what}, most by a few of {players:,} players: podium.rate, the fastest of "
        f"{sizes.repeats}",
        ["system", ">wall s", ">CPU s", ">ns a row"],
        rows,
    )


def measure_compared(
    levels: Levels, differences: Differences, sizes: Sizes, peer: Peer | None, folder: Path
) -> None:
    """The same set in the systems that the paper compares with."""
    import podium
    from podium.simulation.populations import synthetic_contests

    players, contests, participants = sizes.synthetic
    history = synthetic_contests(players, contests, participants).history
    what, speeds = f"{contests} × {participants:,} of {players:,}", Speeds()
    saved = save(history, folder / "compared")
    for name, (theirs, level) in COMPARED.items():
        system = podium.make_system(name)
        podium.rate(history[:1], system)
        timings = [best_of(1, lambda s=system: podium.rate(history, s).ratings) for _ in range(3)]
        ours = min(timings, key=lambda timing: timing.wall)
        speeds.add(what, f"podium {name}", ours)
        if peer is None:
            continue
        ratio = speeds.add(what, theirs, peer.rate_all(saved, theirs, 1), ours)
        levels.faster(f"{what}, {name} against {theirs}", level, ratio)
        apart = differences.add(what, saved, theirs, podium.rate(history, system).ladder)
        agreed, reached = f"≤ {AGREEMENT_LEVEL:g} points", f"{apart:.1e} points"
        levels.judge(f"{what}, apart from {theirs}", agreed, reached, apart <= AGREEMENT_LEVEL)
    speeds.print("Many contests in the systems of the paper's comparisons, in the same calls")


# ---------------------------------------------------------------------------------------------------------


def main() -> None:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=DATA, metavar="DATA", help="AtCoder's results")
    parser.add_argument("--peers", type=Path, default=REPOSITORY / ".venv-peers/bin/python", metavar="PYTHON")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, for which the levels are not meant"
    )
    parser.add_argument("--exact", action="store_true", help="the peer's exact mode at full size: minutes")
    arguments = parser.parse_args()
    sizes = QUICK if arguments.quick else FULL

    print_machine()
    levels, differences = Levels(), Differences()
    measure_cold(levels, min(sizes.repeats, 2))
    measure_data(levels, arguments.data, sizes.repeats)
    peer = Peer(arguments.peers) if arguments.peers.exists() else None
    if peer is None:
        console.print(f"no peer: {arguments.peers} does not exist (make bench installs it)\n")
    with temporary_folder() as folder:
        measure_settled(levels, differences, sizes, peer, folder, exact=arguments.exact)
        measure_growth(levels, sizes)
        measure_season(levels, sizes)
        measure_synthetic(levels, differences, sizes, peer, folder)
        measure_compared(levels, differences, sizes, peer, folder)
    if differences.rows:
        differences.print()
    print_table("Levels", ["what", ">level", ">reached", "met"], levels.rows)


if __name__ == "__main__":
    main()
