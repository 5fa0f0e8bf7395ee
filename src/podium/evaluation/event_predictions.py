"""What a rating system says of every event of a history before it is rated.

A prediction is what a ladder would have said at the event's time: the expected score of two sides, and of a
free-for-all the expected ranks. Both come from the beliefs that a trace holds, all events at once.

The simplest prediction there is: everybody does as well as in the past. What a system has to beat.

Of a player with n results of mean score s/n so far, (s + 1)/(n + 2) is expected: of a newcomer one half. A
team has the mean of its members. A side of strength a that meets others of mean strength b is expected to
score a(1 − b) / (a(1 − b) + b(1 − a)), as Bill James has it for teams of two win rates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.errors import ParameterError
from podium.evaluation.asked_events import AskedEvents, SameTime
from podium.evaluation.standings import Standings, experience_of_rows, following_renames, standings_of
from podium.history import History
from podium.history.ragged import Progress
from podium.ladder.bulk import RATED_ROWS_AT_ONCE
from podium.numerics.jit import kernel
from podium.systems import RatingSystem, hinting_at_others
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import Belief, EventSides, facing, field_scores, match_scores

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
    same_time: SameTime = "in-order",
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
        raise ParameterError(f"order_by must be 'display' or 'mu', not {order_by!r}")
    stop = len(history) if stop is None else stop
    standings = standings_of(history)
    expected = expected or bool(standings.between(start, max(start, stop)).teams.any())
    seconds, asked = 0.0, AskedEvents.of(history[:stop], same_time)
    found: list[SidePredictions] = []
    for before in traces_before(history, asked, system, start, progress=progress):
        seconds += before.seconds
        if before.trace is not None:
            part = standings.between(before.events.start, before.events.stop)
            rank = part.rank if outcomes else None
            found.append(
                predict_sides(system, part, before.trace, rank, order_by=order_by, expected=expected)
            )
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


class TraceBefore(NamedTuple):
    """Some events to predict, and the beliefs of their rows before them; None where none is predicted."""

    events: slice
    experience: Ints
    """Rated events that each row's player had played before."""
    trace: Trace | None
    seconds: float
    """Seconds that rating took."""


def traces_before(
    history: History,
    asked: AskedEvents,
    system: RatingSystem,
    start: int = 0,
    *,
    progress: Progress | None = None,
) -> Iterator[TraceBefore]:
    """Rate events; yield what was believed before each of those of `history` from number `start` on."""
    state, done, played = system.new_state(), 0, np.zeros(len(asked.history.players), np.int32)
    for piece, asked_rows in asked.pieces(RATED_ROWS_AT_ONCE):
        first = int(history.offsets[done])
        last = first + (piece.rows if asked_rows is None else int(asked_rows.sum()))
        until = int(np.searchsorted(history.offsets, last))
        events = slice(max(done, start), max(start, until))
        wanted, done = events.start < until, until
        began = time.perf_counter()
        with hinting_at_others():
            trace = system.update(state, piece, trace=wanted, progress=progress)
        seconds = time.perf_counter() - began
        experience = experience_of_rows(piece, played)
        if not wanted:
            yield TraceBefore(events, experience[:0], None, seconds)
            continue
        if asked_rows is not None:
            trace, experience = trace.at(asked_rows), experience[asked_rows]
        rows = slice(int(history.offsets[events.start]) - first, last - first)
        yield TraceBefore(events, experience[rows], trace.at(rows), seconds)


def predictions_of_trace(system: RatingSystem, standings: Standings, trace: Trace) -> Predictions:
    """What a system said of events that it has rated, before each of them; nothing is rated again.

    >>> import podium
    >>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> trace = podium.Elo().update(podium.Elo().new_state(2), history)
    >>> predictions_of_trace(podium.Elo(), standings_of(history), trace).expected.round(3).tolist()
    [0.5, 0.5, 0.546, 0.454]
    """
    piece = predict_sides(system, standings, trace, standings.rank, order_by="display")
    return Predictions(
        standings=standings,
        expected=piece.expected,
        happened=piece.happened,
        rating=piece.rating,
        sigma=piece.sigma,
        draws=piece.draws,
        seconds=0.0,
    )


class MatchPredictions(NamedTuple):
    """What is predicted of the first side of each event of two sides."""

    expected: Floats
    chances: Floats
    """Win, draw and loss as columns; length 0 if they are not wanted."""


def predict_matches(
    system: RatingSystem, met: EventSides, trace: Trace, *, outcomes: bool = True
) -> MatchPredictions:
    """Predict the events of two sides."""
    which = met.counts == 2
    belief = system.joined(*members_before(system, met, trace), met.sides)
    first = match_scores(system, met, belief, trace.expected, which)
    chances = np.empty((0, 3))
    if outcomes:
        chances = _chances(system, met, trace, belief, which, first)
    # or equals would be told apart by their side
    return MatchPredictions(np.where(np.abs(first - 0.5) < ROUNDING, 0.5, first), chances)


class SidePredictions(NamedTuple):
    """The columns of `Predictions` for some of the events."""

    expected: Floats
    happened: Floats
    rating: Floats
    sigma: Floats
    draws: bool


def members_before(system: RatingSystem, met: EventSides, trace: Trace) -> Belief:
    """`mu` and `sigma` of the members of all sides before their events."""
    members = slice(None) if met.rows_are_sides else met.sides.players
    return trace.mu_before[members], trace.sigma_before[members] if system.has_sigma else None


