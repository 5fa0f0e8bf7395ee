"""openskill or trueskill on the events of a folder: runs in the peers' environment, prints one line of JSON.

    .venv-peers/bin/python benchmarks/peer_teams.py FOLDER openskill:plackett-luce --limit 10000

FOLDER holds offsets.npy (where each event begins), player.npy (indices), side.npy (of each row in its event),
rank.npy (1 is best, equal ranks are ties) and n_players.npy. The final ratings and deviations are written to
FOLDER/<method>.npy. With `--predict`, what the package expected of the first of two sides before each event
is written to FOLDER/<method>.expected.npy, and rating and predicting are timed together.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

Sides = list[list[Any]]
Rate = Callable[[Sides, list[int]], Sides]
Expect = Callable[[Sides], float]


def openskill_model(name: str) -> tuple[Callable[[], Any], Rate, Expect]:
    """A model with its defaults: what a newcomer is, how it rates, what it expects of the first side."""
    from openskill import models

    model = getattr(models, name.title().replace("-", ""))()
    return (
        model.rating,
        lambda sides, ranks: model.rate(sides, ranks=ranks),
        lambda s: model.predict_win(s)[0],
    )


def trueskill_model(name: str) -> tuple[Callable[[], Any], Rate, Expect]:
    """The package with its defaults; it has no prediction of its own, so it gets that of its model."""
    import trueskill

    environment = trueskill.TrueSkill()

    def expect(sides: Sides) -> float:
        members = [rating for side in sides for rating in side]
        difference = sum(rating.mu for rating in sides[0]) - sum(rating.mu for rating in sides[1])
        noise = sum(rating.sigma**2 + environment.beta**2 for rating in members)
        return 0.5 * math.erfc(-difference / math.sqrt(2.0 * noise))

    return environment.create_rating, lambda sides, ranks: environment.rate(sides, ranks), expect


PEERS = {"openskill": openskill_model, "trueskill": trueskill_model}

Seats = list[list[int]]


def load_events(folder: Path, limit: int | None) -> list[tuple[Seats, list[int]]]:
    """Who sat where, and the rank of each side."""
    offsets, player, side, rank = (
        np.load(folder / f"{name}.npy") for name in ("offsets", "player", "side", "rank")
    )
    events = []
    for start, stop in list(pairwise(offsets.tolist()))[:limit]:
        seats: Seats = [[] for _ in range(int(side[start:stop].max()) + 1)]
        ranks = [0] * len(seats)
        for row in range(start, stop):
            seats[side[row]].append(int(player[row]))
            ranks[side[row]] = int(rank[row])
        events.append((seats, ranks))
    return events


def main() -> None:
    """Rate every event, having predicted it if that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("method", help="openskill:MODEL or trueskill")
    parser.add_argument("--limit", type=int, help="so many events only")
    parser.add_argument("--predict", action="store_true")
    arguments = parser.parse_args()
    package, _, model = arguments.method.partition(":")
    newcomer, rate, expect = PEERS[package](model)
    events = load_events(arguments.folder, arguments.limit)
    ratings = [newcomer() for _ in range(int(np.load(arguments.folder / "n_players.npy")))]
    expected = []
    wall, cpu = time.perf_counter(), time.process_time()
    for seats, ranks in events:
        sides = [[ratings[p] for p in side] for side in seats]
        if arguments.predict:
            expected.append(expect(sides))
        for side, after in zip(seats, rate(sides, ranks), strict=True):
            for p, rating in zip(side, after, strict=True):
                ratings[p] = rating
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    np.save(arguments.folder / f"{arguments.method}.npy", [(r.mu, r.sigma) for r in ratings])
    if arguments.predict:
        np.save(arguments.folder / f"{arguments.method}.expected.npy", expected)
    print(json.dumps({"version": version(package), "wall": wall, "cpu": cpu, "events": len(events)}))


if __name__ == "__main__":
    main()
