"""What a rating system says of every event of a history before it is rated.

A prediction is what a ladder would have said at the event's time: the expected score of two sides, and of a
free-for-all the expected ranks. Both come from the beliefs that a trace holds, all events at once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from podium.arrays import Bools, Floats
from podium.errors import ParameterError
from podium.evaluation.standings import Standings, standings_of
from podium.history import History
from podium.history.pacing import Progress
from podium.ladder.bulk import RATED_ROWS_AT_ONCE
from podium.systems import RatingSystem, hinting_at_others
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import Belief, facing, field_scores, match_scores

OrderBy = Literal["display", "mu"]

ROUNDING = 1e-9
"""Expected scores that are no further apart are equal."""

NO_CHANCE = 1e-12
"""Chances of a draw below are rounding: win and loss are all that a system expects."""


@dataclass(frozen=True)
class Predictions:
    """Predictions for the sides of consecutive events; columns not asked for have length 0."""

    standings: Standings
    """The results of the same events."""
    expected: Floats
    """Each side's mean expected score against the others of its event."""
    happened: Floats
    """For each event, the predicted probability of its result; NaN unless it has two sides."""
    rating: Floats
    """The rating of each side before the event, as displayed or `mu`; for teams the mean."""
    sigma: Floats
    """The largest deviation in each side; length 0 if the system has no deviations."""
    draws: bool
    """Whether the system gives draws a positive probability in any of these events."""
    seconds: float
    """Seconds that rating took, without predicting."""

    @property
    def strength(self) -> Floats:
        """What sides are ordered by: ratings, or expected scores if there are teams."""
        teams = self.standings.teams
        if not teams.any():
            return self.rating
        return np.where(np.repeat(teams, self.standings.counts), self.expected, self.rating)


def predict_events(
    history: History,
    system: RatingSystem,
    start: int = 0,
    stop: int | None = None,
    *,
    order_by: OrderBy = "display",
    expected: bool = True,
    outcomes: bool = True,
    progress: Progress | None = None,
) -> Predictions:
    """Rate a history up to event number `stop`; predict each event from `start` on before rating it.

    Without `expected` there are only ratings, unless some events are of teams, which are put in order by what
    is expected of them; `outcomes` wants the chances of win, draw and loss too. `order_by` says which rating
    is meant: the one shown or `mu`.

    >>> from podium import Elo
    >>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> predict_events(history, Elo()).expected.round(3).tolist()
    [0.5, 0.5, 0.546, 0.454]
    """
    if order_by not in ("display", "mu"):
        raise ParameterError(f"order_by is {order_by!r}, not 'display' or 'mu'")
    stop = len(history) if stop is None else stop
    standings = standings_of(history)
    expected = expected or bool(standings.between(start, max(start, stop)).teams.any())
    state, seconds, done = system.new_state(), 0.0, 0
    found: list[_Piece] = []
    for piece in history[:stop].chunks(RATED_ROWS_AT_ONCE):
        here = slice(max(done, start), done + len(piece))
        began = time.perf_counter()
        with hinting_at_others():
            trace = system.update(state, piece, trace=here.start < here.stop, progress=progress)
        seconds += time.perf_counter() - began
        if here.start < here.stop:
            part = standings.between(here.start, here.stop)
            first = int(history.offsets[done])
            rows = trace.part(part.rows.start - first, part.rows.stop - first)
            found.append(
                _predict(system, part, rows, order_by=order_by, expected=expected, outcomes=outcomes)
            )
        done += len(piece)
    scores, happened, rating, sigma = (
        np.concatenate([np.empty(0), *(piece[i] for piece in found)]) for i in range(4)
    )
    return Predictions(
        standings=standings.between(start, max(start, stop)),
        expected=scores,
        happened=happened,
        rating=rating,
        sigma=sigma,
        draws=any(piece.draws for piece in found),
        seconds=seconds,
    )


def predictions_of_trace(system: RatingSystem, standings: Standings, trace: Trace) -> Predictions:
    """What a system said of events that it has rated, before each of them; nothing is rated again.

    >>> import podium
    >>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> trace = podium.Elo().update(podium.Elo().new_state(2), history)
    >>> predictions_of_trace(podium.Elo(), standings_of(history), trace).expected.round(3).tolist()
    [0.5, 0.5, 0.546, 0.454]
    """
    piece = _predict(system, standings, trace, order_by="display", expected=True, outcomes=True)
    return Predictions(
        standings=standings,
        expected=piece.expected,
        happened=piece.happened,
        rating=piece.rating,
        sigma=piece.sigma,
        draws=piece.draws,
        seconds=0.0,
    )


