"""The state of `auto`: what it holds beside those of its experts, public ratings by these, adjustments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Floats, Longs
from podium.errors import StateError
from podium.history import Anchor, Names, Reset, SetRating
from podium.history.adjustments import LARGEST_RATING, SMALLEST_SIGMA
from podium.systems.auto.asked_ratings import Believed, Experts, mixed, points_to_move, public_ratings
from podium.systems.auto.contest_ratings import ABSENCE, CONTESTS, check_contests, contest_start
from podium.systems.auto.contest_ratings import nothing_learned as no_contests
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.expert_weights import LARGEST_COEFFICIENT, REGRESSION_VARIANCES
from podium.systems.auto.mixture_columns import Public
from podium.systems.auto.public_ratings import POINTS, REFERENCE_RATING
from podium.systems.contract.calibration import (
    CALIBRATION,
    CALIBRATION_RANGES,
    check_covariance,
    nothing_learned,
)
from podium.systems.contract.column_ranges import COUNT, POSITIVE, Range
from podium.systems.contract.state import State

_ROUNDING = 1e-6
_CALIBRATION_RANGE = CALIBRATION_RANGES[CALIBRATION]

MIXTURE_RANGES: Mapping[str, Range] = {
    "sigma": POSITIVE,
    "log_weights": Range(-1e3, _ROUNDING),
    "coefficients": Range(-LARGEST_COEFFICIENT, LARGEST_COEFFICIENT),
    "covariance": Range(-max(REGRESSION_VARIANCES), max(REGRESSION_VARIANCES)),
    "calibrations": _CALIBRATION_RANGE,
    "rated": COUNT,
    "draws": Range(np.asarray(_CALIBRATION_RANGE.low)[4, :2], np.asarray(_CALIBRATION_RANGE.high)[4, :2]),
}


def nothing_known(experts: tuple[Expert, ...]) -> Mapping[str, NDArray[Any]]:
    """The shared arrays before the first event: all predictions have the same weight."""
    k = len(experts)
    start = nothing_learned()[CALIBRATION]
    n = 2 * k + len(REGRESSION_VARIANCES)
    return {
        "log_weights": np.full(n, -np.log(n)),
        "coefficients": np.full((len(REGRESSION_VARIANCES), 2 * k), 0.5 / k),
        "covariance": np.stack([0.5 * variance / k * np.eye(2 * k) for variance in REGRESSION_VARIANCES]),
        "calibrations": np.tile(start, (k, 1, 1)),
        "rated": np.zeros(k, np.int64),
        "draws": start[4, :2].copy(),
        "latest_many": np.zeros(1, np.bool_),
        CONTESTS: no_contests(contest_start(experts)),
    }


def check_mixture(state: State) -> None:
    """Refuse weights that do not add up to one, and covariances that are none."""
    total = float(np.exp(state.shared["log_weights"]).sum())
    if abs(total - 1.0) > _ROUNDING:
        raise StateError(f"the saved weights of experts add up to {total:g}, not to one")
    for covariance in state.shared["covariance"]:
        check_covariance("covariance", covariance)
    check_contests(state)
    for calibration in state.shared["calibrations"]:
        check_covariance("calibrations", calibration[1:4])


def rate_again(experts: Experts, state: State, players: Longs) -> None:
    """Rate players in public by what experts believe now."""
    believed = Believed.of(experts, state, players, NO_TIME)
    _, state["sigma"][players] = mixed(experts, state, believed)
    state["mu"][players] = public_ratings(experts, state, believed)
    by_score = players[believed.many]
    state["absence"][by_score] = POINTS * state.shared[CONTESTS][0, ABSENCE]


def believe(experts: Experts, state: State, players: Longs, asked: Floats) -> None:
    """Let experts believe of players what makes their public ratings those asked for."""
    believed = Believed.of(experts, state, players, NO_TIME)
    moved = believed.moved(experts, points_to_move(experts, state, believed, asked))
    for number, (expert, part) in enumerate(zip(experts, state.parts, strict=True)):
        expert.system.set_belief(part, players, moved.mu[number], moved.deviations(number, expert))


def reset_ratings(experts: Experts, state: State, given: Reset, names: Names) -> None:
    """Move all players towards a rating, in public and for every expert.

    A public rating may be old, and experts have learned since: they move from what they believe now.

    A player of whom nothing is known, who was unrated so far, stays a newcomer to every expert: `view` shows
    one rating for all newcomers.
    """
    known = state.column("known") & ~state.column("unknown")
    players = np.flatnonzero(known & ~state.column("anchored"))
    toward = given.toward
    if toward is None:
        toward = float(public_ratings(experts, state, Believed.of_newcomers(experts, state))[0])
    now = public_ratings(experts, state, Believed.of(experts, state, players, NO_TIME))
    for expert, part in zip(experts, state.parts, strict=True):
        part.column("known")[:] = known
        own = None if given.toward is None else float(_own_points(expert, toward))
        expert.system.adjust(part, replace(given, toward=own), names)
    if given.keep == 1.0:
        return
    believe(experts, state, players, toward + given.keep * (now - toward))
    believed = Believed.of(experts, state, players, NO_TIME)
    state["mu"][players] = toward + given.keep * (state["mu"][players] - toward)
    _, state["sigma"][players] = mixed(experts, state, believed)
    state["absence"][players] *= given.keep


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
    if state["unknown"][player]:  # rated as newcomers are
        state["many"][player] = state.shared["latest_many"][0]
    state["known"][player], state["unknown"][player] = True, False
    state["mu"][player], state["absence"][player] = mu if rating is None else rating, 0.0
    state["sigma"][player] = sigma if given.sigma is None else given.sigma
    if isinstance(given, Anchor):
        state.anchor(player, True)
    else:
        state["events"][player] = given.events_after(int(state["events"][player]))
    if rating is not None:
        believe(experts, state, np.array([player]), np.array([float(rating)]))


def set_beliefs(
    experts: Experts,
    state: State,
    players: NDArray[np.int64] | slice,
    mu: ArrayLike,
    sigma: ArrayLike | None,
) -> None:
    """Set public ratings, and every expert's beliefs accordingly. Without `sigma` deviations stay."""
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
