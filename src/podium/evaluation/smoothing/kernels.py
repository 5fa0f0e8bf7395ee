"""Skills of the past, given all results: random walks seen through performances, compiled.

A *walk* is the skill of one player from event to event, as long as nothing but results and drift changes the
belief. Nodes of a walk lie side by side. Of each are known the variance `added` since the node before (of the
first: the whole variance it starts from) and what its event tells: a factor of the posterior that is normal,
with precision h and pull y = h · (what was seen), or logistic.

Where all factors are normal, a pass forwards (Kalman's filter) and one backwards (Rauch, Tung and Striebel)
give the exact posterior of every node. With logistic factors the most likely walk is found by Newton's
method: each step is such a double pass, with the factors' parabolas at the walk before. Nothing is divided by
an added variance, so that skills may stand still.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.numerics.jit import kernel

NO_WALK = -1
MOST_NEWTON_STEPS = 100
LAST_NEWTON_STEP = 1e-10
"""A Newton step below this multiple of τ is the last: the curvature is taken where it began."""
ROUNDING_SLACK = 1e-12
"""The part of a height that rounding may add to it."""


class Players(NamedTuple):
    """What is known of each player while a history is followed."""

    walk: Longs
    """The walk the player is on, or `NO_WALK`: then the next row begins one."""
    last: Longs
    """The player's last row."""
    person: Longs
    """The number of the person who has this name."""
    events: Ints
    """Number of rated events so far."""
    bare: Bools
    """Whether the player is new and nothing else is known yet."""
    anchored: Bools


@kernel
def follow_walks(
    first: int,
    last: int,
    walks: int,
    player: Ints,
    rated: Bools,
    mu_before: Floats,
    mu: Floats,
    players: Players,
    walk: Longs,
    person: Longs,
    experience: Ints,
    new: Bools,
) -> int:
    """Find walk, person, experience and newness of each row of a slice; returns the number of walks.

    A walk goes on where the belief does. Whoever is new may start from another belief when first rated, where
    the start adapts to earlier newcomers; that is still the same walk.
    """
    on, before, who, events, bare, anchored = players
    for row in range(first, last):
        j = player[row]
        if anchored[j] or (on[j] != NO_WALK and mu_before[row] != mu[before[j]] and not bare[j]):
            on[j] = NO_WALK
        if on[j] == NO_WALK:
            on[j] = walks
            walks += 1
        walk[row], person[row], experience[row] = on[j], who[j], events[j]
        new[row] = bare[j]
        before[j] = row
        if rated[row]:
            events[j] += 1
            bare[j] = False
    return walks


@kernel
def walk_order(walk: Longs, walks: int) -> tuple[Longs, Longs]:
    """The first node of each walk, and the row of each node."""
    offsets, order = np.zeros(walks + 1, np.int64), np.empty(len(walk), np.int64)
    for row in range(len(walk)):
        offsets[walk[row] + 1] += 1
    for w in range(walks):
        offsets[w + 1] += offsets[w]
    place = offsets.copy()
    for row in range(len(walk)):
        order[place[walk[row]]] = row
        place[walk[row]] += 1
    return offsets, order


@kernel
def settle_starts(
    offsets: Longs,
    rated: Bools,
    new: Bools,
    mu_before: Floats,
    variance_before: Floats,
    mu: Floats,
    variance: Floats,
) -> None:
    """Start a player who appears before being rated from the first rated belief, or the last seen."""
    for w in range(len(offsets) - 1):
        for k in range(offsets[w + 1] - 2, offsets[w] - 1, -1):
            if new[k] and not rated[k]:
                mu_before[k] = mu[k] = mu_before[k + 1]
                variance_before[k] = variance[k] = variance_before[k + 1]


# ---------------------------------------------------------------------------------------------------------
# Walks, forwards and backwards


class Walks(NamedTuple):
    """The nodes of all walks, before their own factors count."""

    offsets: Longs
    start: Floats
    """The mean at the start of a walk, at its first node; the others are not used."""
    added: Floats

    def part(self, start: int, stop: int) -> Walks:
        """Walks of a slice; nodes keep their numbers."""
        return self._replace(offsets=self.offsets[start : stop + 1])


class WalkBeliefs(NamedTuple):
    """The belief about each node."""

    mean: Floats
    """The mean from earlier nodes and the node's own factor."""
    variance: Floats
    predicted: Floats
    """The variance before the node's own factor."""
    smoothed: Floats
    """The mean from all nodes."""
    spread: Floats
    """The variance from all nodes."""


@kernel
def filter_walk(
    lo: int, hi: int, start: Floats, added: Floats, h: Floats, y: Floats, out: WalkBeliefs
) -> None:
    """Forward pass: each node from the earlier ones and its own normal factor."""
    mean, variance, predicted, _, _ = out
    m, v = start[lo], 0.0
    for k in range(lo, hi):
        grown = v + added[k]
        v = grown / (1.0 + grown * h[k])
        m += v * (y[k] - h[k] * m)
        mean[k], variance[k], predicted[k] = m, v, grown


