"""Ratings that no system made, to compare with: a number for every row of a history, before its event."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import podium

Ratings = NDArray[np.float64]


def old_rating(path: Path, history: podium.History) -> Ratings:
    """The site's own rating before the contest, a column of the file: never an input of anything else."""
    given = pl.read_parquet(path, columns=["player", "old_rating"])
    names = np.array(history.players.to_list())
    assert np.array_equal(names[history.player], given["player"].cast(pl.String).to_numpy())
    return given["old_rating"].cast(pl.Float64).to_numpy()


def mean_percentile(path: Path, history: podium.History) -> Ratings:
    """The mean part of the others left behind in earlier events, ties half; newcomers are average."""
    total, played = np.zeros(len(history.players)), np.zeros(len(history.players))
    rating = np.empty(history.rows)
    for e in range(len(history)):
        rows = slice(history.offsets[e], history.offsets[e + 1])
        player, rank = history.player[rows], history.rank[rows]
        known = played[player] > 0
        rating[rows] = np.where(known, total[player] / np.maximum(played[player], 1), 0.5)
        ordered = np.sort(rank)
        behind = len(rank) - np.searchsorted(ordered, rank, "right")
        tied = len(rank) - behind - np.searchsorted(ordered, rank, "left") - 1
        total[player] += (behind + 0.5 * tied) / max(len(rank) - 1, 1)
        played[player] += 1
    return rating
