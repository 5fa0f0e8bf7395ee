"""Weng–Lin beside openskill, TrueSkill beside trueskill; and what all of them predict of real teams.

    python benchmarks/teams.py ../shared/data

Runs in podium's environment, with one thread; openskill and trueskill run in processes of their own with the
interpreter given by `--peers`, on the same events with the same parameters. Ratios go by CPU time. `--quick`
makes everything small but the data.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
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
    use_one_thread,
    verdict,
)

use_one_thread()

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402

import podium  # noqa: E402
from podium.simulation.populations import synthetic_contests  # noqa: E402
from podium.systems import Sides  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVELS = {"openskill": 30.0, "trueskill": 50.0}
"""How many times as fast as each."""

MODELS = {
    "plackett-luce": (50, 5),
    "bradley-terry-full": (10, 1),
    "thurstone-mosteller-full": (10, 1),
    "bradley-terry-part": (10, 10),
    "thurstone-mosteller-part": (10, 10),
}
"""For each model, thousands of matches and contests that openskill gets; its time is linear in both.

With full Bradley–Terry pairing it overflows in the second contest of 2,500."""

SAME = ("plackett-luce", "bradley-terry-full", "thurstone-mosteller-full")
"""Models that openskill computes as the paper has them."""

SURVIVED = {8: 200, 50: 40, 100: 20}
"""Sides of free-for-alls that the package trueskill survives (not 200), and how many it gets."""
MARGIN = {"draw_rate": 0.1}
"""What the package trueskill starts from."""

DATA = ("rocketleague.teams.csv.gz", "halo2_largeteam.teams.csv.gz")
PREDICTING = [
    ("weng-lin", {}),
    ("weng-lin", {"model": "thurstone-mosteller-full"}),
    ("weng-lin", {"model": "one-match"}),
    ("trueskill", {}),
    ("trueskill", MARGIN),
    ("elo-mmx", {}),
    ("elo", {"k": 64.0}),
]
"""podium's systems whose predictions are scored. Elo and Elo-MMχ take the mean of a team."""
PEERS_PREDICTING = ("openskill:plackett-luce", "openskill:thurstone-mosteller-full", "trueskill")


# ---------------------------------------------------------------------------------------------------------
# Events, and both sides rating them


def matches_of_four(n: int, players: int) -> podium.History:
    """Two against two: anybody may meet anybody, and the stronger team is likelier to win."""
    chance = np.random.default_rng(8)
    skill = chance.normal(25.0, 6.0, players)
    seats = chance.integers(0, players, (n, 4))
    while (again := (np.diff(np.sort(seats)) == 0).any(axis=1)).any():  # nobody sits twice at a table
        seats[again] = chance.integers(0, players, (int(again.sum()), 4))
    shown = chance.normal(skill[seats], 6.0)
    first_wins = shown[:, :2].sum(axis=1) > shown[:, 2:].sum(axis=1)
    rank = np.where(first_wins[:, None], [1, 1, 2, 2], [2, 2, 1, 1])
    columns = {
        "event": np.repeat(np.arange(n), 4),
        "player": seats.ravel(),
        "rank": rank.ravel(),
        "team": np.tile([1, 1, 2, 2], n),
    }
    return podium.History.from_frame(pl.DataFrame(columns))


def save(history: podium.History, folder: Path) -> Path:
    """Write a history where `peer_teams.py` finds it."""
    folder.mkdir()
    side = history.side
    if side is None:
        side = np.arange(history.rows) - np.repeat(history.offsets[:-1], history.sizes)
    columns = {"offsets": history.offsets, "player": history.player, "rank": history.rank, "side": side}
    for name, column in {**columns, "n_players": len(history.players)}.items():
        np.save(folder / f"{name}.npy", column)
    return folder


@dataclass(frozen=True)
class Peers:
    """The peers' interpreter."""

    python: Path

    def rate(self, folder: Path, method: str, *options: str) -> Timing:
        """Time a method over the events of a folder."""
        answer = run_fresh([self.python, HERE / "peer_teams.py", folder, method, *options]).answer
        return Timing(answer["wall"], answer["cpu"])