@kernel
def smooth_walk(lo: int, hi: int, added: Floats, out: WalkBeliefs) -> None:
    """Backward pass: each node from all of them."""
    mean, variance, predicted, smoothed, spread = out
    smoothed[hi - 1], spread[hi - 1] = mean[hi - 1], variance[hi - 1]
    for k in range(hi - 2, lo - 1, -1):
        gain = variance[k] / predicted[k + 1]
        smoothed[k] = mean[k] + gain * (smoothed[k + 1] - mean[k])
        # V + G² (V' − P) without a difference: V − G² P is V times what drift is of P
        spread[k] = variance[k] * (added[k + 1] / predicted[k + 1]) + gain * gain * spread[k + 1]


@kernel
def smooth_walks(walks: Walks, out: WalkBeliefs) -> None:
    """Run the backward pass on all walks; forward beliefs must be known."""
    offsets, _, added = walks
    for w in range(len(offsets) - 1):
        smooth_walk(offsets[w], offsets[w + 1], added, out)


@kernel
def follow_normal_walks(walks: Walks, h: Floats, y: Floats, out: WalkBeliefs) -> None:
    """Run both passes on all walks, with normal factors."""
    offsets, start, added = walks
    for w in range(len(offsets) - 1):
        filter_walk(offsets[w], offsets[w + 1], start, added, h, y, out)
        smooth_walk(offsets[w], offsets[w + 1], added, out)


@kernel
def follow_logistic_walks(
    walks: Walks, p: Floats, weight: Floats, tau: Floats, pull: float, h: Floats, y: Floats, out: WalkBeliefs
) -> None:
    """The most likely walks where factors are logistic (`systems.elo_mmr.beliefs`), and their curvature.

    Minus the logarithm of a posterior is convex: Newton's steps, halved until they lead down, end at its
    minimum. They begin at the walk of normal factors of these weights: it stands still where there is no
    drift, as all must. h and y become the normal factors that stand for the logistic ones at the end.
    """
    offsets, start, added = walks
    smoothed = out.smoothed
    longest = 0
    for w in range(len(offsets) - 1):
        longest = max(longest, offsets[w + 1] - offsets[w])
    x, step = np.empty(longest), np.empty(longest)
    for w in range(len(offsets) - 1):
        lo, hi = offsets[w], offsets[w + 1]
        n = hi - lo
        narrowest = math.inf
        for k in range(lo, hi):
            h[k], y[k] = weight[k], weight[k] * p[k]
            narrowest = min(narrowest, tau[k])
        filter_walk(lo, hi, start, added, h, y, out)
        smooth_walk(lo, hi, added, out)
        for k in range(n):
            x[k] = smoothed[lo + k]
        here = _height(x, lo, hi, start, added, p, weight, tau, pull)
        for _ in range(MOST_NEWTON_STEPS):
            for k in range(lo, hi):
                t = math.tanh((x[k - lo] - p[k]) / tau[k])
                h[k] = pull * weight[k] * (1.0 - t * t)
                y[k] = h[k] * x[k - lo] - pull * weight[k] * tau[k] * t
            filter_walk(lo, hi, start, added, h, y, out)
            smooth_walk(lo, hi, added, out)
            longest_step = 0.0
            for k in range(n):
                step[k] = smoothed[lo + k] - x[k]
                longest_step = max(longest_step, abs(step[k]))
            if not longest_step > LAST_NEWTON_STEP * narrowest:
                break
            part = 1.0
            while part > 1e-9:
                for k in range(n):
                    x[k] = smoothed[lo + k] - (1.0 - part) * step[k]
                there = _height(x, lo, hi, start, added, p, weight, tau, pull)
                if there <= here + ROUNDING_SLACK * abs(here):
                    here = there
                    break
                part *= 0.5


@kernel
def _height(
    x: Floats,
    lo: int,
    hi: int,
    start: Floats,
    added: Floats,
    p: Floats,
    weight: Floats,
    tau: Floats,
    pull: float,
) -> float:
    """Minus the logarithm of the posterior of a walk, but for a constant."""
    total, before = 0.0, start[lo]
    for k in range(lo, hi):
        here = x[k - lo]
        if added[k] > 0.0:
            total += 0.5 * (here - before) ** 2 / added[k]
        u = abs(here - p[k]) / tau[k]
        total += pull * weight[k] * tau[k] * tau[k] * (u + math.log1p(math.exp(-2.0 * u)))
        before = here
    return total


# ---------------------------------------------------------------------------------------------------------
# Performances again, from what is now known of the opponents


@kernel
def leave_out(h: Floats, y: Floats, out: WalkBeliefs, mean: Floats, variance: Floats) -> None:
    """The belief about every node without its own factor: from all earlier and later ones."""
    smoothed, spread = out.smoothed, out.spread
    for k in range(len(h)):
        rest = 1.0 - h[k] * spread[k]
        variance[k] = spread[k] / rest
        mean[k] = smoothed[k] + spread[k] * (h[k] * smoothed[k] - y[k]) / rest
