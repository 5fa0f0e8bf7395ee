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
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.mixing_kernels import Met, Said, find_fresh
from podium.systems.contract.calibration import CalibratedColumns, calibrate_fields, log_odds, side_means
from podium.systems.contract.calibration_kernels import calibrate_matches, fill_inexperience
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides, field_scores, match_scores, side_results
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
        score = side_results(events, met)
        return cls(events, met, met.counts == 2, lacking, score, np.flatnonzero(fresh >= 0)), fresh

    def results(self) -> Met:
        """What the mixture learns from."""
        first = self.events.rank[self.met.first_rows]
        starts = self.met.offsets[:-1]
        return Met(self.met.offsets, self.score, first[starts] == first[starts + 1])


def rate_experts(
    experts: tuple[Expert, ...], state: State, events: EventColumns, met: EventSides, awake: Bools
) -> tuple[Said, Met]:
    """Rate events by all experts that can use them; returns what each says, and what happened."""
    piece, fresh = Piece.of(state, events, met)
    k, sides, rows = len(experts), len(met.sides.offsets) - 1, len(events.player)
    terms = np.empty((len(events.time) + 1, k, 3))
    terms[0] = state.shared["calibrations"][:, 0]
    said = Said(
        awake=awake,
        raw=np.full((k, sides), 0.5),
        calibrated=np.full((k, sides), 0.5),
        terms=terms,
        after=np.empty((k, rows)),
        deviation=np.empty((k, rows)),
        fresh=fresh,
        before=np.empty((k, len(piece.fresh))),
        deviation_before=np.empty((k, len(piece.fresh))),
    )

    def rate(number: int) -> None:
        expert, part = experts[number], state.parts[number]
        mark(part["known"], events.player)
        if awake[number]:
            _rate(number, expert, part, state.shared["calibrations"][number], piece, said)
        else:
            _sleep(number, expert, part, piece, said)

    if rows < THREADS_FROM:
        for number in range(k):
            rate(number)
    else:
        in_threads(rate, [(number,) for number in range(k)])
    return said, piece.results()


def _rate(number: int, expert: Expert, part: State, learned: Floats, piece: Piece, said: Said) -> None:
    """Rate the piece by an expert that is awake."""
    system, events, met = expert.system, piece.events, piece.met
    trace = Trace.for_rows(
        len(events.player),
        sigma=system.has_sigma,
        performance=system.has_performance,
        expected=not system.two_numbers,
    )
    system.rate_events(part, events, trace)
    mu, sigma = trace.mu_before, trace.sigma_before if system.has_sigma else None
    if not met.rows_are_sides:
        members = met.sides.players
        mu, sigma = mu[members], None if sigma is None else sigma[members]
    belief = system.joined(mu, sigma, met.sides)
    _tell_references(number, expert, trace, piece, said)
    first = match_scores(system, met, belief, trace.expected, piece.matches) if piece.matches.any() else NO_FLOATS
    raw, starts = said.raw[number], met.offsets[:-1]
    logit = np.full(len(starts), np.nan)
    if piece.matches.all():
        raw[::2], raw[1::2], logit = first, 1.0 - first, log_odds(first)
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
        held=events.held,
        first=met.first_rows,
        logit=logit,
        home=met.home,
        lacking=piece.lacking,
        expected=said.calibrated[number],
        draw=np.empty(len(raw)),
        terms=terms,
    )
    if piece.matches.all():
        calibrate_matches(*columns)
    else:
        calibrate_fields(system, met, belief, piece.score, columns)
    said.terms[1:, number] = terms


def _tell_references(number: int, expert: Expert, trace: Trace, piece: Piece, said: Said) -> None:
    """Fill what an expert says of the reference player, by its beliefs before and after."""
    rows, fresh = len(trace.mu), piece.fresh
    mu, sigma = trace.mu, trace.sigma if expert.system.has_sigma else None
    if len(fresh):
        mu = np.concatenate([mu, trace.mu_before[fresh]])
        sigma = None if sigma is None else np.concatenate([sigma, trace.sigma_before[fresh]])
    logit, deviation = against_reference(expert, mu, sigma)
    said.after[number], said.before[number] = logit[:rows], logit[rows:]
    said.deviation[number], said.deviation_before[number] = deviation[:rows], deviation[rows:]


def _sleep(number: int, expert: Expert, part: State, piece: Piece, said: Said) -> None:
    """Say what an expert believes that cannot use the piece, and so stays as it is."""
    view = expert.system.view(part, piece.events.player.astype(np.int64), NO_TIME)
    logit, deviation = against_reference(expert, *view)
    said.after[number], said.before[number] = logit, logit[piece.fresh]
    said.deviation[number], said.deviation_before[number] = deviation, deviation[piece.fresh]
    said.terms[1:, number] = said.terms[0, number]


def against_reference(expert: Expert, mu: Floats, sigma: Floats | None) -> tuple[Floats, Floats]:
    """The log odds of players against the reference player, and their deviations in public points.

    A system without deviations says −1. The chances of both are asked for, as the difference of one from 1 is
    too coarse for players who are far away.
    """
    reference, n = expert.reference, len(mu)
    theirs = np.full(n, reference.mu)
    ours, others = np.concatenate([mu, theirs]), np.concatenate([theirs, mu])
    if sigma is None or reference.sigma is None:
        chance = expert.system.win_probability(ours, None, others, None)
        deviation = np.full(n, -1.0)
    else:
        certain = np.full(n, reference.sigma)
        chance = expert.system.win_probability(
            ours, np.concatenate([sigma, certain]), others, np.concatenate([certain, sigma])
        )
        deviation = sigma * reference.points
    log_chance = np.log(np.maximum(chance, LEAST_CHANCE))
    return log_chance[:n] - log_chance[n:], deviation
