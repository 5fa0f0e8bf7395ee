"""Calibrated predictions: what a system says, corrected by how its own predictions have turned out.

A system's expected scores may be too bold or too timid, know nothing of the home side, or be wrong about
newcomers. A calibration is a logistic regression of results on the log odds that the system gave, learned
event by event (`calibration_kernels`):

    log odds = slope × the system's + home × (1 at home, −1 away) + experience × (ours − theirs)

A player's experience term is 1/(1 + n/5) after n rated events, a team's the mean of its members. Draws are
those of Davidson's model with a parameter that is learned too. Ratings never change by it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_FLOATS, Bools, EventColumns, Floats, Ints, Longs
from podium.errors import StateError
from podium.numerics.draws import split_expected_score
from podium.numerics.free_for_all.mean_places import expected_ranks, fitted_locations
from podium.numerics.free_for_all.noise import FAMILIES
from podium.numerics.win_chances import logistic_of
from podium.systems.contract.calibration_kernels import (
    DRAW_MEMORY,
    DRAW_ROOM_START,
    DRAWS_START,
    EXPERIENCE_START,
    EXPERIENCE_VARIANCE,
    EXPERIENCED_EVENTS,
    HOME_START,
    HOME_VARIANCE,
    LARGEST_LOGIT,
    LARGEST_SLOPE,
    LARGEST_TERM,
    LEAST_SLOPE,
    MOST_MATCHES,
    NO_TERMS,
    SLOPE_START,
    SLOPE_VARIANCE,
    calibrate_events,
    calibrate_matches,
    draw_ratio,
)
from podium.systems.contract.column_ranges import Range
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import (
    MEDIANS,
    Belief,
    EventSides,
    Performances,
    SideResults,
    match_scores,
    performances,
    side_results,
)
from podium.systems.contract.sides import Sides
from podium.systems.contract.state import State
from podium.text import counted, listed, percent

if TYPE_CHECKING:
    from podium.systems.contract.system import RatingSystem

CALIBRATION = "calibration"
"""The name of what was learned among the shared arrays of a state; states without calibration have none."""
_VARIANCES = (SLOPE_VARIANCE, HOME_VARIANCE, EXPERIENCE_VARIANCE)
_MOST_DRAWS = 1.0 / DRAW_MEMORY + MOST_MATCHES
_LEAST_VARIANCE = 1e-12
_ROUNDING = 1e-9
SLOPE, HOME, NEW, DRAWS = _TERMS = ("the slope", "the home side", "newcomers", "draws")
"""What is learned, in words."""
_EVIDENCE = 1e-6
"""The part of its variance that a term loses, or of the room for draws that is gained, by any evidence."""
_FAIR = 0.1
"""Slopes that far from 1 are called fair: chances differ by 2.4 percentage points at most."""


def nothing_learned() -> Mapping[str, Floats]:
    """What a state holds of a calibration before the first event."""
    terms = (SLOPE_START, HOME_START, EXPERIENCE_START)
    return {CALIBRATION: np.array([terms, *np.diag(_VARIANCES), (DRAWS_START, DRAW_ROOM_START, 0.0)])}


def _range() -> Range:
    """The least and largest numbers of what was learned."""
    most = np.sqrt(np.outer(_VARIANCES, _VARIANCES))
    high = [(LARGEST_SLOPE, LARGEST_TERM, LARGEST_TERM), *most, (_MOST_DRAWS, 1e6, 1e15)]
    low = [(LEAST_SLOPE, -LARGEST_TERM, -LARGEST_TERM), *-most, (_LEAST_VARIANCE, _LEAST_VARIANCE, 0.0)]
    return Range(np.array(low), np.array(high) * (1.0 + _ROUNDING))


CALIBRATION_RANGES = {CALIBRATION: _range()}


def check_calibration(state: State) -> None:
    """Refuse a covariance that is none."""
    check_covariance(CALIBRATION, state.shared[CALIBRATION][1:4])


def check_covariance(name: str, covariance: Floats) -> None:
    """Refuse a covariance of the array of this name that is not symmetric, or not positive."""
    if not np.array_equal(covariance, covariance.T) or np.linalg.eigvalsh(covariance)[0] < _LEAST_VARIANCE:
        raise StateError(f"the saved array {name} has a covariance that is none")


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned about a system's predictions so far.

    >>> from dataclasses import replace
    >>> learned = Calibration(slope=0.5, home=0.4, experience=-1.0, draw_rate=0.1, events=100)
    >>> learned.applied([0.75, 0.5]).round(3).tolist()
    [0.634, 0.5]
    >>> print(learned)  # doctest: +NORMALIZE_WHITESPACE
    after 100 events: the system is too bold (slope 0.50); 50% becomes 60% at home, and 27% for a newcomer
    against an experienced player; 10% of matches between equals are draws
    >>> print(replace(learned, unlearned=[HOME, NEW]))  # doctest: +NORMALIZE_WHITESPACE
    after 100 events: the system is too bold (slope 0.50); 10% of matches between equals are draws; not
    learned yet: the home side and newcomers
    """

    slope: float
    """Log odds are multiplied by it: below 1 the system is too bold, above 1 too timid."""
    home: float
    """What playing at home adds to the log odds."""
    experience: float
    """What a newcomer's lack of experience adds; below 0 newcomers do worse than the system expects."""
    draw_rate: float
    """The share of draws, or ties, between sides that are equal; very small in a game that had none yet."""
    events: int
    """Events it was learned from."""
    unlearned: Collection[str] = ()
    """What no event has said anything about yet: such terms are where they start."""

    @classmethod
    def of(cls, state: State) -> Calibration:
        """What the state of a calibrated system has learned."""
        return cls.of_learned(state.shared[CALIBRATION])

    @classmethod
    def of_learned(cls, learned: Floats) -> Calibration:
        """What an array says that `calibration_kernels` have learned."""
        slope, home, experience = learned[0].tolist()
        lost = 1.0 - np.diag(learned[1:4]) / _VARIANCES
        evidence = [*lost.tolist(), learned[4, 1] / DRAW_ROOM_START - 1.0]
        return cls(
            slope,
            home,
            experience,
            learned_draw_rate(learned[4, :2]),
            events=int(learned[4, 2]),
            unlearned=tuple(name for name, part in zip(_TERMS, evidence, strict=True) if part < _EVIDENCE),
        )

    def applied(self, expected: ArrayLike, home: ArrayLike = 0.0, lack: ArrayLike = 0.0) -> Floats:
        """Expected scores corrected; `lack` is how much less experienced than the other a side is.

        It is the difference of `inexperience`, of the first side less that of the second.
        """
        logit = log_odds(expected)
        rest = self.home * np.asarray(home) + self.experience * np.asarray(lack)
        return logistic_of(self.slope * logit + rest)

    def undone(self, expected: ArrayLike, home: ArrayLike = 0.0, lack: ArrayLike = 0.0) -> Floats:
        """The expected scores that `applied` would correct to these.

        >>> learned = Calibration(slope=0.5, home=0.4, experience=-1.0, draw_rate=0.1, events=100)
        >>> learned.undone(learned.applied([0.75], 1.0, 0.3), 1.0, 0.3).round(9).tolist()
        [0.75]
        """
        rest = self.home * np.asarray(home) + self.experience * np.asarray(lack)
        return logistic_of((log_odds(expected) - rest) / self.slope)

    def __str__(self) -> str:
        parts = []
        if SLOPE not in self.unlearned:
            told = (
                "too bold"
                if self.slope < 1.0 - _FAIR
                else "too timid"
                if self.slope > 1.0 + _FAIR
                else "fair"
            )
            parts.append(f"the system is {told} (slope {self.slope:.2f})")
        at_home, new = (percent(float(logistic_of(term))) for term in (self.home, self.experience))
        evens = {HOME: f"{at_home} at home", NEW: f"{new} for a newcomer against an experienced player"}
        if becomes := [words for name, words in evens.items() if name not in self.unlearned]:
            parts.append(f"50% becomes {', and '.join(becomes)}")
        if DRAWS not in self.unlearned:
            parts.append(f"{percent(self.draw_rate)} of matches between equals are draws")
        if self.unlearned:
            parts.append(f"not learned yet: {listed([name for name in _TERMS if name in self.unlearned])}")
        return f"after {counted(self.events, 'event')}: {'; '.join(parts)}"

    def split(self, expected: Floats) -> Floats:
        """Probabilities of win, draw and loss, as columns. The expected score is win + draw/2."""
        return split_expected_score(expected, self.draw_rate)