def sides_before(met: EventSides, rating: Floats, sigma: Floats | None) -> tuple[Floats, Floats]:
    """The mean rating of each side's members and their largest deviation; length 0 if there are none."""
    widest = np.empty(0) if sigma is None else sigma
    if met.rows_are_sides:
        return rating, widest
    starts = met.sides.offsets[:-1]
    mean: Floats = np.add.reduceat(rating, starts) / met.sides.sizes
    return mean, widest if sigma is None else np.maximum.reduceat(sigma, starts)


def predict_sides(
    system: RatingSystem,
    met: EventSides,
    trace: Trace,
    rank: Ints | None = None,
    *,
    order_by: OrderBy,
    expected: bool = True,
) -> SidePredictions:
    """Predict events from the beliefs before them, and from the sides' ranks the chances of what happened."""
    mu, sigma = members_before(system, met, trace)
    shown = system.display(mu, sigma) if order_by == "display" else mu
    shown, widest = sides_before(met, shown, sigma)
    if not expected:
        return SidePredictions(np.empty(0), np.empty(0), shown, widest, False)
    scores, happened = np.empty(len(shown)), np.full(0 if rank is None else len(met.counts), np.nan)
    belief = system.joined(mu, sigma, met.sides)
    matches = met.counts == 2
    draws = False
    untold = ~matches
    if len(trace.expected):  # what was corrected then cannot be made of beliefs again
        scores[:] = trace.expected[met.first_rows]
        untold &= np.isnan(scores[met.offsets[:-1]])
    if untold.any():
        field_scores(system, met, belief, untold, scores)
    if matches.any():
        first = predict_matches(system, met, trace, outcomes=rank is not None)
        a = met.offsets[:-1][matches]
        scores[a], scores[a + 1] = first.expected, 1.0 - first.expected
        if rank is not None:
            ended = 1 + np.sign(rank[a] - rank[a + 1])  # 0: the first side won
            happened[matches] = np.take_along_axis(first.chances, ended[:, None], axis=1)[:, 0]
            draws = bool(np.any(first.chances[:, 1] > NO_CHANCE))
    return SidePredictions(scores, happened, shown, widest, draws)


def _chances(
    system: RatingSystem, met: EventSides, trace: Trace, belief: Belief, which: Bools, first: Floats
) -> Floats:
    """Win, draw and loss of the first sides of these matches, whose expected scores are `first`."""
    if len(trace.draw):
        draw = trace.draw[met.first_rows[met.offsets[:-1][which]]]
        told = np.stack([first - 0.5 * draw, draw, 1.0 - first - 0.5 * draw], axis=-1)
        return np.where(np.isnan(told), system.split_score(first), told)
    if system.two_numbers and not system.traces_predictions:
        return system.outcomes_between(*facing(system, met, belief, which), met.home[which])
    return system.split_score(first)


MEAN_PAST_RESULT = "mean past result"
"""What tables call it."""


def predict_by_means(history: History, start: int, stop: int) -> Predictions:
    """What past results say of each side of the events from `start` to before `stop`.

    >>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> predict_by_means(history, 0, 2).expected.round(3).tolist()
    [0.5, 0.5, 0.8, 0.2]
    """
    standings, began = standings_of(history), time.perf_counter()
    members, firsts = standings.sides.players, standings.sides.offsets
    player = history.player[members]
    unrated = np.zeros(len(player), np.bool_) if history.unrated is None else history.unrated[members]
    total, played = np.zeros(len(history.players)), np.zeros(len(history.players))
    strength, expected = np.empty(len(standings.score)), np.empty(len(standings.score))
    for events in following_renames(history, total, played):
        if events.start < stop:
            offsets = standings.offsets[events.start : min(events.stop, stop) + 1]
            _expect(offsets, firsts, player, unrated, standings.score, total, played, strength, expected)
    measured = standings.between(start, stop)
    expected = expected[int(standings.offsets[start]) : int(standings.offsets[stop])]
    return Predictions(
        standings=measured,
        expected=expected,
        happened=np.full(len(measured), np.nan),
        rating=expected,  # in an event, the order is that of the strengths
        sigma=np.empty(0),
        draws=False,
        seconds=time.perf_counter() - began,
    )


@kernel
def _expect(
    offsets: Longs,
    firsts: Longs,
    player: Ints,
    unrated: Bools,
    score: Floats,
    total: Floats,
    played: Floats,
    strength: Floats,
    expected: Floats,
) -> None:
    """Fill the strength and the expected score of each side; count what happened after each event."""
    for e in range(len(offsets) - 1):
        start, stop = offsets[e], offsets[e + 1]
        field = 0.0
        for i in range(start, stop):
            mean = 0.0
            for m in range(firsts[i], firsts[i + 1]):
                mean += (total[player[m]] + 1.0) / (played[player[m]] + 2.0)
            strength[i] = mean / (firsts[i + 1] - firsts[i])
            field += strength[i]
        for i in range(start, stop):
            a, b = strength[i], (field - strength[i]) / (stop - start - 1)
            expected[i] = a * (1.0 - b) / (a * (1.0 - b) + b * (1.0 - a))
            for m in range(firsts[i], firsts[i + 1]):
                if not unrated[m]:
                    total[player[m]] += score[i]
                    played[player[m]] += 1.0