def apart(history: podium.History, system: podium.RatingSystem, theirs: NDArray[np.float64]) -> float:
    """By how much ratings and deviations differ at most."""
    state = system.new_state(len(history.players))
    system.update(state, history, trace=False)
    ours = system.ratings(state)
    played = np.unique(history.player)
    both = np.stack([ours.mu, np.asarray(ours.sigma)], axis=1)
    return float(np.abs(both - theirs)[played].max())


@dataclass(frozen=True)
class Race:
    """A system of podium's and a peer's on the same events, of which the peer gets the first few."""

    what: str
    history: podium.History
    folder: Path
    system: podium.RatingSystem
    label: str
    method: str
    limit: int
    same: bool
    """Whether both compute the same."""
    repeats: int = 2

    def run(self, peers: Peers | None) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """A row of the table of times, and one of levels."""
        podium.rate(self.history[:2], self.system)  # whatever is compiled or loaded on first use
        ours = best_of(self.repeats, lambda: podium.rate(self.history, self.system).ratings)
        row = (self.what, self.label, f"{1000 * ours.cpu:,.4g}")
        if peers is None:
            return (*row, "", "", "", ""), None
        theirs = peers.rate(self.folder, self.method, "--limit", str(self.limit))
        whole = theirs.cpu * len(self.history) / self.limit
        ratio, level = whole / ours.cpu, LEVELS[self.method.partition(":")[0]]
        difference = "another formula"
        if self.same:
            after = np.load(self.folder / f"{self.method}.npy")
            difference = f"{apart(self.history[: self.limit], self.system, after):.0e}"
        times = (f"{1000 * whole:,.0f}", f"{self.limit:,}", f"{ratio:,.0f}×", difference)
        reached = (f"{self.what}, {self.label}", f"≥ {level:g}×", f"{ratio:,.0f}×", verdict(ratio >= level))
        return (*row, *times), reached


