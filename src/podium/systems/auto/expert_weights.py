"""The aggregating algorithm: weights of predictions, and what a result does to them.

There are K experts. Each predicts twice, raw and calibrated, and regressions on the log odds of all of these
predict too, in this order. `docs/auto.md` has the theorem.

Weights are logarithms. An event multiplies the weight of every prediction that is awake by the likelihood it
gave to the result, so that the awake ones together keep what they had, and then all weights move a part, the
share, towards 1/N.
"""

from __future__ import annotations

import math

from podium.arrays import Bools, Floats, Longs
from podium.numerics.jit import kernel
from podium.numerics.win_chances import logistic
from podium.systems.contract.calibration_kernels import LARGEST_LOGIT


@kernel
def clipped_chance(p: float) -> float:
    """A chance between those of the largest log odds that count."""
    least = logistic(-LARGEST_LOGIT)
    return min(max(p, least), 1.0 - least)


@kernel
def find_predicting(awake: Bools, rated: Longs, predicting: Bools) -> int:
    """Mark the experts that predict an event: those that are awake and have rated before.

    If none has, all that are awake do. Returns their number.
    """
    count = 0
    for k in range(len(awake)):
        predicting[k] = awake[k] and rated[k] > 0
        count += predicting[k]
    if count == 0:
        for k in range(len(awake)):
            predicting[k] = awake[k]
            count += predicting[k]
    return count


@kernel
def is_awake(predicting: Bools, i: int) -> bool:
    """Whether prediction number `i` counts: that of an expert that predicts, or of a regression."""
    return i >= 2 * len(predicting) or predicting[i % len(predicting)]


@kernel
def learn_weights(log_weights: Floats, predicting: Bools, loss: Floats, share: float) -> None:
    """Reweigh by what each prediction lost; those asleep keep their weights, but for the share."""
    n = len(log_weights)
    least, before, after = math.inf, 0.0, 0.0
    for i in range(n):
        if is_awake(predicting, i):
            least = min(least, loss[i])
            before += math.exp(log_weights[i])
    for i in range(n):
        if is_awake(predicting, i):
            log_weights[i] -= loss[i] - least
            after += math.exp(log_weights[i])
    change = math.log(before / after)
    for i in range(n):
        w = log_weights[i] + (change if is_awake(predicting, i) else 0.0)
        log_weights[i] = math.log((1.0 - share) * math.exp(w) + share / n)


@kernel
def fill_weights(log_weights: Floats, weights: Floats) -> None:
    """The weights themselves."""
    for i in range(len(weights)):
        weights[i] = math.exp(log_weights[i])


@kernel
def add_losses(p: Floats, score: float, part: float, loss: Floats) -> None:
    """Add a part of −s ln p − (1 − s) ln(1 − p) for every prediction."""
    for i in range(len(p)):
        loss[i] -= part * (score * math.log(p[i]) + (1.0 - score) * math.log(1.0 - p[i]))
