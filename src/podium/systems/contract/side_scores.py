"""What a system expects of the sides of events, all events at once, from beliefs about their members.

For two sides it is the expected score of the first. For more it is the mean expected score of each against
the others, (n − expected rank)/(n − 1), of performances as `RatingSystem.performance_spread` has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.arrays import Bools, EventColumns, Floats, Longs
from podium.history import History
from podium.history.columns import event_columns
from podium.numerics.event_sides import fill_home_signs
from podium.numerics.free_for_all.mean_places import expected_ranks
from podium.numerics.free_for_all.mean_scores import score_fields
from podium.numerics.free_for_all.noise import FAMILIES
from podium.numerics.ordering import place_sides
from podium.numerics.threads import in_event_parts
from podium.systems.contract.sides import Opponent, Sides

if TYPE_CHECKING:
    from podium.systems.contract.system import RatingSystem

MEDIANS = {"gumbel": -math.log(math.log(2.0)), "normal": 0.0, "logistic": 0.0}
"""Medians of distributions of location 0 and scale 1: the median of a side's performances is its `mu`."""

Belief = tuple[Floats, Floats | None]
"""`mu` and `sigma` of each side, as `RatingSystem.joined` gives them."""
Performances = tuple[str, Floats, Floats]
"""How sides perform: the family of distributions, and each side's location and scale."""


@dataclass(frozen=True)
class EventSides:
    """The sides of consecutive events; those of an event are adjacent."""

    offsets: Longs
    """The number of each event's first side."""
    sides: Sides
    """The members of each side, as rows."""
    home: Floats
    """For each event, 1 if the first of two sides is at home, −1 if the second is."""
    rows_are_sides: bool
    """Whether each row is a side of its own, and sides are in the order of rows."""

    @classmethod
    def of(cls, history: History) -> EventSides:
        """The sides of a history's events."""
        return cls.of_columns(event_columns(history))

    @classmethod
    def of_columns(cls, events: EventColumns) -> EventSides:
        """The sides of events whose rows begin at row 0."""
        rows, in_order, offsets = len(events.player), True, events.offsets
        members, starts = np.arange(rows), np.arange(rows + 1)
        if len(events.side):
            event = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
            key = (event << 32) + events.side
            if not (in_order := bool(np.all(key[1:] >= key[:-1]))):
                members = np.argsort(key, kind="stable")
            begins = np.diff(key[members], prepend=-1) != 0
            starts = np.append(np.flatnonzero(begins), rows)
            counts = np.bincount(event[members[begins]], minlength=len(offsets) - 1)
            offsets = np.concatenate(([0], np.cumsum(counts)))
        signs = np.zeros(len(offsets) - 1)
        if len(events.home):
            fill_home_signs(events.home, events.player, events.side, events.offsets, offsets, signs)
        return cls(
            offsets=offsets,
            sides=Sides(members, starts, events.play[members] if len(events.play) else None),
            home=signs,
            rows_are_sides=in_order and len(starts) == rows + 1,
        )

    @cached_property
    def counts(self) -> Longs:
        """The number of sides of each event."""
        return np.diff(self.offsets)

    @cached_property
    def first_rows(self) -> Longs:
        """The row of each side's first member."""
        return self.sides.players[self.sides.offsets[:-1]]


def facing(system: RatingSystem, met: EventSides, belief: Belief, which: Bools) -> tuple[Opponent, Opponent]:
    """The two sides of each of these events, as predictions take them."""
    if which.all():
        return _opponent(system, belief, met.sides, _EVEN), _opponent(system, belief, met.sides, _ODD)
    a = met.offsets[:-1][which]
    return _opponent(system, belief, met.sides, a), _opponent(system, belief, met.sides, a + 1)


_EVEN, _ODD = slice(0, None, 2), slice(1, None, 2)
"""The first and the second sides of events that all have two."""


def _opponent(system: RatingSystem, belief: Belief, sides: Sides, which: Longs | slice) -> Opponent:
    mu, sigma = belief
    if sides.play is None and len(sides.players) == len(mu):  # everybody alone and there all the time
        return Opponent(mu[which], None if sigma is None else sigma[which])
    return Opponent(
        mu[which], None if sigma is None else sigma[which], sides.sizes[which], system.noise_of(sides)[which]
    )


def match_scores(system: RatingSystem, met: EventSides, belief: Belief, told: Floats, which: Bools) -> Floats:
    """Expected score of the first side of each of these events, which have two sides.

    `told` is what a system itself said of each row when it was rated (`Trace.expected`), if it did.
    """
    if len(told):
        said = told[met.first_rows[met.offsets[:-1][which]]]
        if not np.isnan(said).any():
            return said
        return np.where(
            np.isnan(said),
            system.expected_between(*facing(system, met, belief, which), met.home[which]),
            said,
        )
    return system.expected_between(*facing(system, met, belief, which), met.home[which])


def field_scores(
    system: RatingSystem,
    met: EventSides,
    belief: Belief,
    which: Bools,
    scores: Floats,
    slope: float = 1.0,
) -> None:
    """Fill the scores of the sides of these events, which have more than two: (n − expected rank)/(n − 1).

    A calibration's slope divides the scales of performances.
    """
    (mu, sigma), counts = belief, met.counts[which]
    chosen = slice(None) if which.all() else np.repeat(which, met.counts)
    family, location, scale = performances(
        system,
        mu[chosen],
        None if sigma is None else sigma[chosen],
        system.noise_of(met.sides)[chosen],
        slope,
    )
    offsets = np.concatenate(([0], np.cumsum(counts)))
    out, missed = np.empty(len(location)), np.zeros(len(counts), np.bool_)
    in_event_parts(score_fields, offsets, (FAMILIES[family], location, scale, out), (missed,))
    for event in np.flatnonzero(missed).tolist():
        there = slice(offsets[event], offsets[event + 1])
        n = there.stop - there.start
        out[there] = (n - expected_ranks(family, location[there], scale[there])) / (n - 1)
    scores[chosen] = with_coin(system, out, 0.5)


class SideResults(NamedTuple):
    """What happened in events."""

    score: Floats
    """What each side scored: the mean over the others of 1, ½ or 0, or the share of the point it got."""
    tied: Floats
    """For each event, the number of pairs of sides that tied."""


def side_results(events: EventColumns, met: EventSides) -> SideResults:
    """What each side scored, and how many tied."""
    rank = np.ascontiguousarray(events.rank[met.first_rows])
    share = events.share if not len(events.share) else events.share[met.first_rows]
    better, order, score = np.empty(len(rank), np.int32), np.empty(len(rank), np.int32), np.empty(len(rank))
    tied = np.empty(len(met.counts))
    place_sides(met.offsets, rank, share, better, score, order, tied)
    return SideResults(score, tied)


def performances(
    system: RatingSystem, mu: Floats, sigma: Floats | None, noise: Floats, slope: float = 1.0
) -> Performances:
    """The distribution of each side's performance; a calibration's slope divides the scales."""
    family, scale = system.performance_spread(sigma, noise)
    scale = np.ascontiguousarray(scale / slope)
    return family, mu - MEDIANS[family] * scale, scale


def with_coin(system: RatingSystem, by_performance: Floats, by_chance: float | Floats) -> Floats:
    """Mix a prediction with pure chance: a coin decides the share `system.coin` of events."""
    return (1.0 - system.coin) * by_performance + system.coin * by_chance
