"""Which experts count, how much, and what each says of a player."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.systems.auto.contest_ratings import contest_opinions
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.public_ratings import POINTS, REFERENCE_RATING
from podium.systems.auto.reference_meetings import against_reference
from podium.systems.contract.opinions import Opinion
from podium.systems.contract.state import State

LEAST_COEFFICIENT = 1e-12
"""Coefficients of regressions count as this much at least, where their sizes are compared."""


def expert_shares(state: State) -> Floats:
    """How much each expert counts now: the weights of its predictions, and its part in the regressions.

    The weight of a regression is divided among experts by the size of their coefficients. The shares add up
    to one; an expert that has rated nothing while others have does not count.
    """
    rated = state.shared["rated"] > 0
    k, counts = len(rated), np.tile(rated if rated.any() else ~rated, 2)
    weights = np.exp(state.shared["log_weights"])
    sizes = np.maximum(np.abs(state.shared["coefficients"]), LEAST_COEFFICIENT) * counts
    in_regressions = weights[2 * k :] @ (sizes / sizes.sum(axis=1, keepdims=True))
    both = weights[: 2 * k] * counts + in_regressions
    by_expert = both[:k] + both[k:]
    shares: Floats = by_expert / by_expert.sum()
    return shares


def expert_opinions(experts: tuple[Expert, ...], state: State, player: int, at: int) -> tuple[Opinion, ...]:
    """What each expert says of a player, those that count most first."""
    if state["many"][player]:
        shares, ratings = contest_opinions(experts, state, player, at)
    else:
        shares, somebody = expert_shares(state), np.array([player])
        logits = [
            against_reference(expert, part, somebody, at)[0]
            for expert, part in zip(experts, state.parts, strict=True)
        ]
        ratings = REFERENCE_RATING + POINTS * np.concatenate(logits)
    found = [
        Opinion(expert.label, float(share), float(rating))
        for expert, share, rating in zip(experts, shares, ratings, strict=True)
        if share > 0.0
    ]
    return tuple(sorted(found, key=lambda one: -one.share))
