"""Voters whose votes look like noise, or like a campaign for or against somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.fitting.intervals import two_sided
from podium.fitting.pair_cells import places_of_votes
from podium.fitting.votes import Votes

if TYPE_CHECKING:
    import polars as pl

    from podium.fitting.fit_result import Fit

FEWEST_VOTES = 10
"""Votes of a voter, or of a voter about one player, below which nothing is tested."""


def suspects(fit: Fit, by: str | None) -> pl.DataFrame:
    """Voters whose votes do not fit, most surprising first; probabilities by Holm for all tests together."""
    import polars as pl

    votes = fit.votes
    assert isinstance(votes, Votes) or fit.pairs
    group, names = _voters(votes, by)
    cell, outcome = places_of_votes(votes, fit.pairs.cells)  # type: ignore[arg-type]
    chances = fit.pairs.chances(fit.solution.parameters)
    shares = np.exp(chances.log)
    if not fit.pairs.has_tie:
        shares[1] = 0.0
    expected = shares[0] + 0.5 * shares[1]
    variance = np.maximum(shares[0] + 0.25 * shares[1] - expected**2, 1e-12)[cell]
    surprise = np.array([1.0, 0.5, 0.0])[outcome] - expected[cell]
    d = fit.pairs.differences(fit.solution.parameters)[cell]
    first, second = fit.pairs.cells.first[cell], fit.pairs.cells.second[cell]
    n, groups = len(fit.players), len(names)
    counted = np.bincount(group, minlength=groups)
    rows: list[tuple[int, str, int, float]] = []

    def test(key: Longs, value: Floats, spread: Floats, size: int) -> tuple[Longs, Longs, Floats]:
        number = np.bincount(key, minlength=size)
        z = np.bincount(key, value, size) / np.sqrt(np.maximum(np.bincount(key, spread, size), 1e-12))
        kept = np.flatnonzero(number >= FEWEST_VOTES)
        return kept, number, z

    kept, number, z = test(group, d * surprise, d * d * variance, groups)
    rows += [(v, "noise", int(number[v]), float(z[v])) for v in kept.tolist() if z[v] < 0.0]
    tests = len(kept)
    key = np.concatenate([group * n + first, group * n + second])
    both = np.concatenate([surprise, -surprise])
    kept, number, z = test(key, both, np.concatenate([variance, variance]), groups * n)
    for at in kept.tolist():
        kind = f"{'for' if z[at] > 0 else 'against'} {fit.players[at % n]}"
        rows.append((at // n, kind, int(number[at]), float(z[at])))
    tests += len(kept)
    rows.sort(key=lambda row: -abs(row[3]))
    p, above = [], 0.0
    for position, row in enumerate(rows):
        above = min(1.0, max(above, two_sided(row[3]) * (tests - position)))
        p.append(above)
    return pl.DataFrame(
        {
            "voter": pl.Series([names[row[0]] for row in rows], dtype=pl.String),
            "looks_like": pl.Series([row[1] for row in rows], dtype=pl.String),
            "votes": pl.Series([row[2] for row in rows], dtype=pl.Int64),
            "of": pl.Series([int(counted[row[0]]) for row in rows], dtype=pl.Int64),
            "z": pl.Series([row[3] for row in rows], dtype=pl.Float64),
            "p": pl.Series(p, dtype=pl.Float64),
        }
    ).filter(pl.col("p") < 1.0 - fit.level)


def _voters(votes: object, by: str | None) -> tuple[Longs, tuple[str, ...]]:
    assert isinstance(votes, Votes)
    if votes.judge is not None and by != "cluster":
        return votes.judge.astype(np.int64), votes.judges
    if votes.cluster is None:
        raise InputError(
            "the votes have no voters", hint="name their column: cluster='user', or judges='judge'"
        )
    return votes.cluster.astype(np.int64), votes.clusters
