"""Votes put together for the fit: those that differ only in their sides are counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium.arrays import Floats, Longs
from podium.fitting.votes import Votes


@dataclass(frozen=True, eq=False)
class PairCells:
    """Votes between the same two sides, with the same things to explain them.

    Attributes:
        players: Number of players.
        first: The number of the side shown first, one for each cell.
        second: The number of the other side.
        counts: The weight of the votes with each outcome, of shape (3, cells).
        squares: The same sums of squared weights.
        design: What else explains the votes of a cell: a row for each, a column for each effect.
        judge: The number of each cell's judge; None without judges.
        judges: Number of judges.
    """

    players: int
    first: Longs
    second: Longs
    counts: Floats
    squares: Floats
    design: Floats
    judge: Longs | None = None
    judges: int = 0

    @property
    def total(self) -> float:
        """The weight of all votes."""
        return float(self.counts.sum())


def pair_cells(votes: Votes, *, position: bool) -> PairCells:
    """The cells of some votes; with `position` the side shown first has an effect of its own."""
    if votes.covariates is not None or votes.judge is not None:
        return _single_cells(votes, position=position)
    n = len(votes.players)
    first, second = votes.first.astype(np.int64), votes.second.astype(np.int64)
    outcome = votes.outcome.astype(np.int64)
    if position:
        key = (first * n + second) * 3 + outcome
    else:  # the smaller number is first, so that both orders are one cell
        turned = first > second
        outcome = np.where(turned, 2 - outcome, outcome)
        key = (np.where(turned, second, first) * n + np.where(turned, first, second)) * 3 + outcome
    size = 3 * n * n
    if size > max(1 << 24, 8 * len(votes)):  # far more pairs than votes
        kept, key = np.unique(key // 3, return_inverse=True)
        key = key * 3 + outcome
        size = 3 * len(kept)
    else:
        kept = None
    counts = np.bincount(key, votes.weight, size).astype(np.float64).reshape(-1, 3)
    if votes.weight is None:
        squares = counts
    else:
        squares = np.bincount(key, votes.weight**2, size).astype(np.float64).reshape(-1, 3)
    used = np.flatnonzero(counts.any(axis=1))
    pair = used if kept is None else kept[used]
    counts, squares = (np.ascontiguousarray(table[used].T) for table in (counts, squares))
    return PairCells(n, pair // n, pair % n, counts, squares, np.ones((len(used), int(position))))


def places_of_votes(votes: Votes, cells: PairCells) -> tuple[Longs, Longs]:
    """Of each vote: the number of its cell, and its outcome as the cell counts it."""
    outcome = votes.outcome.astype(np.int64)
    if votes.covariates is not None or votes.judge is not None:
        return np.arange(len(votes)), outcome
    first, second = votes.first.astype(np.int64), votes.second.astype(np.int64)
    if not cells.design.shape[1]:
        turned = first > second
        first, second = np.where(turned, second, first), np.where(turned, first, second)
        outcome = np.where(turned, 2 - outcome, outcome)
    key = cells.first * cells.players + cells.second  # ascending, as `pair_cells` makes them
    return np.searchsorted(key, first * cells.players + second), outcome


def _single_cells(votes: Votes, *, position: bool) -> PairCells:
    """A cell for each vote."""
    weight, rows = votes.weights, np.arange(len(votes))
    counts = np.zeros((3, len(votes)))
    counts[votes.outcome, rows] = weight
    columns = [np.ones((len(votes), int(position)))]
    if votes.covariates is not None:
        columns.append(votes.covariates)
    return PairCells(
        len(votes.players),
        votes.first.astype(np.int64),
        votes.second.astype(np.int64),
        counts,
        counts**2,
        np.hstack(columns),
        None if votes.judge is None else votes.judge.astype(np.int64),
        len(votes.judges),
    )
