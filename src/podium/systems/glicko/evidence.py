"""What results say in Glicko and Glicko-2: information and surprise, summed over opponents; its inputs.

Evidence is in the internal scale of Glickman (2012), where q = ln 10 / scale turns points into log-odds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats, Ints, Longs
from podium.numerics.allpairs import expected_sums, score_sums
from podium.numerics.event_sides import score_between, side_of
from podium.numerics.jit import kernel


class GlickoBeliefs(NamedTuple):
    """The columns of the state; `volatility` is empty in Glicko."""

    mu: Floats
    variance: Floats
    volatility: Floats
    information: Floats
    surprise: Floats
    in_period: Ints
    """Number of events played in the open period."""
    period: Longs
    events: Ints
    last_time: Longs


class GlickoRules(NamedTuple):
    """The parameters of Glicko and Glicko-2 in the form kernels use."""

    q: float
    adaptive: bool
    """Whether players have volatilities: Glicko-2."""
    growth: float
    """c²: variance added by each rating period in Glicko; Glicko-2 uses the volatility instead."""
    limit: float
    """The variance that absence never exceeds."""
    least: float
    """The variance below which no event leads."""
    most_volatile: float
    """The largest volatility, in Glicko-2."""
    plays: float
    """Rating periods that an event itself takes: 1, or 0 where only the time in between counts."""
    tau: float
    periods_per_day: float
    length: int
    """Length of a rating period in microseconds; 0 if each event is a period."""
    home_advantage: float
    newcomer: float
    mean_of_team: bool
    pairs: int
    """How an event of many sides counts: see `PAIR_COUNTING`."""


MEAN, SUM, ONE_MATCH = 0, 1, 2
PAIR_COUNTING = {"mean": MEAN, "sum": SUM, "one-match": ONE_MATCH}


@kernel
def side_strengths(
    side: Ints,
    lo: int,
    hi: int,
    sides: int,
    size: Ints,
    q: float,
    rules: GlickoRules,
    member_mu: Floats,
    member_variance: Floats,
    strength: Floats,
    g: Floats,
) -> None:
    """A side as one opponent: the mean of its members, or the sum of their ratings above a newcomer's.

    Fills how strong it is, and its attenuation.
    """
    for i in range(sides):
        strength[i] = 0.0
        g[i] = 0.0
    for r in range(lo, hi):
        i = side_of(side, r, lo)
        strength[i] += member_mu[r - lo] - rules.newcomer
        g[i] += member_variance[r - lo]
    for i in range(sides):
        if rules.mean_of_team:
            strength[i] /= size[i]
            g[i] /= size[i] * size[i]
        g[i] = attenuation(g[i], q)


@kernel
def pair_evidence(
    rank: Ints,
    share: Floats,
    sides: int,
    first: Ints,
    strength: Floats,
    g: Floats,
    q: float,
    information: Floats,
    surprise: Floats,
) -> None:
    """Σ g²E(1−E), which is 1/v, and Σ g(s−E) of each side over all others (2012, steps 3 and 4)."""
    for i in range(sides):
        information[i] = 0.0
        surprise[i] = 0.0
    for i in range(sides):
        for j in range(i + 1, sides):
            d = q * (strength[i] - strength[j])
            score = score_between(rank, share, first[i], first[j])
            told, moved = evidence(d, score, g[j])
            information[i] += told
            surprise[i] += moved
            told, moved = evidence(-d, 1.0 - score, g[i])
            information[j] += told
            surprise[j] += moved


@kernel
def tabulated_evidence(
    rank: Ints,
    sides: int,
    first: Ints,
    strength: Floats,
    g: Floats,
    q: float,
    information: Floats,
    surprise: Floats,
) -> None:
    """The sums of `pair_evidence` for a large contest, with oneself as an opponent of score ½."""
    expected = np.empty(sides)
    expected_sums(q * strength[:sides], g[:sides], expected, information[:sides])
    score_sums(rank[first[:sides]].astype(np.float64), g[:sides], surprise[:sides])
    for i in range(sides):
        surprise[i] -= expected[i]
        information[i] -= 0.25 * g[i] * g[i]


@kernel
def condense(information: Floats, surprise: Floats, sides: int, pairs: int, weight: float) -> None:
    """Combine all pairs of an event into one match.

    A rating period of hundreds of games is far outside what Glickman's single step is made for: it goes
    beyond the ratings that explain the results, further every time. One match against the average opponent
    (`MEAN`) cannot. `ONE_MATCH` is what the authors of Elo-MMR compared with: the mean over all sides, with
    oneself, and the information of an even match against somebody known exactly. An event's weight then
    multiplies q by its root; of that the evidence, which is multiplied by the weight, lacks a part.
    """
    for i in range(sides):
        if pairs == ONE_MATCH:
            information[i] = 0.25
            surprise[i] /= sides * math.sqrt(weight)
        else:
            information[i] /= sides - 1
            surprise[i] /= sides - 1


@kernel
def evidence(d: float, score: float, g: float) -> tuple[float, float]:
    """Information and surprise of one result against an opponent of attenuation g, d log-odds below."""
    e = math.exp(-g * abs(d))
    high = 1.0 / (1.0 + e)  # the favourite's expected score; e·high is the other's
    return g * g * (e * high * high), g * (score - (high if d >= 0.0 else e * high))


@kernel
def attenuation(variance: float, q: float) -> float:
    """g(φ): how much an opponent's uncertainty weakens the evidence of a result."""
    return 1.0 / math.sqrt(1.0 + 3.0 * q * q * variance / math.pi**2)


def widened_scale(sigma_a: ArrayLike, sigma_b: ArrayLike, scale: float) -> Floats:
    """scale/g(√(RDₐ² + RD_b²)): the points that mean odds of ten to one with these deviations.

    It makes the logistic curve Glickman's expected score with both deviations (1999).
    """
    q = math.log(10.0) / scale
    phi_squared = q * q * (np.square(sigma_a) + np.square(sigma_b))
    widened: Floats = scale * np.sqrt(1.0 + 3.0 * phi_squared / math.pi**2)
    return widened
