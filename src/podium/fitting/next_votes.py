"""What to ask next, and when to stop asking.

A vote between i and j lowers the variance of every difference. Its gain is that decrease, summed over the
pairs whose order is in doubt: pair kl counts exp(−z²)/s², with its difference z in standard errors s. That
falls to nothing where the order is clear. Of the powers of exp(−z²) from ¼ to 4, this one needed the fewest
votes in made-up arenas. For the top k, only pairs across the border count.

The stopping rule may be looked at after every vote. For each pair the mixture boundary of Robbins (1970)
holds at all times at once, for any way of choosing pairs that looks at past votes only. As standard errors
are its scale, it holds for large samples (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Bools, Floats
from podium.errors import ParameterError
from podium.fitting.rank_sets import difference_errors

if TYPE_CHECKING:
    import polars as pl

    from podium.fitting.fit_result import Fit

MIXTURE_POINTS = 100.0
"""Differences, in points, at which the stopping rule is sharpest."""
FEWEST_VOTES = 30
"""Votes that each player needs before standard errors are trusted by the stopping rule."""


@dataclass(frozen=True)
class Settled:
    """Whether the best are known, by a rule that may be asked after every vote.

    Attributes:
        top: How many are asked for.
        is_settled: Whether it is settled who they are (their order among each other is not asked).
        players: The best, best first.
        closest: The pair across the border that is least clear: one of the best, and one of the others.
        evidence: The evidence for the least clear pair, as a share of what settles it.
        obstacle: Why that pair has no evidence at all, in a few words; empty if it has some.
    """

    top: int
    is_settled: bool
    players: tuple[str, ...]
    closest: tuple[str, str]
    evidence: float
    obstacle: str

    def __str__(self) -> str:
        names = ", ".join(self.players)
        what = "First place is" if self.top == 1 else f"The top {self.top} are"
        if self.is_settled:
            return f"{what} settled: {names}."
        return (
            f"{what} not settled. The least clear pair is {self.closest[0]} and {self.closest[1]}: "
            f"{self.obstacle or f'it has {self.evidence:.0%} of the evidence that it needs'}."
        )


def settled(fit: Fit, top: int) -> Settled:
    """Whether it is settled who the best are."""
    n = len(fit.players)
    if not 1 <= top < n:
        raise ParameterError(f"the top {top} of {n} players", hint=f"ask for 1 to {n - 1}")
    order = np.argsort(-fit.points, kind="stable")
    inside, outside = order[:top], order[top:]
    variance = difference_errors(fit.points_covariance)[np.ix_(inside, outside)] ** 2
    difference = fit.points[inside][:, None] - fit.points[outside][None, :]
    apart = fit.solution.component[inside][:, None] != fit.solution.component[outside][None, :]
    # Only the pairs of a true member and a true outsider can go wrong, each in one direction.
    alpha = 2.0 * (1.0 - fit.level) / (top * (n - top))
    ratio = MIXTURE_POINTS**2 / np.maximum(variance, 1e-12)
    boundary = np.sqrt(variance * (1.0 + 1.0 / ratio) * (2.0 * math.log(1.0 / alpha) + np.log1p(ratio)))
    evidence = np.where(apart, 0.0, difference / np.maximum(boundary, 1e-12))
    votes = fit.tallies.sum(axis=0)
    evidence = np.where(
        np.minimum(votes[inside][:, None], votes[outside][None, :]) < FEWEST_VOTES, 0.0, evidence
    )
    i, j = np.unravel_index(np.argmin(evidence), evidence.shape)
    least, pair = float(evidence[i, j]), (int(inside[i]), int(outside[j]))
    fewest = min(pair, key=lambda player: votes[player])
    obstacle = ""
    if apart[i, j]:
        obstacle = "no chain of votes links them"
    elif votes[fewest] < FEWEST_VOTES:
        obstacle = f"{fit.players[fewest]} has {votes[fewest]:g} of the {FEWEST_VOTES} votes needed"
    return Settled(
        top,
        least >= 1.0,
        tuple(fit.players[p] for p in inside.tolist()),
        (fit.players[pair[0]], fit.players[pair[1]]),
        least,
        obstacle,
    )


def next_votes(fit: Fit, pairs: int, top: int | None, votes_each: int) -> pl.DataFrame:
    """The pairs to ask about next, as a table."""
    import polars as pl

    chosen = chosen_pairs(fit, pairs, top, votes_each)
    largest = max(gain for *_, gain in chosen) or 1.0
    asked = pl.DataFrame(
        {
            "first": [fit.players[i] for i, *_ in chosen],
            "second": [fit.players[j] for _, j, _ in chosen],
            "votes": [votes_each] * pairs,
            "gain": [gain / largest if math.isfinite(gain) else 1.0 for *_, gain in chosen],
        }
    )
    pair = asked.group_by("first", "second", maintain_order=True)  # one may be chosen several times
    return pair.agg(pl.col("votes").sum(), pl.col("gain").first())


def chosen_pairs(fit: Fit, pairs: int, top: int | None, votes_each: int) -> list[tuple[int, int, float]]:
    """Pairs of players by their gain, each for so many votes: those before it are taken as asked."""
    n = len(fit.players)
    if pairs < 1 or votes_each < 1:
        raise ParameterError(f"{pairs} pairs of {votes_each} votes", hint="ask for 1 or more of each")
    if top is not None and not 1 <= top < n:
        raise ParameterError(f"the top {top} of {n} players", hint=f"ask for 1 to {n - 1}")
    covariance, weight = fit.covariance[:n, :n].copy(), fit.vote_information
    theta = fit.solution.strengths
    across: Bools = np.ones((n, n), bool)
    if top is not None:
        is_top = np.zeros(n, bool)
        is_top[np.argsort(-theta, kind="stable")[:top]] = True
        across = is_top[:, None] != is_top[None, :]
    apart = fit.solution.component[:, None] != fit.solution.component[None, :]
    chosen = []
    for _ in range(pairs):
        gain = _gains(theta, covariance, weight * votes_each, across, apart)
        i, j = divmod(int(np.argmax(gain)), n)
        chosen.append((i, j, float(gain[i, j])))
        change = covariance[:, i] - covariance[:, j]
        information = weight[i, j] * votes_each
        covariance -= np.outer(change, change) * information / (1.0 + information * (change[i] - change[j]))
        apart[i, j] = apart[j, i] = False
    return chosen


def _gains(theta: Floats, covariance: Floats, information: Floats, across: Bools, apart: Bools) -> Floats:
    """How much each pair lowers the doubt: infinite if nothing links it yet, 0 below the diagonal."""
    variance = difference_errors(covariance) ** 2
    inside = across & ~apart & (variance > 0.0)
    z2 = np.divide(
        (theta[:, None] - theta[None, :]) ** 2, variance, out=np.zeros_like(variance), where=inside
    )
    doubt = np.divide(np.exp(-z2), variance, out=np.zeros_like(variance), where=inside)
    laplacian = np.diag(doubt.sum(axis=1)) - doubt
    spread = covariance @ laplacian @ covariance
    diagonal = np.diagonal(spread)
    lowered = diagonal[:, None] + diagonal[None, :] - 2.0 * spread
    gain = information / (1.0 + information * variance) * lowered
    gain[apart] = np.inf
    return np.triu(gain, 1)
