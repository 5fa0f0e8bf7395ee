"""Learning a calibration online, match by match: the kernels.

What is learned is one small array (`calibration.nothing_learned` is where it starts):

    row 0      θ: the slope of the log odds, the terms of the home side and of experience
    rows 1–3   P: their covariance
    row 4      draws so far and the chances of draws per unit of ν, both with their start; events learned from

Each match is predicted before it is learned from. A match moves θ by one step of Newton's method towards the
maximum of its posterior, with P as the prior's covariance (the extended Kalman filter). An upset of somebody
who was nearly certain to win can make such a step too long. The limits of the terms are for that; and as such
a match leaves P nearly as it was, the next matches bring the terms back.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.numerics.draws import draw_chance, mean_draw_room
from podium.numerics.event_sides import score_between
from podium.numerics.free_for_all.mean_scores import score_fields
from podium.numerics.jit import kernel
from podium.numerics.win_chances import logistic

SLOPE_START, HOME_START, EXPERIENCE_START = 1.0, 0.0, 0.0
SLOPE_VARIANCE, HOME_VARIANCE, EXPERIENCE_VARIANCE = 0.5**2, 0.3**2, 1.0**2
"""Where the terms start and how far from it they may be, chosen on the first halves of five sets of real
matches; with a smaller variance the term of experience is learned too slowly to help."""
DRIFT = 1e-5
"""The part of the starting variance that each match adds to P: a memory of one to three thousand matches. A
tenth or ten times as much changed the log loss by 0.0003 at most."""
KEPT = math.sqrt(1.0 - DRIFT)
"""The part of its distance from the start that a term keeps: with it, P stays below its start."""
LEAST_SLOPE, LARGEST_SLOPE = 0.05, 20.0
"""Below 0 the order of two sides would be reversed. Some games want slopes near 0 at first."""
LARGEST_TERM = 20.0
"""The largest terms of the home side and of experience, up or down."""
LARGEST_LOGIT = 10.0
"""Log odds beyond are taken as these: 0.99995. It also keeps 1 − p exact enough for both sides to agree."""
DRAWS_START, DRAW_ROOM_START = 0.25, 5.0
"""A quarter of a draw in what would be ten matches of equals: ν starts at 0.05, draws between equals at 2.4%.
A history without draws loses a quarter of a nat for it, however long it is."""
DRAW_MEMORY = 1e-4
"""The part of what is known of draws that each match replaces by the start."""
MOST_MATCHES = 100.0
"""Matches that an event of many sides counts for at most, where it teaches how often sides tie."""
EXPERIENCED_EVENTS = 5.0
"""Rated events after which somebody counts half as inexperienced as a newcomer."""


@kernel
def fill_inexperience(player: Ints, held: Bools, events: Ints, out: Floats) -> None:
    """For each row, 1/(1 + n/5), n being the rated events of its player before it.

    `events` counts those before the first row. It counts on inside and is put back at the end, which needs no
    copy of a column that may have a million rows.
    """
    for row in range(len(player)):
        out[row] = 1.0 / (1.0 + events[player[row]] / EXPERIENCED_EVENTS)
        if len(held) == 0 or not held[row]:
            events[player[row]] += 1
    for row in range(len(player)):
        if len(held) == 0 or not held[row]:
            events[player[row]] -= 1


@kernel
def _clipped(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


@kernel
def _log_odds(p: float) -> float:
    if p <= 0.0:
        return -LARGEST_LOGIT
    if p >= 1.0:
        return LARGEST_LOGIT
    return _clipped(math.log(p / (1.0 - p)), -LARGEST_LOGIT, LARGEST_LOGIT)


@kernel
def fill_log_odds(expected: Floats, out: Floats) -> None:
    """The log odds of expected scores, up to the largest that count."""
    for i in range(len(expected)):
        out[i] = _log_odds(expected[i])


@kernel
def _drift(learned: Floats, kept: float) -> None:
    """Let terms drift: back towards the start by a little, and less certain by as much."""
    fresh = 1.0 - kept * kept
    for i in range(3):
        for j in range(3):
            learned[1 + i, j] *= kept * kept
    learned[1, 0] += fresh * SLOPE_VARIANCE
    learned[2, 1] += fresh * HOME_VARIANCE
    learned[3, 2] += fresh * EXPERIENCE_VARIANCE
    slope = SLOPE_START + kept * (learned[0, 0] - SLOPE_START)
    learned[0, 0] = _clipped(slope, LEAST_SLOPE, LARGEST_SLOPE)
    learned[0, 1] = _clipped(kept * learned[0, 1], -LARGEST_TERM, LARGEST_TERM)
    learned[0, 2] = _clipped(kept * learned[0, 2], -LARGEST_TERM, LARGEST_TERM)


@kernel
def _learn(learned: Floats, u0: float, u1: float, u2: float, gained: float, part: float) -> None:
    """Move θ by `gained` times u, which is P times the inputs, and reduce P by `part` of u uᵀ."""
    learned[0, 0] += u0 * gained
    learned[0, 1] += u1 * gained
    learned[0, 2] += u2 * gained
    learned[1, 0] -= part * u0 * u0
    learned[2, 1] -= part * u1 * u1
    learned[3, 2] -= part * u2 * u2
    learned[1, 1] -= part * u0 * u1
    learned[1, 2] -= part * u0 * u2
    learned[2, 2] -= part * u1 * u2
    learned[2, 0], learned[3, 0], learned[3, 1] = learned[1, 1], learned[1, 2], learned[2, 2]


@kernel
def _learn_match(learned: Floats, x0: float, x1: float, x2: float, z: float, p: float, score: float) -> None:
    """Learn from one match with these inputs, predicted log odds z = θ·x and p = σ(z)."""
    u0 = learned[1, 0] * x0 + learned[1, 1] * x1 + learned[1, 2] * x2
    u1 = learned[2, 0] * x0 + learned[2, 1] * x1 + learned[2, 2] * x2
    u2 = learned[3, 0] * x0 + learned[3, 1] * x1 + learned[3, 2] * x2
    v = x0 * u0 + x1 * u1 + x2 * u2
    if v > 0.0:
        w = p * (1.0 - p)
        part = 1.0 / (1.0 + w * v)
        _learn(learned, u0, u1, u2, (score - p) * part, w * part)
    _drift(learned, KEPT)
    learned[4, 2] += 1.0


def draw_ratio(draws: float, room: float) -> float:
    """ν of Davidson's model: draws divided by the room for them, both with their start.

    As long as there was no draw, the game may have none: the chance that it has some is taken to fall as the
    start's part of the room does. So ν falls with the square of the room, and is never 0.

    >>> draw_ratio(DRAWS_START, DRAW_ROOM_START), draw_ratio(DRAWS_START, 50.0), draw_ratio(5.0, 50.0)
    (0.05, 0.0005, 0.1)
    """
    if draws > DRAWS_START:
        return draws / room
    return draws / room * min(DRAW_ROOM_START / room, 1.0)


draw_ratio_of = kernel(draw_ratio)


@kernel
def learn_draw(draws: Floats, room: float, drawn: float, fading: float) -> None:
    """Learn ν so that draws happen as often as expected, as a Poisson rate with a gamma prior is learned.

    `draws` has draws and the room for them; `room` is the chance of a draw per unit of ν.
    """
    draws[0] += fading * (DRAWS_START - draws[0]) + drawn
    draws[1] += fading * (DRAW_ROOM_START - draws[1]) + room


@kernel
def learn_ties(draws: Floats, expected: Floats, tied: float) -> None:
    """The same from an event of n > 2 sides, of whose pairs so many tied: as much as n/2 matches teach."""
    n = len(expected)
    matches = min(0.5 * n, MOST_MATCHES)
    room = mean_draw_room(expected, draw_ratio_of(draws[0], draws[1]))
    drawn = tied / (0.5 * n * (n - 1.0))
    learn_draw(draws, matches * room, matches * drawn, 1.0 - (1.0 - DRAW_MEMORY) ** matches)


@kernel
def is_rated(held: Bools, lo: int, hi: int) -> bool:
    """Whether any row of an event is rated; from others nothing is learned."""
    rated = len(held) == 0
    for row in range(lo, hi):
        rated = rated or not held[row]
    return rated


@kernel
def _calibrate_match(
    learned: Floats, logit: float, home: float, gap: float, score: float, drawn: bool, rated: bool
) -> tuple[float, float]:
    """Expected score of the first side and chance of a draw, as they were before learning from the match."""
    z = learned[0, 0] * logit + learned[0, 1] * home + learned[0, 2] * gap
    p = logistic(z)
    nu = draw_ratio_of(learned[4, 0], learned[4, 1])
    draw = draw_chance(p, nu)
    if rated:
        _learn_match(learned, logit, home, gap, z, p, score)
        learn_draw(learned[4], draw / nu, drawn, DRAW_MEMORY)
    return p, draw


NO_TERMS: Floats = np.zeros((0, 3))
"""For calibrations whose terms nobody wants event by event."""


@kernel
def _tell_terms(learned: Floats, terms: Floats, e: int) -> None:
    """Note the terms as they are after an event, if somebody wants them."""
    if len(terms) > 0:
        for i in range(3):
            terms[e, i] = learned[0, i]


@kernel
def calibrate_matches(
    learned: Floats,
    rows: Longs,
    rank: Ints,
    share: Floats,
    held: Bools,
    first: Longs,
    logit: Floats,
    home: Floats,
    lacking: Floats,
    expected: Floats,
    draw: Floats,
    terms: Floats,
) -> None:
    """Predict and learn from events of two sides each; `first` is the first row of each side.

    `terms` takes the slope and the terms of home and experience after each event, or has length 0.
    """
    for e in range(len(logit)):
        a, b = 2 * e, 2 * e + 1
        expected[a], draw[a] = _calibrate_match(
            learned,
            logit[e],
            home[e],
            lacking[a] - lacking[b],
            score_between(rank, share, first[a], first[b]),
            rank[first[a]] == rank[first[b]],
            is_rated(held, rows[e], rows[e + 1]),
        )
        expected[b], draw[b] = 1.0 - expected[a], draw[a]
        _tell_terms(learned, terms, e)


@kernel
def _learn_field(learned: Floats, expected: Floats, score: Floats) -> None:
    """Learn the slope from an event of n sides: as much as n/2 matches would teach.

    A side's log odds are the slope times something, as those of a match are.
    """
    slope, gradient, information = learned[0, 0], 0.0, 0.0
    for i in range(len(expected)):
        x = _log_odds(expected[i]) / slope
        gradient += 0.5 * x * (score[i] - expected[i])
        information += 0.5 * expected[i] * (1.0 - expected[i]) * x * x
    part = information / (1.0 + information * learned[1, 0])
    u0, u1, u2 = learned[1, 0], learned[1, 1], learned[1, 2]
    _learn(learned, u0, u1, u2, gradient * (1.0 - part * u0), part)
    _drift(learned, KEPT ** (0.5 * len(expected)))
    learned[4, 2] += 1.0


@kernel
def calibrate_events(
    learned: Floats,
    rows: Longs,
    rank: Ints,
    share: Floats,
    held: Bools,
    first: Longs,
    logit: Floats,
    home: Floats,
    lacking: Floats,
    expected: Floats,
    draw: Floats,
    terms: Floats,
    offsets: Longs,
    score: Floats,
    tied: Floats,
    family: int,
    middle: float,
    coin: float,
    median: Floats,
    scale: Floats,
    start: int,
    found: bool,
) -> int:
    """Predict and learn from events of any number of sides, from number `start` on.

    Performances have these medians and scales; `middle` is the median of one of location 0 and scale 1.
    Returns the number of events, or that of one whose scores `score_fields` cannot find: they are then to be
    put into `expected`, and this starts there again with `found`.
    """
    missed, whole = np.empty(1, np.bool_), np.empty(2, np.int64)
    missed[0], whole[0] = False, 0
    for e in range(start, len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        rated = is_rated(held, rows[e], rows[e + 1])
        if hi - lo == 2:
            expected[lo], draw[lo] = _calibrate_match(
                learned,
                logit[e],
                home[e],
                lacking[lo] - lacking[lo + 1],
                score[lo],
                rank[first[lo]] == rank[first[lo + 1]],
                rated,
            )
            expected[lo + 1], draw[lo + 1] = 1.0 - expected[lo], draw[lo]
            _tell_terms(learned, terms, e)
            continue
        if e > start or not found:
            whole[1] = hi - lo
            location, wide = np.empty(hi - lo), np.empty(hi - lo)
            for i in range(hi - lo):  # a loop, as expressions of arrays take long to compile
                wide[i] = scale[lo + i] / learned[0, 0]
                location[i] = median[lo + i] - middle * wide[i]
            score_fields(whole, family, location, wide, expected[lo:hi], missed)
            if missed[0]:
                return e
        for i in range(lo, hi):
            expected[i] = 0.5 * coin + (1.0 - coin) * expected[i]
            draw[i] = 0.0
        if rated:
            _learn_field(learned, expected[lo:hi], score[lo:hi])
            learn_ties(learned[4], expected[lo:hi], tied[e])
        _tell_terms(learned, terms, e)
    return len(offsets) - 1
