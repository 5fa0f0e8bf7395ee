"""The contest score: a combination of several systems' ratings that puts the players of contests in order.

A player's score is θ·x. The inputs x are what each system displays of the player, in log odds above 1500
points as that system counts them, and six more: 1, for the level of all scores; inexperience, 1/(1 + n/5)
after n events; absence, ln(1 + days/30); pause, which is what absence was before the player's last event; the
square of what one system displays, as log odds need not be right on the whole scale; and deviation. The
weights θ are learned contest by contest (`pair_regression`), so that every contest is scored by what was
known before it.

Deviations make a pair less certain. Without that, newcomers, of whom a few do well and most do not, would get
the score of somebody who beats as many as they do on average; with it they come nearer to somebody whom
half of them beat, which is what matters to an order.

A public rating takes a player's inputs after the last event, and only absence counts on. So it moves when its
player takes part, and with time away, but never because others played.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_FLOATS, NO_TIME, Bools, EventColumns, Floats, Ints, Longs
from podium.numerics.event_sides import days_between
from podium.numerics.jit import kernel
from podium.systems.auto.expert_lists import Expert
from podium.systems.auto.mixture_columns import Scored
from podium.systems.auto.pair_regression import (
    DEVIATION,
    LARGEST_LEVEL,
    LARGEST_WEIGHT,
    LEVEL,
    learn_contests,
    pair_tables,
    score_events,
)
from podium.systems.auto.public_ratings import MONTH, POINTS, REFERENCE_RATING, absence_of
from podium.systems.contract.calibration import check_covariance
from podium.systems.contract.calibration_kernels import EXPERIENCED_EVENTS
from podium.systems.contract.column_ranges import Range
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides
from podium.systems.contract.state import State

LEADING_VARIANCE, FOLLOWING_VARIANCE, OTHER_VARIANCE = 0.15**2, 0.03**2, 0.4**2
"""How far from their start the weights may be: of systems that start with a weight, of systems that do not,
and of the other inputs. These and the numbers of `pair_regression` were among the best of some hundred
settings on the first half of AtCoder's contests and the first tenth of Formula 1; most of the others were
0.01 to 0.1 points worse. docs/auto.md tells what was looked at when."""
SQUARE_OF_ONE = 20.0
"""Squared log odds that count as 1: many, so that the square counts little until much is known."""
LARGEST_INPUT = 100.0
"""Inputs beyond are taken as this: such log odds are as certain as any."""
OTHER_INPUTS = 6
"""The inputs after those of systems: level, inexperience, absence, pause, square, deviation."""
INEXPERIENCE, ABSENCE, PAUSE, SQUARE = -5, -4, -3, -2
"""Where four of them are; `pair_regression` has the others."""


def start_of_weights(experts: Floats) -> Floats:
    """Where weights start: at these of systems, and 0 for what else counts."""
    return np.concatenate((experts, np.zeros(OTHER_INPUTS)))


def least_precision(start: Floats) -> Floats:
    """The inverse of each weight's variance at the start."""
    variance = np.where(start > 0.0, LEADING_VARIANCE, FOLLOWING_VARIANCE)
    variance[-OTHER_INPUTS:] = OTHER_VARIANCE
    return 1.0 / variance


def nothing_learned(start: Floats) -> Floats:
    """What is known before the first contest: the weights, and below them the inverse of their covariance."""
    return np.concatenate((start[None], np.diag(least_precision(start))))


def contest_inputs(
    displays: Floats, squared: int, events: Ints, days: Floats, pause: Floats, deviation: Floats
) -> Floats:
    """The inputs of rows: `displays` has a column for each system, in log odds above 1500 points.

    `squared` is the number of the system whose square is an input.

    >>> events, days, pause, deviation = np.array([[5], [0], [0.3], [0.7]])
    >>> contest_inputs(np.array([[1.0, 2.0]]), 1, events, days, pause, deviation).tolist()
    [[1.0, 2.0, 1.0, 0.5, 0.0, 0.3, 0.2, 0.7]]
    """
    inputs = np.empty((len(displays), displays.shape[1] + OTHER_INPUTS))
    inputs[:, :-OTHER_INPUTS] = displays
    inputs[:, LEVEL] = 1.0
    inputs[:, INEXPERIENCE] = 1.0 / (1.0 + events / EXPERIENCED_EVENTS)
    inputs[:, ABSENCE] = absence_of(days)
    inputs[:, PAUSE] = pause
    inputs[:, SQUARE] = np.clip(displays[:, squared], -LARGEST_INPUT, LARGEST_INPUT) ** 2 / SQUARE_OF_ONE
    inputs[:, DEVIATION] = deviation
    return np.clip(inputs, -LARGEST_INPUT, LARGEST_INPUT, out=inputs)