def learned_draw_rate(learned: Floats) -> float:
    """The share of draws between equals, p₀ = ν/(2 + ν), by the draws and the room for them."""
    nu = draw_ratio(*learned.tolist())
    return nu / (2.0 + nu)


def log_odds(expected: ArrayLike) -> Floats:
    """The log odds of expected scores, up to the largest that count."""
    p = np.asarray(expected, np.float64)
    with np.errstate(divide="ignore"):
        odds = np.log(p / (1.0 - p))
    limited: Floats = np.minimum(np.maximum(odds, -LARGEST_LOGIT), LARGEST_LOGIT)
    return limited


def inexperience(events: Ints, sides: Sides) -> Floats:
    """1/(1 + n/5) for members with n rated `events`, and the mean of these for each side; 1 for newcomers."""
    return side_means(1.0 / (1.0 + events / EXPERIENCED_EVENTS), sides)


def calibrated_pairs(system: RatingSystem, state: State, sides: Sides, expected: Floats) -> Floats:
    """Expected scores of sides 0, 2, 4 … against 1, 3, 5 …, corrected if the system is calibrated."""
    if not system.is_calibrated:
        return expected
    lacking = inexperience(state["events"][sides.players], sides)
    return Calibration.of(state).applied(expected, lack=lacking[::2] - lacking[1::2])


