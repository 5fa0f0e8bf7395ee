"""The bootstrap: strengths fitted again and again to votes, or groups of votes, with random weights.

Weights are exponential, independent and of mean 1 (the Bayesian bootstrap, Rubin 1981). No vote ever loses
all its weight, so each replicate has a finite answer where the fit has one. Votes that are counted need no
weights one by one: a sum of n of them is a gamma number of shape n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats, Longs
from podium.cluster.processes import cores
from podium.cluster.shared_values import SharedValue, shared_value
from podium.cluster.spreading import spread
from podium.errors import InputError, ParameterError
from podium.fitting.hidden_variance import bread, with_hidden
from podium.fitting.newton import maximise
from podium.fitting.pair_cells import places_of_votes
from podium.fitting.pair_likelihood import PairLikelihood
from podium.fitting.rankings import RankingLikelihood
from podium.fitting.solving import Solution
from podium.fitting.votes import Rankings, Votes

if TYPE_CHECKING:
    import polars as pl

    from podium.fitting.fit_result import Fit

REPLICATES_PER_JOB = 25
"""Replicates that one process makes at a time."""
STEEPEST = 1e-6
"""The largest entry of a replicate's gradient at the end, in votes: far below the noise of resampling."""


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Strengths as other votes might have given them.

    Attributes:
        players: The names of what is compared.
        samples: Strengths in points: a row for each replicate, a column for each player.
        by: What was resampled: "votes" or "cluster".
        level: The level of the intervals.
    """

    players: tuple[str, ...]
    samples: Floats
    by: str
    level: float

    @cached_property
    def strengths(self) -> pl.DataFrame:
        """A row for each player: player, strength (the mean), error, low, high, rank_low, rank_high, best."""
        import polars as pl

        outside = (1.0 - self.level) / 2.0
        low, high = np.quantile(self.samples, [outside, 1.0 - outside], axis=0)
        ranks = (-self.samples).argsort(axis=1).argsort(axis=1) + 1
        rank_low, rank_high = np.quantile(ranks, [outside, 1.0 - outside], axis=0, method="nearest")
        return pl.DataFrame(
            {
                "player": self.players,
                "strength": self.samples.mean(axis=0),
                "error": self.samples.std(axis=0, ddof=1),
                "low": low,
                "high": high,
                "rank_low": rank_low.astype(np.int64),
                "rank_high": rank_high.astype(np.int64),
                "best": (ranks == 1).mean(axis=0),
            }
        ).sort("strength", "player", descending=[True, False])

    def __repr__(self) -> str:
        return f"<Bootstrap: {len(self.samples):,} replicates by {self.by}>"


def bootstrap(fit: Fit, replicates: int, by: str | None, seed: int, jobs: int | None) -> Bootstrap:
    """Fit again with random weights of votes, or of the groups of votes."""
    by = by or usual_unit(fit.votes)
    found = resampled_parameters(fit.votes, fit.solution, replicates, by, seed, jobs)
    strengths = (found + _hidden_noise(fit.solution, found, seed))[:, : len(fit.players)]
    points = strengths @ fit.scale.T * fit.choices.points + fit.origin
    return Bootstrap(fit.players, points, by, fit.level)


def _hidden_noise(solution: Solution, found: Floats, seed: int) -> Floats:
    """What parameters vary beyond their replicates: priors, and votes that never differ, show no variance."""
    shown = np.atleast_2d(np.cov(found, rowvar=False))
    hidden = with_hidden(solution, shown, bread(solution)) - shown
    values, vectors = np.linalg.eigh(hidden)
    noise = np.random.default_rng(seed).standard_normal(found.shape)
    moved: Floats = noise @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    return moved


def usual_unit(votes: Votes | Rankings) -> str:
    """What is resampled: groups of votes where there are any."""
    return "votes" if votes.cluster is None else "cluster"


def resampled_parameters(
    votes: Votes | Rankings, solution: Solution, replicates: int, by: str, seed: int, jobs: int | None
) -> Floats:
    """All parameters of fits with random weights of votes, or of the groups of votes: a row for each."""
    if replicates < 2:
        raise ParameterError(f"{replicates} replicates", hint="make 2 or more, usually 1000")
    if by not in ("votes", "cluster"):
        raise ParameterError(f"a bootstrap by {by!r}", hint="resample by 'votes' or by 'cluster'")
    if by == "cluster" and votes.cluster is None:
        raise InputError("the votes have no groups to resample", hint="name their column with cluster=")
    seeds = np.random.SeedSequence(seed).spawn(replicates)
    parts = [seeds[i : i + REPLICATES_PER_JOB] for i in range(0, replicates, REPLICATES_PER_JOB)]
    found: list[Floats] = [np.zeros(0)] * len(parts)
    resampled = _resampled(votes, solution, by)
    with shared_value(resampled) as shared, spread(jobs=min(jobs or cores(), len(parts))) as workers:
        for number, rows in workers.results(_replicates, [(shared, part) for part in parts]):
            found[number] = rows
    return np.vstack(found)


@dataclass(frozen=True, eq=False)
class _Resampled:
    """What a replicate is made of.

    Attributes:
        solution: The fit.
        entry: For sums of a group's votes that count together: the number of the count they add to; None
            where votes are resampled one by one.
        group: The group of each sum.
        weight: The weight of each sum.
        groups: Number of groups.
    """

    solution: Solution
    entry: Longs | None = None
    group: Longs | None = None
    weight: Floats | None = None
    groups: int = 0


def _resampled(votes: Votes | Rankings, solution: Solution, by: str) -> _Resampled:
    if by == "votes":
        return _Resampled(solution)
    assert votes.cluster is not None
    groups, cluster = len(votes.clusters), votes.cluster.astype(np.int64)
    if isinstance(votes, Rankings):
        return _Resampled(solution, np.arange(len(votes)), cluster, votes.weight, groups)
    assert isinstance(solution.likelihood, PairLikelihood)
    cells = solution.likelihood.cells
    cell, outcome = places_of_votes(votes, cells)
    size = cells.counts.size
    key, place = np.unique(cluster * size + outcome * cells.counts.shape[1] + cell, return_inverse=True)
    return _Resampled(
        solution, key % size, key // size, np.bincount(place, votes.weights).astype(np.float64), groups
    )


def _replicates(shared: SharedValue, seeds: Sequence[np.random.SeedSequence]) -> Floats:
    """The parameters of some replicates: a row for each."""
    resampled: _Resampled = shared.load()
    solution = resampled.solution
    rows = []
    for seed in seeds:
        likelihood = _weighted(resampled, np.random.default_rng(seed))
        parameters, _ = maximise(likelihood, solution.shifts, solution.free, solution.parameters, STEEPEST)
        rows.append(parameters)
    return np.array(rows)


def _weighted(resampled: _Resampled, rng: np.random.Generator) -> PairLikelihood | RankingLikelihood:
    """The likelihood with random weights."""
    likelihood = resampled.solution.likelihood
    if resampled.entry is None:
        if isinstance(likelihood, RankingLikelihood):
            weight = likelihood.rankings.weight
            return replace(
                likelihood,
                rankings=replace(likelihood.rankings, weight=weight * rng.exponential(size=len(weight))),
            )
        counts, squares = likelihood.cells.counts, likelihood.cells.squares
        each = np.divide(squares, counts, out=np.ones_like(counts), where=counts > 0.0)  # a vote's weight
        counts = each * rng.standard_gamma(counts / each)
    else:
        assert resampled.group is not None
        assert resampled.weight is not None
        weight = resampled.weight * rng.exponential(size=resampled.groups)[resampled.group]
        if isinstance(likelihood, RankingLikelihood):
            return replace(likelihood, rankings=replace(likelihood.rankings, weight=weight))
        shape = likelihood.cells.counts.shape
        sums = np.bincount(resampled.entry, weight, shape[0] * shape[1])
        counts = sums.astype(np.float64).reshape(shape)
    return replace(likelihood, cells=replace(likelihood.cells, counts=counts))