def public_rating(score: Floats) -> Floats:
    """Scores on the public scale, where 400 points are ten to one.

    >>> public_rating(np.log([1.0, 10.0])).round(9).tolist()
    [1500.0, 1900.0]
    """
    return REFERENCE_RATING + POINTS * score


def score_contests(
    learned: Floats, start: Floats, offsets: Longs, rank: Ints, teaches: Bools, inputs: Floats
) -> tuple[Floats, Floats]:
    """Score the sides of consecutive events as they stand before each, and learn from those that teach.

    Returns the score of each side and the weights after each event. `learned` is changed.
    """
    score, weights = np.empty(len(rank)), np.empty((len(offsets) - 1, len(start)))
    prior = least_precision(start)
    learn_contests(learned, start, prior, *pair_tables(), offsets, rank, teaches, inputs, score, weights)
    return score, weights


def scores_after(offsets: Longs, weights: Floats, inputs: Floats) -> Floats:
    """The score of each side by the weights after its event, and by its inputs then."""
    score = np.empty(len(inputs))
    score_events(offsets, weights, inputs, score)
    return score


CONTESTS = "contests"
"""The name of what was learned among the shared arrays of a state."""
NOT_SCORED = Scored(NO_FLOATS, NO_FLOATS, NO_FLOATS)
"""Where no player's rating is a contest score."""


def leading(experts: tuple[Expert, ...]) -> Bools:
    """The experts that scores start from: those made for contests, who tell performances; or else all."""
    made_for = np.array([expert.system.has_performance for expert in experts])
    return made_for if made_for.any() else ~made_for


def contest_start(experts: tuple[Expert, ...]) -> Floats:
    """Where the weights of scores start: even over the leading experts."""
    lead = leading(experts)
    return start_of_weights(lead / lead.sum())


def certain_of(experts: tuple[Expert, ...]) -> Bools:
    """The experts whose deviations count: the leading ones that sleep in no contest, or else all of these."""
    lead = leading(experts)
    awake = lead & np.array(["many" not in expert.unusable for expert in experts])
    return awake if awake.any() else lead


class Shown(NamedTuple):
    """What experts show of some players, in log odds; a column each."""

    display: Floats
    deviation: Floats

    @classmethod
    def room(cls, experts: int, players: int) -> Shown:
        """Room for what experts show."""
        return cls(np.empty((players, experts)), np.empty((players, experts)))

    def tell(self, number: int, expert: Expert, mu: Floats, sigma: Floats | None) -> None:
        """Fill what an expert shows of players, given its beliefs."""
        per_point = expert.reference.log_odds
        self.display[:, number] = (expert.system.display(mu, sigma) - expert.reference.mu) * per_point
        self.deviation[:, number] = 0.0 if sigma is None else sigma * per_point

    def where(self, rows: Bools, others: Shown, index: Longs) -> Shown:
        """The same with other rows where `rows` says so: those of this index."""
        chosen = Shown(self.display.copy(), self.deviation.copy())
        for mine, theirs in zip(chosen, others, strict=True):
            mine[rows] = theirs[index[rows]]
        return chosen

    def inputs(self, certain: Bools, events: Ints, days: Floats, pause: Floats) -> Floats:
        """The inputs of scores; the deviation is the largest of those by the experts of `certain_of`.

        The square is that of the first of these.
        """
        deviation = self.deviation[:, certain].max(axis=1)
        return contest_inputs(self.display, int(np.argmax(certain)), events, days, pause, deviation)


def shown_of(experts: tuple[Expert, ...], state: State, players: Longs, at: int) -> Shown:
    """What experts show of players at a time."""
    shown = Shown.room(len(experts), len(players))
    for number, expert in enumerate(experts):
        shown.tell(number, expert, *expert.system.view(state.parts[number], players, at))
    return shown


@dataclass(frozen=True)
class ShownInEvents:
    """What experts show of the players of consecutive events."""

    players: Longs
    """Each player once."""
    place: Longs
    """For each row, the place of its player among these."""
    first: Shown
    """Before the first event, by place."""
    after: Shown
    """After its event, by row."""
    fresh: Shown
    """Before the event, of rows whose player was unknown."""

    @classmethod
    def room(cls, experts: int, player: Ints, fresh: int) -> ShownInEvents:
        """Room for what experts show of the players of rows."""
        players, place = np.unique(player, return_inverse=True)
        first, after, new = (Shown.room(experts, n) for n in (len(players), len(player), fresh))
        return cls(players.astype(np.int64), place, first, after, new)

    def begin(self, number: int, expert: Expert, part: State) -> None:
        """Fill what an expert shows before it rates the events."""
        self.first.tell(number, expert, *expert.system.view(part, self.players, NO_TIME))

    def rate(self, number: int, expert: Expert, trace: Trace, fresh: Longs) -> None:
        """Fill what it shows of each row after its event, and of fresh rows before."""
        has = expert.system.has_sigma
        self.after.tell(number, expert, trace.mu, trace.sigma if has else None)
        self.fresh.tell(number, expert, trace.mu_before[fresh], trace.sigma_before[fresh] if has else None)

    def sleep(self, number: int, fresh: Longs) -> None:
        """Fill the same for an expert that rates nothing."""
        for first, after, new in zip(self.first, self.after, self.fresh, strict=True):
            after[:, number] = first[self.place, number]
            new[:, number] = after[fresh, number]


