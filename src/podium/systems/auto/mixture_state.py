"""What a state of `auto` holds beside those of its experts: weights, calibrations, draws, contest scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import StateError
from podium.systems.auto.contest_ratings import CONTESTS, check_contests, contest_start
from podium.systems.auto.contest_scores import nothing_learned as no_contests
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.mixture_columns import Learned
from podium.systems.auto.odds_regressions import LARGEST_COEFFICIENT, REGRESSION_VARIANCES
from podium.systems.contract.calibration import (
    CALIBRATION,
    CALIBRATION_RANGES,
    check_covariance,
    nothing_learned,
)
from podium.systems.contract.column_ranges import COUNT, POSITIVE, Range
from podium.systems.contract.state import State

_ROUNDING = 1e-6
_CALIBRATION_RANGE = CALIBRATION_RANGES[CALIBRATION]

MIXTURE_RANGES: Mapping[str, Range] = {
    "sigma": POSITIVE,
    "log_weights": Range(-1e3, _ROUNDING),
    "coefficients": Range(-LARGEST_COEFFICIENT, LARGEST_COEFFICIENT),
    "covariance": Range(-max(REGRESSION_VARIANCES), max(REGRESSION_VARIANCES)),
    "calibrations": _CALIBRATION_RANGE,
    "rated": COUNT,
    "draws": Range(np.asarray(_CALIBRATION_RANGE.low)[4, :2], np.asarray(_CALIBRATION_RANGE.high)[4, :2]),
}


def nothing_known(experts: tuple[Expert, ...]) -> Mapping[str, NDArray[Any]]:
    """The shared arrays before the first event: all predictions have the same weight."""
    k = len(experts)
    start = nothing_learned()[CALIBRATION]
    n = 2 * k + len(REGRESSION_VARIANCES)
    return {
        "log_weights": np.full(n, -np.log(n)),
        "coefficients": np.full((len(REGRESSION_VARIANCES), 2 * k), 0.5 / k),
        "covariance": np.stack([0.5 * variance / k * np.eye(2 * k) for variance in REGRESSION_VARIANCES]),
        "calibrations": np.tile(start, (k, 1, 1)),
        "rated": np.zeros(k, np.int64),
        "draws": start[4, :2].copy(),
        "latest_many": np.zeros(1, np.bool_),
        CONTESTS: no_contests(contest_start(experts)),
    }


def learned_of(state: State) -> Learned:
    """The shared arrays that kernels of the mixture take."""
    return Learned(*(state.shared[name] for name in Learned._fields))


def check_mixture(state: State) -> None:
    """Refuse weights that do not add up to one, and covariances that are none."""
    total = float(np.exp(state.shared["log_weights"]).sum())
    if abs(total - 1.0) > _ROUNDING:
        raise StateError(f"the saved weights of experts add up to {total:g}, not to one")
    for covariance in state.shared["covariance"]:
        check_covariance("covariance", covariance)
    check_contests(state)
    for calibration in state.shared["calibrations"]:
        check_covariance("calibrations", calibration[1:4])
