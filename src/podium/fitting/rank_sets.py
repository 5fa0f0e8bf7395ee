"""Ranks that admit what is not known: sets of ranks that hold for all players at once.

Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks" (2024): a player's lowest rank counts those who are
better beyond doubt, the highest those who are worse beyond doubt, where "beyond doubt" holds for all ordered
pairs together. The critical value is that of the largest of all standardised differences, by draws from the
strengths' covariance, and smaller again for the pairs that a first round left open (Romano and Wolf 2005).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs

DRAWS = 4_000
"""Draws for critical values and the chance of being best: a chance of 5% is within 0.7 points of it."""

DIFFERENCES = 500_000_000
"""Draws of differences in memory one after the other: above 500 players fewer of `DRAWS` are taken."""
FEWEST_DRAWS = 500
"""Draws for a critical value of any number of players: its level is within 2 points."""
ROUNDING = 1e-12
"""Share of two variances below which that of their difference is rounding: it is known exactly."""


@dataclass(frozen=True, eq=False)
class RankSets:
    """Which ranks each player may have.

    Attributes:
        low: The best rank of each player.
        high: The worst rank.
        beats: Whether the player of the row is better beyond doubt than that of the column.
    """

    low: Longs
    high: Longs
    beats: Bools


def strength_draws(strengths: Floats, covariance: Floats, seed: int) -> Floats:
    """Strengths as they might be, given what is known: a row for each draw."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    noise = np.random.default_rng(seed).standard_normal((DRAWS, len(strengths)))
    draws: Floats = strengths + noise @ root.T
    return draws


def difference_errors(covariance: Floats) -> Floats:
    """The standard error of each difference between two."""
    variance = np.diagonal(covariance)
    either = variance[:, None] + variance[None, :]
    apart = either - (covariance + covariance.T)
    return np.sqrt(np.where(apart > ROUNDING * either, apart, 0.0))


def rank_sets(
    strengths: Floats, covariance: Floats, draws: Floats, component: Longs, level: float
) -> RankSets:
    """Rank sets that hold for all players at once with a probability of at least `level`.

    Players of different components are never told apart.
    """
    n = len(strengths)
    error = difference_errors(covariance)
    comparable = (component[:, None] == component[None, :]) & (error > 0.0)
    standard = np.divide(
        strengths[:, None] - strengths[None, :], error, out=np.zeros((n, n)), where=comparable
    )
    beats: Bools = np.zeros((n, n), bool)
    open_pairs = comparable.copy()
    taken = max(FEWEST_DRAWS, 2 * DIFFERENCES // (n * n))
    errors = np.ascontiguousarray((draws[:taken] - strengths).T, np.float32)
    while open_pairs.any():
        critical = _largest_quantile(errors, open_pairs, error, level)
        found = open_pairs & (standard > critical)
        if not found.any():
            break
        beats |= found
        open_pairs &= ~found
        if not (standard[open_pairs] > 0.9 * critical).any():
            break  # nothing is near enough to be told apart in another round
    inside = component[:, None] == component[None, :]
    worse_ones = beats.sum(axis=1)
    return RankSets(1 + beats.sum(axis=0), inside.sum(axis=1) - worse_ones, beats)


def _largest_quantile(errors: NDArray[np.float32], open_pairs: Bools, scale: Floats, level: float) -> float:
    """A quantile of the largest standardised error among some ordered pairs; `errors` has a row a player."""
    largest = np.full(errors.shape[1], -np.inf, np.float32)
    for one in range(len(errors)):
        above, below = open_pairs[one, one:], open_pairs[one:, one]
        both, other = above & below, above ^ below
        for chosen, sign in ((both, np.abs), (other, np.positive)):
            worse = np.flatnonzero(chosen) + one
            if len(worse):
                direction = np.where(open_pairs[one, worse], 1.0, -1.0) / scale[one, worse]
                apart = (errors[one] - errors[worse]) * direction.astype(np.float32)[:, None]
                np.maximum(largest, sign(apart).max(axis=0), out=largest)
    return float(np.quantile(largest, level))


def best_chances(draws: Floats, component: Longs) -> Floats:
    """The probability of being the best of its component, for each player; equals share it."""
    chances = np.zeros(draws.shape[1])
    for number in range(int(component.max(initial=-1)) + 1):
        inside = np.flatnonzero(component == number)
        theirs = draws[:, inside]
        first = theirs >= theirs.max(axis=1, keepdims=True)
        chances[inside] = np.mean(first / first.sum(axis=1, keepdims=True), axis=0)
    return chances
