"""How sure the strengths are: covariance matrices of the parameters.

- *model*: the inverse information, right if the model is (and votes are independent).
- *sandwich* (Huber 1967, White 1982): right also where the model is not, for independent votes.
- *cluster*: right where votes of one voter or prompt depend on each other (Liang and Zeger 1986), times
  G/(G − 1) for G groups.
- *bootstrap*: of fits to resampled votes or groups of votes, where there are too few for the others.

What votes do not show is added by `podium.fitting.hidden_variance`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from podium.arrays import Floats
from podium.errors import InputError
from podium.fitting.bootstrap import resampled_parameters, usual_unit
from podium.fitting.hidden_variance import bread, meat, with_hidden
from podium.fitting.pair_cells import places_of_votes
from podium.fitting.rankings import RankingLikelihood
from podium.fitting.solving import Solution
from podium.fitting.votes import Rankings, Votes

KINDS = ("model", "sandwich", "cluster", "bootstrap")
"""The names of covariance matrices."""
SCORES_AT_ONCE = 4_000_000
"""Numbers of a table of groups' scores that are in memory at once."""
REPLICATES = 1000
"""Fits to resampled votes behind bootstrap errors."""


def covariance(solution: Solution, votes: Votes | Rankings, kind: str, seed: int) -> Floats:
    """The covariance matrix of all parameters; `seed` is that of the bootstrap."""
    inverse = bread(solution)
    if kind == "model":
        return inverse
    if kind == "bootstrap":
        found = resampled_parameters(votes, solution, REPLICATES, usual_unit(votes), seed, jobs=1)
        spread = np.atleast_2d(np.cov(found, rowvar=False))
    elif kind == "sandwich":
        spread = inverse @ meat(solution) @ inverse
    else:
        spread = _clustered(solution, votes, inverse)
    return with_hidden(solution, spread, inverse)


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
