"""One peer, one system, the matches of a folder: runs in the peers' environment and prints one line of JSON.

    .venv-peers/bin/python benchmarks/peer_pairwise.py FOLDER riix-glicko --repeat 3

FOLDER holds a.npy, b.npy (player indices), score.npy (of a: 0, ½ or 1), day.npy and n_players.npy. The final
ratings are written to FOLDER/<method>.npy, so that the caller can see whether they are podium's.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

K, INITIAL, SCALE = 32.0, 1500.0, 400.0

Run = Callable[[], Any]
"""What is timed; gives an array by player, or a pandas Series with players as its index."""


@dataclass(frozen=True)
class Matches:
    """The input all peers share."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    score: NDArray[np.float64]
    day: NDArray[np.int64]
    n_players: int

    @classmethod
    def load(cls, folder: Path, limit: int | None) -> Matches:
        """The first `limit` matches of a folder."""
        a, b, score, day = (np.load(folder / f"{name}.npy")[:limit] for name in ("a", "b", "score", "day"))
        return cls(a.astype(np.int64), b.astype(np.int64), score, day, int(np.load(folder / "n_players.npy")))


# ---------------------------------------------------------------------------------------------------------
# Each peer makes its input ready, and hands back what is to be timed


def evalica_elo(matches: Matches) -> Run:
    """The call of evalica's documentation: it finds out itself who the players are."""
    import evalica

    winners = _evalica_winners(matches).tolist()

    return lambda: evalica.elo(matches.a, matches.b, winners, initial=INITIAL, scale=SCALE, k=K).scores


def evalica_elo_indexed(matches: Matches) -> Run:
    """The same with the index of players given, which is what podium's history has already."""
    import evalica
    import pandas as pd

    winners = _evalica_winners(matches).tolist()
    index = pd.Index(np.arange(matches.n_players))

    return lambda: (
        evalica.elo(matches.a, matches.b, winners, index=index, initial=INITIAL, scale=SCALE, k=K).scores
    )


def evalica_elo_solver(matches: Matches) -> Run:
    """The private Rust function below `evalica.elo`, with arrays of just the types it takes."""
    from evalica import _brzo

    a, b = matches.a.astype(np.uint64), matches.b.astype(np.uint64)
    winners, weights = _evalica_winners(matches).astype(np.uint8), np.ones(len(matches.a))

    return lambda: _brzo.elo(
        xs=a,
        ys=b,
        winners=winners,
        weights=weights,
        total=matches.n_players,
        initial=INITIAL,
        base=10.0,
        scale=SCALE,
        k=K,
        win_weight=1.0,
        tie_weight=0.5,
    )


def evalica_bradley_terry(matches: Matches) -> Run:
    """A fit of strengths that do not change, as exact as evalica makes it by default."""
    import evalica

    winners = _evalica_winners(matches).tolist()

    return lambda: evalica.bradley_terry(matches.a, matches.b, winners).scores


def _evalica_winners(matches: Matches) -> NDArray[np.int64]:
    return np.where(matches.score == 0.5, 0, np.where(matches.score == 1.0, 1, 2))


def riix_elo(matches: Matches) -> Run:
    """Sequential Elo."""
    from riix.models.elo import Elo

    dataset = _riix_dataset(matches, one_period=True)

    def run() -> NDArray[np.float64]:
        system = Elo(range(matches.n_players), initial_rating=INITIAL, k=K)
        system.fit_dataset(dataset)
        return system.ratings

    return run


def riix_glicko(matches: Matches) -> Run:
    """Glicko, match after match within one period: the deviations grow once, at its beginning."""
    from riix.models.glicko import Glicko

    dataset = _riix_dataset(matches, one_period=True)

    def run() -> NDArray[np.float64]:
        system = Glicko(range(matches.n_players), initial_rating=INITIAL, c=0.0)
        system.fit_dataset(dataset)
        return np.column_stack([system.ratings, system.rating_devs])

    return run


def riix_glicko2(matches: Matches) -> Run:
    """Glicko-2, match after match within one period; the deviations do not grow between matches."""
    from riix.models.glicko2 import Glicko2

    dataset = _riix_dataset(matches, one_period=True)

    def run() -> NDArray[np.float64]:
        system = Glicko2(range(matches.n_players), initial_rating=INITIAL)
        system.fit_dataset(dataset)
        return _glicko2_points(system)

    return run


