"""What each expert says of events: it rates them, and is calibrated beside.

Experts know nothing of each other, so each of them rates a whole piece of a history before the mixture walks
through it; in threads where there are many rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import NO_FLOATS, NO_TIME, Bools, EventColumns, Floats, Longs
from podium.numerics.event_sides import mark
from podium.numerics.threads import in_threads
from podium.systems.auto.contest_ratings import NOT_SCORED, ShownInEvents, score_players
from podium.systems.auto.expert_lists import Expert, Reference
from podium.systems.auto.mixing_kernels import Met, Said, Scored, find_fresh, find_predicting
from podium.systems.contract.calibration import CalibratedColumns, calibrate_fields, log_odds, side_means
from podium.systems.contract.calibration_kernels import calibrate_matches, fill_inexperience, fill_log_odds
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides, facing, field_scores, match_scores, side_results
from podium.systems.contract.sides import Opponent
from podium.systems.contract.state import State

THREADS_FROM = 2000
"""Rows from which on experts are rated in threads: waking one costs as much as rating a few dozen."""
LEAST_CHANCE = 1e-300


class Piece(NamedTuple):
    """Consecutive events that the same experts can use, as all experts need them."""

    events: EventColumns
    met: EventSides
    matches: Bools
    """Whether each event has two sides."""
    only_matches: bool
    lacking: Floats
    """The inexperience of each side: 1/(1 + n/5)."""
    score: Floats
    """What each side scored."""
    fresh: Longs
    """The rows whose player was unknown before the event."""

    @classmethod
    def of(cls, state: State, events: EventColumns, met: EventSides) -> tuple[Piece, Longs]:
        """The piece, and for each row its number among the fresh ones; −1 for others."""
        lacking, fresh = np.empty(len(events.player)), np.empty(len(events.player), np.int64)
        fill_inexperience(events.player, events.held, state["events"], lacking)
        find_fresh(events, state["unknown"], fresh)
        if not met.rows_are_sides:
            lacking = side_means(lacking[met.sides.players], met.sides)
        matches, score = met.counts == 2, side_results(events, met)
        of_fresh = np.flatnonzero(fresh >= 0)
        return cls(events, met, matches, bool(matches.all()), lacking, score, of_fresh), fresh

    def results(self) -> Met:
        """What the mixture learns from."""
        first = self.events.rank[self.met.first_rows]
        starts = self.met.offsets[:-1]
        return Met(self.met.offsets, self.score, first[starts] == first[starts + 1])


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
    piece, fresh = Piece.of(state, events, met)
    k, sides, rows = len(experts), len(met.sides.offsets) - 1, len(events.player)
    terms = np.empty((len(events.time) + 1, k, 3))
    terms[0] = state.shared["calibrations"][:, 0]
    said = Said(
        awake=predicting,
        raw=np.full((k, sides), 0.5),
        calibrated=np.full((k, sides), 0.5),
        terms=terms,
        after=np.zeros((k, rows)),
        deviation=np.zeros((k, rows)),
        fresh=fresh,
        before=np.zeros((k, len(piece.fresh))),
        deviation_before=np.zeros((k, len(piece.fresh))),
        rates=awake,
    )
    rated, counting = state.shared["rated"], np.empty(k, np.bool_)
    find_predicting(predicting, rated, counting)
    shown = None
    if not piece.only_matches or state.shared["latest_many"][0]:
        shown = ShownInEvents.room(k, events.player, len(piece.fresh))

    def rate(number: int) -> None:
        expert, part = experts[number], state.parts[number]
        mark(part["known"], events.player)
        if shown is not None:
            shown.begin(number, expert, part)
            if not awake[number]:
                shown.sleep(number, piece.fresh)
        if awake[number]:
            trace = _rate(number, expert, part, state.shared["calibrations"][number], piece, said)
            if shown is not None:
                shown.rate(number, expert, trace, piece.fresh)
        elif counting[number]:
            _watch(number, expert, part, state.shared["calibrations"][number], piece, said)
        elif rated[number] or not rated.any():
            _sleep(number, expert, part, piece, said)
        else:  # it has rated nothing yet, and others have: nobody asks
            said.terms[1:, number] = said.terms[0, number]

    if rows < THREADS_FROM:
        for number in range(k):
            rate(number)
    else:
        in_threads(rate, [(number,) for number in range(k)])
    scored = NOT_SCORED if shown is None else score_players(experts, state, events, met, shown, fresh)
    return said, piece.results(), scored


def _rate(number: int, expert: Expert, part: State, learned: Floats, piece: Piece, said: Said) -> Trace:
    """Rate the piece by an expert that is awake; returns what it believed."""
    system, events = expert.system, piece.events
    trace = Trace.for_rows(
        len(events.player),
        sigma=system.has_sigma,
        performance=system.has_performance,
        expected=not system.two_numbers,
    )
    system.rate_events(part, events, trace)
    _say(number, expert, trace, events.held, learned, piece, said)
    return trace


def _watch(number: int, expert: Expert, part: State, learned: Floats, piece: Piece, said: Said) -> None:
    """Let an expert predict events that it then cannot rate, so that it stays as it is."""
    system, events = expert.system, piece.events
    trace = Trace.for_rows(len(events.player), sigma=system.has_sigma, performance=False)
    for e in range(len(events.time)):
        rows = slice(int(events.offsets[e]), int(events.offsets[e + 1]))
        mu, sigma = system.view(part, events.player[rows].astype(np.int64), int(events.time[e]))
        trace.mu_before[rows] = trace.mu[rows] = mu
        if sigma is not None:
            trace.sigma_before[rows] = trace.sigma[rows] = sigma
    _say(number, expert, trace, np.ones(len(events.player), np.bool_), learned, piece, said)


def _say(
    number: int, expert: Expert, trace: Trace, held: Bools, learned: Floats, piece: Piece, said: Said
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
    players, reference = _meeting_reference(number, expert, trace, piece, said)
    raw, starts = said.raw[number], met.offsets[:-1]
    logit = np.full(len(starts), np.nan)
    if piece.only_matches and not len(
        trace.expected
    ):  # all chances in one call, which costs more than a chance
        one, other = facing(met, belief, piece.matches)
        home = np.zeros(len(starts) + 2 * (len(events.player) + len(piece.fresh)))
        home[: len(starts)] = met.home
        chance = system.expected_between(_joined(one, players), _joined(other, reference), home)
        first, chance = chance[: len(starts)], chance[len(starts) :]
    else:
        first = (
            match_scores(system, met, belief, trace.expected, piece.matches)
            if piece.matches.any()
            else NO_FLOATS
        )
        chance = system.expected_between(players, reference, 0.0)
    _tell_references(number, chance, said)
    if piece.only_matches:
        raw[::2], raw[1::2] = first, 1.0 - first
        fill_log_odds(first, logit)
    else:
        field_scores(system, met, belief, ~piece.matches, raw)
        of_match = starts[piece.matches]
        raw[of_match], raw[of_match + 1], logit[piece.matches] = first, 1.0 - first, log_odds(first)
    terms = np.empty((len(starts), 3))
    columns = CalibratedColumns(
        learned=learned,
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
        calibrate_fields(system, met, belief, piece.score, columns)
    said.terms[1:, number] = terms


def _meeting_reference(
    number: int, expert: Expert, trace: Trace, piece: Piece, said: Said
) -> tuple[Opponent, Opponent]:
    """The players of all rows after the events, and of fresh ones before them, who meet the reference player.

    Both ways round, as the difference of a chance from 1 is too coarse for players who are far away. Fills
    their deviations in public points, too; a system without deviations says −1.
    """
    fresh, reference = piece.fresh, expert.reference
    mu, sigma = trace.mu, trace.sigma if expert.system.has_sigma else None
    if len(fresh):
        mu = np.concatenate([mu, trace.mu_before[fresh]])
        sigma = None if sigma is None else np.concatenate([sigma, trace.sigma_before[fresh]])
    rows = len(trace.mu)
    deviation = np.full(len(mu), -1.0) if sigma is None else sigma * reference.points
    said.deviation[number], said.deviation_before[number] = deviation[:rows], deviation[rows:]
    return both_ways(reference, mu, sigma)


def both_ways(reference: Reference, mu: Floats, sigma: Floats | None) -> tuple[Opponent, Opponent]:
    """Players against the reference player, and then the reference player against them."""
    theirs = np.full(len(mu), reference.mu)
    if sigma is None or reference.sigma is None:
        return Opponent(np.concatenate([mu, theirs]), None), Opponent(np.concatenate([theirs, mu]), None)
    certain = np.full(len(mu), reference.sigma)
    return (
        Opponent(np.concatenate([mu, theirs]), np.concatenate([sigma, certain])),
        Opponent(np.concatenate([theirs, mu]), np.concatenate([certain, sigma])),
    )


def _joined(one: Opponent, other: Opponent) -> Opponent:
    """Sides and single players, one after another."""
    mu = np.concatenate([one.mu, other.mu])
    sigma = None if one.sigma is None or other.sigma is None else np.concatenate([one.sigma, other.sigma])
    if np.ndim(one.members) == 0:
        return Opponent(mu, sigma)
    alone = np.ones(len(mu) - len(np.asarray(one.mu)))
    return Opponent(mu, sigma, np.concatenate([one.members, alone]), np.concatenate([one.noise, alone]))


def _tell_references(number: int, chance: Floats, said: Said) -> None:
    """Fill the log odds against the reference player, from the chances of both."""
    logit, rows = odds_of_both(chance), said.after.shape[1]
    said.after[number], said.before[number] = logit[:rows], logit[rows:]


def odds_of_both(chance: Floats) -> Floats:
    """Log odds from chances of which the second half are those of the others."""
    log_chance, n = np.log(np.maximum(chance, LEAST_CHANCE)), len(chance) // 2
    odds: Floats = log_chance[:n] - log_chance[n:]
    return odds


def _sleep(number: int, expert: Expert, part: State, piece: Piece, said: Said) -> None:
    """Say what an expert believes that cannot use the piece, and so stays as it is."""
    logit, deviation = against_reference(expert, part, piece.events.player.astype(np.int64), NO_TIME)
    said.after[number], said.before[number] = logit, logit[piece.fresh]
    said.deviation[number], said.deviation_before[number] = deviation, deviation[piece.fresh]
    said.terms[1:, number] = said.terms[0, number]


def against_reference(expert: Expert, part: State, players: Longs, at: int) -> tuple[Floats, Floats]:
    """The log odds of players against the reference player, and their deviations in public points."""
    mu, sigma = expert.system.view(part, players, at)
    logit = odds_of_both(expert.system.expected_between(*both_ways(expert.reference, mu, sigma), 0.0))
    return logit, np.full(len(mu), -1.0) if sigma is None else sigma * expert.reference.points