def match_chances(system: RatingSystem, standings: Standings, trace: Trace) -> Floats:
    """The chances of win, draw and loss that the first side of each event of two sides had, as columns."""
    mu, sigma = _members_before(system, standings, trace)
    belief = system.joined(mu, sigma, standings.sides)
    which = standings.counts == 2
    return _chances(
        system,
        standings,
        trace,
        belief,
        which,
        match_scores(system, standings, belief, trace.expected, which),
    )


class _Piece(NamedTuple):
    """The columns of `Predictions` for some of the events."""

    expected: Floats
    happened: Floats
    rating: Floats
    sigma: Floats
    draws: bool


def _members_before(system: RatingSystem, standings: Standings, trace: Trace) -> Belief:
    """`mu` and `sigma` of the members of all sides before their events."""
    members = slice(None) if standings.rows_are_sides else standings.sides.players
    return trace.mu_before[members], trace.sigma_before[members] if system.has_sigma else None


def _predict(
    system: RatingSystem,
    standings: Standings,
    trace: Trace,
    *,
    order_by: OrderBy,
    expected: bool,
    outcomes: bool,
) -> _Piece:
    """Predict events from the beliefs before them."""
    sides = standings.sides
    mu, sigma = _members_before(system, standings, trace)
    shown = system.display(mu, sigma) if order_by == "display" else mu
    widest = np.empty(0) if sigma is None else sigma
    if not standings.rows_are_sides:
        shown = np.add.reduceat(shown, sides.offsets[:-1]) / sides.sizes
        widest = widest if sigma is None else np.maximum.reduceat(sigma, sides.offsets[:-1])
    if not expected:
        return _Piece(np.empty(0), np.empty(0), shown, widest, False)
    scores, happened = np.empty(len(shown)), np.full(len(standings) if outcomes else 0, np.nan)
    belief = system.joined(mu, sigma, sides)
    matches = standings.counts == 2
    draws = False
    untold = ~matches
    if len(trace.expected):  # what was corrected then cannot be made of beliefs again
        scores[:] = trace.expected[standings.first_rows]
        untold &= np.isnan(scores[standings.offsets[:-1]])
    if untold.any():
        field_scores(system, standings, belief, untold, scores)
    if matches.any():
        draws = _predict_matches(system, standings, trace, belief, matches, scores, happened)
    return _Piece(scores, happened, shown, widest, draws)


def _predict_matches(
    system: RatingSystem,
    standings: Standings,
    trace: Trace,
    belief: Belief,
    which: Bools,
    scores: Floats,
    happened: Floats,
) -> bool:
    """Fill the expected scores of events with two sides, and the outcome probabilities if wanted."""
    a = standings.offsets[:-1][which]
    b = a + 1
    first = match_scores(system, standings, belief, trace.expected, which)
    chances = None
    if len(happened):
        chances = _chances(system, standings, trace, belief, which, first)
    first = np.where(
        np.abs(first - 0.5) < ROUNDING, 0.5, first
    )  # or equals would be told apart by their side
    scores[a], scores[b] = first, 1.0 - first
    if chances is None:
        return False
    ended = 1 + np.sign(standings.rank[a] - standings.rank[b])  # 0: the first side won
    happened[which] = np.take_along_axis(chances, ended[:, None], axis=1)[:, 0]
    return bool(np.any(chances[:, 1] > NO_CHANCE))


def _chances(
    system: RatingSystem, standings: Standings, trace: Trace, belief: Belief, which: Bools, first: Floats
) -> Floats:
    """Win, draw and loss of the first sides of these matches, whose expected scores are `first`."""
    if len(trace.draw):
        draw = trace.draw[standings.first_rows[standings.offsets[:-1][which]]]
        told = np.stack([first - 0.5 * draw, draw, 1.0 - first - 0.5 * draw], axis=-1)
        return np.where(np.isnan(told), system.split_score(first), told)
    if system.two_numbers and not system.traces_predictions:
        return system.outcomes_between(*facing(standings, belief, which), standings.home[which])
    return system.split_score(first)
