"""Pairs side by side: what was voted, what the fit expects, and where it misses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from podium.fitting.intervals import chance_estimate

if TYPE_CHECKING:
    import polars as pl

    from podium.fitting.fit_result import Fit


def pair_table(fit: Fit) -> pl.DataFrame:
    """A row for each pair that was voted on, the most surprising first."""
    import polars as pl

    cells, n = fit.pairs.cells, len(fit.players)
    turned = cells.first > cells.second
    low, high = np.where(turned, cells.second, cells.first), np.where(turned, cells.first, cells.second)
    key, place = np.unique(low * n + high, return_inverse=True)
    counts = np.where(turned, cells.counts[::-1], cells.counts)
    won, tied, lost = (np.bincount(place, row, len(key)) for row in counts)
    chances = np.exp(fit.pairs.chances(fit.solution.parameters).log)
    if not fit.pairs.has_tie:
        chances[1] = 0.0
    score = chances[0] + 0.5 * chances[1]
    spread = chances[0] + 0.25 * chances[1] - score**2
    votes = cells.counts.sum(axis=0)
    expected = np.bincount(place, votes * np.where(turned, 1.0 - score, score), len(key))
    variance = np.bincount(place, cells.squares.sum(axis=0) * spread, len(key))
    total = won + tied + lost
    z = (won + 0.5 * tied - expected) / np.sqrt(np.maximum(variance, 1e-12))
    a, b = key // n, key % n
    chance, error = fit.score_matrix
    intervals = [
        chance_estimate(float(chance[i, j]), float(error[i, j]), fit.level)
        for i, j in zip(a.tolist(), b.tolist(), strict=True)
    ]
    return pl.DataFrame(
        {
            "player": [fit.players[i] for i in a.tolist()],
            "opponent": [fit.players[j] for j in b.tolist()],
            "votes": total,
            "wins": won,
            "ties": tied,
            "losses": lost,
            "score": (won + 0.5 * tied) / total,
            "expected": [one.value for one in intervals],
            "low": [one.low for one in intervals],
            "high": [one.high for one in intervals],
            "z": z,
        }
    ).sort(pl.col("z").abs(), "player", "opponent", descending=[True, False, False])


def misfit(fit: Fit) -> str:
    """Whether pairs differ from the fit more than chance allows, in a sentence."""
    table = fit.matches
    statistic, pairs = float((table["z"] ** 2).sum()), table.height
    degrees = max(1, pairs - len(fit.players) + 1)
    spread = math.sqrt(statistic / degrees)
    row = table.row(0, named=True)
    worst = f"{row['player']} against {row['opponent']} (score {row['score']:.2f}, z = {row['z']:+.1f})"
    if spread > 1.0 + 3.0 / math.sqrt(2.0 * degrees):
        return (
            f"Pairs differ from the fit {spread:.1f} times as much as by chance, as in cycles. Most: {worst}."
        )
    return f"Pairs differ from the fit as much as by chance. Most: {worst}."
