"""What adjustments of a history do to a state: ratings set, anchors, resets, renamed and merged players.

They are the same for every system, in terms of what it says of beliefs (`view`) and how it sets them
(`set_belief`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import NO_TIME, Floats
from podium.errors import InputError, UnsupportedError
from podium.history import Adjustment, Anchor, Merge, Names, Release, Rename, Reset, SetRating
from podium.systems.contract.appearances import FORM, WON
from podium.systems.contract.state import MATCHES, State
from podium.text import shorten

if TYPE_CHECKING:
    from podium.systems.contract.system import RatingSystem


def adjust_state(
    system: RatingSystem, state: State, adjustment: Adjustment, names: Names, time: int = NO_TIME
) -> None:
    """Apply one adjustment, made at a time, to the players it names, in place."""
    index = [names.index_of[name] for name in adjustment.players]
    if isinstance(adjustment, SetRating):
        _set_rating(system, state, adjustment, index[0], time)
    elif isinstance(adjustment, Anchor):
        state["known"][index] = True
        if adjustment.mu is not None or adjustment.sigma is not None:
            mu, sigma = system.view(state, np.array(index), NO_TIME)
            system.set_belief(
                state,
                np.array(index),
                mu if adjustment.mu is None else adjustment.mu,
                sigma if adjustment.sigma is None else adjustment.sigma,
            )
        state.anchor(index[0], True)
    elif isinstance(adjustment, Release):
        state.anchor(index[0], False)
    elif isinstance(adjustment, Reset):
        _reset(system, state, adjustment)
    elif isinstance(adjustment, Rename):
        old, new = index
        if state["known"][new]:
            raise InputError(
                f"{adjustment.describe()}: the player {shorten(adjustment.into)!r} already exists",
                hint="two accounts of one person are merged",
            )
        state.swap(old, new)
    elif isinstance(adjustment, Merge):
        fixed = bool(state.anchored[index[1]])
        both = state[MATCHES][index].copy()
        forms = both[:, FORM]
        form = 0 if forms.all() else forms.sum()  # nobody knows the order of the matches of two accounts
        system.merge(state, *index)
        state.forget(index[0])
        unknown = (both[:, WON] < 0).any()
        state[MATCHES][index[1]] = -1 if unknown else (*both[:, :FORM].sum(axis=0), form)
        state.anchor(index[1], fixed)
        state["known"][index[1]] = True


def _set_rating(system: RatingSystem, state: State, given: SetRating, player: int, time: int) -> None:
    """Set a rating as of a time; see `SetRating`."""
    players, sigma = np.array([player]), given.sigma
    rating = given.mu if given.mu is not None else given.display
    assert rating is not None
    if sigma is None and given.display is not None and system.sigma_limit > 0.0:
        sigma = system.sigma_limit
    deviation = system.view(state, players, NO_TIME)[1] if sigma is None else sigma
    system.set_belief(state, players, rating, deviation)
    if given.mu is None:
        seen = system.view(state, players, NO_TIME)[1]
        system.set_belief(state, players, _mu_shown_as(system, rating, seen), deviation)
    if given.volatility is not None and system.has_volatility:
        state["volatility"][player] = given.volatility
    state["known"][player] = True
    state["events"][player] = given.events_after(int(state["events"][player]))
    is_whole = given.display is not None and not system.has_sigma  # with no deviation that goes on as it was
    date_belief(system, state, player, time, again=sigma is not None or is_whole)


def date_belief(system: RatingSystem, state: State, player: int, time: int, *, again: bool) -> None:
    """Let absence count from the time of a rating; a deviation that was not set `again` goes on as it was."""
    if time != NO_TIME and (again or state["last_time"][player] == NO_TIME):
        system.start_absence(state, player, max(time, int(state["last_time"][player])))


def _mu_shown_as(system: RatingSystem, display: float, sigma: Floats | None) -> Floats:
    """The mean that a system displays as this number, given the deviation."""
    mu = system.mu_displayed_as(np.array([display]), sigma)
    if not np.allclose(system.display(mu, sigma), display, rtol=1e-9, atol=1e-9):
        raise UnsupportedError(
            f"{system.name} cannot set a displayed rating: its mu_displayed_as is not the inverse of display",
            hint="set mu instead",
        )
    return mu


def _reset(system: RatingSystem, state: State, reset: Reset) -> None:
    """Pull everybody towards the newcomer's belief; see `Reset`.

    Who has not come yet stays a newcomer, whether there is a row for them already or not. Absence goes on
    counting from the last event.
    """
    if reset.keep == 1.0:
        return
    mu0, sigma0 = system.start(state)
    players = np.flatnonzero(state.column("known") & ~state.column("anchored") & ~system.unplayed(state))
    mu, sigma = system.view(state, players, NO_TIME)
    if sigma is not None and sigma0 is not None:
        sigma = np.sqrt(reset.keep**2 * sigma**2 + (1.0 - reset.keep**2) * sigma0**2)
    toward = mu0[0] if reset.toward is None else reset.toward
    system.set_belief(state, players, toward + reset.keep * (mu - toward), sigma)


def merge_beliefs(system: RatingSystem, state: State, source: int, into: int) -> None:
    """Combine the evidence of both accounts in `into`; if one has none, the other's belief stays as it is.

    Both beliefs started from the newcomer's; as Gaussians their evidence adds up and the start counts
    once. Without deviations, means are weighted by events.
    """
    both = np.array([source, into])
    mu, sigma = system.view(state, both, NO_TIME)
    events = state["events"][both]
    mu0, sigma0 = system.start(state)
    is_new = (events == 0) & (mu == mu0) & (True if sigma is None or sigma0 is None else sigma == sigma0)
    if is_new[0]:
        return
    if is_new[1]:
        state.swap(source, into)
        return
    if sigma is None or sigma0 is None:
        merged = np.average(mu, weights=events) if events.any() else mu[1]
        deviation = None
    else:
        precision, start = 1.0 / sigma**2, 1.0 / sigma0[0] ** 2
        total = start + np.maximum(precision - start, 0.0).sum()
        merged = mu0[0] + (precision * (mu - mu0[0])).sum() / total
        deviation = total**-0.5
    system.set_belief(state, both[1:], merged, deviation)
    state["events"][into] = events.sum()
    if (latest := int(state["last_time"][both].max())) != NO_TIME:
        system.start_absence(state, into, latest)