def riix_glicko_days(matches: Matches) -> Run:
    """Glicko with days as rating periods, whose matches are simultaneous."""
    from riix.models.glicko import Glicko

    dataset = _riix_dataset(matches, one_period=False)

    def run() -> NDArray[np.float64]:
        system = Glicko(range(matches.n_players), initial_rating=INITIAL, c=15.0, update_method="batched")
        system.fit_dataset(dataset)
        return np.column_stack([system.ratings, system.rating_devs])

    return run


def riix_glicko2_days(matches: Matches) -> Run:
    """Glicko-2 with days as rating periods."""
    from riix.models.glicko2 import Glicko2

    dataset = _riix_dataset(matches, one_period=False)

    def run() -> NDArray[np.float64]:
        system = Glicko2(
            range(matches.n_players), initial_rating=INITIAL, update_method="batched", epsilon=1e-12
        )
        system.fit_dataset(dataset)
        return _glicko2_points(system)

    return run


def riix_yuksel(matches: Matches) -> Run:
    """Yuksel's Algorithm 2, with riix's own step (0.9) and first weight (0.01)."""
    from riix.models.yuksel_2024 import Yuksel2024

    dataset = _riix_dataset(matches, one_period=True)

    def run() -> NDArray[np.float64]:
        system = Yuksel2024(range(matches.n_players), initial_rating=INITIAL)
        system.fit_dataset(dataset)
        return np.column_stack([system.ratings, np.sqrt(system.V / system.W)])

    return run


def _riix_dataset(matches: Matches, *, one_period: bool) -> object:
    """riix's own container around our arrays: its reader of dataframes loses the order of rows."""
    from riix.utils.data_utils import MatchupDataset

    return MatchupDataset.init_from_arrays(
        time_steps=np.zeros(len(matches.a), np.int32) if one_period else matches.day.astype(np.int32),
        matchups=np.column_stack([matches.a, matches.b]),
        outcomes=matches.score,
        competitors=range(matches.n_players),
    )


def _glicko2_points(system: object) -> NDArray[np.float64]:
    points = 173.7178  # riix's constant: 400 / ln 10
    return np.column_stack([INITIAL + points * system.mus, points * system.phis])  # type: ignore[attr-defined]


def python_elo(matches: Matches) -> Run:
    """What one would write without any package: a loop over lists."""
    a, b, score = matches.a.tolist(), matches.b.tolist(), matches.score.tolist()

    def run() -> NDArray[np.float64]:
        ratings = [INITIAL] * matches.n_players
        for x, y, s in zip(a, b, score, strict=True):
            change = K * (s - 1.0 / (1.0 + 10.0 ** ((ratings[y] - ratings[x]) / SCALE)))
            ratings[x] += change
            ratings[y] -= change
        return np.array(ratings)

    return run


METHODS: dict[str, Callable[[Matches], Run]] = {
    "evalica-elo": evalica_elo,
    "evalica-elo-indexed": evalica_elo_indexed,
    "evalica-elo-solver": evalica_elo_solver,
    "evalica-bradley-terry": evalica_bradley_terry,
    "riix-elo": riix_elo,
    "riix-glicko": riix_glicko,
    "riix-glicko2": riix_glicko2,
    "riix-yuksel": riix_yuksel,
    "riix-glicko-days": riix_glicko_days,
    "riix-glicko2-days": riix_glicko2_days,
    "python-elo": python_elo,
}


def main() -> None:
    """Time one method, the fastest of several calls after a small one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=int, help="only so many of the matches")
    arguments = parser.parse_args()

    method = METHODS[arguments.method]
    method(Matches.load(arguments.folder, 100))()  # whatever is loaded or compiled on first use
    matches = Matches.load(arguments.folder, arguments.limit)
    run = method(matches)
    timings = []
    for _ in range(arguments.repeat):
        wall, cpu = time.perf_counter(), time.process_time()
        ratings = run()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        timings.append((cpu, wall))
    if hasattr(ratings, "reindex"):
        ratings = ratings.reindex(range(matches.n_players), fill_value=INITIAL).to_numpy()
    np.save(arguments.folder / f"{arguments.method}.npy", ratings)
    cpu, wall = min(timings)
    package = arguments.method.split("-")[0]
    print(
        json.dumps(
            {
                "version": "" if package == "python" else version(package),
                "matches": len(matches.a),
                "wall": wall,
                "cpu": cpu,
            }
        )
    )


if __name__ == "__main__":
    main()
