"""What the difference of two strengths says about a vote: chances of a win, a tie and a loss.

Each model gives, for differences d and its tie parameter h, the logarithms of the three chances with their
first and second derivatives; rows are first won, tied, second won.

- Bradley and Terry (1952): P(a) = 1/(1 + e^(−d)). A tie counts as half a win for each side.
- Davidson (1970): weights e^(d/2), e^h and e^(−d/2); h is the logarithm of his ν.
- Rao and Kupper (1967): P(a) = 1/(1 + e^(h − d)); h is the logarithm of their θ.
- Thurstone's case V (1927) with the ties of Glenn and David (1960): P(a) = Φ(d − h).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.text import did_you_mean

ELO_PER_LOGIT = 400.0 / math.log(10.0)
"""Points per unit of strength where chances are logistic: 400 points are odds of ten to one, as Elo's."""
ELO_PER_PROBIT = 200.0 * math.sqrt(2.0)
"""Points per unit where chances are normal: Elo's own scale, each performance with a deviation of 200."""
FARTHEST_PROBIT = 37.0
"""Beyond this many deviations Φ is below the smallest number; differences are cut there."""


@dataclass(frozen=True)
class Chances:
    """Log chances of the three outcomes and their derivatives, each of shape (3, votes)."""

    log: Floats
    d: Floats
    h: Floats
    dd: Floats
    dh: Floats
    hh: Floats


@dataclass(frozen=True)
class PairModel:
    """A model of votes between two.

    Attributes:
        name: Its name, as on the command line.
        label: Its name for readers.
        has_ties: Whether it gives ties a chance of their own.
        points: Points of the display scale per unit of strength.
        lowest_tie: The tie parameter is above this.
        chances: Log chances and derivatives for differences and the tie parameter.
    """

    name: str
    label: str
    has_ties: bool
    points: float
    lowest_tie: float
    chances: Callable[[Floats, float], Chances]

    def tie_start(self, ties: float) -> float:
        """A tie parameter from the share of ties, right if all strengths were equal."""
        share = min(max(ties, 1e-6), 1.0 - 1e-6)
        if self.name == "davidson":
            return math.log(2.0 * share / (1.0 - share))  # ν/(2 + ν) = share
        return math.log((1.0 + share) / (1.0 - share)) * (1.0 if self.name == "rao-kupper" else 0.6)


def _log_sigmoid(x: Floats) -> Floats:
    return -np.logaddexp(0.0, -x)


def _sigmoid(x: Floats) -> Floats:
    return np.exp(_log_sigmoid(x))


def _bradley_terry(d: Floats, h: float) -> Chances:
    win, lose = _log_sigmoid(d), _log_sigmoid(-d)
    p, q = np.exp(win), np.exp(lose)
    zero = np.zeros((3, len(d)))
    first = np.array([q, (q - p) / 2.0, -p])
    second = np.broadcast_to(-p * q, (3, len(d)))
    return Chances(np.array([win, (win + lose) / 2.0, lose]), first, zero, second, zero, zero)


def _davidson(d: Floats, h: float) -> Chances:
    half = d / 2.0
    total = np.logaddexp(np.logaddexp(half, -half), h)
    a, t, b = np.exp(half - total), np.exp(h - total), np.exp(-half - total)
    slope = (a - b) / 2.0
    ones = np.ones(3)[:, None]
    return Chances(
        np.array([half - total, h - total, -half - total]),
        np.array([0.5 - slope, -slope, -0.5 - slope]),
        np.array([-t, 1.0 - t, -t]),
        -ones * ((a + b) / 4.0 - slope**2),
        ones * (t * slope),
        -ones * (t * (1.0 - t)),
    )


def _rao_kupper(d: Floats, h: float) -> Chances:
    win, lose = _log_sigmoid(d - h), _log_sigmoid(-d - h)
    p, q = np.exp(win), np.exp(lose)
    # The chance of a tie is (1 − P(a))(1 − P(b))(1 − e^(−2h)), Rao and Kupper's (2.2).
    tie = _log_sigmoid(h - d) + _log_sigmoid(d + h) + math.log(-math.expm1(-2.0 * h))
    pp, qq = p * (1.0 - p), q * (1.0 - q)
    more, curve = 2.0 / math.expm1(2.0 * h), 1.0 / math.sinh(h) ** 2
    return Chances(
        np.array([win, tie, lose]),
        np.array([1.0 - p, q - p, q - 1.0]),
        np.array([p - 1.0, p + q + more, q - 1.0]),
        np.array([-pp, -pp - qq, -qq]),
        np.array([pp, pp - qq, -qq]),
        np.array([-pp, -pp - qq - curve, -qq]),
    )


_erfc = np.frompyfunc(math.erfc, 1, 1)


def _normal_tail(x: Floats) -> Floats:
    """Φ(−x), accurate far into the tail."""
    return 0.5 * np.asarray(_erfc(x / math.sqrt(2.0)), np.float64)


def _thurstone(d: Floats, h: float) -> Chances:
    d = np.clip(d, -FARTHEST_PROBIT + h, FARTHEST_PROBIT - h)
    up, down = d + h, d - h
    p, q = _normal_tail(-down), _normal_tail(up)
    high, low = (np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) for x in (up, down))
    away = np.abs(d)  # both bounds in the lower tail, where the difference keeps its digits
    tie = np.maximum(_normal_tail(away - h) - _normal_tail(away + h), 1e-320) if h > 0.0 else np.ones(len(d))
    won, lost = low / p, high / q
    first_d = np.array([won, (high - low) / tie, -lost])
    first_h = np.array([-won, (high + low) / tie, -lost])
    bend = (-up * high + down * low) / tie
    twist = (-up * high - down * low) / tie
    won2, lost2 = -won * (down + won), -lost * (lost - up)
    return Chances(
        np.log(np.array([p, tie, q])),
        first_d,
        first_h,
        np.array([won2, bend - first_d[1] ** 2, lost2]),
        np.array([-won2, twist - first_d[1] * first_h[1], lost2]),
        np.array([won2, bend - first_h[1] ** 2, lost2]),
    )


PAIR_MODELS = {
    model.name: model
    for model in (
        PairModel("bradley-terry", "Bradley–Terry", False, ELO_PER_LOGIT, -math.inf, _bradley_terry),
        PairModel("davidson", "Davidson", True, ELO_PER_LOGIT, -math.inf, _davidson),
        PairModel("rao-kupper", "Rao–Kupper", True, ELO_PER_LOGIT, 0.0, _rao_kupper),
        PairModel("thurstone", "Thurstone", True, ELO_PER_PROBIT, 0.0, _thurstone),
    )
}
"""The models of votes between two, by name."""
PLACKETT_LUCE = "plackett-luce"
"""The name of the model of rankings (`podium.fitting.rankings`)."""
MODELS = (*PAIR_MODELS, PLACKETT_LUCE)
"""The names of all models."""


def check_model(name: str) -> None:
    """Refuse a name that no model has."""
    if name not in MODELS:
        hint = did_you_mean(name, MODELS) or f"models are {', '.join(MODELS)}"
        raise ParameterError(f"there is no model {name!r}", hint=hint)
