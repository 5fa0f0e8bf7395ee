"""How sure the strengths are: covariance matrices of the parameters.

- *model*: the inverse information, right if the model is (and votes are independent).
- *sandwich* (Huber 1967, White 1982): right also where the model is not, for independent votes.
- *cluster*: right where votes of one voter or prompt depend on each other (Liang and Zeger 1986), times
  G/(G − 1) for G groups.
- *bootstrap*: of fits to resampled votes or groups of votes, where there are too few for the others.

A prior counts as one more observation, with the variance that it states. Votes that never differ from what
the fit expects show no variance: those of a player who won or lost everything or was second in every
ranking, matches that were all drawn, what fewer groups than players tell nothing about. There the variance is
the model's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from podium.arrays import Floats
from podium.errors import InputError
from podium.fitting.bootstrap import resampled_parameters, usual_unit
from podium.fitting.pair_cells import places_of_votes
from podium.fitting.pair_likelihood import PairLikelihood
from podium.fitting.rankings import RankingLikelihood
from podium.fitting.solving import Solution
from podium.fitting.votes import Rankings, Votes

KINDS = ("model", "sandwich", "cluster", "bootstrap")
"""The names of covariance matrices."""
SCORES_AT_ONCE = 4_000_000
"""Numbers of a table of groups' scores that are in memory at once."""
REPLICATES = 1000
"""Fits to resampled votes behind bootstrap errors."""
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


def covariance(solution: Solution, votes: Votes | Rankings, kind: str, seed: int) -> Floats:
    """The covariance matrix of all parameters; `seed` is that of the bootstrap."""
    inverse = bread(solution)
    if kind == "model":
        return inverse
    if kind == "bootstrap":
        found = resampled_parameters(votes, solution, REPLICATES, usual_unit(votes), seed, jobs=1)
        spread = np.atleast_2d(np.cov(found, rowvar=False))
    elif kind == "sandwich":
        spread = inverse @ _meat(solution) @ inverse
    else:
        spread = _clustered(solution, votes, inverse)
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


def _meat(solution: Solution) -> Floats:
    if isinstance(solution.likelihood, PairLikelihood):
        return solution.likelihood.variance_of_scores(solution.parameters)
    scores = solution.likelihood.scores(solution.parameters)
    return scores.T @ scores


def _clustered(solution: Solution, votes: Votes | Rankings, inverse: Floats) -> Floats:
    if votes.cluster is None:
        raise InputError(
            "a cluster-robust covariance needs the voter or prompt of each vote",
            hint="name the column (cluster='user', or --cluster user)",
        )
    groups = len(votes.clusters)
    if groups < 2:
        raise InputError("all votes belong to one group, so podium cannot measure how much groups differ")
    total = np.zeros_like(inverse)
    for scores in _group_scores(solution, votes):
        total += scores.T @ scores
    return inverse @ total @ inverse * (groups / (groups - 1.0))


def _group_scores(solution: Solution, votes: Votes | Rankings) -> Iterator[Floats]:
    """The sums of scores of groups of votes, some groups at a time: a row for each."""
    assert votes.cluster is not None
    likelihood, groups = solution.likelihood, len(votes.clusters)
    if isinstance(likelihood, RankingLikelihood):
        sums = np.zeros((groups, likelihood.size))
        np.add.at(sums, votes.cluster, likelihood.scores(solution.parameters))
        yield sums
        return
    assert isinstance(votes, Votes)
    cell, outcome = places_of_votes(votes, likelihood.cells)
    at_once = max(1, SCORES_AT_ONCE // likelihood.size)
    for begin in range(0, groups, at_once):
        inside: Any = slice(None)
        if at_once < groups:
            inside = np.flatnonzero((votes.cluster >= begin) & (votes.cluster < begin + at_once))
        yield likelihood.group_scores(
            solution.parameters,
            (cell[inside], outcome[inside]),
            votes.weights[inside],
            votes.cluster[inside].astype(np.int64) - begin,
            min(at_once, groups - begin),
        )
