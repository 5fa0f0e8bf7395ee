"""Rankings of two or more, with ties: the model of Plackett and Luce, and its ties by Davidson and Luce.

Firth, Kosmidis and Turner, "Davidson-Luce model for multi-item choice with ties" (2019): at each place a
set S of t players is chosen from those still there, with a chance in proportion to δ_t (Π_{i∈S} α_i)^(1/t)
where δ_1 = 1. Without ties this is the model of Plackett (1975) and Luce (1959). For two players it is
Davidson's.

The parameters in order: strengths log α, then log δ_t for the sizes of ties that occur.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError
from podium.fitting.votes import Rankings

LARGEST_TIE = 12
"""A model of larger ties would say little, and its sums lose digits."""


@dataclass(frozen=True, eq=False)
class RankingLikelihood:
    """The log likelihood of some rankings, less the penalty of priors.

    Attributes:
        rankings: The rankings.
        precision: Of each parameter's normal prior around 0; 0 for none.
    """

    rankings: Rankings
    precision: Floats

    @property
    def players(self) -> int:
        """Number of strengths."""
        return len(self.rankings.players)

    @cached_property
    def tie_sizes(self) -> Longs:
        """The sizes of ties that occur, ascending."""
        sizes = np.concatenate([np.zeros(0, int), *(np.unique(t) for _, _, t in self._places)])
        sizes = np.unique(sizes[sizes > 1])
        if len(sizes) and sizes[-1] > LARGEST_TIE:
            raise InputError(
                f"{sizes[-1]} players share a rank, and ties of more than {LARGEST_TIE} are not supported",
                hint="rank them more finely, or leave that ranking out",
            )
        return sizes

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.players + len(self.tie_sizes)

    @cached_property
    def _places(self) -> list[tuple[Longs, Longs, Longs]]:
        """Of each ranking: its players best first, where each place begins, how many share it.

        The last place is left out, where there is no choice, unless it is shared.
        """
        made = []
        r = self.rankings
        for start, stop in zip(r.offsets[:-1], r.offsets[1:], strict=True):
            order = np.argsort(r.rank[start:stop], kind="stable")
            rank = r.rank[start:stop][order]
            begins = np.flatnonzero(np.r_[True, rank[1:] != rank[:-1]])
            made.append(
                (r.player[start:stop][order].astype(np.int64), begins, np.diff(np.r_[begins, len(rank)]))
            )
        return made

    def start(self) -> Floats:
        """Equal strengths and rare ties."""
        return np.concatenate([np.zeros(self.players), np.full(len(self.tie_sizes), -1.0)])

    def is_inside(self, parameters: Floats) -> bool:
        """Whether the likelihood is defined there."""
        return bool(np.isfinite(parameters).all() and np.abs(parameters).max(initial=0.0) < 500.0)

    def value(self, parameters: Floats) -> float:
        """The log likelihood, less penalties."""
        return self.evaluate(parameters)[0]

    def evaluate(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The value, its gradient, and the negative of its matrix of second derivatives."""
        value = -0.5 * float(np.sum(self.precision * parameters**2))
        gradient = -self.precision * parameters
        information = np.diag(self.precision).astype(np.float64)
        for number, weight in enumerate(self.rankings.weight.tolist()):
            part, slope, bend, at = self._one(parameters, number)
            value += weight * part
            gradient[at] += weight * slope
            information[np.ix_(at, at)] += weight * bend
        return value, gradient, information

    def scores(self, parameters: Floats) -> Floats:
        """The gradient of each ranking, by its weight: a row for each."""
        rows = np.zeros((len(self.rankings), self.size))
        for number, weight in enumerate(self.rankings.weight.tolist()):
            _, slope, _, at = self._one(parameters, number)
            rows[number, at] = weight * slope
        return rows

    def hidden_variance(self, parameters: Floats, touched: Bools) -> Floats:
        """The variance of scores that the model expects and the rankings of some players do not show."""
        hidden = np.zeros((self.size, self.size))
        for number, weight in enumerate(self.rankings.weight.tolist()):
            _, slope, bend, at = self._one(parameters, number)
            theirs = touched[at]
            if theirs.any():
                among = theirs[:, None] | theirs[None, :]
                hidden[np.ix_(at, at)] += weight**2 * among * (bend - np.outer(slope, slope))
        values, vectors = np.linalg.eigh(hidden)
        shown: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
        return shown

    def _one(self, parameters: Floats, number: int) -> tuple[float, Floats, Floats, Longs]:
        """A ranking's log likelihood, gradient and information, by the parameters it has."""
        players, begins, shared = self._places[number]
        ties = self.tie_sizes[self.tie_sizes <= len(players)]
        at = np.r_[players, self.players + np.arange(len(ties))]
        strength, tie = parameters[players], parameters[at[len(players) :]]
        value, gradient, information = 0.0, np.zeros(len(at)), np.zeros((len(at), len(at)))
        for begin, size in zip(begins.tolist(), shared.tolist(), strict=True):
            left = len(players) - begin
            if left == 1:
                break
            there = np.r_[begin : len(players), len(players) + np.flatnonzero(ties <= left)]
            total, mean, spread = _choice(strength[begin:], tie[ties <= left], ties[ties <= left])
            chosen = slice(begin, begin + size)
            value += strength[chosen].sum() / size - total
            gradient[chosen] += 1.0 / size
            if size > 1:
                which = int(np.searchsorted(ties, size))
                value += tie[which]
                gradient[len(players) + which] += 1.0
            gradient[there] -= mean
            information[np.ix_(there, there)] += spread
        return value, gradient, information, at


