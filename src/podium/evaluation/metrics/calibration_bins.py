"""Bins of expected scores: where they begin and end, which sides are in them, and how far they are off."""

from __future__ import annotations

from typing import Literal

import numpy as np

from podium.arrays import Bools, Floats
from podium.errors import ParameterError
from podium.evaluation.standings import Standings
from podium.parameters import check_whole

BINS = 20

Spacing = Literal["width", "count"]


def calibrated_sides(standings: Standings, scored: Bools) -> Bools:
    """The sides whose predictions make up a calibration curve.

    All that are scored, except that of two sides only the one at home counts: both would make the curve
    symmetric, and hide that playing at home is worth more or less than a system thinks.
    """
    if not standings.home.any():
        return scored
    chosen, first = scored.copy(), standings.offsets[:-1]
    chosen[first[standings.home < 0.0]] = False
    chosen[first[standings.home > 0.0] + 1] = False
    return chosen


def calibration_error(bins: Floats) -> Floats:
    """Σ rows/total · |mean s − mean p| over the bins that `sum_in_bins` returns; NaN if all are empty.

    >>> float(calibration_error(np.array([[10.0, 4.0, 5.0], [10.0, 6.0, 5.0]])))
    0.1
    """
    with np.errstate(invalid="ignore"):
        error: Floats = np.abs(bins[..., 2] - bins[..., 1]).sum(axis=-1) / bins[..., 0].sum(axis=-1)
    return error


def bin_edges(expected: Floats, bins: int = BINS, spacing: Spacing = "width") -> Floats:
    """Edges of bins with equal width, or with equal numbers of these predictions."""
    check_whole("bins", bins, 1)
    if spacing == "width":
        return np.arange(bins + 1) / bins
    if spacing != "count":
        raise ParameterError(f"bins can be spaced by 'width' or 'count', not by {spacing!r}")
    inner = np.quantile(expected, np.arange(1, bins) / bins) if len(expected) and bins > 1 else np.empty(0)
    return np.concatenate([[0.0], np.unique(inner[(inner > 0.0) & (inner < 1.0)]), [1.0]])
