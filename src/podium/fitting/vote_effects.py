"""What explains a vote beside strengths: position, covariates and judges, as tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from podium.fitting.intervals import deviations, two_sided
from podium.fitting.votes import Votes

if TYPE_CHECKING:
    import polars as pl

    from podium.fitting.fit_result import Fit


def effects_frame(fit: Fit) -> pl.DataFrame:
    """The effects of position and covariates, in points, as a table."""
    import polars as pl

    names = ["position"] if fit.choices.position else []
    if isinstance(fit.votes, Votes):
        names += fit.votes.covariate_names
    begin = fit.pairs.effects_from if names else 0
    at = np.arange(begin, begin + len(names))
    unit = fit.choices.points / fit.solution.units[: len(names)]
    value = fit.solution.parameters[at] * unit
    error = np.sqrt(np.maximum(np.diagonal(fit.covariance)[at], 0.0)) * unit
    reach = deviations(fit.level) * error
    chances = [
        two_sided(v / e) if e else math.nan for v, e in zip(value.tolist(), error.tolist(), strict=True)
    ]
    return pl.DataFrame(
        {
            "effect": pl.Series(names, dtype=pl.String),
            "points": value,
            "error": error,
            "low": value - reach,
            "high": value + reach,
            "p": pl.Series(chances, dtype=pl.Float64),
        }
    )


def judges_frame(fit: Fit) -> pl.DataFrame:
    """The slope and the bias of each judge, as a table; judges that agree most come first."""
    import polars as pl

    likelihood, votes = fit.pairs, fit.votes
    judges = likelihood.cells.judges
    names = votes.judges if isinstance(votes, Votes) else ()
    begin, reach = likelihood.judges_from, deviations(fit.level)
    values = fit.solution.parameters[begin:]
    errors = np.sqrt(np.maximum(np.diagonal(fit.covariance)[begin:], 0.0))
    slope, spread = values[:judges], reach * errors[:judges]
    bias, off = values[judges:] * fit.choices.points, reach * errors[judges:] * fit.choices.points
    judge = likelihood.cells.judge
    counts = np.zeros(0, int) if judge is None else np.bincount(judge, minlength=judges)
    return pl.DataFrame(
        {
            "judge": pl.Series(names, dtype=pl.String),
            "votes": counts,
            "slope": np.exp(slope),
            "slope_low": np.exp(slope - spread),
            "slope_high": np.exp(slope + spread),
            "bias": bias,
            "bias_low": bias - off,
            "bias_high": bias + off,
        }
    ).sort("slope", "judge", descending=[True, False])