@kernel
def link_rows(
    ev: EventColumns,
    place: Longs,
    played: Ints,
    last: Longs,
    paused: Floats,
    previous: Longs,
    events: Ints,
    days: Floats,
    pause: Floats,
) -> None:
    """Fill, for each row, the row of its player's rated event before, or −1, rated events, days since, pause.

    `played`, `last` and `paused` have the rated events, the time of the last one and the pause before it, by
    the player's place.
    """
    offsets, held, time = ev.offsets, ev.held, ev.time
    row_of = np.full(len(played), -1)
    for e in range(len(offsets) - 1):
        for r in range(offsets[e], offsets[e + 1]):
            a = place[r]
            previous[r], events[r], pause[r] = row_of[a], played[a], paused[a]
            days[r] = days_between(last[a], time[e])
            if len(held) == 0 or not held[r]:
                row_of[a] = r
                played[a] += 1
                paused[a] = math.log1p(days[r] / MONTH)
                if time[e] != NO_TIME:
                    last[a] = time[e]


def score_players(
    experts: tuple[Expert, ...],
    state: State,
    events: EventColumns,
    met: EventSides,
    shown: ShownInEvents,
    fresh: Longs,
) -> Scored:
    """Rate the players of events by their scores, and learn from the contests among the events.

    `fresh` has each row's place among the rows whose player was unknown before, or −1.
    """
    rows, certain, start = len(events.player), certain_of(experts), contest_start(experts)
    previous, played = np.empty(rows, np.int64), np.empty(rows, np.int32)
    days, pause = np.empty(rows), np.empty(rows)
    counts, last, paused = (state[name][shown.players] for name in ("events", "last_time", "pause"))
    link_rows(events, shown.place, counts, last, paused, previous, played, days, pause)
    before = Shown(*(column[shown.place] for column in shown.first))
    before = before.where(previous >= 0, shown.after, previous).where(fresh >= 0, shown.fresh, fresh)
    inputs = before.inputs(certain, played, days, pause)
    sides = inputs
    if not met.rows_are_sides:
        sides = np.add.reduceat(inputs[met.sides.players], met.sides.offsets[:-1]) / met.sides.sizes[:, None]
    teaches = met.counts > 2
    if len(events.held):
        teaches &= np.logical_or.reduceat(~events.held, events.offsets[:-1])
    rank = np.ascontiguousarray(events.rank[met.first_rows])
    learned = state.shared[CONTESTS]
    weights_before = learned[:1].copy()
    _, weights = score_contests(learned, start, met.offsets, rank, teaches, sides)
    after = shown.after.inputs(certain, played + 1, np.zeros(rows), absence_of(days))
    found = scores_after(events.offsets, weights, after)
    new = np.flatnonzero(fresh >= 0)
    event_of_row = np.repeat(np.arange(len(weights)), np.diff(events.offsets))
    weights_before = np.concatenate((weights_before, weights[:-1]))[event_of_row[new]]
    return Scored(
        public_rating(found),
        POINTS * weights[event_of_row, ABSENCE],
        public_rating((weights_before * inputs[new]).sum(axis=1)),
    )


def contest_opinions(
    experts: tuple[Expert, ...], state: State, player: int, at: int
) -> tuple[Floats, Floats]:
    """How much each expert counts in scores, by the size of its weight, and what it shows of a player."""
    sizes = np.abs(state.shared[CONTESTS][0, : len(experts)])
    shown = shown_of(experts, state, np.array([player]), at)
    return sizes / sizes.sum(), public_rating(shown.display[0])


def check_contests(state: State) -> None:
    """Refuse a state with weights beyond their limits, or whose covariance is none."""
    learned = state.shared[CONTESTS]
    limits = np.full(learned.shape[1], LARGEST_WEIGHT)
    limits[LEVEL] = LARGEST_LEVEL
    Range(-limits, limits).check(f"the saved array {CONTESTS}", learned[:1])
    check_covariance(CONTESTS, learned[1:])