def weng_lin_races(small: int, folder: Path) -> list[Race]:
    """Two against two, and contests."""
    teams = matches_of_four(100_000 // small, 10_000 // small)
    contests = synthetic_contests(10_000 // small, 50 // small, 2_500 // small).history
    races = []
    for what, history, repeats in (("100,000 × 2v2", teams, 5), ("50 × 2,500", contests, 2)):
        saved = save(history, folder / f"events-{len(history)}")
        for model, (thousands, few) in MODELS.items():
            limit = 1000 * thousands // small if history is teams else few
            system = podium.WengLin(model=model)
            method, same = f"openskill:{model}", model in SAME
            races.append(
                Race(what, history, saved, system, f"weng-lin {model}", method, limit, same, repeats)
            )
    return races


def trueskill_races(small: int, folder: Path) -> list[Race]:
    """Duels, and free-for-alls of the sizes that the package survives."""
    chance = np.random.default_rng(5)
    players = 10_000 // small
    one = chance.integers(0, players, 100_000 // small)
    other = (one + chance.integers(1, players, len(one))) % players
    histories = {"100,000 × 1v1": (podium.History.from_matches(one, other, 1.0), 5_000 // small)}
    for sides, few in SURVIVED.items():
        contests = synthetic_contests(2_000, 20_000 // sides // small, sides).history
        histories[f"{20_000 // sides:,} × {sides}"] = contests, max(few // small, 1)
    system = podium.TrueSkill(**MARGIN)
    races = []
    for number, (what, (history, limit)) in enumerate(histories.items()):
        saved = save(history, folder / f"trueskill-{number}")
        races.append(Race(what, history, saved, system, "trueskill", "trueskill", limit, True))
    return races


def measure_speed(quick: bool, peers: Peers | None, folder: Path) -> None:
    """All ratios."""
    small = 10 if quick else 1
    rows, levels = [], []
    for race in weng_lin_races(small, folder) + trueskill_races(small, folder):
        row, level = race.run(peers)
        rows.append(row)
        if level is not None:
            levels.append(level)
    print_table(
        "podium.rate(history, system).ratings beside the peers' rate, event by event; CPU time",
        ["events", "system", ">podium ms", ">peer ms", ">of events", ">podium is", ">apart"],
        rows,
    )
    console.print(
        "A peer's time is that of so many events, scaled to all; apart: the most that ratings and deviations "
        "differ after them. openskill's partial pairing is with up to eight sides, the paper's with two. "
        "trueskill stops when messages move by less than 1e-4; its normal distribution is good to 1e-7.\n"
    )
    if levels:
        print_table("Levels", ["what", ">level", ">reached", "met"], levels)
    contest = synthetic_contests(2_500, 1, 2_500).history
    podium.rate(contest[:1], podium.TrueSkill())
    timing = best_of(3, lambda: podium.rate(contest, podium.TrueSkill()))
    console.print(
        f"One contest of 2,500, where trueskill fails, as it does from 200 on: {1000 * timing.cpu:.1f} ms\n"
    )


# ---------------------------------------------------------------------------------------------------------
# Predictions


def expectations(history: podium.History, system: podium.RatingSystem) -> NDArray[np.float64]:
    """What the system expects of side 0 against side 1, before it rates each event."""
    assert history.side is not None
    state = system.new_state(len(history.players))
    expected = np.empty(len(history))
    for e in range(len(history)):
        rows = slice(history.offsets[e], history.offsets[e + 1])
        player, side = history.player[rows].astype(np.int64), history.side[rows]
        a, b = (Sides(player[side == s], np.array([0, np.sum(side == s)])) for s in (0, 1))
        expected[e] = system.predict(state, a, b, at=int(history.time[e]))[0]
        system.update(state, history[e : e + 1], trace=False)
    return expected


def score_of(history: podium.History) -> NDArray[np.float64]:
    """Of side 0 in each event: 1, ½ or 0."""
    assert history.side is not None
    rank = np.empty((len(history), 2))
    for s in (0, 1):
        rows = np.flatnonzero(history.side == s)
        rank[history.event_of_row[rows], s] = history.rank[rows]
    score: NDArray[np.float64] = 0.5 + 0.5 * np.sign(rank[:, 1] - rank[:, 0])
    return score


def quality(expected: NDArray[np.float64], score: NDArray[np.float64]) -> tuple[str, str]:
    """Accuracy in decided events (an even prediction is half right), and log loss, over the second half."""
    half = len(score) // 2
    p, s = np.clip(expected[half:], 1e-15, 1 - 1e-15), score[half:]
    decided = s != 0.5
    right = 0.5 + 0.5 * np.sign(p - 0.5) * np.sign(s - 0.5)
    loss = -(s * np.log(p) + (1 - s) * np.log1p(-p))
    return f"{100 * right[decided].mean():.2f}", f"{loss.mean():.4f}"


def measure_predictions(data: Path, peers: Peers | None, folder: Path) -> None:
    """Real teams: everything is predicted before it is rated."""
    for name in DATA:
        if not (data / name).exists():
            console.print(f"skipped: {data / name} does not exist\n")
            continue
        history = podium.read_history(data / name)
        history = history.filter(history.sides_per_event == 2)
        score = score_of(history)
        rows = []
        for system, parameters in PREDICTING:
            expected = expectations(history, podium.make_system(system, **parameters))
            changed = ", ".join(f"{name} {value}" for name, value in parameters.items())
            rows.append((f"podium {system} {changed}", *quality(expected, score)))
        if peers is not None:
            saved = save(history, folder / name)
            for method in PEERS_PREDICTING:
                timing = peers.rate(saved, method, "--predict")
                expected = np.load(saved / f"{method}.expected.npy")
                rows.append((f"{method} ({timing.cpu:.0f} s)", *quality(expected, score)))
        print_table(
            f"{name}: {len(history):,} matches, the second half scored",
            ["system", ">accuracy %", ">log loss"],
            rows,
        )


def main() -> None:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data", type=Path, nargs="?", default=REPOSITORY / "../shared/data", help="folder of real results"
    )
    parser.add_argument("--peers", type=Path, default=REPOSITORY / ".venv-peers/bin/python", metavar="PYTHON")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, for which the levels are not meant"
    )
    arguments = parser.parse_args()
    print_machine()
    peers = Peers(arguments.peers) if arguments.peers.exists() else None
    if peers is None:
        console.print(f"no peers: {arguments.peers} does not exist (make bench installs them)\n")
    with temporary_folder() as folder:
        measure_speed(arguments.quick, peers, folder)
        measure_predictions(arguments.data, peers, folder)


if __name__ == "__main__":
    main()
