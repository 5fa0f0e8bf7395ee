"""Public ratings by what experts believe now, and what adjustments do to experts and to these."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Floats, Longs
from podium.history import Anchor, Names, Reset, SetRating
from podium.history.adjustments import LARGEST_RATING, SMALLEST_SIGMA
from podium.systems.auto.contest_ratings import CONTESTS, ratings_by_score
from podium.systems.auto.contest_scores import ABSENCE
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.mixture_columns import Public
from podium.systems.auto.mixture_state import learned_of
from podium.systems.auto.public_ratings import POINTS, REFERENCE_RATING, rate_publicly
from podium.systems.auto.reference_meetings import against_reference
from podium.systems.contract.calibration_kernels import EXPERIENCED_EVENTS
from podium.systems.contract.state import State

Experts = tuple[Expert, ...]


def mixed_ratings(experts: Experts, state: State, players: Longs, at: int) -> tuple[Floats, Floats]:
    """The public ratings of players by the mixture of what experts believe now, at a time."""
    logit, deviation = np.empty((len(experts), len(players))), np.empty((len(experts), len(players)))
    for number, expert in enumerate(experts):
        logit[number], deviation[number] = against_reference(expert, state.parts[number], players, at)
    terms = np.ascontiguousarray(state.shared["calibrations"][:, 0])
    lack = 1.0 / (1.0 + state["events"][players] / EXPERIENCED_EVENTS)
    mu, sigma = np.empty(len(players)), np.empty(len(players))
    rate_publicly(learned_of(state), terms, lack, logit, deviation, mu, sigma)
    return mu, sigma


def rate_again(experts: Experts, state: State, players: Longs) -> None:
    """Rate players in public by what experts believe now."""
    state["mu"][players], state["sigma"][players] = mixed_ratings(experts, state, players, NO_TIME)
    by_score = players[state["many"][players]]
    state["mu"][by_score] = ratings_by_score(experts, state, by_score, NO_TIME)
    state["absence"][by_score] = POINTS * state.shared[CONTESTS][0, ABSENCE]


def reset_ratings(experts: Experts, state: State, given: Reset, names: Names) -> None:
    """Move everybody towards a rating, in every expert's own points."""
    for expert, part in zip(experts, state.parts, strict=True):
        toward = None if given.toward is None else float(_own_points(expert, given.toward))
        expert.system.adjust(part, replace(given, toward=toward), names)
    if given.keep != 1.0:
        movable = state.column("known") & ~state.column("anchored") & ~state.column("unknown")
        rate_again(experts, state, np.flatnonzero(movable))


def set_rating(
    experts: Experts,
    state: State,
    given: SetRating | Anchor,
    names: Names,
    mu: float,
    sigma: float,
    time: int,
) -> None:
    """Set a rating as of a time, or fix it; `mu` and `sigma` are what they were."""
    player = names.index_of[given.player]
    rating = given.display if isinstance(given, SetRating) and given.mu is None else given.mu
    for expert, part in zip(experts, state.parts, strict=True):
        own: dict[str, Any] = {}
        if isinstance(given, SetRating):
            own |= {"display": None, "events": given.events_after(int(part["events"][player]))}
        if rating is not None:
            own["mu"] = float(_own_points(expert, rating))
        if given.sigma is not None:
            own["sigma"] = float(_own_deviation(expert, given.sigma))
        expert.system.adjust(part, replace(given, **own), names, time)
    state["known"][player], state["unknown"][player] = True, False
    state["mu"][player], state["absence"][player] = mu if rating is None else rating, 0.0
    state["sigma"][player] = sigma if given.sigma is None else given.sigma
    if isinstance(given, Anchor):
        state.anchor(player, True)
    else:
        state["events"][player] = given.events_after(int(state["events"][player]))


def set_beliefs(
    experts: Experts,
    state: State,
    players: NDArray[np.int64] | slice,
    mu: ArrayLike,
    sigma: ArrayLike | None,
) -> None:
    """Set public ratings, and every expert's beliefs accordingly; without `sigma` deviations stay."""
    state.column("mu")[players], state.column("absence")[players] = mu, 0.0
    state.column("unknown")[players] = False
    if sigma is not None:
        state.column("sigma")[players] = sigma
    for expert, part in zip(experts, state.parts, strict=True):
        deviations = None
        if sigma is not None and expert.system.has_sigma:
            deviations = _own_deviation(expert, sigma)
        expert.system.set_belief(part, players, _own_points(expert, mu), deviations)


def merge_accounts(experts: Experts, state: State, source: int, into: int) -> None:
    """Merge both accounts for every expert, and rate the result in public."""
    for expert, part in zip(experts, state.parts, strict=True):
        expert.system.merge(part, source, into)
    if state["unknown"][source]:
        return
    if state["unknown"][into]:
        for name in Public._fields:
            state[name][into] = state[name][source]
        return
    both = np.array([source, into])
    state["events"][into] = state["events"][both].sum()
    latest = both[np.argmax(state["last_time"][both])]
    for name in ("many", "pause"):
        state[name][into] = state[name][latest]
    state["last_time"][into] = state["last_time"][both].max()
    rate_again(experts, state, both[1:])


def _own_points(expert: Expert, rating: ArrayLike) -> Floats:
    """A public rating in an expert's own points."""
    above = (np.asarray(rating, np.float64) - REFERENCE_RATING) / expert.reference.points
    return np.clip(expert.reference.mu + above, -LARGEST_RATING, LARGEST_RATING)


def _own_deviation(expert: Expert, deviation: ArrayLike) -> Floats:
    """A deviation of public ratings in an expert's own points."""
    return np.clip(np.asarray(deviation) / expert.reference.points, SMALLEST_SIGMA, LARGEST_RATING)
