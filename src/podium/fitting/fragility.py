"""How few votes decide who is first.

Each vote's influence on the leader's lead is linear near the fit (Broderick, Giordano and Meager 2020): the
votes that hold it up most are removed first, as many as should close the gap. What that removal really does
is then fitted, and the number is the smallest found for which another player comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.fitting.hidden_variance import bread
from podium.fitting.newton import maximise
from podium.fitting.pair_likelihood import PairLikelihood

if TYPE_CHECKING:
    from podium.fitting.fit_result import Fit

RIVALS = 30
"""Players whose votes to remove are counted by influence: those nearest to the leader by variance."""
CHALLENGERS = 3
"""Players who might come first that are tried: those with the fewest votes to remove by influence."""


@dataclass(frozen=True)
class Fragility:
    """The fewest votes whose removal changes first place.

    Attributes:
        leader: Who is first.
        successor: Who comes first without those votes.
        estimated: How many votes that takes by their influence.
        verified: How many were removed when another player came first in a new fit.
        share: `verified` as a share of all votes.
        removed: Those votes: first side, second side, outcome (0, 1 or 2), how many.
    """

    leader: str
    successor: str
    estimated: int
    verified: int
    share: float
    removed: tuple[tuple[str, str, int, int], ...]

    def __str__(self) -> str:
        return (
            f"Without {self.verified} votes ({self.share:.2%}), {self.successor} would be first instead of "
            f"{self.leader} (by influence alone: {self.estimated})."
        )


def fragility(fit: Fit) -> Fragility:
    """The fewest votes whose removal changes first place."""
    likelihood, solution = fit.pairs, fit.solution
    theta = solution.strengths
    leader = int(fit.order[0])
    rivals = np.flatnonzero(solution.component == solution.component[leader])
    rivals = rivals[rivals != leader]
    if not len(rivals):
        raise InputError("first place cannot change: no votes link other players to the leader")
    inverse = bread(solution)
    spread = np.diagonal(inverse)
    variance = spread[leader] + spread[rivals] - 2.0 * inverse[leader, rivals]
    near = np.argsort((theta[leader] - theta[rivals]) / np.maximum(variance, 1e-300), kind="stable")
    tried = []
    for rival in rivals[near[:RIVALS]].tolist():
        order, each = _by_influence(likelihood, solution.parameters, inverse, leader, rival)
        enough = np.flatnonzero(np.cumsum(each) >= theta[leader] - theta[rival])
        if len(enough):
            tried.append((int(enough[0]) + 1, rival, order))
    tried.sort(key=lambda one: one[:2])
    best: tuple[int, int, int, Longs] | None = None
    for estimated, _, order in tried[:CHALLENGERS]:
        found = _verified(fit, order, leader, estimated, best[0] if best else len(order))
        if found is not None and (best is None or found[0] < best[0]):
            best = (found[0], estimated, found[1], order)
    if best is None:
        raise InputError("no removal of votes was found that changes first place")
    count, estimated, successor, order = best
    cells = likelihood.cells
    kinds, numbers = np.unique(order[:count], return_counts=True)
    width = cells.counts.shape[1]
    removed = tuple(
        (fit.players[cells.first[k % width]], fit.players[cells.second[k % width]], int(k // width), int(m))
        for k, m in sorted(zip(kinds.tolist(), numbers.tolist(), strict=True), key=lambda pair: -pair[1])
    )
    return Fragility(
        fit.players[leader], fit.players[successor], estimated, count, count / len(fit.votes), removed
    )


def _by_influence(
    likelihood: PairLikelihood, parameters: Floats, inverse: Floats, leader: int, rival: int
) -> tuple[Longs, Floats]:
    """Votes as numbers of counts, best supporters of the lead first, and what removing each takes off."""
    cells, chances = likelihood.cells, likelihood.chances(parameters)
    direction = inverse[leader] - inverse[rival]
    rise = cells.design @ direction[likelihood.effects_from : likelihood.judges_from]
    for p, x in likelihood.columns(parameters):
        rise = rise + x * direction[p]
    influence = chances.d * rise
    if likelihood.has_tie:
        influence = influence + chances.h * direction[likelihood.players]
    each = np.divide(cells.squares, cells.counts, out=np.ones_like(cells.counts), where=cells.counts > 0)
    influence = (influence * each).ravel()
    helping = np.flatnonzero((cells.counts.ravel() > 0) & (influence > 0))
    helping = helping[np.argsort(-influence[helping], kind="stable")]
    votes = np.rint(cells.counts.ravel()[helping] / each.ravel()[helping]).astype(np.int64)
    return np.repeat(helping, votes), np.repeat(influence[helping], votes)


def _verified(fit: Fit, order: Longs, leader: int, guess: int, limit: int) -> tuple[int, int] | None:
    """The fewest of the first votes of `order` without which another player is first, and who that is."""
    low, high, who = 0, min(guess, limit), -1
    while (who := _first_without(fit, order[:high], leader)) == leader:
        if high >= limit:
            return None
        low, high = high, min(max(high + 1, high * 5 // 4), limit)
    while high - low > 1:
        middle = (low + high) // 2
        there = _first_without(fit, order[:middle], leader)
        if there == leader:
            low = middle
        else:
            high, who = middle, there
    return high, who


def _first_without(fit: Fit, removed: Longs, leader: int) -> int:
    """Who is first in the leader's component without some votes."""
    solution, likelihood = fit.solution, fit.pairs
    cells = likelihood.cells
    each = np.divide(cells.squares, cells.counts, out=np.ones_like(cells.counts), where=cells.counts > 0)
    fewer = np.bincount(removed, minlength=cells.counts.size).reshape(cells.counts.shape) * each
    changed = replace(likelihood, cells=replace(cells, counts=np.maximum(cells.counts - fewer, 0.0)))
    parameters, _ = maximise(changed, solution.shifts, solution.free, solution.parameters, 1e-6)
    inside = np.flatnonzero(solution.component == solution.component[leader])
    return int(inside[np.argmax(parameters[inside])])