def slope_of(system: RatingSystem, state: State) -> float:
    """The slope that divides the scales of performances; 1 if the system is not calibrated."""
    return Calibration.of(state).slope if system.is_calibrated else 1.0


def field_performances(system: RatingSystem, state: State, sides: Sides, at: int) -> Performances:
    """How the sides of a free-for-all perform.

    For a system that says itself what it expects of a field, locations are those that score as much.
    """
    family, location, scale = public_performances(system, state, sides, at)
    told = system.expected_field(state, sides, at)
    return family, location if told is None else fitted_locations(family, location, scale, told), scale


def public_performances(system: RatingSystem, state: State, sides: Sides, at: int) -> Performances:
    """How sides perform by their ratings alone."""
    mu, sigma = system.side_belief(state, sides, at)
    return performances(system, mu, sigma, system.noise_of(sides), slope_of(system, state))


def side_means(numbers: Floats, sides: Sides) -> Floats:
    """The mean over the members of each side."""
    if len(sides.offsets) == len(numbers) + 1:
        return numbers
    means: Floats = np.add.reduceat(numbers, sides.offsets[:-1]) / sides.sizes
    return means


def calibrate(
    system: RatingSystem, state: State, events: EventColumns, met: EventSides, lacking: Floats, trace: Trace
) -> None:
    """Predict events by the beliefs before them, as the trace has them, and learn from each in turn.

    Fills `expected` and `draw` of the trace. `lacking` is the inexperience of each row.
    """
    members, alone = met.sides.players, met.rows_are_sides
    mu, sigma = trace.mu_before, trace.sigma_before if system.has_sigma else None
    if not alone:
        mu, sigma, lacking = mu[members], None if sigma is None else sigma[members], lacking[members]
    belief = system.joined(mu, sigma, met.sides)
    matches = met.counts == 2
    only_matches = bool(matches.all())
    told = NO_FLOATS if system.two_numbers else trace.expected
    logit = log_odds(match_scores(system, met, belief, told, matches))
    if not only_matches:
        some, logit = logit, np.full(len(matches), np.nan)
        logit[matches] = some
    sides = len(met.sides.offsets) - 1
    columns = CalibratedColumns(
        learned=state.shared[CALIBRATION],
        rows=events.offsets,
        rank=events.rank,
        share=events.share,
        held=events.held,
        first=met.first_rows,
        logit=logit,
        home=met.home,
        lacking=side_means(lacking, met.sides),
        expected=trace.expected if alone else np.empty(sides),
        draw=trace.draw if alone else np.empty(sides),
        terms=NO_TERMS,
    )
    if only_matches:
        calibrate_matches(*columns)
    else:
        calibrate_fields(system, met, belief, side_results(events, met), columns)
    if not alone:
        trace.expected[members] = np.repeat(columns.expected, met.sides.sizes)
        trace.draw[members] = np.repeat(columns.draw, met.sides.sizes)


class CalibratedColumns(NamedTuple):
    """What both kernels take, in their order; `rows` are offsets, the others are by event or side."""

    learned: Floats
    rows: Longs
    rank: Ints
    share: Floats
    held: Bools
    first: Longs
    logit: Floats
    home: Floats
    lacking: Floats
    expected: Floats
    draw: Floats
    terms: Floats
    """The terms after each event, for whoever wants them; otherwise `NO_TERMS`."""


def calibrate_fields(
    system: RatingSystem, met: EventSides, belief: Belief, results: SideResults, columns: CalibratedColumns
) -> None:
    """`calibrate_matches` where some events have more than two sides."""
    mu, sigma = belief
    family, scale = system.performance_spread(sigma, system.noise_of(met.sides))
    scale, median = np.ascontiguousarray(scale), np.ascontiguousarray(mu)
    given = (*columns, met.offsets, *results, FAMILIES[family], MEDIANS[family], system.coin, median, scale)
    event = calibrate_events(*given, 0, False)
    while event < len(met.counts):
        # Scales that differ as much as these take another method.
        there = slice(met.offsets[event], met.offsets[event + 1])
        n, wide = there.stop - there.start, scale[there] / columns.learned[0, 0]
        ranks = expected_ranks(family, mu[there] - MEDIANS[family] * wide, wide)
        columns.expected[there] = (n - ranks) / (n - 1)
        event = calibrate_events(*given, event, True)
