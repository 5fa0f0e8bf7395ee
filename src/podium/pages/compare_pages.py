"""The page that compares players: a table from which a script computes chances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.documents.page_documents import ChancesDocument, ComparePageDocument, PairDocument
from podium.numerics.win_chances import logistic_of
from podium.pages.ladder_data import PageBasis, plain_moment
from podium.systems import RatingSystem, State
from podium.systems.contract.calibration import Calibration, log_odds
from podium.systems.contract.calibration_kernels import EXPERIENCED_EVENTS

DIFFERENCES = 41
"""Differences of ratings in the table."""
SIGMAS = 7
"""Deviations in it, of either player."""
SUGGESTED = 5
SAFETY = 1.5
"""Chances between those that were tried may be further off than the worst of them."""
MOST_ERROR = 0.1
"""A table that is further off is of no use: of a few players, some of whom are rated as certain."""
ROUNDING = 0.0005
"""What rounded ratings and log odds add to the error."""


class RatingRange(NamedTuple):
    """How far the ratings of a ladder's players are apart, and what was learned of its chances."""

    spread: float
    """The highest rating `mu` less the lowest."""
    sigmas: tuple[float, float] | None
    """The smallest and the largest deviation; None if there are no deviations."""
    learned: Calibration | None
    """None unless the system is calibrated."""

    @classmethod
    def of(cls, system: RatingSystem, state: State, mu: Floats, sigma: Floats | None) -> RatingRange | None:
        """The range of these ratings; None if there are none."""
        if not len(mu):
            return None
        return cls(
            spread=float(mu.max() - mu.min()),
            sigmas=None if sigma is None else (float(sigma.min()), float(sigma.max())),
            learned=Calibration.of(state) if system.is_calibrated else None,
        )


def compare_page(
    data: PageBasis,
    players: int,
    ratings: RatingRange | None,
    best: Sequence[str],
    *,
    teams: bool,
    pair: PairDocument | None = None,
) -> ComparePageDocument:
    """The page that compares players; `best` are those on top of the board."""
    return {
        "now": plain_moment(data.now),
        "players": players,
        "has_sigma": data.has_sigma,
        "has_times": data.has_times,
        "teams": teams,
        "chances": None if ratings is None else chances_table(data, ratings),
        "suggested": [[one, other] for one, other in pairwise(best)],
        "pair": pair,
    }


def chances_table(data: PageBasis, ratings: RatingRange) -> ChancesDocument | None:
    """Log odds of a win by difference and both deviations, over all that this ladder's players have.

    None if chances that are read from it could be far off.
    """
    differences = np.linspace(0.0, max(ratings.spread, 1e-6), DIFFERENCES)
    sigmas = np.zeros(1)
    if ratings.sigmas is not None:
        low, high = ratings.sigmas
        sigmas = np.linspace(low, high, SIGMAS) if high > low else np.array([low])
    table = _log_odds(data, differences, sigmas).round(4)
    learned = ratings.learned
    slope = 1.0 if learned is None else learned.slope
    error = SAFETY * _error_between(data, differences, sigmas, table, slope) + ROUNDING
    error += data.system.win_probability_error
    if error > MOST_ERROR:
        return None
    return {
        "differences": differences.round(data.decimals + 2).tolist(),
        "sigmas": sigmas.round(data.decimals + 2).tolist(),
        "log_odds": table.tolist(),
        "slope": round(slope, 6),
        "experience": 0.0 if learned is None else round(learned.experience, 6),
        "experienced_events": EXPERIENCED_EVENTS,
        "error": math.ceil(1e4 * error) / 1e4,
    }


def _log_odds(data: PageBasis, differences: Floats, sigmas: Floats) -> Floats:
    """The log odds that the stronger player wins, for all differences and pairs of deviations."""
    gap, ours, theirs = (axis.ravel() for axis in np.meshgrid(differences, sigmas, sigmas, indexing="ij"))
    known = data.has_sigma
    chance = data.system.win_probability(gap, ours if known else None, 0.0 * gap, theirs if known else None)
    chance = np.where(gap == 0.0, 0.5, chance)  # also where there is no deviation to divide by
    return log_odds(chance).reshape(len(differences), len(sigmas), len(sigmas))


def _error_between(
    data: PageBasis, differences: Floats, sigmas: Floats, table: Floats, slope: float
) -> float:
    """The largest error of chances half-way between those of the table."""
    middles = [(axis[1:] + axis[:-1]) / 2.0 if len(axis) > 1 else axis for axis in (differences, sigmas)]
    exact = _log_odds(data, *middles)
    between = table
    for axis in range(3):
        if between.shape[axis] > 1:
            first, last = (np.delete(between, end, axis) for end in (-1, 0))
            between = (first + last) / 2.0
    apart: Floats = np.abs(logistic_of(slope * between) - logistic_of(slope * exact))
    return float(apart.max())
