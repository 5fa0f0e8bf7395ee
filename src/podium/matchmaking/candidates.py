"""Plausible meetings: for each player the few others who might be the right opponent.

A player rated r who wants an opponent rated t is well served by somebody rated near t who wants somebody near
r. All pairs of a hundred thousand are five thousand million; their best pairing is nearly as good on a sparse
graph of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import InputError
from podium.history.core import Bools, Longs

NEIGHBOURS = 12


def plausible_meetings(
    rating: ArrayLike, wanted: ArrayLike, *, groups: Bools | None = None, neighbours: int = NEIGHBOURS
) -> tuple[Longs, Longs]:
    """Pairs of players who might meet, by number: the lower one first, each pair once.

    `wanted` is the rating of the opponent each wants. Only players who share a group meet, and inside each
    group everybody gets about `neighbours` of them.
    """
    own, ideal = np.asarray(rating, np.float64), np.asarray(wanted, np.float64)
    if own.ndim != 1 or own.shape != ideal.shape or np.isnan(own).any() or np.isnan(ideal).any():
        raise InputError("candidates need a rating and a wanted rating of each player")
    everybody = np.arange(len(own))
    members = [everybody] if groups is None else [np.flatnonzero(column) for column in np.asarray(groups).T]
    found = [np.zeros(0, np.int64)]
    for group in members:
        for order in (
            np.argsort(own[group] + ideal[group], kind="stable"),
            np.argsort(ideal[group], kind="stable"),
        ):
            line = group[order]
            for step in range(1, 1 + max(1, neighbours // 4)):
                a, b = line[:-step], line[step:]
                found.append(np.minimum(a, b) * len(own) + np.maximum(a, b))
    first, second = np.divmod(np.unique(np.concatenate(found)), max(len(own), 1))
    return first, second
