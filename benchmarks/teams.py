"""Weng–Lin over matches of teams and free-for-alls, beside openskill; and what it predicts of real teams.

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
from podium.lab.populations import synthetic_contests  # noqa: E402
from podium.systems import Sides  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 30.0
"""How many times as fast as openskill."""

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

DATA = ("rocketleague.teams.csv.gz", "halo2_largeteam.teams.csv.gz")
PREDICTING = [
    ("weng-lin", {}),
    ("weng-lin", {"model": "thurstone-mosteller-full"}),
    ("weng-lin", {"model": "one-match"}),
    ("elo", {"k": 64.0}),
]
"""podium's systems whose predictions are scored; one more joins by its name. Elo takes the mean of a team."""
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


def measure(
    what: str,
    history: podium.History,
    limits: dict[str, int],
    repeats: int,
    peers: Peers | None,
    folder: Path,
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Rows of the table of times, and of levels."""
    rows, levels = [], []
    for model, limit in limits.items():
        system = podium.make_system("weng-lin", model=model)
        podium.rate(history[:2], system)  # whatever is compiled or loaded on first use
        ours = best_of(repeats, lambda s=system: podium.rate(history, s).ratings)
        row = (what, model, f"{1000 * ours.cpu:,.0f}")
        if peers is None:
            rows.append((*row, "", "", "", ""))
            continue
        theirs = peers.rate(folder, f"openskill:{model}", "--limit", str(limit))
        whole = theirs.cpu * len(history) / limit
        ratio = whole / ours.cpu
        difference = "another formula"
        if model in SAME:
            after = np.load(folder / f"openskill:{model}.npy")
            difference = f"{apart(history[:limit], system, after):.0e}"
        rows.append((*row, f"{1000 * whole:,.0f}", f"{limit:,}", f"{ratio:,.0f}×", difference))
        levels.append((f"{what}, {model}", f"≥ {LEVEL:g}×", f"{ratio:,.0f}×", verdict(ratio >= LEVEL)))
    return rows, levels


def measure_speed(quick: bool, peers: Peers | None, folder: Path) -> None:
    """Both ratios."""
    small = 10 if quick else 1
    teams = matches_of_four(100_000 // small, 10_000 // small)
    contests = synthetic_contests(10_000 // small, 50 // small, 2_500 // small).history
    rows, levels = [], []
    for what, history, limits, repeats in (
        ("100,000 × 2v2", teams, {model: 1000 * n // small for model, (n, _) in MODELS.items()}, 5),
        ("50 × 2,500", contests, {model: n for model, (_, n) in MODELS.items()}, 2),
    ):
        title = f"{what} / {small}" if quick else what
        saved = save(history, folder / f"events-{len(history)}")
        more_rows, more_levels = measure(title, history, limits, repeats, peers, saved)
        rows += more_rows
        levels += more_levels
    print_table(
        "podium.rate(history, WengLin(model=…)).ratings beside openskill's rate, event by event; CPU time",
        ["events", "model", ">podium ms", ">openskill ms", ">of events", ">podium is", ">apart"],
        rows,
    )
    console.print(
        "openskill's time is that of so many events, scaled to all; apart: the largest difference of a "
        "rating or deviation after them. Its partial pairing is with up to eight others, the paper's with "
        "two.\n"
    )
    if levels:
        print_table("Levels", ["what", ">level", ">reached", "met"], levels)


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
