"""Performances that score what is expected of them: the locations, found from mean scores.

A mixture of systems says what each side of a free-for-all scores on average, and has no performances of its
own. Chances of places that agree with it are those of performances with these mean scores.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.numerics.free_for_all.mean_places import expected_ranks

MOST_LOGIT = 12.0
"""Log odds of mean scores beyond are taken as these: 0.999994."""
CLOSE = 1e-5
"""Log odds that are met as closely as this are met."""
MOST_STEPS = 40
"""Steps until the best so far has to do: scores that no performances have are not met."""
REMEMBERED = 5
"""Earlier steps that a step learns from."""


def fitted_locations(family: str, location: Floats, scale: Floats, scores: Floats) -> Floats:
    """The locations of performances of this family and these scales with these mean scores.

    It starts from `location`. Scores whose mean is not ½ belong to no performances: all of them then miss in
    log odds by the same, so that the order and the distances are those that are wanted.

    >>> found = fitted_locations("gumbel", np.zeros(3), np.ones(3), np.array([0.7, 0.5, 0.3]))
    >>> ((3 - expected_ranks("gumbel", found, np.ones(3))) / 2).round(5).tolist()
    [0.7, 0.5, 0.3]
    """
    n, wanted = len(scores), _log_odds(scores)
    at: Floats = location - location.mean()
    best = at
    least, moved, closed = np.inf, np.empty((0, n)), np.empty((0, n))
    for _ in range(MOST_STEPS):
        gap = wanted - _log_odds((n - expected_ranks(family, at, scale)) / (n - 1))
        gap -= gap.mean()
        missed = float(np.abs(gap).max())
        if missed < least:
            least, best = missed, at
        if missed < CLOSE:
            break
        step = scale * gap
        if len(moved):  # Anderson (1965): the last steps tell how far this one should go
            closed[-1] -= gap
            part = np.linalg.lstsq(closed.T, gap, rcond=None)[0]
            step = step + part @ (moved - scale * closed)
        moved = np.vstack([moved, step])[-REMEMBERED:]
        closed = np.vstack([closed, gap])[-REMEMBERED:]
        at = at + step
    return best


def _log_odds(scores: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        odds: Floats = np.clip(np.log(scores / (1.0 - scores)), -MOST_LOGIT, MOST_LOGIT)
    return odds
