"""The variance of parameters that votes do not show.

A prior counts as one more observation, with the variance that it states. Votes that never differ from what
the fit expects show no variance: those of a player who won or lost everything or was second in every
ranking, matches that were all drawn, what fewer groups than players tell nothing about. There the variance is
the model's.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.fitting.pair_likelihood import PairLikelihood
from podium.fitting.solving import Solution

LEAST_SHOWN = 1e-6
"""Share of the model's variance below which votes show none in a direction: rounding, not agreement."""


def bread(solution: Solution) -> Floats:
    """The inverse information, without the directions that nothing says anything about."""
    moving = np.flatnonzero(solution.free)
    shifts = solution.shifts[:, moving]
    inverse = np.linalg.inv(solution.information[np.ix_(moving, moving)] + shifts.T @ shifts)
    for shift in shifts:
        length = float(shift @ shift)
        if length:  # a shift of a whole component is no error: its mean is 0
            inverse -= np.outer(shift, inverse @ shift) / length
            inverse -= np.outer(inverse @ shift, shift) / length
    full = np.zeros_like(solution.information)
    full[np.ix_(moving, moving)] = inverse
    return full


def meat(solution: Solution) -> Floats:
    """The sum over votes of the outer product of each vote's score."""
    if isinstance(solution.likelihood, PairLikelihood):
        return solution.likelihood.variance_of_scores(solution.parameters)
    scores = solution.likelihood.scores(solution.parameters)
    return scores.T @ scores


def with_hidden(solution: Solution, spread: Floats, inverse: Floats) -> Floats:
    """`spread` as votes show it, and the variance that they do not show; `inverse` is `bread(solution)`."""
    if solution.likelihood.precision.any():
        spread = spread + inverse @ _unseen(solution) @ inverse
    return _with_silent_directions(solution, spread, inverse)


def _unseen(solution: Solution) -> Floats:
    """The variance of scores that votes do not show: that of priors, and of players without a bound."""
    unseen = np.diag(solution.likelihood.precision)
    if len(solution.unbounded):
        touched = np.zeros(solution.likelihood.size, bool)
        touched[solution.unbounded] = True
        unseen += solution.likelihood.hidden_variance(solution.parameters, touched)
    return unseen


def _with_silent_directions(solution: Solution, spread: Floats, inverse: Floats) -> Floats:
    """`spread`, with the model's variance in the directions in which votes show none."""
    moving = np.flatnonzero(solution.free)
    if not len(moving):
        return spread  # everything is given
    shown, model = (matrix[np.ix_(moving, moving)] for matrix in (spread, inverse))
    shifts = solution.shifts[:, moving]
    gauge = shifts.T @ shifts * np.diagonal(model).mean()  # there both are 0, and mean nothing
    try:
        np.linalg.cholesky(shown - LEAST_SHOWN * model + gauge)
    except np.linalg.LinAlgError:
        pass
    else:
        return spread  # the usual case
    values, vectors = np.linalg.eigh(model)
    known = values > 1e-12 * values[-1]
    root = vectors[:, known] * np.sqrt(values[known])
    back = vectors[:, known] / np.sqrt(values[known])
    shares, directions = np.linalg.eigh(back.T @ shown @ back)
    silent = root @ directions[:, shares < LEAST_SHOWN]
    full = spread.copy()
    full[np.ix_(moving, moving)] += silent @ silent.T
    return full
