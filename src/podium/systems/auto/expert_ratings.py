"""What each expert says of events: it rates them, and is calibrated beside.

Experts know nothing of each other, so each of them rates a whole piece of a history before the mixture walks
through it; in threads where there are many rows.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import NO_TIME, Bools, EventColumns
from podium.numerics.event_sides import mark
from podium.numerics.threads import in_threads
from podium.systems.auto.contest_ratings import NOT_SCORED, ShownInEvents, score_players
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.expert_weights import find_predicting
from podium.systems.auto.mixture_columns import Met, Said, Scored
from podium.systems.auto.reference_meetings import Meetings, Piece
from podium.systems.contract.calibration import CalibratedColumns, calibrate_fields
from podium.systems.contract.calibration_kernels import calibrate_matches, fill_log_odds
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides, field_scores, match_scores
from podium.systems.contract.state import State

THREADS_FROM = 2000
"""Rows from which on experts are rated in threads: waking one costs as much as rating a few dozen."""


def rate_experts(
    experts: tuple[Expert, ...],
    state: State,
    events: EventColumns,
    met: EventSides,
    awake: Bools,
    predicting: Bools,
) -> tuple[Said, Met, Scored]:
    """Rate events by all experts that can use them (`awake`); returns what each says, results, and scores.

    `predicting` are those, and experts that cannot use what came out, such as a tie, but were asked before.
    """
    piece = Piece.of(state, events, met)
    k, rows, fresh = len(experts), len(events.player), len(piece.fresh_rows)
    said = _nothing_said(state, piece, awake, predicting)
    meetings, only_references = Meetings.of(piece, matches=True), Meetings.of(piece, matches=False)
    rated, counting = state.shared["rated"], np.empty(k, np.bool_)
    find_predicting(predicting, rated, counting)
    anybody_rated = bool(rated.any())
    shown = None
    if not piece.only_matches or state.shared["latest_many"][0]:
        shown = ShownInEvents.room(k, events.player, fresh)

    def rate(number: int) -> None:
        expert, part = experts[number], state.parts[number]
        mark(part["known"], events.player)
        if shown is not None:
            shown.begin(number, expert, part)
            if not awake[number]:
                shown.sleep(number, piece.fresh_rows)
        if awake[number] or counting[number]:
            trace = _rated(expert, part, piece) if awake[number] else _watched(expert, part, piece)
            held = events.held if awake[number] else np.ones(rows, np.bool_)
            told = len(trace.expected) > 0
            _say(number, expert, trace, held, state, piece, only_references if told else meetings, said)
            if shown is not None and awake[number]:
                shown.rate(number, expert, trace, piece.fresh_rows)
            return
        said.terms[1:, number] = said.terms[0, number]
        if rated[number] or not anybody_rated:
            _sleep(number, expert, part, piece, only_references, said)
        # or else it has rated nothing yet, and others have: nobody asks

    if rows < THREADS_FROM:
        for number in range(k):
            rate(number)
    else:
        in_threads(rate, [(number,) for number in range(k)])
    scored = NOT_SCORED
    if shown is not None:
        scored = score_players(experts, state, events, met, shown, piece.fresh)
    return said, piece.results(), scored


def _nothing_said(state: State, piece: Piece, awake: Bools, predicting: Bools) -> Said:
    """Room for what experts say of a piece."""
    k, rows, fresh = len(awake), len(piece.events.player), len(piece.fresh_rows)
    sides = len(piece.met.sides.offsets) - 1
    terms = np.empty((len(piece.events.time) + 1, k, 3))
    terms[0] = state.shared["calibrations"][:, 0]
    return Said(
        awake=predicting,
        raw=np.full((k, sides), 0.5),
        calibrated=np.full((k, sides), 0.5),
        terms=terms,
        after=np.zeros((k, rows)),
        deviation=np.zeros((k, rows)),
        fresh=piece.fresh,
        before=np.zeros((k, fresh)),
        deviation_before=np.zeros((k, fresh)),
        rates=awake,
    )


def _rated(expert: Expert, part: State, piece: Piece) -> Trace:
    """Rate the piece by an expert that is awake; returns what it believed."""
    system, events = expert.system, piece.events
    trace = Trace.for_rows(
        len(events.player),
        sigma=system.has_sigma,
        performance=system.has_performance,
        expected=not system.two_numbers,
    )
    system.rate_events(part, events, trace)
    return trace


def _watched(expert: Expert, part: State, piece: Piece) -> Trace:
    """What an expert believes of events that it then cannot rate, so that it stays as it is."""
    system, events = expert.system, piece.events
    trace = Trace.for_rows(len(events.player), sigma=system.has_sigma, performance=False)
    for e in range(len(events.time)):
        rows = slice(int(events.offsets[e]), int(events.offsets[e + 1]))
        mu, sigma = system.view(part, events.player[rows].astype(np.int64), int(events.time[e]))
        trace.mu_before[rows] = trace.mu[rows] = mu
        if sigma is not None:
            trace.sigma_before[rows] = trace.sigma[rows] = sigma
    return trace


def _sleep(
    number: int, expert: Expert, part: State, piece: Piece, only_references: Meetings, said: Said
) -> None:
    """Say what an expert believes that cannot use the piece, and so stays as it is."""
    trace = Trace.for_rows(len(piece.events.player), sigma=expert.system.has_sigma, performance=False)
    mu, sigma = expert.system.view(part, piece.events.player.astype(np.int64), NO_TIME)
    trace.mu_before[:] = trace.mu[:] = mu
    if sigma is not None:
        trace.sigma_before[:] = trace.sigma[:] = sigma
    chance = only_references.chances(expert, (mu, sigma), trace)
    only_references.tell(number, expert, piece, trace, chance, said)


def _say(
    number: int,
    expert: Expert,
    trace: Trace,
    held: Bools,
    state: State,
    piece: Piece,
    meetings: Meetings,
    said: Said,
) -> None:
    """Predict a piece by beliefs before it, calibrate that, and tell of the reference player.

    A calibration learns nothing from events in which all rows are `held`.
    """
    system, events, met = expert.system, piece.events, piece.met
    mu, sigma = trace.mu_before, trace.sigma_before if system.has_sigma else None
    if not met.rows_are_sides:
        members = met.sides.players
        mu, sigma = mu[members], None if sigma is None else sigma[members]
    belief = system.joined(mu, sigma, met.sides)
    meetings.tell(number, expert, piece, trace, meetings.chances(expert, belief, trace), said)
    raw = said.raw[number]
    starts = met.offsets[:-1]
    if len(trace.expected) and piece.matches.any():  # the expert itself said what it expected
        first = starts[piece.matches]
        raw[first] = match_scores(system, met, belief, trace.expected, piece.matches)
        raw[first + 1] = 1.0 - raw[first]
    if not piece.only_matches:
        field_scores(system, met, belief, ~piece.matches, raw)
    logit, terms = np.empty(len(starts)), np.empty((len(starts), 3))
    fill_log_odds(raw[::2].copy() if piece.only_matches else raw[starts], logit)
    columns = CalibratedColumns(
        learned=state.shared["calibrations"][number],
        rows=events.offsets,
        rank=events.rank,
        share=events.share,
        held=held,
        first=met.first_rows,
        logit=logit,
        home=met.home,
        lacking=piece.lacking,
        expected=said.calibrated[number],
        draw=np.empty(len(raw)),
        terms=terms,
    )
    if piece.only_matches:
        calibrate_matches(*columns)
    else:
        calibrate_fields(system, met, belief, piece.scored, columns)
    said.terms[1:, number] = terms