def _choice(strength: Floats, tie: Floats, ties: Longs) -> tuple[float, Floats, Floats]:
    """The logarithm of the sum over all sets that may be chosen, with its first two derivatives.

    The derivatives are the mean and the covariance of what a chosen set S adds: 1/|S| for each member, and 1
    for its size. Sums over sets of t are elementary symmetric polynomials of α^(1/t).
    """
    n, top = len(strength), float(strength.max())
    weights, first, second = [], [], []
    for size, log_delta in zip((1, *ties.tolist()), (0.0, *tie.tolist()), strict=True):
        v = np.exp((strength - top) / size)
        total, one, two = _subset_sums(v, size)
        factor = np.exp(log_delta)
        weights.append(factor * total)
        first.append(factor * one / size)
        second.append(factor * two / size**2)
    everything = float(np.sum(weights))
    by_size = np.array(weights) / everything
    mean = np.r_[np.sum(first, axis=0) / everything, by_size[1:]]
    moments = np.zeros((len(mean), len(mean)))
    moments[:n, :n] = np.sum(second, axis=0) / everything
    for k, row in enumerate(first[1:]):
        moments[n + k, :n] = moments[:n, n + k] = row / everything
    moments[range(n, len(mean)), range(n, len(mean))] = by_size[1:]
    return top + float(np.log(everything)), mean, moments - np.outer(mean, mean)


def _subset_sums(v: Floats, size: int) -> tuple[float, Floats, Floats]:
    """Sums of products over all sets of a size, over those with each member, over those with each pair."""
    polynomials = np.zeros(size + 1)
    polynomials[0] = 1.0
    for x in v.tolist():
        polynomials[1:] += x * polynomials[:-1]
    without = np.ones(len(v))  # e_0 without each member, then e_k(A − i) = e_k(A) − v_i e_(k−1)(A − i)
    without_two = np.ones((len(v), len(v)))
    chain = [without]
    for k in range(1, size):
        chain.append(polynomials[k] - v * chain[-1])
    for k in range(1, size - 1):
        without_two = chain[k][:, None] - v[None, :] * without_two
    one = v * chain[size - 1]
    two = np.outer(v, v) * without_two if size > 1 else np.zeros((len(v), len(v)))
    np.fill_diagonal(two, one)
    return float(polynomials[size]), one, two


def ranking_tallies(rankings: Rankings) -> Floats:
    """The weight of each player's wins, ties and losses in rankings, of shape (3, players)."""
    n, sizes = len(rankings.players), np.diff(rankings.offsets)
    event = np.repeat(np.arange(len(rankings)), sizes)
    order = np.lexsort((rankings.rank, event))
    rank, begins = rankings.rank[order], np.r_[True, np.diff(event[order]) > 0]
    fresh = np.flatnonzero(begins | np.r_[True, np.diff(rank) != 0])
    shared = np.diff(np.r_[fresh, len(rank)])
    group = np.repeat(np.arange(len(fresh)), shared)
    above = fresh[group] - rankings.offsets[event[order]]
    tied = shared[group] - 1
    below = sizes[event[order]] - 1 - above - tied
    weight, player = rankings.weight[event[order]], rankings.player[order]
    return np.array([np.bincount(player, weight * count, n) for count in (below, tied, above)])
